//! Plays a match: whatever its events say is needed next is done, and kept as an event the moment
//! it is there. A match that was stopped goes on where it was, because the events are all that it
//! goes by.

mod by_code;
mod examiner;
mod expand;
mod round;
mod shown;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

pub use examiner::by;

use super::{
    matches::{
        replay::{Replayed, replay},
        transition::VERSION,
    },
    pages::PageSource,
};
use crate::{
    agents::Agent,
    context::Context,
    data::{
        CallId,
        arena::{InfoTree, MatchEvent, MatchRules, Wanted},
    },
    store::DuelHead,
};

/// The role that writes questions.
pub const EXAMINE: &str = "examine";
/// The role that says which of two answers is better. It should be another model.
pub const DUEL: &str = "duel";

/// What a match is played with.
pub struct Players<'a> {
    /// The tools.
    pub ctx: &'a Context,
    /// The agents in their seats, A first.
    pub agents: [&'a dyn Agent; 2],
    /// Where pages come from that the tree does not have.
    pub pages: &'a dyn PageSource,
    /// Each answer of an agent that is a program has a folder of its own under this one.
    pub folder: &'a Path,
}

/// What happened, and the call that it rests on.
struct Happened {
    event: MatchEvent,
    call: Option<CallId>,
}

impl From<MatchEvent> for Happened {
    fn from(event: MatchEvent) -> Self {
        Self { event, call: None }
    }
}

/// Plays a match to its end, or goes on with it, and returns its events. None where a dry run
/// cannot know what comes next.
///
/// # Errors
///
/// If the events on record do not follow from each other, or something must stop the whole run.
pub async fn play(
    players: &Players<'_>,
    tree: &InfoTree,
    duel: &DuelHead,
    rules: MatchRules,
) -> Result<Option<Vec<MatchEvent>>> {
    let store = &players.ctx.store;
    store.save_duel(duel)?;
    let mut events = store.duel_events(&duel.id)?;
    if let Some(MatchEvent::Started { by, .. }) = events.first()
        && *by != examiner::by(players.ctx)?
    {
        bail!(
            "the match `{}` was begun with another examiner or judge: {}\nhint: name these again, or begin another match",
            duel.id,
            by.join(", ")
        );
    }
    if events.is_empty() {
        let started = MatchEvent::Started {
            match_id: duel.id.clone(),
            tree: duel.tree.clone(),
            agents: duel.agents.clone(),
            by: examiner::by(players.ctx)?,
            rules,
            version: VERSION,
        };
        keep(players, duel, &mut events, started.into())?;
    }
    loop {
        let told = replay(&events, tree)
            .with_context(|| format!("the events of the match `{}` do not follow from each other\nhint: was it begun with another version? `taskgen arena replay` shows it; another --seed begins a new one", duel.id))?;
        if !is_said(&events) {
            let wanted = MatchEvent::Wanted(told.wanted.clone());
            keep(players, duel, &mut events, wanted.into())?;
        }
        let happened = match &told.wanted {
            Wanted::End { .. } => return Ok(Some(events)),
            Wanted::Expansion {
                node,
                purpose,
                pages,
            } => {
                let found = expand::expand(players.pages, &told.view, node, *purpose, *pages);
                Some(MatchEvent::Expanded(found.await?).into())
            }
            Wanted::Question { .. } => next_of_round(players, duel, &told, &events).await?,
        };
        match happened {
            Some(happened) => keep(players, duel, &mut events, happened)?,
            None => return Ok(None),
        }
    }
}

/// Whether the events say already what is needed after the last thing that happened.
fn is_said(events: &[MatchEvent]) -> bool {
    let said = events.iter().rev().take_while(|event| {
        matches!(
            event,
            MatchEvent::Wanted(_) | MatchEvent::Asked(_) | MatchEvent::Answered { .. }
        )
    });
    said.into_iter()
        .any(|event| matches!(event, MatchEvent::Wanted(_)))
}

async fn next_of_round(
    players: &Players<'_>,
    duel: &DuelHead,
    told: &Replayed<'_>,
    events: &[MatchEvent],
) -> Result<Option<Happened>> {
    let rounds = round::Rounds::of(events);
    let Some(question) = &rounds.open else {
        return examiner::question(players.ctx, told, &rounds).await;
    };
    if rounds.answered.is_empty() {
        // Both are kept before either counts, so that no order of arrival shows.
        let answers = round::answers(players, duel, told, &rounds, question).await?;
        return Ok(answers.map(|answers| round::first_of(&answers).into()));
    }
    let answers = players.ctx.store.duel_answers(&duel.id)?;
    let [Some(a), Some(b)] = round::both(&answers, rounds.attempts) else {
        bail!(
            "an answer of the match `{}` is gone from the database",
            duel.id
        );
    };
    if rounds.answered.len() == 1 {
        return Ok(Some(round::answered(b).into()));
    }
    examiner::verdict(players.ctx, question, (a, b)).await
}

fn keep(
    players: &Players<'_>,
    duel: &DuelHead,
    events: &mut Vec<MatchEvent>,
    happened: Happened,
) -> Result<()> {
    let Happened { event, call } = happened;
    let store = &players.ctx.store;
    store.add_duel_event(&duel.id, events.len(), &event, call.as_ref())?;
    events.push(event);
    Ok(())
}
