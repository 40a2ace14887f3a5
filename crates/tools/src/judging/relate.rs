//! The relation of a text to a statement: it supports, omits or contradicts it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Verdict;
use crate::{
    data::{Cause, Decision, Relation, Unscored},
    llm::{Answer, object},
};

/// Longest reasons in characters, and most aspects.
const LONGEST: usize = 800;
const ASPECTS: usize = 6;

/// A judge's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Related {
    /// Why.
    pub reasoning: String,
    /// The parts of the statement that the text speaks of.
    pub key_aspects: Vec<String>,
    /// How the text relates to the statement.
    pub relationship: Relation,
    /// How sure the judge is, 0 to 1.
    pub confidence: f64,
}

impl Answer for Related {
    fn validate(&self) -> Result<(), Unscored> {
        if (0.0..=1.0).contains(&self.confidence) {
            return Ok(());
        }
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("a confidence of {} is not between 0 and 1", self.confidence),
        })
    }
}

impl Verdict for Related {
    fn decision(&self) -> Decision {
        Decision {
            value: None,
            label: self.relationship.word().to_owned(),
            confidence: Some(self.confidence),
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reasoning, "key_aspects": self.key_aspects })
    }
}

/// The reply's schema.
pub fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": LONGEST });
    let tenths: Vec<f64> = (0..=10).map(|n| f64::from(n) / 10.0).collect();
    object(&json!({
        "reasoning": text,
        "key_aspects": { "type": "array", "items": text, "maxItems": ASPECTS },
        "relationship": { "type": "string", "enum": ["SUPPORTS", "OMITS", "CONTRADICTS"] },
        "confidence": { "type": "number", "enum": tenths }
    }))
}
