//! The reports that others are compared with.

use std::collections::BTreeMap;

use super::Misconfigured;
use crate::data::{AgentReport, TaskId};

/// The first attempt of each agent at each task.
pub fn first<'a, Text>(
    reports: impl IntoIterator<Item = &'a AgentReport<Text>>,
) -> BTreeMap<(&'a TaskId, &'a str), &'a AgentReport<Text>> {
    let mut firsts: BTreeMap<(&TaskId, &str), &AgentReport<Text>> = BTreeMap::new();
    for report in reports {
        let known = firsts
            .entry((&report.task, report.agent.as_str()))
            .or_insert(report);
        if report.attempt < known.attempt {
            *known = report;
        }
    }
    firsts
}

/// The error for a reference agent without a report.
pub fn no_reference(agent: &str) -> Misconfigured {
    Misconfigured(format!(
        "the reference agent has no report on these tasks: `{agent}`\nhint: `taskgen reports import PATH --agent {agent}`"
    ))
}
