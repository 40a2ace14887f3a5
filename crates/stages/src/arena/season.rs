//! Plays a tournament: asks its plan what is to be played, plays that, many matches at once, and
//! keeps each result the moment it is there.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{
    record::MatchRecord,
    tournament::{self, Event, MatchKey, Phase, Plan},
};
use crate::{
    context::Context,
    data::{InfoTreeId, MatchId, arena::MatchRules},
    store::DuelHead,
};

/// What a tournament is. It never changes: a run that is gone on with must be the same one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The agents.
    pub agents: Vec<String>,
    /// The trees by name, with their ids.
    pub trees: Vec<(String, InfoTreeId)>,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Rounds, trees a pair, attempts.
    pub options: tournament::Options,
    /// The bounds of each match.
    pub rules: MatchRules,
    /// Who writes the questions and who judges.
    pub by: [String; 2],
    /// A hash of each agent's program or model, in the order of the agents.
    pub makers: Vec<String>,
}

impl Setup {
    /// What has happened makes what is to be played.
    pub fn plan(&self, events: &[Event]) -> Result<Plan> {
        Ok(tournament::plan(
            &self.agents,
            self.seed,
            &self.options,
            events,
        )?)
    }

    /// The match of a key. One that failed before is tried again as another match.
    pub fn duel(&self, name: &str, key: &MatchKey, events: &[Event]) -> Result<DuelHead> {
        let tree = self.trees.iter().find(|(tree, _)| *tree == key.tree);
        let (_, tree) = tree.context("the tournament does not know one of its trees")?;
        let failed = events.iter().filter(|event| event.key() == key).count();
        let phase = match key.phase {
            Phase::Swiss => "swiss",
            Phase::Onboarding => "onboarding",
        };
        let parts = [
            name,
            phase,
            &key.round.to_string(),
            &key.first,
            &key.second,
            tree.as_str(),
            &failed.to_string(),
        ];
        Ok(DuelHead {
            id: MatchId::from_parts(&parts),
            tree: tree.clone(),
            agents: [key.first.clone(), key.second.clone()],
            round: Some((name.to_owned(), key.round)),
        })
    }
}

/// Plays what is to be played until there is nothing more; `one` plays one match to its end, and
/// says what it cost, as far as that is known. Returns the plan in the end.
pub async fn run(
    ctx: &Context,
    name: &str,
    setup: &Setup,
    jobs: usize,
    one: impl AsyncFn(&DuelHead) -> Result<(MatchRecord, Option<f64>)>,
) -> Result<Plan> {
    let mut events: Vec<Event> = ctx.store.tournament_events(name)?;
    loop {
        let plan = setup.plan(&events)?;
        if plan.to_play.is_empty() {
            return Ok(plan);
        }
        let known = events.clone();
        let work = async |key: &MatchKey| {
            let duel = setup.duel(name, key, &known)?;
            let (record, cost_usd) = one(&duel).await?;
            let event = ended(key, &record, cost_usd)?;
            ctx.store.add_tournament_event(name, &event)?;
            Ok(event)
        };
        let played = ctx.each("matches", &plan.to_play, jobs, work).await?;
        events.extend(played.into_iter().map(|(_, event)| event));
    }
}

fn ended(key: &MatchKey, record: &MatchRecord, cost_usd: Option<f64>) -> Result<Event> {
    let result = record.result().context("a match has not ended")?;
    Ok(match result {
        Ok(result) => Event::Ended {
            key: key.clone(),
            result,
            grades: record.grades(),
            cost_usd,
        },
        Err(cause) => Event::Failed {
            key: key.clone(),
            cause: cause.to_owned(),
            cost_usd,
        },
    })
}
