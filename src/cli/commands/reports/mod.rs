//! Commands that run agents and take in their reports.

pub mod answer;
mod check;
pub mod list;
mod remove;
mod show;
