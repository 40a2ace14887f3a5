//! Sentences: phrases are split where a sentence ends, and fragments are joined. Times inside a
//! phrase are those of its tokens, and a cut moves to the next pause.

use std::ops::Range;

use super::{
    audio::{SAMPLE_RATE, time_of},
    language::tag::Language,
    phrase::PlacedPhrase,
    speech::activity::SpeechActivity,
};
use crate::data::{Ms, Segment, transcript::Word};

/// Longest pause (in samples) within a sentence: after a longer one another person may speak.
const MAX_JOIN_PAUSE: usize = SAMPLE_RATE;
/// Samples of a step of Whisper's time stamps: no two words begin within less.
const STAMP_STEP: usize = SAMPLE_RATE / 50;
/// Longest sentence (in samples) that joining may make.
const MAX_JOINED: usize = 20 * SAMPLE_RATE;

/// The sentences of `phrases`, in order, not overlapping; with the times of their words if
/// `word_times`.
pub fn from_phrases(
    phrases: &[PlacedPhrase],
    activity: &SpeechActivity,
    language: &Language,
    word_times: bool,
) -> Vec<Segment> {
    let mut sentences: Vec<PlacedPhrase> = Vec::new();
    for part in phrases.iter().flat_map(|phrase| split(phrase, activity)) {
        match sentences.last_mut() {
            Some(last) if belong_together(last, &part, language) => join(last, &part, language),
            _ => sentences.push(part),
        }
    }
    segments(&sentences, activity, language, word_times)
}

fn segments(
    sentences: &[PlacedPhrase],
    activity: &SpeechActivity,
    language: &Language,
    word_times: bool,
) -> Vec<Segment> {
    let mut end = Ms(0);
    let mut segments = Vec::new();
    for sentence in sentences {
        let text = language.to_script(sentence.text.trim());
        if text.is_empty() {
            continue;
        }
        let start = time_of(sentence.range.start).max(end);
        end = time_of(sentence.range.end).max(start);
        let words = if word_times {
            words(sentence, activity, language, start..end)
        } else {
            Vec::new()
        };
        segments.push(Segment {
            start,
            end,
            text,
            // Three decimals: a transcript is compared byte by byte, and more digits say nothing.
            confidence: (sentence.confidence * 1000.0).round() / 1000.0,
            speaker: None,
            words,
        });
    }
    segments
}

/// The words of a sentence, each from its first token to the next word's, without the silence at
/// its ends.
fn words(
    sentence: &PlacedPhrase,
    activity: &SpeechActivity,
    language: &Language,
    within: Range<Ms>,
) -> Vec<Word> {
    let starts = word_starts(sentence, language);
    // The previous sentence may have ended later than this one's sound begins.
    let begin = (within.start.0 as usize * SAMPLE_RATE / 1000).min(sentence.range.end);
    let anchors = anchors(sentence, begin);
    let mut words = Vec::new();
    for (i, &byte) in starts.iter().enumerate() {
        let next = starts.get(i + 1).copied().unwrap_or(sentence.text.len());
        let text = language.to_script(sentence.text[byte..next].trim());
        if text.is_empty() {
            continue;
        }
        let samples = sample_of(&anchors, byte)..sample_of(&anchors, next);
        let voiced = activity.trimmed(&samples);
        words.push(Word {
            start: time_of(voiced.start).clamp(within.start, within.end),
            end: time_of(voiced.end).clamp(within.start, within.end),
            text,
        });
    }
    words
}

/// The bytes of a sentence where a word begins.
fn word_starts(sentence: &PlacedPhrase, language: &Language) -> Vec<usize> {
    let mut starts = Vec::new();
    let first_token = sentence.token_starts.first();
    // A cut went through the first token: the rest of it has no start of its own.
    if first_token.is_none_or(|(byte, _)| *byte > 0) {
        starts.push(0);
    }
    starts.extend(sentence.token_starts.iter().map(|(byte, _)| *byte));
    starts.retain(|&byte| is_word_start(&sentence.text, byte, language));
    starts
}

