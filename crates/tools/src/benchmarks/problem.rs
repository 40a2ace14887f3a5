//! Problems of strangers' files: the place, what is wrong there, and what to do.

use std::fmt;

/// Where in a file a problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A line, from 1.
    Line(usize),
    /// A field by its path.
    Field(String),
    /// A field in a line.
    LineField(usize, String),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Field(path) => write!(f, "`{path}`"),
            Self::LineField(line, path) => write!(f, "line {line}, `{path}`"),
        }
    }
}

/// A problem of a file: its place, what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {spot}: {why}\nhint: {hint}")]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// The place in it.
    pub spot: Spot,
    /// What is wrong.
    pub why: String,
    /// What to do.
    pub hint: &'static str,
}

/// A file that was read, and the fields and lines that could not be.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRead<T> {
    /// The file's value.
    pub value: T,
    /// What is of another kind than the format says; all else was read.
    pub problems: Vec<Problem>,
}
