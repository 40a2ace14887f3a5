//! Text processing without input or output: sentences, words, error rates. Deliberately absent:
//! files, models, other layers.

pub mod boilerplate;
pub mod claim;
pub mod error_rate;
pub mod fetched;
pub mod find;
pub mod invisible;
pub mod key_terms;
pub mod lexicon;
pub mod memorization;
pub mod months;
pub mod normalize;
pub(crate) mod numbers;
pub mod pattern;
pub mod people;
pub mod prompt_injection;
pub mod punycode;
pub mod quote_alignment;
pub mod records;
pub mod script;
pub mod sentences;
pub mod spoil;
pub(crate) mod steps;
pub mod toml_error;
pub mod topics;
pub mod traces;
pub mod url;
pub mod words;
