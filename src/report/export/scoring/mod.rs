//! Reports for people to score in tools of others; `audit agreement` reads what comes back. Hides
//! which reports can be scored, and their order, which tells nothing about agents.

pub mod argilla;
pub mod label_studio;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::data::{ReportRecord, SetRecord, State, TaskId, TaskRecord};

/// The worst and the best score.
pub const SCALE: (u8, u8) = (0, 10);

/// Whether those who score may know the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agents {
    /// Nothing that is exported names them.
    Hidden,
    /// Each report has its agent and its attempt.
    Named,
}

/// The reports that people can score.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// Those with a text, of the set's tasks, in the order of their ids. An id is a hash: the order
    /// is the same each time, and an agent's reports do not stand together.
    pub rows: Vec<Row<'a>>,
    /// Attempts that ended without a report.
    pub without_text: usize,
    /// Reports of tasks that are not in the set, or were withdrawn.
    pub without_task: usize,
}

/// A report with its task.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The report.
    pub report: &'a ReportRecord,
    /// What it answers.
    pub task: &'a TaskRecord,
}

impl<'a> Sheet<'a> {
    /// The reports for a set's tasks that can be scored.
    pub fn new(set: &'a SetRecord, reports: &'a [ReportRecord]) -> Self {
        let tasks: BTreeMap<&TaskId, &TaskRecord> =
            set.records().map(|task| (&task.id, task)).collect();
        let mut sheet = Self {
            rows: Vec::new(),
            without_text: 0,
            without_task: 0,
        };
        for report in reports {
            match tasks.get(&report.task) {
                None => sheet.without_task += 1,
                Some(_) if !has_text(report) => sheet.without_text += 1,
                Some(task) => sheet.rows.push(Row { report, task }),
            }
        }
        sheet.rows.sort_by(|a, b| a.report.id.cmp(&b.report.id));
        sheet
    }
}

/// Whether an attempt ended with a report.
pub fn has_text(report: &ReportRecord) -> bool {
    report.state == State::Ok && !report.text.trim().is_empty()
}

/// An error for criteria that cannot be told apart, or not shown on one line.
pub fn check_criteria(criteria: &[String], taken: &[&str]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in criteria {
        if name.trim().is_empty() || name.contains(char::is_control) {
            bail!(
                "not a criterion's name: `{}`\nhint: it has letters, and no line breaks",
                name.escape_debug()
            );
        }
        if taken.contains(&name.as_str()) {
            bail!("the criterion's name `{name}` means something else there\nhint: rename it");
        }
        if !seen.insert(name) {
            bail!("two criteria have the name `{name}`\nhint: rename one of them");
        }
    }
    Ok(())
}
