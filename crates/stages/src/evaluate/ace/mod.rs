//! Adaptive checklist evaluation (ACE): weighted criteria written for a task, and a rating of the
//! report by each.
//!
//! **Measures** how well a report meets what its task asks for, 0 to 10. **Method** DeepResearch
//! Arena (arXiv 2509.01396), section on the adaptively-generated checklist. **Differs from the
//! paper**: a checklist is written once and frozen; nothing is rated by the model that wrote it
//! unless the user binds one model to both roles. **Cost** one call per task, one per report,
//! criterion, rater and repetition.

pub mod checklist;
pub mod criteria;
mod fold;
mod hidden;
mod merged;
mod question;
pub mod rating;
mod review;

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use async_trait::async_trait;
use serde_json::json;

use super::{
    Options, claims,
    evaluator::{Evaluator, Fold, Record, Work},
    scorecard::ReportScores,
    timed,
};
use crate::{
    context::{Context, StageReport},
    data::{
        Average, InForce, InTable, MeasureDef, ReportId, Role, Score, Scores, Task, Undecided, Unit,
    },
    evidence::support,
    judging,
    store::{Evaluation, Store},
};

/// The key of the only measure.
pub const KEY: &str = "ace";

static MEASURES: [MeasureDef; 1] = [MeasureDef {
    key: KEY,
    label: "ACE",
    column: "ACE",
    meaning: "weighted mean of a checklist written for the task, 0 to 10",
    unit: Unit::Points,
    most: Some(10.0),
    higher_is_better: Some(true),
    average: Average::PerTask,
    role: Role::Ranks,
    in_table: InTable::WithInterval,
    whole: None,
    undecided: Undecided::Anything,
}];

/// The evaluator.
pub struct Ace;

#[async_trait(?Send)]
impl Evaluator for Ace {
    fn key(&self) -> &'static str {
        KEY
    }

    fn about(&self) -> &'static str {
        "adaptive checklist evaluation: each criterion of a checklist for the task, rated"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &MEASURES
    }

    fn roles(&self, options: &Options) -> &'static [&'static str] {
        if options.knows_evidence() {
            &[checklist::ROLE, question::ROLE, support::ROLE]
        } else {
            &[checklist::ROLE, question::ROLE]
        }
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let knowing = rating::knowing(ctx, options)?;
        let panel = judging::panel(ctx, question::ROLE, rating::prompt(options))?.into_iter();
        let panel = panel
            .map(|(model, prompt)| (model, judging::prompt_and(prompt, &knowing)))
            .collect();
        Ok(vec![InForce {
            instrument: question::RATING.id.to_owned(),
            panel,
            settings: json!({ "repeats": options.repeats }),
        }])
    }

    fn ready(&self, work: &Work<'_>, run: &[&'static dyn Evaluator]) -> Result<()> {
        if run.iter().all(|evaluator| evaluator.key() != claims::KEY) {
            rating::evidence(work)?;
        }
        Ok(())
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let (checklists, written) =
            checklist::write(work.ctx, work.judged, work.options.form).await?;
        let written = timed(written, started);
        let started = Instant::now();
        let rated = rating::rate(work, &checklists).await?;
        Ok(vec![written, timed(rated, started)])
    }

    fn fold<'a>(
        &self,
        store: &Store,
        tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::AceFold::new(store, tasks, evaluation)?))
    }

    fn by_criterion(
        &self,
        record: &Record<'_>,
        evaluation: &Evaluation,
        report: &ReportId,
    ) -> Result<BTreeMap<String, f64>> {
        let ratings = rating::ratings(&record.judgements, report, repeats(evaluation))?;
        let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for judgement in ratings {
            // A failed rating is left out of the mean; it is never a zero.
            let Ok(rating) = judgement.outcome else {
                continue;
            };
            let (sum, n) = sums.entry(judgement.about).or_default();
            *sum += f64::from(rating.rating);
            *n += 1.0;
        }
        Ok(sums
            .into_iter()
            .map(|(criterion, (sum, n))| (criterion, sum / n))
            .collect())
    }

    /// The worst rating by every criterion.
    fn failed(&self, _others: &[&ReportScores]) -> Scores {
        Scores::from([(KEY, Score::ratio(0.0, 1.0))])
    }
}

/// How often each criterion is rated, as an evaluation counts it; 0 counts all ratings.
pub fn repeats(evaluation: &Evaluation) -> u32 {
    let settings = evaluation.in_force(question::RATING).settings;
    settings["repeats"]
        .as_u64()
        .and_then(|repeats| u32::try_from(repeats).ok())
        .unwrap_or(0)
}
