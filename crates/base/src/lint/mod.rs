//! Faults of form in a report: here is a report in Markdown, which faults can code find, and where?
//! Hides Markdown's lines, headings and tables; deliberately absent is any judgement of content.

mod headings;
mod images;
mod lines;
pub mod presentation;
mod rule;
mod tables;

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
