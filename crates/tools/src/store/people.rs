//! Scores and decisions of people: judgements like any other, by judges who are persons.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;

use super::{Kept, NotCurrent, Store, from_json, judgements::put, tasks::is_current};
use crate::data::{
    DecidedBy, Decision, Instrument, NewJudgement, PersonScore, ReportId, SubjectKind,
    TaskDecision, TaskId, id,
};

const SCORE: Instrument = Instrument {
    id: "person/score/1",
    family: "person",
    criterion: "score",
    scale: "number, 0 to 10",
    subject: SubjectKind::Report,
    letter: 'm',
};

impl Store {
    /// Keeps scores, all of them or none. A rater's later score of the same takes the place of the
    /// earlier one. Returns how many scores are new or changed.
    pub fn save_scores(&self, scores: &[PersonScore]) -> Result<usize> {
        let (mut changed, mut given) = (Vec::new(), BTreeMap::new());
        for score in scores {
            let id = score_id(score);
            let before = match given.insert(id.clone(), score.value) {
                Some(before) => Some(before),
                None => self.score_value(&id)?,
            };
            if before != Some(score.value) {
                changed.push(score_judgement(id, score));
            }
        }
        self.save_judgements(&changed)?;
        Ok(changed.len())
    }

    /// Puts other scores in the place of all that a person gave a report; none take them back.
    pub fn replace_scores(
        &self,
        report: &ReportId,
        rater: &str,
        scores: &[PersonScore],
    ) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        let judge = DecidedBy::Person(rater).id();
        self.write(|tx| {
            tx.execute(
                "DELETE FROM judgement WHERE instrument = ?1 AND subject = ?2 AND judge = ?3",
                [SCORE.id, report.as_str(), &judge],
            )?;
            for score in scores {
                put(tx, &score_judgement(score_id(score), score), run, &stream)?;
            }
            Ok(())
        })
    }

    fn score_value(&self, id: &str) -> Result<Option<f64>> {
        use rusqlite::OptionalExtension as _;
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT value FROM judgement WHERE id = ?1")?;
            Ok(statement.query_row([id], |row| row.get(0)).optional()?)
        })
    }

    /// All scores of people, by report, criterion and rater.
    pub fn scores(&self) -> Result<Vec<PersonScore>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT j.subject, j.other, coalesce(json_extract(who.payload, '$.name'), who.id), j.value
                 FROM judgement j JOIN judge who ON who.id = j.judge WHERE j.instrument = ?1 ORDER BY 1, 2, 3",
            )?;
            let rows = statement.query_map([SCORE.id], |row| {
                Ok(PersonScore {
                    report: ReportId::from_stored(row.get(0)?),
                    criterion: row.get(1)?,
                    rater: row.get(2)?,
                    value: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps a decision on a task; a person's later one takes the place of the earlier one. Keeps
    /// nothing if the task is not current any more: it may have been changed while it was shown.
    pub fn save_task_decision(&self, decision: &TaskDecision) -> Result<Result<(), NotCurrent>> {
        let instrument = TaskDecision::INSTRUMENT;
        let (run, stream) = (self.run, self.stream());
        let json = serde_json::to_value(decision)?;
        self.write(|tx| {
            if let Err(why) = is_current(tx, &decision.task)? {
                return Ok(Err(why));
            }
            let order: i64 = tx.query_row(
                "SELECT coalesce(max(payload ->> '$.order'), 0) + 1 FROM judgement WHERE instrument = ?1",
                [instrument.id],
                |row| row.get(0),
            )?;
            let mut payload = json;
            payload["order"] = order.into();
            // The same word for another reason, or to settle, is another decision.
            let id = decision_id(&decision.task, &decision.by);
            tx.execute("DELETE FROM judgement WHERE id = ?1", [&id])?;
            let _: Kept = put(
                tx,
                &NewJudgement {
                    instrument,
                    id,
                    subject: decision.task.as_str(),
                    other: None,
                    judge: DecidedBy::Person(&decision.by),
                    sample: 0,
                    decision: Ok(Decision {
                        label: decision.verdict.word().to_owned(),
                        ..Decision::default()
                    }),
                    payload,
                    call: None,
                    evidence: None,
                },
                run,
                &stream,
            )?;
            Ok(Ok(()))
        })
    }

    /// Takes back what a person decided on a task.
    pub fn withdraw_task_decision(&self, task: &TaskId, by: &str) -> Result<()> {
        let id = decision_id(task, by);
        self.write(|tx| {
            tx.execute("DELETE FROM judgement WHERE id = ?1", [&id])
                .map(|_| ())
        })
    }

    /// The decisions of people on a task, oldest first.
    pub fn decisions_on(&self, task: &TaskId) -> Result<Vec<TaskDecision>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT payload FROM judgement WHERE instrument = ?1 AND subject = ?2
                 ORDER BY payload ->> '$.order'",
            )?;
            let values = [TaskDecision::INSTRUMENT.id, task.as_str()];
            let rows =
                statement.query_map(values, |row| from_json(0, row.get_ref(0)?.as_str()?))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// All decisions of people on tasks, by task and, of one task, oldest first.
    pub fn task_decisions(&self) -> Result<BTreeMap<TaskId, Vec<TaskDecision>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT payload FROM judgement WHERE instrument = ?1 ORDER BY payload ->> '$.order'",
            )?;
            let rows = statement.query_map([TaskDecision::INSTRUMENT.id], |row| {
                from_json::<TaskDecision>(0, row.get_ref(0)?.as_str()?)
            })?;
            let mut decisions = BTreeMap::<TaskId, Vec<TaskDecision>>::new();
            for decision in rows {
                let decision = decision?;
                decisions
                    .entry(decision.task.clone())
                    .or_default()
                    .push(decision);
            }
            Ok(decisions)
        })
    }
}

fn score_judgement(id: String, score: &PersonScore) -> NewJudgement<'_> {
    NewJudgement {
        instrument: SCORE,
        id,
        subject: score.report.as_str(),
        other: score.criterion.as_deref(),
        judge: DecidedBy::Person(&score.rater),
        sample: 0,
        decision: Ok(Decision {
            value: Some(score.value),
            ..Decision::default()
        }),
        payload: json!({}),
        call: None,
        evidence: None,
    }
}

fn score_id(score: &PersonScore) -> String {
    let judge = DecidedBy::Person(&score.rater).id();
    let criterion = score.criterion.as_deref().unwrap_or_default();
    id::text('m', &[SCORE.id, score.report.as_str(), criterion, &judge])
}

fn decision_id(task: &TaskId, by: &str) -> String {
    let judge = DecidedBy::Person(by).id();
    id::text('m', &[TaskDecision::INSTRUMENT.id, task.as_str(), &judge])
}
