//! Scores of people: judgements like any other, by judges who are persons.

use anyhow::Result;
use serde_json::json;

use super::{Kept, Store};
use crate::data::{
    DecidedBy, Decision, Instrument, NewJudgement, PersonScore, ReportId, SubjectKind, id,
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
    /// Keeps scores. A rater's later score of the same takes the place of the earlier one. Returns
    /// how many scores are new or changed.
    pub fn save_scores(&self, scores: &[PersonScore]) -> Result<usize> {
        let mut changed = 0;
        for score in scores {
            changed += usize::from(self.save_score(score)?);
        }
        Ok(changed)
    }

    fn save_score(&self, score: &PersonScore) -> Result<bool> {
        let judge = DecidedBy::Person(&score.rater);
        let criterion = score.criterion.as_deref();
        let id = id::text(
            'm',
            &[
                SCORE.id,
                score.report.as_str(),
                criterion.unwrap_or_default(),
                &judge.id(),
            ],
        );
        if self.score_value(&id)? == Some(score.value) {
            return Ok(false);
        }
        let _: Kept = self.save_judgement(&NewJudgement {
            instrument: SCORE,
            id,
            subject: score.report.as_str(),
            other: criterion,
            judge,
            sample: 0,
            decision: Ok(Decision {
                value: Some(score.value),
                ..Decision::default()
            }),
            payload: json!({}),
            call: None,
            evidence: None,
        })?;
        Ok(true)
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
}
