//! A pairwise judgement of two tasks, and its place in a ranking.

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

/// The judge's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The better task.
    pub winner: Side,
    /// How sure the judge is, 0.5 to 1.
    pub confidence: f64,
    /// The judge's reason, if it was asked for one.
    pub reason: Option<String>,
}

impl Verdict {
    /// Outcome for the task shown first, 0 to 1 (RankEval: the winner gets the confidence, the loser the rest).
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
