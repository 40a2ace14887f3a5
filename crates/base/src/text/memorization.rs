//! Memorization of a text by a model: where to cut the text, and how similar a continuation and the
//! true rest are. The probe for leakage of `DeepResearch` Arena (arXiv 2509.01396, section on data
//! leakage). Hides the tokens, the weights of the words and the bits in which the longest common
//! subsequence is found.

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation as _;

/// A composite above this is a leak; one that equals it is none.
pub const LEAKED: f64 = 0.7;

/// Marks that end a sentence or a clause, English and Chinese. Hyphens, quotes and brackets belong
/// to their words.
const MARKS: &str = ".,;:!?…—。，、；：！？．";

/// The two parts of a text for the probe, the second one beginning with the place of the cut: the
/// mark that is nearest to the middle (in Unicode scalar values, the earlier of two), else the
/// nearest white space, else the middle itself. A mark between two digits is part of a number. A
/// place with no word on one of its sides is none, and a text without any place cannot be probed.
///
/// Differs from the paper, which does not say what happens in a tie or without punctuation.
pub fn cut(text: &str) -> Option<(&str, &str)> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let first = chars.iter().position(|(_, c)| c.is_alphanumeric())? + 1;
    let last = chars.iter().rposition(|(_, c)| c.is_alphanumeric())?;
    let from_middle = |at: &usize| (2 * at).abs_diff(chars.len());
    let nearest = |fits: &dyn Fn(usize) -> bool| {
        (first..=last)
            .filter(|at| fits(*at))
            .min_by_key(from_middle)
    };
    let digit = |at: usize| chars[at].1.is_ascii_digit();
    // Before the first and after the last place there is a character, so that both neighbours
    // exist.
    let place = nearest(&|at| MARKS.contains(chars[at].1) && !(digit(at - 1) && digit(at + 1)))
        .or_else(|| nearest(&|at| chars[at].1.is_whitespace()))
        .or_else(|| nearest(&|_| true))?;
    Some(text.split_at(chars[place].0))
}

/// Similarity of a continuation and the true rest, each part from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// [`string_similarity`].
    pub string: f64,
    /// [`Vocabulary::cosine`].
    pub tfidf: f64,
    /// [`overlap`].
    pub overlap: f64,
}

impl Alike {
    /// 0.4 string + 0.4 TF-IDF + 0.2 overlap.
    pub fn composite(&self) -> f64 {
        // Exact for round numbers, unlike the sum of the three products: the threshold is strict.
        (2.0 * (self.string + self.tfidf) + self.overlap) / 5.0
    }

    /// Whether the composite is above [`LEAKED`].
    pub fn leaked(&self) -> bool {
        self.composite() > LEAKED
    }
}

/// Inverse document frequency of each word among the texts of a set; other words count for nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Vocabulary(BTreeMap<String, f64>);

impl Vocabulary {
    /// The words of all texts, each with its smooth inverse document frequency ln((1 + n) / (1 +
    /// df)) + 1.
    ///
    /// Differs from the paper, which does not say which variant it uses.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts_with: BTreeMap<String, usize> = BTreeMap::new();
        let mut n = 0_usize;
        for text in texts {
            n += 1;
            for word in unique(text) {
                *texts_with.entry(word).or_default() += 1;
            }
        }
        let rarity = |df: usize| ((1 + n) as f64 / (1 + df) as f64).ln() + 1.0;
        Self(
            texts_with
                .into_iter()
                .map(|(word, df)| (word, rarity(df)))
                .collect(),
        )
    }

    /// Cosine of the texts' counts of words, each count times the word's rarity; 0 where a text has
    /// no word of the vocabulary.
    pub fn cosine(&self, a: &str, b: &str) -> f64 {
        let (a, b) = (self.weights(a), self.weights(b));
        let dot: f64 = a
            .iter()
            .filter_map(|(word, weight)| Some(weight * b.get(word)?))
            .sum();
        if dot > 0.0 {
            // Rounding may bring equal texts above 1.
            (dot / (length(&a) * length(&b))).min(1.0)
        } else {
            0.0
        }
    }

    /// All three parts; nothing where the true rest has no word.
    pub fn compare(&self, continuation: &str, rest: &str) -> Option<Alike> {
        Some(Alike {
            string: string_similarity(continuation, rest)?,
            tfidf: self.cosine(continuation, rest),
            overlap: overlap(continuation, rest)?,
        })
    }

    fn weights(&self, text: &str) -> BTreeMap<String, f64> {
        let mut weights = BTreeMap::new();
        for word in words(text) {
            if let Some(rarity) = self.0.get(&word) {
                *weights.entry(word).or_default() += rarity;
            }
        }
        weights
    }
}

fn length(weights: &BTreeMap<String, f64>) -> f64 {
    weights
        .values()
        .map(|weight| weight * weight)
        .sum::<f64>()
        .sqrt()
}

/// 2 LCS / (|a| + |b|), the longest common subsequence and the lengths in Unicode scalar values;
/// nothing for two empty texts.
pub fn string_similarity(a: &str, b: &str) -> Option<f64> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let both = a.len() + b.len();
    (both > 0).then(|| 2.0 * longest_common(&a, &b) as f64 / both as f64)
}

