//! What somebody who did not write a task finds out about it: whether it needs research at all, and
//! whether what is handed in could be judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Can it be done from memory?
    ClosedBook,
    /// Could a reader say whether what is handed in is what was asked for?
    Deliverable,
}

impl Probe {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClosedBook, Self::Deliverable];

    /// What it can find, the best first.
    pub fn outcomes(self) -> &'static [Outcome] {
        match self {
            Self::ClosedBook => &[Outcome::NeedsResearch, Outcome::PartlyKnown, Outcome::Known],
            Self::Deliverable => &[
                Outcome::Judgeable,
                Outcome::Vague,
                Outcome::Several,
                Outcome::Missing,
            ],
        }
    }

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClosedBook => "closed book",
            Self::Deliverable => "deliverable",
        }
    }
}

/// What a probe found.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What was written from memory lacks what the task is about.
    NeedsResearch,
    /// Some of it was known.
    PartlyKnown,
    /// It was done from memory: no research is needed.
    Known,
    /// Two readers would agree on whether the deliverable is there and whole.
    Judgeable,
    /// Nobody could say when the deliverable is whole.
    Vague,
    /// Several things are to be handed in that would be judged apart.
    Several,
    /// Nothing is to be handed in.
    Missing,
}

impl Outcome {
    /// Whether a task of which this was found is a poor one.
    pub fn flags(self) -> bool {
        matches!(
            self,
            Self::Known | Self::Vague | Self::Several | Self::Missing
        )
    }

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Self::NeedsResearch => "needs research",
            Self::PartlyKnown => "partly known",
            Self::Known => "known",
            Self::Judgeable => "judgeable",
            Self::Vague => "vague",
            Self::Several => "several",
            Self::Missing => "missing",
        }
    }
}

/// What a probe found of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The question.
    pub probe: Probe,
    /// The answer.
    pub outcome: Outcome,
    /// One sentence: why.
    pub note: String,
    /// The model that decided.
    pub by: String,
}
