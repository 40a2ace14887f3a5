//! One attempt to decode a window: its phrases at their places in the recording, without loops and
//! hallucinations, and the issues of the text that is left.

use crate::transcribe::{
    audio::{SAMPLE_RATE, time_of},
    language::tag::Language,
    phrase::{Phrase, PlacedPhrase, mean_logprob},
    quality::{
        diagnostics::{DoubtfulSpan, QualityIssue},
        hallucination::{self, PhraseEvidence},
        issues::WindowText,
        repetition, token_logprobs,
    },
    speech::{activity::SpeechActivity, windows::Window},
};

/// A window decoded once.
#[derive(Clone)]
pub struct Attempt {
    /// The window.
    pub window: Window,
    /// The text that is kept.
    pub phrases: Vec<PlacedPhrase>,
    /// Phrases that were dropped.
    pub dropped: usize,
    /// Whether there were phrases, and all were dropped as guesses.
    pub only_guesses: bool,
    /// Loops that were cut.
    pub loops: usize,
    /// Reasons to doubt the text.
    pub issues: Vec<QualityIssue>,
    /// Seconds of speech that are lost or cannot be believed.
    pub penalty: f64,
}

impl Attempt {
    /// Whether there is text, and no issue but that some may be missing.
    pub fn is_likely(&self) -> bool {
        !self.phrases.is_empty() && self.issues.iter().all(|issue| *issue == QualityIssue::Lost)
    }

    /// The window with its issues; none without issues.
    pub fn doubtful_span(&self) -> Option<DoubtfulSpan> {
        let (first, last) = (self.window.pieces.first()?, self.window.pieces.last()?);
        if self.issues.is_empty() {
            return None;
        }
        Some(DoubtfulSpan {
            start: time_of(first.start),
            end: time_of(last.end),
            reasons: self.issues.clone(),
        })
    }
}

/// Puts decoded phrases at their places, without loops and hallucinations, and finds the issues of
/// the text that is left.
pub fn assess(
    activity: &SpeechActivity,
    language: &Language,
    window: &Window,
    decoded: &[Phrase],
) -> Attempt {
    let (mut phrases, loops) = without_loops(decoded, language.is_unspaced());
    // After the loops are cut and before anything is judged by its log-probability.
    token_logprobs::cap_repeated(&mut phrases, language.is_unspaced());
    let (mut placed_phrases, mut kept) = (Vec::new(), Vec::new());
    let (mut dropped, mut guesses) = (0, 0);
    for phrase in &phrases {
        let placed = place(activity, window, phrase);
        let evidence = evidence(activity, phrase, &placed);
        if hallucination::is_hallucination(&evidence) || language.echoes_prompt(&placed.text) {
            dropped += 1;
            guesses += usize::from(hallucination::is_guess(&evidence));
        } else {
            placed_phrases.push(placed);
            kept.push(phrase);
        }
    }
    let text = WindowText {
        activity,
        language,
        window,
        phrases: &placed_phrases,
        // Dropped phrases do not count: what is left decides whether the window is doubtful.
        mean_logprob: mean_logprob(kept.into_iter().flat_map(|phrase| &phrase.token_logprobs)),
        loops,
    };
    let (issues, penalty) = text.issues();
    Attempt {
        window: window.clone(),
        dropped,
        only_guesses: placed_phrases.is_empty() && guesses > 0 && guesses == dropped,
        phrases: placed_phrases,
        loops,
        issues,
        penalty,
    }
}

fn evidence<'a>(
    activity: &SpeechActivity,
    phrase: &Phrase,
    placed: &'a PlacedPhrase,
) -> PhraseEvidence<'a> {
    PhraseEvidence {
        text: &placed.text,
        voiced: activity.voiced_seconds(&placed.range),
        seconds: placed.range.len() as f64 / SAMPLE_RATE as f64,
        confidence: placed.confidence,
        mean_logprob: phrase.mean_logprob(),
        no_speech_prob: phrase.no_speech_prob,
    }
}

/// The phrases with each loop cut down to one round, within phrases and from one to the next; and
/// the number of loops.
fn without_loops(phrases: &[Phrase], unspaced: bool) -> (Vec<Phrase>, usize) {
    // A phrase that is said twice may be speech; it is a loop where the whole window has one.
    let window_text: String = phrases.iter().map(|p| p.text.as_str()).collect();
    let is_looping = repetition::has_loop(&window_text, unspaced);
    let mut loops = 0;
    let mut kept: Vec<Phrase> = Vec::new();
    for phrase in phrases {
        let (bytes, cut) = repetition::cut_loops(&phrase.text, unspaced);
        let phrase = phrase.with_only(&bytes);
        let is_copy = is_looping && kept.last().is_some_and(|last| last.text == phrase.text);
        loops += cut + usize::from(is_copy);
        if !is_copy && !phrase.text.trim().is_empty() {
            kept.push(phrase);
        }
    }
    // A loop across phrases whose texts differ is not cut, and still counts.
    (kept, loops + usize::from(is_looping && loops == 0))
}

