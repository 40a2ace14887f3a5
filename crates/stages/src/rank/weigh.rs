//! One judgement by log-probabilities: a pair is shown in both orders, each time with two answers
//! offered, and how likely the judge finds each is read. Hides that a verdict takes two calls, and
//! what is kept of them.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    items::{Items, JudgePrompts},
    request::{Asked, ComparisonRequest, asked},
};
use crate::{
    context::Context,
    data::{Cause, DecidedBy, Judge, NewJudgement, Side, Unscored, Verdict, judgement_id},
    judging::{Judged, prompt_and, seen},
    llm::{Answered, Ask, Weights},
};

/// The offered answers: the task shown first is better, or the second one.
const OFFERED: [&str; 2] = ["1", "2"];
/// What to do where log-probabilities cannot be had.
const HINT: &str = "set read = \"words\" in [rank] (--read words), or name a judge on a server that \
     gives log-probabilities";

/// The log-probabilities of both answers, with the pair as it was shown and with its sides
/// exchanged.
type Orders = [[f64; 2]; 2];

/// How much likelier a judge finds the side shown first, whichever item stands there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SidePreference {
    /// Mean of the logarithms of the odds.
    pub mean: f64,
    /// Verdicts, each with both orders.
    pub n: u64,
}

impl SidePreference {
    /// The mean over these verdicts; none where there are none.
    pub(super) fn of_orders(verdicts: &[Orders]) -> Option<Self> {
        let sides = verdicts
            .iter()
            .map(|orders| orders.map(|[first, second]| first - second))
            .map(|[as_shown, exchanged]| f64::midpoint(as_shown, exchanged));
        let n = verdicts.len() as u64;
        (n > 0).then(|| Self {
            mean: sides.sum::<f64>() / n as f64,
            n,
        })
    }
}

/// Stands for the hash of the prompt of a judge that is read so: the same template read in another
/// way is another judge.
pub(super) fn hash(ctx: &Context, prompts: &JudgePrompts) -> Result<String> {
    Ok(prompt_and(ctx.llm.prompt_hash(prompts.weigh)?, "logprobs"))
}

/// Asks one member of the panel which of two items is better, in both orders.
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
    ask_pair(ctx, items, asked(items, request, &vars), member).await
}

/// Asks one member of the panel about a pair, in both orders.
pub(super) async fn ask_pair(
    ctx: &Context,
    items: &Items,
    asked: Asked<'_>,
    member: usize,
) -> Result<Judged<Verdict>> {
    let first = ask(ctx, items, asked.sample, member, asked.vars).await?;
    // Without one order the other one says nothing; a dry run counts both.
    let failed = matches!(&first.value, Err(unscored) if unscored.cause != Cause::NotAsked);
    let mut orders = vec![first];
    if !failed {
        let exchanged = json!({ "a": asked.vars["b"], "b": asked.vars["a"] });
        orders.push(ask(ctx, items, asked.sample, member, &exchanged).await?);
    }
    save(ctx, items, asked, member, &orders)
}

async fn ask(
    ctx: &Context,
    items: &Items,
    sample: u32,
    member: usize,
    vars: &Value,
) -> Result<Answered<Weights>> {
    let ask = Ask {
        role: "judge",
        member,
        prompt: items.prompts.weigh,
        vars,
        sample,
        offered: &OFFERED,
        ..Ask::default()
    };
    Ok(ctx.llm.weigh(ask).await?)
}

fn save(
    ctx: &Context,
    items: &Items,
    asked: Asked<'_>,
    member: usize,
    orders: &[Answered<Weights>],
) -> Result<Judged<Verdict>> {
    let judges: Vec<Judge> = orders
        .iter()
        .map(|answer| judge(ctx, &items.prompts, member, answer))
        .collect::<Result<_>>()?;
    let reply = verdict(orders, &judges);
    let (judge, call) = (judges[0].clone(), orders[0].call.clone());
    let (instrument, by) = (asked.instrument, DecidedBy::Model(&judge));
    let reason = reply.as_ref().err().map(|unscored| &unscored.reason);
    let mut payload = asked.keep;
    payload["reason"] = json!(reason);
    payload["orders"] = json!(on_record(orders));
    let kept = ctx.store.save_judgement(&NewJudgement {
        instrument,
        id: judgement_id(instrument, asked.subject, asked.other, asked.sample, by),
        subject: asked.subject,
        other: Some(asked.other),
        judge: by,
        sample: asked.sample,
        decision: reply.as_ref().map(Verdict::decision),
        payload,
        call: Some(&call),
        evidence: Some(seen(asked.vars)),
    })?;
    Ok(Judged {
        reply,
        judge,
        call: Some(call),
        cached: orders.iter().all(|answer| answer.cached),
        kept,
    })
}

