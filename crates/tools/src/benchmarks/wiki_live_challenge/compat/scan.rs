//! Scanning of a text from front to back, by Python's notion of white space and digits. Hides how
//! groups in brackets are found without looking at a character twice.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::pattern::constant;

/// A decimal digit of any script: what Python counts as one.
static DIGIT: LazyLock<Regex> = LazyLock::new(|| constant(r"^\d$"));

/// Whether Python counts the character as white space: four separators beyond Unicode's property.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The text without the white space around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The lines of a text, each with the byte that it begins at.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split('\n').map(move |line| {
        let start = next;
        next += line.len() + 1;
        (start, line)
    })
}

/// Whether a web address begins here.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// The digits that a text begins with.
pub(super) fn digits(text: &str) -> &str {
    let end = text.find(|c| !is_digit(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_digit(c: char) -> bool {
    // Few characters are numeric without being ASCII, so that the pattern is seldom asked.
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && is_other_digit(c))
}

fn is_other_digit(c: char) -> bool {
    DIGIT.is_match(c.encode_utf8(&mut [0; 4]))
}

/// The number in a mark such as `[12]` that a text begins with, and the rest behind the mark.
pub(super) fn mark(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?;
    let number = digits(inside);
    let rest = inside[number.len()..].strip_prefix(']')?;
    (!number.is_empty()).then_some((number, rest))
}

/// The numbers of all marks of a text, in their order.
pub(super) fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('[')
        .filter_map(|(at, _)| mark(&text[at..]).map(|(number, _)| number))
}

/// The text with something else in place of each group: `end` says where the group that begins at
/// a byte ends. Groups do not overlap, and the first one counts.
pub(super) fn replaced(
    text: &str,
    opening: &str,
    with: &str,
    mut end: impl FnMut(usize) -> Option<usize>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(opening) {
        if at < done {
            continue;
        }
        if let Some(end) = end(at) {
            out.push_str(&text[done..at]);
            out.push_str(with);
            done = end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// The next place of an ASCII character, for callers that only go forward: the text is searched
/// once, however often they ask.
pub(super) struct Next<'a> {
    text: &'a [u8],
    wanted: u8,
    place: usize,
}

impl<'a> Next<'a> {
    /// A search that has not looked at anything yet.
    pub(super) fn new(text: &'a str, wanted: u8) -> Self {
        let text = text.as_bytes();
        let place = place(text, wanted, 0);
        Self {
            text,
            wanted,
            place,
        }
    }

    /// The first place at `from` or behind it; `from` never decreases.
    pub(super) fn from(&mut self, from: usize) -> Option<usize> {
        if self.place < from {
            self.place = place(self.text, self.wanted, from);
        }
        (self.place < self.text.len()).then_some(self.place)
    }
}

fn place(text: &[u8], wanted: u8, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.iter()
        .position(|byte| *byte == wanted)
        .map_or(text.len(), |at| from + at)
}