/// The share of the rest's unique lower-cased words that the continuation has, too; nothing where
/// the rest has none.
pub fn overlap(continuation: &str, rest: &str) -> Option<f64> {
    let (continued, rest) = (unique(continuation), unique(rest));
    (!rest.is_empty()).then(|| continued.intersection(&rest).count() as f64 / rest.len() as f64)
}

/// Lower-cased words. Unicode's word boundaries make each Han character a word of its own (UAX 29).
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .unicode_words()
        .map(str::to_owned)
        .collect()
}

fn unique(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

/// Length of the longest common subsequence, 64 cells of a row at once (Hyyrö 2004, "Bit-parallel
/// LCS-length computation revisited"): a zero bit is a step upwards in the row. Cells after the end
/// of `a` match nothing and stay ones.
fn longest_common(a: &[char], b: &[char]) -> usize {
    let blocks = a.len().div_ceil(64);
    let mut places: BTreeMap<char, Vec<u64>> = BTreeMap::new();
    for (at, c) in a.iter().enumerate() {
        places.entry(*c).or_insert_with(|| vec![0; blocks])[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; blocks];
    for places in b.iter().filter_map(|c| places.get(c)) {
        let mut carry = false;
        for (cells, places) in row.iter_mut().zip(places) {
            let (sum, over) = cells.carrying_add(*cells & places, carry);
            *cells = sum | (*cells & !places);
            carry = over;
        }
    }
    row.iter().map(|cells| cells.count_zeros() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expect: f64) {
        assert!((found - expect).abs() < 1e-12, "{found} is not {expect}");
    }

    fn similarity(a: &str, b: &str) -> f64 {
        string_similarity(a, b).expect("one text is not empty")
    }

    /// The textbook's table, one cell after the other.
    fn slowly(a: &[char], b: &[char]) -> usize {
        let mut row = vec![0; a.len() + 1];
        for c in b {
            let mut diagonal = 0;
            for at in 0..a.len() {
                let up = row[at + 1];
                row[at + 1] = if a[at] == *c {
                    diagonal + 1
                } else {
                    up.max(row[at])
                };
                diagonal = up;
            }
        }
        row[a.len()]
    }

    #[test]
    fn is_cut_at_the_mark_nearest_to_the_middle() {
        let check = |text: &str, prefix: &str, rest: &str| {
            assert_eq!(cut(text), Some((prefix, rest)), "{text}");
        };
        check(
            "Survey the field, then design a test; report it.",
            "Survey the field",
            ", then design a test; report it.",
        );
        check("One, two three four, five", "One, two three four", ", five");
        check("abcd.efg,hijk", "abcd.efg", ",hijk");
        check(
            "综述现有方法，设计一个实验。评估结果",
            "综述现有方法",
            "，设计一个实验。评估结果",
        );
        check("方法、结果；讨论", "方法、结果", "；讨论");
        check(
            "Costs of 10,000 hours at 3.5 a piece: why?",
            "Costs of 10,000 hours at 3.5 a piece",
            ": why?",
        );
    }

    #[test]
    fn of_two_places_equally_near_the_earlier_one_is_taken() {
        assert_eq!(cut("abc,d,ef"), Some(("abc", ",d,ef")));
        assert_eq!(cut("语音，识，别"), Some(("语音", "，识，别")));
    }

    #[test]
    fn without_a_mark_it_is_cut_at_a_space_and_without_a_space_in_the_middle() {
        assert_eq!(
            cut("design a new test of tones"),
            Some(("design a new", " test of tones"))
        );
        assert_eq!(
            cut("Design a test of tones."),
            Some(("Design a test", " of tones.")),
            "no word after the mark"
        );
        assert_eq!(cut("“Tones” rise"), Some(("“Tones”", " rise")));
        assert_eq!(cut("闽南话声调识别"), Some(("闽南话", "声调识别")));
        assert_eq!(cut("ab"), Some(("a", "b")));
        assert_eq!(
            (cut(""), cut(" , . "), cut("a"), cut("字。")),
            (None, None, None, None)
        );
    }

    #[test]
    fn a_cut_loses_nothing_and_leaves_a_word_on_each_side() {
        for text in ["é,è", "🎙a🎙b🎙", "x  y", "…a…b…", "1.5", "a.1"] {
            let (prefix, rest) = cut(text).expect("two words");
            assert_eq!(format!("{prefix}{rest}"), text);
            assert!(
                prefix.contains(char::is_alphanumeric) && rest.contains(char::is_alphanumeric),
                "{text}"
            );
        }
    }

    #[test]
    fn strings_are_alike_by_their_longest_common_subsequence() {
        near(similarity("ABCBDAB", "BDCABA"), 8.0 / 13.0);
        near(similarity("kitten", "sitting"), 8.0 / 13.0);
        near(similarity("方言语音识别", "方言语音标注"), 8.0 / 12.0);
        near(similarity("same", "same"), 1.0);
        near(similarity("abc", "xyz"), 0.0);
        near(similarity("", "x"), 0.0);
        assert_eq!(string_similarity("", ""), None);
    }

    #[test]
    fn the_bits_count_what_the_table_counts() {
        let text = |length: usize, step: usize| -> Vec<char> {
            (0..length)
                .map(|at| char::from(b'a' + (at * at * step % 101 % 7) as u8))
                .collect()
        };
        for (m, n) in [
            (0, 5),
            (1, 1),
            (63, 64),
            (64, 64),
            (65, 130),
            (128, 127),
            (200, 31),
            (257, 300),
        ] {
            let (a, b) = (text(m, 3), text(n, 5));
            assert_eq!(longest_common(&a, &b), slowly(&a, &b), "{m} × {n}");
            assert_eq!(longest_common(&a, &a), m);
            assert_eq!(longest_common(&a, &b), longest_common(&b, &a));
        }
    }

    #[test]
    fn rare_words_weigh_more() {
        let vocabulary = Vocabulary::new(["tones of speech", "speech of birds"]);
        let rare = 1.5f64.ln() + 1.0;
        near(vocabulary.0["speech"], 1.0);
        near(vocabulary.0["tones"], rare);
        near(
            vocabulary.cosine("tones speech", "tones birds"),
            rare / (1.0 + rare * rare).sqrt() / 2f64.sqrt(),
        );
        near(
            vocabulary.cosine("Speech speech of", "speech, unheard of!"),
            3.0 / (5f64.sqrt() * 2f64.sqrt()),
        );
        near(vocabulary.cosine("tones", "TONES tones"), 1.0);
        near(vocabulary.cosine("unheard", "unheard"), 0.0);
        near(vocabulary.cosine("", "tones"), 0.0);
    }

    #[test]
    fn overlap_is_a_share_of_the_rest() {
        near(
            overlap("the tones rise", "The tones fall. The end").expect("words"),
            0.5,
        );
        near(overlap("识别声调", "声调语言").expect("characters"), 0.5);
        near(overlap("", "words").expect("words"), 0.0);
        assert_eq!(overlap("words", "…"), None);
    }

    #[test]
    fn a_text_said_by_heart_is_a_leak_and_another_one_is_none() {
        for text in [
            "Survey the logbooks, then write a plan for storms.",
            "综述闽南话语音识别，设计一个实验。",
        ] {
            let (_, rest) = cut(text).expect("a mark");
            let vocabulary = Vocabulary::new([text, "Something else, entirely. 完全不同的任务。"]);
            let known = vocabulary.compare(rest, rest).expect("words");
            near(known.composite(), 1.0);
            assert!(known.leaked());
            assert!(
                !vocabulary
                    .compare("完全不同 entirely", rest)
                    .expect("words")
                    .leaked()
            );
            near(
                vocabulary.compare("", rest).expect("words").composite(),
                0.0,
            );
        }
        assert_eq!(Vocabulary::new([]).compare("a", "…"), None);
    }

    #[test]
    fn a_leak_is_above_the_threshold_and_not_at_it() {
        let leaked = |string, tfidf, overlap| {
            Alike {
                string,
                tfidf,
                overlap,
            }
            .leaked()
        };
        assert!(!leaked(0.7, 0.7, 0.7));
        assert!(!leaked(1.0, 0.5, 0.5));
        assert!(leaked(1.0, 0.5, 0.501));
    }

    /// `DeepResearch` Arena, Table 4: composite, string similarity, TF-IDF and overlap in percent;
    /// its last row is the mean.
    const TABLE_4: [(&str, [f64; 4]); 9] = [
        ("gpt-4o-search-preview", [9.8, 10.4, 7.1, 14.1]),
        ("gpt-4o-mini-search-preview", [9.4, 7.7, 7.2, 17.2]),
        ("gpt-4.1", [14.8, 22.4, 8.3, 12.4]),
        ("gpt-4.1-mini", [13.6, 17.9, 8.9, 14.4]),
        ("o4-mini-deep-research", [10.5, 5.7, 9.4, 21.9]),
        ("gemini-2.5-pro", [13.8, 20.8, 7.5, 12.4]),
        ("gemini-2.5-flash", [13.7, 22.2, 6.9, 10.1]),
        ("grok-4", [14.8, 22.2, 8.4, 12.7]),
        ("mean", [12.6, 16.1, 8.0, 14.4]),
    ];

    #[test]
    fn the_composites_are_the_published_ones() {
        let percent = |string: f64, tfidf: f64, overlap: f64| {
            Alike {
                string: string / 100.0,
                tfidf: tfidf / 100.0,
                overlap: overlap / 100.0,
            }
            .composite()
                * 100.0
        };
        for (system, [composite, string, tfidf, overlap]) in TABLE_4 {
            let found = percent(string, tfidf, overlap);
            assert!(
                (found - composite).abs() < 0.1,
                "{system}: {found} is not {composite}"
            );
        }
        near(percent(15.3, 9.4, 14.3), 12.74);
    }
}
