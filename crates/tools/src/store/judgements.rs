//! Judgements of every kind: who decided what about which subject, on which scale, from which call.
//! Hides how a decision takes the place of earlier failures, and that a million judgements are read
//! as they are wanted. What a judgement means is known to the evaluator or stage that asked.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Store, Tx, from_json, from_word, runs::add_event, to_word};
use crate::data::{
    CallId, Cause, DecidedBy, Decision, InForce, Instrument, Judge, Judgement, NewJudgement,
    TaskDecision, Unscored,
};

/// What became of a judgement that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Whether the decision came only after a failure.
    pub decided_after_retry: bool,
    /// The run that stored it first.
    pub run: i64,
}

/// Tokens and money that judgements took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JudgementCost {
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

/// In place of a prompt's hash: no model was asked, the judgement came from elsewhere.
pub const IMPORTED: &str = "imported";

/// The judges whose judgements count in a leaderboard: for each instrument those of the newest
/// evaluation. Older rows name no instruments; they are read as KAE's and ACE's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredEvaluation")]
pub struct Evaluation {
    /// One entry an instrument.
    pub instruments: Vec<InForce>,
}

/// An evaluation as it was stored, by this version or before measures were data.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredEvaluation {
    Now {
        instruments: Vec<InForce>,
    },
    Before {
        points: String,
        relation: Vec<(String, String)>,
        rating: Vec<(String, String)>,
        #[serde(default)]
        repeats: u32,
    },
}

impl From<StoredEvaluation> for Evaluation {
    fn from(stored: StoredEvaluation) -> Self {
        let (points, relation, rating, repeats) = match stored {
            StoredEvaluation::Now { instruments } => return Self { instruments },
            StoredEvaluation::Before {
                points,
                relation,
                rating,
                repeats,
            } => (points, relation, rating, repeats),
        };
        let entry = |instrument: &str, panel, settings| InForce {
            instrument: instrument.to_owned(),
            panel,
            settings,
        };
        let mut instruments = Vec::new();
        if !rating.is_empty() {
            let settings = serde_json::json!({ "repeats": repeats });
            instruments.push(entry("ace/rating/1", rating, settings));
        }
        if !relation.is_empty() || !points.is_empty() {
            let settings = serde_json::json!({ "key_points": points });
            instruments.push(entry("kae/relation/1", relation, settings));
        }
        Self { instruments }
    }
}

impl Evaluation {
    /// What is in force for an instrument; empty where it was not asked.
    pub fn in_force(&self, instrument: Instrument) -> InForce {
        let of = |entry: &&InForce| entry.instrument == instrument.id;
        self.instruments
            .iter()
            .find(of)
            .cloned()
            .unwrap_or_default()
    }

    /// Names of the models that judge under any of these instruments.
    pub fn judges(&self, under: impl IntoIterator<Item = Instrument>) -> BTreeSet<String> {
        let panels = under.into_iter().flat_map(|of| self.in_force(of).panel);
        panels.map(|(model, _)| model).collect()
    }
}

/// The judgements of the panels that an evaluation counts. A million judgements are read as they
/// are wanted, not all at once.
pub struct PanelJudgements<'a> {
    store: &'a Store,
    /// By instrument the ids of the judges that count, each with the name that people know.
    panels: BTreeMap<String, BTreeMap<String, String>>,
}

/// A stored judgement in the hands of a fold: its columns are read only where they are asked for,
/// because reasons are most of what is stored and a score needs none.
pub struct StoredJudgement<'r>(&'r Row<'r>);

impl StoredJudgement<'_> {
    /// The number on the instrument's scale.
    pub fn value(&self) -> Result<f64> {
        Ok(self.0.get(2)?)
    }

    /// The word of the instrument's scale.
    pub fn label<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(from_word(3, self.0.get_ref(3)?.as_str()?)?)
    }

    /// How sure the judge is, 0 to 1.
    pub fn confidence(&self) -> Result<f64> {
        Ok(self.0.get(4)?)
    }

    /// Everything else that the instrument keeps.
    pub fn payload<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(from_json(6, self.0.get_ref(6)?.as_str()?)?)
    }

    /// The judge's reason; empty where none was given.
    pub fn reason(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Payload {
            #[serde(default)]
            reason: String,
        }
        Ok(self.payload::<Payload>()?.reason)
    }
}

