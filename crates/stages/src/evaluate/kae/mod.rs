//! Keypoint-aligned evaluation (KAE): the key points of the cited pages, and whether a report
//! supports, contradicts or omits each.
//!
//! **Measures** KSR, KCR and KOR: the shares of key points that a report supports, contradicts and
//! omits, and the efficiency KSR / (KCR + KOR). **Method** DeepResearch Arena (arXiv 2509.01396),
//! section on keypoint-aligned evaluation. **Differs from the paper**: key points whose spans are
//! not in the page are left out and counted; merging is defined and on record; beside the key
//! points of the report's own pages (the paper's set) there is an independent set, of the pages
//! that the other agents cite. **Cost** a call per part of a page, one per report and key point, or
//! per report and `batch` key points (with stricter words than the paper's).

mod batches;
pub mod dedup;
mod fold;
mod key_points;
mod key_points_extractive;
mod library;
mod limits;
pub mod measures;
pub mod relations;

use std::time::Instant;

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};

pub use fold::decide;

use self::library::Library;
use super::evaluator::{Evaluator, Fold, Work};
use crate::{
    context::{Context, StageReport},
    data::{InForce, MeasureDef, Scores, Task},
    evaluate::{Options, options::MOST_URLS, scorecard::ReportScores, timed},
    evidence::{pages, reading},
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

/// The prompt that judges of relations are asked with.
fn prompt(options: &Options) -> &'static str {
    match options.batch {
        1 => relations::PROMPT,
        _ => batches::PROMPT,
    }
}

/// How many of a report's pages an evaluation took.
pub fn most_urls(evaluation: &Evaluation) -> usize {
    let settings = evaluation.in_force(relations::RELATION).settings;
    settings["most_urls"]
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

    fn roles(&self) -> &'static [&'static str] {
        &[limits::ROLE, relations::ROLE]
    }

    fn in_force(&self, ctx: &Context, options: &Options) -> Result<Vec<InForce>> {
        Ok(vec![InForce {
            instrument: relations::RELATION.id.to_owned(),
            panel: judging::panel(ctx, relations::ROLE, prompt(options))?,
            settings: settings(ctx, options)?,
        }])
    }

    async fn judge(&self, work: &Work<'_>) -> Result<Vec<StageReport>> {
        let started = Instant::now();
        let reports: Vec<_> = work.cases.iter().map(|case| case.report).collect();
        let readings = reading::read(&work.ctx.store, &reports)?;
        let most = work.options.most_urls;
        let urls = readings
            .iter()
            .flat_map(|reading| reading.urls.iter().take(most))
            .collect();
        let (cited, pages) = pages::fetch(work.ctx, work.pages, &urls, work.now).await?;
        let library = Library::new(work.cases, &readings, &cited, most);
        let pages = timed(pages, started);
        let started = Instant::now();
        let (found, key_points) = key_points::find_in(work.ctx, &library, work.options).await?;
        let key_points = timed(key_points, started);
        let started = Instant::now();
        let compared = relations::compared(work, &library, &found)?;
        let related = match work.options.batch {
            1 => relations::relate(work.ctx, &compared).await?,
            most => batches::relate(work.ctx, most, &compared).await?,
        };
        Ok(vec![pages, key_points, timed(related, started)])
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
