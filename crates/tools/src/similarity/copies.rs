//! Near-copies among texts, by words and by meaning together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{groups::joined, jaccard, meaning::Meaning, shingles};

/// The reason why two texts are copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// Nearly the same words, in the two or in copies between them.
    Words,
    /// Vectors, too: no chain of the same words leads from one to the other.
    Meaning,
}

impl Link {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
        }
    }
}

/// How alike two copies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// What links the two.
    pub by: Link,
    /// Jaccard index of their shingles, 0 to 1. Below the threshold where other copies, or vectors,
    /// link the two.
    pub words: f64,
    /// Cosine of their vectors, where there are some.
    pub cosine: Option<f64>,
}

/// The copies among some texts.
pub struct Copies<'a> {
    texts: &'a [&'a str],
    meaning: Option<&'a Meaning>,
    /// The number of the group that words alone put a text in.
    by_words: BTreeMap<usize, usize>,
    /// Texts that say the same, as their numbers in ascending order; a text alone is in no group.
    pub groups: Vec<Vec<usize>>,
}

impl<'a> Copies<'a> {
    /// Finds texts with a Jaccard index of their shingles of `threshold` (above 0; above 1 finds
    /// nothing) or more, and those that `meaning` finds.
    pub fn find(texts: &'a [&'a str], threshold: f64, meaning: Option<&'a Meaning>) -> Self {
        let by_words = shingles::near_copies(texts, threshold);
        let by_meaning = meaning.map_or(&[][..], |meaning| &meaning.groups);
        let groups = joined(&[&by_words, by_meaning].concat(), texts.len());
        let numbered = by_words.iter().enumerate();
        Self {
            texts,
            meaning,
            by_words: numbered
                .flat_map(|(number, group)| group.iter().map(move |text| (*text, number)))
                .collect(),
            groups,
        }
    }

    /// How alike two texts of a group are.
    pub fn likeness(&self, a: usize, b: usize) -> Likeness {
        let group = |text| self.by_words.get(&text);
        let by_words = group(a).is_some() && group(a) == group(b);
        let [first, second] = [a, b].map(|text| shingles::shingles(self.texts[text]));
        Likeness {
            by: if by_words { Link::Words } else { Link::Meaning },
            words: jaccard(&first, &second),
            cosine: self.meaning.map(|meaning| meaning.cosine(a, b)),
        }
    }
}
