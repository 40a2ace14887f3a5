//! The text of an inspiration for its reviewer: type, summary, and each quote in context. Hides all
//! that could reveal other reviews.

use std::ops::Range;

use crate::{
    cli::ui::output::plain_rows,
    data::{Evidence, Fault, Inspiration, Reviewer, Transcript},
    text::{sentences, words::one_line},
};

/// Most characters on either side of a quote: recognisers do not always end a sentence.
const MOST: usize = 400;

/// The card, wrapped to the terminal.
pub fn text(inspiration: &Inspiration, transcript: &Transcript) -> String {
    let mut rows = plain_rows();
    rows.add_row(["type", inspiration.kind.label()]);
    rows.add_row(["idea", &one_line(&inspiration.text)]);
    for quote in in_context(transcript, &inspiration.evidence) {
        rows.add_row(["said", &quote]);
    }
    rows.trim_fmt()
}

/// What people said, for who settles it; their names say nothing.
pub fn said(inspiration: &Inspiration) -> String {
    let mut out = String::new();
    for review in &inspiration.reviews {
        if review.by == Reviewer::Person {
            let verdict = review.fault.map_or("accepted", Fault::label);
            out.push_str(&format!("\nsaid: {verdict}"));
        }
    }
    out
}

/// Each quote in brackets, with the sentence before and the sentence after.
pub fn in_context(transcript: &Transcript, evidence: &[Evidence]) -> Vec<String> {
    let text = transcript.text();
    let sentences = sentences::split(&text);
    let chars: Vec<char> = text.chars().collect();
    let evidence = evidence.iter();
    evidence
        .map(|of| with_neighbours(&chars, &sentences, of))
        .collect()
}

fn with_neighbours(text: &[char], sentences: &[Range<usize>], evidence: &Evidence) -> String {
    let (start, end) = (
        evidence.start_char.min(text.len()),
        evidence.end_char.min(text.len()),
    );
    let Range {
        start: from,
        end: to,
    } = neighbours(sentences, start..end);
    let before: String = text[from.max(start.saturating_sub(MOST))..start]
        .iter()
        .collect();
    let after: String = text[end..to.min(end + MOST)].iter().collect();
    one_line(&format!("{before}[{}]{after}", evidence.quote))
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
