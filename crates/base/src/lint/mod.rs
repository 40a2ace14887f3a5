//! Here is a report in Markdown: which faults can code find in it, and where? Faults of form
//! (`presentation`, `writing`), statements that contradict each other (`consistency`), and words
//! and leads that an encyclopedia does without (`article`). Hides Markdown's lines, headings and
//! tables; no page is read and no model is asked. `dispute` looks at two sentences instead: what do
//! they differ in?

pub mod article;
pub mod consistency;
pub mod dispute;
mod headings;
mod images;
mod lines;
pub mod presentation;
mod rule;
mod tables;
mod visible;
pub mod writing;

use serde::Serialize;

pub use rule::Rule;

/// One fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: Rule,
    /// Where the fault begins in the report, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The line it begins on, from 1.
    pub line: usize,
    /// The fault in one clause, for people.
    pub what: String,
}
