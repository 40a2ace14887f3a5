//! What an evaluation compares reports with: key points of pages, frozen sets of them, checklists;
//! and its judgements.

use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    Store, from_json, from_word,
    judgements::{Decided, Fact, Instrument, Judge},
    runs::add_event,
    to_word,
};
use crate::data::{
    CallId, Cause, KeyPoint, KeyPointId, Mark, Rating, Related, Relation, ReportId, TaskId,
    Unscored, id,
};

const RELATION: Instrument = Instrument {
    id: "kae/relation/1",
    family: "kae",
    criterion: "relation",
    scale: "supports, omits or contradicts",
};
const RATING: Instrument = Instrument {
    id: "ace/rating/1",
    family: "ace",
    criterion: "rating",
    scale: "whole number, 0 to 10",
};

/// What an evaluation asked last, and of whom: only these judges count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What finds key points; only sets that were found so count.
    pub points: String,
    /// Models and prompts that say how reports relate to key points, as (model asked, hash of the
    /// prompt).
    pub relation: Vec<(String, String)>,
    /// Those that rate.
    pub rating: Vec<(String, String)>,
    /// How often they rate each criterion; 0 takes all ratings that there are.
    #[serde(default)]
    pub repeats: u32,
}

/// What the judges of an evaluation say. A million judgements are read as they are wanted, not all
/// at once.
pub struct Voices<'a> {
    store: &'a Store,
    /// Ids of the judges that are heard, with their models.
    relation: Panel,
    rating: Panel,
    repeats: u32,
}

type Panel = BTreeMap<String, String>;

impl Voices<'_> {
    /// How a report relates to key points, in the order of the points' ids.
    pub fn relations(&self, report: &ReportId) -> Result<Vec<Mark<Related>>> {
        self.marks(RELATION, &self.relation, report, unscored, |row| {
            #[derive(Deserialize)]
            struct Payload {
                reason: String,
                key_aspects: Vec<String>,
            }
            let payload: Payload = from_json(6, row.get_ref(6)?.as_str()?)?;
            Ok(Related {
                relation: relation(row)?,
                confidence: row.get(4)?,
                reasoning: payload.reason,
                key_aspects: payload.key_aspects,
            })
        })
    }

    /// The same without reasons: they are most of what is stored, and a score needs none.
    pub fn bare_relations(&self, report: &ReportId) -> Result<Vec<Mark<Relation, Cause>>> {
        self.marks(RELATION, &self.relation, report, cause, relation)
    }

    /// How a report is rated, in the order of the criteria's names.
    pub fn ratings(&self, report: &ReportId) -> Result<Vec<Mark<Rating>>> {
        self.marks(RATING, &self.rating, report, unscored, |row| {
            Ok(Rating {
                rating: rating(row)?,
                justification: reason(row)?,
            })
        })
        .map(|ratings| self.of_repeats(ratings))
    }

    /// The same without reasons.
    pub fn bare_ratings(&self, report: &ReportId) -> Result<Vec<Mark<u8, Cause>>> {
        self.marks(RATING, &self.rating, report, cause, rating)
            .map(|ratings| self.of_repeats(ratings))
    }

    fn of_repeats<T, E>(&self, mut ratings: Vec<Mark<T, E>>) -> Vec<Mark<T, E>> {
        ratings.retain(|mark| self.repeats == 0 || mark.sample < self.repeats);
        ratings
    }

    /// One voice per model and question: the newest that decided, else the newest.
    fn marks<T, E>(
        &self,
        instrument: Instrument,
        panel: &Panel,
        report: &ReportId,
        failed: impl Fn(&Row<'_>) -> rusqlite::Result<E>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Mark<T, E>>> {
        let connection = self.store.connection();
        let mut statement = connection.prepare_cached(
            "SELECT other, sample, value, label, confidence, cause, payload, state, judge FROM judgement
             WHERE instrument = ?1 AND subject = ?2 ORDER BY other, rowid",
        )?;
        let mut rows = statement.query([instrument.id, report.as_str()])?;
        let mut marks: Vec<Mark<T, E>> = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(model) = panel.get(row.get_ref(8)?.as_str()?) else {
                continue;
            };
            let outcome = if row.get_ref(7)?.as_str()? == "scored" {
                Ok(read(row)?)
            } else {
                Err(failed(row)?)
            };
            let (of, sample): (&str, u32) = (row.get_ref(0)?.as_str()?, row.get(1)?);
            let alike = |mark: &&mut Mark<T, E>| mark.sample == sample && mark.model == *model;
            match marks
                .iter_mut()
                .rev()
                .take_while(|mark| mark.of == of)
                .find(alike)
            {
                Some(known) if outcome.is_err() && known.outcome.is_ok() => {}
                Some(known) => known.outcome = outcome,
                None => marks.push(Mark {
                    of: of.to_owned(),
                    sample,
                    model: model.clone(),
                    outcome,
                }),
            }
        }
        // Points in their order; of one point by repetition and model, whenever each was asked.
        marks.sort_by(|a, b| (&a.of, a.sample, &a.model).cmp(&(&b.of, b.sample, &b.model)));
        Ok(marks)
    }
}

