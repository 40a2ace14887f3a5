//! Ranking the paper's way: every item meets a random other one in each round (RankEval). Pairs do
//! not depend on ratings, so that rounds need not wait for each other.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;

use super::{
    Options, Pair, RepeatedPairs, collect::Collector, history::History, items::Items, pairing,
    panel::Panel, request::ComparisonRequest,
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
    let (mut requests, repeated) = requests(&ids, options, ctx.seed);
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
    if repeated > 0 {
        let (n, distinct) = (ids.len(), ids.len() * ids.len().saturating_sub(1));
        let what = match options.repeated_pairs {
            RepeatedPairs::Reuse => "the stored verdict was used again",
            RepeatedPairs::Ask => "they were asked again",
        };
        report.notes.push(format!(
            "{repeated} pairs came up again in the same order ({n} {}s have {distinct} ordered pairs): {what}",
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

/// The requests of all rounds, and how often a pair came up again in the same order. A
/// deterministic judge asked the same question gives the same answer, so that its verdict is used
/// again and counted, unless the options say that it is asked again: then each time is a sample of
/// its own.
fn requests(ids: &[ItemId], options: &Options, seed: u64) -> (Vec<ComparisonRequest>, usize) {
    let mut times: BTreeMap<Pair, u32> = BTreeMap::new();
    let (mut requests, mut repeated) = (Vec::new(), 0);
    let rounds = pairing::schedule(ids, options.rounds, seed);
    for (round, pairs) in rounds.into_iter().enumerate() {
        for pair in pairs {
            let before = times.entry(pair.clone()).or_default();
            let sample = *before;
            *before += 1;
            repeated += usize::from(sample > 0);
            if sample > 0 && options.repeated_pairs == RepeatedPairs::Reuse {
                continue;
            }
            requests.push(ComparisonRequest {
                shown: vec![pair.a, pair.b],
                sample,
                round: round as u32,
            });
        }
    }
    (requests, repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_that_comes_up_again_is_asked_again_only_where_that_is_wanted() {
        let ids: Vec<ItemId> = (0..4)
            .map(|i| ItemId::from_stored(format!("t_{i}")))
            .collect();
        let asked = |repeated_pairs| {
            let options = Options {
                rounds: 20,
                repeated_pairs,
                ..Options::default()
            };
            requests(&ids, &options, 7)
        };
        let (reused, repeated) = asked(RepeatedPairs::Reuse);
        let (again, as_often) = asked(RepeatedPairs::Ask);
        assert_eq!((repeated, reused.len() + repeated), (as_often, 40));
        assert_eq!(again.len(), 40);
        assert!(repeated >= 28, "four items have twelve ordered pairs");
        assert!(reused.iter().all(|request| request.sample == 0));
        // No question is put twice under one number.
        let distinct: std::collections::BTreeSet<_> = again
            .iter()
            .map(|request| (&request.shown, request.sample))
            .collect();
        assert_eq!(distinct.len(), 40);
        let first: Vec<_> = again.iter().filter(|request| request.sample == 0).collect();
        assert_eq!(first, reused.iter().collect::<Vec<_>>());
    }
}
