//! A comparison of two texts. Each can be shown first once: a judge that prefers the first place says
//! the opposite of the same pair, and the two cancel out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Verdict;
use crate::{
    data::{Cause, Decision, Side, Unscored},
    llm::{Answer, object},
};

/// Confidences are offered as an enumeration, so that a constrained decoder stays in range.
pub const CONFIDENCES: [f64; 11] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0];
/// Longest reason in characters.
const LONGEST: usize = 800;

/// The two orders in which a pair is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownFirst {
    /// The subject is A.
    Subject,
    /// The other one is A.
    Other,
}

impl ShownFirst {
    /// Both orders.
    pub const BOTH: [Self; 2] = [Self::Subject, Self::Other];

    /// The order as the other one sees it.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Subject => Self::Other,
            Self::Other => Self::Subject,
        }
    }

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Subject => "subject_first",
            Self::Other => "other_first",
        }
    }

    /// The two texts in the order in which they are shown.
    pub fn arrange<T>(self, subject: T, other: T) -> [T; 2] {
        match self {
            Self::Subject => [subject, other],
            Self::Other => [other, subject],
        }
    }

    /// The subject's points: 1 for a win, ½ where the judge saw no difference.
    pub fn points(self, winner: Side, confidence: f64) -> f64 {
        if confidence <= 0.5 {
            return 0.5;
        }
        let subject = match self {
            Self::Subject => Side::A,
            Self::Other => Side::B,
        };
        f64::from(u8::from(winner == subject))
    }
}

/// A judge's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Why.
    pub reason: String,
    /// The better one.
    pub winner: Side,
    /// How sure the judge is, 0.5 to 1.
    pub confidence: f64,
}

impl Answer for Compared {
    fn validate(&self) -> Result<(), Unscored> {
        check_confidence(self.confidence)
    }
}

impl Verdict for Compared {
    fn decision(&self) -> Decision {
        Decision {
            value: None,
            label: self.winner.word().to_owned(),
            confidence: Some(self.confidence),
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason })
    }
}

/// An error for a confidence that is not offered.
pub fn check_confidence(confidence: f64) -> Result<(), Unscored> {
    if is_among(confidence, &CONFIDENCES) {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("a confidence of {confidence} is not among .5, .55 … 1"),
    })
}

/// Whether a confidence is one of those that are known.
pub fn is_among(confidence: f64, known: &[f64]) -> bool {
    known.iter().any(|known| (known - confidence).abs() < 1e-9)
}

/// The reply's schema.
pub fn schema() -> Value {
    schema_behind(json!({ "reason": { "type": "string", "maxLength": LONGEST } }))
}

/// The schema of a reply that ends with the winner and the confidence; `properties` come before
/// them.
pub fn schema_behind(mut properties: Value) -> Value {
    properties["winner"] = json!({ "type": "string", "enum": ["A", "B"] });
    properties["confidence"] = json!({ "type": "number", "enum": CONFIDENCES });
    object(&properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_order_with_the_other_letter_says_the_same() {
        for winner in [Side::A, Side::B] {
            let swapped = if winner == Side::A { Side::B } else { Side::A };
            for confidence in CONFIDENCES {
                let points = ShownFirst::Subject.points(winner, confidence);
                assert!((points - ShownFirst::Other.points(swapped, confidence)).abs() < 1e-12);
            }
        }
        assert_eq!(
            ShownFirst::Other.arrange("subject", "other"),
            ["other", "subject"]
        );
    }
}
