//! Keypoint-aligned evaluation (KAE): the key points of the cited pages, and whether a report
//! supports, contradicts or omits each.
//!
//! **Measures** KSR, KCR and KOR: the shares of key points that a report supports, contradicts and
//! omits, and the efficiency KSR / (KCR + KOR). **Method** DeepResearch Arena (arXiv 2509.01396),
//! section on keypoint-aligned evaluation. **Differs from the paper**: key points whose spans are
//! not in the page are left out and counted; merging is defined and on record; beside the key
//! points of the report's own pages (the paper's set) there is an independent set, of the pages
//! that the other agents cite. **Cost** a call per part of a page, and one per report and key
//! point.
//!
//! **The strict form** (`[evaluate] form = "strict"`) asks for atomic key points, for how much each
//! matters and which make the same claim, and under stricter rules for the relations of several key
//! points at once; its weighted measures stand beside the paper's.

pub mod dedup;
mod fold;
mod hidden;
mod importance;
mod key_points;
mod key_points_extractive;
mod limits;
pub mod measures;
mod place;
mod question;
pub mod relations;
mod same_claim;
mod strict;
mod weighted;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub use fold::decide;

use super::evaluator::{Evaluator, Fold, Work};
use crate::{
    context::{Context, StageReport},
    data::{InForce, Instrument, KeyPointId, MeasureDef, Scores, Task},
    evaluate::{
        Form, Options,
        library::{self, Library},
        options::MOST_URLS,
        scorecard::ReportScores,
        timed,
    },
    judging,
    store::{Evaluation, Store},
};

/// The evaluator.
pub struct Kae;

/// The settings that decide what reports are compared with. The usual number of pages is left out,
/// so that evaluations from before there was one are the same as today's.
fn settings(ctx: &Context, options: &Options) -> Result<Value> {
    let mut settings = json!({ "key_points": key_points::fingerprint(ctx, options)? });
    if options.most_urls != MOST_URLS {
        settings["most_urls"] = json!(options.most_urls);
    }
    Ok(settings)
}

/// The judges of a form: of relations, of what matters, and of what says the same.
fn instruments(options: &Options) -> Vec<(Instrument, &'static str, &'static str)> {
    match options.form {
        Form::Paper => vec![(relations::RELATION, question::ROLE, question::PROMPT)],
        Form::Strict => vec![
            (relations::STRICT, question::ROLE, strict::PROMPT),
            (importance::IMPORTANCE, limits::ROLE, importance::PROMPT),
            (same_claim::SAME_CLAIM, limits::ROLE, same_claim::PROMPT),
        ],
    }
}

/// How many of a report's pages an evaluation took.
pub fn most_urls(evaluation: &Evaluation) -> usize {
    let (_, in_force) = relations::in_force(evaluation);
    in_force.settings["most_urls"]
        .as_u64()
        .map_or(MOST_URLS, |most| most as usize)
}

#[async_trait(?Send)]
impl Evaluator for Kae {
    fn key(&self) -> &'static str {
        "kae"
    }

    fn about(&self) -> &'static str {
        "keypoint-aligned evaluation: key points of the cited pages, supported or not"
    }

    fn measures(&self) -> &'static [MeasureDef] {
        &measures::MEASURES
    }

    fn item_text(&self, store: &Store, _task: &Task, about: &str) -> Result<Option<String>> {
        let id = KeyPointId::from_stored(about.to_owned());
        Ok(store.key_point(&id)?.map(|point| point.text))
    }

    fn roles(&self, _options: &Options) -> &'static [&'static str] {
        &[limits::ROLE, question::ROLE]
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        let settings = settings(ctx, options)?;
        instruments(options)
            .into_iter()
            .map(|(instrument, role, prompt)| {
                Ok(InForce {
                    instrument: instrument.id.to_owned(),
                    panel: judging::panel(ctx, role, prompt)?,
                    settings: settings.clone(),
                })
            })
            .collect()
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let (sources, pages) = library::fetch(work).await?;
        let library = Library::new(work, &sources);
        let started = Instant::now();
        let (found, key_points) = key_points::find_in(work.ctx, &library, work.options).await?;
        let key_points = timed(key_points, started);
        let started = Instant::now();
        let compared = relations::compared(work, &library, &found)?;
        let mut stages = vec![pages, key_points];
        match work.options.form {
            Form::Paper => {
                let related = relations::relate(work.ctx, &compared).await?;
                stages.push(timed(related, started));
            }
            Form::Strict => {
                let weighed = importance::weigh(work.ctx, &compared).await?;
                stages.push(timed(weighed, started));
                let started = Instant::now();
                let same = same_claim::compare(work.ctx, &compared).await?;
                stages.push(timed(same, started));
                let started = Instant::now();
                let most = work.options.at_once();
                let mut related = strict::relate(work.ctx, most, &compared).await?;
                related.notes.extend(place::effect(work.ctx, &compared)?);
                stages.push(timed(related, started));
            }
        }
        Ok(stages)
    }

    fn fold<'a>(
        &self,
        _store: &Store,
        _tasks: &'a [Task],
        evaluation: &'a Evaluation,
    ) -> Result<Box<dyn Fold + 'a>> {
        Ok(Box::new(fold::KaeFold::new(evaluation)))
    }

    fn failed(&self, others: &[&ReportScores]) -> Scores {
        measures::failed(others)
    }
}
