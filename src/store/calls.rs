//! Model calls: the record that is also the cache. Long texts of requests and replies are stored once, by hash.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde_json::Value;

use super::{Store, from_json, from_word, runs::add_event, to_word};
use crate::data::{Call, CallId, Usage, id::sha256_hex};

/// Strings longer than this move from the request to the blob table.
const INLINE: usize = 200;
/// Marks a string that was moved. A request's own strings cannot start with it: they are moved, too.
const MOVED: &str = "\u{1}blob:";

impl Store {
    /// The call on record under `id`.
    pub fn call(&self, id: &CallId) -> Result<Option<Call>> {
        let connection = self.connection();
        let found = connection
            .query_row(
                "SELECT c.id, c.role, c.prompt, c.prompt_hash, c.request, c.model_asked, c.model_returned, b.text,
                        c.cause, c.error, c.input_tokens, c.output_tokens, c.cached_tokens, c.ms, c.attempts
                 FROM call c LEFT JOIN blob b ON b.sha256 = c.reply WHERE c.id = ?1",
                [id.as_str()],
                read_call,
            )
            .optional()?;
        let Some(mut call) = found else { return Ok(None) };
        restore(&mut call.request, &|hash| {
            connection.query_row("SELECT text FROM blob WHERE sha256 = ?1", [hash], |row| row.get(0))
        })?;
        Ok(Some(call))
    }

    /// Puts a finished call on record, replacing an earlier failure of the same call.
    pub fn save_call(&self, call: &Call) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            let mut request = call.request.clone();
            move_long_texts(&mut request, tx)?;
            let reply = call.reply.as_deref().map(|text| keep(tx, text)).transpose()?;
            tx.execute(
                "INSERT OR REPLACE INTO call (id, role, prompt, prompt_hash, request, model_asked, model_returned, reply,
                    cause, error, input_tokens, output_tokens, cached_tokens, ms, attempts, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
                params![
                    call.id.as_str(),
                    call.role,
                    call.prompt,
                    call.prompt_hash,
                    request.to_string(),
                    call.model_asked,
                    call.model_returned,
                    reply,
                    call.cause.map(|c| to_word(&c)),
                    call.error,
                    call.usage.input as i64,
                    call.usage.output as i64,
                    call.usage.cached as i64,
                    call.ms as i64,
                    call.attempts,
                    run
                ],
            )?;
            add_event(tx, &stream, &format!("call:{}", call.role), call.id.as_str())
        })
    }

    /// Calls on record: role, how many, how many failed, prompt and reply tokens.
    pub fn call_totals(&self) -> Result<Vec<(String, u64, u64, Usage)>> {
        let connection = self.connection();
        let mut statement = connection.prepare(
            "SELECT role, count(*), count(cause), sum(input_tokens), sum(output_tokens), sum(cached_tokens)
             FROM call GROUP BY role ORDER BY role",
        )?;
        let rows = statement.query_map([], |row| {
            let usage = Usage { input: row.get(3)?, output: row.get(4)?, cached: row.get(5)? };
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, usage))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn read_call(row: &Row<'_>) -> rusqlite::Result<Call> {
    let cause: Option<String> = row.get(8)?;
    Ok(Call {
        id: CallId::from_stored(row.get(0)?),
        role: row.get(1)?,
        prompt: row.get(2)?,
        prompt_hash: row.get(3)?,
        request: from_json(4, &row.get::<_, String>(4)?)?,
        model_asked: row.get(5)?,
        model_returned: row.get(6)?,
        reply: row.get(7)?,
        cause: cause.as_deref().map(|word| from_word(8, word)).transpose()?,
        error: row.get(9)?,
        usage: Usage { input: row.get(10)?, output: row.get(11)?, cached: row.get(12)? },
        ms: row.get(13)?,
        attempts: row.get(14)?,
    })
}

fn keep(tx: &Transaction<'_>, text: &str) -> rusqlite::Result<String> {
    let hash = sha256_hex(text.as_bytes());
    tx.execute("INSERT OR IGNORE INTO blob (sha256, text) VALUES (?1, ?2)", params![hash, text])?;
    Ok(hash)
}

fn move_long_texts(value: &mut Value, tx: &Transaction<'_>) -> rusqlite::Result<()> {
    match value {
        Value::String(text) if text.len() > INLINE || text.starts_with(MOVED) => {
            *text = format!("{MOVED}{}", keep(tx, text)?);
        }
        Value::Array(items) => items.iter_mut().try_for_each(|v| move_long_texts(v, tx))?,
        Value::Object(fields) => fields.values_mut().try_for_each(|v| move_long_texts(v, tx))?,
        _ => {}
    }
    Ok(())
}

fn restore(value: &mut Value, text_of: &dyn Fn(&str) -> rusqlite::Result<String>) -> rusqlite::Result<()> {
    match value {
        Value::String(text) => {
            if let Some(hash) = text.strip_prefix(MOVED) {
                *text = text_of(hash)?;
            }
        }
        Value::Array(items) => items.iter_mut().try_for_each(|v| restore(v, text_of))?,
        Value::Object(fields) => fields.values_mut().try_for_each(|v| restore(v, text_of))?,
        _ => {}
    }
    Ok(())
}
