//! The addresses behind an article's numbers, as Wiki Live Challenge reads them: one notation for
//! the whole article, the first of six in which anything is found. Its faults stay: entries in
//! another notation are lost, and addresses are cut at a closing parenthesis ([`super::loss`]).

use std::collections::{BTreeMap, BTreeSet};

use super::header::{self, Header};
use super::scan::{Next, digits, is_address, is_space, lines, mark, marks, replaced, trim};

/// Notation of an article's references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// `[[n](url)]`, anywhere in the text.
    Inline,
    /// A line with `[n]`, and the address alone on the next line.
    TwoLines,
    /// `[n] url`.
    Address,
    /// `[n] title: url`.
    Colon,
    /// `[n] title (url)`, also `[n] [title](url)`.
    Parentheses,
    /// `n. [title](url)`.
    NumberedLink,
}

/// Writer of an article, by the notation of its references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// References as Gemini's Deep Research exports them.
    Gemini,
    /// References as Doubao writes them; others write so, too.
    Doubao,
    /// References as `LangChain`'s agents write them.
    Langchain,
    /// Another notation that can be read.
    Standard,
    /// Nothing that can be read.
    Unknown,
}

impl Format {
    /// The name in the benchmark.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Doubao => "doubao",
            Self::Langchain => "langchain",
            Self::Standard => "standard",
            Self::Unknown => "unknown",
        }
    }
}

/// A number with its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Digits, as in the brackets.
    pub number: &'a str,
    /// The address, as it was cut.
    pub url: &'a str,
    /// Byte that the address begins at.
    pub(super) start: usize,
}

/// The references of an article.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References<'a> {
    /// The notation that yielded them; none where nothing did.
    pub notation: Option<Notation>,
    /// A number each, in the order in which the numbers were first met, with the last address.
    pub entries: Vec<Entry<'a>>,
}

impl References<'_> {
    /// The address behind a number.
    pub fn url(&self, number: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        entries
            .find(|entry| entry.number == number)
            .map(|entry| entry.url)
    }
}

/// Numbers of an article by whether they lead to an address, each in order of appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// Cited in the text, with an address.
    pub valid: Vec<String>,
    /// Cited in the text, without one.
    pub missing: Vec<String>,
    /// With an address, never cited.
    pub unused: Vec<String>,
}

/// The references of an article.
pub fn parse(text: &str) -> References<'_> {
    let inline = inline(text);
    if !inline.is_empty() {
        return references(Notation::Inline, inline);
    }
    let Some(header) = header::find(text) else {
        return References::default();
    };
    let readers: [(Notation, Read); 4] = [
        (Notation::Address, address),
        (Notation::Colon, colon),
        (Notation::Parentheses, parentheses),
        (Notation::NumberedLink, numbered_link),
    ];
    let two_lines = two_lines(text, header);
    if !two_lines.is_empty() {
        return references(Notation::TwoLines, two_lines);
    }
    readers
        .into_iter()
        .map(|(notation, read)| references(notation, each_line(text, header, read)))
        .find(|references| !references.entries.is_empty())
        .unwrap_or_default()
}

/// The text before the references, without marks such as `[1]`, with single spaces and at most one
/// empty line between paragraphs.
pub fn clean(text: &str) -> String {
    let body = body(text);
    let unmarked = replaced(body, "[", "", |at| {
        mark(&body[at..]).map(|(_, rest)| body.len() - rest.len())
    });
    trim(&at_most(&at_most(&unmarked, ' ', 1), '\n', 2)).to_owned()
}

/// Which numbers of an article lead to an address.
pub fn validate(text: &str) -> Validation {
    let references = parse(text);
    let known: BTreeSet<&str> = references.entries.iter().map(|e| e.number).collect();
    let mut cited = BTreeSet::new();
    let mut validation = Validation::default();
    for number in marks(body(text)).filter(|number| cited.insert(*number)) {
        let list = if known.contains(number) {
            &mut validation.valid
        } else {
            &mut validation.missing
        };
        list.push(number.to_owned());
    }
    let unused = references
        .entries
        .iter()
        .map(|e| e.number)
        .filter(|number| !cited.contains(number));
    validation.unused = unused.map(str::to_owned).collect();
    validation
}

/// Who writes references like these. The benchmark does not say how it tells; its stored articles
/// show the three agents' notations.
pub fn detect_format(text: &str) -> Format {
    match parse(text).notation {
        Some(Notation::Parentheses) => Format::Gemini,
        Some(Notation::Address) => Format::Doubao,
        Some(Notation::Colon) => Format::Langchain,
        Some(_) => Format::Standard,
        None => Format::Unknown,
    }
}

fn body(text: &str) -> &str {
    header::find(text).map_or(text, |header| &text[..header.start])
}

/// What a line of the references says.
struct Found<'a> {
    number: &'a str,
    /// The address, and how the line goes on.
    tail: &'a str,
    /// Bytes of the address.
    length: usize,
}

