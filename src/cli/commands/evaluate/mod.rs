//! Commands that score reports and show scores.

mod board_gaps;
pub mod board_weights;
pub mod judge;
mod labels;
pub mod leaderboard;
pub mod rescore;
pub mod scoring;
