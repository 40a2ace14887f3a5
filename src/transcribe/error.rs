//! Why a recording has no transcript, in one line, with a hint that says what to do next.
//! Errors belong to one file; the other recordings of a run go on.

use std::path::PathBuf;

/// Why one recording could not be transcribed.
#[derive(Debug, thiserror::Error)]
pub enum TranscribeError {
    /// The file has no bytes.
    #[error("the file is empty: `{}`", path.display())]
    Empty {
        /// The recording.
        path: PathBuf,
    },
    /// The content is not sound in any known container.
    #[error("not a recording ({what}): `{}`", path.display())]
    NotARecording {
        /// The recording.
        path: PathBuf,
        /// What the content looks like.
        what: String,
    },
    /// The container is known, but holds no track of sound.
    #[error("no audio track: `{}`", path.display())]
    NoAudioTrack {
        /// The recording.
        path: PathBuf,
    },
    /// The codec or a feature of it cannot be decoded.
    #[error("unsupported codec ({what}): `{}`", path.display())]
    Unsupported {
        /// The recording.
        path: PathBuf,
        /// What is not supported.
        what: String,
    },
    /// The container's index or too many packets are broken.
    #[error("damaged file ({what}): `{}`", path.display())]
    Damaged {
        /// The recording.
        path: PathBuf,
        /// What is broken.
        what: String,
    },
    /// Sound that the container promises is missing.
    #[error("truncated file: {found:.1} of {promised:.1} seconds can be decoded: `{}`", path.display())]
    Truncated {
        /// The recording.
        path: PathBuf,
        /// Seconds that were decoded.
        found: f64,
        /// Seconds that the container promises.
        promised: f64,
    },
    /// There is no or hardly any sound.
    #[error("too short: {seconds:.2} seconds of sound: `{}`", path.display())]
    TooShort {
        /// The recording.
        path: PathBuf,
        /// Seconds that were decoded.
        seconds: f64,
    },
    /// There is more sound than fits into memory.
    #[error("too long: more than {hours} hours: `{}`", path.display())]
    TooLong {
        /// The recording.
        path: PathBuf,
        /// The limit.
        hours: u64,
    },
    /// Sound, but nobody speaks.
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
        /// What was asked for or heard.
        language: String,
    },
    /// Somebody is still writing to the file.
    #[error("the file changed while it was read: `{}`", path.display())]
    Growing {
        /// The recording.
        path: PathBuf,
    },
    /// The transcript that is there was edited into something else.
    #[error("not a transcript: `{}`: {what}", path.display())]
    Edited {
        /// The transcript.
        path: PathBuf,
        /// What is wrong, with line and column.
        what: String,
    },
    /// The weights could not be had.
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
        /// What it said.
        what: String,
    },
    /// A file could not be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl TranscribeError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty { .. } => "copy or record it again; an interrupted copy leaves such files".into(),
            Self::NotARecording { .. } => {
                "supported are m4a, mp4, mp3, flac, wav, ogg, opus, webm, mkv, mov and aac; check what the file is, whatever its name says".into()
            }
            Self::NoAudioTrack { .. } => "the file may hold only pictures; export it again with its sound".into(),
            Self::Unsupported { .. } => {
                "convert it first, for example `ffmpeg -i IN -ac 1 -ar 16000 OUT.flac`".into()
            }
            Self::Damaged { .. } => {
                "copy or download it again; if this is all there is, `ffmpeg -i IN OUT.flac` may save what can be played".into()
            }
            Self::Truncated { .. } => {
                "copy or download it again; to use the part that is there, cut it out with `ffmpeg -i IN OUT.flac`".into()
            }
            Self::TooShort { .. } => "record it again; a transcript needs at least a few words".into(),
            Self::TooLong { .. } => "cut the recording into parts, one seminar each".into(),
            Self::NoSpeech { .. } => "listen to it: the microphone may have been off".into(),
            Self::UnknownLanguage { .. } => "give a code such as `en`, `zh`, `zh-Hant`, `de`, or leave it out".into(),
            Self::EnglishOnly { .. } => "choose the model `auto` or `base`".into(),
            Self::Growing { .. } => "wait until it is copied or recorded, then run the same command again".into(),
            Self::Edited { .. } => "mend it, or delete it to have the recording transcribed again".into(),
            Self::Model { .. } => "run `taskgen models pull`, or name a file of whisper.cpp's ggml form".into(),
            Self::Recognition { .. } => "check the free memory and the model's file with `taskgen models list`".into(),
            Self::Io(_) => "check that the file exists, may be read, and that the disk is not full".into(),
        }
    }

    /// Whether the weights are missing, so that no other recording can be transcribed either.
    pub fn is_about_the_model(&self) -> bool {
        matches!(self, Self::Model { .. })
    }

    /// Whether nothing can be written any more.
    pub fn is_fatal(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        matches!(self, Self::Io(e) if matches!(e.kind(), StorageFull | ReadOnlyFilesystem | QuotaExceeded))
    }

    /// One word for the summary by cause.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "empty",
            Self::NotARecording { .. } => "not_a_recording",
            Self::NoAudioTrack { .. } => "no_audio_track",
            Self::Unsupported { .. } => "unsupported",
            Self::Damaged { .. } => "damaged",
            Self::Truncated { .. } => "truncated",
            Self::TooShort { .. } => "too_short",
            Self::TooLong { .. } => "too_long",
            Self::NoSpeech { .. } => "no_speech",
            Self::UnknownLanguage { .. } => "unknown_language",
            Self::EnglishOnly { .. } => "english_only",
            Self::Growing { .. } => "growing",
            Self::Edited { .. } => "edited",
            Self::Model { .. } => "model",
            Self::Recognition { .. } => "recognition",
            Self::Io(_) => "io",
        }
    }
}
