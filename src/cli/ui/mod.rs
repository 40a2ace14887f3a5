//! The user interface: printed values, progress, summaries, logs, exit codes.

pub mod exit;
pub mod log;
pub mod output;
pub mod progress;
pub mod summary;
