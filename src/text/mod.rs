//! Pure text: sentences, words, likeness, error rates. Deliberately absent: files, models, the rest
//! of the crate.

pub mod agree;
pub mod citations;
pub mod error_rate;
pub mod find;
pub mod housekeeping;
pub mod invisible;
pub mod likeness;
pub mod minhash;
pub mod normalize;
mod numbers;
pub mod orders;
#[cfg(test)]
pub mod planted;
pub mod sentences;
pub mod spoken;
pub mod topics;
pub mod url;
pub mod verbatim;
pub mod words;
