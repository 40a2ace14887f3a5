//! How good are reports? Against key points of web pages (KAE) and by a checklist written for the
//! task (ACE). Hides pages, key points, their merging, the questions to the models and the folds.
//! Every judgement is a fact on record; a score that could not be had is counted by cause, and
//! never a zero.
//!
//! **Measures** how much of what the cited pages say a report supports, contradicts or omits; how
//! well it meets what its task asks for. **Method**: DeepResearch Arena, sections on KAE and ACE.
//! **Differs from the paper**: key points whose spans are not in the page are left out and counted;
//! merging is defined and on record; beside the report's own pages there is an independent set, of
//! the pages that the other agents cite; criteria are written once and frozen; nothing is rated by
//! who wrote it unless the user binds one model to both roles. **Cost**: a call per part of a page,
//! one per report and key point, one per task, one per report and criterion.

mod ace;
pub mod detail;
mod kae;
pub mod leaderboard;
pub mod rescore;
pub mod scorecard;
mod scoring;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use scoring::{decided, scored, scored_as};

use self::{
    ace::rating,
    kae::{dedup, key_points, reading, relations},
};
use crate::{
    context::{Context, StageReport},
    data::{AgentReport, State, Task, TaskId},
    store::Evaluation,
    web::Pages,
};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Key points of the cited pages: supported, contradicted, omitted
    Kae,
    /// A checklist written for the task, rated criterion by criterion
    Ace,
}

/// How to evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Key points asked for per part of a page.
    pub points: usize,
    /// Characters of a page that a model reads at once; 0 lets the model's size decide.
    pub part: usize,
    /// Parts of a page that are read; the rest is left out, and said.
    pub parts: usize,
    /// Key points are one where they are at least so alike (Jaccard index).
    pub near: f64,
    /// How often each criterion is rated.
    pub repeats: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            points: 8,
            part: 0,
            parts: 6,
            near: dedup::THRESHOLD,
            repeats: 1,
        }
    }
}

impl Options {
    /// What is wrong with the values.
    pub fn check(&self) -> Result<(), String> {
        let most = |name: &str, value: u64, range: std::ops::RangeInclusive<u64>| {
            let (low, high) = (range.start(), range.end());
            let problem = || format!("evaluate.{name} must be between {low} and {high}: `{value}`");
            if range.contains(&value) {
                Ok(())
            } else {
                Err(problem())
            }
        };
        most("points", self.points as u64, 1..=30)?;
        most("part", self.part as u64, 0..=1_000_000)?;
        most("parts", self.parts as u64, 1..=1000)?;
        most("repeats", self.repeats.into(), 1..=20)?;
        if !(self.near > 0.0 && self.near <= 1.0) {
            return Err(format!(
                "evaluate.near must be above 0 and at most 1: `{}`",
                self.near
            ));
        }
        Ok(())
    }
}

/// A report with the task that it answers.
#[derive(Clone, Copy)]
struct Case<'a> {
    task: &'a Task,
    report: &'a AgentReport,
}

/// What is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// All reports: those of others, too, say what an agent is compared with.
    pub reports: &'a [AgentReport],
    /// Only these agents are judged; all if there are none.
    pub agents: &'a [String],
    /// What is measured.
    pub metrics: &'a [Metric],
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
    let Subject {
        tasks,
        reports,
        agents,
        metrics,
    } = subject;
    let by_id: BTreeMap<&TaskId, &Task> = tasks.iter().map(|task| (&task.id, task)).collect();
    let cases: Vec<Case<'_>> = reports
        .iter()
        .filter(|report| report.state == State::Ok)
        .filter_map(|report| {
            Some(Case {
                task: by_id.get(&report.task)?,
                report,
            })
        })
        .collect();
    let judged: Vec<Case<'_>> = cases
        .iter()
        .copied()
        .filter(|case| agents.is_empty() || agents.contains(&case.report.agent))
        .collect();
    let (kae, ace) = (
        metrics.contains(&Metric::Kae),
        metrics.contains(&Metric::Ace),
    );
    // The first evaluation counts from its first judgement, whatever ends the run. Another way of
    // judging takes its place when it has judged all.
    let before = ctx.store.last_evaluation()?;
    let now_on = by_now(ctx, before.clone().unwrap_or_default(), metrics, options)?;
    if before.is_none() {
        ctx.store.save_evaluation(&now_on)?;
    }
    let readings = reading::of(&ctx.store, &cases)?;
    let mut stages = Vec::new();
    if kae {
        let started = Instant::now();
        let (library, stage) = reading::fetch(ctx, pages, &cases, &readings, now).await?;
        stages.push(timed(stage, started));
        let started = Instant::now();
        let (found, stage) = key_points::find_in(ctx, &library, options).await?;
        stages.push(timed(stage, started));
        let started = Instant::now();
        stages.push(timed(
            relations::relate(ctx, &judged, &library, &found, options).await?,
            started,
        ));
    }
    if ace {
        let started = Instant::now();
        let (checklists, stage) = rating::write(ctx, &judged).await?;
        stages.push(timed(stage, started));
        let started = Instant::now();
        stages.push(timed(
            rating::rate(ctx, &judged, &checklists, options).await?,
            started,
        ));
    }
    if before.is_some_and(|before| before != now_on) {
        ctx.store.save_evaluation(&now_on)?;
    }
    Ok(stages)
}

fn timed(stage: StageReport, started: Instant) -> StageReport {
    StageReport {
        seconds: started.elapsed().as_secs_f64(),
        ..stage
    }
}

/// Whose judgements are to count. A metric that was not asked for keeps its judges.
fn by_now(
    ctx: &Context,
    before: Evaluation,
    metrics: &[Metric],
    options: &Options,
) -> Result<Evaluation> {
    let judges = |role: &'static str, prompt: &str| -> Result<Vec<(String, String)>> {
        let member = |member| {
            Ok((
                ctx.llm.model_name(role, member)?,
                ctx.llm.prompt_hash(prompt)?,
            ))
        };
        (0..ctx.llm.members(role)).map(member).collect()
    };
    let (kae, ace) = (
        metrics.contains(&Metric::Kae),
        metrics.contains(&Metric::Ace),
    );
    Ok(Evaluation {
        points: if kae {
            key_points::instrument(ctx, options)?
        } else {
            before.points
        },
        relation: if kae {
            judges("judge", relations::PROMPT)?
        } else {
            before.relation
        },
        rating: if ace {
            judges("rate", rating::RATING)?
        } else {
            before.rating
        },
        repeats: if ace { options.repeats } else { before.repeats },
    })
}
