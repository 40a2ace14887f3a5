//! What a user may want to know of a recording's transcription beside the text. Nothing is dropped
//! silently: each correction is counted here.

use serde::{Deserialize, Serialize};

use crate::{data::Ms, transcribe::language::span::LanguageSpan};

/// What was dropped, repeated and left doubtful while a recording was transcribed. `NAME.meta.json`
/// and the journal hold it, hence the names of its fields in JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostics {
    /// Phrases dropped because nobody speaks where they were recognised, or because they are a
    /// guess to the model itself.
    pub dropped: usize,
    /// Loops of the recogniser that were cut down to one round.
    pub loops: usize,
    /// Windows that were decoded again in other ways, because their text was doubtful.
    #[serde(rename = "heard_again")]
    pub retried: usize,
    /// Retried windows whose text is no longer doubtful.
    #[serde(rename = "mended")]
    pub resolved: usize,
    /// Text that is kept and still doubtful.
    pub doubtful: Vec<DoubtfulSpan>,
    /// Which language is spoken when, if several were allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<LanguageSpan>,
    /// Packets that could not be decoded.
    pub broken_packets: usize,
    /// Whether the file lacks its end mark: it may have been cut off.
    pub unfinished: bool,
}

impl Diagnostics {
    /// Adds the diagnostics of another part of the same recording.
    pub fn add(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.loops += other.loops;
        self.retried += other.retried;
        self.resolved += other.resolved;
        self.doubtful.extend(other.doubtful);
        self.languages.extend(other.languages);
        self.broken_packets += other.broken_packets;
        self.unfinished |= other.unfinished;
    }
}

/// A stretch of the recording whose text is kept, and may be wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoubtfulSpan {
    /// Where it begins.
    pub start: Ms,
    /// Where it ends.
    pub end: Ms,
    /// The reasons for doubt.
    pub reasons: Vec<QualityIssue>,
}

/// A reason to doubt the text of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QualityIssue {
    /// The recogniser repeated a word or phrase without end.
    Loops,
    /// The text repeats itself.
    Repeats,
    /// The model itself finds the text unlikely.
    Unlikely,
    /// Nobody speaks so fast.
    TooFast,
    /// Speech has no text, or far too little.
    Lost,
}

impl QualityIssue {
    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Loops => "looped",
            Self::Repeats => "repeated",
            Self::Unlikely => "unlikely to the model itself",
            Self::TooFast => "faster than people speak",
            Self::Lost => "with speech without text",
        }
    }
}
