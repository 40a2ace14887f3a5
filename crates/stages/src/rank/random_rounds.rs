//! Ranking the paper's way: every item meets a random other one in each round (RankEval). Pairs do
//! not depend on ratings, so that rounds need not wait for each other.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::{
    Options, collect::Collector, history::History, items::Items, pairing, panel::Panel,
    request::ComparisonRequest,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::ItemId,
};

/// Questions after which the judges are checked; later an eighth more each time.
const CHECK_AFTER: usize = 200;

pub(super) async fn run(
    ctx: &Context,
    items: &Items,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let mut collector = Collector::new(ctx, items, options.read)?;
    let mut panel = Panel::new(ctx, &items.prompts, options)?;
    let outcome = ask_all(ctx, items, &mut collector, &mut panel, options, report).await;
    collector.report_probes(report);
    let parameters = options.parameters(items.len());
    collector.finish(&mut panel, "elo", parameters, outcome)
}

async fn ask_all(
    ctx: &Context,
    items: &Items,
    collector: &mut Collector<'_>,
    panel: &mut Panel,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let ids = items.ids();
    let parameters = options.parameters(ids.len());
    let question = json!([ids, panel.asked(), "elo", parameters, ctx.seed]).to_string();
    let mut history = History::begin(ctx, items.kind, &ids, panel, &question)?;
    panel.check(&history.pair_verdicts(&ids, panel))?;
    let (mut requests, reused) = requests(&ids, options.rounds, ctx.seed);
    (ctx.notify)(Notice::Start {
        stage: "rank",
        total: (requests.len() * ctx.llm.members("judge")) as u64,
    });
    let mut asked = 0;
    while !requests.is_empty() {
        // In batches, so that a judge at chance is noticed before all is spent.
        let later = requests.split_off(batch_size(panel, asked, requests.len()));
        asked += requests.len();
        let compared = collector.compare(requests, report).await?;
        history.add(&ids, panel, compared, Vec::new());
        panel.check(&history.pair_verdicts(&ids, panel))?;
        requests = later;
    }
    report
        .notes
        .extend(panel.notes_on_other_models(history.judges()));
    if reused > 0 {
        let (n, distinct) = (ids.len(), ids.len() * ids.len().saturating_sub(1));
        report.notes.push(format!(
            "{reused} pairs came up again in the same order ({n} {}s have {distinct} ordered pairs): the stored verdict was used again",
            items.kind.word()
        ));
    }
    Ok(())
}

/// Number of requests until the judges are checked. Built-in models are never sent away, so that
/// nothing is gained by waiting for each other.
fn batch_size(panel: &Panel, asked: usize, left: usize) -> usize {
    if panel.is_built_in() {
        return left;
    }
    left.min(CHECK_AFTER.max(asked / 8))
}

/// The requests of all rounds, and how often one came up again: a deterministic judge asked the
/// same question gives the same answer, so that its verdict is used again, and counted.
fn requests(ids: &[ItemId], rounds: u32, seed: u64) -> (Vec<ComparisonRequest>, usize) {
    let (mut known, mut requests, mut total) = (BTreeSet::new(), Vec::new(), 0);
    for (round, pairs) in pairing::schedule(ids, rounds, seed).into_iter().enumerate() {
        total += pairs.len();
        let fresh = pairs.into_iter().filter(|pair| known.insert(pair.clone()));
        requests.extend(fresh.map(|pair| ComparisonRequest {
            shown: vec![pair.a, pair.b],
            sample: 0,
            round: round as u32,
        }));
    }
    let reused = total - requests.len();
    (requests, reused)
}
