//! Citation verification: whether a page is relevant to the statements that cite it, and whether it
//! supports them. The judge quotes the words of the page that decide, and they are looked up.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::support::{self, ClaimBatch, PassageForm, Quoted};
use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Instrument, Unscored},
    judging::{
        Verdict,
        batch::{self, Each},
    },
    llm::{Answer, object},
};

/// The role that judges.
pub const ROLE: &str = support::ROLE;
/// The prompt.
pub const PROMPT: &str = "evidence/citation";
/// Longest reason and longest quote in characters.
const LONGEST_REASON: usize = 200;
const LONGEST_QUOTE: usize = 400;

/// What becomes of a citation of a page that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Citing {
    /// The page bears the statement out.
    Supported,
    /// The page is about the statement's subject and does not bear it out.
    Unsupported,
    /// The page is about something else.
    Irrelevant,
}

impl Citing {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Unsupported => "unsupported",
            Self::Irrelevant => "irrelevant",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Checked {
    verdicts: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    reason: String,
    relevant: bool,
    supported: bool,
    passage: usize,
    quote: String,
}

impl One {
    fn citing(&self) -> Citing {
        match (self.relevant, self.supported) {
            (true, true) => Citing::Supported,
            (true, false) => Citing::Unsupported,
            (false, _) => Citing::Irrelevant,
        }
    }

    /// An error for support without a quote, for a quote that is not there, and for support by a
    /// page that is not relevant.
    fn check(&self, passages: &[&str]) -> Result<(), Unscored> {
        if self.supported && !self.relevant {
            return Err(Unscored {
                cause: Cause::Inconsistent,
                reason: format!(
                    "claim {}: a page that is not relevant supports nothing",
                    self.number
                ),
            });
        }
        let quoted = Quoted {
            item: self.number,
            passage: self.passage,
            quote: &self.quote,
        };
        if !self.supported && self.passage == 0 {
            return quoted.is_nothing();
        }
        quoted.stands_in(passages)
    }
}

impl Answer for Checked {}

impl Each for Checked {
    type One = One;

    fn numbers(&self) -> Vec<usize> {
        self.verdicts.iter().map(|one| one.number).collect()
    }

    fn verdicts(self) -> Vec<One> {
        self.verdicts
    }
}

impl Verdict for One {
    fn decision(&self) -> Decision {
        Decision {
            value: None,
            label: self.citing().word().to_owned(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason, "passage": self.passage, "quote": self.quote })
    }
}

/// Asks the role's panel about the statements that cite each page, at most `most` at once, and
/// saves each judgement or why there is none. `stage` names the work for people.
pub async fn check(
    ctx: &Context,
    stage: &'static str,
    instrument: Instrument,
    most: usize,
    claims: Vec<ClaimBatch>,
) -> Result<StageReport> {
    let form = PassageForm::<Checked> {
        prompt: PROMPT,
        schema,
        tokens: |n| batch::tokens(n, LONGEST_REASON + LONGEST_QUOTE),
        check: |reply, passages| {
            reply
                .verdicts
                .iter()
                .try_for_each(|one| one.check(passages))
        },
    };
    form.judge(ctx, stage, instrument, most, claims).await
}

/// The schema of a reply about `n` statements.
fn schema(n: usize) -> Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let one = object(&json!({
        "number": { "type": "integer", "enum": numbers },
        "reason": { "type": "string", "maxLength": LONGEST_REASON },
        "relevant": { "type": "boolean" },
        "supported": { "type": "boolean" },
        "passage": { "type": "integer" },
        "quote": { "type": "string", "maxLength": LONGEST_QUOTE }
    }));
    object(&json!({
        "verdicts": { "type": "array", "items": one, "minItems": n, "maxItems": n }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: [&str; 1] = ["The gauge drifts by four millimetres a year."];

    #[test]
    fn support_needs_a_relevant_page_and_its_words() {
        let cause = |relevant, supported, passage, quote: &str| {
            let one = One {
                number: 1,
                reason: String::new(),
                relevant,
                supported,
                passage,
                quote: quote.to_owned(),
            };
            one.check(&PASSAGES).err().map(|unscored| unscored.cause)
        };
        let quote = "drifts by four millimetres";
        assert_eq!(cause(true, true, 1, quote), None);
        assert_eq!(cause(true, false, 1, quote), None);
        assert_eq!(cause(true, false, 0, ""), None);
        assert_eq!(cause(false, false, 0, ""), None);
        assert_eq!(cause(false, true, 1, quote), Some(Cause::Inconsistent));
        assert_eq!(cause(true, true, 0, ""), Some(Cause::UnknownReference));
        assert_eq!(
            cause(true, true, 1, "drifts by five"),
            Some(Cause::UnknownReference)
        );
        assert_eq!(cause(true, false, 0, quote), Some(Cause::Inconsistent));
    }
}
