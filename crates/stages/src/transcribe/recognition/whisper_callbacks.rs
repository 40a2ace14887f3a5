//! Callbacks between whisper.cpp's passes over a window. Before the first pass they hand over our
//! own spectrogram. They stop whisper.cpp before a pass over the rest behind the last time stamp: it
//! costs as much as the whole window, and where nobody speaks any more it only invents text. After
//! each pass they ask for the probability that nobody speaks. Hides the unsafe code for all this.
#![expect(
    unsafe_code,
    reason = "whisper-rs has no safe way to hand over a spectrogram, or to say before which pass to stop"
)]

use std::ffi::c_void;

use whisper_rs::{FullParams, WhisperError, WhisperState};

use super::mel::Spectrogram;

/// Hundredths of a second at a window's end that may stay without text: the padding, and the error
/// of time stamps.
const MAX_REST: i64 = 80;

/// Just enough samples for a spectrogram of whisper.cpp's own, which is thrown away.
const PLACEHOLDER: [f32; 400] = [0.0; 400];

/// The passes of whisper.cpp over a window.
pub struct EncoderPasses<'a> {
    spectrogram: &'a Spectrogram,
    /// The window's end, in hundredths of a second.
    end: i64,
    /// Passes that whisper.cpp asked for.
    asked: usize,
    /// Whether no pass is made at all.
    only_set_up: bool,
    /// An error inside a callback.
    failed: Option<WhisperError>,
    /// The context and state of the current pass.
    current: Option<PassPointers>,
    no_speech: NoSpeechProbs,
}

/// whisper.cpp's context and state during a pass.
#[derive(Clone, Copy)]
struct PassPointers(
    *mut whisper_rs_sys::whisper_context,
    *mut whisper_rs_sys::whisper_state,
);

/// The model's estimates of the probability that nobody speaks: for each pass, the number of
/// segments after it, and the probability.
pub struct NoSpeechProbs(Vec<(usize, f64)>);

impl NoSpeechProbs {
    /// The probability in the pass that this segment came from.
    pub fn of_segment(&self, segment: usize) -> f64 {
        self.0
            .iter()
            .find(|(segments, _)| segment < *segments)
            .map_or(0.0, |(_, probability)| *probability)
    }
}

impl<'a> EncoderPasses<'a> {
    /// The passes over a window of this spectrogram and length.
    pub fn over(spectrogram: &'a Spectrogram, seconds: f64) -> Self {
        let end = (seconds * 100.0) as i64;
        Self {
            spectrogram,
            end,
            asked: 0,
            only_set_up: false,
            failed: None,
            current: None,
            no_speech: NoSpeechProbs(Vec::new()),
        }
    }

    /// No passes: whisper.cpp only takes the spectrogram and its parameters.
    pub fn none(spectrogram: &'a Spectrogram) -> Self {
        Self {
            only_set_up: true,
            ..Self::over(spectrogram, 0.0)
        }
    }

    /// Runs whisper.cpp with these callbacks.
    pub fn run(
        mut self,
        mut params: FullParams<'static, 'static>,
        state: &mut WhisperState,
    ) -> Result<NoSpeechProbs, WhisperError> {
        // Otherwise whisper.cpp would take the length of the placeholder.
        params.set_duration_ms(self.spectrogram.audible_frames as i32 * 10);
        // SAFETY: the pointer is used by `before_pass` alone, only while `run` lasts, and by one
        // thread at a time.
        unsafe {
            params.set_start_encoder_callback(Some(before_pass));
            params.set_start_encoder_callback_user_data(std::ptr::from_mut(&mut self).cast());
        }
        state.full(params, &PLACEHOLDER)?;
        // SAFETY: the last pass is over, and its state, which keeps the context, is borrowed until
        // the end.
        unsafe { self.end_pass() };
        self.failed.map_or(Ok(self.no_speech), Err)
    }

    /// Whether the next pass is worthwhile, after text up to `text_end`.
    fn is_next_worthwhile(&mut self, text_end: Option<i64>) -> bool {
        self.asked += 1;
        if self.only_set_up || self.failed.is_some() {
            return false;
        }
        self.asked == 1 || text_end.is_none_or(|text_end| text_end + MAX_REST < self.end)
    }

