//! Rankings: their questions, never their ratings, which are computed from the judges' verdicts.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{Store, from_json};
use crate::data::{
    ItemId, Judge, SubjectKind,
    id::{self, sha256_hex},
};

/// The question that a ranking asks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// `halving`, `listwise`, `elo` or `imported`.
    pub method: String,
    /// Rounds, Elo factor and the like.
    pub parameters: serde_json::Value,
    /// Seed of the pairing.
    pub seed: u64,
    /// The kind of the items.
    pub item_kind: SubjectKind,
    /// The ranked items, sorted.
    pub items: Vec<ItemId>,
    /// The judges whose verdicts count.
    pub panel: Vec<Judge>,
}

impl Ranking {
    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.parameters.get(name)?.as_f64()
    }
}

impl Store {
    /// The run that first asked a ranking's question; this one, if none has.
    pub fn begin_ranking(&self, question: &str) -> Result<i64> {
        let (run, stream) = (
            self.run,
            format!("ranking/{}", sha256_hex(question.as_bytes())),
        );
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO event (stream, seq, kind, payload) VALUES (?1, 1, 'begun', ?2)",
                params![stream, serde_json::json!({ "run": run }).to_string()],
            )?;
            tx.query_row(
                "SELECT json_extract(payload, '$.run') FROM event WHERE stream = ?1 AND seq = 1",
                [&stream],
                |row| row.get(0),
            )
        })
    }

    /// Saves the question of a ranking; the newest one of its kind is what listings show.
    pub fn save_ranking(&self, ranking: &Ranking) -> Result<()> {
        let (run, kind) = (self.run, ranking.item_kind.word());
        let items = serde_json::to_string(&ranking.items)?;
        let panel = serde_json::to_string(&ranking.panel)?;
        let parameters = ranking.parameters.to_string();
        let seed = ranking.seed.to_string();
        let mut parts = vec![&*ranking.method, &parameters, &seed, &items, &panel];
        // Rankings of tasks were there first: their ids do not name the kind.
        if ranking.item_kind != SubjectKind::Task {
            parts.push(kind);
        }
        let id = id::text('q', &parts);
        self.write(|tx| {
            let newest: Option<String> = tx
                .query_row(
                    "SELECT id FROM ranking WHERE item_kind = ?1 ORDER BY seq DESC LIMIT 1",
                    [kind],
                    |row| row.get(0),
                )
                .optional()?;
            if newest.as_deref() == Some(id.as_str()) {
                return Ok(());
            }
            // An older ranking that is asked for again becomes the newest one.
            let again = tx.execute(
                "UPDATE ranking SET seq = (SELECT max(seq) + 1 FROM ranking) WHERE id = ?1",
                [&id],
            )?;
            if again == 0 {
                tx.execute(
                    "INSERT INTO ranking (seq, id, item_kind, items_hash, items, method, parameters, seed, panel, run)
                     VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM ranking), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    params![
                        id,
                        kind,
                        sha256_hex(items.as_bytes()),
                        items,
                        ranking.method,
                        parameters,
                        ranking.seed as i64,
                        panel,
                        run
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// The newest ranking of a kind of items.
    pub fn last_ranking(&self, kind: SubjectKind) -> Result<Option<Ranking>> {
        self.read(|connection| {
            let found = connection
                .query_row(
                    "SELECT method, parameters, seed, items, panel FROM ranking
                     WHERE item_kind = ?1 ORDER BY seq DESC LIMIT 1",
                    [kind.word()],
                    |row| {
                        Ok(Ranking {
                            method: row.get(0)?,
                            parameters: from_json(1, &row.get::<_, String>(1)?)?,
                            seed: row.get::<_, i64>(2)? as u64,
                            item_kind: kind,
                            items: from_json(3, &row.get::<_, String>(3)?)?,
                            panel: from_json(4, &row.get::<_, String>(4)?)?,
                        })
                    },
                )
                .optional()?;
            Ok(found)
        })
    }
}
