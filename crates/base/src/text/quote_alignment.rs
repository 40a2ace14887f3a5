//! Alignment of a quote with a transcript: exact, or as a recogniser may have heard it. Words are
//! compared, and each Han character as one; case, width, script, punctuation and fillers do not
//! count. Approximate search after Sellers (1980): the cheapest alignment of the quote with any
//! stretch of the text.

use std::{cmp::Ordering, ops::Range};

use unicode_segmentation::UnicodeSegmentation as _;

use super::{
    numbers::is_cardinal,
    words::{fold, is_han},
};

/// Least similarity of a quote that counts as said: one word in seven may have been misheard.
pub const LEAST_SIMILARITY: f64 = 0.85;

/// The place of a quote in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct QuoteMatch {
    /// Characters (Unicode scalar values) of the text.
    pub span: Range<usize>,
    /// 1 − edits / words of the quote: insertions, deletions and substitutions of words count 1
    /// each.
    pub similarity: f64,
}

/// The words of a text with their places, prepared for many searches.
pub struct QuoteIndex {
    words: Vec<Word>,
}

struct Word {
    folded: String,
    span: Range<usize>,
}

impl QuoteIndex {
    /// Splits a text.
    pub fn new(text: &str) -> Self {
        let mut words = Vec::new();
        let mut at = 0;
        for piece in text.split_word_bounds() {
            let length = piece.chars().count();
            let span = at..at + length;
            at = span.end;
            // Han script has no spaces, and recognisers mishear single characters.
            if piece.chars().any(is_han) {
                let each = piece.chars().zip(span).map(|(c, at)| Word {
                    folded: fold(&c.to_string()),
                    span: at..at + 1,
                });
                words.extend(each);
            } else if piece.chars().any(char::is_alphanumeric) {
                words.push(Word {
                    folded: fold(piece),
                    span,
                });
            }
        }
        // Recognisers keep fillers or drop them, and models do, too.
        words.retain(|word| !FILLERS.contains(&word.folded.as_str()));
        Self { words }
    }

    /// The likeliest place of `quote`, the first of equals; none if it was not said. Words that
    /// turn the meaning round (numbers, negations) must be the very same.
    pub fn find(&self, quote: &str) -> Option<QuoteMatch> {
        let quote = Self::new(quote);
        if quote.words.is_empty() {
            return None;
        }
        let exact = self.words.windows(quote.words.len()).position(|said| {
            said.iter()
                .zip(&quote.words)
                .all(|(said, wanted)| said.folded == wanted.folded)
        });
        let (edits, place) = match exact {
            Some(begin) => (0, begin..begin + quote.words.len()),
            None => self.nearest(&quote)?,
        };
        let similarity = 1.0 - edits as f64 / quote.words.len() as f64;
        let said = &self.words[place];
        let same = edits == 0
            || (similarity >= LEAST_SIMILARITY && turning(said) == turning(&quote.words));
        same.then(|| QuoteMatch {
            span: said[0].span.start..said[said.len() - 1].span.end,
            similarity,
        })
    }

    /// Edits of the cheapest alignment, and the words of the text that it takes.
    fn nearest(&self, quote: &Self) -> Option<(usize, Range<usize>)> {
        // cell[j]: edits of the quote so far against words that end before j, and where they begin.
        let mut row: Vec<(usize, usize)> = (0..=self.words.len()).map(|begin| (0, begin)).collect();
        for (i, wanted) in quote.words.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = (i + 1, 0);
            for (j, said) in self.words.iter().enumerate() {
                let swapped = (
                    diagonal.0 + usize::from(said.folded != wanted.folded),
                    diagonal.1,
                );
                let missed = (row[j + 1].0 + 1, row[j + 1].1);
                let added = (row[j].0 + 1, row[j].1);
                diagonal = row[j + 1];
                row[j + 1] = [swapped, missed, added].into_iter().min_by(cheaper)?;
            }
        }
        let ends = row
            .iter()
            .enumerate()
            .filter(|(end, (_, begin))| end > begin);
        // Of places that cost the same, one as long as the quote: a word was misheard rather than
        // left out.
        let odd = |end: usize, begin: usize| (end - begin).abs_diff(quote.words.len());
        let best = ends.min_by_key(|(end, (edits, begin))| (*edits, odd(*end, *begin), *end));
        best.map(|(end, (edits, begin))| (*edits, *begin..end))
    }
}

