//! One judgement of a ranking: two items are shown and one verdict is read, or a list and its
//! order. A large judge scores five criteria and gives a reason (RankEval); a built-in model only
//! names the better one, and the judge that is code counts signals.

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    items::Items,
    panel::prompts_of_member,
    request::{Asked, ComparisonRequest, asked},
    signals,
};
use crate::{
    context::Context,
    data::{
        Cause, Criteria, DecidedBy, Decision, ItemId, Judge, ListOrder, Side, Unscored, Verdict, id,
    },
    judging::{
        self, DecisionOfCode, Judged, Question,
        compare::{check_confidence, is_among, schema_behind},
        order::{self, Ordered},
    },
    llm::{Answer, Ask, object},
    store::{Kept, list_instrument, pair_instrument},
};

/// The only confidence that equal scores allow, as the paper has it (DeepResearch Arena, arXiv
/// 2509.01396, prompt of the rank judge): a winner must be named all the same.
const CONFIDENCE_OF_A_TIE: f64 = 0.55;

/// Most tokens of a reply.
const PAIR_TOKENS: u32 = 700;
const SHORT_PAIR_TOKENS: u32 = 40;
const LIST_TOKENS: u32 = 300;
const SHORT_LIST_TOKENS: u32 = 60;

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

impl From<&ShortReply> for Verdict {
    fn from(reply: &ShortReply) -> Self {
        Self {
            winner: reply.winner,
            confidence: reply.confidence,
            reason: None,
            scores: None,
        }
    }
}

impl From<&FullReply> for Verdict {
    fn from(reply: &FullReply) -> Self {
        Self {
            winner: reply.winner,
            confidence: reply.confidence,
            reason: Some(reply.reason.clone()),
            scores: Some([reply.scores_a, reply.scores_b]),
        }
    }
}

impl judging::Verdict for ShortReply {
    fn decision(&self) -> Decision {
        Verdict::from(self).decision()
    }

    fn payload(&self) -> Value {
        json!({ "reason": null })
    }
}

