//! Evaluation of reports. Each evaluator is a folder with its measures, its questions to judges and
//! its fold; this module runs them and knows each only by its line in [`EVALUATORS`]. Every
//! judgement is a fact on record; a score that could not be had is counted by cause, and never a
//! zero.

mod ace;
mod attempts;
pub mod calibrated;
mod claims;
mod deep_eval;
pub mod detail;
pub mod evaluator;
mod facts;
mod failed_judges;
pub mod file_names;
mod kae;
pub mod leaderboard;
mod library;
mod numbered;
mod options;
mod planned;
mod reference;
pub mod rescore;
pub mod scorecard;
mod scoring;
mod stances;
mod statements;
mod wiki;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;

use self::evaluator::Work;
pub use self::{
    ace::checklist::{named as checklists, named_of as checklist},
    deep_eval::{
        Drawn, Ratings, ratings as depth_ratings, result_files as live_research_bench_files,
    },
    evaluator::Evaluator,
    failed_judges::failed_judges,
    kae::decide,
    options::{Form, Options},
    scoring::{facets, ratings_by_criterion, scored, scored_as},
    wiki::{facts as wiki_facts, result_files as wiki_files, writing_criteria},
};
use crate::{
    context::{Context, StageReport},
    data::{AgentReport, MeasureDef, State, Task, TaskId},
    evidence::reading,
    store::{Evaluation, Store},
    web::Pages,
};

/// An evaluator's setting that does not fit the project, with a hint for the user.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misconfigured(pub String);

/// All evaluators, in the order in which tables show their measures.
pub static EVALUATORS: &[&dyn Evaluator] = &[
    &ace::Ace,
    &kae::Kae,
    &claims::Claims,
    &reference::Reference,
    &deep_eval::Presentation,
    &deep_eval::Coverage,
    &deep_eval::CONSISTENCY,
    &deep_eval::ASSOCIATION,
    &deep_eval::Depth,
    &deep_eval::CitationAccuracy,
    &wiki::Writing,
    &wiki::Facts,
];

/// The evaluator of a name.
pub fn evaluator(key: &str) -> Option<&'static dyn Evaluator> {
    EVALUATORS
        .iter()
        .copied()
        .find(|evaluator| evaluator.key() == key)
}

/// What a judgement under an instrument is about, in words, where more is known than its name.
pub fn item_text(
    store: &Store,
    task: &Task,
    instrument: &str,
    about: &str,
) -> Result<Option<String>> {
    let family = instrument.split('/').next().unwrap_or_default();
    match evaluator(family) {
        Some(evaluator) => evaluator.item_text(store, task, about),
        None => Ok(None),
    }
}

/// All measures: those of the evaluators, then those that no judge decides.
pub fn measures() -> impl Iterator<Item = &'static MeasureDef> {
    EVALUATORS
        .iter()
        .flat_map(|evaluator| evaluator.measures())
        .chain(&facts::MEASURES)
}

/// The measure of a key.
pub fn measure(key: &str) -> Option<&'static MeasureDef> {
    measures().find(|measure| measure.key == key)
}

/// A report with the task that it answers.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The task.
    pub task: &'a Task,
    /// The report.
    pub report: &'a AgentReport,
}

/// The tasks and reports to evaluate.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// All reports: those of others, too, say what an agent is compared with.
    pub reports: &'a [AgentReport],
    /// Only these agents are judged; all if there are none.
    pub agents: &'a [String],
    /// The evaluators.
    pub evaluators: &'a [&'static dyn Evaluator],
}

/// Asks for the judgements that are missing, and saves each at once. `now` is noted with the pages
/// that are fetched.
pub async fn run(
    ctx: &Context,
    pages: &Pages,
    subject: Subject<'_>,
    options: &Options,
    now: &str,
) -> Result<Vec<StageReport>> {
    let tasks: BTreeMap<&TaskId, &Task> =
        subject.tasks.iter().map(|task| (&task.id, task)).collect();
    let cases: Vec<Case<'_>> = subject
        .reports
        .iter()
        .filter(|report| report.state == State::Ok)
        .filter_map(|report| {
            Some(Case {
                task: tasks.get(&report.task)?,
                report,
            })
        })
        .collect();
    // The others' reports stay in `cases`: their pages are what a report is compared with.
    let is_judged =
        |case: &&Case<'_>| subject.agents.is_empty() || subject.agents.contains(&case.report.agent);
    let judged: Vec<Case<'_>> = cases.iter().filter(is_judged).copied().collect();
    // The first evaluation counts from its first judgement, whatever ends the run. Another way of
    // judging takes its place only when all is judged, so that a leaderboard never mixes the two.
    let before = ctx.store.last_evaluation()?;
    let after = next_evaluation(
        ctx,
        before.clone().unwrap_or_default(),
        subject.evaluators,
        options,
    )?;
    if before.is_none() {
        ctx.store.save_evaluation(&after)?;
    }
    // What reports cite is counted under every evaluator.
    let reports: Vec<_> = cases.iter().map(|case| case.report).collect();
    // Also where no evaluator needs it, because leaderboards count references and words.
    reading::read(&ctx.store, &reports)?;
    let work = Work {
        ctx,
        pages,
        cases: &cases,
        judged: &judged,
        options,
        now,
    };
    // What raters are told comes first, in whatever order the user names it.
    let mut evaluators = subject.evaluators.to_vec();
    evaluators.sort_by_key(|evaluator| evaluator.key() != claims::KEY);
    for evaluator in &evaluators {
        evaluator.ready(&work, &evaluators)?;
    }
    let mut stages = Vec::new();
    for evaluator in evaluators {
        stages.extend(evaluator.judge(&work).await?);
    }
    // An evaluation that equals the last one adds nothing to the list that `rescore` goes back
    // through.
    if before.is_some_and(|before| before != after) {
        ctx.store.save_evaluation(&after)?;
    }
    Ok(stages)
}

/// The judges that are to count. An evaluator that was not asked for keeps its judges.
fn next_evaluation(
    ctx: &Context,
    before: Evaluation,
    asked: &[&'static dyn Evaluator],
    options: &Options,
) -> Result<Evaluation> {
    let mut instruments = Vec::new();
    for evaluator in EVALUATORS {
        if asked.iter().any(|other| other.key() == evaluator.key()) {
            instruments.extend(evaluator.in_force(ctx, options)?);
            continue;
        }
        // By the family, since an evaluator may have had other instruments in an earlier version.
        let family = format!("{}/", evaluator.key());
        let kept = before.instruments.iter();
        instruments.extend(
            kept.filter(|entry| entry.instrument.starts_with(&family))
                .cloned(),
        );
    }
    Ok(Evaluation { instruments })
}

fn timed(stage: StageReport, started: Instant) -> StageReport {
    StageReport {
        seconds: started.elapsed().as_secs_f64(),
        ..stage
    }
}
