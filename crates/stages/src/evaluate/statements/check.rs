//! The rules of a statement: it names a sentence of its chunk, says something, and has no number
//! and no address that was not shown.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::text::{normalize::normalize, words};

/// Number words up to this one may be counted together: "two arches" where each is named.
const SMALL: f64 = 10.0;

/// A statement as a model writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// Numbers of the sentences that it rests on.
    pub sentences: Vec<i64>,
    /// The statement.
    pub text: String,
}

/// Why a statement is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It has no words.
    Empty,
    /// None of the sentences that it names is in its chunk.
    NoSentence,
    /// It has a number that was not shown.
    UnknownNumber,
    /// It has an address.
    Address,
}

impl Refusal {
    /// The word that is counted.
    pub fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoSentence => "no_sentence",
            Self::UnknownNumber => "unknown_number",
            Self::Address => "address",
        }
    }
}

/// What statements of a chunk are held against.
pub struct Known {
    sentences: usize,
    numbers: BTreeSet<String>,
}

impl Known {
    /// A chunk of so many sentences, and all that was shown of it and before it.
    pub fn new<'t>(sentences: usize, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut numbers = BTreeSet::new();
        for text in texts {
            numbers.extend(in_digits(text));
            numbers.extend(ends_of_ranges(text));
            numbers.extend(runs(&normalize(text)));
        }
        Self { sentences, numbers }
    }

    /// The statement with the sentences that it names, each once and in order, from 1; or why it is
    /// refused.
    pub fn check(&self, written: &Written) -> Result<Written, Refusal> {
        let text = words::one_line(&written.text);
        if !text.chars().any(char::is_alphanumeric) {
            return Err(Refusal::Empty);
        }
        let known = 1..=self.sentences as i64;
        let named = written.sentences.iter().filter(|n| known.contains(n));
        let named: BTreeSet<i64> = named.copied().collect();
        if named.is_empty() {
            return Err(Refusal::NoSentence);
        }
        if text.contains("://") || text.contains("www.") {
            return Err(Refusal::Address);
        }
        if !self.has_numbers_of(&text) {
            return Err(Refusal::UnknownNumber);
        }
        Ok(Written {
            sentences: named.into_iter().collect(),
            text,
        })
    }

    fn has_numbers_of(&self, text: &str) -> bool {
        let normal = normalize(text);
        // `5 million` where `5,000,000` was shown, or the other way round.
        if runs(&normal).all(|number| self.numbers.contains(&number)) {
            return true;
        }
        let spelled = runs(&normal).filter(|run| run.parse().is_ok_and(|n: f64| n > SMALL));
        in_digits(text)
            .into_iter()
            .chain(spelled)
            .all(|number| self.numbers.contains(&number))
    }
}

/// The numbers of a text that are written in digits: `1,200` is one, `1890–95` are two.
fn in_digits(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.nfkc().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut plain = String::with_capacity(text.len());
    for (at, c) in chars.iter().enumerate() {
        let groups_three = *c == ','
            && at > 0
            && digit(at - 1)
            && (1..=3).all(|n| digit(at + n))
            && !digit(at + 4);
        if !groups_three {
            plain.push(*c);
        }
    }
    runs(&plain).collect()
}

/// The second years of ranges that are cut short: 1918 of `1914–18`.
fn ends_of_ranges(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let is_dash = |at: usize| matches!(chars.get(at), Some('-' | '–' | '—' | '/'));
    let years = (0..chars.len()).filter(|at| {
        let begins = *at == 0 || !digit(at - 1);
        begins
            && (0..4).all(|n| digit(at + n))
            && is_dash(at + 4)
            && (5..7).all(|n| digit(at + n))
            && !digit(at + 7)
    });
    years
        .map(|at| {
            chars[at..at + 2]
                .iter()
                .chain(&chars[at + 5..at + 7])
                .collect()
        })
        .collect()
}

/// The runs of digits of a text, with a point between two of them, without zeros that say nothing.
fn runs(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let runs = runs
        .map(|run| run.trim_matches('.'))
        .filter(|run| !run.is_empty());
    runs.map(|run| {
        let run = if run.contains('.') {
            run.trim_end_matches('0').trim_end_matches('.')
        } else {
            run
        };
        match run.trim_start_matches('0') {
            "" => "0".to_owned(),
            rest if rest.starts_with('.') => format!("0{rest}"),
            rest => rest.to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: [&str; 3] = [
        "The bridge opened in 1890 with 1,200 guests.",
        "Twelve of its arches, 3.50 m wide, fell in the war of 1914–18.",
        "桥长三百二十米，建于1890年。",
    ];

    #[test]
    fn a_number_may_be_written_in_another_way() {
        let check = |shown: &str, text: &str| {
            let written = Written {
                sentences: vec![1],
                text: text.to_owned(),
            };
            Known::new(1, [shown]).check(&written).is_ok()
        };
        for shown in [
            "Five million people live there.",
            "It has 5,000,000 people.",
        ] {
            assert!(check(shown, "The city has 5 million people."), "{shown}");
            assert!(!check(shown, "The city has 6 million people."), "{shown}");
        }
        assert!(check("全城有五百万人。", "全城有500万人。"));
        assert!(!check("全城有五百万人。", "全城有600万人。"));
    }

    fn check(sentences: &[i64], text: &str) -> Result<Vec<i64>, Refusal> {
        let shown = Known::new(3, SHOWN);
        let written = Written {
            sentences: sentences.to_vec(),
            text: text.to_owned(),
        };
        shown.check(&written).map(|of| of.sentences)
    }

    #[test]
    fn a_statement_names_a_sentence_of_its_chunk() {
        assert_eq!(check(&[1], "The bridge opened in 1890."), Ok(vec![1]));
        let text = "The bridge fell.";
        assert_eq!(check(&[2, 1, 2, 9, -4, 0], text), Ok(vec![1, 2]));
        assert_eq!(check(&[], text), Err(Refusal::NoSentence));
        assert_eq!(check(&[0, 4, i64::MAX], text), Err(Refusal::NoSentence));
        for empty in ["", " \n ", "…", "-"] {
            assert_eq!(check(&[1], empty), Err(Refusal::Empty), "{empty}");
        }
        assert_eq!(
            check(&[1], "The bridge is at https://a.org."),
            Err(Refusal::Address)
        );
    }

    #[test]
    fn a_number_stands_in_what_was_shown() {
        for known in [
            "1200 guests came.",
            "12 arches fell.",
            "Twelve arches fell by 1918.",
            "The arches were 3.5 m wide.",
            "桥长320米。",
            "桥建于１８９０年。",
            "Two things happened: it opened, and it fell.",
            "The first arch fell.",
        ] {
            assert!(check(&[1], known).is_ok(), "{known}");
        }
        for unknown in [
            "The bridge opened in 1891.",
            "1201 guests came.",
            "7 arches fell.",
            "Fifteen arches fell.",
            "The arches were 3.51 m wide.",
            "桥长三百二十一米。",
            "It cost 0.5 million.",
        ] {
            assert_eq!(
                check(&[1, 2, 3], unknown),
                Err(Refusal::UnknownNumber),
                "{unknown}"
            );
        }
    }
}
