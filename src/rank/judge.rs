//! One judgement of a ranking: two items are shown and one verdict is read, or a list and its order,
//! or the reason why there is none. A large judge scores five criteria and gives a reason
//! (RankEval); a built-in model only names the better one.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{items::Items, panel::prompts_of_member, request::ComparisonRequest};
use crate::{
    context::Context,
    data::{
        Cause, Comparison, Criteria, Judge, ListComparison, ListOrder, Side, Unscored, Verdict,
    },
    judging::{
        self, Asked,
        compare::CONFIDENCES,
        order::{self, Ordered},
    },
    llm::{Answer, Ask, object},
    store::{Kept, Recorded},
};

/// The only confidences that equal scores allow: undecided, and the paper's.
const CONFIDENCES_OF_A_TIE: [f64; 2] = [0.55, 0.5];

/// Most tokens of a reply.
const PAIR_TOKENS: u32 = 700;
const SHORT_PAIR_TOKENS: u32 = 40;
const LIST_TOKENS: u32 = 300;
const SHORT_LIST_TOKENS: u32 = 60;

/// A verdict that is stored now.
pub(super) struct SavedVerdict<T> {
    /// The verdict with its history.
    pub recorded: Recorded<T>,
    /// Whether nothing had to be asked.
    pub cached: bool,
}

/// A built-in model's reply to a pair.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShortReply {
    winner: Side,
    confidence: f64,
}

/// A large judge's reply to a pair.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FullReply {
    scores_a: Criteria,
    scores_b: Criteria,
    reason: String,
    winner: Side,
    confidence: f64,
}

impl From<ShortReply> for Verdict {
    fn from(reply: ShortReply) -> Self {
        Self {
            winner: reply.winner,
            confidence: reply.confidence,
            reason: None,
            scores: None,
        }
    }
}

impl From<FullReply> for Verdict {
    fn from(reply: FullReply) -> Self {
        Self {
            winner: reply.winner,
            confidence: reply.confidence,
            reason: Some(reply.reason),
            scores: Some([reply.scores_a, reply.scores_b]),
        }
    }
}

impl Answer for ShortReply {
    fn validate(&self) -> Result<(), Unscored> {
        check_confidence(self.confidence)
    }
}

impl Answer for FullReply {
    fn validate(&self) -> Result<(), Unscored> {
        check_confidence(self.confidence)?;
        check_scores(&self.scores_a)?;
        check_scores(&self.scores_b)?;
        order::check_reason(&self.reason)?;
        let (a, b) = (self.scores_a.sum(), self.scores_b.sum());
        let contradicts = match self.winner {
            Side::A => b > a,
            Side::B => a > b,
        };
        if contradicts {
            return Err(unscored(
                Cause::Inconsistent,
                format!(
                    "the winner is {:?}, but the scores add up to {a} and {b}",
                    self.winner
                ),
            ));
        }
        if a == b && !is_among(self.confidence, &CONFIDENCES_OF_A_TIE) {
            return Err(unscored(
                Cause::Inconsistent,
                format!(
                    "equal scores allow a confidence of 0.55, not {}",
                    self.confidence
                ),
            ));
        }
        Ok(())
    }
}

fn unscored(cause: Cause, reason: String) -> Unscored {
    Unscored { cause, reason }
}

fn check_scores(scores: &Criteria) -> Result<(), Unscored> {
    match scores.all().into_iter().find(|s| !(1..=5).contains(s)) {
        None => Ok(()),
        Some(score) => Err(unscored(
            Cause::OutOfRange,
            format!("a score of {score} is not between 1 and 5"),
        )),
    }
}

fn check_confidence(confidence: f64) -> Result<(), Unscored> {
    if is_among(confidence, &CONFIDENCES) {
        return Ok(());
    }
    Err(unscored(
        Cause::OutOfRange,
        format!("a confidence of {confidence} is not among .5, .55 … 1"),
    ))
}

fn is_among(confidence: f64, known: &[f64]) -> bool {
    known.iter().any(|known| (known - confidence).abs() < 1e-9)
}

/// Asks one member of the panel for one verdict and saves it.
///
/// The call is on record before its verdict is: if the process dies in between, the same question
/// finds the reply and pays nothing.
pub(super) async fn compare(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    member: usize,
) -> Result<SavedVerdict<Comparison>> {
    let [a, b] = request.shown.as_slice() else {
        anyhow::bail!("two items are compared at a time")
    };
    let sample = request.sample;
    let vars = json!({ "a": items.shown(a)?, "b": items.shown(b)? });
    let [prompt, _] = prompts_of_member(ctx, &items.prompts, member)?;
    let short = prompt == items.prompts.pair_short;
    let reply = if short {
        let ask = question(prompt, &vars, short_schema(), SHORT_PAIR_TOKENS);
        verdict::<ShortReply>(ctx, ask, member, sample).await?
    } else {
        let ask = question(prompt, &vars, full_schema(), PAIR_TOKENS);
        verdict::<FullReply>(ctx, ask, member, sample).await?
    };
    let comparison = Comparison {
        a: a.clone(),
        b: b.clone(),
        sample,
        outcome: reply.reply,
        call: reply.call,
    };
    let (judge, round, seen) = (reply.judge, request.round, reply.evidence);
    let kept = ctx
        .store
        .save_comparison(items.kind, &comparison, &judge, round, Some(seen))?;
    Ok(SavedVerdict {
        recorded: recorded(comparison, judge, round, kept),
        cached: reply.cached,
    })
}