fn cause(row: &StoredJudgement<'_>) -> Result<Cause> {
    Ok(from_word(5, row.0.get_ref(5)?.as_str()?)?)
}

impl PanelJudgements<'_> {
    /// The judgements of a subject with the reasons of failures, in the order of what it was
    /// judged against, then sample and judge.
    pub fn read<T>(
        &self,
        instrument: Instrument,
        subject: &str,
        value: impl Fn(&StoredJudgement<'_>) -> Result<T>,
    ) -> Result<Vec<Judgement<T>>> {
        self.rows(instrument, subject, value, |row| {
            Ok(Unscored {
                cause: cause(row)?,
                reason: row.reason()?,
            })
        })
    }

    /// The same with causes alone.
    pub fn read_bare<T>(
        &self,
        instrument: Instrument,
        subject: &str,
        value: impl Fn(&StoredJudgement<'_>) -> Result<T>,
    ) -> Result<Vec<Judgement<T, Cause>>> {
        self.rows(instrument, subject, value, cause)
    }

    /// What one judge says of a subject, by what it was judged against; what it failed to decide is
    /// left out.
    pub fn said_by<T>(
        &self,
        instrument: Instrument,
        subject: &str,
        judge: &str,
        value: impl Fn(&StoredJudgement<'_>) -> Result<T>,
    ) -> Result<BTreeMap<String, T>> {
        let all = self.read_bare(instrument, subject, value)?.into_iter();
        let own = all.filter(|of| of.judge == judge);
        Ok(own
            .filter_map(|of| Some((of.about, of.outcome.ok()?)))
            .collect())
    }

    /// One judgement per model and question: the newest that decided, else the newest.
    fn rows<T, E>(
        &self,
        instrument: Instrument,
        subject: &str,
        value: impl Fn(&StoredJudgement<'_>) -> Result<T>,
        failure: impl Fn(&StoredJudgement<'_>) -> Result<E>,
    ) -> Result<Vec<Judgement<T, E>>> {
        let Some(panel) = self.panels.get(instrument.id) else {
            return Ok(Vec::new());
        };
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT other, sample, value, label, confidence, cause, payload, state, judge FROM judgement
                 WHERE instrument = ?1 AND subject = ?2 ORDER BY other, rowid",
            )?;
            let mut rows = statement.query([instrument.id, subject])?;
            let mut found: Vec<Judgement<T, E>> = Vec::new();
            while let Some(row) = rows.next()? {
                // Judges of earlier evaluations stay on record and do not count.
                let Some(judge) = panel.get(row.get_ref(8)?.as_str()?) else {
                    continue;
                };
                let stored = StoredJudgement(row);
                // The state decides, not whether there is a number: a failure may have kept one.
                let outcome = if row.get_ref(7)?.as_str()? == "scored" {
                    Ok(value(&stored)?)
                } else {
                    Err(failure(&stored)?)
                };
                let about = row.get_ref(0)?.as_str_or_null()?.unwrap_or_default();
                let sample: u32 = row.get(1)?;
                keep_newest(&mut found, about, sample, judge, outcome);
            }
            // Panels answer in any order; a fold and a page must not depend on it.
            // Stable, and nearly sorted already: rows come in the order of what they are about.
            found.sort_by(|a, b| (&a.about, a.sample, &a.judge).cmp(&(&b.about, b.sample, &b.judge)));
            Ok(found)
        })
    }

    /// The questions of an instrument that a judge in force was asked, each with its judges'
    /// verdicts, by subject, what they are about, and sample. A judge that gave none has none.
    pub fn questions(&self, instrument: &str) -> Result<Vec<PanelQuestion>> {
        let Some(panel) = self.panels.get(instrument) else {
            return Ok(Vec::new());
        };
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT other, sample, value, label, confidence, cause, payload, state, judge, subject FROM judgement
                 WHERE instrument = ?1 ORDER BY subject, other, sample, rowid",
            )?;
            let mut rows = statement.query([instrument])?;
            let mut found: Vec<PanelQuestion> = Vec::new();
            while let Some(row) = rows.next()? {
                let Some(judge) = panel.get(row.get_ref(8)?.as_str()?) else {
                    continue;
                };
                let about = row.get_ref(0)?.as_str_or_null()?.unwrap_or_default();
                let (sample, subject): (u32, &str) = (row.get(1)?, row.get_ref(9)?.as_str()?);
                let is_same = |of: &PanelQuestion| {
                    of.subject == subject && of.about == about && of.sample == sample
                };
                if !found.last().is_some_and(is_same) {
                    found.push(PanelQuestion {
                        subject: subject.to_owned(),
                        about: about.to_owned(),
                        sample,
                        verdicts: Vec::new(),
                    });
                }
                if row.get_ref(7)?.as_str()? != "scored" {
                    continue;
                }
                let verdict = PanelVerdict {
                    judge: judge.clone(),
                    value: row.get(2)?,
                    label: row.get(3)?,
                    reason: StoredJudgement(row).reason()?,
                };
                if let Some(question) = found.last_mut() {
                    question.add(verdict);
                }
            }
            Ok(found)
        })
    }
}

