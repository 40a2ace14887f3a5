//! Duels: trees of pages, the events of matches and of tournaments, and what agents answered.
//! Events are only ever added; what follows from them is computed on each read.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Store, from_json, from_word};
use crate::data::{
    AttemptCost, CallId, InfoTreeId, MatchId, ReportId, Side, State,
    arena::{InfoTree, MatchEvent},
};

/// A tree without its pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeHead {
    /// Its id.
    pub id: InfoTreeId,
    /// The name that people call it by.
    pub name: String,
    /// How many pages it has.
    pub pages: u64,
    /// What it was made from.
    pub source: String,
}

/// A match without its events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DuelHead {
    /// Its id.
    pub id: MatchId,
    /// Its tree.
    pub tree: InfoTreeId,
    /// The agents in their seats, A first.
    pub agents: [String; 2],
    /// The tournament that it belongs to, and its round there, from 1.
    pub round: Option<(String, u32)>,
}

/// An agent's attempt at a question of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DuelAnswer {
    /// Hash of the match, the attempt and the text.
    pub id: ReportId,
    /// Which attempt at a question of this match it is, from 1: a question that failed counts.
    pub attempt: u32,
    /// The seat.
    pub side: Side,
    /// The answer, or what came with a refusal.
    pub text: String,
    /// How it ended.
    pub state: State,
    /// Why there is no answer.
    pub why: String,
    /// Tokens, money and time.
    pub cost: AttemptCost,
}

#[derive(Serialize, Deserialize)]
struct Payload {
    state: State,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    why: String,
    cost: AttemptCost,
}

