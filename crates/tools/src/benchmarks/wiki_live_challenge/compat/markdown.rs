//! The tidying that Wiki Live Challenge offers for downloaded articles. Its fault stays: a second
//! reference to an address is deleted, and its number leads nowhere; here those numbers are told.

use std::collections::BTreeSet;

use super::header;
use super::scan::{digits, is_address, is_space, mark, trim};

/// A tidied article.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// The article.
    pub text: String,
    /// Numbers of the references that were deleted.
    pub orphaned: Vec<String>,
}

/// A tidied article: headings `== H ==` in Markdown, no first line that only repeats the title,
/// references as `[n] x` with each address once, no white space at the ends of lines, at most one
/// empty line in a row.
pub fn tidy(text: &str) -> Tidied {
    let hashed: Vec<String> = text.split('\n').map(heading).collect();
    let text = without_repeated_title(&hashed).join("\n");
    let Some(header) = header::find(&text) else {
        return Tidied {
            text: spaced(&text),
            orphaned: Vec::new(),
        };
    };
    let mut tidied = Tidied::default();
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    for line in text[header.end..].split('\n') {
        let line = reference(line);
        match url(&line) {
            Some(url) if !seen.insert(url.to_owned()) => {
                tidied
                    .orphaned
                    .extend(mark(&line).map(|(number, _)| number.to_owned()));
            }
            _ => list.push(line),
        }
    }
    tidied.text = spaced(&format!("{}{}", &text[..header.end], list.join("\n")));
    tidied
}

/// The line, with `#` where it is a heading between two to four `=`.
fn heading(line: &str) -> String {
    let trimmed = trim(line);
    let inside = trimmed.trim_matches('=');
    let before = trimmed.len() - trimmed.trim_start_matches('=').len();
    let after = trimmed.len() - trimmed.trim_end_matches('=').len();
    let title = trim(inside);
    if before == after && (2..=4).contains(&before) && !title.is_empty() {
        format!("{} {title}", "#".repeat(before))
    } else {
        line.to_owned()
    }
}

/// The lines without the first one, if the next one with words is the title and says the same.
fn without_repeated_title(lines: &[String]) -> &[String] {
    let mut worded = lines
        .iter()
        .enumerate()
        .filter(|(_, l)| !trim(l).is_empty());
    let (Some((at, first)), Some((_, second))) = (worded.next(), worded.next()) else {
        return lines;
    };
    let title = trim(second).strip_prefix("# ").map(trim);
    let words = trim(trim(first).trim_start_matches('#'));
    if title == Some(words) {
        &lines[at + 1..]
    } else {
        lines
    }
}

/// A line of the references as `[n] x`.
fn reference(line: &str) -> String {
    let trimmed = line.trim_start_matches(is_space);
    let number = digits(trimmed);
    let dotted = trimmed[number.len()..]
        .strip_prefix('.')
        .filter(|rest| !number.is_empty() && rest.starts_with(is_space));
    let Some((number, rest)) = mark(trimmed).or(dotted.map(|rest| (number, rest))) else {
        return line.to_owned();
    };
    format!("[{number}] {}", rest.trim_start_matches(is_space))
}

/// The first address of a line.
fn url(line: &str) -> Option<&str> {
    let mut places = line.match_indices("http").map(|(at, _)| &line[at..]);
    let url = places.find(|rest| is_address(rest))?;
    let ends = |c: char| is_space(c) || matches!(c, ')' | ']' | '>');
    Some(&url[..url.find(ends).unwrap_or(url.len())])
}

/// The text without white space at the ends of its lines and without a second empty line in a row.
fn spaced(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for line in trim(text).split('\n') {
        let line = line.trim_end_matches(is_space);
        let second = line.is_empty() && out.last().is_some_and(|last| last.is_empty());
        if !second {
            out.push(line);
        }
    }
    out.join("\n")
}
