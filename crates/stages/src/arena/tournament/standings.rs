//! Points of agents, match by match.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::arena::matches::stop::MatchResult;

/// An agent's matches so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StandingsRow {
    /// The agent.
    pub agent: String,
    /// Half points: two for a win, one for a match without a winner. A bye gives none.
    pub half_points: u32,
    /// Matches with a result.
    pub matches: u32,
    /// Matches won.
    pub wins: u32,
    /// Matches lost.
    pub losses: u32,
    /// Matches with equal points.
    pub ties: u32,
    /// Matches that a test left undecided.
    pub undecided: u32,
    /// Matches that stay without a result, because every attempt has failed.
    pub without_result: u32,
    /// Failed attempts by cause, those among them that a later attempt made good.
    pub failures: BTreeMap<String, u32>,
    /// Rounds without an opponent.
    pub byes: u32,
    /// Matches with a result in the first seat.
    pub first_seats: u32,
}

impl StandingsRow {
    /// Counts a result, seen from the agent's own seat.
    pub(super) fn add(&mut self, result: MatchResult, in_first_seat: bool) {
        self.matches += 1;
        self.first_seats += u32::from(in_first_seat);
        let own = if in_first_seat {
            result
        } else {
            result.swapped()
        };
        let (count, half_points) = match own {
            MatchResult::First => (&mut self.wins, 2),
            MatchResult::Second => (&mut self.losses, 0),
            MatchResult::Tie => (&mut self.ties, 1),
            MatchResult::Undecided => (&mut self.undecided, 1),
        };
        *count += 1;
        self.half_points += half_points;
    }

    /// Counts the failed attempts of a match, and whether it stays without a result.
    pub(super) fn add_failures(&mut self, causes: &[String], without_result: bool) {
        for cause in causes {
            *self.failures.entry(cause.clone()).or_default() += 1;
        }
        self.without_result += u32::from(without_result);
    }
}
