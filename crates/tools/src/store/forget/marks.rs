//! Which rows belong to a recording: their ids are collected by kind in a table of this connection
//! alone, in the order in which one follows from the other.

use std::collections::BTreeSet;

use anyhow::Result;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::{ForgetCounts, Forgetting};
use crate::{
    data::{SeminarId, TaskId},
    store::Store,
};

/// Where the ids are collected, and those of recordings that seem to be the same talk. They hold no
/// texts.
const TABLES: &str = "DROP TABLE IF EXISTS temp.going;
    CREATE TEMP TABLE going (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    DROP TABLE IF EXISTS temp.alike;
    CREATE TEMP TABLE alike (id TEXT PRIMARY KEY) WITHOUT ROWID;";

/// What belongs to the recordings themselves.
const OF_RECORDINGS: [&str; 3] = [
    "INSERT OR IGNORE INTO going SELECT 'path', path FROM seminar_path WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
    "INSERT OR IGNORE INTO going SELECT 'transcript', id FROM transcript WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
    "INSERT OR IGNORE INTO going SELECT 'inspiration', id FROM inspiration WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
];

/// Their tasks, and those across seminars that rest on any of their inspirations.
const TASKS: &str = "INSERT OR IGNORE INTO going
    SELECT 'task', id FROM task WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar') UNION
    SELECT 'task', task FROM task_source WHERE inspiration IN (SELECT id FROM going WHERE kind = 'inspiration')";

/// Tasks that say one of them again: in another language, in other words, or imported from a file
/// that it was exported to. Again until there are no more.
const TASKS_FROM_TASKS: &str = "INSERT OR IGNORE INTO going SELECT 'task', id FROM task
    WHERE payload ->> '$.translation_of' IN (SELECT id FROM going WHERE kind = 'task')
       OR payload ->> '$.edited.task' IN (SELECT id FROM going WHERE kind = 'task')
       OR (origin = 'imported' AND (payload ->> '$.from.file_id' IN (SELECT id FROM going WHERE kind = 'task')
            OR text IN (SELECT text FROM task WHERE id IN (SELECT id FROM going WHERE kind = 'task'))))";

/// What rests on the tasks.
const OF_TASKS: [&str; 9] = [
    "INSERT OR IGNORE INTO going SELECT 'document', id FROM document
        WHERE task IN (SELECT id FROM going WHERE kind = 'task')",
    "INSERT OR IGNORE INTO going SELECT 'key_point', id FROM key_point
        WHERE task IN (SELECT id FROM going WHERE kind = 'task')",
    "INSERT OR IGNORE INTO going SELECT 'reference', id FROM reference_set
        WHERE task IN (SELECT id FROM going WHERE kind = 'task')",
    "INSERT OR IGNORE INTO going SELECT 'reference', r.id FROM reference_set r, json_each(r.members) member
        WHERE member.value IN (SELECT id FROM going WHERE kind = 'key_point')",
    "INSERT OR IGNORE INTO going SELECT 'reference', id FROM checklist
        WHERE task IN (SELECT id FROM going WHERE kind = 'task')",
    "INSERT OR IGNORE INTO going SELECT 'page', id FROM page_visit
        WHERE url IN (SELECT url FROM citation WHERE document IN (SELECT id FROM going WHERE kind = 'document'))
          AND url NOT IN (SELECT url FROM citation
                WHERE url IS NOT NULL AND document NOT IN (SELECT id FROM going WHERE kind = 'document'))",
    "INSERT OR IGNORE INTO going SELECT 'content', sha256 FROM content
        WHERE sha256 IN (SELECT content FROM page_visit WHERE id IN (SELECT id FROM going WHERE kind = 'page'))
          AND sha256 NOT IN (SELECT content FROM page_visit
                WHERE content IS NOT NULL AND id NOT IN (SELECT id FROM going WHERE kind = 'page'))
          AND sha256 NOT IN (SELECT source FROM key_point WHERE id NOT IN (SELECT id FROM going WHERE kind = 'key_point'))",
    "INSERT OR IGNORE INTO going SELECT 'statement', id FROM statement
        WHERE source IN (SELECT id FROM going WHERE kind IN ('document', 'content'))",
    "INSERT OR IGNORE INTO going SELECT 'refusal', stage || '/' || seminar || '/' || seq FROM rejection
        WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
];

/// The comparisons of ranked items with one of them, in pairs and in lists.
const COMPARISONS: [&str; 2] = [
    "INSERT OR IGNORE INTO going SELECT 'comparison', j.id FROM judgement j JOIN instrument i ON i.id = j.instrument
        WHERE i.family IN ('rankeval', 'rank-reports')
          AND (j.subject IN (SELECT id FROM going WHERE kind IN ('task', 'document'))
            OR j.other IN (SELECT id FROM going WHERE kind IN ('task', 'document')))",
    "INSERT OR IGNORE INTO going
        SELECT 'comparison', j.id FROM judgement j JOIN instrument i ON i.id = j.instrument,
            json_each(j.payload, '$.shown') shown
        WHERE i.family IN ('rankeval', 'rank-reports')
          AND shown.value IN (SELECT id FROM going WHERE kind IN ('task', 'document'))",
];

/// Whether one of these comparisons is with an item that stays: then ratings rest on all of them.
const RATES_OTHERS: &str = "SELECT EXISTS (SELECT 1 FROM judgement j, going g
    WHERE g.kind = 'comparison' AND g.id = j.id AND (
        (j.other IS NOT NULL AND json_type(j.payload, '$.shown') IS NULL
            AND (j.subject NOT IN (SELECT id FROM going WHERE kind IN ('task', 'document'))
                OR j.other NOT IN (SELECT id FROM going WHERE kind IN ('task', 'document'))))
        OR EXISTS (SELECT 1 FROM json_each(j.payload, '$.shown') shown
            WHERE shown.value NOT IN (SELECT id FROM going WHERE kind IN ('task', 'document')))))";

