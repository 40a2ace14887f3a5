//! What forgetting does to sets: lines are withdrawn in every version, and where the newest version
//! had some, a new one has the others.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{Connection, params};
use serde::Serialize;

use super::{
    Forgetting,
    marks::{marked, names_any, put},
};
use crate::{
    data::TaskId,
    store::{Line, Tx, sets::freeze},
};

/// A version of a set that has withdrawn tasks afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetChange {
    /// The set as `name@version`.
    pub set: String,
    /// Tasks that are withdrawn from it.
    pub withdrawn: u64,
    /// The new version with the others, as `name@version`; none of an older version, and none where
    /// nothing is left.
    pub next: Option<String>,
}

/// A version of a set with tasks that go.
struct Affected {
    id: String,
    name: String,
    version: u32,
    run: i64,
    withdrawn: u64,
    left: u64,
    is_newest: bool,
}

/// Marks the lines of sets that hold tasks which go: by the tasks, by what they rest on, by words.
pub(super) fn mark_lines(
    connection: &Connection,
    holds: &impl Fn(&str) -> bool,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO going SELECT 'line', task_set || '/' || place FROM set_member
         WHERE withdrawn = 0 AND task IN (SELECT id FROM going WHERE kind = 'task')",
        [],
    )?;
    let mut ids = marked(connection, "inspiration")?;
    ids.extend(marked(connection, "task")?);
    ids.extend(marked(connection, "seminar")?);
    let mut statement = connection
        .prepare("SELECT task_set || '/' || place, line FROM set_member WHERE line IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let line = row.get_ref(1)?.as_str()?;
        let names = serde_json::from_str(line).is_ok_and(|value| names_any(&value, &ids));
        if names || holds(line) {
            found.push(row.get::<_, String>(0)?);
        }
    }
    for id in &found {
        put(connection, "line", id)?;
    }
    Ok(())
}

impl Forgetting<'_> {
    /// The versions of sets with tasks that go, the newest of each set first.
    pub fn sets(&self) -> Result<Vec<SetChange>> {
        self.store.read(|connection| {
            let affected = affected(connection)?;
            Ok(affected.iter().map(Affected::change).collect())
        })
    }
}

impl Affected {
    fn change(&self) -> SetChange {
        let next = (self.is_newest && self.left > 0)
            .then(|| format!("{}@{}", self.name, self.version + 1));
        SetChange {
            set: format!("{}@{}", self.name, self.version),
            withdrawn: self.withdrawn,
            next,
        }
    }
}

fn affected(connection: &Connection) -> rusqlite::Result<Vec<Affected>> {
    let mut statement = connection.prepare(
        "SELECT s.id, s.name, s.version, s.run,
            sum(m.task_set || '/' || m.place IN (SELECT id FROM going WHERE kind = 'line')),
            sum(m.withdrawn = 0 AND m.task_set || '/' || m.place NOT IN (SELECT id FROM going WHERE kind = 'line')),
            s.version = (SELECT max(version) FROM task_set WHERE name = s.name)
         FROM task_set s JOIN set_member m ON m.task_set = s.id
         GROUP BY s.id HAVING sum(m.task_set || '/' || m.place IN (SELECT id FROM going WHERE kind = 'line')) > 0
         ORDER BY s.name, s.version DESC",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Affected {
            id: row.get(0)?,
            name: row.get(1)?,
            version: row.get(2)?,
            run: row.get(3)?,
            withdrawn: row.get(4)?,
            left: row.get(5)?,
            is_newest: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Withdraws the lines, and makes the new versions.
pub(super) fn withdraw(tx: &Tx<'_>) -> rusqlite::Result<()> {
    let affected = affected(tx)?;
    tx.execute(
        "UPDATE set_member SET line = NULL, withdrawn = 1
         WHERE task_set || '/' || place IN (SELECT id FROM going WHERE kind = 'line')",
        [],
    )?;
    for set in affected {
        if set.is_newest && set.left > 0 {
            make_next(tx, &set)?;
        }
    }
    Ok(())
}

/// Makes the version that follows a set. It has the run of the version before it: which set is the
/// newest of all does not change.
fn make_next(tx: &Tx<'_>, set: &Affected) -> rusqlite::Result<()> {
    let left = left(tx, &set.id)?;
    let lines: Option<Vec<Line>> = left
        .iter()
        .map(|(task, line)| {
            Some(Line {
                task: TaskId::from_stored(task.clone()),
                json: line.clone()?,
            })
        })
        .collect();
    if let Some(lines) = lines {
        freeze(tx, &set.name, &lines, set.run)?;
        return Ok(());
    }
    // From before sets were frozen: there are no lines, and the tasks are named alone.
    let version = set.version + 1;
    let id = format!("s_{}_{version}_unfrozen", set.name);
    tx.execute(
        "INSERT INTO task_set (id, name, version, frozen, run) VALUES (?1, ?2, ?3, 0, ?4)",
        params![id, set.name, version, set.run],
    )?;
    let places: BTreeMap<i64, _> = (0..).zip(left).collect();
    for (place, (task, line)) in places {
        tx.execute(
            "INSERT INTO set_member (task_set, place, task, line) VALUES (?1, ?2, ?3, ?4)",
            params![id, place, task, line],
        )?;
    }
    Ok(())
}

/// The tasks of a version that stay, with their lines, in order.
fn left(tx: &Tx<'_>, set: &str) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let mut statement = tx.prepare_cached(
        "SELECT task, line FROM set_member WHERE task_set = ?1 AND withdrawn = 0 ORDER BY place",
    )?;
    let rows = statement.query_map([set], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
