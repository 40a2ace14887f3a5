//! The relation of a text to a statement: it supports, omits or contradicts it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Verdict, compare::check_confidence};
use crate::{
    data::{Cause, Decision, Relation, Unscored},
    llm::{Answer, object},
};

/// Longest reasons in characters, and most aspects.
const LONGEST: usize = 800;
const ASPECTS: usize = 6;
/// Longest reason about one of several statements.
const LONGEST_OF_ONE: usize = 240;

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
        check_confidence(self.confidence)
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

/// A judge's reply about several statements.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelatedEach {
    /// One relation for each.
    pub relations: Vec<RelatedOne>,
}

/// The relation to one of several statements.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelatedOne {
    /// The statement's number, from 1.
    pub number: usize,
    /// Why.
    pub reasoning: String,
    /// How the text relates to the statement.
    pub relationship: Relation,
    /// How sure the judge is, 0 to 1.
    pub confidence: f64,
}

impl Answer for RelatedEach {}

impl RelatedEach {
    /// Whether it speaks of each of `n` statements once, and each relation is one.
    pub fn check(&self, n: usize) -> Result<(), Unscored> {
        let mut numbers: Vec<usize> = self.relations.iter().map(|one| one.number).collect();
        numbers.sort_unstable();
        if !numbers.iter().copied().eq(1..=n) {
            return Err(Unscored {
                cause: Cause::UnknownReference,
                reason: format!("it must name each of 1 to {n} once: {numbers:?}"),
            });
        }
        self.relations
            .iter()
            .try_for_each(|one| check_confidence(one.confidence))
    }

    /// The relations in the order of the statements.
    pub fn in_order(mut self) -> Vec<Related> {
        self.relations.sort_by_key(|one| one.number);
        let relations = self.relations.into_iter().map(|one| Related {
            reasoning: one.reasoning,
            key_aspects: Vec::new(),
            relationship: one.relationship,
            confidence: one.confidence,
        });
        relations.collect()
    }
}

/// The schema of a reply about `n` statements.
pub fn schema_of_each(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reasoning": { "type": "string", "maxLength": LONGEST_OF_ONE },
        "relationship": relationship(),
        "confidence": confidence(),
    }));
    object(&json!({
        "relations": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

/// Tokens that the longest reply about `n` statements takes: at most one and a half for each
/// character of a reason, and what stands around it.
pub fn tokens_of_each(n: usize) -> u32 {
    (n * (LONGEST_OF_ONE * 3 / 2 + 60) + 40) as u32
}

fn relationship() -> Value {
    json!({ "type": "string", "enum": ["SUPPORTS", "OMITS", "CONTRADICTS"] })
}

fn confidence() -> Value {
    let tenths: Vec<f64> = (0..=10).map(|n| f64::from(n) / 10.0).collect();
    json!({ "type": "number", "enum": tenths })
}

/// The reply's schema.
pub fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": LONGEST });
    object(&json!({
        "reasoning": text,
        "key_aspects": { "type": "array", "items": text, "maxItems": ASPECTS },
        "relationship": relationship(),
        "confidence": confidence(),
    }))
}
