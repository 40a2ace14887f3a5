//! What whisper.cpp is asked and told before each pass over a window. Before the first it is given the window's spectrogram.
//! And it is spared the pass for what lies behind the last time stamp: that costs as much as the whole window, and where
//! nobody speaks any more it is there that text is invented. Hides the callback that this takes.
#![expect(
    unsafe_code,
    reason = "whisper-rs has no safe way to hand over a spectrogram, or to say before which pass to stop"
)]

use std::ffi::c_void;

use whisper_rs::{FullParams, WhisperError};

use super::mel::Spectrogram;

/// How near to the end of a window a text must come, in hundredths of a second: the padding, and what time stamps miss.
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
    /// Whether whisper.cpp did not take the spectrogram.
    refused: bool,
}

impl<'a> Passes<'a> {
    /// Over a window that sounds like this and lasts for so many seconds.
    pub fn over(sound: &'a Spectrogram, seconds: f64) -> Self {
        Self { sound, end: (seconds * 100.0) as i64, made: 0, shut: false, refused: false }
    }

    /// Over a window that is not heard: whisper.cpp only takes it and its settings in.
    pub fn none(sound: &'a Spectrogram) -> Self {
        Self { sound, end: 0, made: 0, shut: true, refused: false }
    }

    /// Runs whisper.cpp with settings that give it the spectrogram in place of the samples, and stop it where nothing more is
    /// to be heard.
    pub fn run(
        mut self,
        mut settings: FullParams<'static, 'static>,
        run: impl FnOnce(FullParams<'_, '_>, &[f32]) -> Result<(), WhisperError>,
    ) -> Result<(), WhisperError> {
        // Otherwise it would end with the samples.
        settings.set_duration_ms(self.sound.sounding as i32 * 10);
        // SAFETY: the pointer is used by `begin` alone, only while `run` lasts, and by one thread at a time.
        unsafe {
            settings.set_start_encoder_callback(Some(begin));
            settings.set_start_encoder_callback_user_data(std::ptr::from_mut(&mut self).cast());
        }
        run(settings, &PLACEHOLDER)?;
        if self.refused { Err(WhisperError::UnableToCalculateSpectrogram) } else { Ok(()) }
    }

    /// Whether the next pass is worth it, after a text that ends at `heard`.
    fn goes_on(&mut self, heard: Option<i64>) -> bool {
        self.made += 1;
        !self.shut && !self.refused && (self.made == 1 || heard.is_none_or(|heard| heard + NEAR < self.end))
    }
}

/// whisper.cpp asks before each pass; after `false` it keeps what it has.
unsafe extern "C" fn begin(
    context: *mut whisper_rs_sys::whisper_context,
    state: *mut whisper_rs_sys::whisper_state,
    passes: *mut c_void,
) -> bool {
    // SAFETY: whisper.cpp hands over its own context and state, and the pointer that `run` gave it, which nothing else uses
    // meanwhile. The spectrogram has as many values as it is said to have, and whisper.cpp copies them.
    unsafe {
        let passes = &mut *passes.cast::<Passes<'_>>();
        let Spectrogram { values, frames, bands, .. } = passes.sound;
        let (values, frames, bands) = (values.as_ptr(), *frames as i32, *bands as i32);
        if passes.made == 0 {
            passes.refused = whisper_rs_sys::whisper_set_mel_with_state(context, state, values, frames, bands) != 0;
        }
        let last = whisper_rs_sys::whisper_full_n_segments_from_state(state) - 1;
        let heard = (last >= 0).then(|| whisper_rs_sys::whisper_full_get_segment_t1_from_state(state, last));
        passes.goes_on(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tail_that_may_hold_words_is_heard() {
        let sound = Spectrogram { bands: 0, frames: 0, sounding: 0, values: Vec::new() };
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