fn is_word_start(text: &str, byte: usize, language: &Language) -> bool {
    let (before, token) = text.split_at(byte);
    let is_spaced = token.starts_with(char::is_whitespace) || before.ends_with(char::is_whitespace);
    let is_character = language.is_unspaced() && token.starts_with(char::is_alphanumeric);
    before.is_empty() || is_spaced || is_character
}

/// Bytes of a sentence whose sample is known: its ends, and the tokens that begin inside it and at
/// least a step after the one before.
fn anchors(sentence: &PlacedPhrase, begin: usize) -> Vec<(usize, usize)> {
    let mut anchors = vec![(0, begin)];
    let (mut last_byte, mut last_sample) = (0, begin);
    for &(byte, sample) in &sentence.token_starts {
        let is_inside = byte > last_byte && byte < sentence.text.len();
        if is_inside && (last_sample + STAMP_STEP..sentence.range.end).contains(&sample) {
            anchors.push((byte, sample));
            (last_byte, last_sample) = (byte, sample);
        }
    }
    anchors.push((sentence.text.len(), sentence.range.end));
    anchors
}

/// The sample of a byte: its anchor's, or between two anchors by its share of the bytes.
fn sample_of(anchors: &[(usize, usize)], byte: usize) -> usize {
    let next = anchors
        .partition_point(|(anchor, _)| *anchor < byte)
        .clamp(1, anchors.len() - 1);
    let ((from, start), (to, end)) = (anchors[next - 1], anchors[next]);
    start + (end - start) * (byte - from) / (to - from).max(1)
}

/// Whether two parts are fragments of one sentence.
fn belong_together(last: &PlacedPhrase, next: &PlacedPhrase, language: &Language) -> bool {
    let is_near = next.range.start.saturating_sub(last.range.end) <= MAX_JOIN_PAUSE;
    let is_short = next.range.end.saturating_sub(last.range.start) <= MAX_JOINED;
    is_near && is_short && is_open(&last.text, language)
}

/// Whether a sentence may go on after this text.
fn is_open(text: &str, language: &Language) -> bool {
    let Some(end) = text.trim_end().chars().last() else {
        return true;
    };
    if matches!(end, '，' | '、' | ',' | ';' | '；') {
        return true;
    }
    // Without spaces, Whisper often leaves out the marks at the ends of sentences.
    !language.is_unspaced() && !is_sentence_end(end) && !matches!(end, '"' | '”')
}

fn join(last: &mut PlacedPhrase, next: &PlacedPhrase, language: &Language) {
    let last_length = last.text.chars().count() as f64;
    let next_length = next.text.chars().count() as f64;
    last.confidence = (last.confidence * last_length + next.confidence * next_length)
        / (last_length + next_length).max(1.0);
    last.range.end = last.range.end.max(next.range.end);
    let gap = if language.is_unspaced() { "" } else { " " };
    let trimmed = next.text.trim_start();
    last.text.truncate(last.text.trim_end().len());
    // Starts of tokens that were trimmed off have no place any more.
    last.token_starts
        .retain(|(byte, _)| *byte < last.text.len());
    let offset = last.text.len() + gap.len();
    let trimmed_off = next.text.len() - trimmed.len();
    last.token_starts.extend(
        next.token_starts
            .iter()
            .map(|&(byte, sample)| (offset + byte.saturating_sub(trimmed_off), sample)),
    );
    last.text.push_str(gap);
    last.text.push_str(trimmed);
}

/// The sentences of one phrase.
fn split(phrase: &PlacedPhrase, activity: &SpeechActivity) -> Vec<PlacedPhrase> {
    let cuts = sentence_ends(&phrase.text);
    let mut parts = Vec::new();
    let (mut byte, mut sample) = (0, phrase.range.start);
    for (i, &cut) in cuts.iter().enumerate() {
        let begin = first_token_sample(phrase, cut);
        // Not beyond the sentence that begins here: a longer pause behind it belongs to the next
        // cut.
        let until = cuts.get(i + 1).map_or(phrase.range.end, |&next| {
            usize::midpoint(begin, first_token_sample(phrase, next))
        });
        let pause = activity
            .pause_near(begin, &(sample..until.max(sample)))
            .clamp(sample, phrase.range.end);
        parts.push(part(activity, phrase, sample..pause, byte..cut));
        (byte, sample) = (cut, pause);
    }
    let rest = sample..phrase.range.end;
    parts.push(part(activity, phrase, rest, byte..phrase.text.len()));
    parts
}