fn judge(
    ctx: &Context,
    prompts: &JudgePrompts,
    member: usize,
    answer: &Answered<Weights>,
) -> Result<Judge> {
    let judge = ctx.llm.judge("judge", member, prompts.weigh, answer)?;
    Ok(Judge {
        prompt_hash: hash(ctx, prompts)?,
        ..judge
    })
}

/// Both orders, with the call and what it gave: the difference between them is the judge's
/// preference for a side.
fn on_record(orders: &[Answered<Weights>]) -> Vec<Value> {
    orders
        .iter()
        .map(|answer| {
            let logprobs = answer.value.as_ref().ok().map(|Weights(weights)| weights);
            json!({ "call": answer.call, "logprobs": logprobs })
        })
        .collect()
}

fn verdict(orders: &[Answered<Weights>], judges: &[Judge]) -> Result<Verdict, Unscored> {
    let mut preferences = Vec::new();
    for answer in orders {
        preferences.push(preference(answer.value.as_ref().map_err(explained)?));
    }
    let &[as_shown, exchanged] = preferences.as_slice() else {
        return Err(inconsistent("one order was not weighed".into()));
    };
    if judges[0] != judges[1] {
        let names = [0, 1].map(|order| judges[order].model_returned.as_str());
        return Err(inconsistent(format!(
            "the two orders were answered by different models: `{}`",
            names.join("`, `")
        )));
    }
    Ok(averaged(as_shown, exchanged))
}

/// How much likelier the first place is than the second, as a logarithm.
fn preference(Weights(weights): &Weights) -> f64 {
    weights[0] - weights[1]
}

/// The verdict on a pair from the preferences for the first place in both orders. What a judge has
/// for a place of its own is in both, with opposite signs for the item, and drops out.
fn averaged(as_shown: f64, exchanged: f64) -> Verdict {
    let mean = (as_shown - exchanged) / 2.0;
    Verdict {
        winner: if mean >= 0.0 { Side::A } else { Side::B },
        // One half for a tie, which is half a win for each.
        confidence: 1.0 / (1.0 + (-mean.abs()).exp()),
        reason: None,
        scores: None,
    }
}

fn inconsistent(reason: String) -> Unscored {
    Unscored {
        cause: Cause::Inconsistent,
        reason,
    }
}

/// The same cause, with what to do where there are no log-probabilities.
fn explained(unscored: &Unscored) -> Unscored {
    let mut explained = unscored.clone();
    if unscored.cause == Cause::Unweighed {
        explained.reason.push_str(&format!("; {HINT}"));
    }
    explained
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn won(as_shown: f64, exchanged: f64) -> (Side, f64) {
        let verdict = averaged(as_shown, exchanged);
        (verdict.winner, verdict.confidence)
    }

    #[test]
    fn the_mean_of_both_orders_decides() {
        let (winner, confidence) = won(3.0, 1.0);
        assert_eq!(winner, Side::A);
        assert!((confidence - 0.731_058_578_630_004_9).abs() < 1e-12);
        // It names the first place each time, and a little less where the second item stands there.
        assert_eq!(won(-1.0, 3.0).0, Side::B);
        assert_eq!(won(2.5, 2.5), (Side::A, 0.5), "a tie");
        assert_eq!(won(900.0, -900.0), (Side::A, 1.0));
        assert!((preference(&Weights(vec![-0.5, -2.0])) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn what_cancels_out_is_the_side_preference() {
        let verdicts = [[[-0.5, -2.5], [-1.0, -2.0]], [[-1.0, -1.5], [-2.0, -1.5]]];
        let found = SidePreference::of_orders(&verdicts).expect("two verdicts");
        assert_eq!((found.mean, found.n), (0.75, 2));
        assert_eq!(SidePreference::of_orders(&[]), None);
    }

    proptest! {
        /// Sides exchanged give the other side, as sure; a preference for a place changes nothing.
        #[test]
        fn no_side_is_preferred(x in -30.0..30.0_f64, y in -30.0..30.0_f64, side in -9.0..9.0_f64) {
            let ((winner, confidence), exchanged) = (won(x, y), won(y, x));
            prop_assert!((0.5..=1.0).contains(&confidence));
            prop_assert!((confidence - exchanged.1).abs() < 1e-12);
            if confidence > 0.5 + 1e-9 {
                prop_assert_ne!(winner, exchanged.0);
                prop_assert_eq!(winner, won(x + side, y + side).0);
            }
            prop_assert!((confidence - won(x + side, y + side).1).abs() < 1e-9);
        }
    }
}
