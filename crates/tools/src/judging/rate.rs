//! A rating on a scale of whole numbers, with a justification.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Verdict;
use crate::{
    data::{Cause, Decision, Unscored},
    llm::{Answer, object},
};

/// The best rating.
pub const BEST: u8 = 10;
/// Longest justification in characters.
const LONGEST: usize = 800;

/// A judge's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rated {
    /// Why.
    pub justification: String,
    /// 0 to 10.
    pub rating: u8,
}

impl Answer for Rated {
    fn validate(&self) -> Result<(), Unscored> {
        if self.rating <= BEST {
            return Ok(());
        }
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("a rating of {} is not between 0 and {BEST}", self.rating),
        })
    }
}

impl Verdict for Rated {
    fn decision(&self) -> Decision {
        Decision {
            value: Some(f64::from(self.rating)),
            label: self.rating.to_string(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.justification })
    }
}

/// The reply's schema: ratings are an enumeration, so that a constrained decoder stays in range.
pub fn schema() -> Value {
    let whole: Vec<u8> = (0..=BEST).collect();
    object(&json!({
        "justification": { "type": "string", "maxLength": LONGEST },
        "rating": { "type": "integer", "enum": whole }
    }))
}
