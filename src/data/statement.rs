//! What a report says where it cites: the statements, the citations that they carry, and where both
//! stand.

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
    /// Position of the statement that carries it; none for what only the list of references has.
    pub statement: Option<usize>,
    /// What is wrong with it, one word each.
    pub diagnosis: Vec<String>,
}

/// All that was read out of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadReport {
    /// Its length and the pages that it cites.
    pub reading: Reading,
    /// What it says where it cites, in order.
    pub statements: Vec<Statement>,
    /// What it cites, in order.
    pub citations: Vec<Citation>,
}
