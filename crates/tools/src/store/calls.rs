//! Model calls: the record that is also the cache. Long texts of requests and replies are stored
//! once, by hash.

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Store, Tx, background, from_json, from_word, runs::add_event, to_word};
use crate::data::{Call, CallId, Source, Trajectory, Usage, id::sha256_hex};

/// Strings longer than this move from the request to the blob table.
const INLINE: usize = 200;
/// Marks a string that was moved. A request's own strings cannot start with it: they are moved,
/// too.
const MOVED: &str = "\u{1}blob:";

impl Store {
    /// The call on record under `id`; none where a text of it is gone or was changed: it is asked
    /// again then.
    pub fn call(&self, id: &CallId) -> Result<Option<Call>> {
        match self.calls_where("c.id = ?1", params![id.as_str()]) {
            Ok(mut calls) => Ok(calls.pop()),
            Err(error) if error.is::<Damaged>() => {
                tracing::warn!("a call on record cannot be used: {error}");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Calls of one prompt, newest first, at most `most`.
    pub fn calls_of_prompt(&self, prompt: &str, most: usize) -> Result<Vec<Call>> {
        self.calls_where(
            "c.prompt = ?1 ORDER BY c.rowid DESC LIMIT ?2",
            params![prompt, most as i64],
        )
    }

    /// Calls on record, oldest first.
    pub fn calls(&self, filter: &CallFilter) -> Result<Vec<Call>> {
        let newest = "SELECT rowid FROM call c WHERE (?1 IS NULL OR c.role = ?1) AND (?2 IS NULL OR c.model_asked = ?2)
                        AND (?3 = 0 OR c.cause IS NOT NULL) AND c.id LIKE ?4 || '%' ORDER BY rowid DESC LIMIT ?5";
        let most = filter.most.map_or(-1, |most| most as i64);
        self.calls_where(
            &format!("c.rowid IN ({newest}) ORDER BY c.rowid"),
            params![filter.role, filter.model, filter.failed, filter.id, most],
        )
    }

    fn calls_where(&self, condition: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Call>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT c.id, c.role, c.prompt, c.prompt_hash, c.request, c.model_asked, c.model_returned, c.reply,
                        c.cause, c.error, c.input_tokens, c.output_tokens, c.cached_tokens, c.ms, c.attempts,
                        c.cost_micro, c.price_version, c.payload
                 FROM call c WHERE {condition}"
            ))?;
            let mut calls = statement
                .query_map(values, read_call)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            for call in &mut calls {
                restore_call(connection, call)?;
            }
            Ok(calls)
        })
    }

    /// Puts a finished call on record. What an earlier failure of the same call took is added to
    /// it: it was paid, too.
    pub fn save_call(&self, call: &Call) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            let mut request = call.request.clone();
            move_long_texts(&mut request, tx)?;
            let reply = call.reply.as_deref().map(|text| keep(tx, text)).transpose()?;
            let mut payload = serde_json::json!({ "earlier": call.earlier, "asked_as": call.asked_as });
            if !call.sources.is_empty() {
                payload["sources"] = serde_json::json!(call.sources);
            }
            if let Some(trajectory) = &call.trajectory {
                payload["trajectory"] = serde_json::json!(trajectory);
            }
            move_long_texts(&mut payload, tx)?;
            tx.execute(
                "INSERT INTO call (id, role, prompt, prompt_hash, request, model_asked, model_returned, reply,
                    cause, error, input_tokens, output_tokens, cached_tokens, ms, attempts, run, cost_micro, price_version, payload)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
                 ON CONFLICT (id) DO UPDATE SET model_returned = ?7, reply = ?8, cause = ?9, error = ?10, run = ?16,
                    input_tokens = input_tokens + ?11, output_tokens = output_tokens + ?12,
                    cached_tokens = cached_tokens + ?13, ms = ms + ?14, attempts = attempts + ?15,
                    cost_micro = cost_micro + ?17, price_version = ?18, payload = ?19",
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
                    count(call.usage.input),
                    count(call.usage.output),
                    count(call.usage.cached),
                    call.ms as i64,
                    call.attempts,
                    run,
                    call.cost_micro.map(count),
                    call.price_version,
                    payload.to_string()
                ],
            )?;
            // In the same moment, so that the reply is never on record nowhere or twice.
            if call.reply.is_some() {
                background::end(tx, &call.id)?;
            }
            add_event(tx, &stream, &format!("call:{}", call.role), call.id.as_str())
        })
    }

    /// What good calls of a prompt to a model came to; nothing where there was none.
    pub fn experience(&self, prompt: &str, model: &str) -> Result<Option<Experience>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(
                    (SELECT sum(length(CAST(coalesce(b.text, m.value ->> 'content') AS BLOB)))
                     FROM json_each(c.request, '$.messages') m
                     LEFT JOIN blob b ON b.sha256 = substr(m.value ->> 'content', 7) AND m.value ->> 'content' LIKE char(1) || 'blob:%')), 0)
                 FROM call c WHERE prompt = ?1 AND model_asked = ?2 AND cause IS NULL AND attempts = 1
                 AND output_tokens > 0",
            )?;
            let found = statement.query_row([prompt, model], |row| {
                Ok(Experience {
                    calls: row.get(0)?,
                    input: row.get(1)?,
                    output: row.get(2)?,
                    bytes: row.get(3)?,
                })
            })?;
            Ok((found.calls > 0).then_some(found))
        })
    }

    /// What was asked so far, by role and model.
    pub fn call_totals(&self) -> Result<Vec<CallTotals>> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT role, model_asked, count(*), count(cause), sum(input_tokens), sum(output_tokens),
                        sum(cached_tokens), coalesce(sum(cost_micro), 0), count(*) - count(cost_micro), sum(ms), sum(attempts)
                 FROM call GROUP BY role, model_asked ORDER BY role, model_asked",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(CallTotals {
                    role: row.get(0)?,
                    model: row.get(1)?,
                    calls: row.get(2)?,
                    failed: row.get(3)?,
                    usage: Usage {
                        input: row.get(4)?,
                        output: row.get(5)?,
                        cached: row.get(6)?,
                        searches: 0,
                    },
                    cost_micro: row.get(7)?,
                    unpriced: row.get(8)?,
                    ms: row.get(9)?,
                    attempts: row.get(10)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Calls that failed, by role, model and cause.
    pub fn call_failures(&self) -> Result<Vec<CallFailures>> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT role, model_asked, cause, count(*) FROM call WHERE cause IS NOT NULL
                 GROUP BY role, model_asked, cause ORDER BY role, model_asked, cause",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(CallFailures {
                    role: row.get(0)?,
                    model: row.get(1)?,
                    cause: row.get(2)?,
                    calls: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The newest calls without what was said, newest first.
    pub fn newest_calls(&self, part: &NewestCalls<'_>) -> Result<Vec<CallHead>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, role, prompt, model_asked, cause, input_tokens, output_tokens, cost_micro, ms, attempts
                 FROM call WHERE (?1 IS NULL OR role = ?1) AND (?2 IS NULL OR model_asked = ?2)
                    AND (?3 IS NULL OR cause = ?3) ORDER BY rowid DESC LIMIT ?4 OFFSET ?5",
            )?;
            let (skip, most) = (part.skip as i64, part.most as i64);
            let values = params![part.role, part.model, part.cause, most, skip];
            let rows = statement.query_map(values, |row| {
                Ok(CallHead {
                    id: CallId::from_stored(row.get(0)?),
                    role: row.get(1)?,
                    prompt: row.get(2)?,
                    model: row.get(3)?,
                    cause: row.get(4)?,
                    input: row.get(5)?,
                    output: row.get(6)?,
                    cost_micro: row.get(7)?,
                    ms: row.get(8)?,
                    attempts: row.get(9)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// How often calls of one role to one model failed for one cause.
#[derive(Clone, Debug, Serialize)]
pub struct CallFailures {
    /// `inspire`, `weave`, `judge` …
    pub role: String,
    /// `provider/model`.
    pub model: String,
    /// Why.
    pub cause: String,
    /// How often.
    pub calls: u64,
}

/// A call without what was said.
#[derive(Clone, Debug, Serialize)]
pub struct CallHead {
    /// Its id.
    pub id: CallId,
    /// `inspire`, `weave`, `judge` …
    pub role: String,
    /// Name of the prompt file.
    pub prompt: String,
    /// `provider/model`.
    pub model: String,
    /// Why it failed; none where it did not.
    pub cause: Option<String>,
    /// Prompt tokens.
    pub input: u64,
    /// Reply tokens.
    pub output: u64,
    /// Its cost in micro-dollars; none where the price is unknown.
    pub cost_micro: Option<u64>,
    /// Its time in milliseconds.
    pub ms: u64,
    /// Requests that were sent for it.
    pub attempts: u32,
}

/// A part of the list of calls, the newest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewestCalls<'a> {
    /// Of this role.
    pub role: Option<&'a str>,
    /// To this model.
    pub model: Option<&'a str>,
    /// That failed for this cause.
    pub cause: Option<&'a str>,
    /// So many newer ones are left out.
    pub skip: usize,
    /// At most so many.
    pub most: usize,
}

/// Which calls.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    /// Of this role.
    pub role: Option<String>,
    /// Of this `provider/model`.
    pub model: Option<String>,
    /// Only those that failed.
    pub failed: bool,
    /// Whose id begins so.
    pub id: String,
    /// The newest so many.
    pub most: Option<usize>,
}

/// What calls of one prompt to one model came to.
#[derive(Clone, Copy, Debug)]
pub struct Experience {
    /// How many.
    pub calls: u64,
    /// Their prompt tokens.
    pub input: u64,
    /// Their reply tokens.
    pub output: u64,
    /// Bytes of their messages.
    pub bytes: u64,
}

/// The calls of one role to one model.
#[derive(Clone, Debug, Serialize)]
pub struct CallTotals {
    /// `inspire`, `weave`, `judge` …
    pub role: String,
    /// `provider/model`.
    pub model: String,
    /// Calls on record.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub usage: Usage,
    /// Their cost in micro-dollars, as far as it is known.
    pub cost_micro: u64,
    /// Calls of unknown price.
    pub unpriced: u64,
    /// Their time in milliseconds; calls at the same time count each.
    pub ms: u64,
    /// Requests that were sent for them.
    pub attempts: u64,
}

/// What only some calls have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload {
    earlier: Vec<String>,
    asked_as: Option<String>,
    sources: Vec<Source>,
    trajectory: Option<Trajectory>,
}

fn read_call(row: &Row<'_>) -> rusqlite::Result<Call> {
    let payload: Payload = from_json(17, &row.get::<_, String>(17)?)?;
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
        cause: cause
            .as_deref()
            .map(|word| from_word(8, word))
            .transpose()?,
        error: row.get(9)?,
        usage: Usage {
            input: row.get(10)?,
            output: row.get(11)?,
            cached: row.get(12)?,
            searches: 0,
        },
        ms: row.get(13)?,
        attempts: row.get(14)?,
        cost_micro: row.get(15)?,
        price_version: row.get(16)?,
        earlier: payload.earlier,
        asked_as: payload.asked_as,
        sources: payload.sources,
        trajectory: payload.trajectory,
    })
}

