//! What one agent has on one task, measure by measure: a numerator and a denominator, or why there
//! is none. Hides that an agent may have tried more than once, that it may have failed, and that
//! much may be unknown.

use std::collections::BTreeMap;

use crate::evaluate::scorecard::{Counts, Scored};

/// Numerator and denominator.
pub type Part = (f64, f64);
/// One agent on one task.
pub type Cell<'a> = [Result<Part, &'a str>; MEASURES];

/// Where the rates of the report's own key points begin: KSR, KCR, KOR and efficiency pooled, and
/// the same again at `MEAN` with each task counting the same.
pub const OWN: usize = 0;
/// Where the rates on key points of other agents' pages begin.
pub const INDEPENDENT: usize = 8;
/// Where means over tasks stand, from where the rates begin.
pub const MEAN: usize = 4;
/// Checklist score.
pub const ACE: usize = 16;
/// Output tokens.
pub const TOKENS: usize = 17;
/// Cited URLs.
pub const REFERENCES: usize = 18;
/// Words.
pub const WORDS: usize = 19;
/// Micro-dollars.
pub const COST: usize = 20;
/// Cited URLs that gave no text, of all cited ones.
pub const URL_FAILURES: usize = 21;
/// How many there are.
pub const MEASURES: usize = 22;

/// The agent has not answered the task.
pub const NO_REPORT: &str = "no report";

/// Whether the report may be measured.
pub fn ok(report: &Scored) -> bool {
    report.state == "ok"
}

/// Tasks × agents, tasks in the order of their ids. What has several attempts has their mean; what
/// no attempt has a value for has the cause of the first.
pub fn tasks<'a>(
    reports: &[&'a Scored],
    agents: &[&str],
    failed_as_zero: bool,
) -> Vec<Vec<Cell<'a>>> {
    let mut tasks: BTreeMap<&str, Vec<&'a Scored>> = BTreeMap::new();
    for one in reports {
        tasks.entry(&one.task).or_default().push(one);
    }
    tasks
        .values()
        .map(|task| cells(task, agents, failed_as_zero))
        .collect()
}

fn cells<'a>(task: &[&'a Scored], agents: &[&str], failed_as_zero: bool) -> Vec<Cell<'a>> {
    let sizes =
        failed_as_zero.then(|| [size(task, |one| one.own), size(task, |one| one.independent)]);
    let mut attempts: Vec<Vec<Cell<'a>>> = vec![vec![]; agents.len()];
    for one in task {
        if let Ok(agent) = agents.binary_search(&&*one.agent) {
            attempts[agent].push(if ok(one) {
                of_report(one)
            } else {
                of_failure(&one.state, sizes)
            });
        }
    }
    attempts.iter().map(|attempts| averaged(attempts)).collect()
}

/// How many key points the task's reports have on average.
fn size(task: &[&Scored], of: impl Fn(&Scored) -> Option<Counts>) -> Option<f64> {
    let totals = task
        .iter()
        .filter(|one| ok(one))
        .filter_map(|one| of(one))
        .map(Counts::total);
    let totals: Vec<u64> = totals.filter(|total| *total > 0).collect();
    (!totals.is_empty()).then(|| totals.iter().sum::<u64>() as f64 / totals.len() as f64)
}

fn of_report(report: &Scored) -> Cell<'_> {
    let mut cell = [Err("not known"); MEASURES];
    cell[OWN..OWN + 8].copy_from_slice(&of_counts(report.own));
    cell[INDEPENDENT..INDEPENDENT + 8].copy_from_slice(&of_counts(report.independent));
    let mean = |value: Option<u64>| value.map(|value| (value as f64, 1.0)).ok_or("not known");
    cell[ACE] = report
        .ace
        .filter(|ace| ace.is_finite())
        .map(|ace| (ace, 1.0))
        .ok_or("unscored");
    cell[TOKENS] = mean(report.output_tokens);
    cell[REFERENCES] = mean(Some(report.references));
    cell[WORDS] = mean(Some(report.words));
    cell[COST] = mean(report.cost_micro);
    let failed = report.url_failures.values().sum::<u64>() as f64;
    cell[URL_FAILURES] = if report.references > 0 {
        Ok((failed, report.references as f64))
    } else {
        Err("no references")
    };
    cell
}

fn of_failure(state: &str, sizes: Option<[Option<f64>; 2]>) -> Cell<'_> {
    let mut cell = [Err(state); MEASURES];
    let Some(sizes) = sizes else { return cell };
    cell[ACE] = Ok((0.0, 1.0));
    for (first, size) in [OWN, INDEPENDENT].into_iter().zip(sizes) {
        if let Some(size) = size {
            cell[first..first + 8].copy_from_slice(&rates(0.0, 0.0, size).map(Ok));
        }
    }
    cell
}

fn of_counts(counts: Option<Counts>) -> [Result<Part, &'static str>; 8] {
    let counts = counts.unwrap_or_default();
    let number = |n: u64| n as f64;
    match (counts.total(), counts.unscored) {
        (0, 0) => [Err("no key points"); 8],
        (0, _) => [Err("unscored"); 8],
        _ => rates(
            number(counts.supported),
            number(counts.conflicting),
            number(counts.omitted),
        )
        .map(Ok),
    }
}

fn rates(supported: f64, conflicting: f64, omitted: f64) -> [Part; 8] {
    let others = conflicting + omitted;
    let total = supported + others;
    [
        (supported, total),
        (conflicting, total),
        (omitted, total),
        (supported, others),
        (supported / total, 1.0),
        (conflicting / total, 1.0),
        (omitted / total, 1.0),
        (supported / total, others / total),
    ]
}

fn averaged<'a>(attempts: &[Cell<'a>]) -> Cell<'a> {
    std::array::from_fn(|measure| {
        let found: Vec<Part> = attempts
            .iter()
            .filter_map(|cell| cell[measure].ok())
            .collect();
        let mean = |of: fn(&Part) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
        match (found.is_empty(), attempts.first()) {
            (false, _) => Ok((mean(|part| part.0), mean(|part| part.1))),
            (true, Some(first)) => first[measure],
            (true, None) => Err(NO_REPORT),
        }
    })
}
