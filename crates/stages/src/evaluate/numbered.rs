//! A report as judges see it who name a place in it: in lines with numbers, either its sentences,
//! headings, items, rows and references, or the lines of its Markdown.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::Case;
use crate::{evidence::reading, text::find::find};

/// Lines before and after a named one in which a quote may stand: judges miscount.
const NEAR: usize = 2;

/// A report in numbered lines.
pub struct NumberedReport<'a> {
    /// The report with its task.
    pub case: Case<'a>,
    /// Read when first asked for.
    lines: OnceLock<Vec<String>>,
}

impl<'a> NumberedReport<'a> {
    /// The report of a case.
    pub fn new(case: Case<'a>) -> Self {
        Self {
            case,
            lines: OnceLock::new(),
        }
    }

    /// The report of a case in the lines of its Markdown, with its headings, lists and paragraphs
    /// as they are.
    pub fn in_markdown(case: Case<'a>) -> Self {
        // What is no line break to us may be one to a reader.
        let plain = |c: char| if c.is_control() && c != '\t' { ' ' } else { c };
        let lines = case.report.text.lines();
        let lines = lines.map(|line| line.trim_end().chars().map(plain).collect());
        Self {
            case,
            lines: OnceLock::from(lines.collect::<Vec<String>>()),
        }
    }

    /// The lines; the first one has number 1.
    pub fn lines(&self) -> &[String] {
        let read = || reading::lines(&self.case.report.text);
        self.lines.get_or_init(read)
    }

    /// The values of a prompt: `task` and `report`.
    ///
    /// A line holds no line break, so that no report can number its own.
    pub fn vars(&self) -> Value {
        let lines = self.lines().iter().zip(1..);
        let lines: Vec<String> = lines.map(|(text, n)| format!("{n} {text}")).collect();
        json!({ "task": self.case.task.text, "report": lines.join("\n") })
    }

    /// The number of the line that has a quote: the named one, else one near it.
    pub fn line_of(&self, named: usize, quote: &str) -> Option<usize> {
        let lines = self.lines();
        let near = (0..=NEAR).flat_map(|away| [named.checked_add(away), named.checked_sub(away)]);
        let mut near = near.flatten().filter(|n| (1..=lines.len()).contains(n));
        near.find(|n| find(&lines[n - 1], quote).is_some())
    }
}
