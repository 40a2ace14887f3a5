//! Here are DR-Arena's files: what do they say, and does it follow from what its judge said? Reads
//! and writes the trees of pages and their lists, reads histories, battles, verdicts and replays,
//! and counts scores, ends, moves and bounds of answers again. Gets bytes and names; opens nothing.
//!
//! The scores of a battle stand in the order of the seats and its names in another one, so that a
//! score's sign may name the loser: [`seats`] reads the winner instead and puts the scores right. A
//! verdict that is none of the five is a finding, never a tie.

pub mod files;
pub mod moves;
pub mod recount;
pub mod seats;
#[cfg(test)]
mod tests;
pub mod tree;
