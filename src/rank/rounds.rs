//! The paper's way: every task meets a random other one in each round (RankEval). Pairs do not depend on ratings, so that
//! rounds need not wait for each other.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::{
    Options,
    ask::{Panel, Question},
    pairing,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::Task,
};

pub(super) async fn run(ctx: &Context, tasks: &[Task], options: &Options, report: &mut StageReport) -> Result<()> {
    let mut panel = Panel::new(ctx, tasks);
    let schedule = pairing::schedule(&panel.ids(), options.rounds, ctx.seed);
    let total: usize = schedule.iter().map(Vec::len).sum();
    // A deterministic judge asked the same question gives the same answer: its verdict is used again, and counted.
    let mut known = BTreeSet::new();
    let mut questions = Vec::new();
    for (round, pairs) in schedule.into_iter().enumerate() {
        let fresh = pairs.into_iter().filter(|pair| known.insert(pair.clone()));
        questions.extend(fresh.map(|pair| Question { shown: vec![pair.a, pair.b], sample: 0, round: round as u32 }));
    }
    let reused = total - questions.len();
    (ctx.notify)(Notice::Start { stage: "rank", total: (questions.len() * ctx.llm.members("judge")) as u64 });
    panel.compare(questions, report).await?;
    panel.note("elo", json!({ "rounds": options.rounds, "elo_k": options.elo_k }))?;
    if reused > 0 {
        let distinct = tasks.len() * tasks.len().saturating_sub(1);
        report.notes.push(format!(
            "{reused} pairs came up again in the same order ({} tasks have {distinct} ordered pairs): the stored verdict was used again",
            tasks.len()
        ));
    }
    Ok(())
}
