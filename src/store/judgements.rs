//! Pairwise verdicts and the rankings that asked for them. A ranking holds its question; ratings are folds.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use super::{Store, from_json, from_word, runs::add_event, to_word};
use crate::data::{CallId, Comparison, Id, Side, TaskId, Unscored, Verdict, id::sha256_hex};

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
        enum Letter {}
        impl crate::data::id::Kind for Letter {
            const LETTER: char = 'j';
        }
        Id::<Letter>::of(&[&self.model_asked, &self.model_returned, &self.prompt_hash]).to_string()
    }
}

/// The question that a ranking asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// `halving`, `elo` or `imported`.
    pub method: String,
    /// Rounds, Elo factor and the like.
    pub parameters: serde_json::Value,
    /// Seed of the pairing.
    pub seed: u64,
    /// The ranked tasks, sorted.
    pub items: Vec<TaskId>,
    /// The judges whose verdicts count.
    pub panel: Vec<Judge>,
}

/// A comparison with its history.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What was shown, and what came of it.
    pub comparison: Comparison,
    /// Who decided.
    pub judge: Judge,
    /// The run that stored it.
    pub run: i64,
    /// The batch or round that first asked for it.
    pub round: u32,
    /// Whether the verdict came only after a failure.
    pub late: bool,
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

const FAMILY: &str = "rankeval";
const INSTRUMENT: &str = "rankeval/overall/1";

