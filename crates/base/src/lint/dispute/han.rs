//! Chinese numbers in digits, with the place of each character kept. Hides which characters are
//! numbers, and where they are parts of words.

use std::ops::Range;

use crate::{
    lint::consistency::document::plain,
    text::{numbers::chinese_numbers, words::is_han},
};

/// Longest number in characters.
const LONGEST: usize = 12;
const NUMERALS: &str = "〇零一二三四五六七八九十百千万亿两";
/// What is counted or dated by one character of a number before it.
const COUNTED: &str =
    "年月日号个名位人次件家座部集场米公里天岁倍成层届期种条艘辆所间张篇首枚支票点分节轮局队";

/// A text in plain characters.
pub(super) struct Plain {
    pub chars: Vec<char>,
    /// For each of them the characters of the text that it stands for.
    places: Vec<Range<usize>>,
}

impl Plain {
    /// Reads so many characters at most.
    pub(super) fn read(text: &str, most: usize) -> Self {
        let original: Vec<char> = text.chars().take(most).map(plain).collect();
        let mut read = Self {
            chars: Vec::with_capacity(original.len()),
            places: Vec::with_capacity(original.len()),
        };
        let mut at = 0;
        while at < original.len() {
            let length = numeral(&original, at);
            if length == 0 {
                read.push(original[at], at..at + 1);
                at += 1;
                continue;
            }
            let number: String = original[at..at + length].iter().collect();
            for digit in chinese_numbers(&number).chars() {
                read.push(digit, at..at + length);
            }
            at += length;
        }
        read
    }

    fn push(&mut self, c: char, place: Range<usize>) {
        self.chars.push(c);
        self.places.push(place);
    }

    /// The place in the text of some of these characters.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).map_or(0, |place| place.start);
        let last = range.end.checked_sub(1).and_then(|at| self.places.get(at));
        start..last.map_or(start, |place| place.end).max(start)
    }
}

/// Whether a character after a number says what is counted.
pub(super) fn is_counted(c: char) -> bool {
    COUNTED.contains(c)
}

/// How many characters of a number in Chinese stand here; 0 for what is a part of a word.
fn numeral(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let run = rest.iter().take(LONGEST + 1);
    let length = run.take_while(|c| NUMERALS.contains(**c)).count();
    let before = at.checked_sub(1).map(|before| chars[before]);
    // "2万" is read as it is, and what is longer is no number.
    if before.is_some_and(|c| c.is_ascii_digit()) || length > LONGEST {
        return 0;
    }
    let after = rest.get(length).copied();
    let starts = !"万亿百千".contains(rest[0]);
    let counted = after.is_some_and(is_counted);
    let alone = length == 1 && !counted;
    if length == 0 || !starts || alone || !after.is_none_or(|c| is_han(c) || !c.is_alphanumeric()) {
        return 0;
    }
    length
}
