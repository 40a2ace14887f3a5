//! One comparison: two tasks are shown, one verdict is read, or the reason why there is none. A
//! large judge scores five criteria and gives a reason (RankEval); a built-in model only names the
//! better one.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::ask::Question;
use crate::{
    context::Context,
    data::{
        CallId, Cause, Comparison, Criteria, Lineup, Ordered, Side, Task, TaskId, Unscored, Verdict,
    },
    llm::{Answer, Ask, object},
    store::{Judge, Kept, Recorded},
};

/// Confidences are offered as an enumeration, so that a constrained decoder stays in range.
const CONFIDENCES: [f64; 11] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0];
/// Words that the prompt allows a reason; twice as many are let pass.
const REASON_WORDS: usize = 40;

const SHORT: &str = "rank/judge-short";
const FULL: &str = "rank/judge";
const SHORT_LIST: &str = "rank/list-short";
const LIST: &str = "rank/list";

type Tasks<'a> = BTreeMap<&'a TaskId, &'a Task>;

/// What was decided by whom.
pub(super) struct Judged<T> {
    /// What is on record now.
    pub recorded: Recorded<T>,
    /// Whether nothing had to be asked.
    pub cached: bool,
}

impl<T> Judged<T> {
    fn new(told: T, judge: Judge, round: u32, cached: bool, kept: Kept) -> Self {
        Self {
            recorded: Recorded {
                told,
                judge,
                run: kept.run,
                round,
                late: kept.decided_after_retry,
            },
            cached,
        }
    }
}

/// The built-in model's whole reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Short {
    winner: Side,
    confidence: f64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Full {
    scores_a: Criteria,
    scores_b: Criteria,
    reason: String,
    winner: Side,
    confidence: f64,
}

/// The tasks' numbers, best first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Order {
    reason: Option<String>,
    order: Vec<usize>,
}

impl Order {
    /// The place of each of `n` tasks, if each is named once.
    fn places(&self, n: usize) -> Result<Vec<usize>, Unscored> {
        let fail = |cause, reason: String| Err(Unscored { cause, reason });
        let mut places = vec![n; n];
        for (place, number) in self.order.iter().enumerate() {
            match number.checked_sub(1).and_then(|at| places.get_mut(at)) {
                None => {
                    return fail(
                        Cause::UnknownReference,
                        format!("there is no task {number}"),
                    );
                }
                Some(known) if *known < n => {
                    return fail(Cause::Inconsistent, format!("task {number} is named twice"));
                }
                Some(known) => *known = place,
            }
        }
        match places.iter().position(|place| *place == n) {
            Some(left) => fail(
                Cause::Inconsistent,
                format!("task {} is not named", left + 1),
            ),
            None => Ok(places),
        }
    }
}

impl Answer for Order {
    fn validate(&self) -> Result<(), Unscored> {
        self.reason.as_deref().map_or(Ok(()), short_enough)
    }
}

impl Answer for Short {
    fn validate(&self) -> Result<(), Unscored> {
        known_confidence(self.confidence)
    }
}

impl Answer for Full {
    fn validate(&self) -> Result<(), Unscored> {
        known_confidence(self.confidence)?;
        let fail = |cause, reason: String| Err(Unscored { cause, reason });
        if let Some(score) = self
            .scores_a
            .all()
            .into_iter()
            .chain(self.scores_b.all())
            .find(|s| !(1..=5).contains(s))
        {
            return fail(
                Cause::OutOfRange,
                format!("a score of {score} is not between 1 and 5"),
            );
        }
        short_enough(&self.reason)?;
        let (a, b) = (self.scores_a.sum(), self.scores_b.sum());
        let contradicts = match self.winner {
            Side::A => b > a,
            Side::B => a > b,
        };
        if contradicts {
            return fail(
                Cause::Inconsistent,
                format!(
                    "the winner is {:?}, but the scores add up to {a} and {b}",
                    self.winner
                ),
            );
        }
        if a == b && (self.confidence - 0.55).abs() > 1e-9 && (self.confidence - 0.5).abs() > 1e-9 {
            return fail(
                Cause::Inconsistent,
                format!(
                    "equal scores allow a confidence of 0.55, not {}",
                    self.confidence
                ),
            );
        }
        Ok(())
    }
}

