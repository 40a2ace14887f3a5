//! A set of tasks in the layouts of others' tools: Hugging Face, Inspect, Argilla, Label Studio,
//! Croissant. Each is a pure function from records to files; the command writes them.

pub mod commitment;
pub mod records;
pub mod reports;
pub mod set_lines;

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