fn relation(row: &Row<'_>) -> rusqlite::Result<Relation> {
    from_word(3, row.get_ref(3)?.as_str()?)
}

fn rating(row: &Row<'_>) -> rusqlite::Result<u8> {
    Ok(row.get::<_, f64>(2)? as u8)
}

fn cause(row: &Row<'_>) -> rusqlite::Result<Cause> {
    from_word(5, row.get_ref(5)?.as_str()?)
}

fn unscored(row: &Row<'_>) -> rusqlite::Result<Unscored> {
    Ok(Unscored {
        cause: cause(row)?,
        reason: reason(row)?,
    })
}

/// What every judgement has beside its numbers.
fn reason(row: &Row<'_>) -> rusqlite::Result<String> {
    #[derive(Deserialize)]
    struct Payload {
        #[serde(default)]
        reason: String,
    }
    let Payload { reason } = from_json(6, row.get_ref(6)?.as_str()?)?;
    Ok(reason)
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

    /// A key point.
    pub fn key_point(&self, id: &KeyPointId) -> Result<Option<KeyPoint>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT id, task, source, text, spans, verified FROM key_point WHERE id = ?1",
        )?;
        let read = |row: &Row<'_>| {
            Ok(KeyPoint {
                id: KeyPointId::from_stored(row.get(0)?),
                task: TaskId::from_stored(row.get(1)?),
                source: row.get(2)?,
                text: row.get(3)?,
                spans: from_json(4, row.get_ref(4)?.as_str()?)?,
                verified: row.get(5)?,
            })
        };
        Ok(statement.query_row([id.as_str()], read).optional()?)
    }

    /// Freezes a set of a task under a name, and returns its version: a new one, unless the newest
    /// has the same members.
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

    /// Of a task and a name the newest set that `fits`, or the newest where none does.
    pub fn frozen<T: DeserializeOwned>(
        &self,
        task: &TaskId,
        name: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT members FROM reference_set WHERE task = ?1 AND name = ?2 ORDER BY version DESC",
        )?;
        let mut rows = statement.query([task.as_str(), name])?;
        let mut newest = None;
        while let Some(row) = rows.next()? {
            let set: T = from_json(0, row.get_ref(0)?.as_str()?)?;
            if fits(&set) {
                return Ok(Some(set));
            }
            newest.get_or_insert(set);
        }
        Ok(newest)
    }

    /// Freezes the checklist of a task. The first one stays.
    pub fn save_checklist<T: Serialize>(
        &self,
        task: &TaskId,
        criteria: &T,
        call: &CallId,
    ) -> Result<()> {
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
        let mut statement = connection
            .prepare_cached("SELECT task, id, members FROM checklist ORDER BY task, version")?;
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
                Ok(related) => {
                    json!({ "reason": related.reasoning, "key_aspects": related.key_aspects })
                }
                Err(unscored) => json!({ "reason": unscored.reason }),
            },
            call,
        })?;
        Ok(())
    }

    /// Keeps the rating of a report by a criterion of a checklist (`criterion` names both), or why
    /// there is none.
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

    /// What the judges of an evaluation say, report by report.
    pub fn voices(&self, of: &Evaluation) -> Result<Voices<'_>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT id, model_asked, prompt_hash FROM judge WHERE kind = 'model' AND prompt_hash IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        let judges: BTreeMap<String, (String, String)> = rows.collect::<rusqlite::Result<_>>()?;
        let heard = |panel: &[(String, String)]| {
            let in_panel = judges.iter().filter(|(_, judge)| panel.contains(judge));
            in_panel
                .map(|(id, (model, _))| (id.clone(), model.clone()))
                .collect()
        };
        Ok(Voices {
            store: self,
            relation: heard(&of.relation),
            rating: heard(&of.rating),
            repeats: of.repeats,
        })
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
        let mut statement = connection.prepare_cached(
            "SELECT payload FROM event WHERE stream = 'evaluations' ORDER BY seq",
        )?;
        let rows = statement.query_map([], |row| {
            from_json::<Evaluation>(0, &row.get::<_, String>(0)?)
        })?;
        let mut evaluations: Vec<Evaluation> = rows.collect::<rusqlite::Result<_>>()?;
        evaluations.dedup();
        Ok(evaluations)
    }
}

fn mark_id(
    instrument: Instrument,
    report: &ReportId,
    of: &str,
    sample: u32,
    judge: &Judge,
) -> String {
    id::text(
        'm',
        &[
            instrument.id,
            report.as_str(),
            of,
            &sample.to_string(),
            &judge.id(),
        ],
    )
}
