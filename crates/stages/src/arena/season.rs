//! Plays a tournament, or the matches of an agent that is new: asks the plan what is to be played,
//! plays that, many matches at once, and keeps each result the moment it is there.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{
    record::MatchRecord,
    tournament::{
        self, Event, MatchKey, Phase, Plan, TournamentError,
        onboarding::{Known, NextStep, Onboarding, OnboardingOptions, onboard},
    },
};
use crate::{
    context::Context,
    data::{InfoTreeId, MatchId, arena::MatchRules},
    store::DuelHead,
};

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// All, in rounds.
    Swiss(tournament::Options),
    /// The first agent alone, which is new, the others as often as that tells something.
    Newcomer {
        /// The others, with their ratings when it began.
        board: Vec<Known>,
        /// When it is enough.
        options: OnboardingOptions,
    },
}

/// What a tournament is. It never changes: a run that is gone on with must be the same one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The agents.
    pub agents: Vec<String>,
    /// The trees by name, with their ids.
    pub trees: Vec<(String, InfoTreeId)>,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Who meets whom.
    pub schedule: Schedule,
    /// The bounds of each match.
    pub rules: MatchRules,
    /// Who writes the questions and who judges.
    pub by: [String; 2],
    /// A hash of each agent's program or model, in the order of the agents.
    pub makers: Vec<String>,
}

/// How far a tournament is.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Its rounds and standings.
    Swiss(Plan),
    /// What is known of the new agent.
    Newcomer(Onboarding),
}

impl Setup {
    /// What is to be played after these events; empty when there is nothing more.
    ///
    /// # Errors
    /// Events that are not of this tournament.
    pub fn to_play(&self, events: &[Event]) -> Result<Vec<MatchKey>, TournamentError> {
        Ok(match self.state(events)? {
            State::Swiss(plan) => plan.to_play,
            State::Newcomer(of) => match of.next {
                NextStep::Play(matches) => matches,
                NextStep::PreciseEnough | NextStep::CostCap => Vec::new(),
            },
        })
    }

    /// How far it is after these events.
    ///
    /// # Errors
    /// Events that are not of this tournament.
    pub fn state(&self, events: &[Event]) -> Result<State, TournamentError> {
        Ok(match &self.schedule {
            Schedule::Swiss(options) => {
                let plan = tournament::plan(&self.agents, self.seed, options, events);
                State::Swiss(plan?)
            }
            Schedule::Newcomer { board, options } => {
                let newcomer = self.agents.first().map_or("", String::as_str);
                // Its bounds are numbers of matches: each counts as one, whatever it cost.
                let events: Vec<Event> = events.iter().map(Event::without_cost).collect();
                let known = onboard(newcomer, board, self.seed, options, &events);
                State::Newcomer(known?)
            }
        })
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
/// says what it cost, as far as that is known. Returns all events.
pub async fn run(
    ctx: &Context,
    name: &str,
    setup: &Setup,
    jobs: usize,
    one: impl AsyncFn(&DuelHead) -> Result<(MatchRecord, Option<f64>)>,
) -> Result<Vec<Event>> {
    let mut events: Vec<Event> = ctx.store.tournament_events(name)?;
    loop {
        let to_play = setup.to_play(&events)?;
        if to_play.is_empty() {
            return Ok(events);
        }
        let known = events.clone();
        let work = async |key: &MatchKey| {
            let duel = setup.duel(name, key, &known)?;
            let (record, cost_usd) = one(&duel).await?;
            let event = ended(key, &record, cost_usd)?;
            ctx.store.add_tournament_event(name, &event)?;
            Ok(event)
        };
        let played = ctx.each("matches", &to_play, jobs, work).await?;
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
