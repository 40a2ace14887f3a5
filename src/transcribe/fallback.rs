//! One window becomes text that can be believed. It is heard the cheap way first; where the result
//! gives reason to doubt, it is heard by beam search, then in halves, and pieces too short to halve
//! with a little chance. The least doubtful result stays, and what is still doubtful is kept and
//! says why. Where all that was heard first is a guess, or two of these three ways hear nothing,
//! nobody speaks.

use serde::{Deserialize, Serialize};

use super::{
    error::TranscribeError,
    language::Language,
    sentences::Placed,
    sound::{RATE, Sound, at},
    vad::SpeechActivity,
    whisper::{self, Decoding, Ear, Phrase, Settings},
    windows::Window,
};
use crate::transcribe::{
    hallucination::{self, Diagnostics, Evidence},
    quality::{Case, DoubtfulSpan, QualityIssue},
    token_logprobs,
};

/// How often a window may be halved.
const HALVINGS: usize = 2;

/// A recording as the workers see it.
pub struct Source {
    /// Its samples.
    pub sound: Sound,
    /// Where speech is in it.
    pub hearing: SpeechActivity,
}

/// How the windows of one language are heard.
pub struct DecodingContext {
    /// The language that is spoken.
    pub language: Language,
    /// What whisper.cpp is told.
    pub settings: Settings,
}

/// What came of one window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowResult {
    /// The words at their places.
    pub said: Vec<Placed>,
    /// What was done to get them.
    pub notes: Diagnostics,
}

/// One window heard once.
#[derive(Clone)]
struct Attempt {
    window: Window,
    said: Vec<Placed>,
    dropped: usize,
    /// Whether all that was heard was dropped as a guess.
    only_guesses: bool,
    loops: usize,
    doubts: Vec<QualityIssue>,
    /// Seconds of speech that are lost or not to be believed.
    penalty: f64,
}

/// Hears `window`, again and in other ways where the first is doubtful.
pub fn decode_with_fallback(
    ear: &mut Ear,
    source: &Source,
    brief: &DecodingContext,
    window: &Window,
) -> Result<WindowResult, TranscribeError> {
    let attempt = |window: &Window, rung| {
        let samples = window.samples(&source.sound)?;
        let heard = ear.hear(&samples, &brief.settings, rung)?;
        Ok(judged(&source.hearing, &brief.language, window, &heard))
    };
    let mut fallback = Fallback {
        attempt,
        hearing: &source.hearing,
        again: false,
    };
    let attempts = fallback.decode_with_fallback(window, HALVINGS)?;
    Ok(take(attempts, fallback.again))
}

/// Decides which way a window is heard next, and which of them is believed.
struct Fallback<'a, F> {
    /// Hears a window once.
    attempt: F,
    hearing: &'a SpeechActivity,
    /// Whether anything was heard more than once.
    again: bool,
}

impl<F: FnMut(&Window, Decoding) -> Result<Attempt, TranscribeError>> Fallback<'_, F> {
    fn decode_with_fallback(
        &mut self,
        window: &Window,
        halvings: usize,
    ) -> Result<Vec<Attempt>, TranscribeError> {
        let first = (self.attempt)(window, Decoding::Greedy)?;
        // Out of noise the first way makes nothing that looks likely; the dearer ones do, since
        // they look for it.
        if first.doubts.is_empty() || first.only_guesses {
            return Ok(vec![first]);
        }
        self.again = true;
        let second = (self.attempt)(window, Decoding::Beam)?;
        let silent = (first.said.is_empty(), second.said.is_empty());
        if silent == (true, true) {
            return Ok(instead_of(vec![second], vec![first]));
        }
        // What the first way finds likely is not outvoted.
        let unheard = silent.0 || silent.1 && !first.is_likely();
        let best = less_doubtful(vec![first], vec![second]);
        if is_calm(&best) {
            return Ok(best);
        }
        let other = match window.halves(self.hearing).filter(|_| halvings > 0) {
            Some([left, right]) => {
                let mut both = self.decode_with_fallback(&left, halvings - 1)?;
                both.extend(self.decode_with_fallback(&right, halvings - 1)?);
                both
            }
            None => vec![(self.attempt)(window, Decoding::Warm)?],
        };
        // Where two of three ways hear nothing that can be believed, nobody speaks, whatever the
        // detector says.
        Ok(if unheard && is_empty(&other) {
            instead_of(best, other)
        } else {
            less_doubtful(best, other)
        })
    }
}