impl Store {
    /// Stores one verdict, or why there is none; `round` tells in which order verdicts were asked for. A verdict takes the
    /// place of earlier failures of the same model, and is late then: whether it is, is returned.
    pub fn save_comparison(&self, comparison: &Comparison, judge: &Judge, round: u32) -> Result<bool> {
        let (run, stream) = (self.run, self.stream());
        let judge_id = judge.id();
        let id = comparison_id(comparison, &judge_id);
        let (state, verdict, cause) = match &comparison.outcome {
            Ok(verdict) => ("scored", Some(verdict), None),
            Err(unscored) => ("unscored", None, Some(unscored)),
        };
        let reason = verdict.map_or(cause.map(|c| c.reason.as_str()), |verdict| verdict.reason.as_deref());
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO instrument (id, family, criterion, version, scale, decided_by)
                 VALUES (?1, ?2, 'overall', '1', 'pair, confidence 0.5 to 1', 'model')",
                params![INSTRUMENT, FAMILY],
            )?;
            tx.execute(
                "INSERT OR IGNORE INTO judge (id, kind, model_asked, model_returned, prompt_hash)
                 VALUES (?1, 'model', ?2, ?3, ?4)",
                params![judge_id, judge.model_asked, judge.model_returned, judge.prompt_hash],
            )?;
            let same = tx.query_row(
                "SELECT coalesce(json_extract(payload, '$.late'), 0) FROM judgement
                 WHERE id = ?1 AND state = ?2 AND label IS ?3 AND confidence IS ?4 AND cause IS ?5",
                params![
                    id,
                    state,
                    verdict.map(|v| to_word(&v.winner)),
                    verdict.map(|v| v.confidence),
                    cause.map(|c| to_word(&c.cause))
                ],
                |row| row.get::<_, bool>(0),
            );
            if let Some(late) = same.optional()? {
                return Ok(late);
            }
            let failures = "instrument = ?1 AND subject = ?2 AND other = ?3 AND sample = ?4 AND state = 'unscored'
                AND judge IN (SELECT id FROM judge WHERE model_asked = ?5 AND prompt_hash = ?6)";
            let of = params![
                INSTRUMENT,
                comparison.a.as_str(),
                comparison.b.as_str(),
                comparison.sample,
                judge.model_asked,
                judge.prompt_hash
            ];
            let late = tx.execute(&format!("DELETE FROM judgement WHERE {failures}"), of)? > 0 && verdict.is_some();
            let payload = serde_json::json!({ "reason": reason, "round": round, "late": late });
            tx.execute(
                "INSERT OR REPLACE INTO judgement
                    (id, instrument, subject, other, judge, sample, state, value, label, confidence, cause, payload, call, run)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                params![
                    id,
                    INSTRUMENT,
                    comparison.a.as_str(),
                    comparison.b.as_str(),
                    judge_id,
                    comparison.sample,
                    state,
                    verdict.map(Verdict::score_a),
                    verdict.map(|v| to_word(&v.winner)),
                    verdict.map(|v| v.confidence),
                    cause.map(|c| to_word(&c.cause)),
                    payload.to_string(),
                    comparison.call.as_str(),
                    run
                ],
            )?;
            add_event(tx, &stream, "comparison", &id)?;
            Ok(late)
        })
    }

    /// Every comparison by a judge of the panel: by (first, second), then by the model that was asked. What a model
    /// decided counts before a failure of the same model.
    pub fn comparisons(&self, panel: &[Judge]) -> Result<BTreeMap<(TaskId, TaskId), BTreeMap<String, Comparison>>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT subject, other, sample, state, label, confidence, cause, payload, call FROM judgement
             WHERE instrument = ?1 AND judge = ?2 AND sample = 0 ORDER BY id",
        )?;
        let mut found: BTreeMap<(TaskId, TaskId), BTreeMap<String, Comparison>> = BTreeMap::new();
        for judge in panel {
            let rows = statement.query_map(params![INSTRUMENT, judge.id()], read_comparison)?;
            for comparison in rows {
                let comparison = comparison?;
                let of_pair = found.entry((comparison.a.clone(), comparison.b.clone())).or_default();
                let known = of_pair.get(&judge.model_asked);
                if known.is_none_or(|known| known.outcome.is_err()) {
                    of_pair.insert(judge.model_asked.clone(), comparison);
                }
            }
        }
        Ok(found)
    }

    /// Every comparison by judges that `counts` (model asked, hash of the prompt), in the order in which they were asked.
    pub fn recorded(&self, counts: impl Fn(&str, &str) -> bool) -> Result<Vec<Recorded>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT subject, other, sample, state, label, confidence, cause, judgement.payload, call,
                model_asked, model_returned, prompt_hash, run, coalesce(json_extract(judgement.payload, '$.round'), 0),
                coalesce(json_extract(judgement.payload, '$.late'), 0)
             FROM judgement JOIN judge ON judge.id = judgement.judge WHERE instrument = ?1
             ORDER BY 14, judgement.id",
        )?;
        let rows = statement.query_map([INSTRUMENT], |row| {
            let judge = Judge { model_asked: row.get(9)?, model_returned: row.get(10)?, prompt_hash: row.get(11)? };
            Ok(Recorded {
                comparison: read_comparison(row)?,
                judge,
                run: row.get(12)?,
                round: row.get(13)?,
                late: row.get(14)?,
            })
        })?;
        let all: Vec<Recorded> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(all.into_iter().filter(|of| counts(&of.judge.model_asked, &of.judge.prompt_hash)).collect())
    }

    /// The run that first asked a ranking's question; this one, if none has.
    pub fn begin_ranking(&self, question: &str) -> Result<i64> {
        let (run, stream) = (self.run, format!("ranking/{}", sha256_hex(question.as_bytes())));
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO event (stream, seq, kind, payload) VALUES (?1, 1, 'begun', ?2)",
                params![stream, serde_json::json!({ "run": run }).to_string()],
            )?;
            tx.query_row(
                "SELECT json_extract(payload, '$.run') FROM event WHERE stream = ?1 AND seq = 1",
                [&stream],
                |row| row.get(0),
            )
        })
    }

    /// What the judgements of these judges took.
    pub fn spent_on(&self, panel: &[Judge]) -> Result<Spent> {
        let connection = self.connection();
        let mut spent = Spent::default();
        let mut statement = connection.prepare_cached(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                coalesce(sum(cost_micro), 0), count(*) - count(cost_micro)
             FROM call WHERE id IN (SELECT call FROM judgement WHERE instrument = ?1 AND judge = ?2)",
        )?;
        for judge in panel {
            let of = statement.query_row(params![INSTRUMENT, judge.id()], |row| {
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

    /// Notes the question of a ranking; the newest one is what listings show.
    pub fn save_ranking(&self, ranking: &Ranking) -> Result<()> {
        let run = self.run;
        let items = serde_json::to_string(&ranking.items)?;
        let panel = serde_json::to_string(&ranking.panel)?;
        let parameters = ranking.parameters.to_string();
        let seed = ranking.seed.to_string();
        enum Letter {}
        impl crate::data::id::Kind for Letter {
            const LETTER: char = 'q';
        }
        let id = Id::<Letter>::of(&[&ranking.method, &parameters, &seed, &items, &panel]).to_string();
        self.write(|tx| {
            let newest: Option<String> =
                tx.query_row("SELECT id FROM ranking ORDER BY seq DESC LIMIT 1", [], |row| row.get(0)).optional()?;
            if newest.as_deref() == Some(id.as_str()) {
                return Ok(());
            }
            let again =
                tx.execute("UPDATE ranking SET seq = (SELECT max(seq) + 1 FROM ranking) WHERE id = ?1", [&id])?;
            if again == 0 {
                tx.execute(
                    "INSERT INTO ranking (seq, id, item_kind, items_hash, items, method, parameters, seed, panel, run)
                     VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM ranking), ?1, 'task', ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        id,
                        sha256_hex(items.as_bytes()),
                        items,
                        ranking.method,
                        parameters,
                        ranking.seed as i64,
                        panel,
                        run
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// The newest ranking.
    pub fn last_ranking(&self) -> Result<Option<Ranking>> {
        let connection = self.connection();
        let found = connection
            .query_row(
                "SELECT method, parameters, seed, items, panel FROM ranking ORDER BY seq DESC LIMIT 1",
                [],
                |row| {
                    Ok(Ranking {
                        method: row.get(0)?,
                        parameters: from_json(1, &row.get::<_, String>(1)?)?,
                        seed: row.get::<_, i64>(2)? as u64,
                        items: from_json(3, &row.get::<_, String>(3)?)?,
                        panel: from_json(4, &row.get::<_, String>(4)?)?,
                    })
                },
            )
            .optional()?;
        Ok(found)
    }
}

fn comparison_id(comparison: &Comparison, judge: &str) -> String {
    enum Letter {}
    impl crate::data::id::Kind for Letter {
        const LETTER: char = 'v';
    }
    let sample = comparison.sample.to_string();
    Id::<Letter>::of(&[INSTRUMENT, comparison.a.as_str(), comparison.b.as_str(), &sample, judge]).to_string()
}

fn read_comparison(row: &Row<'_>) -> rusqlite::Result<Comparison> {
    #[derive(Deserialize)]
    struct Payload {
        reason: Option<String>,
    }
    let payload: Payload = from_json(7, &row.get::<_, String>(7)?)?;
    let outcome = if row.get::<_, String>(3)? == "scored" {
        let winner: Side = from_word(4, &row.get::<_, String>(4)?)?;
        Ok(Verdict { winner, confidence: row.get(5)?, reason: payload.reason })
    } else {
        let cause = from_word(6, &row.get::<_, String>(6)?)?;
        Err(Unscored { cause, reason: payload.reason.unwrap_or_default() })
    };
    Ok(Comparison {
        a: TaskId::from_stored(row.get(0)?),
        b: TaskId::from_stored(row.get(1)?),
        sample: row.get(2)?,
        outcome,
        call: CallId::from_stored(row.get(8)?),
    })
}
