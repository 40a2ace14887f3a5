//! Named sets of tasks, in versions. A version keeps its tasks' own lines, and is never changed:
//! only withdrawing takes a line out.

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;

use super::{Store, Tx};
use crate::data::{
    Member, SetRecord, Task, TaskId, TaskRecord,
    id::{self, sha256_hex},
};

/// A task's line as it is exported: the JSON of its record.
#[derive(Clone, Debug)]
pub struct Line {
    /// The task.
    pub task: TaskId,
    /// Its record, on one line.
    pub json: String,
}

/// A version of a set.
#[derive(Clone, Debug)]
pub struct FrozenSet {
    /// Its name.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// The set's canary.
    pub canary: String,
    /// SHA-256 over its lines as they were frozen; none of a set from before sets were frozen.
    pub sha256: Option<String>,
    /// When the run began that froze it, RFC 3339; none of a set from before sets were frozen.
    pub frozen_at: Option<String>,
    /// What the nonces of its lines follow from.
    pub nonce: Option<String>,
    /// Its tasks, best first.
    pub members: Vec<FrozenMember>,
}

/// A task of a version of a set.
#[derive(Clone, Debug)]
pub struct FrozenMember {
    /// The task.
    pub task: TaskId,
    /// Its line; none where it was withdrawn, or was chosen before sets were frozen.
    pub line: Option<String>,
    /// The commitment to the line.
    pub leaf: Option<String>,
    /// Whether its text is gone because a speaker withdrew consent.
    pub withdrawn: bool,
}

/// What is known of a version of a set without reading its lines.
#[derive(Clone, Debug, Serialize)]
pub struct SetInfo {
    /// Its name.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// Its tasks, without translations; withdrawn ones count.
    pub tasks: usize,
    /// How many of them were withdrawn.
    pub withdrawn: usize,
    /// SHA-256 over its lines as they were frozen; none of a set from before sets were frozen.
    pub sha256: Option<String>,
    /// Whether it is the newest of all, which commands take where no set is named.
    pub newest: bool,
}

impl FrozenSet {
    /// `name@version`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The set with its tasks' records. Fails if it is from before sets were frozen.
    pub fn record(&self) -> Result<SetRecord> {
        let mut tasks = Vec::new();
        for member in &self.members {
            let record = member.line.as_deref().map(record_of).transpose()?;
            tasks.push(Member {
                id: member.task.clone(),
                record,
            });
        }
        Ok(SetRecord {
            name: self.name.clone(),
            version: self.version,
            canary: self.canary.clone(),
            sha256: self.sha256.clone().context("the set is not frozen")?,
            tasks,
        })
    }
}

fn record_of(line: &str) -> Result<TaskRecord> {
    serde_json::from_str(line).context("a frozen task cannot be read")
}

/// Nonce of the line at a place, which tells nothing about the others.
pub fn nonce_at(nonce: &str, place: usize) -> String {
    sha256_hex(format!("{nonce} {place}").as_bytes())
}

/// The commitment to a line.
pub fn leaf(nonce: &str, line: &str) -> String {
    sha256_hex(format!("{nonce} {line}").as_bytes())
}

/// SHA-256 over lines.
fn hash_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for line in lines {
        all.push_str(line);
        all.push('\n');
    }
    sha256_hex(all.as_bytes())
}

impl Store {
    /// Freezes tasks as the newest version of a set, and returns the version: a new one, unless its
    /// newest has the same lines.
    pub fn freeze_set(&self, name: &str, lines: &[Line]) -> Result<u32> {
        let run = self.run;
        self.write(|tx| freeze(tx, name, lines, run))
    }

