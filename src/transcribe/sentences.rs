//! Whisper's segments become sentences: long ones are split where a sentence ends, fragments are
//! joined. Times inside a segment are those of its tokens, and a cut goes to the next pause.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::{Ms, Segment, transcript::Word};

use super::{
    language::Language,
    sound::{RATE, at},
    vad::SpeechActivity,
};

/// Words at their place in the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Samples of the recording.
    pub range: Range<usize>,
    /// The words.
    pub text: String,
    /// The sample where each token begins, by its byte in the text.
    pub marks: Vec<(usize, usize)>,
    /// Mean probability of the tokens.
    pub confidence: f64,
}

/// Fragments are not joined across a longer pause: somebody else may speak.
const JOIN_PAUSE: usize = RATE;
/// A step of Whisper's time stamps: no two words begin within less.
const MOMENT: usize = RATE / 50;
/// Longest sentence that joining may make.
const LONGEST: usize = 20 * RATE;

/// The sentences of `placed`, in order, not overlapping; with the times of their words if those are
/// `timed`.
pub fn of(
    placed: &[Placed],
    hearing: &SpeechActivity,
    language: &Language,
    timed: bool,
) -> Vec<Segment> {
    let parts: Vec<Placed> = placed.iter().flat_map(|p| split(p, hearing)).collect();
    let mut joined: Vec<Placed> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if belongs(last, &part, language) => join(last, &part, language),
            _ => joined.push(part),
        }
    }
    in_order(&joined, hearing, language, timed)
}

fn in_order(
    parts: &[Placed],
    hearing: &SpeechActivity,
    language: &Language,
    timed: bool,
) -> Vec<Segment> {
    let mut end = Ms(0);
    let mut segments = Vec::new();
    for part in parts {
        let text = language.in_script(part.text.trim());
        if text.is_empty() {
            continue;
        }
        let start = at(part.range.start).max(end);
        end = at(part.range.end).max(start);
        // Three decimals: a transcript is compared byte by byte, and more digits say nothing.
        let confidence = (part.confidence * 1000.0).round() / 1000.0;
        let words = if timed {
            words(part, hearing, language, start..end)
        } else {
            Vec::new()
        };
        segments.push(Segment {
            start,
            end,
            text,
            confidence,
            speaker: None,
            words,
        });
    }
    segments
}

/// The words of a sentence, each from its first token to the next word's, without the silence at
/// its ends.
fn words(
    part: &Placed,
    hearing: &SpeechActivity,
    language: &Language,
    within: Range<Ms>,
) -> Vec<Word> {
    let begins = |byte: &usize| {
        let (before, token) = part.text.split_at(*byte);
        let is_apart =
            token.starts_with(char::is_whitespace) || before.ends_with(char::is_whitespace);
        let is_character = language.is_unspaced() && token.starts_with(char::is_alphanumeric);
        before.is_empty() || is_apart || is_character
    };
    // The end of a token that a cut went through begins a sentence without a mark.
    let first = std::iter::once(0).filter(|_| part.marks.first().is_none_or(|(byte, _)| *byte > 0));
    let starts: Vec<usize> = first
        .chain(part.marks.iter().map(|(byte, _)| *byte))
        .filter(begins)
        .collect();
    // The sentence before may have ended later than this one's sound begins.
    let begin = (within.start.0 as usize * RATE / 1000).min(part.range.end);
    let sample = samples_of(part, begin);
    let mut words = Vec::new();
    for (place, &byte) in starts.iter().enumerate() {
        let next = starts.get(place + 1).copied().unwrap_or(part.text.len());
        let text = language.in_script(part.text[byte..next].trim());
        if !text.is_empty() {
            let heard = hearing.trimmed(&(sample(byte)..sample(next)));
            let inside = |sample: usize| at(sample).clamp(within.start, within.end);
            words.push(Word {
                start: inside(heard.start),
                end: inside(heard.end),
                text,
            });
        }
    }
    words
}

