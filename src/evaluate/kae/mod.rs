//! Key-point-aligned evaluation (KAE): what the cited pages say about a task, and whether a report
//! supports, contradicts or omits it.

pub mod dedup;
pub mod key_points;
mod key_points_extractive;
pub mod reading;
pub mod relations;
