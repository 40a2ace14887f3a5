//! Claim verification: whether passages support a claim, contradict it, or are silent. The judge
//! names and quotes the passage that decides, and the quote is looked up in it: an invented quote
//! is no verdict.
//!
//! Nothing asks yet. The evaluators to come will: whether a cited page bears out the statement that
//! cites it (citation checks), whether a report covers what its sources say (coverage), and whether
//! its statements contradict each other or the pages (conflict).

use std::ops::Range;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    context::Context,
    data::{Cause, Decision, Instrument, Unscored},
    judging::{self, Judged, Question, Verdict},
    llm::{Answer, Ask, object},
    text::{find::find, words},
};

/// The role that judges.
pub const ROLE: &str = "relate";
/// The prompt.
pub const PROMPT: &str = "evidence/support";
/// Fewest words of a quote; a shorter one is in any passage. A Han character is a word.
const FEWEST_WORDS: usize = 3;
/// Longest reason and longest quote in characters.
const LONGEST: usize = 600;

/// What passages say of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// One says the same.
    Supports,
    /// One says otherwise.
    Contradicts,
    /// None speaks of it.
    Silent,
}

impl Stance {
    /// The word that is stored and that judges use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Contradicts => "contradicts",
            Self::Silent => "silent",
        }
    }
}

/// A judge's reply.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// Why.
    pub reason: String,
    /// What the passages say.
    pub stance: Stance,
    /// Number of the passage that decides, from 1; 0 where none speaks of the claim.
    pub passage: usize,
    /// The words of that passage that decide.
    pub quote: String,
}

impl Support {
    /// Position of the passage that decides, and where the quote stands in it, in bytes; none where
    /// all are silent. White space, case and the form of quotation marks do not count.
    pub fn place(&self, passages: &[&str]) -> Option<(usize, Range<usize>)> {
        if self.stance == Stance::Silent {
            return None;
        }
        let at = self.passage.checked_sub(1)?;
        Some((at, find(passages.get(at)?, &self.quote)?))
    }

    /// An error if the quote is not where the reply says.
    fn check(&self, passages: &[&str]) -> Result<(), Unscored> {
        let number = self.passage;
        let (cause, reason) = if self.stance == Stance::Silent {
            return Ok(());
        } else if number == 0 || number > passages.len() {
            let shown = passages.len();
            (
                Cause::UnknownReference,
                format!("there is no passage {number}: they are numbered 1 to {shown}"),
            )
        } else if words::length(&self.quote) < FEWEST_WORDS {
            (
                Cause::OutOfRange,
                format!("the quote has fewer than {FEWEST_WORDS} words"),
            )
        } else if self.place(passages).is_none() {
            (
                Cause::UnknownReference,
                format!("the quote does not stand in passage {number}: copy it letter by letter"),
            )
        } else {
            return Ok(());
        };
        Err(Unscored { cause, reason })
    }
}

impl Answer for Support {
    fn validate(&self) -> Result<(), Unscored> {
        Ok(())
    }
}

impl Verdict for Support {
    fn decision(&self) -> Decision {
        Decision {
            value: None,
            label: self.stance.word().to_owned(),
            confidence: None,
        }
    }

    fn payload(&self) -> Value {
        match self.stance {
            Stance::Silent => json!({ "reason": self.reason }),
            _ => json!({ "reason": self.reason, "passage": self.passage, "quote": self.quote }),
        }
    }
}

/// A claim for one member of the panel.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// What is measured with it.
    pub instrument: Instrument,
    /// Id of what is judged, such as a report.
    pub subject: &'a str,
    /// Id of the claim, where the subject has several.
    pub other: Option<&'a str>,
    /// The claim.
    pub text: &'a str,
    /// The member of the panel.
    pub member: usize,
}

/// Asks for the stance of passages on a claim, and saves the judgement or why there is none.
/// Without passages nothing is asked: there is nothing to judge by.
pub async fn support(
    ctx: &Context,
    claim: Claim<'_>,
    passages: &[&str],
) -> Result<Option<Judged<Support>>> {
    if passages.is_empty() {
        return Ok(None);
    }
    let vars = json!({ "claim": claim.text, "passages": passages });
    let check = |reply: &Support| reply.check(passages);
    let question = Question {
        instrument: claim.instrument,
        subject: claim.subject,
        other: claim.other,
        keep: json!({}),
        ask: Ask {
            role: ROLE,
            member: claim.member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(schema(passages.len())),
            max_tokens: 600,
            check: &check,
            ..Ask::default()
        },
    };
    judging::judge(ctx, question).await.map(Some)
}

/// The reply's schema: numbers of passages are an enumeration.
fn schema(passages: usize) -> Value {
    let text = json!({ "type": "string", "maxLength": LONGEST });
    let numbers: Vec<usize> = (0..=passages).collect();
    object(&json!({
        "reason": text,
        "stance": { "type": "string", "enum": ["supports", "contradicts", "silent"] },
        "passage": { "type": "integer", "enum": numbers },
        "quote": text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: [&str; 2] = [
        "Roots keep the soil together.",
        "The gauge drifts by  four millimetres a year。河流每年移动。",
    ];

    fn cause(stance: Stance, passage: usize, quote: &str) -> Option<Cause> {
        let reply = Support {
            reason: String::new(),
            stance,
            passage,
            quote: quote.to_owned(),
        };
        reply.check(&PASSAGES).err().map(|unscored| unscored.cause)
    }

    #[test]
    fn a_quote_stands_in_the_passage_that_decides() {
        let supports = |passage, quote| cause(Stance::Supports, passage, quote);
        assert_eq!(supports(2, "the gauge drifts by four millimetres"), None);
        assert_eq!(supports(2, "河流每年移动"), None);
        let unknown = Some(Cause::UnknownReference);
        assert_eq!(supports(1, "The gauge drifts by four"), unknown);
        assert_eq!(supports(2, "The gauge drifts by five"), unknown);
        assert_eq!(supports(0, "The gauge drifts by four"), unknown);
        assert_eq!(supports(3, "The gauge drifts by four"), unknown);
        assert_eq!(supports(2, "The gauge"), Some(Cause::OutOfRange));
        assert_eq!(supports(2, ""), Some(Cause::OutOfRange));
        assert_eq!(cause(Stance::Contradicts, 1, "not in it at all"), unknown);
        assert_eq!(cause(Stance::Silent, 0, ""), None);
    }
}
