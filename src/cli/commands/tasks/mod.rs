//! Commands that import, list, review, edit, select, compare and export tasks.

pub mod diversity;
mod edit;
mod export;
mod import;
pub mod listing;
mod review;
pub mod select;

pub use import::lines;
pub use listing::not_one;

/// The message where there are no tasks.
const NO_TASKS: &str = "no tasks yet\nhint: `taskgen run`, or `taskgen tasks import FILE`; `taskgen status` says what is there";
