//! Runs and their events.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{Store, Tx};

/// What a run notes about itself when it starts.
#[derive(Clone, Debug)]
pub struct RunInfo {
    /// The command line.
    pub command: String,
    /// Hash of the effective configuration.
    pub config_hash: String,
    /// The seed.
    pub seed: u64,
    /// RFC 3339 UTC.
    pub started: String,
}

/// What tells a run from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunHead {
    /// Its number in this project.
    pub id: i64,
    /// When it began, RFC 3339 UTC.
    pub created: String,
    /// The program's version.
    pub tool_version: String,
    /// The seed.
    pub seed: u64,
    /// Hash of the effective configuration.
    pub config_hash: String,
}

impl Store {
    /// The run that this connection writes for; none of one that only reads.
    pub fn run_head(&self) -> Result<Option<RunHead>> {
        let run = self.run;
        self.read(|connection| {
            let head = connection.query_row(
                "SELECT id, started, tool_version, seed, config_hash FROM run WHERE id = ?1",
                [run],
                |row| {
                    Ok(RunHead {
                        id: row.get(0)?,
                        created: row.get(1)?,
                        tool_version: row.get(2)?,
                        seed: row.get::<_, i64>(3)? as u64,
                        config_hash: row.get(4)?,
                    })
                },
            );
            Ok(head.optional()?)
        })
    }

    pub(super) fn begin_run(&self, info: &RunInfo) -> Result<i64> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO run (command, config_hash, seed, tool_version, started) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![info.command, info.config_hash, info.seed as i64, env!("CARGO_PKG_VERSION"), info.started],
            )?;
            Ok(tx.last_insert_rowid())
        })
    }

    /// Notes how the run ended.
    pub fn end_run(&self, ended: &str, exit: u8) -> Result<()> {
        let run = self.run;
        self.write(|tx| {
            tx.execute(
                "UPDATE run SET ended = ?1, exit = ?2 WHERE id = ?3",
                params![ended, exit, run],
            )
            .map(|_| ())
        })
    }

    /// Keeps how the number of requests in flight to a model changed in this run: kind and payload
    /// of each change.
    pub fn save_rates(&self, model: &str, changes: &[(String, String)]) -> Result<()> {
        let stream = format!("rates:{:010}:{model}", self.run);
        self.write(|tx| {
            changes
                .iter()
                .try_for_each(|(kind, payload)| add_event(tx, &stream, kind, payload))
        })
    }

    /// The newest run's rates: model and payload of each change, in order.
    pub fn last_rates(&self) -> Result<Vec<(String, String)>> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT substr(stream, 18), payload FROM event
                 WHERE substr(stream, 1, 17) = (SELECT max(substr(stream, 1, 17)) FROM event WHERE stream LIKE 'rates:%')
                 ORDER BY stream, seq",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    pub(super) fn stream(&self) -> String {
        format!("run:{}", self.run)
    }
}

/// Appends to `stream` inside the caller's transaction, so that the event exists exactly if the
/// fact does.
pub(super) fn add_event(
    tx: &Tx<'_>,
    stream: &str,
    kind: &str,
    payload: &str,
) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT INTO event (stream, seq, kind, payload)
         VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM event WHERE stream = ?1), ?2, ?3)",
        params![stream, kind, payload],
    )?;
    Ok(())
}