/// Where each byte of a sentence that begins at `begin` is heard: at its mark, where that is inside
/// the sentence and a moment behind the one before; between two such by its share of the bytes.
fn samples_of(part: &Placed, begin: usize) -> impl Fn(usize) -> usize {
    let mut known = vec![(0, begin)];
    for &(byte, sample) in &part.marks {
        let (last, before) = known[known.len() - 1];
        if byte > last
            && byte < part.text.len()
            && (before + MOMENT..part.range.end).contains(&sample)
        {
            known.push((byte, sample));
        }
    }
    known.push((part.text.len(), part.range.end));
    move |byte| {
        let next = known
            .partition_point(|(known, _)| *known < byte)
            .clamp(1, known.len() - 1);
        let ((from, start), (to, end)) = (known[next - 1], known[next]);
        start + (end - start) * (byte - from) / (to - from).max(1)
    }
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
    let (a, b) = (
        last.text.chars().count() as f64,
        next.text.chars().count() as f64,
    );
    last.confidence = (last.confidence * a + next.confidence * b) / (a + b).max(1.0);
    last.range.end = last.range.end.max(next.range.end);
    let gap = if language.is_unspaced() { "" } else { " " };
    let trimmed = next.text.trim_start();
    last.text.truncate(last.text.trim_end().len());
    // Marks of what is cut off have no place any more.
    last.marks.retain(|(byte, _)| *byte < last.text.len());
    let (kept, cut) = (last.text.len() + gap.len(), next.text.len() - trimmed.len());
    last.marks.extend(
        next.marks
            .iter()
            .map(|&(byte, sample)| (kept + byte.saturating_sub(cut), sample)),
    );
    last.text.push_str(gap);
    last.text.push_str(trimmed);
}

/// The sentences of one segment.
fn split(placed: &Placed, hearing: &SpeechActivity) -> Vec<Placed> {
    let cuts = sentence_ends(&placed.text);
    let mut parts = Vec::new();
    let (mut byte, mut sample) = (0, placed.range.start);
    let begin = |cut: usize| {
        placed
            .marks
            .iter()
            .find(|(byte, _)| *byte >= cut)
            .map_or(placed.range.end, |(_, at)| *at)
    };
    for (place, &cut) in cuts.iter().enumerate() {
        // Not beyond the sentence that begins here: a longer pause behind it is the next cut's.
        let until = cuts.get(place + 1).map_or(placed.range.end, |next| {
            usize::midpoint(begin(cut), begin(*next))
        });
        let at = hearing
            .pause_near(begin(cut), &(sample..until.max(sample)))
            .clamp(sample, placed.range.end);
        parts.push(part(hearing, placed, sample..at, byte..cut));
        (byte, sample) = (cut, at);
    }
    parts.push(part(
        hearing,
        placed,
        sample..placed.range.end,
        byte..placed.text.len(),
    ));
    parts
}