/// Asks one member of the panel for the order of several items and saves it.
pub(super) async fn order(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    member: usize,
) -> Result<SavedVerdict<ListComparison>> {
    let shown: Vec<&Value> = request
        .shown
        .iter()
        .map(|id| items.shown(id))
        .collect::<Result<_>>()?;
    let n = shown.len();
    let vars = json!({ "tasks": shown });
    let [_, prompt] = prompts_of_member(ctx, &items.prompts, member)?;
    let with_reason = prompt == items.prompts.list;
    let most = if with_reason {
        LIST_TOKENS
    } else {
        SHORT_LIST_TOKENS
    };
    // An order that does not name each item once is asked again while the model is at it.
    let check = |reply: &Ordered| reply.places(n).map(|_| ());
    let ask = Ask {
        member,
        check: &check,
        ..question(prompt, &vars, order::schema(n, with_reason), most)
    };
    let reply = judging::ask(ctx, ask).await?;
    let list = ListComparison {
        shown: request.shown.clone(),
        outcome: reply.reply.and_then(|reply| list_order(reply, n)),
        call: reply.call,
    };
    let (judge, round, seen) = (reply.judge, request.round, reply.evidence);
    let kept = ctx
        .store
        .save_list_comparison(items.kind, &list, &judge, round, Some(seen))?;
    Ok(SavedVerdict {
        recorded: recorded(list, judge, round, kept),
        cached: reply.cached,
    })
}

fn list_order(reply: Ordered, n: usize) -> Result<ListOrder, Unscored> {
    Ok(ListOrder {
        places: reply.places(n)?,
        reason: reply.reason,
    })
}

fn recorded<T>(judged: T, judge: Judge, round: u32, kept: Kept) -> Recorded<T> {
    Recorded {
        judged,
        judge,
        run: kept.run,
        round,
        decided_after_retry: kept.decided_after_retry,
    }
}

/// One verdict, in the form that the prompt asks for.
async fn verdict<A: Answer + Into<Verdict>>(
    ctx: &Context,
    ask: Ask<'_, A>,
    member: usize,
    sample: u32,
) -> Result<Asked<Verdict>> {
    let asked = judging::ask(
        ctx,
        Ask {
            member,
            sample,
            ..ask
        },
    )
    .await?;
    Ok(Asked {
        reply: asked.reply.map(Into::into),
        judge: asked.judge,
        call: asked.call,
        cached: asked.cached,
        evidence: asked.evidence,
    })
}

fn question<'a, T>(
    prompt: &'a str,
    vars: &'a serde_json::Value,
    schema: serde_json::Value,
    most: u32,
) -> Ask<'a, T> {
    Ask {
        role: "judge",
        prompt,
        vars,
        schema: Some(schema),
        max_tokens: most,
        ..Ask::default()
    }
}

fn short_schema() -> serde_json::Value {
    object(&json!({
        "winner": { "type": "string", "enum": ["A", "B"] },
        "confidence": { "type": "number", "enum": CONFIDENCES }
    }))
}

fn full_schema() -> serde_json::Value {
    let score = json!({ "type": "integer", "enum": [1, 2, 3, 4, 5] });
    let criteria = object(&json!({
        "clarity": score, "actionability": score, "novelty": score, "depth_fit": score, "consistency": score
    }));
    object(&json!({
        "scores_a": criteria,
        "scores_b": criteria,
        "reason": { "type": "string", "maxLength": 400 },
        "winner": { "type": "string", "enum": ["A", "B"] },
        "confidence": { "type": "number", "enum": CONFIDENCES }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(a: u8, b: u8, winner: Side, confidence: f64) -> FullReply {
        let scores = |n| Criteria {
            clarity: n,
            actionability: 3,
            novelty: 3,
            depth_fit: 3,
            consistency: 3,
        };
        FullReply {
            scores_a: scores(a),
            scores_b: scores(b),
            reason: "clearer".into(),
            winner,
            confidence,
        }
    }

    #[test]
    fn a_verdict_must_agree_with_its_own_scores() {
        let cause = |f: FullReply| f.validate().err().map(|u| u.cause);
        assert_eq!(cause(full(4, 3, Side::A, 0.8)), None);
        assert_eq!(cause(full(4, 3, Side::B, 0.8)), Some(Cause::Inconsistent));
        assert_eq!(cause(full(3, 3, Side::B, 0.55)), None);
        assert_eq!(cause(full(3, 3, Side::B, 0.9)), Some(Cause::Inconsistent));
        assert_eq!(cause(full(6, 3, Side::A, 0.8)), Some(Cause::OutOfRange));
        assert_eq!(cause(full(4, 3, Side::A, 0.3)), Some(Cause::OutOfRange));
    }

    #[test]
    fn a_second_winner_under_another_name_is_no_verdict() {
        let read = |text: &str| serde_json::from_str::<ShortReply>(text);
        assert!(read(r#"{"winner":"A","confidence":0.8}"#).is_ok());
        assert!(read(r#"{"winner":"A","confidence":0.8,"final_winner":"B"}"#).is_err());
    }
}
