//! Has the models that wrote checklists for a task look at all their criteria: which can be used,
//! and which ask for the same.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    criteria::Criterion,
    merged::{self, Merged, Proposal, Review},
};
use crate::{
    context::Context,
    data::{Cause, Task, Unscored, id::drawn_place},
    judging::batch,
    llm::{Answer, Ask, object},
};

pub const PROMPT: &str = "evaluate/checklist-review";
/// Longest reason in characters.
const REASON: usize = 160;

/// What a reviewer may find, and its word in a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Fault {
    None,
    Unseen,
    Unasked,
    Several,
    Form,
    Vague,
}

impl Fault {
    const ALL: [Self; 6] = [
        Self::None,
        Self::Unseen,
        Self::Unasked,
        Self::Several,
        Self::Form,
        Self::Vague,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Unseen => "unseen",
            Self::Unasked => "unasked",
            Self::Several => "several",
            Self::Form => "form",
            Self::Vague => "vague",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reviewed {
    proposals: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    number: usize,
    #[expect(dead_code, reason = "a model decides better behind its reason")]
    reason: String,
    fault: Fault,
    same_as: usize,
}

impl Answer for Reviewed {}

impl Reviewed {
    /// An error unless it says one thing of each proposal, in their order.
    fn fits(&self, proposals: usize) -> Result<(), Unscored> {
        let wrong = |reason: String| Unscored {
            cause: Cause::WrongShape,
            reason,
        };
        let numbers: Vec<usize> = self.proposals.iter().map(|one| one.number).collect();
        if !numbers.iter().copied().eq(1..=proposals) {
            return Err(wrong(format!(
                "the numbers are not 1 to {proposals} in this order"
            )));
        }
        match self.proposals.iter().find(|one| one.same_as >= one.number) {
            Some(one) => Err(wrong(format!(
                "same_as of {} is {}, which is no earlier one",
                one.number, one.same_as
            ))),
            None => Ok(()),
        }
    }

    fn reviews(&self) -> Vec<Review> {
        let reviews = self.proposals.iter().map(|one| Review {
            fault: (one.fault != Fault::None).then(|| one.fault.word()),
            same_as: one.same_as.checked_sub(1),
        });
        reviews.collect()
    }
}

/// One checklist out of those of several writers, the members of a role, who all look at all of it.
/// A reviewer without an answer, or too few criteria that can be used, are no checklist: the cause
/// is returned.
pub async fn merge(
    ctx: &Context,
    role: &'static str,
    task: &Task,
    drafts: Vec<Vec<Criterion>>,
) -> Result<Result<Merged, Unscored>> {
    let mut proposals = merged::proposals(drafts);
    // Nobody is to see by the order whose proposal it is.
    proposals.sort_by_cached_key(|of| {
        let proposal = format!("{} {} {}", task.id, of.writer, of.criterion.title);
        drawn_place(ctx.seed, &proposal)
    });
    let vars = json!({
        "task": task.text,
        "day": task.as_of,
        "proposals": proposals.iter().map(shown).collect::<Vec<Value>>(),
    });
    let mut reviews = Vec::new();
    for member in 0..ctx.llm.members(role) {
        let question = Ask {
            role,
            member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(schema(proposals.len())),
            max_tokens: batch::tokens(proposals.len(), REASON),
            check: &|reviewed: &Reviewed| reviewed.fits(proposals.len()),
            ..Ask::default()
        };
        let answer = ctx.llm.ask::<Reviewed>(question).await?;
        match answer.value {
            Ok(reviewed) => reviews.push(reviewed.reviews()),
            Err(unscored) => return Ok(Err(unscored)),
        }
    }
    Ok(
        merged::merge(&proposals, &reviews).map_err(|invalid| Unscored {
            cause: Cause::Inconsistent,
            reason: format!("of what the models proposed, nothing usable is left: {invalid}"),
        }),
    )
}

/// What reviewers see of a proposal: neither its weight nor its writer.
fn shown(proposal: &Proposal) -> Value {
    json!({ "title": proposal.criterion.title, "description": proposal.criterion.description })
}

fn schema(proposals: usize) -> Value {
    let one = object(&json!({
        "number": { "type": "integer", "minimum": 1, "maximum": proposals },
        "reason": { "type": "string", "maxLength": REASON },
        "fault": { "type": "string", "enum": Fault::ALL.map(Fault::word) },
        "same_as": { "type": "integer", "minimum": 0, "maximum": proposals - 1 },
    }));
    object(&json!({
        "proposals": { "type": "array", "items": one, "minItems": proposals, "maxItems": proposals }
    }))
}
