//! Cells of the leaderboard: one agent on one task, measure by measure, a fraction or why there is
//! none. Hides repeated attempts, failed ones, and missing values.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    data::{Average, Fraction, MeasureDef, Scores},
    evaluate::{EVALUATORS, scorecard::ReportScores},
};

/// One agent on one task: an entry a measure, in the order of the measures.
pub type Cell = Vec<Result<Fraction, Cow<'static, str>>>;

/// The agent has not answered the task.
pub const NO_REPORT: &str = "no report";
/// The report has no score by the measure.
const NOT_SCORED: &str = "unscored";

/// The reports by task: of those of the reports, and those of the set.
pub fn by_task<'a>(
    reports: &[&'a ReportScores],
    set: &[&'a str],
) -> BTreeMap<&'a str, Vec<&'a ReportScores>> {
    // Without a set, a task without any report is in nobody's favour and not in the table.
    let mut tasks: BTreeMap<&str, Vec<&ReportScores>> = BTreeMap::new();
    for report in reports {
        tasks.entry(&report.task).or_default().push(report);
    }
    for task in set {
        tasks.entry(task).or_default();
    }
    tasks
}

/// Tasks × agents, tasks in the order of their ids. Several attempts are averaged; a measure that
/// no attempt has a value of has the cause of the first.
pub fn tasks(
    measures: &[&MeasureDef],
    by_task: &BTreeMap<&str, Vec<&ReportScores>>,
    agents: &[&str],
    failed_as_zero: bool,
) -> Vec<Vec<Cell>> {
    by_task
        .values()
        .map(|reports| cells(measures, reports, agents, failed_as_zero))
        .collect()
}

fn cells(
    measures: &[&MeasureDef],
    reports: &[&ReportScores],
    agents: &[&str],
    failed_as_zero: bool,
) -> Vec<Cell> {
    let failed = if failed_as_zero {
        scores_of_failure(reports)
    } else {
        Scores::default()
    };
    let mut attempts: Vec<Vec<Cell>> = vec![vec![]; agents.len()];
    for report in reports {
        // In a table of one facet, agents of other groups are not asked for.
        let Ok(agent) = agents.binary_search(&&*report.agent) else {
            continue;
        };
        let cell = if report.is_ok() {
            cell(measures, &report.scores, || NOT_SCORED.into())
        } else {
            cell(measures, &failed, || report.state.clone().into())
        };
        attempts[agent].push(cell);
    }
    attempts
        .into_iter()
        .map(|attempts| averaged(measures.len(), attempts))
        .collect()
}

fn cell(
    measures: &[&MeasureDef],
    scores: &Scores,
    missing: impl Fn() -> Cow<'static, str>,
) -> Cell {
    measures
        .iter()
        .map(|measure| match scores.get(measure.key) {
            Some(score) => score.outcome.clone().map(|found| match measure.average {
                // Each task counts the same, however much the score rests on.
                Average::PerTask if found.denominator > 0.0 => Fraction::new(found.value(), 1.0),
                _ => found,
            }),
            None => Err(missing()),
        })
        .collect()
}

/// The scores of a failed attempt by each measure's own rule, beside the task's other reports.
pub fn scores_of_failure(reports: &[&ReportScores]) -> Scores {
    let others: Vec<&ReportScores> = reports
        .iter()
        .copied()
        .filter(|report| report.is_ok())
        .collect();
    EVALUATORS
        .iter()
        .flat_map(|evaluator| evaluator.failed(&others))
        .collect()
}

fn averaged(measures: usize, mut attempts: Vec<Cell>) -> Cell {
    // Moved, because most boards have one attempt each.
    if attempts.len() == 1 {
        return attempts.swap_remove(0);
    }
    (0..measures)
        .map(|measure| {
            let Some(first) = attempts.first() else {
                return Err(NO_REPORT.into());
            };
            let found: Vec<Fraction> = attempts
                .iter()
                .filter_map(|cell| cell[measure].as_ref().ok().copied())
                .collect();
            // Of several causes the first attempt's counts, since that is what an agent did first.
            if found.is_empty() {
                return first[measure].clone();
            }
            let n = found.len() as f64;
            Ok(Fraction::new(
                // Numerators and denominators apart: a pooled share weighs attempts by their size.
                found.iter().map(|of| of.numerator).sum::<f64>() / n,
                found.iter().map(|of| of.denominator).sum::<f64>() / n,
            ))
        })
        .collect()
}
