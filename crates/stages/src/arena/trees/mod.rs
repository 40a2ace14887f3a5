//! Trees of pages: what may become one, how links are chosen and typed, and what a match adds.

pub mod duplicates;
pub mod links;
#[cfg(test)]
pub(crate) mod made;
pub mod markdown;
pub mod overlay;
pub mod relation;
pub mod validation;

pub use overlay::{Overlay, OverlayFault};
