//! The languages of a recording: what is asked for, which one is spoken, and where it changes.
//! Everything here is decided from probabilities that the recogniser returned earlier.

pub mod segmentation;
pub mod span;
pub mod tag;
pub mod vote;
