//! Statistics of pairwise verdicts: ratings (Elo, Bradley–Terry, those of an arena), the choice of
//! pairs (sequential halving), and how far a judge can be believed (better than chance, position
//! bias, transitivity, calibration, agreement of a panel). Items and judges are numbers from 0; the
//! caller knows what they stand for.

pub mod better_than_chance;
pub mod bradley_terry;
pub mod calibration;
pub mod comparability;
pub mod elo;
mod grade;
pub mod halving;
pub mod panel_agreement;
pub mod position_bias;
pub mod ratings;
pub mod transitivity;
mod verdict;

pub use grade::{Grade, GradedGame};
#[cfg(test)]
pub(crate) use verdict::verdict;
pub use verdict::{PairVerdict, Predicted};
