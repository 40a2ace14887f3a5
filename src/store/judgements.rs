//! Judgements of every kind: who decided what about which subject, on which scale, from which call.
//! Hides how a judgement takes the place of earlier failures. What a judgement means is known to
//! [`super::comparisons`] and the like.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

use super::{Store, Tx, runs::add_event, to_word};
use crate::data::{CallId, Unscored, id};

/// Who decides: another prompt, or another model returned by the server, is another judge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Judge {
    /// `provider/model` as configured.
    pub model_asked: String,
    /// The model that the server says answered.
    pub model_returned: String,
    /// SHA-256 of the prompt's text.
    pub prompt_hash: String,
}

impl Judge {
    /// Content hash of the judge.
    pub fn id(&self) -> String {
        id::text(
            'j',
            &[&self.model_asked, &self.model_returned, &self.prompt_hash],
        )
    }
}

/// A judgement as it is stored.
pub(super) struct Fact<'a> {
    pub instrument: Instrument,
    /// Hash of what was judged by whom.
    pub id: String,
    pub subject: &'a str,
    pub other: Option<&'a str>,
    pub judge: &'a Judge,
    /// Repetition of the same question.
    pub sample: u32,
    pub decided: Result<Decided, &'a Unscored>,
    /// What else is known: an object.
    pub payload: serde_json::Value,
    pub call: &'a CallId,
}

/// What a judgement says, in the columns that every kind shares.
pub(super) struct Decided {
    pub value: Option<f64>,
    pub label: String,
    pub confidence: Option<f64>,
}

/// What is measured.
#[derive(Clone, Copy)]
pub(super) struct Instrument {
    pub id: &'static str,
    pub family: &'static str,
    pub criterion: &'static str,
    pub scale: &'static str,
}

/// What became of a judgement that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Whether the decision came only after a failure.
    pub late: bool,
    /// The run that stored it first.
    pub run: i64,
}

impl Instrument {
    /// Makes it known, as one on which a `model` or a `person` decides.
    pub fn note(&self, tx: &Tx<'_>, decided_by: &str) -> rusqlite::Result<()> {
        tx.execute(
            "INSERT OR IGNORE INTO instrument (id, family, criterion, version, scale, decided_by)
             VALUES (?1, ?2, ?3, '1', ?4, ?5)",
            params![self.id, self.family, self.criterion, self.scale, decided_by],
        )?;
        Ok(())
    }
}

/// What judgements took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Calls.
    pub calls: u64,
    /// Prompt tokens.
    pub input: u64,
    /// Reply tokens.
    pub output: u64,
    /// Micro-dollars, as far as prices are known.
    pub cost_micro: u64,
    /// Calls of unknown price.
    pub unpriced: u64,
}

/// In place of a prompt's hash: nobody was asked, the judgement came from elsewhere.
pub const IMPORTED: &str = "imported";

impl Store {
    /// Stores a judgement. A decision takes the place of earlier failures of the same model with
    /// the same prompt, and is late then.
    pub(super) fn put(&self, fact: &Fact<'_>) -> Result<Kept> {
        let (run, stream) = (self.run, self.stream());
        let Fact {
            instrument,
            id,
            subject,
            other,
            judge,
            sample,
            payload,
            call,
            ..
        } = fact;
        let judge_id = judge.id();
        let (decided, cause) = (fact.decided.as_ref().ok(), fact.decided.as_ref().err());
        let state = if decided.is_some() {
            "scored"
        } else {
            "unscored"
        };
        let (label, confidence) = (
            decided.map(|d| d.label.as_str()),
            decided.and_then(|d| d.confidence),
        );
        let cause = cause.map(|unscored| to_word(&unscored.cause));
        self.write(|tx| {
            instrument.note(tx, "model")?;
            tx.execute(
                "INSERT OR IGNORE INTO judge (id, kind, model_asked, model_returned, prompt_hash)
                 VALUES (?1, 'model', ?2, ?3, ?4)",
                params![judge_id, judge.model_asked, judge.model_returned, judge.prompt_hash],
            )?;
            let same = tx.query_row(
                "SELECT coalesce(json_extract(payload, '$.late'), 0), run FROM judgement
                 WHERE id = ?1 AND state = ?2 AND label IS ?3 AND confidence IS ?4 AND cause IS ?5",
                params![id, state, label, confidence, cause],
                |row| Ok(Kept { late: row.get(0)?, run: row.get(1)? }),
            );
            if let Some(kept) = same.optional()? {
                return Ok(kept);
            }
            let failures = tx.execute(
                "DELETE FROM judgement
                 WHERE instrument = ?1 AND subject = ?2 AND other IS ?3 AND sample = ?4 AND state = 'unscored'
                    AND judge IN (SELECT id FROM judge WHERE model_asked = ?5 AND prompt_hash = ?6)",
                params![instrument.id, subject, other, sample, judge.model_asked, judge.prompt_hash],
            )?;
            let late = failures > 0 && decided.is_some();
            let mut payload = payload.clone();
            payload["late"] = late.into();
            tx.execute(
                "INSERT OR REPLACE INTO judgement
                    (id, instrument, subject, other, judge, sample, state, value, label, confidence, cause, payload, call, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                params![
                    id,
                    instrument.id,
                    subject,
                    other,
                    judge_id,
                    sample,
                    state,
                    decided.and_then(|d| d.value),
                    label,
                    confidence,
                    cause,
                    payload.to_string(),
                    call.as_str(),
                    run
                ],
            )?;
            add_event(tx, &stream, "judgement", id)?;
            Ok(Kept { late, run })
        })
    }

    /// What the judgements of these judges took.
    pub fn spent_on<'j>(&self, panel: impl IntoIterator<Item = &'j Judge>) -> Result<Spent> {
        let connection = self.connection();
        let mut spent = Spent::default();
        let mut statement = connection.prepare_cached(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                coalesce(sum(cost_micro), 0), count(*) - count(cost_micro)
             FROM call WHERE id IN (SELECT call FROM judgement WHERE judge = ?1)",
        )?;
        for judge in panel {
            let of = statement.query_row([judge.id()], |row| {
                Ok(Spent {
                    calls: row.get(0)?,
                    input: row.get(1)?,
                    output: row.get(2)?,
                    cost_micro: row.get(3)?,
                    unpriced: row.get(4)?,
                })
            })?;
            spent.calls += of.calls;
            spent.input += of.input;
            spent.output += of.output;
            spent.cost_micro += of.cost_micro;
            spent.unpriced += of.unpriced;
        }
        Ok(spent)
    }
}
