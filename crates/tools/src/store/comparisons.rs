//! Verdicts of a ranking's judges: comparisons of two items, and of several in an order.

use anyhow::Result;
use rusqlite::Row;
use serde::Deserialize;
use serde_json::json;

use super::{Kept, Store, Tx, from_json, from_word, judgements::put};
use crate::data::{
    CallId, Comparison, Criteria, DecidedBy, Instrument, ItemId, Judge, ListComparison, ListOrder,
    NewJudgement, Side, SubjectKind, Unscored, Verdict, judgement_id,
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

    /// Every comparison of two items by people, in the order of ids.
    pub fn comparisons_of_people(&self, kind: SubjectKind) -> Result<Vec<Recorded>> {
        self.comparisons(kind, |_, prompt| prompt == PERSON)
    }

    /// Keeps the verdict of the person `by` on `sides`, in the order in which they were shown. It
    /// takes the place of an earlier one, whichever side was which.
    pub fn save_comparison_of_person(
        &self,
        kind: SubjectKind,
        sides: [&ItemId; 2],
        by: &str,
        verdict: &Verdict,
    ) -> Result<()> {
        let (run, stream) = (self.run, self.stream());
        let [a, b] = sides;
        self.write(|tx| {
            // The same winner for another reason is another verdict.
            remove_comparison_of_person(tx, kind, sides, by)?;
            let _: Kept = put(
                tx,
                &NewJudgement {
                    instrument: pair_instrument(kind),
                    id: comparison_of_person(kind, sides, by),
                    subject: a.as_str(),
                    other: Some(b.as_str()),
                    judge: DecidedBy::Person(by),
                    sample: 0,
                    decision: Ok(verdict.decision()),
                    payload: json!({ "reason": verdict.reason }),
                    call: None,
                    evidence: None,
                },
                run,
                &stream,
            )?;
            Ok(())
        })
    }

    /// Takes back what the person `by` said of two items.
    pub fn withdraw_comparison_of_person(
        &self,
        kind: SubjectKind,
        sides: [&ItemId; 2],
        by: &str,
    ) -> Result<()> {
        self.write(|tx| remove_comparison_of_person(tx, kind, sides, by))
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

fn comparison_of_person(kind: SubjectKind, [a, b]: [&ItemId; 2], by: &str) -> String {
    let judge = DecidedBy::Person(by);
    judgement_id(pair_instrument(kind), a.as_str(), b.as_str(), 0, judge)
}

/// Removes what a person said of two items, whichever side was which.
fn remove_comparison_of_person(
    tx: &Tx<'_>,
    kind: SubjectKind,
    [a, b]: [&ItemId; 2],
    by: &str,
) -> rusqlite::Result<()> {
    for sides in [[a, b], [b, a]] {
        tx.execute(
            "DELETE FROM judgement WHERE id = ?1",
            [comparison_of_person(kind, sides, by)],
        )?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::RunInfo;

    fn store() -> Store {
        let info = RunInfo {
            command: "test".into(),
            config_hash: String::new(),
            seed: 0,
            started: "2026-01-01T00:00:00Z".into(),
        };
        Store::scratch(Path::new("there is none"), &info).expect("a store")
    }

    fn verdict(winner: Side, confidence: f64) -> Verdict {
        Verdict {
            winner,
            confidence,
            reason: None,
            scores: None,
        }
    }

    #[test]
    fn a_person_decides_a_pair_once_and_is_no_judge_of_a_ranking_of_models() {
        let store = store();
        let [a, b] = ["t_a", "t_b"].map(|id| ItemId::from_stored(id.into()));
        let model = Judge {
            model_asked: "local/m".into(),
            model_returned: "m".into(),
            prompt_hash: "hash".into(),
        };
        let (instrument, judge) = (pair_instrument(SubjectKind::Task), DecidedBy::Model(&model));
        let _: Kept = store
            .save_judgement(&NewJudgement {
                instrument,
                id: judgement_id(instrument, a.as_str(), b.as_str(), 0, judge),
                subject: a.as_str(),
                other: Some(b.as_str()),
                judge,
                sample: 0,
                decision: Ok(verdict(Side::A, 0.8).decision()),
                payload: json!({}),
                call: None,
                evidence: None,
            })
            .expect("kept");
        let say = |sides, winner| {
            store
                .save_comparison_of_person(SubjectKind::Task, sides, "ana", &verdict(winner, 0.9))
                .expect("kept");
        };
        say([&a, &b], Side::A);
        // The sides are drawn otherwise: it is the same pair.
        say([&b, &a], Side::A);
        let people = store
            .comparisons_of_people(SubjectKind::Task)
            .expect("comparisons");
        assert_eq!(people.len(), 1);
        assert_eq!(
            people[0].judge,
            Judge {
                model_asked: "person/ana".into(),
                model_returned: "ana".into(),
                prompt_hash: PERSON.into(),
            }
        );
        assert_eq!(people[0].judged.outcome, Ok(verdict(Side::A, 0.9)));
        let of_model = store
            .comparisons(SubjectKind::Task, |asked, prompt| {
                (asked, prompt) == ("local/m", "hash")
            })
            .expect("comparisons");
        assert_eq!((of_model.len(), &of_model[0].judge), (1, &model));
        store
            .withdraw_comparison_of_person(SubjectKind::Task, [&a, &b], "ana")
            .expect("withdrawn");
        let people = store.comparisons_of_people(SubjectKind::Task);
        assert!(people.expect("comparisons").is_empty());
    }
}
