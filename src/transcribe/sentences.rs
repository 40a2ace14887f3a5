//! Whisper's segments become sentences: long ones are split where a sentence ends, fragments are joined.
//! Times inside a segment follow the voice: text is spread over the voiced frames, and a cut goes to the next pause.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::{Ms, Segment};

use super::{language::Language, sound::RATE, vad::Hearing};

/// Words at their place in the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Samples of the recording.
    pub range: Range<usize>,
    /// The words.
    pub text: String,
    /// Mean probability of the tokens.
    pub confidence: f64,
}

/// Fragments are not joined across a longer pause: somebody else may speak.
const JOIN_PAUSE: usize = RATE;
/// Longest sentence that joining may make.
const LONGEST: usize = 20 * RATE;
/// A cut moves to a pause this near.
const SNAP: usize = RATE * 3 / 4;

/// The sentences of `placed`, in order, not overlapping.
pub fn of(placed: &[Placed], hearing: &Hearing, language: &Language) -> Vec<Segment> {
    let parts: Vec<Placed> = placed.iter().flat_map(|p| split(p, hearing)).collect();
    let mut joined: Vec<Placed> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if belongs(last, &part, language) => join(last, &part, language),
            _ => joined.push(part),
        }
    }
    in_order(&joined, language)
}

fn in_order(parts: &[Placed], language: &Language) -> Vec<Segment> {
    let mut end = Ms(0);
    let mut segments = Vec::new();
    for part in parts {
        let at = |sample: usize| Ms((sample as f64 * 1000.0 / RATE as f64).round() as u64);
        let text = language.in_script(part.text.trim());
        if text.is_empty() {
            continue;
        }
        let start = at(part.range.start).max(end);
        end = at(part.range.end).max(start);
        // Three decimals: a transcript is compared byte by byte, and more digits say nothing.
        let confidence = (part.confidence * 1000.0).round() / 1000.0;
        segments.push(Segment { start, end, text, confidence, speaker: None });
    }
    segments
}

fn belongs(last: &Placed, next: &Placed, language: &Language) -> bool {
    let near = next.range.start.saturating_sub(last.range.end) <= JOIN_PAUSE;
    let short = next.range.end.saturating_sub(last.range.start) <= LONGEST;
    let open = last.text.trim_end().chars().last().is_none_or(|end| {
        matches!(end, '，' | '、' | ',' | ';' | '；')
            || !language.is_unspaced() && !is_sentence_end(end) && !matches!(end, '"' | '”')
    });
    near && short && open
}

fn join(last: &mut Placed, next: &Placed, language: &Language) {
    let (a, b) = (last.text.chars().count() as f64, next.text.chars().count() as f64);
    last.confidence = (last.confidence * a + next.confidence * b) / (a + b).max(1.0);
    last.range.end = last.range.end.max(next.range.end);
    let gap = if language.is_unspaced() { "" } else { " " };
    last.text = format!("{}{gap}{}", last.text.trim_end(), next.text.trim_start());
}

/// The sentences of one segment.
fn split(placed: &Placed, hearing: &Hearing) -> Vec<Placed> {
    let cuts = sentence_ends(&placed.text);
    let total = placed.text.chars().count().max(1) as f64;
    let mut parts = Vec::new();
    let (mut byte, mut sample) = (0, placed.range.start);
    for cut in cuts {
        let share = placed.text[..cut].chars().count() as f64 / total;
        let at = hearing.place_of(&placed.range, share, SNAP).clamp(sample, placed.range.end);
        parts.push(part(hearing, placed, sample..at, byte..cut));
        (byte, sample) = (cut, at);
    }
    parts.push(part(hearing, placed, sample..placed.range.end, byte..placed.text.len()));
    parts
}

fn part(hearing: &Hearing, placed: &Placed, range: Range<usize>, text: Range<usize>) -> Placed {
    Placed { range: hearing.trimmed(&range), text: placed.text[text].into(), confidence: placed.confidence }
}

fn is_sentence_end(c: char) -> bool {
    matches!(c, '.' | '?' | '!' | '。' | '？' | '！' | '…')
}

/// Byte offsets after each sentence but the last.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = at + c.len_utf8();
        let Some(&(_, next)) = chars.peek() else { break };
        let wide = matches!(c, '。' | '？' | '！');
        let ends_here = is_sentence_end(c)
            && !is_sentence_end(next)
            && (wide && !matches!(next, '”' | '」' | '）') || next.is_whitespace() && !is_abbreviation(&text[..at]));
        if ends_here
            && text[after..].chars().any(char::is_alphanumeric)
            && text[..at].chars().any(char::is_alphanumeric)
        {
            ends.push(after);
        }
    }
    ends
}

fn is_abbreviation(before: &str) -> bool {
    const SHORT: [&str; 13] = ["dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "fig", "no", "al"];
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    // "No." ends a sentence more often than it abbreviates a number, unless it is written small.
    SHORT.contains(&word.as_str()) && !before.ends_with("No")
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::vad::FRAME;

    #[test]
    fn sentences_end_where_people_end_them() {
        let cut = |text: &str| -> Vec<String> {
            let mut parts = Vec::new();
            let mut from = 0;
            for end in sentence_ends(text) {
                parts.push(text[from..end].trim().to_owned());
                from = end;
            }
            parts.push(text[from..].trim().to_owned());
            parts
        };
        assert_eq!(cut(" Dr. Helen Marsh is here. Welcome."), ["Dr. Helen Marsh is here.", "Welcome."]);
        assert_eq!(cut("It was 0.89. Right? Yes..."), ["It was 0.89.", "Right?", "Yes..."]);
        assert_eq!(cut("会的。这正是我们的局限！"), ["会的。", "这正是我们的局限！"]);
        assert_eq!(cut("J. R. Smith"), ["J. R. Smith"]);
        assert_eq!(cut(""), [""]);
    }

    #[test]
    fn fragments_join_until_the_sentence_ends_or_somebody_pauses() {
        let frames = 30 * RATE / FRAME;
        let hearing = Hearing::of_frames(vec![0.0; frames], vec![-80.0; frames]);
        let language = Language::parse("en").expect("known");
        let placed = |from: usize, to: usize, text: &str| Placed {
            range: from * RATE..to * RATE,
            text: text.into(),
            confidence: 0.5,
        };
        let parts =
            [placed(0, 2, " The wind"), placed(2, 4, " was light."), placed(4, 6, " And"), placed(9, 12, " so on.")];
        let texts: Vec<String> = of(&parts, &hearing, &language).into_iter().map(|s| s.text).collect();
        assert_eq!(texts, ["The wind was light.", "And", "so on."]);
    }
}