impl Attempt {
    /// Whether there are words, and nothing speaks against them but that there could be more.
    fn is_likely(&self) -> bool {
        !self.said.is_empty() && self.doubts.iter().all(|doubt| *doubt == QualityIssue::Lost)
    }
}

fn is_calm(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.doubts.is_empty())
}

fn is_empty(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.said.is_empty())
}

/// Of two ways of hearing the same speech the one that hears words, or the less doubtful, or the
/// earlier.
fn less_doubtful(earlier: Vec<Attempt>, later: Vec<Attempt>) -> Vec<Attempt> {
    let cost = |attempts: &[Attempt]| attempts.iter().map(|attempt| attempt.penalty).sum::<f64>();
    match (is_empty(&earlier), is_empty(&later)) {
        (true, false) => later,
        (false, false) if cost(&later) < cost(&earlier) => later,
        _ => earlier,
    }
}

/// The `silence` that is kept: what another way heard is dropped, and counts once.
fn instead_of(other: Vec<Attempt>, mut silence: Vec<Attempt>) -> Vec<Attempt> {
    let dropped: usize = silence.iter().map(|attempt| attempt.dropped).sum();
    let heard: usize = other
        .iter()
        .map(|attempt| attempt.said.len() + attempt.dropped)
        .sum();
    if let Some(last) = silence.last_mut() {
        last.dropped += heard.saturating_sub(dropped);
    }
    silence
}

fn take(attempts: Vec<Attempt>, again: bool) -> WindowResult {
    let mut notes = Diagnostics {
        heard_again: usize::from(again),
        ..Diagnostics::default()
    };
    notes.mended = usize::from(again && is_calm(&attempts));
    let mut said = Vec::new();
    for attempt in attempts {
        notes.dropped += attempt.dropped;
        notes.loops += attempt.loops;
        if let (false, Some(first), Some(last)) = (
            attempt.doubts.is_empty(),
            attempt.window.pieces.first(),
            attempt.window.pieces.last(),
        ) {
            let (start, end) = (at(first.start), at(last.end));
            notes.doubtful.push(DoubtfulSpan {
                start,
                end,
                reasons: attempt.doubts,
            });
        }
        said.extend(attempt.said);
    }
    WindowResult { said, notes }
}

/// What was heard, at its place, without what nobody said, and what is wrong with it.
fn judged(
    hearing: &SpeechActivity,
    language: &Language,
    window: &Window,
    heard: &[Phrase],
) -> Attempt {
    let (mut phrases, loops) = unlooped(heard, language.is_unspaced());
    token_logprobs::temper(&mut phrases, language.is_unspaced());
    let (mut said, mut kept) = (Vec::new(), Vec::new());
    let (mut dropped, mut guesses) = (0, 0);
    for phrase in &phrases {
        let placed = place(hearing, window, phrase);
        let evidence = Evidence {
            text: &placed.text,
            voiced: hearing.voiced_seconds(&placed.range),
            seconds: placed.range.len() as f64 / RATE as f64,
            confidence: placed.confidence,
            logprob: phrase.logprob(),
            no_speech: phrase.no_speech,
        };
        if hallucination::is_made_up(&evidence) || language.echoes(&placed.text) {
            dropped += 1;
            guesses += usize::from(hallucination::is_guess(&evidence));
        } else {
            said.push(placed);
            kept.push(phrase);
        }
    }
    let logprob = whisper::logprob(kept.into_iter().flat_map(|phrase| &phrase.logprobs));
    let (doubts, penalty) = Case {
        hearing,
        language,
        window,
        said: &said,
        logprob,
        loops,
    }
    .doubts();
    let only_guesses = said.is_empty() && guesses > 0 && guesses == dropped;
    Attempt {
        window: window.clone(),
        said,
        dropped,
        only_guesses,
        loops,
        doubts,
        penalty,
    }
}

