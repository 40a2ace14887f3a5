//! What the judges of rankings decided: comparisons of two tasks, and lineups of several in an
//! order.

use anyhow::Result;
use rusqlite::Row;
use serde::Deserialize;
use serde_json::json;

use super::{Store, from_json, from_word, judgements::Kept, to_word};
use crate::data::{
    CallId, Comparison, Criteria, DecidedBy, Decision, Instrument, Judge, Lineup, NewJudgement,
    Ordered, Side, SubjectKind, TaskId, Unscored, Verdict, id,
};

/// A comparison or lineup with its history.
#[derive(Clone, Debug)]
pub struct Recorded<T = Comparison> {
    /// What was shown, and what came of it.
    pub told: T,
    /// Who decided.
    pub judge: Judge,
    /// The run that stored it.
    pub run: i64,
    /// The batch or round that first asked for it.
    pub round: u32,
    /// Whether the decision came only after a failure.
    pub late: bool,
}

const DUEL: Instrument = Instrument {
    id: "rankeval/overall/1",
    family: "rankeval",
    criterion: "overall",
    scale: "pair, confidence 0.5 to 1",
    subject: SubjectKind::Task,
    letter: 'v',
};
const LINEUP: Instrument = Instrument {
    id: "rankeval/order/1",
    family: "rankeval",
    criterion: "order",
    scale: "several, best first",
    subject: SubjectKind::Task,
    letter: 'l',
};

impl Store {
    /// Stores one verdict, or why there is none; `round` tells in which order verdicts were asked
    /// for.
    pub fn save_comparison(
        &self,
        comparison: &Comparison,
        judge: &Judge,
        round: u32,
    ) -> Result<Kept> {
        let Comparison {
            a,
            b,
            sample,
            outcome,
            call,
        } = comparison;
        let verdict = outcome.as_ref();
        let reason = verdict.map_or_else(
            |unscored| Some(&unscored.reason),
            |verdict| verdict.reason.as_ref(),
        );
        let mut payload = json!({ "reason": reason, "round": round });
        if let Ok(Verdict {
            scores: Some(scores),
            ..
        }) = verdict
        {
            payload["scores"] = json!(scores);
        }
        self.save_judgement(&NewJudgement {
            instrument: DUEL,
            id: comparison_id(comparison, &judge.id()),
            subject: a.as_str(),
            other: Some(b.as_str()),
            judge: DecidedBy::Model(judge),
            sample: *sample,
            decision: verdict.map(|verdict| Decision {
                value: Some(verdict.score_a()),
                label: to_word(&verdict.winner),
                confidence: Some(verdict.confidence),
            }),
            payload,
            call: Some(call),
            evidence: None,
        })
    }

    /// Stores an order, or why there is none, as [`Self::save_comparison`] does.
    pub fn save_lineup(&self, lineup: &Lineup, judge: &Judge, round: u32) -> Result<Kept> {
        let Lineup {
            shown,
            outcome,
            call,
        } = lineup;
        let ids: Vec<&str> = shown.iter().map(TaskId::as_str).collect();
        let list = id::text('l', &ids);
        let ordered = outcome.as_ref();
        let places = |ordered: &Ordered| {
            ordered
                .places
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let reason = ordered.map_or_else(
            |unscored| Some(&unscored.reason),
            |ordered| ordered.reason.as_ref(),
        );
        self.save_judgement(&NewJudgement {
            instrument: LINEUP,
            id: id::text('l', &[LINEUP.id, &list, &judge.id()]),
            subject: &list,
            other: None,
            judge: DecidedBy::Model(judge),
            sample: 0,
            decision: ordered.map(|ordered| Decision { value: None, label: places(ordered), confidence: None }),
            payload: json!({
                "reason": reason, "round": round, "shown": shown, "places": ordered.ok().map(|ordered| &ordered.places)
            }),
            call: Some(call),
            evidence: None,
        })
    }

    /// Every comparison by judges that `counts` (model asked, hash of the prompt), in the order in
    /// which they were asked.
    pub fn recorded(&self, counts: impl Fn(&str, &str) -> bool) -> Result<Vec<Recorded>> {
        self.of_instrument(DUEL, counts, read_comparison)
    }

    /// Every lineup by judges that `counts`, in the order in which they were asked.
    pub fn lineups(&self, counts: impl Fn(&str, &str) -> bool) -> Result<Vec<Recorded<Lineup>>> {
        self.of_instrument(LINEUP, counts, read_lineup)
    }

    fn of_instrument<T>(
        &self,
        instrument: Instrument,
        counts: impl Fn(&str, &str) -> bool,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Recorded<T>>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT subject, other, sample, state, label, confidence, cause, judgement.payload, call,
                model_asked, model_returned, prompt_hash, run, coalesce(json_extract(judgement.payload, '$.round'), 0),
                coalesce(json_extract(judgement.payload, '$.late'), 0)
             FROM judgement JOIN judge ON judge.id = judgement.judge WHERE instrument = ?1
             ORDER BY 14, judgement.id",
        )?;
        let rows = statement.query_map([instrument.id], |row| {
            let judge = Judge {
                model_asked: row.get(9)?,
                model_returned: row.get(10)?,
                prompt_hash: row.get(11)?,
            };
            Ok(Recorded {
                told: read(row)?,
                judge,
                run: row.get(12)?,
                round: row.get(13)?,
                late: row.get(14)?,
            })
        })?;
        let all: Vec<Recorded<T>> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(all
            .into_iter()
            .filter(|of| counts(&of.judge.model_asked, &of.judge.prompt_hash))
            .collect())
    }
}

fn comparison_id(comparison: &Comparison, judge: &str) -> String {
    let sample = comparison.sample.to_string();
    id::text(
        'v',
        &[
            DUEL.id,
            comparison.a.as_str(),
            comparison.b.as_str(),
            &sample,
            judge,
        ],
    )
}

fn read_comparison(row: &Row<'_>) -> rusqlite::Result<Comparison> {
    #[derive(Deserialize)]
    struct Payload {
        reason: Option<String>,
        scores: Option<[Criteria; 2]>,
    }
    let payload: Payload = from_json(7, &row.get::<_, String>(7)?)?;
    let outcome = if row.get::<_, String>(3)? == "scored" {
        let winner: Side = from_word(4, &row.get::<_, String>(4)?)?;
        Ok(Verdict {
            winner,
            confidence: row.get(5)?,
            reason: payload.reason,
            scores: payload.scores,
        })
    } else {
        let cause = from_word(6, &row.get::<_, String>(6)?)?;
        Err(Unscored {
            cause,
            reason: payload.reason.unwrap_or_default(),
        })
    };
    Ok(Comparison {
        a: TaskId::from_stored(row.get(0)?),
        b: TaskId::from_stored(row.get(1)?),
        sample: row.get(2)?,
        outcome,
        call: CallId::from_stored(row.get(8)?),
    })
}

fn read_lineup(row: &Row<'_>) -> rusqlite::Result<Lineup> {
    #[derive(Deserialize)]
    struct Payload {
        reason: Option<String>,
        shown: Vec<TaskId>,
        places: Option<Vec<usize>>,
    }
    let Payload {
        reason,
        shown,
        places,
    } = from_json(7, &row.get::<_, String>(7)?)?;
    let outcome = if let Some(places) = places {
        Ok(Ordered { places, reason })
    } else {
        let cause = from_word(6, &row.get::<_, String>(6)?)?;
        Err(Unscored {
            cause,
            reason: reason.unwrap_or_default(),
        })
    };
    Ok(Lineup {
        shown,
        outcome,
        call: CallId::from_stored(row.get(8)?),
    })
}
