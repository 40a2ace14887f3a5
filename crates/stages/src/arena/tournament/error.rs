//! Why a tournament cannot be planned.

use super::MatchKey;

/// Agents, options or events that make no tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TournamentError {
    /// Fewer than two agents.
    #[error("a tournament needs two agents, and there are {0}\nhint: name more of them")]
    FewAgents(usize),
    /// An agent that is named twice.
    #[error("an agent plays twice: `{0}`\nhint: name each agent once")]
    TwiceNamed(String),
    /// An option without rounds, matches or attempts.
    #[error("nothing to play with {what} 0\nhint: allow at least 1")]
    Nothing {
        /// The option.
        what: &'static str,
    },
    /// Fewer trees than a pairing needs.
    #[error(
        "{wanted} trees a pairing, and there are {found}\nhint: add trees, or play fewer a pairing"
    )]
    FewTrees {
        /// Trees that a pairing plays on.
        wanted: u32,
        /// Different trees that there are.
        found: usize,
    },
    /// An event about a match that this tournament does not have.
    #[error(
        "no such match in this tournament: `{0}`\n\
         hint: agents, seed, trees and options must be those that it began with"
    )]
    UnknownMatch(MatchKey),
    /// A second result, or a result after the last attempt has failed.
    #[error("this match is settled already: `{0}`\nhint: take the later of its events out")]
    Settled(MatchKey),
    /// An event of a round that is not open yet.
    #[error(
        "round {round} is not open, because matches of round {open} are missing\n\
         hint: events of round {open} may have been lost"
    )]
    NotOpen {
        /// The event's round.
        round: u32,
        /// The round that is being played.
        open: u32,
    },
    /// A line that is no event.
    #[error(
        "not an event in line {line}: {reason}\n\
         hint: a line that a killed run left unfinished may be taken out"
    )]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A number of the board or of the onboarding options that is out of range.
    #[error("{what} must be a number above 0: `{value}`\nhint: {hint}")]
    NotPositive {
        /// The number's name.
        what: &'static str,
        /// The number.
        value: String,
        /// What to do.
        hint: &'static str,
    },
}
