//! Commands that import, list, select, compare and export tasks.

pub mod diversity;
mod export;
mod import;
pub mod listing;
pub mod select;
