//! What the benchmark's reading loses of an article: text behind a word that it takes for the
//! beginning of the references, and the ends of addresses with parentheses.

use std::{collections::BTreeMap, ops::Range};

use super::citations::{Entry, Notation, parse};
use super::header::{self, Form};
use super::scan::{digits, is_space, lines, trim};

/// Text that is taken for references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostText {
    /// Its place in the article, in Unicode scalar values.
    pub range: Range<usize>,
    /// Length of the article, in Unicode scalar values.
    pub of: usize,
}

impl LostText {
    /// Share of the article.
    pub fn share(&self) -> f64 {
        self.range.len() as f64 / self.of.max(1) as f64
    }
}

/// The text of an article that the benchmark takes for references though it is none: it begins
/// where a sentence, a heading or a row of a table happens to end with the word, and ends where a
/// list of references begins.
///
/// A list of references begins with the word alone on its line, as a heading, in bold or plain, and
/// has entries; below a plain word they begin on the next line.
pub fn lost_text(text: &str) -> Option<LostText> {
    let header = header::find(text)?;
    let lists = lists(text);
    let start = header.start;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = lists
        .iter()
        .find(|at| **at >= line)
        .map_or(text.len(), |at| (*at).max(start));
    let lost = trim(&text[start..end]);
    if lost.is_empty() {
        return None;
    }
    let before = text[..start].chars().count();
    Some(LostText {
        range: before..before + lost.chars().count(),
        of: text.chars().count(),
    })
}

/// The bytes at which lists of references begin.
fn lists(text: &str) -> Vec<usize> {
    let mut lists = Vec::new();
    let (mut entry_below, mut any_entry) = (false, false);
    let lines: Vec<(usize, &str)> = lines(text).collect();
    for (at, line) in lines.into_iter().rev() {
        let marked = is_marked_title(line);
        if (marked && any_entry) || (is_title(line) && entry_below) {
            lists.push(at);
        }
        if !trim(line).is_empty() {
            entry_below = is_entry(line);
            any_entry |= entry_below;
        }
    }
    lists.reverse();
    lists
}

/// Whether a line is a list's name as a heading of any level or in bold, numbered or not.
fn is_marked_title(line: &str) -> bool {
    let line = trim(line);
    (line.starts_with('#') || line.starts_with("**")) && is_title(line)
}

/// Whether a line is a list's name and nothing else.
fn is_title(line: &str) -> bool {
    let marks = |c: char| is_space(c) || matches!(c, '#' | '*' | '_' | '.');
    let words = line.trim_start_matches(marks);
    let words = words[digits(words).len()..].trim_start_matches(marks);
    let words = words.trim_end_matches(|c| is_space(c) || matches!(c, '*' | '_' | ':' | '：'));
    header::announced(words, Form::Bare) == Some(0)
}

/// Whether a line can be an entry: it has an address, or begins with a number or a bullet.
fn is_entry(line: &str) -> bool {
    let begins = trim(line).trim_start_matches('\\');
    begins.starts_with(['[', '-', '*', '•'])
        || !digits(begins).is_empty()
        || line.contains("http://")
        || line.contains("https://")
}

/// An address that is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutUrl<'a> {
    /// Number of the reference.
    pub number: &'a str,
    /// The address as the benchmark reads it.
    pub read: &'a str,
    /// The address that the article has there, with its backslashes; none where the article itself
    /// has it cut.
    pub held: Option<&'a str>,
}

impl CutUrl<'_> {
    /// The address that the article has there, without the backslashes that Markdown puts before
    /// punctuation.
    pub fn whole(&self) -> Option<String> {
        self.held.map(unescaped)
    }
}

/// Bytes of an address that are looked for behind the parenthesis where it was cut.
const MOST_MORE: usize = 500;

/// The addresses of an article that are cut at a parenthesis.
pub fn cut_urls(text: &str) -> Vec<CutUrl<'_>> {
    let references = parse(text);
    let Some(notation) = references.notation else {
        return Vec::new();
    };
    // Many numbers can share one long address.
    let mut seen = BTreeMap::new();
    let mut cut = Vec::new();
    for entry in references.entries {
        let (is_cut, held) = *seen
            .entry(entry.start)
            .or_insert_with(|| whole(text, &entry, notation));
        if is_cut {
            cut.push(CutUrl {
                number: entry.number,
                read: entry.url,
                held,
            });
        }
    }
    cut
}

/// Whether an address is cut, and all of it where the article has more.
fn whole<'a>(text: &'a str, entry: &Entry<'_>, notation: Notation) -> (bool, Option<&'a str>) {
    let end = text.floor_char_boundary(entry.start + entry.url.len() + MOST_MORE);
    let line = text[entry.start..end]
        .split('\n')
        .next()
        .unwrap_or_default();
    let held = match notation {
        Notation::Inline | Notation::Parentheses | Notation::NumberedLink => balanced(line),
        Notation::TwoLines | Notation::Address | Notation::Colon => token(line),
    };
    let held = held.filter(|held| held.len() > entry.url.len());
    (held.is_some() || is_open(entry.url), held)
}

/// The address up to the parenthesis that closes none of its own; a backslash takes a parenthesis
/// out of the count.
fn balanced(line: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => return Some(&line[..at]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The address up to white space, without parentheses at its end that close none of its own.
fn token(line: &str) -> Option<&str> {
    let mut url = line.split(is_space).next()?;
    let opening = url.matches('(').count();
    let mut closing = url.matches(')').count();
    while closing > opening && url.ends_with(')') {
        url = &url[..url.len() - 1];
        closing -= 1;
    }
    Some(url)
}

fn is_open(url: &str) -> bool {
    url.matches('(').count() > url.matches(')').count()
}

/// The address without the backslashes that Markdown puts before punctuation.
fn unescaped(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut chars = url.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        out.extend((!escapes).then_some(c));
        if escapes {
            out.extend(chars.next());
        }
    }
    out
}
