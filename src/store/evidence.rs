//! What an evaluation compares reports with: key points of pages, frozen sets of them, checklists; and its judgements.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    Store, from_json, from_word,
    judgements::{Decided, Fact, Instrument, Judge},
    runs::add_event,
    to_word,
};
use crate::data::{CallId, KeyPoint, KeyPointId, Mark, Rating, Related, ReportId, TaskId, Unscored, id};

const RELATION: Instrument =
    Instrument { id: "kae/relation/1", family: "kae", criterion: "relation", scale: "supports, omits or contradicts" };
const RATING: Instrument =
    Instrument { id: "ace/rating/1", family: "ace", criterion: "rating", scale: "whole number, 0 to 10" };

/// What an evaluation asked last, and of whom: only these judges count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What finds key points; only sets that were found so count.
    pub points: String,
    /// Models and prompts that say how reports relate to key points, as (model asked, hash of the prompt).
    pub relation: Vec<(String, String)>,
    /// Those that rate.
    pub rating: Vec<(String, String)>,
    /// How often they rate each criterion; 0 takes all ratings that there are.
    #[serde(default)]
    pub repeats: u32,
}

impl Store {
    /// Keeps the key points of a page.
    pub fn save_key_points(&self, points: &[KeyPoint], call: &CallId) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            for point in points {
                let spans = json!(point.spans).to_string();
                let new = tx.execute(
                    "INSERT OR IGNORE INTO key_point (id, task, source, text, spans, verified, call, run)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        point.id.as_str(),
                        point.task.as_str(),
                        point.source,
                        point.text,
                        spans,
                        point.verified,
                        call.as_str(),
                        run
                    ],
                )?;
                if new > 0 {
                    add_event(tx, &stream, "key_point", point.id.as_str())?;
                }
            }
            Ok(())
        })
    }

    /// All key points by id.
    pub fn key_points(&self) -> Result<BTreeMap<KeyPointId, KeyPoint>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT id, task, source, text, spans, verified FROM key_point")?;
        let rows = statement.query_map([], |row| {
            let point = KeyPoint {
                id: KeyPointId::from_stored(row.get(0)?),
                task: TaskId::from_stored(row.get(1)?),
                source: row.get(2)?,
                text: row.get(3)?,
                spans: from_json(4, &row.get::<_, String>(4)?)?,
                verified: row.get(5)?,
            };
            Ok((point.id.clone(), point))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Freezes a set of a task under a name, and returns its version: a new one, unless the newest has the same members.
    pub fn freeze<T: Serialize>(&self, task: &TaskId, name: &str, members: &T) -> Result<u32> {
        let (run, members) = (self.run, serde_json::to_string(members)?);
        self.write(|tx| {
            let newest: Option<(u32, String)> = tx
                .query_row(
                    "SELECT version, members FROM reference_set WHERE task = ?1 AND name = ?2
                     ORDER BY version DESC LIMIT 1",
                    [task.as_str(), name],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            if let Some((version, known)) = &newest
                && *known == members
            {
                return Ok(*version);
            }
            let version = newest.map_or(1, |(version, _)| version + 1);
            let id = id::text('z', &[task.as_str(), name, &version.to_string()]);
            tx.execute(
                "INSERT INTO reference_set (id, task, name, version, frozen, members, run)
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)",
                params![id, task.as_str(), name, version, members, run],
            )?;
            Ok(version)
        })
    }

    /// Of each task and name the newest set that `fits`, or the newest where none does.
    pub fn frozen<T: DeserializeOwned>(&self, fits: impl Fn(&T) -> bool) -> Result<BTreeMap<(TaskId, String), T>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT task, name, members FROM reference_set ORDER BY task, name, version")?;
        let rows = statement.query_map([], |row| {
            let members: T = from_json(2, &row.get::<_, String>(2)?)?;
            Ok(((TaskId::from_stored(row.get(0)?), row.get(1)?), members))
        })?;
        let mut newest = BTreeMap::<(TaskId, String), T>::new();
        for row in rows {
            let (key, set) = row?;
            if fits(&set) || !newest.get(&key).is_some_and(&fits) {
                newest.insert(key, set);
            }
        }
        Ok(newest)
    }

    /// Freezes the checklist of a task. The first one stays.
    pub fn save_checklist<T: Serialize>(&self, task: &TaskId, criteria: &T, call: &CallId) -> Result<()> {
        let (run, members) = (self.run, serde_json::to_string(criteria)?);
        let id = id::text('z', &[task.as_str(), "checklist", &members]);
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO checklist (id, task, version, frozen, members, call, run)
                 VALUES (?1, ?2, 1, 1, ?3, ?4, ?5)",
                params![id, task.as_str(), members, call.as_str(), run],
            )?;
            Ok(())
        })
    }

    /// The checklists by task, with their ids.
    pub fn checklists<T: DeserializeOwned>(&self) -> Result<BTreeMap<TaskId, (String, T)>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT task, id, members FROM checklist ORDER BY task, version")?;
        let rows = statement.query_map([], |row| {
            let members: T = from_json(2, &row.get::<_, String>(2)?)?;
            Ok((TaskId::from_stored(row.get(0)?), (row.get(1)?, members)))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Keeps how a report relates to a key point, or why that is not known.
    pub fn save_relation(
        &self,
        report: &ReportId,
        point: &KeyPointId,
        related: &Result<Related, Unscored>,
        judge: &Judge,
        call: &CallId,
    ) -> Result<()> {
        self.put(&Fact {
            instrument: RELATION,
            id: mark_id(RELATION, report, point.as_str(), 0, judge),
            subject: report.as_str(),
            other: Some(point.as_str()),
            judge,
            sample: 0,
            decided: related.as_ref().map(|related| Decided {
                value: None,
                label: to_word(&related.relation),
                confidence: Some(related.confidence),
            }),
            payload: match related {
                Ok(related) => json!({ "reason": related.reasoning, "key_aspects": related.key_aspects }),
                Err(unscored) => json!({ "reason": unscored.reason }),
            },
            call,
        })?;
        Ok(())
    }

    /// Keeps the rating of a report by a criterion of a checklist (`criterion` names both), or why there is none.
    pub fn save_rating(
        &self,
        report: &ReportId,
        criterion: &str,
        sample: u32,
        rating: &Result<Rating, Unscored>,
        judge: &Judge,
        call: &CallId,
    ) -> Result<()> {
        self.put(&Fact {
            instrument: RATING,
            id: mark_id(RATING, report, criterion, sample, judge),
            subject: report.as_str(),
            other: Some(criterion),
            judge,
            sample,
            decided: rating.as_ref().map(|rating| Decided {
                value: Some(f64::from(rating.rating)),
                label: rating.rating.to_string(),
                confidence: None,
            }),
            payload: match rating {
                Ok(rating) => json!({ "reason": rating.justification }),
                Err(unscored) => json!({ "reason": unscored.reason }),
            },
            call,
        })?;
        Ok(())
    }

    /// How reports relate to key points, as these judges say.
    pub fn relations(&self, judges: &[(String, String)]) -> Result<Vec<Mark<Related>>> {
        self.marks(RELATION, judges, |row| {
            #[derive(Deserialize)]
            struct Payload {
                reason: String,
                key_aspects: Vec<String>,
            }
            let payload: Payload = from_json(7, &row.get::<_, String>(7)?)?;
            Ok(Related {
                relation: from_word(4, &row.get::<_, String>(4)?)?,
                confidence: row.get(5)?,
                reasoning: payload.reason,
                key_aspects: payload.key_aspects,
            })
        })
    }

    /// The ratings of these judges.
    pub fn ratings(&self, judges: &[(String, String)]) -> Result<Vec<Mark<Rating>>> {
        self.marks(RATING, judges, |row| {
            let payload: serde_json::Value = from_json(7, &row.get::<_, String>(7)?)?;
            let justification = payload["reason"].as_str().unwrap_or_default().to_owned();
            Ok(Rating { rating: row.get::<_, f64>(3)? as u8, justification })
        })
    }

    fn marks<T>(
        &self,
        instrument: Instrument,
        judges: &[(String, String)],
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Mark<T>>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT subject, other, sample, value, label, confidence, cause, judgement.payload, state, model_asked,
                prompt_hash
             FROM judgement JOIN judge ON judge.id = judgement.judge WHERE instrument = ?1 ORDER BY judgement.rowid",
        )?;
        let rows = statement.query_map([instrument.id], |row| {
            let outcome = if row.get::<_, String>(8)? == "scored" {
                Ok(read(row)?)
            } else {
                let payload: serde_json::Value = from_json(7, &row.get::<_, String>(7)?)?;
                let reason = payload["reason"].as_str().unwrap_or_default().to_owned();
                Err(Unscored { cause: from_word(6, &row.get::<_, String>(6)?)?, reason })
            };
            let by = (row.get(9)?, row.get(10)?);
            Ok((
                by,
                Mark {
                    report: ReportId::from_stored(row.get(0)?),
                    of: row.get(1)?,
                    sample: row.get(2)?,
                    model: String::new(),
                    outcome,
                },
            ))
        })?;
        // One voice per model and question: the newest that decided, else the newest.
        let mut marks: BTreeMap<(ReportId, String, u32, String), Mark<T>> = BTreeMap::new();
        for row in rows {
            let (by, mark): ((String, String), Mark<T>) = row?;
            let key = (mark.report.clone(), mark.of.clone(), mark.sample, by.0.clone());
            let is_worse = mark.outcome.is_err() && marks.get(&key).is_some_and(|known| known.outcome.is_ok());
            if judges.contains(&by) && !is_worse {
                marks.insert(key, Mark { model: by.0, ..mark });
            }
        }
        Ok(marks.into_values().collect())
    }

    /// Notes what is evaluated by whom.
    pub fn save_evaluation(&self, evaluation: &Evaluation) -> Result<()> {
        let payload = serde_json::to_string(evaluation)?;
        self.write(|tx| add_event(tx, "evaluations", "asked", &payload))
    }

    /// What was evaluated last.
    pub fn last_evaluation(&self) -> Result<Option<Evaluation>> {
        Ok(self.evaluations()?.pop())
    }

    /// All that was evaluated, oldest first, each once in a row.
    pub fn evaluations(&self) -> Result<Vec<Evaluation>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT payload FROM event WHERE stream = 'evaluations' ORDER BY seq")?;
        let rows = statement.query_map([], |row| from_json::<Evaluation>(0, &row.get::<_, String>(0)?))?;
        let mut evaluations: Vec<Evaluation> = rows.collect::<rusqlite::Result<_>>()?;
        evaluations.dedup();
        Ok(evaluations)
    }
}

fn mark_id(instrument: Instrument, report: &ReportId, of: &str, sample: u32, judge: &Judge) -> String {
    id::text('m', &[instrument.id, report.as_str(), of, &sample.to_string(), &judge.id()])
}