fn keep(tx: &Tx<'_>, text: &str) -> rusqlite::Result<String> {
    let hash = sha256_hex(text.as_bytes());
    tx.execute(
        // One that was changed becomes what it was.
        "INSERT INTO blob (sha256, text) VALUES (?1, ?2)
         ON CONFLICT (sha256) DO UPDATE SET text = ?2 WHERE text <> ?2",
        params![hash, text],
    )?;
    Ok(hash)
}

fn move_long_texts(value: &mut Value, tx: &Tx<'_>) -> rusqlite::Result<()> {
    match value {
        Value::String(text) if text.len() > INLINE || text.starts_with(MOVED) => {
            *text = format!("{MOVED}{}", keep(tx, text)?);
        }
        Value::Array(items) => items.iter_mut().try_for_each(|v| move_long_texts(v, tx))?,
        Value::Object(fields) => fields
            .values_mut()
            .try_for_each(|v| move_long_texts(v, tx))?,
        _ => {}
    }
    Ok(())
}

/// A text of a call that is gone, or is not the one that its hash names.
#[derive(Debug, thiserror::Error)]
#[error(
    "a text of the call `{call}` {problem}: `{hash}`\nhint: another program or a failing disk changed the database: restore it from a copy; the stage that made the call asks it again"
)]
struct Damaged {
    call: CallId,
    problem: &'static str,
    hash: String,
}

