//! `taskgen report scoring`: a page for blind scoring of reports by people.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        commands::{reports::answer, sets},
        project::Project,
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    data::{AgentReport, State, Task, id::drawn_place},
    evaluate, files,
    report::scoring_page::{self, Criterion, Page, Report},
};

/// The written page.
#[derive(Serialize)]
struct Written<'a> {
    file: &'a Path,
    reports: usize,
    tasks: usize,
    /// Scores that one person can give.
    scores: usize,
}

/// Runs the command.
pub fn scoring(
    global: &Global,
    html: Option<PathBuf>,
    set: Option<&str>,
    sample: Option<usize>,
    printer: &Printer,
) -> Result<u8> {
    let project = Project::find(global)?;
    let store = project.read_or_hint()?;
    if sample == Some(0) {
        return Err(Usage(
            "--sample must be at least 1: `0`\nhint: leave it out for all reports".into(),
        )
        .into());
    }
    let tasks = sets::tasks(&store, set)?;
    let known = answer::reports(&store)?;
    answer::check_on_tasks(&known, &tasks, printer)?;
    let checklists = evaluate::checklists(&store)?;
    let drawn = drawn(&tasks, &known, project.loaded.config.seed, sample);
    if drawn.is_empty() {
        let hint = "hint: `taskgen reports list` shows how each attempt ended";
        return Err(Usage(format!("there is no report that could be scored\n{hint}")).into());
    }
    let mut reports = Vec::new();
    for (task, report) in drawn {
        let criteria = checklists.get(&task.id).into_iter().flatten();
        let criteria = criteria.map(|(name, of)| Criterion {
            name: name.clone(),
            title: of.title.clone(),
            description: of.description.clone(),
        });
        reports.push(report_on_page(task, report, criteria.collect()));
    }
    let page = Page::new(reports);
    let file = html.unwrap_or_else(|| project.tasks().join("scoring.html"));
    files::write_whole(&file, scoring_page::html(&page)?.as_bytes())
        .context("cannot write the page\nhint: choose another place with --html")?;
    let mut on: Vec<&str> = page
        .reports
        .iter()
        .map(|report| report.task.as_str())
        .collect();
    on.dedup();
    let scores = page
        .reports
        .iter()
        .map(|report| 1 + report.criteria.len())
        .sum();
    printer.show(&Written { file: &file, reports: page.reports.len(), tasks: on.len(), scores }, |written| {
        format!(
            "written: `{}`: {} reports on {} tasks, {} scores to give\nnext: open it, score, save; then `taskgen audit agreement FILE…` with the files of all people",
            written.file.display(),
            written.reports,
            written.tasks,
            written.scores
        )
    })?;
    Ok(exit::DONE)
}

/// Reports that can be scored, each with its task: so many, drawn by the seed. Their order tells
/// nothing, and stays when reports are added; reports on a task follow each other.
fn drawn<'a>(
    tasks: &'a [Task],
    reports: &'a [AgentReport],
    seed: u64,
    sample: Option<usize>,
) -> Vec<(&'a Task, &'a AgentReport)> {
    let by_id: BTreeMap<_, _> = tasks.iter().map(|task| (&task.id, task)).collect();
    let mut drawn: Vec<_> = reports
        .iter()
        .filter(|report| report.state == State::Ok)
        .filter_map(|report| Some((*by_id.get(&report.task)?, report)))
        .collect();
    // First by reports alone: a sample must not prefer the tasks that happen to come first.
    drawn.sort_by_cached_key(|(_, report)| drawn_place(seed, report.id.as_str()));
    drawn.truncate(sample.unwrap_or(usize::MAX));
    drawn.sort_by_cached_key(|(task, report)| {
        (
            drawn_place(seed, task.id.as_str()),
            drawn_place(seed, report.id.as_str()),
        )
    });
    drawn
}

/// A report as people see it, without its agent's name.
fn report_on_page(task: &Task, report: &AgentReport, criteria: Vec<Criterion>) -> Report {
    Report {
        id: report.id.to_string(),
        task: task.text.clone(),
        text: report.text.clone(),
        criteria,
    }
}
