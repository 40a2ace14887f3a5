//! Which of the tasks are best? Rounds of pairwise judgements, folded into Elo ratings (RankEval, the paper's way).
//! Hides the pairing, the judge and the fold. Verdicts are stored; ratings are computed from them on each read.

pub mod audit;
mod fold;
pub mod halving;
mod judge;
pub mod pairing;
pub mod quota;
pub mod select;
pub mod simulate;

use std::{collections::BTreeSet, time::Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub use fold::{Rated, Standing, fold};
pub use pairing::Pair;

use crate::{
    context::{self, Context, Notice, StageReport},
    data::Task,
    store::{Judge, Ranking},
};

/// How to rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Rounds; in each, every task meets one other.
    pub rounds: u32,
    /// The Elo factor K.
    pub elo_k: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { rounds: 20, elo_k: 32.0 }
    }
}

/// Asks for the verdicts that are missing, saves each at once, and notes the ranking's question.
pub async fn run(ctx: &Context, tasks: &[Task], options: &Options) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("rank");
    let ids = tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
    let schedule = pairing::schedule(&ids, options.rounds, ctx.seed);
    let total: usize = schedule.iter().map(Vec::len).sum();
    // A deterministic judge asked the same question gives the same answer: its verdict is used again, and counted.
    let mut asked = BTreeSet::new();
    let mut fresh: Vec<Pair> = schedule.into_iter().flatten().filter(|pair| asked.insert(pair.clone())).collect();
    if ctx.llm.parallel("judge") == 1 {
        // A model that is asked one thing at a time keeps what it has read: pairs with the same first task follow each other.
        fresh.sort_unstable();
    }
    let reused = (total - fresh.len()) as u64;
    let members = ctx.llm.members("judge");
    (ctx.notify)(Notice::Start { stage: "rank", total: (fresh.len() * members) as u64 });
    // The pairs do not depend on the ratings, so that rounds need not wait for each other.
    let questions = fresh.iter().flat_map(|pair| (0..members).map(move |member| (pair, member)));
    let verdicts = context::all(questions, ctx.llm.parallel("judge"), |(pair, member)| async move {
        let judged = judge::compare(ctx, tasks, pair, member).await?;
        (ctx.notify)(Notice::Advance(1));
        Ok(judged)
    })
    .await?;
    let mut panel: BTreeSet<Judge> = BTreeSet::new();
    for judged in verdicts {
        panel.insert(judged.judge);
        if judged.cached {
            report.skipped += 1;
        } else {
            report.done += 1;
        }
        if let Err(unscored) = &judged.comparison.outcome {
            let item = format!("{} against {}", judged.comparison.a, judged.comparison.b);
            report.fail_unscored(&item, unscored);
        }
    }
    let ranking = Ranking {
        method: "elo".into(),
        parameters: json!({ "rounds": options.rounds, "elo_k": options.elo_k }),
        seed: ctx.seed,
        items: ids,
        panel: panel.into_iter().collect(),
    };
    if !ranking.items.is_empty() {
        ctx.store.save_ranking(&ranking)?;
    }
    say_what_was_reused(&mut report, tasks.len(), reused);
    (ctx.notify)(Notice::End);
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn say_what_was_reused(report: &mut StageReport, tasks: usize, reused: u64) {
    if reused > 0 {
        let distinct = tasks * tasks.saturating_sub(1);
        report.notes.push(format!(
            "{reused} pairs came up again in the same order ({tasks} tasks have {distinct} ordered pairs): the stored verdict was used again"
        ));
    }
    if tasks == 1 {
        report.notes.push("one task cannot be ranked against another".into());
    }
}
