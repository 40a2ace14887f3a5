//! Verdicts of a ranking: the better one of two items, or the order of several.

use serde::{Deserialize, Serialize};

use super::{CallId, Decision, ItemId, Unscored};

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
    /// The better item.
    pub winner: Side,
    /// How sure the judge is, 0.5 to 1.
    pub confidence: f64,
    /// The judge's reason, if it was asked for one.
    pub reason: Option<String>,
    /// The scores of each of the two, if the judge was asked for them.
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
    /// What is stored of it, in the fields that every judgement has.
    pub fn decision(&self) -> Decision {
        Decision {
            value: Some(self.score_a()),
            label: self.winner.word().to_owned(),
            confidence: Some(self.confidence),
        }
    }

    /// Score of the item shown first, 0 to 1, as Elo takes it: the winner gets the confidence, the
    /// loser the rest (DeepResearch Arena, section on RankEval).
    pub fn score_a(&self) -> f64 {
        match self.winner {
            Side::A => self.confidence,
            Side::B => 1.0 - self.confidence,
        }
    }

    /// Points of the item shown first, as Bradley–Terry takes them: 1 for a win, 0 for a loss, ½
    /// where the judge saw no difference.
    pub fn points_a(&self) -> f64 {
        match self.winner {
            _ if self.confidence <= 0.5 => 0.5,
            Side::A => 1.0,
            Side::B => 0.0,
        }
    }
}

/// A comparison of two items, with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The item shown first.
    pub a: ItemId,
    /// The item shown second.
    pub b: ItemId,
    /// Repetition of the same question; 0 for a deterministic judge.
    pub sample: u32,
    /// The decision, or why there is none.
    pub outcome: Result<Verdict, Unscored>,
    /// The call that it was read from; none where code decided.
    pub call: Option<CallId>,
}

/// A comparison of several items shown together, with their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListComparison {
    /// The items in the order in which they were shown.
    pub shown: Vec<ItemId>,
    /// Their order, or why there is none.
    pub outcome: Result<ListOrder, Unscored>,
    /// The call that it was read from; none where code decided.
    pub call: Option<CallId>,
}

/// An order of several items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListOrder {
    /// The place of each item in the order shown; 0 is the best.
    pub places: Vec<usize>,
    /// The judge's reason, if it was asked for one.
    pub reason: Option<String>,
}
