//! The ways in which a server fails, drawn from a seed: each attempt may meet one, and some items
//! are bad for ever.

use taskgen::{data::Cause, llm::Provider};

use crate::support::llm::{Play, error};

const SEED: u64 = 20_261_121;
/// Share of attempts that meet a fault.
const PASSING: f64 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    Busy,
    BusyFor(&'static str),
    Broken,
    Cut,
    Endless,
    Html,
    Half,
    Two,
    NotANumber,
    Unknown,
    Refusal,
}

/// Every fault, with what becomes of an item that meets no other.
pub const FAULTS: [(Fault, Cause); 11] = [
    (Fault::Busy, Cause::RateLimit),
    (Fault::BusyFor("0.02"), Cause::RateLimit),
    (Fault::Broken, Cause::Overloaded),
    (Fault::Cut, Cause::Connection),
    (Fault::Endless, Cause::NotJson),
    (Fault::Html, Cause::NotJson),
    (Fault::Half, Cause::NotJson),
    (Fault::Two, Cause::TwoVerdicts),
    (Fault::NotANumber, Cause::NotJson),
    (Fault::Unknown, Cause::UnknownReference),
    (Fault::Refusal, Cause::Refused),
];

/// The fault that an attempt at an item meets and a later one may not.
pub fn passing(item: u64, attempt: u64) -> Option<Fault> {
    let met = draw(&[item, 3, attempt]) < PASSING;
    met.then(|| FAULTS[(draw(&[item, 4, attempt]) * FAULTS.len() as f64) as usize].0)
}

/// A number from 0 to 1 that follows from the seed and the numbers.
pub fn draw(numbers: &[u64]) -> f64 {
    let mixed = numbers.iter().fold(SEED, |state, number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

/// The verdicts that a server can give on an item.
pub struct Words {
    /// The right one.
    pub good: String,
    /// Another one.
    pub other: String,
    /// One with a number that is none.
    pub not_a_number: String,
    /// One that names what was not shown.
    pub unknown: String,
}

/// What a server does that has these words to say.
pub fn play(provider: Provider, fault: Option<Fault>, words: Words) -> Play {
    match fault {
        None => Play::Say(words.good),
        Some(Fault::Busy) => error(provider, 429, "rate_limit_error", "slow down"),
        Some(Fault::BusyFor(seconds)) => {
            Play::Status(429, vec![("retry-after", seconds.into())], String::new())
        }
        Some(Fault::Broken) => Play::Status(500, Vec::new(), "oh".into()),
        Some(Fault::Cut) => Play::Cut,
        Some(Fault::Endless) => Play::Endless,
        Some(Fault::Html) => Play::Raw("<html>busy</html>".into()),
        Some(Fault::Half) => Play::Raw("{\"model\":\"fake-1\",\"usage\":{".into()),
        Some(Fault::Two) => Play::Say(format!("{} or {}", words.good, words.other)),
        Some(Fault::NotANumber) => Play::Say(words.not_a_number),
        Some(Fault::Unknown) => Play::Say(words.unknown),
        Some(Fault::Refusal) => Play::Decline,
    }
}
