//! Verdicts in the order in which they were stored, for audits that ask whether a judge changes.

use anyhow::Result;
use serde::{Deserialize as _, de::value::StrDeserializer};

use super::Store;
use crate::data::{Judge, Relation, Side};

/// A verdict as a number.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderedVerdict {
    /// The judge.
    pub judge: Judge,
    /// What was judged.
    pub subject: String,
    /// What it was judged against; empty where that is nothing.
    pub other: String,
    /// Repetition of the same question, from 0.
    pub sample: u32,
    /// The number on the instrument's scale; of relations 1 for a support, 0 for an omission and −1
    /// for a contradiction, of pairs 1 where the side shown first won and 0 else.
    pub value: f64,
}

impl Store {
    /// The verdicts of models under an instrument, in the order in which they were stored. Those
    /// whose scale has no order are left out, and so are pairs that were judged in both orders.
    pub fn ordered_verdicts(&self, instrument: &str) -> Result<Vec<OrderedVerdict>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT subject, coalesce(other, ''), sample, value, label,
                    model_asked, model_returned, prompt_hash
                 FROM judgement JOIN judge ON judge.id = judgement.judge
                 WHERE instrument = ?1 AND state = 'scored' AND judge.kind = 'model'
                    AND json_type(judgement.payload, '$.orders') IS NULL
                 ORDER BY judgement.rowid",
            )?;
            let mut rows = statement.query([instrument])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let label: Option<String> = row.get(4)?;
                let number = row.get::<_, Option<f64>>(3)?;
                let Some(value) = number.or_else(|| level(&label?)) else {
                    continue;
                };
                found.push(OrderedVerdict {
                    judge: Judge {
                        model_asked: row.get(5)?,
                        model_returned: row.get(6)?,
                        prompt_hash: row.get(7)?,
                    },
                    subject: row.get(0)?,
                    other: row.get(1)?,
                    sample: row.get(2)?,
                    value,
                });
            }
            Ok(found)
        })
    }
}

/// A word of a scale as a number; none where the scale has no order.
fn level(label: &str) -> Option<f64> {
    let word = || StrDeserializer::<serde::de::value::Error>::new(label);
    if let Ok(relation) = Relation::deserialize(word()) {
        return Some(match relation {
            Relation::Supports => 1.0,
            Relation::Partly => 0.5,
            Relation::Omits => 0.0,
            Relation::Contradicts => -1.0,
        });
    }
    let side = Side::deserialize(word()).ok()?;
    Some(match side {
        Side::A => 1.0,
        Side::B => 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_an_order_are_numbers() {
        let levels = ["SUPPORTS", "OMITS", "CONTRADICTS", "A", "B", "passed"].map(level);
        assert_eq!(
            levels,
            [Some(1.0), Some(0.0), Some(-1.0), Some(1.0), Some(0.0), None]
        );
    }
}
