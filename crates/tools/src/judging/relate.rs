//! The relation of a text to a statement: it supports, omits or contradicts it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Verdict,
    batch::{self, Each},
    compare::check_confidence,
};
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
        if self.relationship == Relation::Partly {
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason: "PARTLY is none of SUPPORTS, OMITS and CONTRADICTS".to_owned(),
            });
        }
        check_confidence(self.confidence)
    }
}

impl Verdict for Related {
    fn decision(&self) -> Decision {
        decision(self.relationship, self.confidence)
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reasoning, "key_aspects": self.key_aspects })
    }
}

fn decision(relation: Relation, confidence: f64) -> Decision {
    Decision {
        value: None,
        label: relation.word().to_owned(),
        confidence: Some(confidence),
    }
}

/// A judge's reply about several statements; the text's sentences are numbered.
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
    /// The number of the sentence that decides, from 1; 0 where the text omits the statement.
    pub sentence: usize,
    /// How the text relates to the statement.
    pub relationship: Relation,
    /// How sure the judge is, 0 to 1.
    pub confidence: f64,
}

impl Answer for RelatedEach {
    fn validate(&self) -> Result<(), Unscored> {
        let mut confidences = self.relations.iter().map(|one| one.confidence);
        confidences.try_for_each(check_confidence)
    }
}

impl Each for RelatedEach {
    type One = RelatedOne;

    fn numbers(&self) -> Vec<usize> {
        self.relations.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<RelatedOne> {
        self.relations
    }
}

impl Verdict for RelatedOne {
    fn decision(&self) -> Decision {
        decision(self.relationship, self.confidence)
    }

    fn payload(&self) -> Value {
        let mut payload = json!({ "reason": self.reasoning, "key_aspects": [] });
        if self.relationship != Relation::Omits {
            payload["sentence"] = json!(self.sentence);
        }
        payload
    }
}

impl RelatedEach {
    /// An error unless each relation rests on one of the text's `sentences`, and an omission on
    /// none.
    pub fn check(&self, sentences: usize) -> Result<(), Unscored> {
        let fits = |one: &&RelatedOne| match one.relationship {
            Relation::Omits => one.sentence == 0,
            _ => (1..=sentences).contains(&one.sentence),
        };
        let Some(one) = self.relations.iter().find(|one| !fits(one)) else {
            return Ok(());
        };
        let (number, sentence) = (one.number, one.sentence);
        let (cause, reason) = if one.relationship == Relation::Omits {
            let reason = format!("{number} is omitted, and yet sentence {sentence} decides");
            (Cause::Inconsistent, reason)
        } else {
            let reason = format!(
                "{number} rests on sentence {sentence}, but they are numbered 1 to {sentences}"
            );
            (Cause::UnknownReference, reason)
        };
        Err(Unscored { cause, reason })
    }
}

/// The schema of a reply about `n` statements.
pub fn schema_of_each(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reasoning": { "type": "string", "maxLength": LONGEST_OF_ONE },
        "sentence": { "type": "integer" },
        "relationship": relationship(&["SUPPORTS", "PARTLY", "OMITS", "CONTRADICTS"]),
        "confidence": confidence(),
    }));
    object(&json!({
        "relations": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

/// Tokens that the longest reply about `n` statements takes.
pub fn tokens_of_each(n: usize) -> u32 {
    batch::tokens(n, LONGEST_OF_ONE)
}

fn relationship(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
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
        "relationship": relationship(&["SUPPORTS", "OMITS", "CONTRADICTS"]),
        "confidence": confidence(),
    }))
}
