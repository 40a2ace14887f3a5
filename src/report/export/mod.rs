//! Tasks and reports in the layouts of others' tools. Records become files by pure functions; the
//! commands write them.

pub mod commitment;
pub mod data_set;
pub mod deepresearch_bench;
pub mod inspect;
mod lines;
pub mod records;
pub mod reports;
pub mod schemas;
pub mod scoring;
pub mod set_lines;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    /// Path inside the export's folder.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl ExportFile {
    /// A file of text.
    pub fn text(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            bytes: text.into().into_bytes(),
        }
    }
}
