//! What replies of several prompts have in common.

use serde_json::{Value, json};

use crate::data::{Cause, Unscored};

/// Whether a confidence is one.
pub(super) fn check_confidence(confidence: f64) -> Result<(), Unscored> {
    if (0.0..=1.0).contains(&confidence) {
        return Ok(());
    }
    let reason = format!("a confidence of {confidence} is not between 0 and 1");
    Err(Unscored { cause: Cause::OutOfRange, reason })
}

/// The schema of a relationship.
pub(super) fn relations() -> Value {
    json!({ "type": "string", "enum": ["SUPPORTS", "OMITS", "CONTRADICTS"] })
}

/// The schema of a share in tenths.
pub(super) fn tenths() -> Value {
    let tenths: Vec<f64> = (0..=10).map(|n| f64::from(n) / 10.0).collect();
    json!({ "type": "number", "enum": tenths })
}
