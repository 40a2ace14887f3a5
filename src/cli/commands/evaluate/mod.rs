//! Commands that score reports and show scores.

pub mod judge;
pub mod leaderboard;
pub mod rescore;
pub mod scoring;
