//! The clauses of a sentence, and which of them limit another. Works on tokens.

use std::ops::Range;

use super::{
    token::{Token, What},
    vocabulary::{Class, class, limits as is_limit},
};

/// Most segments before one that say of what it is.
const MOST_SEGMENTS: usize = 16;
/// Most segments after one that limit it.
const MOST_LIMITS: usize = 8;

/// What a segment begins after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Start,
    Comma,
    /// A semicolon or a mark that ends sentences.
    Stop,
    Colon,
    /// "and", "which".
    Joint,
    /// "if", "after".
    Condition,
    /// It stands in brackets.
    Bracket,
}

/// A part of a sentence without marks in it, as a range of its tokens.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub tokens: Range<usize>,
    pub opening: Opening,
}

/// The segments of a sentence, none of them empty.
pub(super) fn split(tokens: &[Token]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let mut opening = Opening::Start;
    let mut end = |range: Range<usize>, opening: Opening| {
        if !range.is_empty() {
            segments.push(Segment {
                tokens: range,
                opening,
            });
        }
    };
    for (at, token) in tokens.iter().enumerate() {
        let next = match &token.what {
            What::Mark('(' | '（' | '[') => {
                depth += 1;
                Opening::Bracket
            }
            What::Mark(')' | '）' | ']') => {
                depth = depth.saturating_sub(1);
                if depth > 0 {
                    Opening::Bracket
                } else {
                    Opening::Comma
                }
            }
            _ if depth > 0 => continue,
            What::Mark(';' | '；' | '。' | '!' | '?' | '！' | '？') => Opening::Stop,
            What::Mark(':' | '：') => Opening::Colon,
            What::Mark(',' | '，' | '–' | '—' | '|') => Opening::Comma,
            What::Word { text, .. } => match class(text) {
                Some(Class::Joint) => Opening::Joint,
                Some(Class::Condition) => Opening::Condition,
                _ => continue,
            },
            _ => continue,
        };
        // "So that" is a joint.
        let joint = opening == Opening::Joint && start == at && next == Opening::Condition;
        end(start..at, opening);
        start = at + 1;
        opening = if joint { opening } else { next };
    }
    end(start..tokens.len(), opening);
    segments
}

/// The segments before one that say of what it is, too: all since the last semicolon, but for a new
/// clause after "and" only what stands at the sentence's beginning.
///
/// None where there are too many to say of one thing.
pub(super) fn context(tokens: &[Token], segments: &[Segment], place: usize) -> Option<Vec<usize>> {
    let nearest = place.saturating_sub(MOST_SEGMENTS);
    let near = &segments[nearest..=place];
    let stop = near
        .iter()
        .rposition(|segment| segment.opening == Opening::Stop);
    let first = nearest + stop.unwrap_or(0);
    if stop.is_none() && nearest > 0 {
        return None;
    }
    let all: Vec<usize> = (first..place).collect();
    let own = &tokens[segments[place].tokens.clone()];
    let is_new = match segments[place].opening {
        Opening::Joint => begins_clause(own, true),
        // A name after a colon may be one of a list.
        Opening::Colon => begins_clause(own, false),
        _ => false,
    };
    if !is_new {
        return Some(all);
    }
    let adjunct = |at: &&usize| {
        let own = &tokens[segments[**at].tokens.clone()];
        own.first().and_then(Token::word).is_some_and(is_limit)
    };
    Some(all.iter().take(1).filter(adjunct).copied().collect())
}

/// Whether a segment has a subject of its own: it begins with an article, or with a name.
fn begins_clause(own: &[Token], or_name: bool) -> bool {
    match own.first().map(|token| &token.what) {
        Some(What::Word { text, capital, .. }) => {
            (*capital && or_name) || matches!(text.as_str(), "the" | "a" | "an")
        }
        _ => false,
    }
}

/// The segments after one that limit it: what follows in brackets, "…, in real terms", "… if it
/// rains".
pub(super) fn limits(
    tokens: &[Token],
    segments: &[Segment],
    place: usize,
    date: bool,
) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, segment) in segments
        .iter()
        .enumerate()
        .skip(place + 1)
        .take(MOST_LIMITS)
    {
        let first = tokens[segment.tokens.start].word();
        let limiting = match segment.opening {
            Opening::Bracket => true,
            Opening::Comma => first.is_some_and(is_limit),
            Opening::Condition => !date,
            _ => false,
        };
        if !limiting {
            break;
        }
        found.push(at);
    }
    found
}
