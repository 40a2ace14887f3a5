//! What a judge of tasks says: which of two is better, or in which order several stand.

use serde::{Deserialize, Serialize};

use super::{CallId, TaskId, Unscored};

/// Which of the two shown tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Side {
    /// The one shown first.
    A,
    /// The one shown second.
    B,
}

impl Side {
    /// The letter that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// The judge's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The better task.
    pub winner: Side,
    /// How sure the judge is, 0.5 to 1.
    pub confidence: f64,
    /// The judge's reason, if it was asked for one.
    pub reason: Option<String>,
    /// What it gave each of the two, if it was asked to.
    pub scores: Option<[Criteria; 2]>,
}

/// Five criteria, each 1 to 5 (RankEval).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criteria {
    /// One reading is enough to know what is asked.
    pub clarity: u8,
    /// A researcher could begin today and would know when the work is done.
    pub actionability: u8,
    /// The question has no ready-made answer.
    pub novelty: u8,
    /// Its difficulty fits what it asks for.
    pub depth_fit: u8,
    /// Subject, method and deliverable belong together.
    pub consistency: u8,
}

impl Criteria {
    /// All five.
    pub fn all(&self) -> [u8; 5] {
        [
            self.clarity,
            self.actionability,
            self.novelty,
            self.depth_fit,
            self.consistency,
        ]
    }

    /// Their sum, which decides.
    pub fn sum(&self) -> u32 {
        self.all().iter().map(|score| u32::from(*score)).sum()
    }
}

impl Verdict {
    /// Outcome for the task shown first, 0 to 1 (RankEval: the winner gets the confidence, the
    /// loser the rest).
    pub fn score_a(&self) -> f64 {
        match self.winner {
            Side::A => self.confidence,
            Side::B => 1.0 - self.confidence,
        }
    }

    /// What the task shown first got in a game: 1, 0, or ½ where the judge saw no difference.
    pub fn outcome(&self) -> f64 {
        match self.winner {
            _ if self.confidence <= 0.5 => 0.5,
            Side::A => 1.0,
            Side::B => 0.0,
        }
    }
}

/// One comparison of a ranking: what was shown, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The task shown first.
    pub a: TaskId,
    /// The task shown second.
    pub b: TaskId,
    /// Repetition of the same question; 0 for a deterministic judge.
    pub sample: u32,
    /// The decision, or why there is none.
    pub outcome: Result<Verdict, Unscored>,
    /// The call that it was read from.
    pub call: CallId,
}

/// Several tasks shown together, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lineup {
    /// The tasks in the order in which they were shown.
    pub shown: Vec<TaskId>,
    /// Their order, or why there is none.
    pub outcome: Result<Ordered, Unscored>,
    /// The call that it was read from.
    pub call: CallId,
}

/// An order of several tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ordered {
    /// The place of each task that was shown; 0 is the best.
    pub places: Vec<usize>,
    /// The judge's reason, if it was asked for one.
    pub reason: Option<String>,
}
