//! Weighed questions: no reply is asked for, but how likely each of a few offered answers is as the
//! reply's first token. Hides how log-probabilities stand on record, and when there are none.

use serde_json::Value;

use super::{Answered, Ask, AskError, Llm};
use crate::{
    data::{Call, Cause, Unscored},
    llm::repair::reply_of,
};

/// How far probabilities may add up to more than one, for want of digits.
const ROUNDING: f64 = 1e-3;

/// The natural logarithms of the probabilities of the offered answers, in their order. The rest of
/// the probability belongs to all that was not offered.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(pub Vec<f64>);

impl Llm {
    /// Asks how likely the answers in [`Ask::offered`] are, unless that is on record. Schema,
    /// length and temperature have no meaning here.
    pub async fn weigh(&self, ask: Ask<'_, Weights>) -> Result<Answered<Weights>, AskError> {
        self.put(&ask, Value::Null, &|call| {
            let weights = read(call, ask.offered)?;
            (ask.check)(&weights)?;
            Ok(weights)
        })
        .await
    }
}

fn read(call: &Call, offered: &[&str]) -> Result<Weights, Unscored> {
    let Ok(Value::Object(found)) = serde_json::from_str(reply_of(call)?) else {
        return Err(unweighed("the server gives no log-probabilities".into()));
    };
    let weights: Vec<f64> = offered
        .iter()
        .map(|answer| {
            let weight = found.get(*answer).and_then(Value::as_f64);
            weight.ok_or_else(|| {
                unweighed(format!(
                    "`{answer}` is not among the likeliest first tokens of the reply"
                ))
            })
        })
        .collect::<Result<_, _>>()?;
    check(&weights)?;
    Ok(Weights(weights))
}

/// Nothing is clamped: what cannot be logarithms of probabilities is no answer.
fn check(weights: &[f64]) -> Result<(), Unscored> {
    let sum: f64 = weights.iter().map(|weight| weight.exp()).sum();
    if sum.is_finite() && sum <= 1.0 + ROUNDING {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("probabilities that add up to {sum}"),
    })
}

fn unweighed(reason: String) -> Unscored {
    Unscored {
        cause: Cause::Unweighed,
        reason,
    }
}
