//! The tasks of a leaderboard, by agent: one table for each measure. Hides how many of them fit a
//! page.

use serde::Serialize;

use super::{Measure, Page, TaskRow, scale::Scale};

/// Tasks, at most.
const TASKS: usize = 500;
/// Numbers, at most.
const CELLS: usize = 50_000;

/// The tasks that are listed.
#[derive(Serialize)]
pub struct Listed<'a> {
    tasks: &'a [TaskRow],
    tables: Vec<Table>,
    n: usize,
}

#[derive(Serialize)]
struct Table {
    measure: String,
    unit: String,
    /// For each task the cell of each agent.
    rows: Vec<Vec<String>>,
}

/// The first tasks, as many as fit.
pub fn listed(page: &Page) -> Listed<'_> {
    let measures: Vec<&Measure> = page
        .measures
        .iter()
        .filter(|measure| has_values(page, measure))
        .collect();
    let cells = page.agents.len() * measures.len();
    let n = page.tasks.len().min(TASKS).min(CELLS / cells.max(1));
    let tasks = &page.tasks[..n];
    Listed {
        tasks,
        tables: measures
            .iter()
            .map(|measure| table(page, tasks, measure))
            .collect(),
        n: page.tasks.len(),
    }
}

fn has_values(page: &Page, measure: &Measure) -> bool {
    let mut scores = page.tasks.iter().flat_map(|task| task.agents.values());
    scores.any(|score| score.values.contains_key(&measure.key))
}

fn table(page: &Page, tasks: &[TaskRow], measure: &Measure) -> Table {
    let scale = Scale::for_measure(page, measure);
    let rows = tasks.iter().map(|task| {
        page.agents
            .iter()
            .map(|agent| cell(task, &agent.name, measure, &scale))
            .collect()
    });
    Table {
        measure: measure.label.clone(),
        unit: measure.unit.clone(),
        rows: rows.collect(),
    }
}

fn cell(task: &TaskRow, agent: &str, measure: &Measure, scale: &Scale) -> String {
    let Some(score) = task.agents.get(agent) else {
        return "–".to_owned();
    };
    let number = scale.number(score.values.get(&measure.key).copied().flatten());
    if ["", "ok"].contains(&score.state.as_str()) {
        number
    } else {
        format!("{number} {}", score.state)
    }
}
