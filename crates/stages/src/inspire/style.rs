//! Two forms of an inspiration. The usual one says an idea in as few sentences as it needs; the
//! paper's has four or five, about lines that stand together.

use serde::{Deserialize, Serialize};

use super::{Numbered, ground::Refusal, question};
use crate::{data::Evidence, text::sentences};

/// Sentences of a summary (DeepResearch Arena, inspiration agent).
const SENTENCES: std::ops::RangeInclusive<usize> = 4..=5;
/// Words of the stretch whose lines are one idea (as above); two Han characters count as a word.
const WINDOW: usize = 100;

/// The form of an inspiration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// One to four sentences, with passages from anywhere in a part of the talk
    #[default]
    Brief,
    /// The paper's: four or five sentences, with passages within a hundred words
    Paper,
}

impl Style {
    /// The prompt that a model is asked with.
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Brief => question::PROMPT,
            Self::Paper => question::PAPER_PROMPT,
        }
    }

    /// Whether a summary is as long as the form wants it.
    pub fn check_summary(self, text: &str) -> Result<(), Refusal> {
        if self == Self::Brief || SENTENCES.contains(&sentences::split(text).len()) {
            return Ok(());
        }
        Err(("not_four_or_five_sentences", text.to_owned()))
    }

    /// Whether passages, in the order of the talk, may carry one idea.
    pub fn takes_together(self, numbered: &Numbered, passages: &[Evidence]) -> bool {
        let (Some(first), Some(last)) = (
            passages.iter().map(|of| of.start_char).min(),
            passages.iter().map(|of| of.end_char).max(),
        ) else {
            return true;
        };
        // A single passage is one, however long its sentences are.
        self == Self::Brief || passages.len() == 1 || numbered.words_in(first..last) <= WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    #[test]
    fn the_papers_summary_has_four_or_five_sentences() {
        let sentences = |n: usize| "Gravel moves under the ice. ".repeat(n);
        let passes = |style: Style, text: &str| style.check_summary(text).is_ok();
        let of_paper: Vec<usize> = (1..8)
            .filter(|n| passes(Style::Paper, &sentences(*n)))
            .collect();
        assert_eq!(of_paper, [4, 5]);
        assert!((1..8).all(|n| passes(Style::Brief, &sentences(n))));
        let chinese = "砾石在冰下移动。".repeat(4);
        assert!(passes(Style::Paper, &chinese) && !passes(Style::Paper, "砾石在冰下移动。"));
    }

    #[test]
    fn the_papers_passages_stand_within_a_hundred_words() {
        let talk = ["One sentence of seven words stands here."; 40];
        let numbered = Numbered::new(&transcript(&talk));
        let together = |style: Style, numbers: &[usize]| {
            let passages: Vec<Evidence> =
                numbers.iter().map(|n| numbered.evidence(*n, *n)).collect();
            style.takes_together(&numbered, &passages)
        };
        assert!(together(Style::Paper, &[1, 14]), "98 words");
        assert!(!together(Style::Paper, &[1, 15]), "105 words");
        assert!(together(Style::Paper, &[30]) && together(Style::Paper, &[]));
        assert!(together(Style::Brief, &[1, 40]));
    }
}