/// Of alignments that cost the same, the shorter one.
fn cheaper(a: &(usize, usize), b: &(usize, usize)) -> Ordering {
    a.0.cmp(&b.0).then(b.1.cmp(&a.1))
}

/// The words that turn a statement round, in order.
fn turning(words: &[Word]) -> Vec<&str> {
    let folded = words.iter().map(|word| word.folded.as_str());
    folded.filter(|word| turns(word)).collect()
}

fn turns(word: &str) -> bool {
    is_number(word) || word.ends_with("n't") || word.ends_with("n’t") || NEGATIONS.contains(&word)
}

/// Whether a word in lower case, or a Han character, is a number.
pub fn is_number(word: &str) -> bool {
    word.chars().any(char::is_numeric) || is_cardinal(word) || SHARES.contains(&word)
}

const FILLERS: &[&str] = &["um", "uh", "er", "erm", "hmm", "mm", "呃", "嗯", "啊", "哦"];

/// Parts and multiples.
const SHARES: &[&str] = &["half", "twice", "double", "半"];

const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "cannot", "without",
    "hardly", "不", "没", "无", "非", "未", "别",
];

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: &str = "Good morning. So, um, the sensors that we bury in the gravel survive about twelve floods\n\
        before the connectors fail. Nobody has published how the connectors fail.";

    fn found(text: &str, quote: &str) -> Option<(String, f64)> {
        let heard = QuoteIndex::new(text).find(quote)?;
        let chars: Vec<char> = text.chars().collect();
        Some((
            chars[heard.span].iter().collect(),
            (heard.similarity * 100.0).round() / 100.0,
        ))
    }

    #[test]
    fn a_quote_is_found_whatever_its_case_punctuation_and_fillers() {
        let said = "the sensors that we bury in the gravel survive about twelve floods\nbefore the connectors fail";
        let quote = "The sensors that we, uh, bury in the gravel survive about twelve floods before the connectors fail!";
        assert_eq!(found(TALK, quote), Some((said.to_owned(), 1.0)));
        assert_eq!(
            found("這個問題還沒有解決。", "这个问题还没有解决"),
            Some(("這個問題還沒有解決".to_owned(), 1.0))
        );
    }

    #[test]
    fn one_word_in_seven_may_be_misheard() {
        let quote = "the censors that we bury in the gravel survive about twelve floods before the connectors fail";
        assert_eq!(
            found(TALK, quote).map(|(_, similarity)| similarity),
            Some(0.94)
        );
        assert_eq!(
            found(
                TALK,
                "the censors that they buried in gravel survive about twelve floods"
            ),
            None
        );
    }

    #[test]
    fn what_was_not_said_is_nowhere() {
        assert_eq!(
            found(
                TALK,
                "the sensors that we bury in the gravel survive about twenty floods before the connectors fail"
            ),
            None
        );
        assert_eq!(
            found(
                TALK,
                "the sensors that we bury in the gravel never survive about twelve floods before the connectors fail"
            ),
            None
        );
        assert_eq!(
            found(
                TALK,
                "Good morning, nobody has published how the connectors fail in the gravel"
            ),
            None
        );
        assert_eq!(found(TALK, ""), None);
        assert_eq!(found("", "anything"), None);
        assert_eq!(found("这个方法没有用", "这个方法有用"), None);
    }

    #[test]
    fn the_first_of_two_places_counts() {
        let heard = QuoteIndex::new("a b c d. a b c d.").find("a b c d");
        assert_eq!(
            heard,
            Some(QuoteMatch {
                span: 0..7,
                similarity: 1.0
            })
        );
    }
}