/// Each number once: the first mention gives the place, the last one the address.
fn references<'a>(notation: Notation, found: Vec<Entry<'a>>) -> References<'a> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut places = BTreeMap::new();
    for entry in found {
        if let Some(place) = places.get(entry.number) {
            entries[*place] = entry;
        } else {
            places.insert(entry.number, entries.len());
            entries.push(entry);
        }
    }
    References {
        notation: Some(notation),
        entries,
    }
}

/// `[[n](url)]`; the last bracket is not looked at, since an address may have been cut before it.
fn inline(text: &str) -> Vec<Entry<'_>> {
    let mut closing = Next::new(text, b')');
    let mut entries = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices('[') {
        if at < done {
            continue;
        }
        let link = mark(&text[at + 1..])
            .and_then(|(number, rest)| Some((number, rest.strip_prefix('(')?)))
            .filter(|(_, rest)| is_address(rest));
        let Some((number, rest)) = link else {
            continue;
        };
        let start = text.len() - rest.len();
        if let Some(end) = closing.from(start) {
            let url = &text[start..end];
            entries.push(Entry { number, url, start });
            done = end;
        }
    }
    entries
}

/// A line with numbers, and an address alone on the next. A line counts once, as the one or as the
/// other: of a list in which all lines end with a number, every second one is lost.
fn two_lines(text: &str, header: Header) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut lines = lines(&text[header.end..]).peekable();
    while let Some((_, line)) = lines.next() {
        let Some(&(at, next)) = lines.peek() else {
            break;
        };
        let url = trim(next);
        let is_bare = is_address(url) && !url.contains(is_space);
        if !is_bare || marks(line).next().is_none() {
            continue;
        }
        let before = next.len() - next.trim_start_matches(is_space).len();
        let start = header.end + at + before;
        entries.extend(marks(line).map(|number| Entry { number, url, start }));
        lines.next();
    }
    entries
}

/// A reader of single lines.
type Read = for<'a> fn(&'a str) -> Option<Found<'a>>;

/// What a reader of single lines finds in the references.
fn each_line(text: &str, header: Header, read: Read) -> Vec<Entry<'_>> {
    let found = lines(&text[header.end..]).filter_map(|(at, line)| {
        let found = read(line)?;
        let start = header.end + at + line.len() - found.tail.len();
        Some(Entry {
            number: found.number,
            url: &found.tail[..found.length],
            start,
        })
    });
    found.collect()
}

/// `[n] url`.
fn address(line: &str) -> Option<Found<'_>> {
    let (number, rest) = mark(line.trim_start_matches(is_space))?;
    let tail = rest.trim_start_matches(is_space);
    let parted = tail.len() < rest.len() && is_address(tail);
    parted.then(|| bare(number, tail))
}

/// `[n] title: url`.
fn colon(line: &str) -> Option<Found<'_>> {
    let (number, rest) = mark(line.trim_start_matches(is_space))?;
    let behind = rest.match_indices(':').map(|(at, _)| &rest[at + 1..]);
    let mut behind = behind.map(|tail| tail.trim_start_matches(is_space));
    behind
        .find(|tail| is_address(tail))
        .map(|tail| bare(number, tail))
}

/// An address that ends at white space. What closes parentheses at its end is taken off.
fn bare<'a>(number: &'a str, tail: &'a str) -> Found<'a> {
    let end = tail.find(is_space).unwrap_or(tail.len());
    let length = tail[..end].trim_end_matches(')').len();
    Found {
        number,
        tail,
        length,
    }
}

/// `[n] title (url)`, with or without backslashes before the brackets.
fn parentheses(line: &str) -> Option<Found<'_>> {
    let line = line.trim_start_matches(is_space);
    let inside = line.strip_prefix('\\').unwrap_or(line).strip_prefix('[')?;
    let number = digits(inside);
    let rest = &inside[number.len()..];
    let rest = rest.strip_prefix('\\').unwrap_or(rest).strip_prefix(']')?;
    let mut targets = rest.match_indices('(').map(|(at, _)| &rest[at + 1..]);
    enclosed(number, targets.find(|tail| is_address(tail))?)
}

/// `n. [title](url)`.
fn numbered_link(line: &str) -> Option<Found<'_>> {
    let line = line.trim_start_matches(is_space);
    let number = digits(line);
    let rest = line[number.len()..].strip_prefix('.')?;
    let title = rest.trim_start_matches(is_space).strip_prefix('[')?;
    let tail = title.split_once(']')?.1.strip_prefix('(')?;
    enclosed(number, Some(tail).filter(|tail| is_address(tail))?)
}

/// An address that ends at the first closing parenthesis, its own or not.
fn enclosed<'a>(number: &'a str, tail: &'a str) -> Option<Found<'a>> {
    let length = tail.find(')')?;
    (!number.is_empty()).then_some(Found {
        number,
        tail,
        length,
    })
}

/// The text with at most so many of a character in a row.
fn at_most(text: &str, of: char, most: usize) -> String {
    let mut run = 0;
    let keep = |c: &char| {
        run = if *c == of { run + 1 } else { 0 };
        run <= most
    };
    text.chars().filter(keep).collect()
}
