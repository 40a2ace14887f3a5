//! Here is a model's name: give me its file, checked. A file counts only with the sha256 of the
//! manifest. Hides where files come from: this disk, the publisher, a Python package, or a
//! conversion made here.

mod ct2;
mod download;
mod files;
mod ggml;
mod manifest;
pub mod mel;
mod packages;
mod pull;
mod quantize;
mod remove;
mod target;

pub use files::{Imported, Known, ModelFile, checked, import, list, sha256_once};
pub use manifest::{Convert, Kind, Manifest, Model, Packages};
pub use pull::{Places, pull};
pub use quantize::{Quantization, quantized};
pub use remove::{Removed, remove};
pub use target::Progress;

/// A model's file is missing, wrong or cannot be fetched.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ModelFileError(pub String);
