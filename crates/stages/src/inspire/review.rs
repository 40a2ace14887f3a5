//! The second look: another question, of the role `review`, on whether an inspiration is one. It
//! rejects with a reason and says how much research could start from the rest. Source: DeepResearch
//! Arena, expert verification (experts rejected what has no academic content or is incoherent).

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Numbered, merge::Candidate, surroundings};
use crate::{
    context::Context,
    data::{Cause, Fault, Review, Reviewer, Unscored},
    llm::{Answer, Answered, Ask},
};

/// When models review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Unless the reviewer is the built-in model: nobody has shown that it can tell.
    #[default]
    Auto,
    /// Whatever the model.
    Always,
    /// Not at all.
    Never,
}

/// The reviewer's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Opinion {
    /// One sentence: what speaks for or against it.
    note: String,
    /// What is wrong, or `none`.
    pub(super) fault: Verdict,
    /// How much research could start from it, from 1 (none) to 5 (a whole project).
    #[schemars(range(min = 1, max = 5))]
    value: u8,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    None,
    NoContent,
    Incoherent,
    NotInQuotes,
    WrongType,
}

impl Verdict {
    pub(super) fn fault(self) -> Option<Fault> {
        match self {
            Self::None => None,
            Self::NoContent => Some(Fault::NoContent),
            Self::Incoherent => Some(Fault::Incoherent),
            Self::NotInQuotes => Some(Fault::NotInQuotes),
            Self::WrongType => Some(Fault::WrongType),
        }
    }
}

impl Answer for Opinion {
    fn validate(&self) -> Result<(), Unscored> {
        if (1..=5).contains(&self.value) {
            return Ok(());
        }
        Err(Unscored {
            cause: Cause::OutOfRange,
            reason: format!("value {} is not 1 to 5", self.value),
        })
    }
}

/// Asks the reviewer of `candidate`, and writes down what it says. Whether a model was asked just
/// now, or why there is no opinion; a candidate without one stands. The reviewer sees the lines
/// around the quotes, too: an idea must be clear to those who were not there, and so says more than
/// its quotes.
pub async fn review(
    ctx: &Context,
    numbered: &Numbered,
    candidate: &mut Candidate,
) -> Result<Answered<()>> {
    let inspiration = &candidate.inspiration;
    let quotes: Vec<&str> = inspiration
        .evidence
        .iter()
        .map(|e| e.quote.as_str())
        .collect();
    let vars = json!({
        "kind": inspiration.kind.word(),
        "text": inspiration.text,
        "quotes": quotes,
        "around": surroundings::around(numbered, &inspiration.evidence),
    });
    let ask = Ask {
        role: "review",
        prompt: "inspire/review",
        vars: &vars,
        max_tokens: 200,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Opinion>(ask).await?;
    let name = ctx.llm.model_name("review", 0)?;
    let value = answer.value.map(|opinion| {
        candidate.mark = Some(opinion.value);
        let fault = opinion.fault.fault();
        candidate.inspiration.reviews.push(Review {
            by: Reviewer::Model,
            name,
            fault,
            note: opinion.note,
            settles: false,
        });
    });
    let Answered {
        call,
        cached,
        usage,
        model_returned,
        ..
    } = answer;
    Ok(Answered {
        value,
        call,
        cached,
        usage,
        model_returned,
    })
}
