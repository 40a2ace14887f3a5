//! Marks of citations within the text of a report: what of a text is a mark, and not a part of a
//! sentence.

use std::ops::Range;

use super::lines::{Line, kind};
use crate::citations::{Citation, Style};

pub fn is_listed(citation: &Citation) -> bool {
    citation.style == Style::ReferenceOnly
}

/// The text with blanks for marks, so that a sentence ends before those behind its full stop, and
/// letters for links, because their addresses have stops and question marks of their own. A link
/// that only says where a sentence comes from is a mark, too: in brackets, or alone behind a full
/// stop. Line breaks are blanks: within a block they end nothing.
pub fn without_marks(chars: &[char], citations: &[Citation]) -> Vec<char> {
    let mut plain: Vec<char> = chars
        .iter()
        .map(|c| if *c == '\n' { ' ' } else { *c })
        .collect();
    let links: Vec<Range<usize>> = citations
        .iter()
        .filter(|citation| is_link(citation))
        .map(|citation| citation.start..citation.end)
        .collect();
    for citation in citations.iter().filter(|citation| !is_listed(citation)) {
        let place = citation.start..citation.end;
        let named = chars[place.start].is_alphanumeric();
        let mark = match citation.style {
            Style::Numbered | Style::Footnote => Some(place.clone()),
            // `Smith (2020)` is a part of its sentence, `(Smith, 2020)` is not.
            Style::AuthorYear => (!named).then(|| place.clone()),
            Style::Link | Style::Bare | Style::ReferenceOnly => {
                source_mark(chars, &links, place.clone())
            }
        };
        // Before a full stop a mark is the last word: "by 7 m [1]." ends a sentence, where "7 m ."
        // would be an abbreviation.
        let ends = |at: usize| chars.get(at).is_some_and(|next| is_stop(*next));
        match mark {
            Some(mark) if !ends(mark.end) => plain[mark].fill(' '),
            _ => plain[place].fill('x'),
        }
    }
    plain
}

pub fn is_link(citation: &Citation) -> bool {
    matches!(citation.style, Style::Link | Style::Bare)
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '。' | '!' | '?' | '！' | '？')
}

/// Words before a link that say that it is a source.
const LABELS: [&str; 12] = [
    "source",
    "sources",
    "see",
    "via",
    "ref",
    "reference",
    "link",
    "url",
    "来源",
    "出处",
    "参见",
    "见",
];

/// The place of a link with its brackets and its label, if it only names the source of a sentence:
/// it stands in brackets, or between a full stop and the end of its line or block. `links` are all
/// links in order.
fn source_mark(
    chars: &[char],
    links: &[Range<usize>],
    place: Range<usize>,
) -> Option<Range<usize>> {
    let (from, opened) = start_of_mark(chars, links, place.start);
    let (mut to, closed) = end_of_mark(chars, links, place.end);
    let behind = from == 0 || is_stop(chars[from - 1]) || is_start_of_block(&chars[..from]);
    let is_end = |at: usize| chars.get(at).is_none_or(|next| *next == '\n');
    let last = is_end(to) || is_stop(chars[to]) && is_end(to + 1);
    let is_mark = opened && closed || behind && last;
    // Blanks behind it stay, so that the next sentence begins where it did.
    while to > place.end && chars[to - 1].is_whitespace() {
        to -= 1;
    }
    if behind && chars.get(to).is_some_and(|next| is_stop(*next)) {
        to += 1;
    }
    is_mark.then_some(from..to)
}

/// Where a mark begins whose link begins at `from`, and whether a bracket opens it. Other links
/// beside it belong to it.
fn start_of_mark(chars: &[char], links: &[Range<usize>], mut from: usize) -> (usize, bool) {
    let mut opened = false;
    while let Some(before) = from.checked_sub(1).map(|at| chars[at]) {
        let earlier = &links[..links.partition_point(|link| link.start < from)];
        let nearest = earlier.last().map_or(0, |link| link.end);
        let between = matches!(
            before,
            ',' | ';' | '，' | '；' | '、' | '|' | '·' | ')' | '>'
        );
        let is_blank = before.is_whitespace() && !is_start_of_block(&chars[..from]);
        let is_open = matches!(before, '(' | '（' | '[' | '【' | '<');
        if nearest >= from {
            from = earlier[earlier.len() - 1].start;
        } else if is_open || is_blank || between && nearest + NEAR >= from {
            opened |= is_open;
            from -= 1;
        } else if let Some(length) = label_before(&chars[..from]) {
            from -= length;
        } else {
            break;
        }
    }
    (from, opened)
}

/// Where a mark ends whose link ends at `to`, and whether a bracket closes it.
fn end_of_mark(chars: &[char], links: &[Range<usize>], mut to: usize) -> (usize, bool) {
    let mut closed = false;
    while let Some(next) = chars.get(to) {
        let later = &links[links.partition_point(|link| link.start < to)..];
        let nearest = later.first().map_or(usize::MAX, |link| link.start);
        let between = matches!(
            next,
            ',' | ';' | '，' | '；' | '、' | '(' | '（' | '|' | '·'
        );
        if nearest == to {
            to = later[0].end;
        } else if matches!(next, ')' | '）' | ']' | '】' | '>') {
            closed = true;
            to += 1;
        } else if matches!(next, ' ' | '\t') || between && nearest <= to + NEAR {
            to += 1;
        } else {
            break;
        }
    }
    (to, closed)
}

/// Characters between two links that stand together.
const NEAR: usize = 3;

/// Whether a block begins behind these characters: they end with an empty line, or with the mark of
/// a list item.
fn is_start_of_block(before: &[char]) -> bool {
    let line = before
        .iter()
        .rposition(|c| *c == '\n')
        .map_or(0, |at| at + 1);
    let (kind, skipped) = kind(&before[line..]);
    match kind {
        Line::Item => skipped == before.len() - line,
        Line::Empty => {
            let blank = before.iter().rev().take_while(|c| c.is_whitespace());
            line == 0 || blank.filter(|c| **c == '\n').count() > 1
        }
        Line::Text | Line::Heading | Line::Row => false,
    }
}

/// How many characters a label with its colon takes that these characters end with.
fn label_before(before: &[char]) -> Option<usize> {
    let (_, before) = before
        .split_last()
        .filter(|(c, _)| matches!(c, ':' | '：'))?;
    let word: Vec<char> = before
        .iter()
        .rev()
        .take_while(|c| c.is_alphanumeric())
        .copied()
        .collect();
    let word: String = word.into_iter().rev().collect();
    let known = LABELS.contains(&word.to_lowercase().as_str());
    known.then(|| word.chars().count() + 1)
}
