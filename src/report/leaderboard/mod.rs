//! The leaderboard as a folder of pages: one summary, and one page for each task down to the span
//! in the cited page.

pub mod task;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};

use super::leaderboard_page::{
    self, Agent, Difference, Facet, FacetValue, Measure, Page, TaskRow, TaskScore, Value, Whole,
};
use crate::{
    data::{MeasureDef, ShareOf, Task, TaskId, Unit},
    evaluate::{
        detail::Details,
        facets,
        leaderboard::{self, Leaderboard, Row},
        measure, measures,
        scorecard::ReportScores,
    },
    files,
    store::Store,
};

/// Writes the summary to `path` and the tasks' pages into a folder beside it.
pub fn write(
    store: &Store,
    tasks: &[Task],
    scored: &[ReportScores],
    board: &Leaderboard,
    path: &Path,
) -> Result<()> {
    let stem = path.file_stem().map_or_else(
        || "leaderboard".into(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    // As it stands in links.
    let plain: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let folder_name = format!("{plain}-tasks");
    let folder = path.with_file_name(&folder_name);
    let href = |task: &TaskId| format!("{folder_name}/{task}.html");
    let summary = summary(tasks, scored, board, &href)?;
    let back = path
        .file_name()
        .map_or_else(String::new, |name| format!("../{}", name.to_string_lossy()));
    files::create_own_folder(&folder)?;
    let details = Details::new(store)?;
    for task in tasks {
        let Some(page) = task::html(store, task, &details, &back)? else {
            continue;
        };
        // Not flushed one by one, which would take most of the time: the summary that leads here
        // comes last.
        files::write_new(&folder.join(format!("{}.html", task.id)), page.as_bytes())?;
    }
    files::write_whole(path, summary.as_bytes())
        .context("cannot write the page\nhint: choose another place")
}

/// Tasks by id, with their facets.
pub fn with_facets(tasks: &[Task]) -> BTreeMap<String, BTreeMap<String, String>> {
    let tasks = tasks.iter();
    tasks
        .map(|task| (task.id.to_string(), facets(task)))
        .collect()
}

/// The summary as one page; `href` is the address of a task's page, relative to it.
pub fn summary(
    tasks: &[Task],
    scored: &[ReportScores],
    board: &Leaderboard,
    href: &dyn Fn(&TaskId) -> String,
) -> Result<String> {
    leaderboard_page::summary(&page(tasks, scored, board, href))
}

fn page(
    tasks: &[Task],
    scored: &[ReportScores],
    board: &Leaderboard,
    href: &dyn Fn(&TaskId) -> String,
) -> Page {
    let whole = &board.whole;
    let drawn = drawn_measures(board);
    Page {
        title: format!(
            "{} research agents on {} tasks",
            whole.agents.len(),
            whole.tasks
        ),
        facts: vec![
            ("reports".into(), whole.reports.to_string()),
            ("resamples".into(), board.options.resamples.to_string()),
            ("seed".into(), board.options.seed.to_string()),
        ],
        warnings: warnings(scored, board),
        measures: drawn.iter().map(|measure| page_measure(measure)).collect(),
        wholes: wholes(board, &drawn),
        agents: whole.agents.iter().map(|row| agent(row, &drawn)).collect(),
        families: board
            .families
            .iter()
            .flat_map(|table| &table.agents)
            .map(|row| agent(row, &drawn))
            .collect(),
        by: board
            .options
            .by
            .iter()
            .map(|name| facet(board, name, &drawn))
            .collect(),
        differences: whole.differences.iter().map(difference).collect(),
        tasks: task_rows(tasks, scored, &drawn, href),
    }
}

fn warnings(scored: &[ReportScores], board: &Leaderboard) -> Vec<String> {
    let mut warnings = Vec::new();
    if board.options.failed_as_zero {
        warnings.push("attempts that gave no report count as the worst score".to_owned());
    }
    if !board.options.weights.is_empty() {
        let weights = board.options.weights.iter();
        let weights: Vec<String> = weights
            .map(|(name, factor)| format!("{name} × {factor}"))
            .collect();
        warnings.push(format!(
            "criteria weighed otherwise: {}",
            weights.join(", ")
        ));
    }
    let has = |key: &str| scored.iter().any(|report| report.value(key).is_some());
    if has("ksr_own") && !has("ksr_independent") {
        warnings.push(
            "only one agent's pages are known: its key points are from pages that it chose itself"
                .to_owned(),
        );
    }
    warnings
}

/// The measures that the page draws: those with a scale and a value of any agent.
fn drawn_measures(board: &Leaderboard) -> Vec<&'static MeasureDef> {
    measures()
        .filter(|measure| measure.is_drawn())
        .filter(|measure| {
            let mut agents = board.whole.agents.iter();
            agents.any(|row| row.value(measure.key).is_some())
        })
        .collect()
}

fn page_measure(measure: &MeasureDef) -> Measure {
    Measure {
        key: measure.key.into(),
        label: measure.label.into(),
        unit: measure.unit.sign().into(),
        meaning: measure.meaning.into(),
        higher_is_better: measure.higher_is_better.unwrap_or(true),
        range: (0.0, measure.most.unwrap_or(1.0) * measure.unit.scale()),
    }
}

/// The key of the measure that is a share of a whole.
fn share_of(whole: &str, share: ShareOf, drawn: &[&'static MeasureDef]) -> Option<String> {
    let measure = drawn
        .iter()
        .find(|measure| measure.whole == Some((whole, share)))?;
    Some(measure.key.to_owned())
}

/// The wholes with all three shares among the drawn measures.
fn wholes(board: &Leaderboard, drawn: &[&'static MeasureDef]) -> Vec<Whole> {
    let mut titles: Vec<&str> = Vec::new();
    for (title, _) in drawn.iter().filter_map(|measure| measure.whole) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let mut wholes = Vec::new();
    for title in titles {
        let shares = (
            share_of(title, ShareOf::Supported, drawn),
            share_of(title, ShareOf::Contradicted, drawn),
            share_of(title, ShareOf::Omitted, drawn),
        );
        if let (Some(supported), Some(conflicting), Some(omitted)) = shares {
            wholes.push(Whole {
                title: title.to_owned(),
                supported,
                conflicting,
                omitted,
                efficiency: efficiencies(board, title),
            });
        }
    }
    wholes
}

/// The efficiency of each agent on a whole, which has no scale and so is no measure of the page.
fn efficiencies(board: &Leaderboard, title: &str) -> BTreeMap<String, Value> {
    let wanted = Some((title, ShareOf::Efficiency));
    let Some(measure) = measures().find(|measure| measure.whole == wanted) else {
        return BTreeMap::new();
    };
    let rows = board.whole.agents.iter();
    rows.filter_map(|row| Some((row.agent.clone(), value(measure, row.measure(measure.key)?))))
        .collect()
}

fn scaled(measure: &MeasureDef, value: Option<f64>) -> Option<f64> {
    value.map(|value| value * measure.unit.scale())
}

fn values(row: &Row, drawn: &[&'static MeasureDef]) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    for measure in drawn {
        let Some(found) = row.measure(measure.key) else {
            continue;
        };
        values.insert(measure.key.to_owned(), value(measure, found));
    }
    values
}

fn value(measure: &MeasureDef, found: &leaderboard::Measure) -> Value {
    Value {
        value: scaled(measure, found.value),
        low: scaled(measure, found.low),
        high: scaled(measure, found.high),
        worst: scaled(measure, found.worst),
        best: scaled(measure, found.best),
        n: found.n,
        of: found.of,
        failed: found.missing.clone(),
    }
}

fn agent(row: &Row, drawn: &[&'static MeasureDef]) -> Agent {
    let references = row.measure("references");
    Agent {
        name: row.agent.clone(),
        rank: row.rank,
        possible_ranks: row.possible_ranks,
        is_complete: row.is_complete,
        tier: row.tier,
        values: values(row, drawn),
        tokens: row.value("output_tokens"),
        references: row.value("references"),
        cost: row
            .value("cost_micro")
            .map(|micro| micro * Unit::MicroDollars.scale()),
        words: row.value("words"),
        states: row.states.clone(),
        urls: references.map_or(0, |found| {
            (found.value.unwrap_or(0.0) * found.n as f64).round() as u64
        }),
        url_failures: row.url_failures.clone(),
    }
}

fn facet(board: &Leaderboard, name: &str, drawn: &[&'static MeasureDef]) -> Facet {
    let mut facets = Vec::new();
    for group in board.groups.iter().filter(|group| group.facet == name) {
        let value = group.value.clone();
        let agents = group.table.agents.iter();
        facets.push(FacetValue {
            value: value.unwrap_or_else(|| "not known".to_owned()),
            agents: agents
                .map(|row| (row.agent.clone(), values(row, drawn)))
                .collect(),
        });
    }
    Facet {
        name: name.to_owned(),
        values: facets,
    }
}

fn difference(pair: &leaderboard::Pair) -> Difference {
    let scale = measure(pair.measure).map_or(1.0, |measure| measure.unit.scale());
    let scaled = |number: Option<f64>| number.map(|number| number * scale);
    Difference {
        measure: pair.measure.to_owned(),
        first: pair.first.clone(),
        second: pair.second.clone(),
        value: Some(pair.value * scale),
        low: scaled(pair.low),
        high: scaled(pair.high),
        adjusted: Some(pair.adjusted),
        n: pair.tasks,
        detectable: scaled(pair.detectable),
    }
}

fn task_rows(
    tasks: &[Task],
    scored: &[ReportScores],
    drawn: &[&'static MeasureDef],
    href: &dyn Fn(&TaskId) -> String,
) -> Vec<TaskRow> {
    let mut by_task: BTreeMap<&str, Vec<&ReportScores>> = BTreeMap::new();
    for report in scored {
        by_task.entry(&report.task).or_default().push(report);
    }
    let mut rows = Vec::new();
    for task in tasks {
        let reports = by_task.get(task.id.as_str()).map_or(&[][..], Vec::as_slice);
        let facets = reports.first().map_or_else(Vec::new, |report| {
            (*report.facets).clone().into_iter().collect()
        });
        let href = if reports.is_empty() {
            String::new()
        } else {
            href(&task.id)
        };
        rows.push(TaskRow {
            id: task.id.to_string(),
            text: task.text.clone(),
            facets,
            href,
            agents: task_scores(reports, drawn),
        });
    }
    rows
}

/// By agent; of several attempts the mean of those that have a value, and the state of the best.
fn task_scores(
    reports: &[&ReportScores],
    drawn: &[&'static MeasureDef],
) -> BTreeMap<String, TaskScore> {
    let mut attempts: BTreeMap<&str, Vec<&ReportScores>> = BTreeMap::new();
    for report in reports {
        attempts.entry(&report.agent).or_default().push(report);
    }
    attempts
        .into_iter()
        .map(|(agent, attempts)| (agent.to_owned(), task_score(&attempts, drawn)))
        .collect()
}

fn task_score(attempts: &[&ReportScores], drawn: &[&'static MeasureDef]) -> TaskScore {
    let best = attempts
        .iter()
        .find(|report| report.is_ok())
        .or(attempts.first());
    let mut values = BTreeMap::new();
    for measure in drawn {
        let found: Vec<f64> = attempts
            .iter()
            .filter_map(|report| scaled(measure, report.value(measure.key)))
            .collect();
        let mean = (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64);
        values.insert(measure.key.to_owned(), mean);
    }
    TaskScore {
        state: best.map_or_else(String::new, |report| report.state.clone()),
        values,
    }
}
