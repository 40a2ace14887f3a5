//! Gold articles of tasks.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use super::{Store, from_json};
use crate::data::{GoldArticle, TaskId, id::sha256_hex};

/// The id of a task's gold article in force.
const NEWEST: &str =
    "SELECT id FROM document WHERE kind = 'gold' AND task = ?1 ORDER BY rowid DESC LIMIT 1";

/// What stands beside the text.
#[derive(Serialize, Deserialize)]
struct Payload {
    title: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    statements: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<String, String>,
}

impl Store {
    /// Keeps gold articles; the newest of a task counts.
    ///
    /// Returns how many were not known.
    pub fn save_gold(&self, articles: &[GoldArticle]) -> Result<usize> {
        let run = self.run;
        let mut rows = Vec::new();
        for article in articles {
            let payload = serde_json::to_string(&Payload {
                title: article.title.clone(),
                url: article.url.clone(),
                statements: article.statements.clone(),
                attributes: article.attributes.clone(),
            })?;
            let parts = [article.task.as_str(), &article.text, &payload].join("\u{0}");
            let id = format!("g_{}", &sha256_hex(parts.as_bytes())[..16]);
            rows.push((id, article, payload));
        }
        self.write(|tx| {
            let mut new = 0;
            for (id, article, payload) in &rows {
                let task = article.task.as_str();
                let in_force: Option<String> =
                    tx.query_row(NEWEST, [task], |row| row.get(0)).optional()?;
                if in_force.as_ref() == Some(id) {
                    continue;
                }
                // One that was there before another took its place is the newest again.
                let known = tx.execute("DELETE FROM document WHERE id = ?1", [id])?;
                new += usize::from(known == 0);
                tx.execute(
                    "INSERT INTO document (id, kind, task, state, text, payload, run)
                     VALUES (?1, 'gold', ?2, 'ok', ?3, ?4, ?5)",
                    params![id, task, article.text, payload, run],
                )?;
            }
            Ok(new)
        })
    }

    /// The gold article of a task.
    pub fn gold_of(&self, task: &TaskId) -> Result<Option<GoldArticle>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT task, text, payload FROM document WHERE kind = 'gold' AND task = ?1
                 ORDER BY rowid DESC LIMIT 1",
            )?;
            Ok(statement.query_row([task.as_str()], read).optional()?)
        })
    }

    /// The gold article of each task that has one.
    pub fn gold(&self) -> Result<BTreeMap<TaskId, GoldArticle>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT task, text, payload FROM document WHERE kind = 'gold' ORDER BY rowid",
            )?;
            let rows = statement.query_map([], |row| {
                let article = read(row)?;
                Ok((article.task.clone(), article))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<GoldArticle> {
    let payload: Payload = from_json(2, &row.get::<_, String>(2)?)?;
    Ok(GoldArticle {
        task: TaskId::from_stored(row.get(0)?),
        title: payload.title,
        url: payload.url,
        text: row.get(1)?,
        statements: payload.statements,
        attributes: payload.attributes,
    })
}