/// Puts the texts of a call back, which stand for themselves by their hashes.
fn restore_call(connection: &Connection, call: &mut Call) -> Result<()> {
    let texts = Texts {
        connection,
        call: call.id.clone(),
    };
    if let Some(reply) = &mut call.reply {
        *reply = texts.named(reply)?;
    }
    texts.restore(&mut call.request)?;
    for reply in &mut call.earlier {
        texts.restore_text(reply)?;
    }
    for source in &mut call.sources {
        texts.restore_text(&mut source.url)?;
        texts.restore_text(&mut source.title)?;
    }
    for text in call.trajectory.iter_mut().flat_map(Trajectory::texts_mut) {
        texts.restore_text(text)?;
    }
    Ok(())
}

/// The long texts of a call.
struct Texts<'a> {
    connection: &'a Connection,
    call: CallId,
}

impl Texts<'_> {
    fn restore(&self, value: &mut Value) -> Result<()> {
        match value {
            Value::String(text) => self.restore_text(text),
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.restore(item)),
            Value::Object(fields) => fields
                .values_mut()
                .try_for_each(|field| self.restore(field)),
            _ => Ok(()),
        }
    }

    fn restore_text(&self, text: &mut String) -> Result<()> {
        if let Some(hash) = text.strip_prefix(MOVED) {
            *text = self.named(hash)?;
        }
        Ok(())
    }

    /// The text with this hash.
    fn named(&self, hash: &str) -> Result<String> {
        let text: Option<String> = self
            .connection
            .prepare_cached("SELECT text FROM blob WHERE sha256 = ?1")?
            .query_row([hash], |row| row.get(0))
            .optional()?;
        let problem = match text {
            Some(text) if sha256_hex(text.as_bytes()) == hash => return Ok(text),
            Some(_) => "was changed",
            None => "is gone",
        };
        let (call, hash) = (self.call.clone(), hash.to_owned());
        Err(Damaged {
            call,
            problem,
            hash,
        }
        .into())
    }
}

/// As the database counts: signed, and far from where its sums overflow.
fn count(number: u64) -> i64 {
    number.min(1 << 44) as i64
}
