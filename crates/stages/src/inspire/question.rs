//! What a model is asked about a part of a talk, and the shape of its answer: it reads the whole
//! part and looks for all types at once.

use std::ops::RangeInclusive;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Numbered, Style};
use crate::{
    context::Context,
    data::{Cause, InspirationType, Trait, Unscored},
    llm::{Answer, Answered, Ask, object},
};

/// Tokens of one idea with its quotes and reasons, and in the paper's form.
const TOKENS: u32 = 320;
const PAPER_TOKENS: u32 = 480;

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
    /// Numbers of the sentences that are shown.
    pub offered: Vec<usize>,
    /// Ideas asked for.
    most: usize,
    style: Style,
}

/// The prompt that a model is asked with.
pub const PROMPT: &str = "inspire/ideas";
/// The prompt for ideas in the paper's form.
pub const PAPER_PROMPT: &str = "inspire/ideas-paper";

/// The question about one part of a talk, for at most so many ideas of a form.
pub fn about<'a>(
    language: &'a str,
    numbered: &'a Numbered,
    window: RangeInclusive<usize>,
    most: usize,
    style: Style,
) -> Question<'a> {
    Question {
        language,
        numbered,
        offered: window.collect(),
        most,
        style,
    }
}

impl Question<'_> {
    /// For messages: the numbers of the first and the last sentence.
    pub fn name(&self) -> String {
        let (first, last) = (
            self.offered.first().copied().unwrap_or(0),
            self.offered.last().copied().unwrap_or(0),
        );
        format!("sentences {first}–{last}")
    }

    /// Asks.
    pub async fn ask(&self, ctx: &Context) -> Result<Answered<Found>> {
        let vars = json!({
            "language": self.language,
            "lines": self.numbered.lines(&self.offered),
            "most": self.most,
        });
        let ask = Ask::<Found> {
            role: "inspire",
            prompt: self.style.prompt(),
            vars: &vars,
            schema: Some(self.schema()),
            max_tokens: self.tokens_each() * self.most as u32 + 80,
            check: &|found| self.check(found),
            ..Ask::default()
        };
        Ok(ctx.llm.ask(ask).await?)
    }

    fn tokens_each(&self) -> u32 {
        match self.style {
            Style::Brief => TOKENS,
            Style::Paper => PAPER_TOKENS,
        }
    }

    /// The model copies words; they are looked up in the transcript.
    pub(super) fn schema(&self) -> Value {
        let kinds: Vec<&str> = InspirationType::ALL
            .into_iter()
            .map(InspirationType::word)
            .collect();
        let item = object(&json!({
            "type": { "type": "string", "enum": kinds },
            "quotes": {
                "type": "array", "minItems": 1, "maxItems": 3,
                "items": { "type": "string", "minLength": 10, "maxLength": 600 }
            },
            "text": { "type": "string", "minLength": 20, "maxLength": 2000 },
            "traits": { "type": "array", "minItems": 2, "maxItems": 4, "items": shown() },
        }));
        object(&json!({
            "items": { "type": "array", "minItems": 0, "maxItems": self.most, "items": item }
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

/// A trait with its reason.
fn shown() -> Value {
    let words: Vec<&str> = Trait::ALL.iter().map(|which| which.word()).collect();
    object(&json!({
        "trait": { "type": "string", "enum": words },
        "reason": { "type": "string", "minLength": 8, "maxLength": 300 }
    }))
}