/// A question to a panel, with the verdicts on record.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelQuestion {
    /// What was judged.
    pub subject: String,
    /// What it was judged against; empty where that is nothing.
    pub about: String,
    /// From 0, where a judge was asked the same again.
    pub sample: u32,
    /// One a judge, by the judge's name.
    pub verdicts: Vec<PanelVerdict>,
}

/// What a judge of a panel decided.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelVerdict {
    /// The judge's name.
    pub judge: String,
    /// The number on the instrument's scale.
    pub value: Option<f64>,
    /// The word of the instrument's scale.
    pub label: Option<String>,
    /// The judge's reason; empty where none was given.
    pub reason: String,
}

impl PanelQuestion {
    /// A later verdict of a judge takes the place of its earlier one.
    fn add(&mut self, verdict: PanelVerdict) {
        match self
            .verdicts
            .binary_search_by(|of| of.judge.cmp(&verdict.judge))
        {
            Ok(at) => self.verdicts[at] = verdict,
            Err(at) => self.verdicts.insert(at, verdict),
        }
    }
}

/// Adds a judgement, or lets it replace an earlier one of the same judge: a decision is not
/// replaced by a later failure.
fn keep_newest<T, E>(
    found: &mut Vec<Judgement<T, E>>,
    about: &str,
    sample: u32,
    judge: &str,
    outcome: Result<T, E>,
) {
    // Backwards and only among the same question: a report may have thousands of others.
    let known = found
        .iter_mut()
        .rev()
        .take_while(|known| known.about == about)
        .find(|known| known.sample == sample && known.judge == judge);
    match known {
        // A later failure, of a server that is gone say, takes no decision away.
        Some(known) if outcome.is_err() && known.outcome.is_ok() => {}
        Some(known) => known.outcome = outcome,
        None => found.push(Judgement {
            about: about.to_owned(),
            sample,
            judge: judge.to_owned(),
            outcome,
        }),
    }
}

