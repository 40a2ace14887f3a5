//! JSON files of benchmarks, typed: what they say, how they are written, and which fields and lines
//! are not as the format says.

use serde::Serialize;

use super::{Broken, Oddity, OddityKind, Style, line_ends, parse, write};
use crate::benchmarks::{
    fields::{FieldPath, Shape},
    problem::{FileRead, Problem, Spot},
};

/// A kind of file that is JSON.
pub trait Content: Shape + Serialize {
    /// Fields without which it is another file.
    const NEEDED: &'static [&'static str];
}

/// A JSON file: what it says, and how it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonFile<T> {
    /// What it says.
    pub content: T,
    /// How it is written.
    pub style: Style,
}

/// The most fields of another kind that are told one by one.
const MOST_PROBLEMS: usize = 1_000;
pub(in crate::benchmarks) const KIND_HINT: &str =
    "the field is kept as it stands and left out of every figure; mend it";
const REPEATED_HINT: &str = "the later value counts, as other readers have it; remove one of them";
const FILE_HINT: &str = "is this the right file? its folder and its name say which one is read";

impl<T: Content> JsonFile<T> {
    /// Reads a file; `name` is for messages.
    pub fn read(name: &str, bytes: &[u8]) -> Result<FileRead<Self>, Problem> {
        let text = utf8(name, bytes)?;
        let parsed = parse(text).map_err(|broken| not_json(name, broken))?;
        for needed in T::NEEDED {
            if parsed.value.get(needed).is_none() {
                let spot = Spot::Field((*needed).to_owned());
                let why = format!("no field `{needed}`");
                return Err(problem(name, spot, why, FILE_HINT));
            }
        }
        let repeated = repeated_keys(name, &parsed.oddities);
        let content = T::from_json(parsed.value).map_err(|_| {
            let why = format!("not {}", T::KIND);
            problem(name, Spot::Line(1), why, FILE_HINT)
        })?;
        let mut faults = Vec::new();
        content.faults(&mut FieldPath::default(), &mut faults);
        let untold = faults.len().saturating_sub(MOST_PROBLEMS);
        let faults = faults.into_iter().take(MOST_PROBLEMS).map(|fault| {
            let why = fault.to_string();
            problem(name, Spot::Field(fault.path), why, KIND_HINT)
        });
        let mut problems: Vec<Problem> = repeated.into_iter().chain(faults).collect();
        if untold > 0 {
            let why = format!("{untold} more fields of another kind than the format says");
            problems.push(problem(name, Spot::Line(1), why, FILE_HINT));
        }
        let style = parsed.style;
        let value = Self { content, style };
        Ok(FileRead { value, problems })
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        write(&self.content, self.style)
    }
}

impl<T> From<T> for JsonFile<T> {
    /// A file of our own, in the style of the benchmark.
    fn from(content: T) -> Self {
        let style = Style::default();
        Self { content, style }
    }
}

pub(in crate::benchmarks) fn problem(
    file: &str,
    spot: Spot,
    why: String,
    hint: &'static str,
) -> Problem {
    let file = file.to_owned();
    Problem {
        file,
        spot,
        why,
        hint,
    }
}

pub(in crate::benchmarks) fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Problem> {
    str::from_utf8(bytes).map_err(|e| {
        let line = 1 + line_ends(&bytes[..e.valid_up_to()]);
        let why = format!("not UTF-8 from byte {}", e.valid_up_to() + 1);
        problem(name, Spot::Line(line), why, "save it as UTF-8")
    })
}

pub(in crate::benchmarks) fn not_json(name: &str, broken: Broken) -> Problem {
    let Broken {
        line,
        path,
        why,
        hint,
    } = broken;
    let spot = if path.is_empty() {
        Spot::Line(line)
    } else {
        Spot::LineField(line, path)
    };
    problem(name, spot, format!("not JSON: {why}"), hint)
}

fn repeated_keys(name: &str, oddities: &[Oddity]) -> Vec<Problem> {
    let repeated = oddities
        .iter()
        .filter(|odd| odd.kind == OddityKind::RepeatedKey);
    let problems = repeated.map(|odd| {
        let spot = Spot::LineField(odd.line, odd.path.clone());
        problem(name, spot, "the key stands twice".to_owned(), REPEATED_HINT)
    });
    problems.collect()
}
