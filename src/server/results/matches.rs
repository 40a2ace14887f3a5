//! Matches of two agents on a tree of pages: a list, and each round by round.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use axum::extract::{Path, Query as Asked, State};
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{
    arena::{matches::replay::replay, record::MatchRecord},
    data::{
        Side,
        arena::{InfoTree, MatchEvent, Score},
    },
    report::match_page,
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
        paging::{Facet, Paging, Query},
    },
    store::{DuelAnswer, DuelHead, Store},
};

/// A match in the list.
#[derive(Serialize)]
pub struct Row {
    #[serde(flatten)]
    duel: DuelHead,
    /// The name of its tree.
    tree_name: String,
    /// When the command began that played it first, RFC 3339.
    begun: Option<String>,
    rounds: u64,
    failed_rounds: u64,
    score: Option<Score>,
    /// The agent that won; none of a draw, and while it is being played.
    winner: Option<String>,
    /// Why it ended; none while it is being played.
    ended: Option<&'static str>,
}

type Found = (Arc<Vec<Row>>, Option<Timestamp>);

async fn found(server: &Arc<Server>) -> Result<Found> {
    let of = Arc::clone(server);
    let read = move |store: &Store| {
        let rows = || store.at_one_moment(|| rows(store));
        of.results.matches.get(&of.facts, rows)
    };
    server.facts.ask(read).await
}

/// The matches, the newest first; those that were begun by one command in the order of the store.
fn rows(store: &Store) -> Result<Vec<Row>> {
    let trees: BTreeMap<_, _> = store
        .trees()?
        .into_iter()
        .map(|tree| (tree.id, tree.name))
        .collect();
    let begun = store.duels_begun()?;
    let mut rows = Vec::new();
    for duel in store.duels()? {
        let record = MatchRecord::of(&store.duel_events(&duel.id)?);
        let rounds = record.grades().len() as u64;
        let winner = record.end.and_then(|(_, _, winner)| winner);
        rows.push(Row {
            tree_name: trees.get(&duel.tree).cloned().unwrap_or_default(),
            begun: begun.get(&duel.id).cloned(),
            rounds,
            failed_rounds: record.rounds.len() as u64 - rounds,
            score: record.end.map(|(_, score, _)| score),
            winner: winner.map(|side| match side {
                Side::A => duel.agents[0].clone(),
                Side::B => duel.agents[1].clone(),
            }),
            ended: record.end.map(|(cause, ..)| match_page::why(cause)),
            duel,
        });
    }
    rows.sort_by(|a, b| b.begun.cmp(&a.begun));
    Ok(rows)
}

/// A box of the tournaments; single matches are in none.
fn tournaments(rows: &[Row], query: &Query) -> Facet {
    let values = rows.iter().map(|row| tournament(row));
    Facet::new("tournament", "Tournament", query, values)
}

fn tournament(row: &Row) -> Option<&str> {
    row.duel.round.as_ref().map(|(name, _)| name.as_str())
}

/// Every agent that sat in either seat.
fn agents(rows: &[Row], query: &Query) -> Facet {
    let values = rows.iter().flat_map(|row| &row.duel.agents);
    Facet::new(
        "agent",
        "Agent",
        query,
        values.map(|agent| Some(agent.as_str())),
    )
}

fn chosen<'a>(rows: &'a [Row], query: &Query) -> Vec<&'a Row> {
    let (tournaments, agents) = (tournaments(rows, query), agents(rows, query));
    let fits = |row: &&Row| {
        let mut seats = row.duel.agents.iter();
        tournaments.takes(tournament(row)) && seats.any(|agent| agents.takes(Some(agent)))
    };
    rows.iter().filter(fits).collect()
}

/// `GET /matches`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (rows, as_of) = found(&server).await?;
    let chosen = chosen(&rows, &query);
    let paging = Paging::new("/matches", &query, chosen.len());
    let values = context! {
        matches => Serde(paging.of(&chosen)),
        all => rows.len(),
        boxes => Serde([agents(&rows, &query), tournaments(&rows, &query)]),
        paging => Serde(&paging),
    };
    let frame = server.frame(&who, "/matches", "Matches").of_moment(as_of);
    frame.page(include_str!("../templates/results/matches.html"), values)
}

/// `GET /matches.json`: all that fit.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let (rows, _) = found(&server).await?;
    page::json(&chosen(&rows, &query))
}

/// A match as data.
#[derive(Serialize)]
struct Played {
    #[serde(flatten)]
    duel: DuelHead,
    /// Whether every choice and every score follows from the events again.
    follows: bool,
    events: Vec<MatchEvent>,
    answers: Vec<DuelAnswer>,
}

/// `GET /matches/{id}`
pub async fn one(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Path(id): Path<String>,
) -> Answer {
    let (id, is_data) = page::named(&id);
    let none = || Failure::none("There is no such match");
    if is_data {
        let id = id.to_owned();
        let played = server.facts.ask(move |store| played(store, &id)).await?;
        return page::json(&played.ok_or_else(none)?);
    }
    let named = id.to_owned();
    let read = move |store: &Store| {
        let Some((duel, tree)) = found_duel(store, &named)? else {
            return Ok(None);
        };
        let events = store.duel_events(&duel.id)?;
        match_page::html(store, &duel, &tree, &events).map(Some)
    };
    let html = server.facts.ask(read).await?.ok_or_else(none)?;
    let mut frame = server.frame(&who, "/matches", "Match");
    frame.links = vec![
        ("/matches".into(), "All matches".into()),
        (format!("/matches/{id}.json"), "JSON".into()),
    ];
    frame.around(&html)
}

fn found_duel(store: &Store, id: &str) -> Result<Option<(DuelHead, InfoTree)>> {
    let Some(duel) = store.duel(id)? else {
        return Ok(None);
    };
    let tree = store.tree(duel.tree.as_str())?;
    Ok(tree.map(|tree| (duel, tree)))
}

fn played(store: &Store, id: &str) -> Result<Option<Played>> {
    let Some((duel, tree)) = found_duel(store, id)? else {
        return Ok(None);
    };
    let events = store.duel_events(&duel.id)?;
    Ok(Some(Played {
        follows: replay(&events, &tree).is_ok(),
        answers: store.duel_answers(&duel.id)?,
        duel,
        events,
    }))
}
