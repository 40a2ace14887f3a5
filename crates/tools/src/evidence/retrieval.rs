//! Retrieval of passages for a question: by words (BM25), and by meaning where there are vectors.
//! Hides tokens, weights and the fusion of rankings.
//!
//! BM25 is written here, not taken from a crate: an index lives for one question or one task, so
//! that nothing of a search engine's storage is of use; and words must be cut as everywhere else in
//! the crate, Chinese into pairs of characters ([`words::tokens`]). What remains is the formula.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{
    embed::cosine,
    text::{sentences, words},
};

/// BM25's saturation of term frequency and normalisation of length: the usual values of Robertson
/// and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Reciprocal rank fusion, and its constant: Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion
/// outperforms Condorcet and individual Rank Learning Methods" (SIGIR 2009).
const RRF: f64 = 60.0;
/// Depth of each ranking that counts, in multiples of the wanted passages: further down is chance,
/// and a passage far down in both would beat the first of one.
const DEPTH: usize = 2;
/// Words after which a passage ends with its sentence; a Han character is a word.
const WORDS: usize = 80;

/// A stretch of a stored text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Hash of the page's bytes, or a document's id.
    pub source: String,
    /// Where it stands in the source's text, in Unicode scalar values.
    pub span: Range<usize>,
    /// The text there.
    pub text: String,
}

/// A text in passages of whole sentences, in order; nothing but white space is between them.
pub fn passages(source: &str, text: &str) -> Vec<Passage> {
    let chars: Vec<char> = text.chars().collect();
    let mut spans: Vec<(Range<usize>, usize)> = Vec::new();
    for sentence in sentences::split(text) {
        let part: String = chars[sentence.clone()].iter().collect();
        let length = words::length(&part);
        match spans.last_mut() {
            Some((span, words)) if *words < WORDS => {
                span.end = sentence.end;
                *words += length;
            }
            _ => spans.push((sentence, length)),
        }
    }
    spans
        .into_iter()
        .map(|(span, _)| Passage {
            source: source.to_owned(),
            text: chars[span.clone()].iter().collect(),
            span,
        })
        .collect()
}

/// The method that found passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// BM25 alone: there are no vectors.
    Words,
    /// BM25 and vectors.
    WordsAndMeaning,
}

/// The retrieved passages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieved {
    /// Their positions, the best first.
    pub best: Vec<usize>,
    /// The method.
    pub by: FoundBy,
}

/// An inverted index of passages.
pub struct Index {
    /// How often a word is in which passages, in order.
    postings: BTreeMap<String, Vec<(usize, u32)>>,
    /// Words of each passage.
    lengths: Vec<usize>,
    /// The vector of each passage, where there is an encoder.
    vectors: Option<Vec<Vec<f32>>>,
}

impl Index {
    /// An index of these texts, with their vectors (of unit length, in the same order) where there
    /// is an encoder.
    pub fn new(texts: &[&str], vectors: Option<Vec<Vec<f32>>>) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, u32)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(texts.len());
        for (place, text) in texts.iter().enumerate() {
            let tokens = words::tokens(text);
            lengths.push(tokens.len());
            for token in tokens {
                let places = postings.entry(token).or_default();
                match places.last_mut() {
                    // Texts come in order, so that the last place is the current one.
                    Some((last, times)) if *last == place => *times += 1,
                    _ => places.push((place, 1)),
                }
            }
        }
        Self {
            postings,
            lengths,
            // A vector too few would shift all that follow: rather none.
            vectors: vectors.filter(|vectors| vectors.len() == texts.len()),
        }
    }

    /// The `most` passages that fit `question` best; `vector` is the question's. Passages without
    /// any of its words are found by meaning only. Of equals the earlier one comes first.
    pub fn best(&self, question: &str, vector: Option<&[f32]>, most: usize) -> Retrieved {
        let by_words = ranked(self.bm25(question));
        let depth = most.saturating_mul(DEPTH);
        let (best, by) = match (vector, &self.vectors) {
            (Some(vector), Some(vectors)) => {
                let near = vectors.iter().map(|other| cosine(vector, other));
                let by_meaning = ranked(near.enumerate().collect());
                (
                    fused(&[by_words, by_meaning], depth),
                    FoundBy::WordsAndMeaning,
                )
            }
            _ => (by_words, FoundBy::Words),
        };
        Retrieved {
            best: best.into_iter().take(most).collect(),
            by,
        }
    }

    /// The weight of each passage that has some of the words.
    fn bm25(&self, question: &str) -> Vec<(usize, f64)> {
        let count = self.lengths.len() as f64;
        let mean = self.lengths.iter().sum::<usize>() as f64 / count.max(1.0);
        let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
        // Sums of floating-point numbers depend on their order: the words have one.
        let asked: BTreeSet<String> = words::tokens(question).into_iter().collect();
        for places in asked.iter().filter_map(|word| self.postings.get(word)) {
            let having = places.len() as f64;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (place, times) in places {
                let times = f64::from(*times);
                let length = self.lengths[*place] as f64 / mean;
                let weight = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
                *weights.entry(*place).or_default() += rarity * weight;
            }
        }
        weights.into_iter().collect()
    }
}

