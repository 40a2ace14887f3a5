//! The state of a match: where it is in the tree, how wide it asks, the points, and what both
//! agents are reminded of. One list of rounds is the history of both: a round counts for both
//! agents or for neither, so that their histories cannot come apart.

use std::collections::BTreeSet;

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde::{Deserialize, Serialize};

use super::stop::Tally;
use crate::data::{
    MatchId, NodeId,
    arena::{MatchRules, Purpose, Score},
    id::sha256_hex,
};

/// Rounds without a verdict, by cause. None of them is a round of the match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureCounts {
    /// There was no question.
    pub question: u32,
    /// The question broke a rule that code checks.
    pub refused: u32,
    /// A alone had no answer.
    pub answer_a: u32,
    /// B alone had no answer.
    pub answer_b: u32,
    /// Neither had an answer.
    pub both_answers: u32,
    /// The judge abstained.
    pub abstained: u32,
    /// The verdict could not be had or read.
    pub invalid: u32,
}

impl FailureCounts {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.question
            + self.refused
            + self.answer_a
            + self.answer_b
            + self.both_answers
            + self.abstained
            + self.invalid
    }

    /// The counts with the seats changed.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self {
            answer_a: self.answer_b,
            answer_b: self.answer_a,
            ..self
        }
    }
}

/// A move through the tree, tried in the order of a list until one can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// Ask at the same place.
    Stay,
    /// One page more at the same level.
    Wider,
    /// To a page below.
    Deeper,
    /// To a page below, and one page more.
    DeeperAndWider,
    /// To a page of the shallowest level where the match has not been.
    Elsewhere,
}

/// What the match waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "waits_for")]
pub enum Waiting {
    /// The beginning.
    Start,
    /// A question, two answers and a verdict.
    Round,
    /// Pages below `node`.
    Expansion {
        /// The page whose links are followed.
        node: NodeId,
        /// What for.
        purpose: Purpose,
        /// Pages below it that could be asked about before.
        usable: usize,
        /// What is tried once they are there; nothing where the match is to begin again.
        then: Vec<Move>,
    },
    /// Nothing more.
    Nothing,
}

/// The state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchState {
    /// Its bounds.
    pub rules: MatchRules,
    /// The way from the root to the current page; empty before the match begins.
    pub path: Vec<NodeId>,
    /// Pages that a question is to ask about.
    pub width: u32,
    /// Pages that the last question asked about; fewer where there are no more.
    pub asked: u32,
    /// The verdicts.
    pub tally: Tally,
    /// Rounds with a verdict.
    pub rounds: u32,
    /// Expansions of the tree, those that found nothing included.
    pub expansions: u32,
    /// Rounds without a verdict.
    pub failures: FailureCounts,
    /// Failures in a row at this place.
    pub failures_here: u32,
    /// The rounds that both agents are reminded of.
    pub history: Vec<u32>,
    /// Length of the history on arriving at each page of the path but the root.
    pub snapshots: Vec<usize>,
    /// Pages that were the current one.
    pub visited: BTreeSet<NodeId>,
    /// Pages whose expansion brought nothing to ask about.
    pub exhausted: BTreeSet<NodeId>,
    /// Poor ties at the root since the match was last elsewhere.
    pub poor_ties_at_root: u32,
    /// What it waits for.
    pub waiting: Waiting,
    /// Inputs so far; what is drawn at random follows from this number.
    pub steps: u32,
}

impl MatchState {
    /// A match that has not begun.
    pub fn new(rules: MatchRules) -> Self {
        Self {
            rules,
            path: Vec::new(),
            width: rules.start_width,
            asked: 0,
            tally: Tally::default(),
            rounds: 0,
            expansions: 0,
            failures: FailureCounts::default(),
            failures_here: 0,
            history: Vec::new(),
            snapshots: Vec::new(),
            visited: BTreeSet::new(),
            exhausted: BTreeSet::new(),
            poor_ties_at_root: 0,
            waiting: Waiting::Start,
            steps: 0,
        }
    }

    /// The level of the current page, where the root is 1.
    pub fn level(&self) -> u32 {
        self.path.len() as u32
    }

    /// Whether the current page is the root.
    pub fn is_at_root(&self) -> bool {
        self.path.len() == 1
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.waiting == Waiting::Nothing
    }

    /// The points.
    pub fn score(&self) -> Score {
        let (a, b) = self.tally.points();
        Score { a, b }
    }

    /// The state with the seats changed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            tally: self.tally.mirrored(),
            failures: self.failures.mirrored(),
            ..self.clone()
        }
    }
}

/// The random numbers of one step of a match. They follow from the match's id and the number of the
/// step alone, so that nothing has to be kept to draw the same again, and the seats have no part in
/// them.
pub fn draws(id: &MatchId, step: u32) -> ChaCha8Rng {
    let hash = sha256_hex(format!("match {id} step {step}").as_bytes());
    let first = hash.get(..16).unwrap_or_default();
    ChaCha8Rng::seed_from_u64(u64::from_str_radix(first, 16).unwrap_or_default())
}