/// Makes an instrument and a judge known, which judgements refer to.
fn note(tx: &Tx<'_>, instrument: Instrument, judge: DecidedBy<'_>) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT OR IGNORE INTO instrument (id, family, criterion, version, scale, decided_by, payload)
         VALUES (?1, ?2, ?3, ?7, ?4, ?5, ?6)",
        params![
            instrument.id,
            instrument.family,
            instrument.criterion,
            instrument.scale,
            judge.word(),
            serde_json::json!({ "subject": instrument.subject.word() }).to_string(),
            // `kae/relation/2`: the same criterion on another scale.
            instrument.id.rsplit('/').next()
        ],
    )?;
    match judge {
        DecidedBy::Model(model) | DecidedBy::CodeOfPanel(model) => tx.execute(
            "INSERT OR IGNORE INTO judge (id, kind, model_asked, model_returned, prompt_hash)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                judge.id(),
                judge.word(),
                model.model_asked,
                model.model_returned,
                model.prompt_hash
            ],
        )?,
        DecidedBy::Person(name) | DecidedBy::Code(name) => tx.execute(
            "INSERT OR IGNORE INTO judge (id, kind, payload) VALUES (?1, ?2, ?3)",
            params![
                judge.id(),
                judge.word(),
                serde_json::json!({ "name": name }).to_string()
            ],
        )?,
    };
    Ok(())
}

/// Removes the failures of the same judge on the same question, and counts them: a model with the
/// same prompt may have been returned under another name, so the judge's id alone will not do.
fn remove_failures(tx: &Tx<'_>, new: &NewJudgement<'_>) -> rusqlite::Result<usize> {
    let DecidedBy::Model(model) = new.judge else {
        return tx.execute(
            "DELETE FROM judgement WHERE id = ?1 AND state = 'unscored'",
            [&new.id],
        );
    };
    tx.execute(
        "DELETE FROM judgement
         WHERE instrument = ?1 AND subject = ?2 AND other IS ?3 AND sample = ?4 AND state = 'unscored'
            AND judge IN (SELECT id FROM judge WHERE model_asked = ?5 AND prompt_hash = ?6)",
        params![
            new.instrument.id,
            new.subject,
            new.other,
            new.sample,
            model.model_asked,
            model.prompt_hash
        ],
    )
}

/// Stores a judgement of a run, as an event of its stream.
pub(super) fn put(
    tx: &Tx<'_>,
    new: &NewJudgement<'_>,
    run: i64,
    stream: &str,
) -> rusqlite::Result<Kept> {
    let decision = new.decision.as_ref().ok();
    let state = if decision.is_some() {
        "scored"
    } else {
        "unscored"
    };
    // A scale of numbers alone has no words.
    let label = decision
        .map(|decision| decision.label.as_str())
        .filter(|label| !label.is_empty());
    let Decision {
        value, confidence, ..
    } = decision.cloned().unwrap_or_default();
    let cause = new
        .decision
        .as_ref()
        .err()
        .map(|unscored| to_word(&unscored.cause));
    note(tx, new.instrument, new.judge)?;
    // `late` is the stored word for a decision that came after a failure.
    let same = tx.query_row(
        "SELECT coalesce(json_extract(payload, '$.late'), 0), run FROM judgement
         WHERE id = ?1 AND state = ?2 AND value IS ?3 AND label IS ?4 AND confidence IS ?5 AND cause IS ?6",
        params![new.id, state, value, label, confidence, cause],
        |row| Ok(Kept { decided_after_retry: row.get(0)?, run: row.get(1)? }),
    );
    if let Some(kept) = same.optional()? {
        return Ok(kept);
    }
    let decided_after_retry = remove_failures(tx, new)? > 0 && decision.is_some();
    let mut payload = new.payload.clone();
    payload["late"] = decided_after_retry.into();
    tx.execute(
        "INSERT OR REPLACE INTO judgement
            (id, instrument, subject, other, judge, sample, evidence_hash, state, value, label, confidence,
             cause, payload, call, run)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            new.id,
            new.instrument.id,
            new.subject,
            new.other,
            new.judge.id(),
            new.sample,
            new.evidence,
            state,
            value,
            label,
            confidence,
            cause,
            payload.to_string(),
            new.call.map(CallId::as_str),
            run
        ],
    )?;
    add_event(tx, stream, "judgement", &new.id)?;
    Ok(Kept {
        decided_after_retry,
        run,
    })
}

impl Store {
    /// Stores a judgement. A decision takes the place of earlier failures of the same judge, which
    /// is noted. The same judgement again changes nothing.
    pub fn save_judgement(&self, new: &NewJudgement<'_>) -> Result<Kept> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| put(tx, new, run, &stream))
    }

