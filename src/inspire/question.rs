//! What the model is asked about a part of a talk, and the shape of its answer. A large model reads
//! the whole part and looks for all types at once; a small one is asked for one idea of one type,
//! and shown the few lines that may carry it.

use std::ops::RangeInclusive;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Numbered, Options, cues};
use crate::{
    context::Context,
    data::{Cause, InspirationType, Trait, Unscored},
    llm::{Answer, Answered, Ask, object},
};

/// Ideas that a large model is asked for in one part.
const MOST_IDEAS: usize = 10;
/// Tokens of one idea with its quotes and reasons.
const TOKENS: u32 = 320;

/// The model's reply. An empty list says that there is nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub items: Vec<Idea>,
}

/// One idea as the model gives it. Words stand where only some are allowed, so that one wrong word
/// costs one idea and not the whole reply.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idea {
    /// Limitation, methodology, transdisciplinary or hypothesis.
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    /// The idea in a few sentences.
    pub text: String,
    /// Numbers of the sentences that carry it.
    #[serde(default)]
    pub sentences: Vec<usize>,
    /// The words of the talk that carry it.
    #[serde(default)]
    pub quotes: Vec<String>,
    /// The traits that it shows.
    pub traits: Vec<Claimed>,
}

/// A trait and why the idea shows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    /// Novelty, explorability, challenge or verifiability.
    #[serde(rename = "trait")]
    pub which: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl Answer for Found {}

/// One question.
#[derive(Clone)]
pub struct Question<'a> {
    language: &'a str,
    numbered: &'a Numbered,
    /// The one type that is asked for; none asks for all.
    pub kind: Option<InspirationType>,
    /// Numbers of the sentences that are shown.
    pub offered: Vec<usize>,
    /// Ideas asked for.
    most: usize,
}

/// The prompt that a model is asked with.
pub fn prompt(small: bool) -> &'static str {
    if small {
        "inspire/idea-short"
    } else {
        "inspire/ideas"
    }
}

/// The questions about one part of a talk.
pub fn questions<'a>(
    language: &'a str,
    numbered: &'a Numbered,
    window: RangeInclusive<usize>,
    small: bool,
    options: &Options,
) -> Vec<Question<'a>> {
    let most = match options.per_window {
        0 if small => 1,
        0 => MOST_IDEAS,
        most => most,
    };
    if !small {
        return vec![Question {
            language,
            numbered,
            kind: None,
            offered: window.collect(),
            most,
        }];
    }
    InspirationType::ALL
        .into_iter()
        .map(|kind| Question {
            language,
            numbered,
            kind: Some(kind),
            // A small model loses its way among many sentences: it is shown those with a cue of the
            // type, if there are any.
            offered: cues::offered(numbered, window.clone(), kind),
            most,
        })
        .collect()
}

impl Question<'_> {
    /// For messages: the type, and the numbers of the first and the last sentence.
    pub fn name(&self) -> String {
        let (first, last) = (
            self.offered.first().copied().unwrap_or(0),
            self.offered.last().copied().unwrap_or(0),
        );
        format!(
            "{}, sentences {first}–{last}",
            self.kind.map_or("all types", InspirationType::word)
        )
    }

    /// Asks.
    pub async fn ask(&self, ctx: &Context) -> Result<Answered<Found>> {
        let small = self.kind.is_some();
        let vars = json!({
            "language": self.language,
            "lines": self.numbered.lines(&self.offered),
            "kind": self.kind.map(InspirationType::word),
            "most": self.most,
        });
        let ask = Ask::<Found> {
            role: "inspire",
            prompt: prompt(small),
            vars: &vars,
            schema: Some(match self.kind {
                Some(kind) => self.small_schema(kind),
                None => self.schema(),
            }),
            max_tokens: TOKENS * self.most as u32 + 80,
            check: &|found| self.check(found),
            ..Ask::default()
        };
        Ok(ctx.llm.ask(ask).await?)
    }

    /// A large model copies words; they are looked up in the transcript.
    pub(super) fn schema(&self) -> Value {
        let kinds: Vec<&str> = InspirationType::ALL
            .into_iter()
            .map(InspirationType::word)
            .collect();
        self.list(
            0,
            &json!({
                "type": { "type": "string", "enum": kinds },
                "quotes": {
                    "type": "array", "minItems": 1, "maxItems": 3,
                    "items": { "type": "string", "minLength": 10, "maxLength": 600 }
                },
                "text": { "type": "string", "minLength": 20, "maxLength": 2000 },
                "traits": {
                    "type": "array", "minItems": 2, "maxItems": 4, "items": shown(&Trait::ALL, 300)
                },
            }),
        )
    }

    /// A small model chooses numbers: a constrained decoder cannot invent one. Offered an empty
    /// list, it takes it.
    fn small_schema(&self, kind: InspirationType) -> Value {
        self.list(
            1,
            &json!({
                "sentences": {
                    "type": "array", "minItems": 1, "maxItems": 1,
                    "items": { "type": "integer", "enum": self.offered }
                },
                "text": { "type": "string", "minLength": 20, "maxLength": 260 },
                "traits": {
                    "type": "array", "minItems": 2, "maxItems": 2, "items": false,
                    "prefixItems": kind.required_traits().map(|of| shown(&[of], 90))
                },
            }),
        )
    }

    fn list(&self, least: usize, properties: &Value) -> Value {
        let item = object(properties);
        object(&json!({
            "items": { "type": "array", "minItems": least, "maxItems": self.most, "items": item }
        }))
    }

    /// What serde cannot say: no more items than asked, and only sentences that were shown.
    pub(super) fn check(&self, found: &Found) -> Result<(), Unscored> {
        if found.items.len() > self.most {
            let reason = format!(
                "at most {} items were asked for, {} came",
                self.most,
                found.items.len()
            );
            return Err(Unscored {
                cause: Cause::OutOfRange,
                reason,
            });
        }
        for number in found.items.iter().flat_map(|item| &item.sentences) {
            if !self.offered.contains(number) {
                let reason = format!("sentence {number} was not offered");
                return Err(Unscored {
                    cause: Cause::UnknownReference,
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// One of these traits with its reason.
fn shown(traits: &[Trait], longest: usize) -> Value {
    let words: Vec<&str> = traits.iter().map(|which| which.word()).collect();
    object(&json!({
        "trait": { "type": "string", "enum": words },
        "reason": { "type": "string", "minLength": 8, "maxLength": longest }
    }))
}
