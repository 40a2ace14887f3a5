//! Scores of people: judgements like any other, by judges who are persons.

use anyhow::Result;
use rusqlite::{OptionalExtension as _, params};
use serde_json::json;

use super::{Store, judgements::Instrument, runs::add_event};
use crate::data::{PersonScore, ReportId, id};

const SCORE: Instrument = Instrument {
    id: "person/score/1",
    family: "person",
    criterion: "score",
    scale: "number, 0 to 10",
};

impl Store {
    /// Keeps scores. What a rater says later of the same takes the place of the earlier. How many
    /// are new or other ones.
    pub fn save_scores(&self, scores: &[PersonScore]) -> Result<usize> {
        let (run, stream) = (self.run, self.stream());
        self.write(|tx| {
            SCORE.note(tx, "person")?;
            let mut changed = 0;
            for score in scores {
                let judge = id::text('j', &["person", &score.rater]);
                let criterion = score.criterion.as_deref();
                let id = id::text('m', &[SCORE.id, score.report.as_str(), criterion.unwrap_or_default(), &judge]);
                let known: Option<f64> =
                    tx.query_row("SELECT value FROM judgement WHERE id = ?1", [&id], |row| row.get(0)).optional()?;
                if known == Some(score.value) {
                    continue;
                }
                tx.execute(
                    "INSERT OR IGNORE INTO judge (id, kind, payload) VALUES (?1, 'person', ?2)",
                    params![judge, json!({ "name": score.rater }).to_string()],
                )?;
                tx.execute(
                    "INSERT OR REPLACE INTO judgement (id, instrument, subject, other, judge, state, value, run)
                     VALUES (?1, ?2, ?3, ?4, ?5, 'scored', ?6, ?7)",
                    params![id, SCORE.id, score.report.as_str(), criterion, judge, score.value, run],
                )?;
                add_event(tx, &stream, "judgement", &id)?;
                changed += 1;
            }
            Ok(changed)
        })
    }

    /// All scores of people, by report, criterion and rater.
    pub fn scores(&self) -> Result<Vec<PersonScore>> {
        let connection = self.connection();
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
    }
}
