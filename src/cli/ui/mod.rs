//! The user interface: printed values, progress, summaries, logs, exit codes.

pub mod exit;
pub mod keyboard;
pub mod log;
pub mod output;
pub mod progress;
pub mod run_head;
pub mod session;
pub mod summary;
