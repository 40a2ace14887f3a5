//! What whisper.cpp is asked and told before each pass over a window. Before the first it is given
//! the window's spectrogram. And it is spared the pass for what lies behind the last time stamp:
//! that costs as much as the whole window, and where nobody speaks any more it is there that text
//! is invented. After each it is asked how likely nobody speaks. Hides the callback that this
//! takes.
#![expect(
    unsafe_code,
    reason = "whisper-rs has no safe way to hand over a spectrogram, or to say before which pass to stop"
)]

use std::ffi::c_void;

use whisper_rs::{FullParams, WhisperError, WhisperState};

use super::mel::Spectrogram;

/// How near to the end of a window a text must come, in hundredths of a second: the padding, and
/// what time stamps miss.
const NEAR: i64 = 80;

/// Enough samples for a spectrogram of whisper.cpp's own, which is thrown away.
const PLACEHOLDER: [f32; 400] = [0.0; 400];

/// The passes over a window.
pub struct Passes<'a> {
    sound: &'a Spectrogram,
    /// Where the window ends, in hundredths of a second.
    end: i64,
    made: usize,
    /// Whether no pass is made at all.
    shut: bool,
    /// What whisper.cpp did not do.
    failed: Option<WhisperError>,
    /// Who makes the pass that goes on.
    at_work: Option<At>,
    /// Of each pass that is over, how many segments there were then, and how likely nobody speaks
    /// in it.
    over: Vec<(usize, f64)>,
}

/// Who makes a pass: whisper.cpp's context and state.
#[derive(Clone, Copy)]
struct At(
    *mut whisper_rs_sys::whisper_context,
    *mut whisper_rs_sys::whisper_state,
);

/// How likely nobody speaks, by the model's own estimate.
pub struct Silences(Vec<(usize, f64)>);

impl Silences {
    /// In the pass that a segment came from.
    pub fn of(&self, segment: usize) -> f64 {
        self.0
            .iter()
            .find(|(segments, _)| segment < *segments)
            .map_or(0.0, |(_, silence)| *silence)
    }
}

impl<'a> Passes<'a> {
    /// Over a window that sounds like this and lasts for so many seconds.
    pub fn over(sound: &'a Spectrogram, seconds: f64) -> Self {
        let end = (seconds * 100.0) as i64;
        Self {
            sound,
            end,
            made: 0,
            shut: false,
            failed: None,
            at_work: None,
            over: Vec::new(),
        }
    }

    /// Over a window that is not heard: whisper.cpp only takes it and its settings in.
    pub fn none(sound: &'a Spectrogram) -> Self {
        Self {
            shut: true,
            ..Self::over(sound, 0.0)
        }
    }

    /// Runs whisper.cpp with settings that give it the spectrogram in place of the samples, and
    /// stop it where nothing more is to be heard.
    pub fn run(
        mut self,
        mut settings: FullParams<'static, 'static>,
        state: &mut WhisperState,
    ) -> Result<Silences, WhisperError> {
        // Otherwise it would end with the samples.
        settings.set_duration_ms(self.sound.sounding as i32 * 10);
        // SAFETY: the pointer is used by `begin` alone, only while `run` lasts, and by one thread
        // at a time.
        unsafe {
            settings.set_start_encoder_callback(Some(begin));
            settings.set_start_encoder_callback_user_data(std::ptr::from_mut(&mut self).cast());
        }
        state.full(settings, &PLACEHOLDER)?;
        // SAFETY: the last pass is over, and its state, which keeps the context, is borrowed until
        // the end.
        unsafe { self.end_pass() };
        self.failed.map_or(Ok(Silences(self.over)), Err)
    }

    /// Whether the next pass is worth it, after a text that ends at `heard`.
    fn goes_on(&mut self, heard: Option<i64>) -> bool {
        self.made += 1;
        !self.shut
            && self.failed.is_none()
            && (self.made == 1 || heard.is_none_or(|heard| heard + NEAR < self.end))
    }

    /// Asks how likely nobody speaks in the pass that was made last. whisper.cpp's own answer is
    /// that of an earlier window wherever what it is told before it begins is more than one token:
    /// with all but English models without a vocabulary.
    ///
    /// # Safety
    /// Context and state of the pass must still exist, and nothing else use them.
    unsafe fn end_pass(&mut self) {
        let Some(At(context, state)) = self.at_work.take() else {
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
            let silence = share(logits, whisper_rs_sys::whisper_token_nosp(context) as usize);
            self.over.push((
                whisper_rs_sys::whisper_full_n_segments_from_state(state) as usize,
                silence,
            ));
        }
    }
}

/// The probability of one of many by their logits.
fn share(logits: &[f32], one: usize) -> f64 {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let all: f64 = logits
        .iter()
        .map(|logit| f64::from(logit - most).exp())
        .sum();
    f64::from(logits[one] - most).exp() / all
}

/// whisper.cpp asks before each pass; after `false` it keeps what it has.
unsafe extern "C" fn begin(
    context: *mut whisper_rs_sys::whisper_context,
    state: *mut whisper_rs_sys::whisper_state,
    passes: *mut c_void,
) -> bool {
    // SAFETY: whisper.cpp hands over its own context and state, and the pointer that `run` gave it,
    // which nothing else uses meanwhile. The spectrogram has as many values as it is said to have,
    // and whisper.cpp copies them.
    unsafe {
        let passes = &mut *passes.cast::<Passes<'_>>();
        passes.end_pass();
        let Spectrogram {
            values,
            frames,
            bands,
            ..
        } = passes.sound;
        let (values, frames, bands) = (values.as_ptr(), *frames as i32, *bands as i32);
        if passes.made == 0
            && whisper_rs_sys::whisper_set_mel_with_state(context, state, values, frames, bands)
                != 0
        {
            passes.failed = Some(WhisperError::UnableToCalculateSpectrogram);
        }
        let last = whisper_rs_sys::whisper_full_n_segments_from_state(state) - 1;
        let heard = (last >= 0)
            .then(|| whisper_rs_sys::whisper_full_get_segment_t1_from_state(state, last));
        let goes_on = passes.goes_on(heard);
        passes.at_work = goes_on.then_some(At(context, state));
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_has_the_silence_of_its_pass() {
        let silences = Silences(vec![(2, 0.1), (2, 0.5), (3, 0.9)]);
        let tenths = [0, 1, 2, 3].map(|segment| (silences.of(segment) * 10.0).round() as i32);
        assert_eq!(tenths, [1, 1, 9, 0]);
        assert!((share(&[0.0, 2f32.ln(), 0.0], 1) - 0.5).abs() < 1e-6);
        assert!(
            (share(&[900.0, 900.0], 0) - 0.5).abs() < 1e-6,
            "no sum grows beyond all bounds"
        );
    }

    #[test]
    fn only_a_tail_that_may_hold_words_is_heard() {
        let sound = Spectrogram {
            bands: 0,
            frames: 0,
            sounding: 0,
            values: Vec::new(),
        };
        let second = |heard| {
            let mut passes = Passes::over(&sound, 20.0);
            assert!(passes.goes_on(None), "the first pass is always made");
            passes.goes_on(heard)
        };
        assert!(second(Some(1000)) && second(Some(1900)) && second(None));
        assert!(!second(Some(1940)) && !second(Some(2000)));
        assert!(!Passes::none(&sound).goes_on(None));
    }
}
