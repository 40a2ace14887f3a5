//! An article's running text and its sentences as Wiki Live Challenge compares them. Its faults
//! stay: a section named *Notes* is dropped whatever it holds, and a link goes with its label.

use super::scan::{Next, digits, is_space, replaced, trim};

/// Headings that begin a part without statements, in lower case.
const LEFT_OUT: [&str; 8] = [
    "references",
    "reference",
    "see also",
    "external links",
    "further reading",
    "notes",
    "bibliography",
    "sources",
];

/// The text without sections of references and their kin: each begins with a heading of exactly
/// such a name and ends at the next heading, whatever the levels of the two.
pub fn strip_references(text: &str) -> String {
    let mut kept = Vec::new();
    let mut skipping = false;
    for line in text.split('\n') {
        if let Some(title) = heading(line) {
            skipping = LEFT_OUT.contains(&title.to_lowercase().as_str());
        }
        if !skipping {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// The words of a line that is an ATX heading: one to six `#`, white space, words.
fn heading(line: &str) -> Option<&str> {
    let line = trim(line);
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = trim(rest);
    ((1..=6).contains(&level) && rest.starts_with(is_space) && !title.is_empty()).then_some(title)
}

/// The text without numbered citations, `[1]` and `[1, 2]`, and without the white space around it.
pub fn strip_citations(text: &str) -> String {
    let end = |at: usize| {
        let rest = numbers(&text[at..])?;
        Some(text.len() - rest.len())
    };
    trim(&replaced(text, "[", "", end)).to_owned()
}

/// What follows the group of numbers that a text begins with.
fn numbers(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('[')?;
    loop {
        rest = rest.trim_start_matches(is_space);
        let number = digits(rest);
        if number.is_empty() {
            return None;
        }
        rest = rest[number.len()..].trim_start_matches(is_space);
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return rest.strip_prefix(']'),
        }
    }
}

/// The sentences of an article: what the benchmark compares where no statements were extracted.
///
/// References, citations and links go first. A sentence ends at `.`, `!` or `?` before white space
/// and a capital letter, a digit or a bracket, but not behind a single capital letter.
pub fn split_sentences(text: &str) -> Vec<String> {
    let text = strip_citations(&strip_references(text));
    let plain = one_line(&without_brackets(&without_links(&text)));
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in plain.match_indices(['.', '!', '?']) {
        if ends_sentence(&plain, at) {
            sentences.push(plain[start..=at].to_owned());
            start = at + 2;
        }
    }
    if start < plain.len() {
        sentences.push(plain[start..].to_owned());
    }
    sentences
}

/// The text with a space in place of images, links with their labels, what is left of broken
/// links, and addresses in parentheses, one kind after the other.
fn without_links(text: &str) -> String {
    let images = replace_links(text, "![", 2);
    let links = replace_links(&images, "[", 1);
    let rests = replace_parentheses(&links, "](", 2, &[""]);
    replace_parentheses(&rests, "(", 1, &["http", "www."])
}

fn replace_links(text: &str, opening: &str, length: usize) -> String {
    let (mut label, mut target) = (Next::new(text, b']'), Next::new(text, b')'));
    replaced(text, opening, " ", |at| {
        let inside = label.from(at + length)? + 1;
        let address = text[inside..].strip_prefix('(')?;
        Some(target.from(text.len() - address.len())? + 1)
    })
}

fn replace_parentheses(text: &str, opening: &str, length: usize, begins: &[&str]) -> String {
    let mut closing = Next::new(text, b')');
    replaced(text, opening, " ", |at| {
        let inside = &text[at + length..];
        let fits = begins.iter().any(|begin| inside.starts_with(begin));
        fits.then(|| closing.from(at + length))?.map(|at| at + 1)
    })
}

fn without_brackets(text: &str) -> String {
    let mut closing = Next::new(text, b']');
    replaced(text, "[", " ", |at| closing.from(at).map(|at| at + 1))
}

fn one_line(text: &str) -> String {
    let words = text.split(is_space).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the mark at a byte of a text in one line ends a sentence.
fn ends_sentence(text: &str, at: usize) -> bool {
    let begins = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '[';
    let next = text[at + 1..].strip_prefix(' ');
    next.is_some_and(|next| next.starts_with(begins)) && !is_initial(&text[..at])
}

/// Whether a text ends with a single capital letter that begins a word: `J` of `J. Ortiz`.
fn is_initial(text: &str) -> bool {
    let mut before = text.chars().rev();
    before.next().is_some_and(|c| c.is_ascii_uppercase())
        && !before
            .next()
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
}
