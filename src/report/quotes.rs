//! Quotes with the sentences around them: a reviewer must see whether they say what is claimed.

use std::ops::Range;

use serde::Serialize;

use crate::{
    data::{Evidence, Ms, Transcript},
    text::{sentences, words::one_line},
};

/// Most characters on either side of a quote: recognisers do not always end a sentence.
const MOST: usize = 400;

/// A quote, with the sentence before and the sentence after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InContext {
    /// What is said before it.
    pub before: String,
    /// Its words.
    pub quote: String,
    /// What is said after it.
    pub after: String,
    /// When it begins.
    pub start: Ms,
    /// When it ends.
    pub end: Ms,
}

impl InContext {
    /// On one line, the quote in brackets.
    pub fn line(&self) -> String {
        one_line(&format!("{}[{}]{}", self.before, self.quote, self.after))
    }
}

/// Each quote with its neighbours.
pub fn in_context(transcript: &Transcript, evidence: &[Evidence]) -> Vec<InContext> {
    let text = transcript.text();
    let sentences = sentences::split(&text);
    let chars: Vec<char> = text.chars().collect();
    let evidence = evidence.iter();
    evidence
        .map(|of| with_neighbours(&chars, &sentences, of))
        .collect()
}

fn with_neighbours(text: &[char], sentences: &[Range<usize>], evidence: &Evidence) -> InContext {
    let (start, end) = (
        evidence.start_char.min(text.len()),
        evidence.end_char.min(text.len()),
    );
    let Range {
        start: from,
        end: to,
    } = neighbours(sentences, start..end);
    let before = &text[from.max(start.saturating_sub(MOST))..start];
    let after = &text[end..to.min(end + MOST)];
    InContext {
        before: before.iter().collect(),
        quote: evidence.quote.clone(),
        after: after.iter().collect(),
        start: evidence.start,
        end: evidence.end,
    }
}

/// From the start of the sentence before a span to the end of the sentence after it.
fn neighbours(sentences: &[Range<usize>], span: Range<usize>) -> Range<usize> {
    let begins_in = sentences
        .partition_point(|sentence| sentence.start <= span.start)
        .saturating_sub(1);
    let ends_in = sentences.partition_point(|sentence| sentence.end < span.end);
    let first = sentences
        .get(begins_in.saturating_sub(1))
        .map_or(span.start, |sentence| sentence.start);
    let last = sentences
        .get(ends_in + 1)
        .or(sentences.last())
        .map_or(span.end, |sentence| sentence.end);
    first.min(span.start)..last.max(span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_are_one_sentence_on_either_side() {
        let sentences = [0..10, 11..20, 21..30, 31..40];
        let check = |span, expect| assert_eq!(neighbours(&sentences, span), expect);
        check(11..20, 0..30);
        check(13..18, 0..30);
        check(11..30, 0..40);
        check(0..10, 0..20);
        check(31..40, 21..40);
        assert_eq!(neighbours(&[], 3..5), 3..5);
    }
}
