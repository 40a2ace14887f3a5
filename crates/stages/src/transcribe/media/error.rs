//! Errors of a recording's file. They hold no path, so that the decoding process can send them to
//! the one that started it.

use serde::{Deserialize, Serialize};

use crate::transcribe::discover::FORMATS;

/// Why a file gives no sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum MediaError {
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The content is no known container; what it looks like.
    #[error("not a recording ({0})")]
    NotARecording(String),
    /// The container has no audio track.
    #[error("no audio track")]
    NoAudioTrack,
    /// The codec or a feature of it cannot be decoded.
    #[error("unsupported codec ({0})")]
    Unsupported(String),
    /// The channel that was asked for is not there.
    #[error("no channel {wanted}: the recording has {channels}")]
    NoChannel {
        /// The number that was asked for, from 1.
        wanted: usize,
        /// How many there are.
        channels: usize,
    },
    /// The container's index or too many packets are broken.
    #[error("damaged file ({0})")]
    Damaged(String),
    /// Audio that the container states is missing.
    #[error("truncated file: {found:.1} of {stated:.1} seconds can be decoded")]
    Truncated {
        /// Seconds that were decoded.
        found: f64,
        /// Seconds that the container states.
        stated: f64,
    },
    /// There is hardly any audio.
    #[error("too short: {seconds:.2} seconds of sound")]
    TooShort {
        /// Seconds that were decoded.
        seconds: f64,
    },
    /// There is more audio than any seminar has.
    #[error("too long: more than {hours} hours")]
    TooLong {
        /// The limit.
        hours: u64,
    },
    /// Decoding exceeded a limit of time or memory, or its process died.
    #[error("decoding was stopped ({0})")]
    Stopped(String),
    /// The system refuses to read the file.
    #[error("{0}")]
    Unreadable(String),
}

impl From<std::io::Error> for MediaError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            // The file made its reader ask the system for a position that no file has.
            std::io::ErrorKind::InvalidInput => Self::Damaged("it points outside itself".into()),
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

impl MediaError {
    /// A damaged file, with what is wrong.
    pub fn damaged(what: &str) -> Self {
        Self::Damaged(what.into())
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::Empty => "copy or record it again; an interrupted copy leaves such files",
            Self::NotARecording(_) => {
                return format!(
                    "supported are {FORMATS}; check what the file is, whatever its name says"
                );
            }
            Self::NoAudioTrack => "the file may hold only pictures; export it again with its sound",
            Self::Unsupported(_) => {
                "convert it first, for example `ffmpeg -i IN -ac 1 -ar 16000 OUT.flac`"
            }
            Self::NoChannel { .. } => {
                "leave out --channel and `channel` in the settings, or name one that is there"
            }
            Self::Damaged(_) | Self::Stopped(_) => {
                "copy or download it again; if this is all there is, `ffmpeg -i IN OUT.flac` may save what can be played"
            }
            Self::Truncated { .. } => {
                "copy or download it again; to use the part that is there, cut it out with `ffmpeg -i IN OUT.flac`"
            }
            Self::TooShort { .. } => "record it again; a transcript needs at least a few words",
            Self::TooLong { .. } => "cut the recording into parts, one seminar each",
            Self::Unreadable(_) => "check that the file exists and may be read",
        };
        hint.to_owned()
    }

    /// One word for the summary by cause.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotARecording(_) => "not_a_recording",
            Self::NoAudioTrack => "no_audio_track",
            Self::Unsupported(_) => "unsupported",
            Self::NoChannel { .. } => "no_channel",
            Self::Damaged(_) => "damaged",
            Self::Truncated { .. } => "truncated",
            Self::TooShort { .. } => "too_short",
            Self::TooLong { .. } => "too_long",
            Self::Stopped(_) => "stopped",
            Self::Unreadable(_) => "io",
        }
    }
}
