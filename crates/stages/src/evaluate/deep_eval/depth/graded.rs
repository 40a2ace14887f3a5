//! Stored comparisons with the reference as LiveResearchBench's result files hold them.

use anyhow::Result;
use serde::Deserialize;

use super::{COMPARISON, Settings, ask::Dimensions};
use crate::{
    benchmarks::live_research_bench::files::ComparisonFact,
    judging::compare::ShownFirst,
    store::{Evaluation, PanelJudgements, StoredJudgement},
};

/// The agent with the reference reports, where one was named.
pub fn reference(evaluation: &Evaluation) -> Option<String> {
    let settings = evaluation.in_force(COMPARISON).settings;
    Settings::deserialize(&settings).ok()?.reference
}

#[derive(Deserialize)]
struct Payload {
    opponent: String,
    shown: ShownFirst,
    reason: String,
    own: Dimensions,
    others: Dimensions,
    weaknesses: Vec<String>,
}

/// A judge's comparisons of a report with the reference agent's: with the report shown first, and
/// with the reference shown first. The weaknesses of the reference are on record with its own games
/// and are left out.
pub fn against(
    judgements: &PanelJudgements<'_>,
    report: &str,
    judge: &str,
    reference: &str,
) -> Result<[Option<ComparisonFact>; 2]> {
    let payload = |stored: &StoredJudgement<'_>| stored.payload::<Payload>();
    let games = judgements.read_bare(COMPARISON, report, payload)?;
    let mut facts = [None, None];
    for game in games.into_iter().filter(|game| game.judge == judge) {
        let Some(game) = game.outcome.ok().filter(|game| game.opponent == reference) else {
            continue;
        };
        let place = usize::from(game.shown == ShownFirst::Other);
        facts[place] = Some(ComparisonFact {
            evaluated: game.own.as_published(),
            reference: game.others.as_published(),
            reason: game.reason,
            flaws: game.weaknesses,
            reference_flaws: Vec::new(),
        });
    }
    Ok(facts)
}
