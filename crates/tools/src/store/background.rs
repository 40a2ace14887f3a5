//! Replies that providers are making in the background, by the calls that they will be: an id of
//! the provider's for each, and no text.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};

use super::{Store, Tx};
use crate::data::CallId;

impl Store {
    /// The provider's id of the reply that is being made for a call, if one is.
    pub fn background_reply(&self, call: &CallId) -> Result<Option<String>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT reply FROM background_reply WHERE call = ?1")?;
            Ok(statement
                .query_row([call.as_str()], |row| row.get(0))
                .optional()?)
        })
    }

    /// Replies that are being made, or were when their run was stopped: they cost something, and
    /// nobody knows yet how much.
    pub fn background_replies(&self) -> Result<u64> {
        self.read(|connection| {
            let sql = "SELECT COUNT(*) FROM background_reply";
            Ok(connection.query_row(sql, [], |row| row.get(0))?)
        })
    }

    /// Notes that a reply is being made for a call.
    pub fn begin_background_reply(&self, call: &CallId, reply: &str) -> Result<()> {
        let run = self.run;
        self.write(|tx| {
            tx.execute(
                "INSERT INTO background_reply (call, reply, run) VALUES (?1, ?2, ?3)
                 ON CONFLICT (call) DO UPDATE SET reply = ?2, run = ?3",
                params![call.as_str(), reply, run],
            )
            .map(|_| ())
        })
    }

    /// Notes that there will be no reply for a call.
    pub fn end_background_reply(&self, call: &CallId) -> Result<()> {
        self.write(|tx| end(tx, call))
    }
}

/// Takes out what is known of a reply in the making.
pub(super) fn end(tx: &Tx<'_>, call: &CallId) -> rusqlite::Result<()> {
    let sql = "DELETE FROM background_reply WHERE call = ?1";
    tx.execute(sql, [call.as_str()]).map(|_| ())
}
