//! The paper's way: every task meets a random other one in each round (RankEval). Pairs do not
//! depend on ratings, so that rounds need not wait for each other.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::{
    Options,
    ask::{Panel, Question},
    pairing,
    record::Record,
    roster::Roster,
};
use crate::{
    context::{Context, Notice, StageReport},
    data::{Task, TaskId},
};

/// Questions after which the judges are looked at; later an eighth more each time.
const LOOK: usize = 200;

pub(super) async fn run(
    ctx: &Context,
    tasks: &[Task],
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let mut panel = Panel::new(ctx, tasks);
    let mut roster = Roster::new(ctx, false)?;
    let outcome = play(ctx, &mut panel, &mut roster, options, report).await;
    panel.end(&mut roster, "elo", parameters(options), outcome)
}

fn parameters(options: &Options) -> serde_json::Value {
    json!({ "rounds": options.rounds, "elo_k": options.elo_k })
}

async fn play(
    ctx: &Context,
    panel: &mut Panel<'_>,
    roster: &mut Roster,
    options: &Options,
    report: &mut StageReport,
) -> Result<()> {
    let ids = panel.ids();
    let question = json!([ids, roster.asked(), "elo", parameters(options), ctx.seed]).to_string();
    let mut record = Record::begin(ctx, &ids, roster, &question)?;
    roster.look(&record.seen(&ids, roster))?;
    let (mut questions, reused) = questions(&ids, options.rounds, ctx.seed);
    (ctx.notify)(Notice::Start {
        stage: "rank",
        total: (questions.len() * ctx.llm.members("judge")) as u64,
    });
    let mut asked = 0;
    while !questions.is_empty() {
        let all = roster.is_builtin();
        let later = questions.split_off(if all {
            questions.len()
        } else {
            questions.len().min(LOOK.max(asked / 8))
        });
        asked += questions.len();
        let compared = panel.compare(questions, report).await?;
        record.take(&ids, roster, compared, Vec::new());
        roster.look(&record.seen(&ids, roster))?;
        questions = later;
    }
    report.notes.extend(roster.of_others(record.judges()));
    if reused > 0 {
        let (n, distinct) = (ids.len(), ids.len() * ids.len().saturating_sub(1));
        report.notes.push(format!(
            "{reused} pairs came up again in the same order ({n} tasks have {distinct} ordered pairs): the stored verdict was used again"
        ));
    }
    Ok(())
}

/// The questions of all rounds, and how often one came up again: a deterministic judge asked the
/// same question gives the same answer, so that its verdict is used again, and counted.
fn questions(ids: &[TaskId], rounds: u32, seed: u64) -> (Vec<Question>, usize) {
    let (mut known, mut questions, mut total) = (BTreeSet::new(), Vec::new(), 0);
    for (round, pairs) in pairing::schedule(ids, rounds, seed).into_iter().enumerate() {
        total += pairs.len();
        let fresh = pairs.into_iter().filter(|pair| known.insert(pair.clone()));
        questions.extend(fresh.map(|pair| Question {
            shown: vec![pair.a, pair.b],
            sample: 0,
            round: round as u32,
        }));
    }
    let reused = total - questions.len();
    (questions, reused)
}
