//! A transcript as numbered sentences: the model answers with numbers, and a number stands for exact words at a time.

use std::ops::Range;

use serde::Serialize;

use crate::{
    data::{Evidence, Ms, Transcript},
    text::{
        sentences,
        words::{han_count, word_count},
    },
};

/// A quote has at least so many words …
const LEAST_WORDS: usize = 6;
/// … or Han characters.
const LEAST_HAN: usize = 12;

/// Sentences of a transcript, numbered from 1.
pub struct Numbered {
    chars: Vec<char>,
    sentences: Vec<Range<usize>>,
    /// First character and times of each segment.
    segments: Vec<(Range<usize>, Ms, Ms)>,
}

/// A sentence as the prompt shows it.
#[derive(Serialize)]
pub struct Line {
    number: usize,
    text: String,
}

impl Numbered {
    /// Splits a transcript. Sentences that are too short to be quoted are joined to the next one, or to the last.
    pub fn new(transcript: &Transcript) -> Self {
        let text = transcript.text();
        let chars: Vec<char> = text.chars().collect();
        let sentences = join_short(&chars, sentences::split(&text));
        let mut segments = Vec::new();
        let mut at = 0;
        for segment in &transcript.segments {
            let end = at + segment.text.chars().count();
            segments.push((at..end, segment.start, segment.end));
            at = end + 1;
        }
        Self { chars, sentences, segments }
    }

    /// Index ranges of windows of at most `size` sentences, of about equal length.
    pub fn windows(&self, size: usize) -> Vec<Range<usize>> {
        let total = self.sentences.len();
        let count = total.div_ceil(size.max(1));
        (0..count).map(|i| total * i / count..total * (i + 1) / count).collect()
    }

    /// The numbers of a window's sentences.
    pub fn numbers(&self, window: Range<usize>) -> Vec<usize> {
        window.map(|index| index + 1).collect()
    }

    /// A window's sentences, white space made single.
    pub fn lines(&self, window: Range<usize>) -> Vec<Line> {
        self.some_lines(&self.numbers(window))
    }

    /// The sentences with these numbers.
    pub fn some_lines(&self, numbers: &[usize]) -> Vec<Line> {
        numbers.iter().map(|&number| Line { number, text: self.text(number) }).collect()
    }

    /// A sentence's words in one line.
    pub fn text(&self, number: usize) -> String {
        let raw: String = self.chars[self.sentences[number - 1].clone()].iter().collect();
        raw.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether a sentence has this number.
    pub fn has(&self, number: usize) -> bool {
        (1..=self.sentences.len()).contains(&number)
    }

    /// The span from sentence `first` to sentence `last`, both existing, as evidence.
    pub fn evidence(&self, first: usize, last: usize) -> Evidence {
        let span = self.sentences[first - 1].start..self.sentences[last - 1].end;
        let (segment, start) = self.time_of(span.start);
        let (_, end) = self.time_of(span.end);
        let quote = self.chars[span.clone()].iter().collect();
        Evidence { segment, start_char: span.start, end_char: span.end, start, end, quote }
    }

    /// The segment of a character and its time, by its share of the segment's length.
    fn time_of(&self, at: usize) -> (usize, Ms) {
        let index = self.segments.partition_point(|(range, ..)| range.start <= at).saturating_sub(1);
        let Some((range, start, end)) = self.segments.get(index) else { return (0, Ms(0)) };
        let share = (at.saturating_sub(range.start)) as f64 / range.len().max(1) as f64;
        let within = (end.0.saturating_sub(start.0)) as f64 * share.min(1.0);
        (index, Ms(start.0 + within.round() as u64))
    }
}

fn join_short(chars: &[char], sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let long_enough = |range: &Range<usize>| {
        let text: String = chars[range.clone()].iter().collect();
        word_count(&text) >= LEAST_WORDS || han_count(&text) >= LEAST_HAN
    };
    let mut joined: Vec<Range<usize>> = Vec::new();
    for sentence in sentences {
        match joined.last_mut() {
            Some(last) if !long_enough(last) => last.end = sentence.end,
            _ => joined.push(sentence),
        }
    }
    if joined.len() >= 2 && joined.last().is_some_and(|last| !long_enough(last)) {
        let end = joined.pop().map_or(0, |last| last.end);
        if let Some(last) = joined.last_mut() {
            last.end = end;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ModelRef, Segment, SeminarId, TranscriptId};

    fn transcript(segments: &[(u64, u64, &str)]) -> Transcript {
        let segment = |&(start, end, text): &(u64, u64, &str)| Segment {
            start: Ms(start),
            end: Ms(end),
            text: text.to_owned(),
            confidence: 1.0,
        };
        Transcript {
            schema_version: 1,
            id: TranscriptId::of(&["x"]),
            seminar: SeminarId::of(&["x"]),
            path: "x.wav".into(),
            media_sha256: String::new(),
            duration: Ms(60_000),
            language: "en".into(),
            model: ModelRef { name: "tiny.en".into(), sha256: String::new() },
            parameters: serde_json::Value::Null,
            segments: segments.iter().map(segment).collect(),
        }
    }

    #[test]
    fn a_quote_is_the_transcripts_own_span() {
        let transcript = transcript(&[
            (0, 2000, "Yes. Handwriting is the reason why nobody"),
            (2000, 4000, "uses the logbooks today. The second sentence has seven words."),
        ]);
        let numbered = Numbered::new(&transcript);
        assert_eq!(numbered.numbers(0..2), [1, 2]);
        let evidence = numbered.evidence(1, 1);
        assert_eq!(evidence.quote, "Yes. Handwriting is the reason why nobody\nuses the logbooks today.");
        let text: String =
            transcript.text().chars().skip(evidence.start_char).take(evidence.end_char - evidence.start_char).collect();
        assert_eq!(text, evidence.quote);
        assert_eq!((evidence.segment, evidence.start), (0, Ms(0)));
        assert!(evidence.end > Ms(2000) && evidence.end < Ms(4000));
        assert_eq!(numbered.evidence(2, 2).end, Ms(4000));
    }

    #[test]
    fn windows_are_even_and_cover_everything() {
        let transcript = transcript(&[(0, 1000, &"One two three four five six. ".repeat(7))]);
        let windows = Numbered::new(&transcript).windows(3);
        assert_eq!(windows, [0..2, 2..4, 4..7]);
        assert!(Numbered::new(&transcript).windows(100).len() == 1);
    }
}
