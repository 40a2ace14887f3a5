//! The online variant of ratings: Elo's update, match by match.

use crate::stats::pairwise::{bradley_terry::Game, elo::gain};

/// Every agent's rating before its first match.
pub const ONLINE_START: f64 = 1000.0;

/// The most points that one match moves (K).
pub const ONLINE_K: f64 = 4.0;

/// Ratings after matches in their order (DR-Arena's second rating: K 4, scale 400, start 1000).
/// Unlike those of [`super::rate`] they depend on the order, and after few matches they still lean
/// towards the start: with K 4 an agent needs hundreds.
///
/// Games name agents below `agents`.
pub fn online(agents: usize, matches: &[Game], start: f64, k: f64) -> Vec<f64> {
    let mut ratings = vec![start; agents];
    for game in matches {
        let (first, second) = (game.first as usize, game.second as usize);
        let points = gain(ratings[first], ratings[second], game.score, k);
        ratings[first] += points;
        ratings[second] -= points;
    }
    ratings
}
