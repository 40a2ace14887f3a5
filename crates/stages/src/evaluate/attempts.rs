//! The reports that others are compared with.

use std::collections::BTreeMap;

use super::Misconfigured;
use crate::data::{AgentReport, ReportHead, State, Task, TaskId};

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

/// The first report of each agent on each of these tasks, by agent and task. What was late or is
/// empty is no report.
pub fn first_on<'a>(tasks: &'a [Task], heads: &'a [ReportHead]) -> Vec<(&'a ReportHead, &'a Task)> {
    let by_id: BTreeMap<&TaskId, &Task> = tasks.iter().map(|task| (&task.id, task)).collect();
    let whole = heads.iter().filter(|head| head.state == State::Ok);
    let firsts = first(whole).into_values();
    let mut firsts: Vec<(&ReportHead, &Task)> = firsts
        .filter_map(|head| Some((head, *by_id.get(&head.task)?)))
        .collect();
    firsts.sort_by_key(|(head, _)| (&head.agent, &head.task));
    firsts
}

/// The error for a reference agent without a report.
pub fn no_reference(agent: &str) -> Misconfigured {
    Misconfigured(format!(
        "the reference agent has no report on these tasks: `{agent}`\nhint: `taskgen reports import PATH --agent {agent}`"
    ))
}