/// The places by descending weight.
fn ranked(mut weights: Vec<(usize, f64)>) -> Vec<usize> {
    weights.sort_by(by_weight);
    weights.into_iter().map(|(place, _)| place).collect()
}

fn by_weight(a: &(usize, f64), b: &(usize, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// One ranking of the first `depth` of several: each gives 1 / (60 + rank).
fn fused(rankings: &[Vec<usize>], depth: usize) -> Vec<usize> {
    let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
    for ranking in rankings {
        for (above, place) in ranking.iter().take(depth).enumerate() {
            *weights.entry(*place).or_default() += 1.0 / (RRF + above as f64 + 1.0);
        }
    }
    ranked(weights.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXTS: [&str; 5] = [
        "The gauge drifts by four millimetres a year.",
        "Roots keep the soil together.",
        "土壤水分传感器每年漂移。",
        "The gauge stands in the river, and the river keeps its gravel.",
        "Nothing of it.",
    ];

    #[test]
    fn words_find_the_passage_in_either_script() {
        let index = Index::new(&TEXTS, None);
        let best = |question: &str| index.best(question, None, 2).best;
        assert_eq!(best("How far does a gauge drift a year?"), [0, 3]);
        assert_eq!(best("Which ROOTS?"), [1]);
        assert_eq!(best("传感器的漂移"), [2]);
        assert_eq!(best("unheard"), Vec::<usize>::new());
        assert_eq!(index.best("gauge", None, 9).by, FoundBy::Words);
        assert!(Index::new(&[], None).best("gauge", None, 9).best.is_empty());
    }

    /// Two passages, one word in one of them: the formula by hand.
    #[test]
    fn the_weight_is_robertson_s() {
        let index = Index::new(&["gauge gauge river", "soil"], None);
        let rarity = (1.0_f64 + 1.5 / 1.5).ln();
        let length = 3.0 / 2.0;
        let expected = rarity * (2.0 * 2.2) / (2.0 + 1.2 * (0.25 + 0.75 * length));
        let found = index.bm25("gauge");
        assert_eq!(found.len(), 1);
        assert!((found[0].1 - expected).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn two_rankings_become_one() {
        assert_eq!(fused(&[vec![0, 1, 2], vec![2, 1]], 9), [2, 1, 0]);
        assert_eq!(fused(&[vec![0, 1, 2], vec![2, 1]], 1), [0, 2]);
        assert_eq!(
            fused(&[vec![4, 3], vec![3, 4]], 9),
            [3, 4],
            "equals in order"
        );
        let vectors = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]].map(Vec::from).to_vec();
        let index = Index::new(&["gauge", "soil", "river"], Some(vectors));
        let found = index.best("gauge", Some(&[0.0, 1.0]), 3);
        assert_eq!(found.by, FoundBy::WordsAndMeaning);
        assert_eq!(found.best, [0, 1, 2]);
        assert_eq!(index.best("gauge", None, 3).best, [0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn passages_are_the_text_at_their_spans(text in "([A-Za-z]{1,9}[ .\n]{1,3}|河流每年移动。){0,300}") {
            let passages = passages("page", &text);
            let chars: Vec<char> = text.chars().collect();
            let mut end = 0;
            for passage in &passages {
                let between: String = chars[end..passage.span.start].iter().collect();
                prop_assert!(between.trim().is_empty());
                let cut: String = chars[passage.span.clone()].iter().collect();
                prop_assert_eq!(&cut, &passage.text);
                end = passage.span.end;
            }
            let rest: String = chars[end..].iter().collect();
            prop_assert!(rest.trim().is_empty());
        }
    }
}
