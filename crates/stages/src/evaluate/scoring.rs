//! From stored judgements to one row per report: the scores by every measure, and missing ones by
//! cause. Hides the threads.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::resume_unwind,
    sync::Arc,
    thread,
};

use anyhow::Result;

use super::{
    EVALUATORS,
    evaluator::{Fold, Record, Reported},
    facts, kae,
    scorecard::{Facets, ReportScores},
};
use crate::{
    data::{AgentReport, ReportId, State, Task, TaskId, primary_language},
    store::{Evaluation, Store},
};

/// Fewest reports that are worth a thread.
const FEWEST: usize = 1_000;

/// The reports on these tasks, scored by the judges of the newest evaluation.
pub fn scored<T: Sync>(
    store: &Store,
    tasks: &[Task],
    reports: &[AgentReport<T>],
) -> Result<Vec<ReportScores>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    scored_as(store, tasks, reports, &evaluation)
}

/// The reports on these tasks, scored by the recorded judgements of an evaluation; many of them on
/// all cores, each with its own read transaction.
pub fn scored_as<T: Sync>(
    store: &Store,
    tasks: &[Task],
    reports: &[AgentReport<T>],
    evaluation: &Evaluation,
) -> Result<Vec<ReportScores>> {
    // Read once and shared: checklists and visits are the same for every report.
    let scoring = Scoring::new(store, tasks, evaluation)?;
    // Below a thousand reports a thread's connection costs more than it saves.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = reports.len().div_ceil(cores).max(FEWEST);
    let shares: Vec<&[AgentReport<T>]> = reports.chunks(share).collect();
    if shares.len() < 2 {
        return scoring.score_all(store, reports);
    }
    let readers: Vec<Store> = shares
        .iter()
        // A connection a thread: SQLite's are not to be shared, and readers do not wait for each
        // other.
        .filter_map(|_| store.reader().transpose())
        .collect::<Result<_>>()?;
    // A database in memory has no second reader.
    if readers.len() < shares.len() {
        return scoring.score_all(store, reports);
    }
    let scoring = &scoring;
    thread::scope(|scope| {
        let threads: Vec<_> = readers
            .iter()
            .zip(shares)
            .map(|(reader, share)| scope.spawn(move || scoring.score_all(reader, share)))
            .collect();
        // Moved, not copied: a million judgements are hundreds of megabytes of scores.
        let mut scored = Vec::with_capacity(reports.len());
        // In the order of the shares, so that the result does not depend on who was first.
        for thread in threads {
            // A panic of a fold is a mistake of ours; it must not become a board without those
            // reports.
            scored.append(&mut thread.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        Ok(scored)
    })
}

/// The mean judgements of reports by report and criterion, on people's scale, as the newest
/// evaluation has them.
pub fn ratings_by_criterion<'r>(
    store: &Store,
    reports: impl IntoIterator<Item = &'r ReportId>,
) -> Result<BTreeMap<(String, String), f64>> {
    let evaluation = store.last_evaluation()?.unwrap_or_default();
    let record = Record {
        store,
        judgements: store.panel_judgements(&evaluation)?,
    };
    let mut found = BTreeMap::new();
    for report in reports.into_iter().collect::<BTreeSet<_>>() {
        // Every evaluator, asked for or not: what has no judgements gives nothing.
        for evaluator in EVALUATORS {
            for (criterion, value) in evaluator.by_criterion(&record, &evaluation, report)? {
                found.insert((report.to_string(), criterion), value);
            }
        }
    }
    Ok(found)
}

/// The data for scoring all reports, read once.
struct Scoring<'a> {
    evaluation: &'a Evaluation,
    /// With their facets, which all reports on a task share.
    tasks: BTreeMap<&'a TaskId, (&'a Task, Facets)>,
    folds: Vec<Box<dyn Fold + 'a>>,
    /// Why a visited URL gave no text; none where it gave some.
    url_failures: BTreeMap<String, Option<String>>,
    /// Pages of a report that were fetched.
    most_urls: usize,
}

impl<'a> Scoring<'a> {
    fn new(store: &Store, tasks: &'a [Task], evaluation: &'a Evaluation) -> Result<Self> {
        Ok(Self {
            evaluation,
            tasks: tasks
                .iter()
                .map(|task| (&task.id, (task, Arc::new(facets(task)))))
                .collect(),
            folds: EVALUATORS
                .iter()
                .map(|evaluator| evaluator.fold(store, tasks, evaluation))
                .collect::<Result<_>>()?,
            url_failures: store.visit_failures()?,
            most_urls: kae::most_urls(evaluation),
        })
    }

    fn score_all<T>(&self, store: &Store, reports: &[AgentReport<T>]) -> Result<Vec<ReportScores>> {
        // An evaluation may be running: all numbers of a share are of one moment.
        store.at_one_moment(|| {
            let record = Record {
                store,
                judgements: store.panel_judgements(self.evaluation)?,
            };
            let mut scored = Vec::new();
            for report in reports {
                // Reports on tasks outside the set stay in the project and out of this board.
                if let Some((task, facets)) = self.tasks.get(&report.task) {
                    scored.push(self.score(&record, task, facets, report)?);
                }
            }
            Ok(scored)
        })
    }

    fn score<T>(
        &self,
        record: &Record<'_>,
        task: &Task,
        facets: &Facets,
        report: &AgentReport<T>,
    ) -> Result<ReportScores> {
        let known = facts::of_report(record.store, report, &self.url_failures, self.most_urls)?;
        let mut row = ReportScores {
            report: report.id.to_string(),
            task: task.id.to_string(),
            agent: report.agent.clone(),
            attempt: report.attempt,
            state: report.state.word().to_owned(),
            facets: Arc::clone(facets),
            url_failures: known.url_failures,
            cost_micro: facts::cost_micro(report),
            ..ReportScores::default()
        };
        row.scores.extend(known.scores);
        // What is not a report was not judged.
        if report.state == State::Ok {
            self.fold(record, task, report, &mut row)?;
        }
        row.scores.shrink();
        Ok(row)
    }

    /// Adds what the judgements of a report come to.
    fn fold<T>(
        &self,
        record: &Record<'_>,
        task: &Task,
        report: &AgentReport<T>,
        row: &mut ReportScores,
    ) -> Result<()> {
        let reported = Reported {
            id: &report.id,
            agent: &report.agent,
        };
        for fold in &self.folds {
            let folded = fold.score(record, task, reported)?;
            row.scores.extend(folded.scores);
            row.by_judge.extend(folded.by_judge);
            row.repeated.extend(folded.repeated);
            row.criteria.extend(folded.criteria);
            // Added up over evaluators: a row says how much is missing in all.
            for (cause, n) in folded.unscored {
                *row.unscored.entry(cause).or_default() += n;
            }
        }
        Ok(())
    }
}

/// The facets of a task, for grouping a leaderboard.
pub fn facets(task: &Task) -> BTreeMap<String, String> {
    let mut facets = task.facets.labels();
    facets.insert(
        "language".to_owned(),
        primary_language(&task.language).to_owned(),
    );
    facets
}
