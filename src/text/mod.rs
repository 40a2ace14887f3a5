//! Pure text: sentences, words, likeness. Deliberately absent: files, models, the rest of the crate.

pub mod likeness;
pub mod sentences;
pub mod words;