/// The phrases with each loop cut down to one round, within them and from one to the next; and how
/// many there were.
fn unlooped(phrases: &[Phrase], unspaced: bool) -> (Vec<Phrase>, usize) {
    let all: String = phrases.iter().map(|p| p.text.as_str()).collect();
    let looping = hallucination::unlooped(&all, unspaced).1 > 0;
    let mut loops = 0;
    let mut kept: Vec<Phrase> = Vec::new();
    for phrase in phrases {
        let (left, cut) = hallucination::unlooped(&phrase.text, unspaced);
        let phrase = phrase.only(&left);
        let again = looping && kept.last().is_some_and(|last| last.text == phrase.text);
        loops += cut + usize::from(again);
        if !again && !phrase.text.trim().is_empty() {
            kept.push(phrase);
        }
    }
    (kept, loops + usize::from(looping && loops == 0))
}

fn place(hearing: &SpeechActivity, window: &Window, phrase: &Phrase) -> Placed {
    let sample = |seconds: f64| (seconds.max(0.0) * RATE as f64) as usize;
    let begin =
        |seconds: f64| window.start_in_file(sample(seconds).min(window.length().saturating_sub(1)));
    let whole =
        window.pieces.first().map_or(0, |first| first.start)..window.end_in_file(window.length());
    let start = hearing.parting(begin(phrase.start), &whole);
    let end = hearing
        .parting(
            window.end_in_file(sample(phrase.end).min(window.length())),
            &whole,
        )
        .max(start);
    Placed {
        range: hearing.trimmed(&(start..end)),
        text: phrase.text.clone(),
        marks: phrase
            .marks
            .iter()
            .map(|&(byte, at)| (byte, begin(at)))
            .collect(),
        confidence: phrase.confidence(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcribe::vad::FRAME;

    /// Thirty seconds of speech, of which `said` lists (from, to, letters) in seconds.
    fn heard(said: &[(usize, usize, usize)], logprob: f64) -> Attempt {
        let frames = 30 * RATE / FRAME;
        let hearing = SpeechActivity::of_frames(vec![0.9; frames], vec![-20.0; frames]);
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
            marks: Vec::new(),
            logprobs: vec![(0, logprob)],
            no_speech: 0.0,
        };
        let window = Window {
            pieces: [0..10 * RATE, 12 * RATE..24 * RATE].to_vec(),
        };
        judged(
            &hearing,
            &language,
            &window,
            &said.iter().map(phrase).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn lost_turns_and_sparse_text_are_doubtful_by_their_seconds() {
        assert_eq!(heard(&[(0, 10, 110), (10, 22, 130)], -0.3).doubts, []);
        assert_eq!(
            heard(&[(0, 10, 110), (11, 21, 130)], -0.3).doubts,
            [],
            "a second is a matter of time stamps"
        );
        let lost = heard(&[(0, 10, 110)], -0.3);
        assert_eq!(lost.doubts, [QualityIssue::Lost]);
        assert!((lost.penalty - 12.0).abs() < 0.2, "{}", lost.penalty);
        assert_eq!(
            heard(&[(0, 10, 110), (14, 22, 130)], -0.3).doubts,
            [QualityIssue::Lost]
        );
        assert_eq!(
            heard(&[(0, 22, 60)], -0.3).doubts,
            [QualityIssue::Lost],
            "one phrase hides what it does not say"
        );
        assert_eq!(
            heard(&[(0, 10, 110), (10, 22, 130)], -1.2).doubts,
            [QualityIssue::Unlikely]
        );
    }

    #[test]
    fn guesses_are_dropped_and_counted_and_their_window_stays_doubtful() {
        let guessed = heard(&[(0, 10, 110), (10, 22, 130)], -2.0);
        assert_eq!(
            (guessed.said.len(), guessed.dropped, guessed.only_guesses),
            (0, 2, true)
        );
        let notes = take(vec![guessed], false).notes;
        assert_eq!(
            (notes.dropped, notes.doubtful[0].reasons.as_slice()),
            (2, [QualityIssue::Lost].as_slice())
        );
        let sparse = heard(&[(0, 22, 20)], -0.3);
        assert_eq!(
            (sparse.said.len(), sparse.dropped, sparse.only_guesses),
            (0, 1, false),
            "there may be more to hear"
        );
    }

    #[test]
    fn of_a_loop_the_first_round_is_left_and_copies_are_no_likelier() {
        let phrase = |text: &str, logprobs: &[f64]| Phrase {
            start: 0.0,
            end: 3.0,
            text: text.into(),
            marks: (0..logprobs.len())
                .map(|place| (place * 5, place as f64))
                .collect(),
            logprobs: logprobs
                .iter()
                .enumerate()
                .map(|(place, logprobs)| (place * 5, *logprobs))
                .collect(),
            no_speech: 0.0,
        };
        let text = format!("{} and a tale", " and so on".repeat(4));
        let (kept, loops) = unlooped(
            &[phrase(
                &text,
                &[-2.0, -3.0, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -1.0, -1.0],
            )],
            false,
        );
        assert_eq!((kept[0].text.as_str(), loops), (" and so on and a tale", 1));
        assert_eq!(
            kept[0].logprobs,
            [(0, -2.0), (5, -3.0), (10, -1.0), (15, -1.0)]
        );
        assert_eq!(kept[0].marks, [(0, 0.0), (5, 1.0), (10, 8.0), (15, 9.0)]);

        let hearing =
            SpeechActivity::of_frames(vec![0.9; 30 * RATE / FRAME], vec![-20.0; 30 * RATE / FRAME]);
        let language = Language::parse("en").expect("known");
        let window = Window {
            pieces: std::iter::once(0..8 * RATE).collect(),
        };
        let twice = [
            phrase(" made up here", &[-2.0, -2.0]),
            phrase(" made up here", &[-0.1, -0.1]),
        ];
        let judged = judged(&hearing, &language, &window, &twice);
        assert_eq!(
            (judged.said.len(), judged.dropped, judged.only_guesses),
            (0, 2, true)
        );
    }

    #[test]
    fn the_less_doubtful_stays_and_the_rest_of_the_doubt_is_noted() {
        let best = less_doubtful(
            vec![heard(&[(0, 10, 110)], -0.3)],
            vec![heard(&[(0, 4, 60)], -0.3)],
        );
        assert_eq!(best[0].said[0].text.len(), 109);
        let kept = take(best, true);
        assert_eq!(
            (
                kept.notes.heard_again,
                kept.notes.mended,
                kept.notes.doubtful.len()
            ),
            (1, 0, 1)
        );
        let all = vec![heard(&[(0, 10, 110), (10, 22, 130)], -0.3)];
        let kept = take(less_doubtful(vec![heard(&[(0, 10, 110)], -0.3)], all), true);
        assert_eq!(
            (
                kept.notes.mended,
                kept.notes.doubtful.len(),
                kept.said.len()
            ),
            (1, 0, 2)
        );
    }

    /// What became of a window, and the ways in which it was heard, where each way hears what
    /// `said` lists of it.
    fn decoded(seconds: usize, said: &[(Decoding, Attempt)]) -> (WindowResult, Vec<Decoding>) {
        let frames = 30 * RATE / FRAME;
        let hearing = SpeechActivity::of_frames(vec![0.9; frames], vec![-20.0; frames]);
        let mut ways = Vec::new();
        let attempt = |window: &Window, rung| {
            let (way, attempt) = &said[ways.len()];
            assert_eq!(*way, rung);
            ways.push(rung);
            Ok(Attempt {
                window: window.clone(),
                ..attempt.clone()
            })
        };
        let mut fallback = Fallback {
            attempt,
            hearing: &hearing,
            again: false,
        };
        let window = Window {
            pieces: std::iter::once(0..seconds * RATE).collect(),
        };
        let attempts = fallback
            .decode_with_fallback(&window, HALVINGS)
            .expect("no error");
        let again = fallback.again;
        (take(attempts, again), ways)
    }

    /// Every attempt is needed, and so many phrases are kept and dropped.
    fn check(
        seconds: usize,
        said: &[(Decoding, Attempt)],
        kept: usize,
        dropped: usize,
    ) -> Diagnostics {
        let (take, ways) = decoded(seconds, said);
        assert_eq!(
            (ways.len(), take.said.len(), take.notes.dropped),
            (said.len(), kept, dropped),
            "{ways:?}"
        );
        take.notes
    }

    #[test]
    fn a_window_is_heard_until_it_can_be_believed() {
        use Decoding::{Beam, Greedy, Warm};
        let all = || heard(&[(0, 10, 110), (10, 22, 130)], -0.3);
        let (none, some, little) = (
            || heard(&[], 0.0),
            || heard(&[(0, 10, 110)], -0.3),
            || heard(&[(0, 4, 60)], -0.3),
        );
        let calm = check(20, &[(Greedy, all())], 2, 0);
        assert_eq!(
            (calm.heard_again, calm.mended, calm.doubtful.len()),
            (0, 0, 0)
        );
        let guess = check(20, &[(Greedy, heard(&[(0, 22, 130)], -2.0))], 0, 1);
        assert_eq!((guess.heard_again, guess.doubtful.len()), (0, 1));
        let mended = check(20, &[(Greedy, some()), (Beam, all())], 2, 0);
        assert_eq!(
            (mended.heard_again, mended.mended, mended.doubtful.len()),
            (1, 1, 0)
        );
        let silent = check(20, &[(Greedy, none()), (Beam, none())], 0, 0);
        assert_eq!(
            (silent.heard_again, silent.mended, silent.doubtful.len()),
            (1, 0, 1)
        );
        // Each half begins anew, and is halved once more before chance has its turn.
        let halves = [
            (Greedy, some()),
            (Beam, little()),
            (Greedy, all()),
            (Greedy, all()),
        ];
        assert_eq!(check(20, &halves, 4, 0).mended, 1);
        check(
            20,
            &[
                (Greedy, none()),
                (Beam, some()),
                (Greedy, none()),
                (Beam, none()),
                (Greedy, none()),
                (Beam, none()),
            ],
            0,
            1,
        );
        let quarters = [
            (Greedy, some()),
            (Beam, little()),
            (Greedy, some()),
            (Beam, little()),
            (Greedy, some()),
            (Beam, little()),
            (Warm, some()),
            (Greedy, all()),
            (Greedy, all()),
        ];
        assert_eq!(check(20, &quarters, 1, 0).mended, 0);
    }

    #[test]
    fn a_short_window_has_one_attempt_of_each_kind() {
        use Decoding::{Beam, Greedy, Warm};
        let all = || heard(&[(0, 10, 110), (10, 22, 130)], -0.3);
        let (none, some, little) = (
            || heard(&[], 0.0),
            || heard(&[(0, 10, 110)], -0.3),
            || heard(&[(0, 4, 60)], -0.3),
        );
        let unlikely = || heard(&[(0, 10, 110), (10, 22, 130)], -1.2);
        check(
            3,
            &[(Greedy, some()), (Beam, little()), (Warm, all())],
            2,
            0,
        );
        check(3, &[(Greedy, none()), (Beam, some()), (Warm, none())], 0, 1);
        check(
            3,
            &[(Greedy, none()), (Beam, unlikely()), (Warm, unlikely())],
            2,
            0,
        );
        check(3, &[(Greedy, some()), (Beam, none()), (Warm, none())], 1, 0);
        check(
            3,
            &[(Greedy, unlikely()), (Beam, none()), (Warm, none())],
            0,
            2,
        );
        check(
            3,
            &[(Greedy, unlikely()), (Beam, none()), (Warm, some())],
            1,
            0,
        );
        check(
            3,
            &[(Greedy, some()), (Beam, little()), (Warm, none())],
            1,
            0,
        );
        assert_eq!(
            check(
                3,
                &[(Greedy, some()), (Beam, little()), (Warm, little())],
                1,
                0
            )
            .doubtful
            .len(),
            1
        );
    }
}