    /// Stores several judgements together, all or none.
    pub fn save_judgements(&self, all: &[NewJudgement<'_>]) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            for new in all {
                put(tx, new, run, &stream)?;
            }
            Ok(())
        })
    }

    /// The judgements that count in an evaluation, subject by subject.
    pub fn panel_judgements(&self, evaluation: &Evaluation) -> Result<PanelJudgements<'_>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, coalesce(model_asked, json_extract(payload, '$.name')), coalesce(prompt_hash, '')
                 FROM judge WHERE kind IN ('model', 'code')",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
            let judges: BTreeMap<String, (String, String)> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(PanelJudgements {
                store: self,
                panels: evaluation
                    .instruments
                    .iter()
                    .map(|entry| (entry.instrument.clone(), judges_of(entry, &judges)))
                    .collect(),
            })
        })
    }

    /// When the run with the newest judgement of reports or pairs began, RFC 3339.
    pub fn last_judged(&self) -> Result<Option<String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT started FROM run WHERE id = (SELECT max(run) FROM judgement WHERE instrument <> ?1)",
            )?;
            let decisions = TaskDecision::INSTRUMENT.id;
            Ok(statement.query_row([decisions], |row| row.get(0)).optional()?)
        })
    }

    /// Notes whose judgements count from now on.
    pub fn save_evaluation(&self, evaluation: &Evaluation) -> Result<()> {
        let payload = serde_json::to_string(evaluation)?;
        self.write(|tx| add_event(tx, "evaluations", "asked", &payload))
    }

    /// The newest evaluation.
    pub fn last_evaluation(&self) -> Result<Option<Evaluation>> {
        Ok(self.evaluations()?.pop())
    }

    /// All evaluations, oldest first, each once in a row.
    pub fn evaluations(&self) -> Result<Vec<Evaluation>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT payload FROM event WHERE stream = 'evaluations' ORDER BY seq",
            )?;
            let rows = statement.query_map([], |row| {
                from_json::<Evaluation>(0, &row.get::<_, String>(0)?)
            })?;
            let mut evaluations: Vec<Evaluation> = rows.collect::<rusqlite::Result<_>>()?;
            // Two runs with the same judges are one evaluation.
            evaluations.dedup();
            Ok(evaluations)
        })
    }

    /// Tokens and money that the judgements of these judges took.
    pub fn cost_of_judgements<'j>(
        &self,
        panel: impl IntoIterator<Item = &'j Judge>,
    ) -> Result<JudgementCost> {
        self.read(|connection| {
            let mut total = JudgementCost::default();
            let mut statement = connection.prepare_cached(
                "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                    coalesce(sum(cost_micro), 0), count(*) - count(cost_micro)
                 FROM call WHERE id IN (
                    SELECT call FROM judgement WHERE judge = ?1
                    UNION SELECT json_extract(orders.value, '$.call')
                    FROM judgement, json_each(judgement.payload, '$.orders') AS orders
                    WHERE judge = ?1)",
            )?;
            for judge in panel {
                let cost = statement.query_row([judge.id()], |row| {
                    Ok(JudgementCost {
                        calls: row.get(0)?,
                        input: row.get(1)?,
                        output: row.get(2)?,
                        cost_micro: row.get(3)?,
                        unpriced: row.get(4)?,
                    })
                })?;
                total.calls += cost.calls;
                total.input += cost.input;
                total.output += cost.output;
                total.cost_micro += cost.cost_micro;
                total.unpriced += cost.unpriced;
            }
            Ok(total)
        })
    }
}

/// The judges of a panel with their names, by their ids; `judges` are all, with names and prompts.
fn judges_of(
    entry: &InForce,
    judges: &BTreeMap<String, (String, String)>,
) -> BTreeMap<String, String> {
    judges
        .iter()
        .filter(|(_, judge)| entry.panel.contains(judge))
        .map(|(id, (name, _))| (id.clone(), name.clone()))
        .collect()
}