/// A phrase at its place in the recording.
fn place(activity: &SpeechActivity, window: &Window, phrase: &Phrase) -> PlacedPhrase {
    let whole = window.pieces.first().map_or(0, |first| first.start)
        ..window.end_in_recording(window.length());
    let start = activity.sentence_boundary(start_sample(window, phrase.start), &whole);
    let end = activity
        .sentence_boundary(end_sample(window, phrase.end), &whole)
        .max(start);
    PlacedPhrase {
        range: activity.trimmed(&(start..end)),
        text: phrase.text.clone(),
        token_starts: phrase
            .token_starts
            .iter()
            .map(|&(byte, seconds)| (byte, start_sample(window, seconds)))
            .collect(),
        confidence: phrase.confidence(),
    }
}

/// The recording's sample of what begins at `seconds` of the window.
fn start_sample(window: &Window, seconds: f64) -> usize {
    let last = window.length().saturating_sub(1);
    window.start_in_recording(sample_at(seconds).min(last))
}

/// The recording's sample of what ends at `seconds` of the window.
fn end_sample(window: &Window, seconds: f64) -> usize {
    window.end_in_recording(sample_at(seconds).min(window.length()))
}

fn sample_at(seconds: f64) -> usize {
    (seconds.max(0.0) * SAMPLE_RATE as f64) as usize
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::transcribe::speech::activity::FRAME;

    /// Thirty seconds of speech, of which `said` lists (from, to, letters) in seconds.
    pub fn heard(said: &[(usize, usize, usize)], logprob: f64) -> Attempt {
        let frames = 30 * SAMPLE_RATE / FRAME;
        let activity = SpeechActivity::from_frames(vec![0.9; frames], vec![-20.0; frames]);
        let language = Language::parse("en").expect("known");
        // No two words are alike, so that nothing looks like a loop.
        let word = |n: usize| format!("{:09}", (n + 1) * 387_654_321 % 999_999_937);
        let words = |from: usize, letters: usize| {
            (from * 50..from * 50 + letters / 10)
                .map(word)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let phrase = |&(from, to, letters): &(usize, usize, usize)| Phrase {
            start: from as f64,
            end: to as f64,
            text: words(from, letters),
            token_starts: Vec::new(),
            token_logprobs: vec![(0, logprob)],
            no_speech_prob: 0.0,
        };
        let window = Window {
            pieces: [0..10 * SAMPLE_RATE, 12 * SAMPLE_RATE..24 * SAMPLE_RATE].to_vec(),
        };
        assess(
            &activity,
            &language,
            &window,
            &said.iter().map(phrase).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn lost_turns_and_sparse_text_are_doubtful_by_their_seconds() {
        assert_eq!(heard(&[(0, 10, 110), (10, 22, 130)], -0.3).issues, []);
        assert_eq!(
            heard(&[(0, 10, 110), (11, 21, 130)], -0.3).issues,
            [],
            "a second is a matter of time stamps"
        );
        let lost = heard(&[(0, 10, 110)], -0.3);
        assert_eq!(lost.issues, [QualityIssue::Lost]);
        assert!((lost.penalty - 12.0).abs() < 0.2, "{}", lost.penalty);
        assert_eq!(
            heard(&[(0, 10, 110), (14, 22, 130)], -0.3).issues,
            [QualityIssue::Lost]
        );
        assert_eq!(
            heard(&[(0, 22, 60)], -0.3).issues,
            [QualityIssue::Lost],
            "one phrase hides what it does not say"
        );
        assert_eq!(
            heard(&[(0, 10, 110), (10, 22, 130)], -1.2).issues,
            [QualityIssue::Unlikely]
        );
    }

    #[test]
    fn of_a_loop_the_first_round_is_left_and_copies_are_no_likelier() {
        let phrase = |text: &str, logprobs: &[f64]| Phrase {
            start: 0.0,
            end: 3.0,
            text: text.into(),
            token_starts: (0..logprobs.len())
                .map(|place| (place * 5, place as f64))
                .collect(),
            token_logprobs: logprobs
                .iter()
                .enumerate()
                .map(|(place, logprob)| (place * 5, *logprob))
                .collect(),
            no_speech_prob: 0.0,
        };
        let text = format!("{} and a tale", " and so on".repeat(4));
        let (kept, loops) = without_loops(
            &[phrase(
                &text,
                &[-2.0, -3.0, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -1.0, -1.0],
            )],
            false,
        );
        assert_eq!((kept[0].text.as_str(), loops), (" and so on and a tale", 1));
        assert_eq!(
            kept[0].token_logprobs,
            [(0, -2.0), (5, -3.0), (10, -1.0), (15, -1.0)]
        );
        assert_eq!(
            kept[0].token_starts,
            [(0, 0.0), (5, 1.0), (10, 8.0), (15, 9.0)]
        );

        let activity = SpeechActivity::from_frames(
            vec![0.9; 30 * SAMPLE_RATE / FRAME],
            vec![-20.0; 30 * SAMPLE_RATE / FRAME],
        );
        let language = Language::parse("en").expect("known");
        let window = Window {
            pieces: std::iter::once(0..8 * SAMPLE_RATE).collect(),
        };
        let twice = [
            phrase(" made up here", &[-2.0, -2.0]),
            phrase(" made up here", &[-0.1, -0.1]),
        ];
        let assessed = assess(&activity, &language, &window, &twice);
        assert_eq!(
            (
                assessed.phrases.len(),
                assessed.dropped,
                assessed.only_guesses
            ),
            (0, 2, true)
        );
    }
}
