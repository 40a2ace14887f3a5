//! The removal of what was marked, in one transaction, and what becomes of rows that stay and name
//! some of it.

use anyhow::{Context as _, Result};
use rusqlite::params;
use serde_json::Value;

use super::{ForgetCounts, Forgetting, sets::withdraw};
use crate::store::{Store, Tx};

/// What a comparison keeps of its payload: ids and numbers, by which ratings are computed.
const KEPT_OF_COMPARISONS: [&str; 4] = ["round", "late", "shown", "places"];

/// Rows that stay name no call and no statement that goes.
const UNNAME: [&str; 8] = [
    "UPDATE citation SET statement = NULL WHERE statement IN (SELECT id FROM going WHERE kind = 'statement')",
    "UPDATE judgement SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE inspiration SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE task SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE statement SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE key_point SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE checklist SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "UPDATE rejection SET call = NULL WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
];

/// The rows, those that name others first.
const REMOVE: [&str; 24] = [
    "DELETE FROM event WHERE payload IN (SELECT id FROM going WHERE kind NOT IN ('comparison', 'line'))
        OR (stream = 'reports' AND trim(payload, '\"') IN (SELECT id FROM going WHERE kind = 'document'))",
    "DELETE FROM judgement WHERE id IN (SELECT id FROM going WHERE kind = 'judgement')",
    "DELETE FROM citation WHERE document IN (SELECT id FROM going WHERE kind = 'document')",
    "DELETE FROM statement WHERE id IN (SELECT id FROM going WHERE kind = 'statement')",
    "DELETE FROM key_point WHERE id IN (SELECT id FROM going WHERE kind = 'key_point')",
    "DELETE FROM reference_set WHERE id IN (SELECT id FROM going WHERE kind = 'reference')",
    "DELETE FROM checklist WHERE id IN (SELECT id FROM going WHERE kind = 'reference')",
    "DELETE FROM trajectory WHERE document IN (SELECT id FROM going WHERE kind = 'document')",
    "DELETE FROM document WHERE id IN (SELECT id FROM going WHERE kind = 'document')",
    "DELETE FROM task_source WHERE task IN (SELECT id FROM going WHERE kind = 'task')",
    "DELETE FROM task WHERE id IN (SELECT id FROM going WHERE kind = 'task')",
    "DELETE FROM evidence WHERE inspiration IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "DELETE FROM inspiration WHERE id IN (SELECT id FROM going WHERE kind = 'inspiration')",
    "DELETE FROM segment WHERE transcript IN (SELECT id FROM going WHERE kind = 'transcript')",
    "DELETE FROM transcript WHERE id IN (SELECT id FROM going WHERE kind = 'transcript')",
    "DELETE FROM rejection WHERE stage || '/' || seminar || '/' || seq IN (SELECT id FROM going WHERE kind = 'refusal')",
    "DELETE FROM seminar_path WHERE seminar IN (SELECT id FROM going WHERE kind = 'seminar')",
    "DELETE FROM seminar WHERE id IN (SELECT id FROM going WHERE kind = 'seminar')",
    "DELETE FROM background_reply WHERE call IN (SELECT id FROM going WHERE kind = 'call')",
    "DELETE FROM call WHERE id IN (SELECT id FROM going WHERE kind = 'call')",
    "DELETE FROM blob WHERE sha256 NOT IN (SELECT id FROM going WHERE kind = 'used_text')",
    "DELETE FROM page_visit WHERE id IN (SELECT id FROM going WHERE kind = 'page')",
    "DELETE FROM extract WHERE content IN (SELECT id FROM going WHERE kind = 'content')",
    "DELETE FROM content WHERE sha256 IN (SELECT id FROM going WHERE kind = 'content')",
];

impl Store {
    /// Cuts the commands of runs that have one of these words to their first words.
    pub fn cut_commands(&self, names: &[String]) -> Result<()> {
        self.write(|tx| cut_commands(tx, names))
    }
}

impl Forgetting<'_> {
    /// Removes all that was marked. `names` are words by which the recordings are called, such as
    /// its paths: the commands of runs that have one are cut to their first words.
    pub fn carry_out(&self, names: &[String]) -> Result<ForgetCounts> {
        let counts = self.counts()?;
        let json = serde_json::to_string(&counts).context("counts")?;
        // Each row is named here. SQLite would look for the rows that name a deleted one, over and
        // over, and most columns that name rows have no index.
        self.store
            .execute("PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF")?;
        let removed = self.store.write(|tx| {
            withdraw(tx)?;
            strip_comparisons(tx)?;
            for sql in UNNAME {
                tx.execute(sql, [])?;
            }
            for sql in REMOVE {
                tx.execute(sql, [])?;
            }
            cut_commands(tx, names)?;
            tx.execute(
                "UPDATE forgotten SET counts = ?1
                 WHERE seminar = (SELECT min(id) FROM going WHERE kind = 'seminar')",
                [json],
            )
        });
        self.store.execute("PRAGMA foreign_keys = ON")?;
        removed?;
        Ok(counts)
    }
}

/// Leaves of comparisons what ratings need: who was compared, the verdict, when it was asked.
fn strip_comparisons(tx: &Tx<'_>) -> rusqlite::Result<()> {
    let mut statement = tx.prepare(
        "SELECT id, payload FROM judgement WHERE id IN (SELECT id FROM going WHERE kind = 'comparison')",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    for (id, payload) in found {
        tx.execute(
            "UPDATE judgement SET payload = ?2, call = NULL, evidence_hash = NULL WHERE id = ?1",
            params![id, stripped(&payload)],
        )?;
    }
    Ok(())
}

fn stripped(payload: &str) -> String {
    let mut payload: Value = serde_json::from_str(payload).unwrap_or_default();
    if let Some(fields) = payload.as_object_mut() {
        fields.retain(|name, _| KEPT_OF_COMPARISONS.contains(&name.as_str()));
    }
    payload.to_string()
}

/// Cuts the commands that name the recording.
fn cut_commands(tx: &Tx<'_>, names: &[String]) -> rusqlite::Result<()> {
    let mut statement = tx.prepare("SELECT id, command FROM run")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    for (id, command) in found {
        if names.iter().any(|name| command.contains(name.as_str())) {
            let words: Vec<&str> = command.split(' ').take(2).collect();
            let cut = format!("{} …", words.join(" "));
            tx.execute(
                "UPDATE run SET command = ?2 WHERE id = ?1",
                params![id, cut],
            )?;
        }
    }
    Ok(())
}
