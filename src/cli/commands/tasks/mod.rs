//! Commands that list, select, compare and export tasks.

pub mod diversity;
pub mod listing;
pub mod select;
