//! One comparison: two tasks are shown, one verdict is read, or the reason why there is none.
//! A large judge scores five criteria and gives a reason (RankEval); a trial model only names the better one.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ask::Question;
use crate::{
    context::Context,
    data::{Cause, Comparison, Side, Task, TaskId, Unscored, Verdict},
    llm::{Answer, Ask},
    store::Judge,
};

/// Confidences are offered as an enumeration, so that a constrained decoder stays in range.
const CONFIDENCES: [f64; 11] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0];
/// Words that the prompt allows a reason; twice as many are let pass.
const REASON_WORDS: usize = 40;

const SHORT: &str = "rank/judge-short";
const FULL: &str = "rank/judge";

type Tasks<'a> = BTreeMap<&'a TaskId, &'a Task>;

/// A comparison, who decided it, and whether it was on record.
pub struct Judged {
    /// What was decided.
    pub comparison: Comparison,
    /// Who decided.
    pub judge: Judge,
    /// Whether nothing had to be asked.
    pub cached: bool,
    /// Whether it came only after a failure.
    pub late: bool,
}

/// The trial model's whole reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Short {
    winner: Side,
    confidence: f64,
}

/// Five criteria, each 1 to 5.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Criteria {
    clarity: u8,
    actionability: u8,
    novelty: u8,
    depth_fit: u8,
    consistency: u8,
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

impl Criteria {
    fn all(&self) -> [u8; 5] {
        [self.clarity, self.actionability, self.novelty, self.depth_fit, self.consistency]
    }

    fn sum(&self) -> u32 {
        self.all().iter().map(|score| u32::from(*score)).sum()
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
        if let Some(score) = self.scores_a.all().into_iter().chain(self.scores_b.all()).find(|s| !(1..=5).contains(s)) {
            return fail(Cause::OutOfRange, format!("a score of {score} is not between 1 and 5"));
        }
        if crate::text::words::word_count(&self.reason) > 2 * REASON_WORDS {
            return fail(Cause::OutOfRange, format!("the reason is longer than {} words", 2 * REASON_WORDS));
        }
        let (a, b) = (self.scores_a.sum(), self.scores_b.sum());
        let contradicts = match self.winner {
            Side::A => b > a,
            Side::B => a > b,
        };
        if contradicts {
            return fail(
                Cause::Inconsistent,
                format!("the winner is {:?}, but the scores add up to {a} and {b}", self.winner),
            );
        }
        if a == b && (self.confidence - 0.55).abs() > 1e-9 && (self.confidence - 0.5).abs() > 1e-9 {
            return fail(
                Cause::Inconsistent,
                format!("equal scores allow a confidence of 0.55, not {}", self.confidence),
            );
        }
        Ok(())
    }
}

fn known_confidence(confidence: f64) -> Result<(), Unscored> {
    if CONFIDENCES.iter().any(|known| (known - confidence).abs() < 1e-9) {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange, reason: format!("a confidence of {confidence} is not among .5, .55 … 1")
    })
}

/// Asks one member of the panel for one verdict and saves it.
pub(super) async fn compare(ctx: &Context, tasks: &Tasks<'_>, asked: &Question, member: usize) -> Result<Judged> {
    let (pair, sample) = (&asked.pair, asked.sample);
    let vars = json!({ "a": shown(tasks, &pair.a)?, "b": shown(tasks, &pair.b)? });
    let prompt = prompt(ctx, member)?;
    let (outcome, call, cached, returned) = if prompt == SHORT {
        let answer =
            ctx.llm.ask::<Short>(Ask { member, sample, ..question(prompt, &vars, short_schema(), 40) }).await?;
        let verdict = answer.value.map(|s| Verdict { winner: s.winner, confidence: s.confidence, reason: None });
        (verdict, answer.call, answer.cached, answer.model_returned)
    } else {
        let answer = ctx.llm.ask::<Full>(Ask { member, sample, ..question(prompt, &vars, full_schema(), 700) }).await?;
        let verdict =
            answer.value.map(|f| Verdict { winner: f.winner, confidence: f.confidence, reason: Some(f.reason) });
        (verdict, answer.call, answer.cached, answer.model_returned)
    };
    let judge = Judge {
        model_asked: ctx.llm.model_name("judge", member)?,
        model_returned: returned.unwrap_or_else(|| "unknown".into()),
        prompt_hash: ctx.llm.prompt_hash(prompt)?,
    };
    let comparison = Comparison { a: pair.a.clone(), b: pair.b.clone(), sample, outcome, call };
    let late = ctx.store.save_comparison(&comparison, &judge, asked.round)?;
    Ok(Judged { comparison, judge, cached, late })
}

/// The hash of the prompt that a member of the panel is shown.
pub(super) fn prompt_hash(ctx: &Context, member: usize) -> Result<String> {
    Ok(ctx.llm.prompt_hash(prompt(ctx, member)?)?)
}

fn prompt(ctx: &Context, member: usize) -> Result<&'static str> {
    Ok(if ctx.llm.is_trial("judge", member)? { SHORT } else { FULL })
}

/// What the judge sees of a task: nothing but its text and difficulty, so that neither origin nor rank leak.
fn shown(tasks: &Tasks<'_>, id: &TaskId) -> Result<serde_json::Value> {
    let task = tasks.get(id).context("a scheduled task is not in the list")?;
    Ok(json!({ "text": task.task, "difficulty": task.difficulty.label() }))
}

fn question<'a, T>(prompt: &'a str, vars: &'a serde_json::Value, schema: serde_json::Value, most: u32) -> Ask<'a, T> {
    Ask { role: "judge", prompt, vars, schema: Some(schema), max_tokens: most, ..Ask::default() }
}

fn short_schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "winner": { "type": "string", "enum": ["A", "B"] },
            "confidence": { "type": "number", "enum": CONFIDENCES }
        },
        "required": ["winner", "confidence"],
        "additionalProperties": false
    })
}

fn full_schema() -> serde_json::Value {
    let score = json!({ "type": "integer", "enum": [1, 2, 3, 4, 5] });
    let criteria = json!({
        "type": "object",
        "properties": {
            "clarity": score, "actionability": score, "novelty": score, "depth_fit": score, "consistency": score
        },
        "required": ["clarity", "actionability", "novelty", "depth_fit", "consistency"],
        "additionalProperties": false
    });
    json!({
        "type": "object",
        "properties": {
            "scores_a": criteria,
            "scores_b": criteria,
            "reason": { "type": "string", "maxLength": 400 },
            "winner": { "type": "string", "enum": ["A", "B"] },
            "confidence": { "type": "number", "enum": CONFIDENCES }
        },
        "required": ["scores_a", "scores_b", "reason", "winner", "confidence"],
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(a: u8, b: u8, winner: Side, confidence: f64) -> Full {
        let scores = |n| Criteria { clarity: n, actionability: 3, novelty: 3, depth_fit: 3, consistency: 3 };
        Full { scores_a: scores(a), scores_b: scores(b), reason: "clearer".into(), winner, confidence }
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
    fn a_second_winner_under_another_name_is_no_verdict() {
        let read = |text: &str| serde_json::from_str::<Short>(text);
        assert!(read(r#"{"winner":"A","confidence":0.8}"#).is_ok());
        assert!(read(r#"{"winner":"A","confidence":0.8,"final_winner":"B"}"#).is_err());
    }
}
