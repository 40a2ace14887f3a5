//! Temperature fallback: one window becomes text that can be believed. It is decoded greedily
//! first. If the result is doubtful, it is decoded by beam search, then in halves; pieces that are
//! too short to halve are sampled. The least doubtful result stays, with a note of the doubt that
//! is left. If the greedy result is only guesses, or two of the three ways give no text, nobody
//! speaks.

use serde::{Deserialize, Serialize};

use super::{
    attempt::{Attempt, assess},
    whisper::{Decoding, ModelState, WhisperSettings},
};
use crate::transcribe::{
    error::TranscribeError,
    language::tag::Language,
    phrase::PlacedPhrase,
    quality::diagnostics::Diagnostics,
    speech::{AnalyzedAudio, activity::SpeechActivity, windows::Window},
};

/// Times that a window may be halved.
const MAX_HALVINGS: usize = 2;

/// The language of windows, and how they are decoded.
pub struct DecodingContext {
    /// The language that is spoken.
    pub language: Language,
    /// Whisper's settings for it.
    pub settings: WhisperSettings,
}

/// The text of a window. The journal stores it, hence the names of its fields in JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowResult {
    /// The text at its place in the recording.
    #[serde(rename = "said")]
    pub phrases: Vec<PlacedPhrase>,
    /// What was dropped and left doubtful.
    #[serde(rename = "notes")]
    pub diagnostics: Diagnostics,
}

/// Decodes `window`, and again in other ways if the first result is doubtful.
pub fn decode_with_fallback(
    model_state: &mut ModelState,
    source: &AnalyzedAudio,
    context: &DecodingContext,
    window: &Window,
) -> Result<WindowResult, TranscribeError> {
    let decode = |window: &Window, decoding| {
        let samples = window.samples(&source.audio)?;
        let phrases = model_state.decode(&samples, &context.settings, decoding)?;
        Ok(assess(
            &source.activity,
            &context.language,
            window,
            &phrases,
        ))
    };
    let mut fallback = Fallback {
        decode,
        activity: &source.activity,
        retried: false,
    };
    let attempts = fallback.run(window, MAX_HALVINGS)?;
    Ok(window_result(attempts, fallback.retried))
}

/// The decision which way a window is decoded next, and which result is believed.
struct Fallback<'a, F> {
    /// Decodes a window in one way.
    decode: F,
    activity: &'a SpeechActivity,
    /// Whether anything was decoded more than once.
    retried: bool,
}

impl<F: FnMut(&Window, Decoding) -> Result<Attempt, TranscribeError>> Fallback<'_, F> {
    fn run(&mut self, window: &Window, halvings: usize) -> Result<Vec<Attempt>, TranscribeError> {
        let greedy = (self.decode)(window, Decoding::Greedy)?;
        // Greedy decoding writes nothing likely out of noise. The other ways do, since they search
        // for it: they are not asked.
        if greedy.issues.is_empty() || greedy.only_guesses {
            return Ok(vec![greedy]);
        }
        self.retried = true;
        let beam = (self.decode)(window, Decoding::Beam)?;
        if greedy.phrases.is_empty() && beam.phrases.is_empty() {
            return Ok(silence_instead_of(vec![beam], vec![greedy]));
        }
        // One way gives no text. Likely greedy text is not outvoted by the two ways after it.
        let may_be_silent =
            greedy.phrases.is_empty() || beam.phrases.is_empty() && !greedy.is_likely();
        let best = less_doubtful(vec![greedy], vec![beam]);
        if are_clean(&best) {
            return Ok(best);
        }
        let last = match window.halves(self.activity).filter(|_| halvings > 0) {
            Some([left, right]) => {
                let mut both = self.run(&left, halvings - 1)?;
                both.extend(self.run(&right, halvings - 1)?);
                both
            }
            None => vec![(self.decode)(window, Decoding::Sampled)?],
        };
        // Two of three ways give no text: nobody speaks, whatever the voice detector says.
        if may_be_silent && are_empty(&last) {
            return Ok(silence_instead_of(best, last));
        }
        Ok(less_doubtful(best, last))
    }
}

fn are_clean(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.issues.is_empty())
}

fn are_empty(attempts: &[Attempt]) -> bool {
    attempts.iter().all(|attempt| attempt.phrases.is_empty())
}

