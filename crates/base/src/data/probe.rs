//! Probes of tasks: whether a task needs research at all, and whether its deliverable can be judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Instrument, SubjectKind};

/// A question about a task.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Can it be done from memory?
    ClosedBook,
    /// Could a reader judge whether a deliverable is what the task asks for?
    Deliverable,
}

impl Probe {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClosedBook, Self::Deliverable];

    /// The labels that it can give, the best first.
    pub fn labels(self) -> &'static [ProbeLabel] {
        match self {
            Self::ClosedBook => &[
                ProbeLabel::NeedsResearch,
                ProbeLabel::PartlyKnown,
                ProbeLabel::Known,
            ],
            Self::Deliverable => &[
                ProbeLabel::Judgeable,
                ProbeLabel::Vague,
                ProbeLabel::Several,
                ProbeLabel::Missing,
            ],
        }
    }

    /// The instrument that its judgements name.
    pub fn instrument(self) -> Instrument {
        let (id, criterion, scale) = match self {
            Self::ClosedBook => (
                "probe.closed_book",
                "closed_book",
                "needs_research, partly_known, known",
            ),
            Self::Deliverable => (
                "probe.deliverable",
                "deliverable",
                "judgeable, vague, several, missing",
            ),
        };
        Instrument {
            id,
            family: "probe",
            criterion,
            scale,
            subject: SubjectKind::Task,
            letter: 'f',
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
pub enum ProbeLabel {
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

impl ProbeLabel {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::NeedsResearch => "needs_research",
            Self::PartlyKnown => "partly_known",
            Self::Known => "known",
            Self::Judgeable => "judgeable",
            Self::Vague => "vague",
            Self::Several => "several",
            Self::Missing => "missing",
        }
    }

    /// Whether a task with this label is a poor one.
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

/// The finding of a probe on one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The question.
    pub probe: Probe,
    /// The answer.
    pub outcome: ProbeLabel,
    /// One sentence: why.
    pub note: String,
    /// The model that decided.
    pub by: String,
}
