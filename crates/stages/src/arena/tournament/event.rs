//! The events of a tournament, as lines of JSON: matches that ended, and matches that failed.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::TournamentError;
use crate::{arena::matches::stop::MatchResult, stats::pairwise::Grade};

/// What a match is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A round of the Swiss tournament.
    Swiss,
    /// A step of rating a new agent.
    Onboarding,
}

/// A match of its own: two that meet again in another round play another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MatchKey {
    /// What it is played for.
    pub phase: Phase,
    /// The round, or the step, from 1.
    pub round: u32,
    /// The agent in the first seat.
    pub first: String,
    /// The agent in the second seat.
    pub second: String,
    /// The tree.
    pub tree: String,
}

impl MatchKey {
    /// The same match with the seats exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            first: self.second.clone(),
            second: self.first.clone(),
            ..self.clone()
        }
    }
}

impl fmt::Display for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            round,
            first,
            second,
            tree,
            ..
        } = self;
        // Names come from strangers: shown with their control characters escaped.
        write!(
            f,
            "round {round}, {} against {} on {}",
            first.escape_debug(),
            second.escape_debug(),
            tree.escape_debug()
        )
    }
}

/// Something that happened to a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// It ended.
    Ended {
        /// The match.
        #[serde(rename = "match")]
        key: MatchKey,
        /// Its result, by the stop rule.
        result: MatchResult,
        /// The verdicts of its rounds, in order.
        grades: Vec<Grade>,
        /// What it cost in dollars; none if that is not known.
        cost_usd: Option<f64>,
    },
    /// It ended without a result, and may be tried again.
    Failed {
        /// The match.
        #[serde(rename = "match")]
        key: MatchKey,
        /// Why, in a word that can be counted, such as `agent_timeout`.
        cause: String,
        /// What it cost in dollars; none if that is not known.
        cost_usd: Option<f64>,
    },
}

impl Event {
    /// The match that it is about.
    pub fn key(&self) -> &MatchKey {
        match self {
            Self::Ended { key, .. } | Self::Failed { key, .. } => key,
        }
    }

    /// What the match cost in dollars, as far as that is known.
    pub fn cost_usd(&self) -> Option<f64> {
        match self {
            Self::Ended { cost_usd, .. } | Self::Failed { cost_usd, .. } => *cost_usd,
        }
    }
}

impl Event {
    /// The same with its cost unknown.
    #[must_use]
    pub fn without_cost(&self) -> Self {
        let mut event = self.clone();
        match &mut event {
            Self::Ended { cost_usd, .. } | Self::Failed { cost_usd, .. } => *cost_usd = None,
        }
        event
    }
}

/// Events as JSON, one a line.
pub fn to_lines(events: &[Event]) -> Result<String, serde_json::Error> {
    let mut lines = String::new();
    for event in events {
        lines += &serde_json::to_string(event)?;
        lines.push('\n');
    }
    Ok(lines)
}

/// Events out of lines of JSON. Empty lines are passed over; the first that is no event is an
/// error, because a match that is forgotten would be played and paid for again.
pub fn from_lines(text: &str) -> Result<Vec<Event>, TournamentError> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| TournamentError::Line {
                line: at + 1,
                reason: error.to_string(),
            })
        })
        .collect()
}