    /// Asks for the probability that nobody speaks in the pass that has just ended. whisper.cpp's
    /// own value is that of an earlier window wherever its prompt is more than one token: with all
    /// but English models without a vocabulary.
    ///
    /// # Safety
    /// Context and state of the pass must still exist, and nothing else use them.
    unsafe fn end_pass(&mut self) {
        let Some(PassPointers(context, state)) = self.current.take() else {
            return;
        };
        // SAFETY: as above; there are as many logits as tokens, and they stay until the next
        // decoding.
        unsafe {
            let start = whisper_rs_sys::whisper_token_sot(context);
            if whisper_rs_sys::whisper_decode_with_state(context, state, &raw const start, 1, 0, 1)
                != 0
            {
                self.failed = Some(WhisperError::FailedToDecode);
                return;
            }
            let tokens = whisper_rs_sys::whisper_n_vocab(context) as usize;
            let logits = std::slice::from_raw_parts(
                whisper_rs_sys::whisper_get_logits_from_state(state),
                tokens,
            );
            let no_speech_token = whisper_rs_sys::whisper_token_nosp(context) as usize;
            let segments = whisper_rs_sys::whisper_full_n_segments_from_state(state) as usize;
            let probability = softmax_prob(logits, no_speech_token);
            self.no_speech.0.push((segments, probability));
        }
    }
}

/// The probability of the token at `index` by the logits of all.
fn softmax_prob(logits: &[f32], index: usize) -> f64 {
    // Without the largest taken off first, the exponentials could overflow.
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f64 = logits
        .iter()
        .map(|logit| f64::from(logit - largest).exp())
        .sum();
    f64::from(logits[index] - largest).exp() / sum
}

/// The callback that whisper.cpp calls before each pass; after `false` it keeps the text so far and
/// stops.
unsafe extern "C" fn before_pass(
    context: *mut whisper_rs_sys::whisper_context,
    state: *mut whisper_rs_sys::whisper_state,
    passes: *mut c_void,
) -> bool {
    // SAFETY: whisper.cpp hands over its own context and state, and the pointer that `run` gave it,
    // which nothing else uses meanwhile. The spectrogram has as many values as it is said to have,
    // and whisper.cpp copies them.
    unsafe {
        let passes = &mut *passes.cast::<EncoderPasses<'_>>();
        passes.end_pass();
        let Spectrogram {
            values,
            frames,
            bands,
            ..
        } = passes.spectrogram;
        let (values, frames, bands) = (values.as_ptr(), *frames as i32, *bands as i32);
        if passes.asked == 0
            && whisper_rs_sys::whisper_set_mel_with_state(context, state, values, frames, bands)
                != 0
        {
            passes.failed = Some(WhisperError::UnableToCalculateSpectrogram);
        }
        let segments = whisper_rs_sys::whisper_full_n_segments_from_state(state);
        let text_end = (segments > 0)
            .then(|| whisper_rs_sys::whisper_full_get_segment_t1_from_state(state, segments - 1));
        let goes_on = passes.is_next_worthwhile(text_end);
        passes.current = goes_on.then_some(PassPointers(context, state));
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_has_the_silence_of_its_pass() {
        let no_speech = NoSpeechProbs(vec![(2, 0.1), (2, 0.5), (3, 0.9)]);
        let tenths =
            [0, 1, 2, 3].map(|segment| (no_speech.of_segment(segment) * 10.0).round() as i32);
        assert_eq!(tenths, [1, 1, 9, 0]);
        assert!((softmax_prob(&[0.0, 2f32.ln(), 0.0], 1) - 0.5).abs() < 1e-6);
        assert!(
            (softmax_prob(&[900.0, 900.0], 0) - 0.5).abs() < 1e-6,
            "no sum grows beyond all bounds"
        );
    }

    #[test]
    fn only_a_tail_that_may_hold_words_is_heard() {
        let spectrogram = Spectrogram {
            bands: 0,
            frames: 0,
            audible_frames: 0,
            values: Vec::new(),
        };
        let second = |heard| {
            let mut passes = EncoderPasses::over(&spectrogram, 20.0);
            assert!(
                passes.is_next_worthwhile(None),
                "the first pass is always made"
            );
            passes.is_next_worthwhile(heard)
        };
        assert!(second(Some(1000)) && second(Some(1900)) && second(None));
        assert!(!second(Some(1940)) && !second(Some(2000)));
        assert!(!EncoderPasses::none(&spectrogram).is_next_worthwhile(None));
    }
}
