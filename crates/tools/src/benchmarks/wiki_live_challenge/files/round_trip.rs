//! Round trips: a file is read and written again, and what does not come out as it went in is told
//! with its cause.

use std::fmt;

use super::{
    AgenciesFile, ArticleFile, CitationFile, Content, GoldStatements, JsonFile, MarkdownFile,
    Problem, RawWiki, Spot, Summary, TaskTable, Tasks, VerifiabilityFile, WritingFile,
    json::{self, OddityKind},
    utf8,
};
use crate::benchmarks::wiki_live_challenge::layout::FileKind;

/// Why a file is not written as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A key stands twice in an object, and the later value counts.
    RepeatedKey,
    /// A number is written in an unusual way.
    Number {
        /// As it stood.
        written: String,
        /// As it is written.
        again: String,
    },
    /// Spaces, line ends, escapes or quotes are not as the benchmark's own program writes them; all
    /// values are the same.
    Spelling,
    /// Values differ: a fault of this program.
    Values,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedKey => f.write_str("the key stands twice, and the later value is kept"),
            Self::Number { written, again } => write!(f, "`{written}` is written `{again}`"),
            Self::Spelling => {
                f.write_str("other spaces, line ends, escapes or quotes, same values")
            }
            Self::Values => f.write_str("values differ; this is a fault of this program"),
        }
    }
}

/// A place at which a file is not written as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place.
    pub spot: Spot,
    /// Why.
    pub cause: Cause,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.spot, self.cause)
    }
}

/// A file read and written again.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTrip {
    /// What could not be read in it.
    pub problems: Vec<Problem>,
    /// What is not as it was; none where all bytes are.
    pub differences: Vec<Difference>,
}

/// Reads a file of a kind and writes it again.
pub fn round_trip(kind: FileKind, name: &str, bytes: &[u8]) -> Result<RoundTrip, Problem> {
    match kind {
        FileKind::TaskTable => table(name, bytes),
        FileKind::Tasks => json_file::<Tasks>(name, bytes),
        FileKind::RawWiki => json_file::<RawWiki>(name, bytes),
        FileKind::GoldStatements => json_file::<GoldStatements>(name, bytes),
        FileKind::Agencies => json_file::<AgenciesFile>(name, bytes),
        FileKind::AgencyJson => json_file::<ArticleFile>(name, bytes),
        FileKind::Writing => json_file::<WritingFile>(name, bytes),
        FileKind::Verifiability => json_file::<VerifiabilityFile>(name, bytes),
        FileKind::Citation => json_file::<CitationFile>(name, bytes),
        FileKind::Summary => {
            let read = Summary::read(name, bytes)?;
            of_json(name, bytes, &read.value.write(), read.problems)
        }
        FileKind::GoldArticle | FileKind::AgencyMarkdown => {
            let file = MarkdownFile::read(name, bytes)?;
            let same = file.write().as_bytes() == bytes;
            let differences = if same { Vec::new() } else { vec![values(1)] };
            Ok(RoundTrip {
                problems: Vec::new(),
                differences,
            })
        }
    }
}

fn json_file<T: Content>(name: &str, bytes: &[u8]) -> Result<RoundTrip, Problem> {
    let read = JsonFile::<T>::read(name, bytes)?;
    of_json(name, bytes, &read.value.write(), read.problems)
}

fn of_json(
    name: &str,
    bytes: &[u8],
    again: &str,
    problems: Vec<Problem>,
) -> Result<RoundTrip, Problem> {
    let before = utf8(name, bytes)?;
    let mut differences = Vec::new();
    if before != again {
        let broken = |broken| super::not_json(name, broken);
        let first = json::parse(before).map_err(broken)?;
        let second = json::parse(again).map_err(broken)?;
        let oddities = first.oddities.into_iter().map(|odd| Difference {
            spot: Spot::LineField(odd.line, odd.path),
            cause: match odd.kind {
                OddityKind::RepeatedKey => Cause::RepeatedKey,
                OddityKind::Number { written, again } => Cause::Number { written, again },
            },
        });
        differences.extend(oddities);
        if first.value != second.value {
            differences.push(values(first_line(before, again)));
        } else if differences.is_empty() || json::write(&first.value, first.style) != again {
            differences.push(spelling(first_line(before, again)));
        }
    }
    Ok(RoundTrip {
        problems,
        differences,
    })
}

fn table(name: &str, bytes: &[u8]) -> Result<RoundTrip, Problem> {
    let read = TaskTable::read(name, bytes)?;
    let again = read.value.write();
    let before = utf8(name, bytes)?;
    let mut differences = Vec::new();
    if before != again {
        let second = TaskTable::read(name, again.as_bytes())?.value;
        let cells = |table: &TaskTable| -> Vec<Vec<String>> {
            let rows = table.rows.iter().map(|(_, cells)| cells.clone());
            std::iter::once(table.columns.clone()).chain(rows).collect()
        };
        let line = first_line(before, &again);
        let same = cells(&read.value) == cells(&second);
        differences.push(if same { spelling(line) } else { values(line) });
    }
    Ok(RoundTrip {
        problems: read.problems,
        differences,
    })
}

fn spelling(line: usize) -> Difference {
    Difference {
        spot: Spot::Line(line),
        cause: Cause::Spelling,
    }
}

fn values(line: usize) -> Difference {
    Difference {
        spot: Spot::Line(line),
        cause: Cause::Values,
    }
}

/// The first line in which two texts differ, from 1.
fn first_line(a: &str, b: &str) -> usize {
    let same = a.split('\n').zip(b.split('\n')).take_while(|(a, b)| a == b);
    1 + same.count()
}
