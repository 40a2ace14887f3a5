//! Errors of a transcription: why a recording has no transcript, in one line, with a hint on what
//! to do next. They belong to one file; the other recordings of a run go on.

use std::path::PathBuf;

use super::media::MediaError;

/// Why one recording could not be transcribed.
#[derive(Debug, thiserror::Error)]
pub enum TranscribeError {
    /// The file gives no audio.
    #[error("{error}: `{}`", path.display())]
    Media {
        /// The recording.
        path: PathBuf,
        /// What is wrong with it.
        error: MediaError,
    },
    /// Nobody speaks in the recording.
    #[error("no speech found in {seconds:.1} seconds of sound: `{}`", path.display())]
    NoSpeech {
        /// The recording.
        path: PathBuf,
        /// Length of the recording.
        seconds: f64,
    },
    /// The language is not one of Whisper's.
    #[error("unknown language: `{language}`")]
    UnknownLanguage {
        /// What was asked for.
        language: String,
    },
    /// The model cannot do the language.
    #[error("the model `{model}` only knows English, not `{language}`")]
    EnglishOnly {
        /// The model's name.
        model: String,
        /// The language that was asked for or detected.
        language: String,
    },
    /// The file is still being written.
    #[error("the file changed while it was read: `{}`", path.display())]
    Growing {
        /// The recording.
        path: PathBuf,
    },
    /// Another program is transcribing it.
    #[error("another taskgen is transcribing it: `{}`", path.display())]
    Busy {
        /// The recording.
        path: PathBuf,
    },
    /// The file of the transcript is no transcript any more, for example after an edit by hand.
    #[error("not a transcript: `{}`: {what}", path.display())]
    Edited {
        /// The transcript.
        path: PathBuf,
        /// What is wrong, with line and column.
        what: String,
    },
    /// The model's weights are not available.
    #[error("the speech model `{model}` is not available: {reason:#}")]
    Model {
        /// The model's name.
        model: String,
        /// Why.
        reason: anyhow::Error,
    },
    /// whisper.cpp failed.
    #[error("speech recognition failed ({what})")]
    Recognition {
        /// Its message.
        what: String,
    },
    /// A device had no memory for another state.
    #[error("out of memory on `{device}`")]
    OutOfMemory {
        /// The device.
        device: String,
    },
    /// The model does not run on a device.
    #[error("the speech model {what} on `{device}`")]
    Device {
        /// The device.
        device: String,
        /// Why.
        what: String,
    },
    /// Every device was left.
    #[error("no device is left to transcribe on ({what})")]
    NoDevice {
        /// Each device with the reason.
        what: String,
    },
    /// A file could not be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl TranscribeError {
    /// What the user can do about the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Media { error, .. } => error.hint(),
            Self::NoSpeech { .. } => "listen to it: the microphone may have been off".into(),
            Self::UnknownLanguage { .. } => {
                "give a code such as `en`, `zh`, `zh-Hant`, `de`, or leave it out".into()
            }
            Self::EnglishOnly { .. } => "choose the model `auto` or `base`".into(),
            Self::Growing { .. } => {
                "wait until it is copied or recorded, then run the same command again".into()
            }
            Self::Busy { .. } => {
                "let it finish; to share the work among machines, give each a `--shard`".into()
            }
            Self::Edited { .. } => {
                "correct it, or delete it to have the recording transcribed again".into()
            }
            Self::Model { .. } => {
                "run `taskgen models pull`, or name a file of whisper.cpp's ggml form".into()
            }
            Self::Recognition { .. } => {
                "check the free memory and the model's file with `taskgen models list`".into()
            }
            Self::OutOfMemory { .. } | Self::Device { .. } | Self::NoDevice { .. } => {
                "fewer `--jobs`, a smaller `--model`, or `--device cpu`; `taskgen doctor` lists the devices".into()
            }
            Self::Io(_) => {
                "check that the file exists, may be read, and that the disk is not full".into()
            }
        }
    }

    /// Whether the weights are missing, so that no other recording can be transcribed either.
    pub fn is_about_the_model(&self) -> bool {
        matches!(self, Self::Model { .. })
    }

    /// Whether nothing can be written, or nothing be recognised, any more.
    pub fn is_fatal(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        matches!(self, Self::NoDevice { .. })
            || matches!(self, Self::Io(e) if matches!(e.kind(), StorageFull | ReadOnlyFilesystem | QuotaExceeded))
    }

    /// One word for the summary by cause.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Media { error, .. } => error.cause(),
            Self::NoSpeech { .. } => "no_speech",
            Self::UnknownLanguage { .. } => "unknown_language",
            Self::EnglishOnly { .. } => "english_only",
            Self::Growing { .. } => "growing",
            Self::Busy { .. } => "busy",
            Self::Edited { .. } => "unreadable_transcript",
            Self::Model { .. } => "model",
            Self::Recognition { .. } => "recognition",
            Self::OutOfMemory { .. } => "memory",
            Self::Device { .. } | Self::NoDevice { .. } => "device",
            Self::Io(_) => "io",
        }
    }
}
