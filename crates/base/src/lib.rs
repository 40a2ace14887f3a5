//! What everything stands on: the nouns, pure functions of text and numbers, files, and processes
//! behind limits. Nothing here calls a model, opens a socket or knows the database.

pub mod citations;
pub mod data;
pub mod files;
pub mod isolation;
pub mod lint;
pub mod stats;
pub mod text;