impl judging::Verdict for FullReply {
    fn decision(&self) -> Decision {
        Verdict::from(self).decision()
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.reason, "scores": [self.scores_a, self.scores_b] })
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
        // A reply that contradicts its own scores tells nothing: neither half is believed.
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
        if a == b && !is_among(self.confidence, &[CONFIDENCE_OF_A_TIE]) {
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

/// Asks one member of the panel which of two items is better.
pub(super) async fn compare(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    member: usize,
) -> Result<Judged<Verdict>> {
    let [a, b] = request.shown.as_slice() else {
        anyhow::bail!("two items are compared at a time")
    };
    let vars = json!({ "a": items.shown(a)?, "b": items.shown(b)? });
    if ctx.llm.is_code("judge", member)? {
        return compare_by_code(ctx, items, request, &vars);
    }
    ask_pair(ctx, items, asked(items, request, &vars), member).await
}

/// Asks one member of the panel, which is a model, about a pair.
pub(super) async fn ask_pair(
    ctx: &Context,
    items: &Items,
    asked: Asked<'_>,
    member: usize,
) -> Result<Judged<Verdict>> {
    let [prompt, _] = prompts_of_member(ctx, &items.prompts, member)?;
    let vars = asked.vars;
    if prompt == items.prompts.pair_short {
        let ask = ask(prompt, member, vars, short_schema(), SHORT_PAIR_TOKENS);
        judge_pair::<ShortReply>(ctx, asked, ask).await
    } else {
        let ask = ask(prompt, member, vars, full_schema(), PAIR_TOKENS);
        judge_pair::<FullReply>(ctx, asked, ask).await
    }
}

async fn judge_pair<A: Answer + judging::Verdict>(
    ctx: &Context,
    asked: Asked<'_>,
    ask: Ask<'_, A>,
) -> Result<Judged<Verdict>>
where
    Verdict: for<'r> From<&'r A>,
{
    let question = Question {
        instrument: asked.instrument,
        subject: asked.subject,
        other: Some(asked.other),
        keep: asked.keep,
        knowing: "",
        ask: Ask {
            sample: asked.sample,
            ..ask
        },
    };
    let judged = judging::judge(ctx, question).await?;
    Ok(judged.map(|reply| Verdict::from(&reply)))
}

/// Asks one member of the panel for the order of several items.
pub(super) async fn order(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    member: usize,
) -> Result<Judged<ListOrder>> {
    let shown: Vec<&Value> = request
        .shown
        .iter()
        .map(|id| items.shown(id))
        .collect::<Result<_>>()?;
    let n = shown.len();
    let vars = json!({ "tasks": shown });
    if ctx.llm.is_code("judge", member)? {
        return order_by_code(ctx, items, request, &vars);
    }
    let [_, prompt] = prompts_of_member(ctx, &items.prompts, member)?;
    let with_reason = prompt == items.prompts.list;
    let most = if with_reason {
        LIST_TOKENS
    } else {
        SHORT_LIST_TOKENS
    };
    // An order that does not name each item once is asked again while the model is at it.
    let check = |reply: &Ordered| reply.places(n).map(drop);
    let ids: Vec<&str> = request.shown.iter().map(ItemId::as_str).collect();
    let question = Question {
        instrument: list_instrument(items.kind),
        subject: &id::text('l', &ids),
        other: None,
        keep: json!({ "round": request.round, "shown": request.shown }),
        knowing: "",
        ask: Ask {
            check: &check,
            ..ask(prompt, member, &vars, order::schema(n, with_reason), most)
        },
    };
    let judged = judging::judge(ctx, question).await?;
    Ok(judged.map(ListOrder::from))
}

fn compare_by_code(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    saw: &Value,
) -> Result<Judged<Verdict>> {
    let verdict = signals::compare(text(&saw["a"])?, text(&saw["b"])?);
    let judge = code_judge();
    let decision = DecisionOfCode {
        instrument: pair_instrument(items.kind),
        subject: request.shown[0].as_str(),
        other: Some(request.shown[1].as_str()),
        sample: request.sample,
        decided_by: DecidedBy::CodeOfPanel(&judge),
        saw: &saw.to_string(),
        decision: verdict.decision(),
        payload: json!({ "reason": verdict.reason, "round": request.round }),
    };
    let kept = judging::decide_by_code(ctx, decision)?;
    Ok(judged(ctx, judge, verdict, kept))
}

fn order_by_code(
    ctx: &Context,
    items: &Items,
    request: &ComparisonRequest,
    saw: &Value,
) -> Result<Judged<ListOrder>> {
    let tasks = saw["tasks"].as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = tasks.iter().map(text).collect::<Result<_>>()?;
    let order = signals::order(&texts);
    let ids: Vec<&str> = request.shown.iter().map(ItemId::as_str).collect();
    let judge = code_judge();
    let decision = DecisionOfCode {
        instrument: list_instrument(items.kind),
        subject: &id::text('l', &ids),
        other: None,
        sample: request.sample,
        decided_by: DecidedBy::CodeOfPanel(&judge),
        saw: &saw.to_string(),
        decision: order::decision(&order.places),
        payload: json!({
            "reason": null, "places": order.places, "round": request.round, "shown": request.shown
        }),
    };
    let kept = judging::decide_by_code(ctx, decision)?;
    Ok(judged(ctx, judge, order, kept))
}

/// What code decided, as an answered question; an earlier run may have it already.
fn judged<A>(ctx: &Context, judge: Judge, reply: A, kept: Kept) -> Judged<A> {
    Judged {
        reply: Ok(reply),
        judge,
        call: None,
        cached: kept.run != ctx.store.run(),
        kept,
    }
}

fn text(shown: &Value) -> Result<&str> {
    shown["text"].as_str().context("an item without a text")
}

fn code_judge() -> Judge {
    Judge {
        model_asked: signals::JUDGE.to_owned(),
        model_returned: signals::VERSION.to_owned(),
        prompt_hash: signals::hash(),
    }
}

fn ask<'a, T>(
    prompt: &'a str,
    member: usize,
    vars: &'a Value,
    schema: Value,
    most: u32,
) -> Ask<'a, T> {
    Ask {
        role: "judge",
        member,
        prompt,
        vars,
        schema: Some(schema),
        max_tokens: most,
        ..Ask::default()
    }
}

fn short_schema() -> Value {
    schema_behind(json!({}))
}

fn full_schema() -> Value {
    let score = json!({ "type": "integer", "enum": [1, 2, 3, 4, 5] });
    let criteria = object(&json!({
        "clarity": score, "actionability": score, "novelty": score, "depth_fit": score, "consistency": score
    }));
    schema_behind(json!({
        "scores_a": criteria,
        "scores_b": criteria,
        "reason": { "type": "string", "maxLength": 400 }
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
        for other in [0.5, 0.6, 0.9] {
            assert_eq!(cause(full(3, 3, Side::B, other)), Some(Cause::Inconsistent));
        }
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
