//! Commands that import, list, review, edit, select, compare and export tasks.

mod difficulty;
pub mod diversity;
mod edit;
mod export;
mod import;
pub mod listing;
mod review;
pub mod select;

use crate::cli::ui::exit::Usage;

pub use import::lines;

/// The message where there are no tasks.
const NO_TASKS: &str = "no tasks yet\nhint: `taskgen run`, or `taskgen tasks import FILE`; `taskgen status` says what is there";

/// The refusal of an id that names no task, or several.
pub fn not_one(id: &str, matching: &[&str]) -> Usage {
    const SHOWN: usize = 10;
    if matching.is_empty() {
        return Usage(format!(
            "no such task: `{id}`\nhint: `taskgen tasks list` shows the ids"
        ));
    }
    let ids = matching[..matching.len().min(SHOWN)].join(", ");
    let more = match matching.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Usage(format!(
        "several tasks begin with `{id}`\nhint: one of {ids}{more}"
    ))
}