/// All other judgements of what goes.
const JUDGEMENTS: &str = "INSERT OR IGNORE INTO going SELECT 'judgement', id FROM judgement
    WHERE (subject IN (SELECT id FROM going WHERE kind NOT IN ('path', 'refusal'))
        OR other IN (SELECT id FROM going WHERE kind NOT IN ('path', 'refusal')))
      AND id NOT IN (SELECT id FROM going WHERE kind = 'comparison')";

/// The calls that rows name which go, and those that the comparisons came from.
const CALLS: [&str; 8] = [
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM inspiration
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM task
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'task')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM statement
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'statement')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM key_point
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'key_point')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM checklist
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind = 'reference')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM rejection WHERE call IS NOT NULL AND seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
    "INSERT OR IGNORE INTO going SELECT 'call', call FROM judgement
        WHERE call IS NOT NULL AND id IN (SELECT id FROM going WHERE kind IN ('judgement', 'comparison'))",
    "INSERT OR IGNORE INTO going SELECT 'call', named.value FROM judgement j, json_tree(j.payload) named
        WHERE named.key = 'call' AND named.type = 'text'
          AND j.id IN (SELECT id FROM going WHERE kind IN ('judgement', 'comparison'))",
];

impl Store {
    /// Marks what the project knows of some recordings, which are forgotten as one. Nothing is
    /// changed.
    pub fn forgetting(&self, seminars: &BTreeSet<SeminarId>) -> Result<Forgetting<'_>> {
        self.read(|connection| {
            connection.execute_batch(TABLES)?;
            for seminar in seminars {
                put(connection, "seminar", seminar.as_str())?;
            }
            for sql in OF_RECORDINGS {
                connection.execute(sql, [])?;
            }
            connection.execute(TASKS, [])?;
            Ok(mark_what_follows(connection)?)
        })?;
        Ok(Forgetting { store: self })
    }
}

/// Marks what rests on the tasks and the reports that are marked.
pub(super) fn mark_what_follows(connection: &Connection) -> rusqlite::Result<()> {
    while connection.execute(TASKS_FROM_TASKS, [])? > 0 {}
    for sql in OF_TASKS {
        connection.execute(sql, [])?;
    }
    mark_judgements(connection)?;
    for sql in CALLS {
        connection.execute(sql, [])?;
    }
    Ok(())
}

fn mark_judgements(connection: &Connection) -> rusqlite::Result<()> {
    // Whether others are rated by them may be another question by now.
    connection.execute(
        "DELETE FROM going WHERE kind IN ('judgement', 'comparison')",
        [],
    )?;
    for sql in COMPARISONS {
        connection.execute(sql, [])?;
    }
    let rates_others: bool = connection.query_row(RATES_OTHERS, [], |row| row.get(0))?;
    if !rates_others {
        connection.execute("DELETE FROM going WHERE kind = 'comparison'", [])?;
        for sql in COMPARISONS {
            connection.execute(&sql.replace("'comparison', j.id", "'judgement', j.id"), [])?;
        }
    }
    connection.execute(JUDGEMENTS, [])?;
    Ok(())
}

impl Forgetting<'_> {
    /// Ids and paths that were marked as `kind`.
    pub(super) fn marked(&self, kind: &str) -> Result<BTreeSet<String>> {
        self.store.read(|connection| Ok(marked(connection, kind)?))
    }

    /// Their paths under the seminars folder, in order.
    pub fn paths(&self) -> Result<Vec<String>> {
        Ok(self.marked("path")?.into_iter().collect())
    }

    /// The tasks that go.
    pub fn tasks(&self) -> Result<BTreeSet<TaskId>> {
        let tasks = self.marked("task")?.into_iter();
        Ok(tasks.map(TaskId::from_stored).collect())
    }

    /// How much goes.
    pub fn counts(&self) -> Result<ForgetCounts> {
        self.store.read(|connection| {
            let count = |kind: &str| -> rusqlite::Result<u64> {
                let sql = "SELECT count(*) FROM going WHERE kind = ?1";
                connection.query_row(sql, [kind], |row| row.get(0))
            };
            Ok(ForgetCounts {
                transcripts: count("transcript")?,
                inspirations: count("inspiration")?,
                tasks: count("task")?,
                reports: count("document")?,
                statements: count("statement")?,
                key_points: count("key_point")?,
                references: count("reference")?,
                judgements: count("judgement")?,
                comparisons_kept: count("comparison")?,
                calls: count("call")?,
                pages: count("page")?,
                refusals: count("refusal")?,
            })
        })
    }
}

pub(super) fn marked(connection: &Connection, kind: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare_cached("SELECT id FROM going WHERE kind = ?1")?;
    let rows = statement.query_map([kind], |row| row.get(0))?;
    rows.collect()
}

/// Marks a row. Whether it was not marked before.
pub(super) fn put(connection: &Connection, kind: &str, id: &str) -> rusqlite::Result<bool> {
    let added = connection
        .prepare_cached("INSERT OR IGNORE INTO going VALUES (?1, ?2)")?
        .execute(params![kind, id])?;
    Ok(added > 0)
}

/// Whether a value names one of these ids anywhere.
pub(super) fn names_any(value: &Value, ids: &BTreeSet<String>) -> bool {
    match value {
        Value::String(text) => ids.contains(text),
        Value::Array(items) => items.iter().any(|item| names_any(item, ids)),
        Value::Object(fields) => fields.values().any(|field| names_any(field, ids)),
        _ => false,
    }
}
