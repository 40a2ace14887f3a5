//! Tournaments: agents, a seed and the events so far say what is to be played next. Here is what
//! happened: who meets whom now, in which seats, on which trees? Hides pairings, byes, seats and
//! the choice of opponents for an agent that is new.
//!
//! Nothing is remembered but events: a killed run is planned again from them, to the same pairings
//! and points, and the order in which the matches of a round end plays no part. Deliberately
//! absent: clocks, files, playing.

mod error;
mod event;
mod matching;
pub mod onboarding;
mod pairing;
mod plan;
mod standings;

use serde::{Deserialize, Serialize};

pub use error::TournamentError;
pub use event::{Event, MatchKey, Phase, from_lines, to_lines};
pub use pairing::{Pairings, pair};
pub use plan::{Pairing, Plan, Round, plan};
pub use standings::StandingsRow;

/// The shape of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Rounds; see [`recommended_rounds`].
    pub rounds: u32,
    /// Names of the trees that there are.
    pub trees: Vec<String>,
    /// Trees that each pairing plays on, a match each.
    pub trees_per_pairing: u32,
    /// How often a match is tried before it stays without a result.
    pub attempts: u32,
}

impl Options {
    /// Four rounds on thirty trees, as published, and two attempts.
    pub fn published(trees: Vec<String>) -> Self {
        Self {
            rounds: 4,
            trees,
            trees_per_pairing: 30,
            attempts: 2,
        }
    }
}

/// Rounds after which a Swiss tournament has one leader: `⌈log₂ n⌉`, at least one.
pub fn recommended_rounds(agents: u32) -> u32 {
    agents.max(2).next_power_of_two().trailing_zeros()
}

/// A generator for one purpose of a tournament, so that what one round draws does not depend on
/// what another one drew.
fn generator(seed: u64, purpose: u64) -> rand::rngs::ChaCha8Rng {
    use rand::SeedableRng as _;
    rand::rngs::ChaCha8Rng::seed_from_u64(
        seed.wrapping_add(purpose.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
    )
}

#[cfg(test)]
mod tests;
