//! An inspiration: an idea in a talk that research could start from, tied to the words that carry it.
//! Types and traits follow DeepResearch Arena, section on the inspiration agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InspirationId, Ms, SeminarId, TranscriptId};

/// The four types; an inspiration has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InspirationType {
    /// Something unsolved, missing or in the way.
    Limitation,
    /// A new way of doing something.
    Methodology,
    /// An idea carried from one field to another.
    #[serde(alias = "transdisciplinarity")]
    Transdisciplinary,
    /// A claim that could be tested.
    Hypothesis,
}

impl InspirationType {
    /// All types, in the order in which they are asked for.
    pub const ALL: [Self; 4] = [Self::Limitation, Self::Methodology, Self::Transdisciplinary, Self::Hypothesis];

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Limitation => "limitation",
            Self::Methodology => "methodology",
            Self::Transdisciplinary => "transdisciplinary",
            Self::Hypothesis => "hypothesis",
        }
    }

    /// The paper's label, for exports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Limitation => "Limitation",
            Self::Methodology => "Methodology",
            Self::Transdisciplinary => "Transdisciplinary",
            Self::Hypothesis => "Hypothesis",
        }
    }
}

/// The four traits; an inspiration shows at least two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trait {
    /// It is new.
    Novelty,
    /// It opens a line of work.
    Explorability,
    /// It is hard.
    Challenge,
    /// It can be checked.
    Verifiability,
}

/// An idea in a talk, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspiration {
    /// Hash of transcript, type and evidence.
    pub id: InspirationId,
    /// The recording.
    pub seminar: SeminarId,
    /// The transcript version that the evidence points into.
    pub transcript: TranscriptId,
    /// Its one type.
    pub kind: InspirationType,
    /// Its traits, at least two, sorted, each once.
    pub traits: Vec<Trait>,
    /// The model's summary, in the talk's language.
    pub text: String,
    /// Where the talk says so; at least one.
    pub evidence: Vec<Evidence>,
}

/// A span of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Index of the segment in which it begins.
    pub segment: usize,
    /// First character in the transcript's text, counted in Unicode scalar values.
    pub start_char: usize,
    /// One past the last character.
    pub end_char: usize,
    /// When it is said.
    pub start: Ms,
    /// When it ends.
    pub end: Ms,
    /// The transcript's own characters between the offsets.
    pub quote: String,
}
