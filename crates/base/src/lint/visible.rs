//! The characters of a report that state something: blanks stand for code, references and marks of
//! citations, so that places stay those of the report.

use std::ops::Range;

use crate::citations::{Citations, Style};

/// The characters of a report in plain forms. A name before a year is part of its sentence, and so is
/// the text of a link of which `is_part` says so, given the characters and where the link begins.
pub fn chars(
    report: &str,
    without_code: &str,
    cited: &Citations,
    plain: impl Fn(char) -> char,
    is_part: impl Fn(&[char], usize) -> bool,
) -> Vec<char> {
    let hidden = without_code.as_bytes();
    let mut chars: Vec<char> = report
        .char_indices()
        .map(|(at, c)| match hidden.get(at) {
            Some(b' ') => ' ',
            _ => plain(c),
        })
        .collect();
    for reference in &cited.references {
        blank(&mut chars, reference.start..reference.end);
    }
    let mut done = 0;
    for citation in &cited.citations {
        // The marks of several citations are one place.
        if citation.start >= done {
            done = citation.end;
            let place = citation.start..citation.end;
            blank_mark(&mut chars, place, citation.style, &is_part);
        }
    }
    chars
}

fn blank(chars: &mut [char], range: Range<usize>) {
    let end = range.end.min(chars.len());
    for c in &mut chars[range.start.min(end)..end] {
        if *c != '\n' {
            *c = ' ';
        }
    }
}

fn blank_mark(
    chars: &mut [char],
    range: Range<usize>,
    style: Style,
    is_part: impl Fn(&[char], usize) -> bool,
) {
    let end = range.end.min(chars.len());
    let range = range.start.min(end)..end;
    match style {
        Style::AuthorYear if !chars[range.clone()].starts_with(&['(']) => {}
        Style::Link if is_part(chars, range.start) => {
            let text_end = chars[range.clone()].iter().rposition(|c| *c == ']');
            let text_end = text_end.map_or(range.end, |at| range.start + at);
            blank(chars, range.start..range.start + 1);
            blank(chars, text_end..range.end);
        }
        _ => blank(chars, range),
    }
}
