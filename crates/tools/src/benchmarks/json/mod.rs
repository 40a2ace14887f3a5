//! JSON as Python writes it: values with the style of their file, so that writing gives the same
//! bytes. Numbers are read to the nearest, because a stored mean must come out to its last digit;
//! repeated keys, which other readers drop in silence, are told.

pub(super) mod file;
mod parse;
mod strings;
mod write;

pub use file::{Content, JsonFile};
pub(super) use parse::line_ends;
pub use parse::parse;
pub use write::{python_float, write};

use serde_json::Value;

/// The most lists and objects inside each other.
pub const DEEPEST: usize = 128;

/// How values are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One value a line, with so many spaces a level.
    Indented(usize),
    /// One line, with a space after commas and colons.
    OneLine,
    /// One line without spaces.
    Compact,
}

/// The style of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// How values are laid out.
    pub layout: Layout,
    /// Whether characters outside ASCII are escaped.
    pub ascii: bool,
    /// Whether the last line is ended.
    pub last_newline: bool,
    /// Whether a byte order mark comes first.
    pub mark: bool,
}

impl Default for Style {
    /// The style of nearly all files of the benchmark.
    fn default() -> Self {
        Self {
            layout: Layout::Indented(2),
            ascii: false,
            last_newline: false,
            mark: false,
        }
    }
}

/// A value with the style of its text, and what writing cannot give back.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// The style.
    pub style: Style,
    /// What the value does not keep, in the order of the text.
    pub oddities: Vec<Oddity>,
}

/// Something in a text that its value does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Line, from 1.
    pub line: usize,
    /// Path of the field.
    pub path: String,
    /// What it is.
    pub kind: OddityKind,
}

/// The kind of an oddity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OddityKind {
    /// A key stands twice in an object; the later value counts.
    RepeatedKey,
    /// A number that would be written in another way, such as `1.50` or one beyond 64 bits.
    Number {
        /// As it is written.
        written: String,
        /// As it would be.
        again: String,
    },
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Line, from 1.
    pub line: usize,
    /// Path of the value that could not be read; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub why: String,
    /// What to do.
    pub hint: &'static str,
}
