//! Commands that run agents and take in their reports.

pub mod answer;
pub mod list;
mod remove;
