//! Statements of a report with citations, and the places of both.

use super::Reading;

/// A sentence, list item or row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it begins in the document, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The document's text between the two.
    pub text: String,
}

/// A citation. Those of one mark, such as `[1, 3]`, share its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Number, author with year, or the link's text.
    pub label: Option<String>,
    /// The canonical address, if it leads to one.
    pub url: Option<String>,
    /// Where the mark begins in the document, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Position of the statement that carries it; none for an entry that only the list of
    /// references has.
    pub statement: Option<usize>,
    /// Its faults, one word each.
    pub diagnosis: Vec<String>,
}

/// The whole reading of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadReport {
    /// Its length and the pages that it cites.
    pub reading: Reading,
    /// Its statements with citations, in order.
    pub statements: Vec<Statement>,
    /// Its citations, in order.
    pub citations: Vec<Citation>,
}