fn short_enough(reason: &str) -> Result<(), Unscored> {
    if crate::text::words::word_count(reason) <= 2 * REASON_WORDS {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("the reason is longer than {} words", 2 * REASON_WORDS),
    })
}

fn known_confidence(confidence: f64) -> Result<(), Unscored> {
    if CONFIDENCES
        .iter()
        .any(|known| (known - confidence).abs() < 1e-9)
    {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("a confidence of {confidence} is not among .5, .55 … 1"),
    })
}

/// Asks one member of the panel for one verdict and saves it.
pub(super) async fn compare(
    ctx: &Context,
    tasks: &Tasks<'_>,
    asked: &Question,
    member: usize,
) -> Result<Judged<Comparison>> {
    let [a, b] = asked.shown.as_slice() else {
        anyhow::bail!("two tasks are compared at a time")
    };
    let sample = asked.sample;
    let vars = json!({ "a": shown(tasks, a)?, "b": shown(tasks, b)? });
    let prompt = if ctx.llm.is_builtin("judge", member)? {
        SHORT
    } else {
        FULL
    };
    let Said {
        value: outcome,
        call,
        cached,
        judge,
    } = if prompt == SHORT {
        let ask = Ask {
            member,
            sample,
            ..question(prompt, &vars, short_schema(), 40)
        };
        let verdict = |s: Short| Verdict {
            winner: s.winner,
            confidence: s.confidence,
            reason: None,
            scores: None,
        };
        ask_for(ctx, ask, verdict).await?
    } else {
        let ask = Ask {
            member,
            sample,
            ..question(prompt, &vars, full_schema(), 700)
        };
        let verdict = |f: Full| Verdict {
            winner: f.winner,
            confidence: f.confidence,
            reason: Some(f.reason),
            scores: Some([f.scores_a, f.scores_b]),
        };
        ask_for(ctx, ask, verdict).await?
    };
    let told = Comparison {
        a: a.clone(),
        b: b.clone(),
        sample,
        outcome,
        call,
    };
    let kept = ctx.store.save_comparison(&told, &judge, asked.round)?;
    Ok(Judged::new(told, judge, asked.round, cached, kept))
}

/// Asks one member of the panel for the order of several and saves it.
pub(super) async fn order(
    ctx: &Context,
    tasks: &Tasks<'_>,
    asked: &Question,
    member: usize,
) -> Result<Judged<Lineup>> {
    let shown = asked
        .shown
        .iter()
        .map(|id| shown(tasks, id))
        .collect::<Result<Vec<_>>>()?;
    let n = shown.len();
    let vars = json!({ "tasks": shown });
    let check = |answer: &Order| answer.places(n).map(|_| ());
    let prompt = if ctx.llm.is_builtin("judge", member)? {
        SHORT_LIST
    } else {
        LIST
    };
    let most = if prompt == LIST { 300 } else { 60 };
    let ask = Ask {
        member,
        check: &check,
        ..question(prompt, &vars, order_schema(n, prompt == LIST), most)
    };
    let Said {
        value,
        call,
        cached,
        judge,
    } = ask_for(ctx, ask, |order: Order| order).await?;
    let outcome = value.and_then(|order| {
        Ok(Ordered {
            places: order.places(n)?,
            reason: order.reason,
        })
    });
    let told = Lineup {
        shown: asked.shown.clone(),
        outcome,
        call,
    };
    let kept = ctx.store.save_lineup(&told, &judge, asked.round)?;
    Ok(Judged::new(told, judge, asked.round, cached, kept))
}

/// A reply, and whose.
struct Said<T> {
    value: Result<T, Unscored>,
    call: CallId,
    cached: bool,
    judge: Judge,
}

