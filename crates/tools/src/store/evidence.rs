//! What reports are compared with: key points of pages, frozen sets of them, checklists.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{Store, from_json, runs::add_event};
use crate::data::{CallId, KeyPoint, KeyPointId, TaskId, id};

impl Store {
    /// Keeps the key points of a page.
    pub fn save_key_points(&self, points: &[KeyPoint], call: &CallId) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            for point in points {
                let spans = json!(point.spans).to_string();
                let new = tx.execute(
                    "INSERT OR IGNORE INTO key_point (id, task, source, text, spans, verified, call, run)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        point.id.as_str(),
                        point.task.as_str(),
                        point.source,
                        point.text,
                        spans,
                        point.verified,
                        call.as_str(),
                        run
                    ],
                )?;
                if new > 0 {
                    add_event(tx, &stream, "key_point", point.id.as_str())?;
                }
            }
            Ok(())
        })
    }

    /// A key point.
    pub fn key_point(&self, id: &KeyPointId) -> Result<Option<KeyPoint>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, task, source, text, spans, verified FROM key_point WHERE id = ?1",
            )?;
            Ok(statement.query_row([id.as_str()], key_point).optional()?)
        })
    }

    /// Freezes a set of a task under a name, and returns its version: a new one, unless the newest
    /// has the same members.
    pub fn freeze<T: Serialize>(&self, task: &TaskId, name: &str, members: &T) -> Result<u32> {
        let (run, members) = (self.run, serde_json::to_string(members)?);
        self.write(|tx| {
            let newest: Option<(u32, String)> = tx
                .query_row(
                    "SELECT version, members FROM reference_set WHERE task = ?1 AND name = ?2
                     ORDER BY version DESC LIMIT 1",
                    [task.as_str(), name],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            if let Some((version, known)) = &newest
                && *known == members
            {
                return Ok(*version);
            }
            let version = newest.map_or(1, |(version, _)| version + 1);
            let id = id::text('z', &[task.as_str(), name, &version.to_string()]);
            tx.execute(
                "INSERT INTO reference_set (id, task, name, version, frozen, members, run)
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)",
                params![id, task.as_str(), name, version, members, run],
            )?;
            Ok(version)
        })
    }

    /// Of a task and a name the newest set that `fits`, or the newest where none does.
    pub fn frozen<T: DeserializeOwned>(
        &self,
        task: &TaskId,
        name: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT members FROM reference_set WHERE task = ?1 AND name = ?2 ORDER BY version DESC",
            )?;
            let mut rows = statement.query([task.as_str(), name])?;
            let mut newest = None;
            while let Some(row) = rows.next()? {
                let set: T = from_json(0, row.get_ref(0)?.as_str()?)?;
                if fits(&set) {
                    return Ok(Some(set));
                }
                newest.get_or_insert(set);
            }
            Ok(newest)
        })
    }

    /// Freezes the checklist of a task. The first one stays.
    pub fn save_checklist<T: Serialize>(
        &self,
        task: &TaskId,
        criteria: &T,
        call: &CallId,
    ) -> Result<()> {
        let (run, members) = (self.run, serde_json::to_string(criteria)?);
        let id = id::text('z', &[task.as_str(), "checklist", &members]);
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO checklist (id, task, version, frozen, members, call, run)
                 VALUES (?1, ?2, 1, 1, ?3, ?4, ?5)",
                params![id, task.as_str(), members, call.as_str(), run],
            )?;
            Ok(())
        })
    }

    /// The newest checklist of a task, with its id.
    pub fn checklist<T: DeserializeOwned>(&self, task: &TaskId) -> Result<Option<(String, T)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, members FROM checklist WHERE task = ?1 ORDER BY version DESC LIMIT 1",
            )?;
            let read = |row: &Row<'_>| Ok((row.get(0)?, from_json(1, row.get_ref(1)?.as_str()?)?));
            Ok(statement.query_row([task.as_str()], read).optional()?)
        })
    }

    /// The checklists by task, with their ids.
    pub fn checklists<T: DeserializeOwned>(&self) -> Result<BTreeMap<TaskId, (String, T)>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT task, id, members FROM checklist ORDER BY task, version")?;
            let rows = statement.query_map([], |row| {
                let members: T = from_json(2, &row.get::<_, String>(2)?)?;
                Ok((TaskId::from_stored(row.get(0)?), (row.get(1)?, members)))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn key_point(row: &Row<'_>) -> rusqlite::Result<KeyPoint> {
    Ok(KeyPoint {
        id: KeyPointId::from_stored(row.get(0)?),
        task: TaskId::from_stored(row.get(1)?),
        source: row.get(2)?,
        text: row.get(3)?,
        spans: from_json(4, row.get_ref(4)?.as_str()?)?,
        verified: row.get(5)?,
    })
}
