//! Verdicts of a ranking's judges: comparisons of two items, and of several in an order.

use anyhow::Result;
use rusqlite::Row;
use serde::Deserialize;

use super::{Store, from_json, from_word};
use crate::data::{
    CallId, Comparison, Criteria, Instrument, ItemId, Judge, ListComparison, ListOrder, Side,
    SubjectKind, Unscored, Verdict,
};

/// A comparison of two items, or of several, with its history.
#[derive(Clone, Debug)]
pub struct Recorded<T = Comparison> {
    /// The items with the verdict on them.
    pub judged: T,
    /// The judge.
    pub judge: Judge,
    /// The run that stored it.
    pub run: i64,
    /// The batch or round that first asked for it.
    pub round: u32,
    /// Whether the decision came only after a failure.
    pub decided_after_retry: bool,
}

/// What stands for the prompt of a judge who is a person.
pub const PERSON: &str = "person";

/// The better one of two items. Each kind of items has an instrument of its own, so that the
/// rankings of one kind never read the verdicts of another.
pub fn pair_instrument(kind: SubjectKind) -> Instrument {
    Instrument {
        id: match kind {
            SubjectKind::Task => "rankeval/overall/1",
            SubjectKind::Report => "rank-reports/overall/1",
        },
        family: family(kind),
        criterion: "overall",
        scale: "pair, confidence 0.5 to 1",
        subject: kind,
        letter: 'v',
    }
}

/// The order of several items.
pub fn list_instrument(kind: SubjectKind) -> Instrument {
    Instrument {
        id: match kind {
            SubjectKind::Task => "rankeval/order/1",
            SubjectKind::Report => "rank-reports/order/1",
        },
        family: family(kind),
        criterion: "order",
        scale: "several, best first",
        subject: kind,
        letter: 'l',
    }
}

/// RankEval is the paper's method for tasks.
fn family(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Task => "rankeval",
        SubjectKind::Report => "rank-reports",
    }
}

impl Store {
    /// Every comparison of two items by judges that `counts` (model asked, hash of the prompt), in
    /// the order in which they were asked. A person counts as `person/NAME` with the prompt
    /// [`PERSON`].
    pub fn comparisons(
        &self,
        kind: SubjectKind,
        counts: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<Recorded>> {
        self.recorded(pair_instrument(kind), counts, read_comparison)
    }

    /// Every comparison of several items by judges that `counts`, in the order in which they were
    /// asked.
    pub fn list_comparisons(
        &self,
        kind: SubjectKind,
        counts: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<Recorded<ListComparison>>> {
        self.recorded(list_instrument(kind), counts, read_list_comparison)
    }

    /// The log-probabilities of two offered answers that a judge's verdicts on pairs rest on, with
    /// each pair as it was shown and with its sides exchanged.
    pub fn logprobs_of_verdicts(&self, judge: &Judge) -> Result<Vec<[[f64; 2]; 2]>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT json_array(json_extract(payload, '$.orders[0].logprobs'),
                    json_extract(payload, '$.orders[1].logprobs'))
                 FROM judgement WHERE judge = ?1 AND state = 'scored' AND instrument NOT LIKE 'hidden/%'
                    AND json_type(payload, '$.orders') = 'array' ORDER BY id",
            )?;
            let rows =
                statement.query_map([judge.id()], |row| from_json(0, &row.get::<_, String>(0)?))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn recorded<T>(
        &self,
        instrument: Instrument,
        counts: impl Fn(&str, &str) -> bool,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Recorded<T>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT subject, other, sample, state, label, confidence, cause, judgement.payload, call,
                    coalesce(model_asked, judge.kind || '/' || (judge.payload ->> '$.name')),
                    coalesce(model_returned, judge.payload ->> '$.name'),
                    coalesce(prompt_hash, judge.kind), run, coalesce(json_extract(judgement.payload, '$.round'), 0),
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
                    judged: read(row)?,
                    judge,
                    run: row.get(12)?,
                    round: row.get(13)?,
                    decided_after_retry: row.get(14)?,
                })
            })?;
            let all: Vec<Recorded<T>> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(all
                .into_iter()
                .filter(|of| counts(&of.judge.model_asked, &of.judge.prompt_hash))
                .collect())
        })
    }
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
        a: ItemId::from_stored(row.get(0)?),
        b: ItemId::from_stored(row.get(1)?),
        sample: row.get(2)?,
        outcome,
        call: row.get::<_, Option<String>>(8)?.map(CallId::from_stored),
    })
}

fn read_list_comparison(row: &Row<'_>) -> rusqlite::Result<ListComparison> {
    #[derive(Deserialize)]
    struct Payload {
        reason: Option<String>,
        shown: Vec<ItemId>,
        places: Option<Vec<usize>>,
    }
    let Payload {
        reason,
        shown,
        places,
    } = from_json(7, &row.get::<_, String>(7)?)?;
    let outcome = if let Some(places) = places {
        Ok(ListOrder { places, reason })
    } else {
        let cause = from_word(6, &row.get::<_, String>(6)?)?;
        Err(Unscored {
            cause,
            reason: reason.unwrap_or_default(),
        })
    };
    Ok(ListComparison {
        shown,
        outcome,
        call: row.get::<_, Option<String>>(8)?.map(CallId::from_stored),
    })
}
