//! Pages of the web as they were when they were fetched: bytes once by their hash, packed; texts by
//! what read them.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
};

use anyhow::Result;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Store, runs::add_event};
use crate::data::{
    Visit,
    id::{self, sha256_hex},
};

/// The text of a page, and what read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extract {
    /// What made the text out of the bytes.
    pub extractor: String,
    /// Its version.
    pub version: String,
    /// The page's title.
    pub title: Option<String>,
    /// When it says that it was published, as it is written there.
    pub published: Option<String>,
    /// Its text.
    pub text: String,
}

impl Store {
    /// Keeps a visit with the bytes that it brought; their hash is returned.
    pub fn save_visit(&self, visit: &Visit, bytes: Option<&[u8]>) -> Result<Option<String>> {
        let (run, stream) = (self.run, self.stream());
        let content = bytes.map(sha256_hex);
        let packed = bytes.map(pack).transpose()?;
        let id = id::text('w', &[&visit.url, &visit.fetched]);
        // The column says how fetching failed, which no later version decides otherwise.
        let (cause, message) = match bytes {
            Some(_) => (None, None),
            None => (visit.cause.as_ref(), visit.message.as_ref()),
        };
        let mut payload = json!({
            "message": message, "transient": visit.transient, "content_type": visit.content_type
        });
        // A visit without bytes has nothing that a later version could decide otherwise.
        if bytes.is_some() {
            payload["decision"] = decision(visit);
        }
        self.write(|tx| {
            if let (Some(hash), Some(packed), Some(bytes)) = (&content, &packed, bytes) {
                tx.execute(
                    // Many addresses bring the same bytes; they are stored once, by their hash. Where
                    // they were changed, they become what they were.
                    "INSERT INTO content (sha256, bytes, compression, size) VALUES (?1, ?2, 'deflate', ?3)
                     ON CONFLICT (sha256) DO UPDATE SET bytes = ?2, size = ?3 WHERE bytes <> ?2",
                    params![hash, packed, bytes.len() as i64],
                )?;
            }
            tx.execute(
                "INSERT OR REPLACE INTO page_visit
                    (id, url, final_url, fetched, status, cause, fetcher, content, payload, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    id,
                    visit.url,
                    visit.final_url,
                    visit.fetched,
                    visit.status,
                    cause,
                    visit.fetcher,
                    content,
                    payload.to_string(),
                    run
                ],
            )?;
            add_event(tx, &stream, "page_visit", &id)
        })?;
        Ok(content)
    }

    /// Keeps what was decided from the bytes of a visit; an earlier version's decision is gone.
    pub fn save_decision(&self, visit: &Visit) -> Result<()> {
        let id = id::text('w', &[&visit.url, &visit.fetched]);
        self.write(|tx| {
            tx.execute(
                "UPDATE page_visit SET payload = json_set(payload, '$.decision', json(?2)) WHERE id = ?1",
                params![id, decision(visit).to_string()],
            )?;
            Ok(())
        })
    }

    /// The newest visit of a URL.
    pub fn visit(&self, url: &str) -> Result<Option<Visit>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT url, final_url, fetched, status, {CAUSE}, content,
                    coalesce(payload ->> '$.decision.message', payload ->> '$.message'),
                    coalesce(json_extract(payload, '$.transient'), 0), json_extract(payload, '$.content_type'), fetcher,
                    payload ->> '$.decision.by'
                 FROM page_visit WHERE url = ?1 ORDER BY fetched DESC, id LIMIT 1",
            ))?;
            Ok(statement.query_row([url], visit).optional()?)
        })
    }

    /// Why the newest visit of each URL gave no text; none where it gave some.
    pub fn visit_failures(&self) -> Result<BTreeMap<String, Option<String>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT url, {CAUSE} FROM page_visit ORDER BY fetched, id DESC"
            ))?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The bytes of a page; none where they are not there, or are not those that their hash names.
    pub fn content(&self, hash: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT bytes FROM content WHERE sha256 = ?1";
        let packed: Option<Vec<u8>> = self.read(|connection| {
            Ok(connection
                .query_row(sql, [hash], |row| row.get(0))
                .optional()?)
        })?;
        let Some(packed) = packed else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let unpacked = DeflateDecoder::new(packed.as_slice()).read_to_end(&mut bytes);
        if unpacked.is_ok() && sha256_hex(&bytes) == hash {
            return Ok(Some(bytes));
        }
        tracing::warn!("the stored bytes of a page were changed and are not used: {hash}");
        Ok(None)
    }

    /// The address that brought a page first: later ones must not change what is said of it.
    pub fn address_of(&self, content: &str) -> Result<Option<String>> {
        let sql = "SELECT url FROM page_visit WHERE content = ?1 ORDER BY fetched, url LIMIT 1";
        self.read(|connection| {
            let url = connection.query_row(sql, [content], |row| row.get(0));
            Ok(url.optional()?)
        })
    }

    /// Keeps the text of a page.
    pub fn save_extract(&self, content: &str, extract: &Extract) -> Result<()> {
        self.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO extract (content, extractor, version, title, published, text)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    content,
                    extract.extractor,
                    extract.version,
                    extract.title,
                    extract.published,
                    extract.text
                ],
            )?;
            Ok(())
        })
    }

    /// The text of a page, as the latest reader made it.
    pub fn extract(&self, content: &str) -> Result<Option<Extract>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT extractor, version, title, published, text FROM extract WHERE content = ?1 ORDER BY rowid DESC LIMIT 1",
            )?;
            Ok(statement.query_row([content], extract).optional()?)
        })
    }
}

/// Why a visit brought no page. Where its bytes were looked at, that decides; before decisions had
/// versions, they stood in the column, too.
const CAUSE: &str =
    "CASE WHEN payload -> '$.decision' IS NULL THEN cause ELSE payload ->> '$.decision.cause' END";

fn visit(row: &Row<'_>) -> rusqlite::Result<Visit> {
    Ok(Visit {
        url: row.get(0)?,
        final_url: row.get(1)?,
        fetched: row.get(2)?,
        status: row.get(3)?,
        cause: row.get(4)?,
        content: row.get(5)?,
        message: row.get(6)?,
        transient: row.get(7)?,
        content_type: row.get(8)?,
        fetcher: row.get(9)?,
        decided_by: row.get(10)?,
    })
}

fn extract(row: &Row<'_>) -> rusqlite::Result<Extract> {
    Ok(Extract {
        extractor: row.get(0)?,
        version: row.get(1)?,
        title: row.get(2)?,
        published: row.get(3)?,
        text: row.get(4)?,
    })
}

/// What was decided from the bytes of a visit, as it is stored.
fn decision(visit: &Visit) -> Value {
    json!({ "by": visit.decided_by, "cause": visit.cause, "message": visit.message })
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}