/// The sample of the first token from this byte on.
fn first_token_sample(phrase: &PlacedPhrase, from: usize) -> usize {
    phrase.token_starts[tokens_before(phrase, from)..]
        .first()
        .map_or(phrase.range.end, |(_, sample)| *sample)
}

/// How many tokens begin before this byte. They are in order, and a phrase may have many sentences.
fn tokens_before(phrase: &PlacedPhrase, byte: usize) -> usize {
    phrase.token_starts.partition_point(|(at, _)| *at < byte)
}

fn part(
    activity: &SpeechActivity,
    phrase: &PlacedPhrase,
    range: Range<usize>,
    text: Range<usize>,
) -> PlacedPhrase {
    PlacedPhrase {
        range: activity.trimmed(&range),
        token_starts: phrase.token_starts
            [tokens_before(phrase, text.start)..tokens_before(phrase, text.end)]
            .iter()
            .map(|&(byte, sample)| (byte - text.start, sample))
            .collect(),
        text: phrase.text[text].into(),
        confidence: phrase.confidence,
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
        // A sentence has letters, and so has what follows it.
        if ends_sentence(&text[..at], c, next)
            && text[after..].chars().any(char::is_alphanumeric)
            && text[..at].chars().any(char::is_alphanumeric)
        {
            ends.push(after);
        }
    }
    ends
}

/// Whether a sentence ends with `mark`, between `before` and `next`.
fn ends_sentence(before: &str, mark: char, next: char) -> bool {
    // Of several marks in a row the last one ends it.
    if !is_sentence_end(mark) || is_sentence_end(next) {
        return false;
    }
    let is_wide = matches!(mark, '。' | '？' | '！');
    is_wide && !matches!(next, '”' | '」' | '）')
        || next.is_whitespace() && !is_abbreviation(before)
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
    // "No." ends a sentence more often than it abbreviates "number", unless it is in small letters.
    let is_listed = SHORT.contains(&word.as_str()) && !before.ends_with("No");
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_listed || is_initial && word != "i"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::speech::activity::FRAME;

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
        let frames = 30 * SAMPLE_RATE / FRAME;
        let activity = SpeechActivity::from_frames(vec![0.0; frames], vec![-80.0; frames]);
        let language = Language::parse("en").expect("known");
        let placed = |from: usize, to: usize, text: &str| PlacedPhrase {
            range: from * SAMPLE_RATE..to * SAMPLE_RATE,
            text: text.into(),
            token_starts: Vec::new(),
            confidence: 0.5,
        };
        let parts = [
            placed(0, 2, " The wind"),
            placed(2, 4, " was light."),
            placed(4, 6, " And"),
            placed(9, 12, " so on."),
        ];
        let texts: Vec<String> = from_phrases(&parts, &activity, &language, false)
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
        let activity = SpeechActivity::from_frames((0..300).map(voice).collect(), vec![-20.0; 300]);
        let language = Language::parse("en").expect("known");
        let placed =
            |range: Range<usize>, text: &str, token_starts: &[(usize, usize)]| PlacedPhrase {
                range,
                text: text.into(),
                token_starts: token_starts.to_vec(),
                confidence: 0.5,
            };
        let begin = [(0, 0), (4, 8_000), (9, 24_000), (10, 24_400), (13, 40_000)];
        let parts = [
            placed(0..48_000, " The wind. It is", &begin),
            placed(48_000..72_000, " cold.", &[(0, 48_000), (5, 70_000)]),
        ];
        let found = from_phrases(&parts, &activity, &language, true);
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
        let found = from_phrases(&[late], &activity, &language, true);
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
        let found = from_phrases(&wide, &activity, &chinese, true);
        let texts: Vec<&str> = found[0]
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        assert_eq!(
            (found[0].text.as_str(), texts),
            ("好，a", vec!["好，", "a"]),
            "wide spaces go with their token_starts"
        );
    }
}
