//! What the classifier sees of a sentence beside its vector. `tests/data/judging/fit.py` says the
//! same in Python.

use std::collections::BTreeSet;

use crate::text::words::is_han;

/// Numbers that say how long a sentence is.
pub const LENGTHS: usize = 3;
/// What all words of a sentence weigh together, by the root of their number.
const OF_WORDS: f64 = 2.5;
/// Han characters that say as much as a word.
const HAN_OF_A_WORD: f64 = 1.7;
/// Lengths from which all are alike, below which a sentence is short, above which it is long.
const LONGEST: f64 = 40.0;
const SHORT: f64 = 9.0;
const LONG: f64 = 30.0;

/// The features of a sentence.
pub struct Features {
    /// Its words and pairs of neighbouring words; Han characters stand for words.
    pub words: BTreeSet<String>,
    /// What each of them counts.
    pub of_a_word: f64,
    /// How long it is, at most 1; whether it is short; whether it is long.
    pub length: [f64; LENGTHS],
}

impl Features {
    /// The features of `text`.
    pub fn new(text: &str) -> Self {
        let text = text.to_lowercase().replace('’', "'");
        let pieces = pieces(&text);
        let words = words(&pieces);
        let length = length(&text);
        Self {
            of_a_word: OF_WORDS / (words.len().max(1) as f64).sqrt(),
            words,
            length: [
                length.min(LONGEST) / LONGEST,
                f64::from(length < SHORT),
                f64::from(length > LONG),
            ],
        }
    }
}

/// Words, figures as `0`, Han characters, and the marks of a sentence in between.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |of: fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
        let taken = match first {
            'a'..='z' => word(rest),
            '0'..='9' => run(|c| c.is_ascii_digit()),
            _ => first.len_utf8(),
        };
        let piece = &rest[..taken];
        match first {
            'a'..='z' | ',' | '?' | '!' | ';' | ':' => pieces.push(piece.to_owned()),
            '0'..='9' => pieces.push("0".to_owned()),
            _ if is_han(first) => pieces.push(piece.to_owned()),
            _ => {}
        }
        rest = &rest[taken..];
    }
    pieces
}

/// The length of the word that a text begins with, in bytes: letters, and what follows one
/// apostrophe.
fn word(text: &str) -> usize {
    let letters = |from: usize| {
        let end = text[from..].find(|c: char| !c.is_ascii_lowercase());
        end.map_or(text.len(), |end| from + end)
    };
    let end = letters(0);
    match text[end..].strip_prefix('\'') {
        Some(behind) if behind.starts_with(|c: char| c.is_ascii_lowercase()) => letters(end + 1),
        _ => end,
    }
}

/// The pieces and the pairs of neighbours, each once. A sentence without Han characters has its
/// beginning as a piece; one with them has no marks.
fn words(pieces: &[String]) -> BTreeSet<String> {
    let is_chinese = pieces.iter().any(|piece| piece.chars().any(is_han));
    let is_mark = |piece: &&String| piece.starts_with(|c: char| c.is_ascii_punctuation());
    let (pieces, between): (Vec<&str>, &str) = if is_chinese {
        let plain = pieces.iter().filter(|piece| !is_mark(piece));
        (plain.map(String::as_str).collect(), "")
    } else {
        let all = pieces.iter().map(String::as_str);
        (std::iter::once("^").chain(all).collect(), " ")
    };
    let pairs = pieces.windows(2).map(|pair| pair.join(between));
    let singles = pieces.iter().map(|piece| (*piece).to_owned());
    singles.chain(pairs).collect()
}

/// The length of a text in words.
fn length(text: &str) -> f64 {
    let han = text.chars().filter(|c| is_han(*c)).count() as f64;
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).count() as f64;
    words + han / HAN_OF_A_WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs_are_what_the_fit_saw() {
        let of = |text: &str| Features::new(text).words.into_iter().collect::<Vec<_>>();
        assert_eq!(
            of("We can’t, in 1,200 trials."),
            [
                ",", ", 0", ", in", "0", "0 ,", "0 trials", "^", "^ we", "can't", "can't ,", "in",
                "in 0", "trials", "we", "we can't"
            ]
        );
        assert_eq!(
            of("用CT扫，3次"),
            ["0", "0次", "ct", "ct扫", "扫", "扫0", "次", "用", "用ct"]
        );
        let length = Features::new("用CT扫，3次").length[0] * LONGEST;
        assert!(
            (length - (2.0 + 3.0 / HAN_OF_A_WORD)).abs() < 1e-9,
            "{length}"
        );
    }
}