async fn ask_for<A: Answer, T>(
    ctx: &Context,
    ask: Ask<'_, A>,
    read: impl Fn(A) -> T,
) -> Result<Said<T>> {
    let (role, member, prompt) = (ask.role, ask.member, ask.prompt);
    let answer = ctx.llm.ask::<A>(ask).await?;
    let judge = ctx.llm.judge(role, member, prompt, answer.model_returned)?;
    Ok(Said {
        value: answer.value.map(read),
        call: answer.call,
        cached: answer.cached,
        judge,
    })
}

/// The hashes of the prompts that a member of the panel is shown: for two tasks, and for several.
pub(super) fn prompt_hashes(ctx: &Context, member: usize) -> Result<[String; 2]> {
    let [two, several] = if ctx.llm.is_builtin("judge", member)? {
        [SHORT, SHORT_LIST]
    } else {
        [FULL, LIST]
    };
    Ok([ctx.llm.prompt_hash(two)?, ctx.llm.prompt_hash(several)?])
}

/// What the judge sees of a task: nothing but its text and difficulty, so that neither origin nor
/// rank leak.
fn shown(tasks: &Tasks<'_>, id: &TaskId) -> Result<serde_json::Value> {
    let task = tasks
        .get(id)
        .context("a scheduled task is not in the list")?;
    Ok(json!({ "text": task.task, "difficulty": task.difficulty.label() }))
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

fn order_schema(n: usize, reason: bool) -> serde_json::Value {
    let numbers: Vec<usize> = (1..=n).collect();
    let order = json!({
        "type": "array", "items": { "type": "integer", "enum": numbers }, "minItems": n, "maxItems": n
    });
    let why = json!({ "type": "string", "maxLength": 400 });
    object(&if reason {
        json!({ "reason": why, "order": order })
    } else {
        json!({ "order": order })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(a: u8, b: u8, winner: Side, confidence: f64) -> Full {
        let scores = |n| Criteria {
            clarity: n,
            actionability: 3,
            novelty: 3,
            depth_fit: 3,
            consistency: 3,
        };
        Full {
            scores_a: scores(a),
            scores_b: scores(b),
            reason: "clearer".into(),
            winner,
            confidence,
        }
    }

    #[test]
    fn a_verdict_must_agree_with_its_own_scores() {
        let cause = |f: Full| f.validate().err().map(|u| u.cause);
        assert_eq!(cause(full(4, 3, Side::A, 0.8)), None);
        assert_eq!(cause(full(4, 3, Side::B, 0.8)), Some(Cause::Inconsistent));
        assert_eq!(cause(full(3, 3, Side::B, 0.55)), None);
        assert_eq!(cause(full(3, 3, Side::B, 0.9)), Some(Cause::Inconsistent));
        assert_eq!(cause(full(6, 3, Side::A, 0.8)), Some(Cause::OutOfRange));
        assert_eq!(cause(full(4, 3, Side::A, 0.3)), Some(Cause::OutOfRange));
    }

    #[test]
    fn an_order_names_each_once() {
        let places = |order: &[usize]| {
            Order {
                reason: None,
                order: order.to_vec(),
            }
            .places(3)
            .map_err(|u| u.cause)
        };
        assert_eq!(places(&[2, 3, 1]), Ok(vec![2, 0, 1]));
        assert_eq!(places(&[2, 2, 1]), Err(Cause::Inconsistent));
        assert_eq!(places(&[2, 1]), Err(Cause::Inconsistent));
        assert_eq!(places(&[2, 4, 1]), Err(Cause::UnknownReference));
        assert_eq!(places(&[0, 1, 2]), Err(Cause::UnknownReference));
    }

    #[test]
    fn a_second_winner_under_another_name_is_no_verdict() {
        let read = |text: &str| serde_json::from_str::<Short>(text);
        assert!(read(r#"{"winner":"A","confidence":0.8}"#).is_ok());
        assert!(read(r#"{"winner":"A","confidence":0.8,"final_winner":"B"}"#).is_err());
    }
}
