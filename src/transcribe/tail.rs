//! Spares the pass that whisper.cpp makes for what lies behind the last time stamp of a window: it costs as much as the
//! whole window, and where nobody speaks any more it is there that text is invented. Hides the callback that this takes.
#![expect(unsafe_code, reason = "whisper-rs has no safe way to say before which pass to stop")]

use std::ffi::c_void;

use whisper_rs::FullParams;

/// How near to the end of a window a text must come, in hundredths of a second: the padding, and what time stamps miss.
const NEAR: i64 = 80;

/// The end of a window, and the passes over it.
pub struct Tail {
    /// Hundredths of a second.
    end: i64,
    passes: usize,
    /// Whether no pass is made at all.
    shut: bool,
}

impl Tail {
    /// Of a window of so many seconds.
    pub fn new(seconds: f64) -> Self {
        Self { end: (seconds * 100.0) as i64, passes: 0, shut: false }
    }

    /// Of a window that is not heard: whisper.cpp only takes its settings in.
    pub fn shut() -> Self {
        Self { end: 0, passes: 0, shut: true }
    }

    /// Runs whisper.cpp with settings that stop it where nothing more is to be heard.
    pub fn heard<R>(
        &mut self,
        mut settings: FullParams<'static, 'static>,
        run: impl FnOnce(FullParams<'_, '_>) -> R,
    ) -> R {
        // SAFETY: the pointer is used by `begin` alone, only while `run` lasts, and by one thread at a time.
        unsafe {
            settings.set_start_encoder_callback(Some(begin));
            settings.set_start_encoder_callback_user_data(std::ptr::from_mut(self).cast());
        }
        run(settings)
    }

    /// Whether the next pass is worth it, after a text that ends at `heard`.
    fn goes_on(&mut self, heard: Option<i64>) -> bool {
        self.passes += 1;
        !self.shut && (self.passes == 1 || heard.is_none_or(|heard| heard + NEAR < self.end))
    }
}

/// whisper.cpp asks before each pass; after `false` it keeps what it has.
unsafe extern "C" fn begin(
    _: *mut whisper_rs_sys::whisper_context,
    state: *mut whisper_rs_sys::whisper_state,
    tail: *mut c_void,
) -> bool {
    // SAFETY: whisper.cpp hands over its own state, and the pointer that `heard` gave it.
    unsafe {
        let last = whisper_rs_sys::whisper_full_n_segments_from_state(state) - 1;
        let heard = (last >= 0).then(|| whisper_rs_sys::whisper_full_get_segment_t1_from_state(state, last));
        (*tail.cast::<Tail>()).goes_on(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tail_that_may_hold_words_is_heard() {
        let second = |heard| {
            let mut tail = Tail::new(20.0);
            assert!(tail.goes_on(None), "the first pass is always made");
            tail.goes_on(heard)
        };
        assert!(second(Some(1000)) && second(Some(1900)) && second(None));
        assert!(!second(Some(1940)) && !second(Some(2000)));
    }
}