impl Store {
    /// Keeps a tree under a name. The error says if the name is another tree's, or the tree has
    /// another name.
    pub fn save_tree(&self, name: &str, tree: &InfoTree, source: &str) -> Result<()> {
        let (run, nodes) = (self.run, serde_json::to_string(tree)?);
        let id = tree.id().as_str();
        let known: Option<(String, String)> = self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO info_tree (id, name, nodes, pages, source, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![id, name, nodes, tree.nodes().len() as u64, source, run],
            )?;
            tx.query_row(
                "SELECT id, name FROM info_tree WHERE id = ?1 OR name = ?2 ORDER BY id = ?1 DESC",
                params![id, name],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
        })?;
        match known {
            Some((known, _)) if known != id => bail!(
                "another tree has the name `{name}`\nhint: a tree never changes; give this one another name"
            ),
            Some((_, known)) if known != name => bail!(
                "the project has this tree already, under the name `{known}`\nhint: use that name"
            ),
            _ => Ok(()),
        }
    }

    /// All trees, by name.
    pub fn trees(&self) -> Result<Vec<TreeHead>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id, name, pages, source FROM info_tree ORDER BY name")?;
            let rows = statement.query_map([], |row| {
                Ok(TreeHead {
                    id: InfoTreeId::from_stored(row.get(0)?),
                    name: row.get(1)?,
                    pages: row.get(2)?,
                    source: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The tree of an id or a name. What was changed by another program is an error.
    pub fn tree(&self, id_or_name: &str) -> Result<Option<InfoTree>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT nodes FROM info_tree WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC",
            )?;
            let tree = statement
                .query_row([id_or_name], |row| from_json(0, row.get_ref(0)?.as_str()?))
                .optional()?;
            Ok(tree)
        })
    }

    /// Begins a match; one that is there already stays as it is.
    pub fn save_duel(&self, duel: &DuelHead) -> Result<()> {
        let run = self.run;
        let (tournament, round) = duel.round.clone().unzip();
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO duel (id, tree, first, second, tournament, round, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    duel.id.as_str(),
                    duel.tree.as_str(),
                    duel.agents[0],
                    duel.agents[1],
                    tournament,
                    round,
                    run
                ],
            )?;
            Ok(())
        })
    }

    /// All matches: single ones in the order in which they began, then those of tournaments by
    /// round and agents, because which of them began first is chance.
    pub fn duels(&self) -> Result<Vec<DuelHead>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, tree, first, second, tournament, round FROM duel
                 ORDER BY tournament, round, iif(tournament IS NULL, rowid, 0), first, second, tree, id",
            )?;
            let rows = statement.query_map([], read_duel)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// When the commands began that played matches first, RFC 3339.
    pub fn duels_begun(&self) -> Result<BTreeMap<MatchId, String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT duel.id, run.started FROM duel JOIN run ON run.id = duel.run",
            )?;
            let rows = statement.query_map([], |row| {
                Ok((MatchId::from_stored(row.get(0)?), row.get(1)?))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The match of an id.
    pub fn duel(&self, id: &str) -> Result<Option<DuelHead>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, tree, first, second, tournament, round FROM duel WHERE id = ?1",
            )?;
            Ok(statement.query_row([id], read_duel).optional()?)
        })
    }

    /// The events of a match, in order.
    pub fn duel_events(&self, duel: &MatchId) -> Result<Vec<MatchEvent>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT event FROM duel_event WHERE duel = ?1 ORDER BY seq")?;
            let rows = statement.query_map([duel.as_str()], |row| {
                from_json(0, row.get_ref(0)?.as_str()?)
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds the event that comes after `before` others of its match. One that is there already
    /// stays.
    pub fn add_duel_event(
        &self,
        duel: &MatchId,
        before: usize,
        event: &MatchEvent,
        call: Option<&CallId>,
    ) -> Result<()> {
        let (run, event) = (self.run, serde_json::to_string(event)?);
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO duel_event (duel, seq, event, call, run)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    duel.as_str(),
                    before as u64 + 1,
                    event,
                    call.map(CallId::as_str),
                    run
                ],
            )?;
            Ok(())
        })
    }

    /// Keeps what an agent answered; the first answer of an attempt stays.
    pub fn save_duel_answer(&self, duel: &MatchId, answer: &DuelAnswer) -> Result<()> {
        let run = self.run;
        let payload = serde_json::to_string(&Payload {
            state: answer.state,
            why: answer.why.clone(),
            cost: answer.cost,
        })?;
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO duel_answer (id, duel, round, side, text, payload, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    answer.id.as_str(),
                    duel.as_str(),
                    answer.attempt,
                    answer.side.word(),
                    answer.text,
                    payload,
                    run
                ],
            )?;
            Ok(())
        })
    }

    /// What was answered in a match, in the order of the attempts, A first.
    pub fn duel_answers(&self, duel: &MatchId) -> Result<Vec<DuelAnswer>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, round, side, text, payload FROM duel_answer
                 WHERE duel = ?1 ORDER BY round, side",
            )?;
            let rows = statement.query_map([duel.as_str()], |row| {
                let payload: Payload = from_json(4, row.get_ref(4)?.as_str()?)?;
                Ok(DuelAnswer {
                    id: ReportId::from_stored(row.get(0)?),
                    attempt: row.get(1)?,
                    side: from_word(2, row.get_ref(2)?.as_str()?)?,
                    text: row.get(3)?,
                    state: payload.state,
                    why: payload.why,
                    cost: payload.cost,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps what a tournament is; the first of a name stays.
    pub fn save_tournament<T: Serialize>(&self, name: &str, payload: &T) -> Result<()> {
        let (run, payload) = (self.run, serde_json::to_string(payload)?);
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO tournament (name, payload, run) VALUES (?1, ?2, ?3)",
                params![name, payload, run],
            )?;
            Ok(())
        })
    }

    /// The tournament of a name.
    pub fn tournament<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT payload FROM tournament WHERE name = ?1")?;
            let known = statement
                .query_row([name], |row| from_json(0, row.get_ref(0)?.as_str()?))
                .optional()?;
            Ok(known)
        })
    }

    /// The events of a tournament, in order.
    pub fn tournament_events<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT event FROM tournament_event WHERE tournament = ?1 ORDER BY seq",
            )?;
            let rows =
                statement.query_map([name], |row| from_json(0, row.get_ref(0)?.as_str()?))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds an event behind the others.
    pub fn add_tournament_event<T: Serialize>(&self, name: &str, event: &T) -> Result<()> {
        let (run, event) = (self.run, serde_json::to_string(event)?);
        self.write(|tx| {
            tx.execute(
                "INSERT INTO tournament_event (tournament, seq, event, run)
                 SELECT ?1, 1 + count(*), ?2, ?3 FROM tournament_event WHERE tournament = ?1",
                params![name, event, run],
            )?;
            Ok(())
        })
    }
}

fn read_duel(row: &Row<'_>) -> rusqlite::Result<DuelHead> {
    let tournament: Option<String> = row.get(4)?;
    let round: Option<u32> = row.get(5)?;
    Ok(DuelHead {
        id: MatchId::from_stored(row.get(0)?),
        tree: InfoTreeId::from_stored(row.get(1)?),
        agents: [row.get(2)?, row.get(3)?],
        round: tournament.zip(round),
    })
}
