//! The reports that others are compared with.

use std::collections::BTreeMap;

use super::{Case, Misconfigured};
use crate::data::{AgentReport, TaskId};

/// The first attempt of each agent at each task.
pub fn first<'a>(cases: &[Case<'a>]) -> BTreeMap<(&'a TaskId, &'a str), &'a AgentReport> {
    let mut firsts: BTreeMap<(&TaskId, &str), &AgentReport> = BTreeMap::new();
    for case in cases {
        let known = firsts
            .entry((&case.task.id, case.report.agent.as_str()))
            .or_insert(case.report);
        if case.report.attempt < known.attempt {
            *known = case.report;
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
