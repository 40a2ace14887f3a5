//! Answers to hidden probes, which nothing else reads.

use anyhow::Result;
use serde::Deserialize;

use super::{Store, from_json};
use crate::data::{Decision, Expected, HiddenAnswer, Instrument, Judge};

/// What is kept with an answer to a probe.
#[derive(Deserialize)]
struct Payload {
    probe: Known,
}

#[derive(Deserialize)]
struct Known {
    expected: Expected,
}

impl Store {
    /// The answers of all judges to the probes of an instrument, in the order in which they were
    /// stored.
    pub fn hidden_answers(&self, instrument: Instrument) -> Result<Vec<HiddenAnswer>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT model_asked, model_returned, prompt_hash, state, label, value, confidence,
                    judgement.payload
                 FROM judgement JOIN judge ON judge.id = judgement.judge
                 WHERE instrument = ?1 AND judge.kind = 'model' ORDER BY judgement.rowid",
            )?;
            let rows = statement.query_map([instrument.id], |row| {
                let payload: Payload = from_json(7, &row.get::<_, String>(7)?)?;
                let decision = Decision {
                    value: row.get(5)?,
                    label: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
                    confidence: row.get(6)?,
                };
                let decided = row.get::<_, String>(3)? == "scored";
                Ok(HiddenAnswer {
                    judge: Judge {
                        model_asked: row.get(0)?,
                        model_returned: row.get(1)?,
                        prompt_hash: row.get(2)?,
                    },
                    right: decided.then(|| payload.probe.expected.is_met(&decision)),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