    /// A version of a set, the newest if none is given; of the newest set of all if no name is
    /// given. None where there is none.
    pub fn frozen_set(
        &self,
        name: Option<&str>,
        version: Option<u32>,
    ) -> Result<Option<FrozenSet>> {
        self.read(|connection| {
            let head = connection
                .query_row(
                    "SELECT id, name, version, canary, sha256, nonce, frozen_at FROM task_set
                     WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR version = ?2)
                     AND (?1 IS NOT NULL OR EXISTS (
                        SELECT 1 FROM set_member m WHERE m.task_set = task_set.id AND m.withdrawn = 0
                     ))
                     ORDER BY run DESC, version DESC LIMIT 1",
                    params![name, version],
                    |row| {
                        let set = FrozenSet {
                            name: row.get(1)?,
                            version: row.get(2)?,
                            canary: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                            sha256: row.get(4)?,
                            nonce: row.get(5)?,
                            frozen_at: row.get(6)?,
                            members: Vec::new(),
                        };
                        Ok((row.get::<_, String>(0)?, set))
                    },
                )
                .optional()?;
            let Some((id, mut set)) = head else {
                return Ok(None);
            };
            set.members = members(connection, &id)?;
            if set.canary.is_empty() {
                set.canary = canary(connection, &set.name)?;
            }
            Ok(Some(set))
        })
    }

    /// The tasks of a set, without translations and without those that were withdrawn, best first.
    pub fn tasks_of(&self, set: &FrozenSet) -> Result<Vec<Task>> {
        let mut tasks = self.texts_of(set)?;
        tasks.retain(|task| task.translation_of().is_none());
        Ok(tasks)
    }

    /// The translations of a set's tasks, as they were frozen.
    pub fn translations_of(&self, set: &FrozenSet) -> Result<Vec<Task>> {
        let mut tasks = self.texts_of(set)?;
        tasks.retain(|task| task.translation_of().is_some());
        Ok(tasks)
    }

    fn texts_of(&self, set: &FrozenSet) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        for member in set.members.iter().filter(|member| !member.withdrawn) {
            let task = match &member.line {
                Some(line) => record_of(line)?
                    .to_task()
                    .with_context(|| format!("a frozen task cannot be read: `{}`", member.task))?,
                // From before sets were frozen.
                None => match self.task(&member.task)? {
                    Some(task) => task,
                    None => continue,
                },
            };
            tasks.push(task);
        }
        Ok(tasks)
    }

    /// All versions of all sets, the newest first.
    pub fn sets(&self) -> Result<Vec<SetInfo>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT s.name, s.version, s.sha256,
                    count(*) FILTER (WHERE NOT m.translation),
                    count(*) FILTER (WHERE NOT m.translation AND m.withdrawn)
                 FROM task_set s JOIN set_member m ON m.task_set = s.id
                 GROUP BY s.id ORDER BY s.run DESC, s.version DESC",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(SetInfo {
                    name: row.get(0)?,
                    version: row.get(1)?,
                    sha256: row.get(2)?,
                    tasks: row.get(3)?,
                    withdrawn: row.get(4)?,
                    newest: false,
                })
            })?;
            let mut sets: Vec<SetInfo> = rows.collect::<rusqlite::Result<_>>()?;
            let with_tasks = |set: &&mut SetInfo| set.tasks > set.withdrawn;
            if let Some(newest) = sets.iter_mut().find(with_tasks) {
                newest.newest = true;
            }
            Ok(sets)
        })
    }
}

/// The same within a transaction.
pub(super) fn freeze(tx: &Tx<'_>, name: &str, lines: &[Line], run: i64) -> rusqlite::Result<u32> {
    let hash = hash_of(lines.iter().map(|line| line.json.as_str()));
    let newest: Option<(u32, Option<String>)> = tx
        .query_row(
            // A version with withdrawn lines is not the same, though its hash is.
            "SELECT version, CASE WHEN EXISTS (
                SELECT 1 FROM set_member m WHERE m.task_set = task_set.id AND m.withdrawn
             ) THEN NULL ELSE sha256 END
             FROM task_set WHERE name = ?1 ORDER BY version DESC LIMIT 1",
            [name],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    if let Some((version, Some(of_newest))) = &newest
        && *of_newest == hash
    {
        tx.execute(
            "UPDATE task_set SET run = ?3 WHERE name = ?1 AND version = ?2",
            params![name, version, run],
        )?;
        return Ok(*version);
    }
    let version = newest.map_or(1, |(version, _)| version + 1);
    let nonce: String = tx.query_row("SELECT lower(hex(randomblob(32)))", [], |row| row.get(0))?;
    let set = format!("s_{name}_{version}_{}", &hash[..16]);
    tx.execute(
        "INSERT INTO task_set (id, name, version, frozen, canary, sha256, nonce, run, frozen_at)
         VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, (SELECT started FROM run WHERE id = ?7))",
        params![set, name, version, canary(tx, name)?, hash, nonce, run],
    )?;
    for (place, line) in lines.iter().enumerate() {
        tx.execute(
            "INSERT INTO set_member (task_set, place, task, line, leaf, translation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?4 ->> '$.translation_of' IS NOT NULL)",
            params![
                set,
                place as i64,
                line.task.as_str(),
                line.json,
                leaf(&nonce_at(&nonce, place), &line.json)
            ],
        )?;
    }
    Ok(version)
}

fn members(connection: &Connection, set: &str) -> rusqlite::Result<Vec<FrozenMember>> {
    let mut statement = connection.prepare_cached(
        "SELECT task, line, leaf, withdrawn FROM set_member WHERE task_set = ?1 ORDER BY place",
    )?;
    let rows = statement.query_map([set], |row| {
        Ok(FrozenMember {
            task: TaskId::from_stored(row.get(0)?),
            line: row.get(1)?,
            leaf: row.get(2)?,
            withdrawn: row.get(3)?,
        })
    })?;
    rows.collect()
}

/// The canary of a set: a text that stands nowhere else, the same for all versions of a name.
fn canary(connection: &Connection, name: &str) -> rusqlite::Result<String> {
    let key: String = connection.query_row(
        "SELECT value FROM secret WHERE name = 'canary'",
        [],
        |row| row.get(0),
    )?;
    let mark = id::text('y', &[&key, name]);
    Ok(format!("taskgen canary {}", &mark[2..]))
}
