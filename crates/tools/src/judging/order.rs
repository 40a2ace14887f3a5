//! A list in an order, best first: the reply of a judge that is shown several items at once.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Verdict;
use crate::{
    data::{Cause, Decision, ListOrder, Unscored},
    llm::{Answer, object},
    text::words::word_count,
};

/// Most words of a reason: twice as many as prompts allow.
const REASON_WORDS: usize = 80;

/// The items' numbers, best first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ordered {
    /// Why, where that was asked for.
    pub reason: Option<String>,
    /// Numbers from 1, each once.
    pub order: Vec<usize>,
}

impl Ordered {
    /// The place of each of `n` items, 0 the best, if each is named once.
    pub fn places(&self, n: usize) -> Result<Vec<usize>, Unscored> {
        let mut places = vec![n; n];
        for (place, number) in self.order.iter().enumerate() {
            match number.checked_sub(1).and_then(|at| places.get_mut(at)) {
                None => {
                    let reason = format!("there is no item {number}");
                    return Err(unscored(Cause::UnknownReference, reason));
                }
                Some(known) if *known < n => {
                    let reason = format!("item {number} is named twice");
                    return Err(unscored(Cause::Inconsistent, reason));
                }
                Some(known) => *known = place,
            }
        }
        match places.iter().position(|place| *place == n) {
            Some(left) => {
                let reason = format!("item {} is not named", left + 1);
                Err(unscored(Cause::Inconsistent, reason))
            }
            None => Ok(places),
        }
    }

    /// The places in an order that names each item once, as its question's check has found.
    fn checked_places(&self) -> Vec<usize> {
        self.places(self.order.len()).unwrap_or_default()
    }
}

impl From<Ordered> for ListOrder {
    fn from(reply: Ordered) -> Self {
        Self {
            places: reply.checked_places(),
            reason: reply.reason,
        }
    }
}

impl Answer for Ordered {
    fn validate(&self) -> Result<(), Unscored> {
        self.reason.as_deref().map_or(Ok(()), check_reason)
    }
}

impl Verdict for Ordered {
    fn decision(&self) -> Decision {
        decision(&self.checked_places())
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason, "places": self.checked_places() })
    }
}

/// An order in the fields that every judgement has.
pub fn decision(places: &[usize]) -> Decision {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    Decision {
        label: places.join(" "),
        ..Decision::default()
    }
}

/// Refuses a reason that is far longer than a prompt allows.
pub fn check_reason(reason: &str) -> Result<(), Unscored> {
    if word_count(reason) <= REASON_WORDS {
        return Ok(());
    }
    Err(unscored(
        Cause::OutOfRange,
        format!("the reason is longer than {REASON_WORDS} words"),
    ))
}

/// The schema of an order of `n` items, with or without a reason.
pub fn schema(n: usize, with_reason: bool) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let order = json!({
        "type": "array", "items": { "type": "integer", "enum": numbers }, "minItems": n, "maxItems": n
    });
    let why = json!({ "type": "string", "maxLength": 400 });
    object(&if with_reason {
        json!({ "reason": why, "order": order })
    } else {
        json!({ "order": order })
    })
}

fn unscored(cause: Cause, reason: String) -> Unscored {
    Unscored { cause, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_names_each_once() {
        let places = |order: &[usize]| {
            Ordered {
                reason: None,
                order: order.to_vec(),
            }
            .places(3)
            .map_err(|u| u.cause)
        };
        assert_eq!(places(&[2, 3, 1]), Ok(vec![2, 0, 1]));
        assert_eq!(places(&[2, 2, 1]), Err(Cause::Inconsistent));
        assert_eq!(places(&[2, 1]), Err(Cause::Inconsistent));
        assert_eq!(places(&[2, 4, 1]), Err(Cause::UnknownReference));
        assert_eq!(places(&[0, 1, 2]), Err(Cause::UnknownReference));
    }
}
