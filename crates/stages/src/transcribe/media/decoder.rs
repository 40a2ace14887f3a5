//! The decoder of a run: each file in a process of its own, so that no file can take the run down.

use std::path::{Path, PathBuf};

use super::{error::MediaError, process};
use crate::transcribe::{
    audio::{Audio, AudioWriter},
    error::TranscribeError,
};

/// Shortest recording that can hold a word, in seconds.
const MIN_SECONDS: f64 = 0.2;

/// Decodes in processes with limits of time and memory.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// This program; its command `decode` is the process.
    pub program: PathBuf,
}

impl Decoder {
    /// Decodes `path`: all channels mixed, or only `channel`, counted from 1.
    pub fn decode(&self, path: &Path, channel: Option<usize>) -> Result<Audio, TranscribeError> {
        let mut writer = AudioWriter::new()?;
        let summary = process::decode(&self.program, path, channel, &mut writer)?
            .map_err(|error| of_file(path, error))?;
        let audio = writer.finish(summary.broken_packets, summary.unfinished)?;
        if audio.seconds() < MIN_SECONDS {
            let seconds = audio.seconds();
            return Err(of_file(path, MediaError::TooShort { seconds }));
        }
        Ok(audio)
    }

    /// The length in seconds that the container states, without decoding; none where that would be
    /// a guess.
    pub fn stated_seconds(&self, path: &Path) -> Result<Option<f64>, TranscribeError> {
        process::stated_seconds(&self.program, path)?.map_err(|error| of_file(path, error))
    }
}

fn of_file(path: &Path, error: MediaError) -> TranscribeError {
    TranscribeError::Media {
        path: path.into(),
        error,
    }
}
