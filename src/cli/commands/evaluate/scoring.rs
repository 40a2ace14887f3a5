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
        commands::reports::answer,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::Printer,
        },
    },
    data::{State, id::drawn_place},
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
    let tasks = answer::tasks_in_set(&store, set)?;
    let known = answer::reports(&store)?;
    answer::check_on_tasks(&known, &tasks, printer)?;
    let checklists = evaluate::checklists(&store)?;
    let seed = project.loaded.config.seed;
    let by_id: BTreeMap<_, _> = tasks.iter().map(|task| (&task.id, task)).collect();
    let mut reports: Vec<_> = known
        .iter()
        .filter(|report| report.state == State::Ok)
        .filter_map(|report| Some((*by_id.get(&report.task)?, report)))
        .collect();
    // An order that tells nothing, and stays when reports are added. Reports on a task follow each
    // other.
    reports.sort_by_cached_key(|(_, report)| drawn_place(seed, report.id.as_str()));
    reports.truncate(sample.unwrap_or(usize::MAX));
    reports.sort_by_cached_key(|(task, report)| {
        (
            drawn_place(seed, task.id.as_str()),
            drawn_place(seed, report.id.as_str()),
        )
    });
    if reports.is_empty() {
        let hint = "hint: `taskgen reports list` shows how each attempt ended";
        return Err(Usage(format!("there is no report that could be scored\n{hint}")).into());
    }
    let reports: Vec<Report> = reports
        .into_iter()
        .map(|(task, report)| {
            let criteria = checklists.get(&task.id).into_iter().flatten();
            let criteria = criteria.map(|(name, of)| Criterion {
                name: name.clone(),
                title: of.title.clone(),
                description: of.description.clone(),
            });
            Report {
                id: report.id.to_string(),
                task: task.text.clone(),
                text: report.text.clone(),
                criteria: criteria.collect(),
            }
        })
        .collect();
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