/// The better of two ways to decode the same speech: the one with text, or the less doubtful one,
/// or the earlier one.
fn less_doubtful(earlier: Vec<Attempt>, later: Vec<Attempt>) -> Vec<Attempt> {
    match (are_empty(&earlier), are_empty(&later)) {
        (true, false) => later,
        (false, false) if penalty(&later) < penalty(&earlier) => later,
        _ => earlier,
    }
}

fn penalty(attempts: &[Attempt]) -> f64 {
    attempts.iter().map(|attempt| attempt.penalty).sum()
}

/// The `silence`, with all phrases of `other` counted as dropped. What both dropped counts once.
fn silence_instead_of(other: Vec<Attempt>, mut silence: Vec<Attempt>) -> Vec<Attempt> {
    let dropped: usize = silence.iter().map(|attempt| attempt.dropped).sum();
    let found: usize = other
        .iter()
        .map(|attempt| attempt.phrases.len() + attempt.dropped)
        .sum();
    if let Some(last) = silence.last_mut() {
        last.dropped += found.saturating_sub(dropped);
    }
    silence
}

fn window_result(attempts: Vec<Attempt>, retried: bool) -> WindowResult {
    let mut result = WindowResult::default();
    result.diagnostics.retried = usize::from(retried);
    result.diagnostics.resolved = usize::from(retried && are_clean(&attempts));
    for attempt in attempts {
        result.diagnostics.dropped += attempt.dropped;
        result.diagnostics.loops += attempt.loops;
        result.diagnostics.doubtful.extend(attempt.doubtful_span());
        result.phrases.extend(attempt.phrases);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{super::attempt::tests::heard, *};
    use crate::transcribe::{
        audio::SAMPLE_RATE, quality::diagnostics::QualityIssue, speech::activity::FRAME,
    };

    #[test]
    fn guesses_are_dropped_and_counted_and_their_window_stays_doubtful() {
        let guessed = heard(&[(0, 10, 110), (10, 22, 130)], -2.0);
        assert_eq!(
            (guessed.phrases.len(), guessed.dropped, guessed.only_guesses),
            (0, 2, true)
        );
        let diagnostics = window_result(vec![guessed], false).diagnostics;
        assert_eq!(
            (
                diagnostics.dropped,
                diagnostics.doubtful[0].reasons.as_slice()
            ),
            (2, [QualityIssue::Lost].as_slice())
        );
        let sparse = heard(&[(0, 22, 20)], -0.3);
        assert_eq!(
            (sparse.phrases.len(), sparse.dropped, sparse.only_guesses),
            (0, 1, false),
            "there may be more to hear"
        );
    }

    #[test]
    fn the_less_doubtful_stays_and_the_rest_of_the_doubt_is_noted() {
        let best = less_doubtful(
            vec![heard(&[(0, 10, 110)], -0.3)],
            vec![heard(&[(0, 4, 60)], -0.3)],
        );
        assert_eq!(best[0].phrases[0].text.len(), 109);
        let kept = window_result(best, true);
        assert_eq!(
            (
                kept.diagnostics.retried,
                kept.diagnostics.resolved,
                kept.diagnostics.doubtful.len()
            ),
            (1, 0, 1)
        );
        let all = vec![heard(&[(0, 10, 110), (10, 22, 130)], -0.3)];
        let kept = window_result(less_doubtful(vec![heard(&[(0, 10, 110)], -0.3)], all), true);
        assert_eq!(
            (
                kept.diagnostics.resolved,
                kept.diagnostics.doubtful.len(),
                kept.phrases.len()
            ),
            (1, 0, 2)
        );
    }

    /// What became of a window, and the ways in which it was heard, where each way hears what
    /// `said` lists of it.
    fn decoded(seconds: usize, said: &[(Decoding, Attempt)]) -> (WindowResult, Vec<Decoding>) {
        let frames = 30 * SAMPLE_RATE / FRAME;
        let activity = SpeechActivity::from_frames(vec![0.9; frames], vec![-20.0; frames]);
        let mut ways = Vec::new();
        let decode = |window: &Window, decoding| {
            let (way, attempt) = &said[ways.len()];
            assert_eq!(*way, decoding);
            ways.push(decoding);
            Ok(Attempt {
                window: window.clone(),
                ..attempt.clone()
            })
        };
        let mut fallback = Fallback {
            decode,
            activity: &activity,
            retried: false,
        };
        let window = Window {
            pieces: std::iter::once(0..seconds * SAMPLE_RATE).collect(),
        };
        let attempts = fallback.run(&window, MAX_HALVINGS).expect("no error");
        let retried = fallback.retried;
        (window_result(attempts, retried), ways)
    }

    /// Every attempt is needed, and so many phrases are kept and dropped.
    fn check(
        seconds: usize,
        said: &[(Decoding, Attempt)],
        kept: usize,
        dropped: usize,
    ) -> Diagnostics {
        let (result, ways) = decoded(seconds, said);
        assert_eq!(
            (ways.len(), result.phrases.len(), result.diagnostics.dropped),
            (said.len(), kept, dropped),
            "{ways:?}"
        );
        result.diagnostics
    }

    #[test]
    fn a_window_is_heard_until_it_can_be_believed() {
        use Decoding::{Beam, Greedy, Sampled};
        let all = || heard(&[(0, 10, 110), (10, 22, 130)], -0.3);
        let (none, some, little) = (
            || heard(&[], 0.0),
            || heard(&[(0, 10, 110)], -0.3),
            || heard(&[(0, 4, 60)], -0.3),
        );
        let calm = check(20, &[(Greedy, all())], 2, 0);
        assert_eq!(
            (calm.retried, calm.resolved, calm.doubtful.len()),
            (0, 0, 0)
        );
        let guess = check(20, &[(Greedy, heard(&[(0, 22, 130)], -2.0))], 0, 1);
        assert_eq!((guess.retried, guess.doubtful.len()), (0, 1));
        let mended = check(20, &[(Greedy, some()), (Beam, all())], 2, 0);
        assert_eq!(
            (mended.retried, mended.resolved, mended.doubtful.len()),
            (1, 1, 0)
        );
        let silent = check(20, &[(Greedy, none()), (Beam, none())], 0, 0);
        assert_eq!(
            (silent.retried, silent.resolved, silent.doubtful.len()),
            (1, 0, 1)
        );
        // Each half begins anew, and is halved once more before chance has its turn.
        let halves = [
            (Greedy, some()),
            (Beam, little()),
            (Greedy, all()),
            (Greedy, all()),
        ];
        assert_eq!(check(20, &halves, 4, 0).resolved, 1);
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
            (Sampled, some()),
            (Greedy, all()),
            (Greedy, all()),
        ];
        assert_eq!(check(20, &quarters, 1, 0).resolved, 0);
    }

    #[test]
    fn a_short_window_has_one_attempt_of_each_kind() {
        use Decoding::{Beam, Greedy, Sampled};
        let all = || heard(&[(0, 10, 110), (10, 22, 130)], -0.3);
        let (none, some, little) = (
            || heard(&[], 0.0),
            || heard(&[(0, 10, 110)], -0.3),
            || heard(&[(0, 4, 60)], -0.3),
        );
        let unlikely = || heard(&[(0, 10, 110), (10, 22, 130)], -1.2);
        check(
            3,
            &[(Greedy, some()), (Beam, little()), (Sampled, all())],
            2,
            0,
        );
        check(
            3,
            &[(Greedy, none()), (Beam, some()), (Sampled, none())],
            0,
            1,
        );
        check(
            3,
            &[(Greedy, none()), (Beam, unlikely()), (Sampled, unlikely())],
            2,
            0,
        );
        check(
            3,
            &[(Greedy, some()), (Beam, none()), (Sampled, none())],
            1,
            0,
        );
        check(
            3,
            &[(Greedy, unlikely()), (Beam, none()), (Sampled, none())],
            0,
            2,
        );
        check(
            3,
            &[(Greedy, unlikely()), (Beam, none()), (Sampled, some())],
            1,
            0,
        );
        check(
            3,
            &[(Greedy, some()), (Beam, little()), (Sampled, none())],
            1,
            0,
        );
        assert_eq!(
            check(
                3,
                &[(Greedy, some()), (Beam, little()), (Sampled, little())],
                1,
                0
            )
            .doubtful
            .len(),
            1
        );
    }
}
