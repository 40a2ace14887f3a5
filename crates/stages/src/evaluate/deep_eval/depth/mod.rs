//! Depth of analysis: which of two reports on a task goes deeper?
//!
//! **Measures** the win rate against a reference agent, wins over wins and losses, once with each
//! decision counted and once with the two orders averaged; the points that a report wins against
//! all others on its task (a tie is half a point); and how often both orders agree. **Method**
//! LiveResearchBench (arXiv 2510.14240), analysis depth: five dimensions from 0 to 5, both orders,
//! totals that differ by at most 1 are a tie. **Differs from it**: the judge rates both and names
//! no winner: that follows from the totals; without a decisive game there is no rate, and not 0;
//! and reports are compared with each other, because most lose every game against one reference.
//! **Cost** two calls per pair and judge: a pair is each report with the reference's, or each two
//! reports on a task.
//!
//! `[evaluate.settings.depth]`: `reference = "NAME"` names the reference agent; `all = true` asks
//! for all pairs, too. Without a reference, all pairs are asked for.

mod ask;
mod fold;
mod graded;
mod rating;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use graded::{against, reference};
pub use rating::{Drawn, Ratings, ratings};

use crate::{
    context::{Context, StageReport},
    data::{
        AgentReport, Average, InForce, InTable, Instrument, MeasureDef, ReportId, Role, Score,
        Scores, SubjectKind, Task,
    },
    evaluate::{
        Misconfigured, Options, attempts,
        evaluator::{Evaluator, Fold, SHARE, Work},
        scorecard::ReportScores,
        timed,
    },
    judging,
    store::{Evaluation, Store},
};

const KEY: &str = "depth";
const ROLE: &str = "rate";
const PROMPT: &str = "evaluate/depth";

const WIN_RATE: &str = "depth_win_rate";
const WIN_RATE_OF_MEANS: &str = "depth_win_rate_of_means";
const POINTS: &str = "depth_points";
const AGREEMENT: &str = "depth_agreement";

/// By how many points of 25 a report is deeper than another one; `other` is that one with the order
/// in which they were shown.
pub const COMPARISON: Instrument = Instrument {
    id: "depth/comparison/1",
    family: KEY,
    criterion: "comparison",
    scale: "difference of totals, -25 to 25; at most 1 is a tie",
    subject: SubjectKind::Report,
    letter: 'm',
};

static MEASURES: [MeasureDef; 4] = [
    MeasureDef {
        key: WIN_RATE,
        label: "depth: wins against the reference",
        column: "depth wins",
        meaning: "wins over wins and losses against the reference report, each order a game",
        higher_is_better: Some(true),
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..SHARE
    },
    MeasureDef {
        key: WIN_RATE_OF_MEANS,
        label: "depth: wins by mean totals",
        column: "wins by means",
        meaning: "the same with the totals of both orders averaged: one game a judge",
        higher_is_better: Some(true),
        in_table: InTable::Hidden,
        ..SHARE
    },
    MeasureDef {
        key: POINTS,
        label: "depth: points",
        column: "depth points",
        meaning: "share of the points that a report wins against the others on its task; a tie is half",
        higher_is_better: Some(true),
        average: Average::PerTask,
        role: Role::Compares,
        in_table: InTable::WithInterval,
        ..SHARE
    },
    MeasureDef {
        key: AGREEMENT,
        label: "depth: agreement of both orders",
        column: "orders agree",
        meaning: "share of the comparisons with the same outcome in both orders",
        higher_is_better: None,
        in_table: InTable::Hidden,
        ..SHARE
    },
];

/// The settings in the configuration.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The agent with the reference reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// Whether all pairs are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    all: Option<bool>,
}

impl Settings {
    fn all(&self) -> bool {
        self.all.unwrap_or(self.reference.is_none())
    }
}

fn settings(options: &Options) -> Result<Settings> {
    let Some(value) = options.settings.get(KEY) else {
        return Ok(Settings::default());
    };
    read(value).map_err(|why| Misconfigured(why).into())
}

fn read(value: &Value) -> Result<Settings, String> {
    let settings = Settings::deserialize(value)
        .map_err(|error| format!("evaluate.settings.{KEY}: {error}"))?;
    if settings.reference.is_none() && settings.all == Some(false) {
        return Err(format!(
            "evaluate.settings.{KEY}: with `all = false`, `reference` must name an agent"
        ));
    }
    Ok(settings)
}

/// The evaluator.
pub struct Depth;

#[async_trait(?Send)]
impl Evaluator for Depth {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "LiveResearchBench: depth of analysis, against a reference or against each other"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[ROLE]
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        read(value).map(drop)
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        Ok(vec![InForce {
            instrument: COMPARISON.id.to_owned(),
            panel: judging::panel(ctx, ROLE, PROMPT)?,
            settings: json!(settings(options)?),
        }])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let settings = settings(work.options)?;
        let pairs = pairs(work, &settings)?;
        let report = ask::compare(work.ctx, &pairs).await?;
        Ok(vec![timed(report, started)])
    }

    fn fold<'a>(
        &self,
        store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::DepthFold::new(store, evaluation)?))
    }

    /// It loses each game.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        let lost = || Score::ratio(0.0, 1.0);
        Scores::from([
            (WIN_RATE, lost()),
            (WIN_RATE_OF_MEANS, lost()),
            (POINTS, lost()),
        ])
    }
}

/// Two reports on a task.
struct Pair<'a> {
    task: &'a Task,
    first: &'a AgentReport,
    second: &'a AgentReport,
}

/// The pairs to be compared, each once: every report that is to be judged with the first attempts
/// of other agents.
fn pairs<'a>(work: &Work<'a>, settings: &Settings) -> Result<Vec<Pair<'a>>> {
    let firsts = attempts::first(work.cases.iter().map(|case| case.report));
    if let Some(name) = &settings.reference
        && !firsts.keys().any(|(_, agent)| agent == name)
    {
        return Err(attempts::no_reference(name).into());
    }
    let is_opponent = |agent: &str| settings.all() || settings.reference.as_deref() == Some(agent);
    let mut pairs: BTreeMap<(&ReportId, &ReportId), Pair<'a>> = BTreeMap::new();
    for case in work.judged {
        let on_task = firsts
            .iter()
            .filter(|((task, _), _)| *task == &case.task.id);
        for ((_, agent), other) in on_task {
            let own = case.report.agent == *agent;
            if own || !(is_opponent(agent) || is_opponent(&case.report.agent)) {
                continue;
            }
            let (first, second) = if case.report.id < other.id {
                (case.report, *other)
            } else {
                (*other, case.report)
            };
            let task = case.task;
            pairs.insert(
                (&first.id, &second.id),
                Pair {
                    task,
                    first,
                    second,
                },
            );
        }
    }
    Ok(pairs.into_values().collect())
}