fn part(
    hearing: &SpeechActivity,
    placed: &Placed,
    range: Range<usize>,
    text: Range<usize>,
) -> Placed {
    let marks = placed.marks.iter().filter(|(byte, _)| text.contains(byte));
    Placed {
        range: hearing.trimmed(&range),
        marks: marks
            .map(|&(byte, sample)| (byte - text.start, sample))
            .collect(),
        text: placed.text[text].into(),
        confidence: placed.confidence,
    }
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
        let Some(&(_, next)) = chars.peek() else {
            break;
        };
        let wide = matches!(c, '。' | '？' | '！');
        let ends_here = is_sentence_end(c)
            && !is_sentence_end(next)
            && (wide && !matches!(next, '”' | '」' | '）')
                || next.is_whitespace() && !is_abbreviation(&text[..at]));
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
    const SHORT: [&str; 13] = [
        "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "fig", "no", "al",
    ];
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_lowercase();
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
        assert_eq!(
            cut(" Dr. Helen Marsh is here. Welcome."),
            ["Dr. Helen Marsh is here.", "Welcome."]
        );
        assert_eq!(
            cut("It was 0.89. Right? Yes..."),
            ["It was 0.89.", "Right?", "Yes..."]
        );
        assert_eq!(
            cut("会的。这正是我们的局限！"),
            ["会的。", "这正是我们的局限！"]
        );
        assert_eq!(cut("J. R. Smith"), ["J. R. Smith"]);
        assert_eq!(cut(""), [""]);
    }

    #[test]
    fn fragments_join_until_the_sentence_ends_or_somebody_pauses() {
        let frames = 30 * RATE / FRAME;
        let hearing = SpeechActivity::of_frames(vec![0.0; frames], vec![-80.0; frames]);
        let language = Language::parse("en").expect("known");
        let placed = |from: usize, to: usize, text: &str| Placed {
            range: from * RATE..to * RATE,
            text: text.into(),
            marks: Vec::new(),
            confidence: 0.5,
        };
        let parts = [
            placed(0, 2, " The wind"),
            placed(2, 4, " was light."),
            placed(4, 6, " And"),
            placed(9, 12, " so on."),
        ];
        let texts: Vec<String> = of(&parts, &hearing, &language, false)
            .into_iter()
            .map(|s| s.text)
            .collect();
        assert_eq!(texts, ["The wind was light.", "And", "so on."]);
    }

    #[test]
    fn sentences_and_words_begin_where_their_tokens_do() {
        // Speech but for a pause from 1.6 to 2.4 s.
        let voice = |frame: usize| {
            if (100..150).contains(&frame) {
                0.0
            } else {
                0.9
            }
        };
        let hearing = SpeechActivity::of_frames((0..300).map(voice).collect(), vec![-20.0; 300]);
        let language = Language::parse("en").expect("known");
        let placed = |range: Range<usize>, text: &str, marks: &[(usize, usize)]| Placed {
            range,
            text: text.into(),
            marks: marks.to_vec(),
            confidence: 0.5,
        };
        let begin = [(0, 0), (4, 8_000), (9, 24_000), (10, 24_400), (13, 40_000)];
        let parts = [
            placed(0..48_000, " The wind. It is", &begin),
            placed(48_000..72_000, " cold.", &[(0, 48_000), (5, 70_000)]),
        ];
        let found = of(&parts, &hearing, &language, true);
        let at = |segment: &Segment| (segment.start.0, segment.end.0, segment.text.clone());
        assert_eq!(
            found.iter().map(at).collect::<Vec<_>>(),
            [
                (0, 1648, "The wind.".to_owned()),
                (2352, 4500, "It is cold.".to_owned()),
            ]
        );
        let words = |segment: &Segment| -> Vec<(u64, u64, String)> {
            segment
                .words
                .iter()
                .map(|w| (w.start.0, w.end.0, w.text.clone()))
                .collect()
        };
        let first: Vec<(u64, u64, String)> = words(&found[0]);
        assert_eq!(
            first,
            [(0, 500, "The".to_owned()), (500, 1648, "wind.".to_owned())]
        );
        assert_eq!(
            words(&found[1]),
            [
                (2352, 2500, "It".to_owned()),
                (2500, 3000, "is".to_owned()),
                (3000, 4500, "cold.".to_owned()),
            ]
        );

        // A mark before the sentence, two that stand still, and a token that a cut went through.
        let late = placed(
            32_000..48_000,
            "s It was so",
            &[(1, 30_000), (4, 40_000), (8, 40_000)],
        );
        let found = of(&[late], &hearing, &language, true);
        let words: Vec<(u64, u64, String)> = words(&found[0]);
        assert_eq!(
            words
                .iter()
                .map(|(.., text)| text.as_str())
                .collect::<Vec<_>>(),
            ["s", "It", "was", "so"]
        );
        assert!(words.iter().all(|(start, end, _)| start < end), "{words:?}");
        assert_eq!((words[2].0, words[3].1), (2500, 3000));

        let chinese = Language::parse("zh").expect("known");
        let wide = [
            placed(
                0..8_000,
                "好，\u{3000}\u{3000}",
                &[(0, 0), (3, 4_000), (6, 6_000), (9, 7_000)],
            ),
            placed(8_000..16_000, " a", &[(0, 8_000), (1, 9_000)]),
        ];
        let found = of(&wide, &hearing, &chinese, true);
        let texts: Vec<&str> = found[0]
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        assert_eq!(
            (found[0].text.as_str(), texts),
            ("好，a", vec!["好，", "a"]),
            "wide spaces go with their marks"
        );
    }
}
