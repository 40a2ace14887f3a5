//! Voice activity in a recording, and the windows that the recogniser gets.

pub mod activity;
pub mod windows;

use std::io;

use self::activity::SpeechActivity;
use super::audio::Audio;

/// A recording as the workers see it.
pub struct AnalyzedAudio {
    /// Its samples.
    pub audio: Audio,
    /// The stretches with speech.
    pub activity: SpeechActivity,
}

impl AnalyzedAudio {
    /// Detects the speech in `audio`.
    pub fn new(audio: Audio) -> io::Result<Self> {
        let activity = SpeechActivity::detect(&audio)?;
        Ok(Self { audio, activity })
    }
}
