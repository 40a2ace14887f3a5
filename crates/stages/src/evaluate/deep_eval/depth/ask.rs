//! The question for the depth of two reports, in both orders. What a judge says is kept twice, once
//! for each report, so that all games of a report are found under it.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{COMPARISON, PROMPT, Pair, ROLE};
use crate::{
    benchmarks::live_research_bench::depth,
    context::{Context, StageReport},
    data::{AgentReport, Cause, Decision, Unscored},
    judging::{self, About, Verdict, batch, compare::ShownFirst},
    llm::{Answer, Ask, object},
};

/// The best rating in a dimension.
const BEST: u8 = 5;
/// Longest reason, and longest weakness, in characters.
const LONGEST: usize = 480;
const LONGEST_WEAKNESS: usize = 160;
/// Most weaknesses of a report.
const WEAKNESSES: usize = 3;

/// The ratings of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dimensions {
    detail: u8,
    insight: u8,
    critique: u8,
    evidence: u8,
    density: u8,
}

impl Dimensions {
    fn all(self) -> [u8; 5] {
        [
            self.detail,
            self.insight,
            self.critique,
            self.evidence,
            self.density,
        ]
    }

    /// The same under the names of LiveResearchBench's files.
    pub fn as_published(self) -> depth::Dimensions {
        let [granularity, insight, critique, evidence, density] = self.all().map(f64::from);
        depth::Dimensions {
            granularity,
            insight,
            critique,
            evidence,
            density,
        }
    }

    /// Their sum, 0 to 25.
    pub fn total(self) -> i32 {
        self.all().into_iter().map(i32::from).sum()
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    reason: String,
    weaknesses_a: Vec<String>,
    weaknesses_b: Vec<String>,
    a: Dimensions,
    b: Dimensions,
}

impl Answer for Reply {
    fn validate(&self) -> Result<(), Unscored> {
        let mut ratings = self.a.all().into_iter().chain(self.b.all());
        match ratings.find(|rating| *rating > BEST) {
            None => Ok(()),
            Some(rating) => Err(Unscored {
                cause: Cause::OutOfRange,
                reason: format!("a rating of {rating} is not between 0 and {BEST}"),
            }),
        }
    }
}

/// What a judge says of one of the two reports.
#[derive(Debug)]
struct Game {
    reason: String,
    own: Dimensions,
    others: Dimensions,
    weaknesses: Vec<String>,
}

impl Game {
    fn of(reply: &Reply, order: ShownFirst) -> Self {
        let [own, others] = order.arrange(reply.a, reply.b);
        let [weaknesses, _] = order.arrange(&reply.weaknesses_a, &reply.weaknesses_b);
        Self {
            reason: reply.reason.clone(),
            own,
            others,
            weaknesses: weaknesses.clone(),
        }
    }
}

impl Verdict for Game {
    fn decision(&self) -> Decision {
        Decision {
            value: Some(f64::from(self.own.total() - self.others.total())),
            ..Decision::default()
        }
    }

    fn payload(&self) -> Value {
        json!({
            "reason": self.reason, "own": self.own, "others": self.others,
            "weaknesses": self.weaknesses
        })
    }
}

/// A pair, for one judge and in one order.
struct Asked<'a> {
    pair: &'a Pair<'a>,
    member: usize,
    order: ShownFirst,
}

/// Asks each judge about each pair in both orders.
pub async fn compare(ctx: &Context, pairs: &[Pair<'_>]) -> Result<StageReport> {
    let mut questions = Vec::new();
    for pair in pairs {
        for member in 0..ctx.llm.members(ROLE) {
            questions.extend(ShownFirst::BOTH.map(|order| Asked {
                pair,
                member,
                order,
            }));
        }
    }
    let mut report = StageReport::new("depth");
    let at_once = ctx.llm.parallel(ROLE);
    let ask = async |asked| ask(ctx, asked).await;
    for (asked, (cached, failed)) in ctx.each(report.stage, &questions, at_once, ask).await? {
        report.count(cached);
        if let Some(unscored) = failed {
            let Pair { first, second, .. } = asked.pair;
            report.fail_unscored(&format!("{} and {}", first.id, second.id), &unscored);
        }
    }
    Ok(report)
}

/// Whether the reply was on record, and why there is no verdict in it.
async fn ask(ctx: &Context, asked: &Asked<'_>) -> Result<(bool, Option<Unscored>)> {
    let Pair {
        task,
        first,
        second,
    } = asked.pair;
    let [a, b] = asked.order.arrange(&first.text, &second.text);
    let vars = json!({ "task": task.text, "a": a, "b": b });
    let ask = Ask::<Reply> {
        role: ROLE,
        member: asked.member,
        prompt: PROMPT,
        vars: &vars,
        schema: Some(schema()),
        max_tokens: batch::tokens(1, LONGEST + 2 * WEAKNESSES * LONGEST_WEAKNESS) + 150,
        ..Ask::default()
    };
    let (answer, judge) = judging::ask(ctx, ask).await?;
    let seen = judging::seen(&vars);
    let of = |own, other, order| Side::of(own, other, order, answer.value.as_ref());
    let sides = [
        of(first, second, asked.order),
        of(second, first, asked.order.opposite()),
    ];
    let judgements = sides.each_ref().map(|side| {
        let about = About {
            instrument: COMPARISON,
            subject: side.report.id.as_str(),
            other: Some(&side.other),
            sample: 0,
            evidence: seen.clone(),
            keep: side.keep.clone(),
        };
        judging::judgement(
            about,
            side.game.as_ref().map_err(|why| *why),
            &judge,
            &answer.call,
        )
    });
    // Both or neither: a game that only one of them knows would be counted half.
    ctx.store.save_judgements(&judgements)?;
    Ok((answer.cached, answer.value.as_ref().err().cloned()))
}

/// A game as one of the two reports knows it.
struct Side<'a> {
    report: &'a AgentReport,
    /// The other report and the order, as the judgement names them.
    other: String,
    keep: Value,
    game: Result<Game, &'a Unscored>,
}

impl<'a> Side<'a> {
    fn of(
        report: &'a AgentReport,
        other: &AgentReport,
        order: ShownFirst,
        reply: Result<&Reply, &'a Unscored>,
    ) -> Self {
        Self {
            report,
            other: format!("{}/{}", other.id, order.word()),
            keep: json!({ "opponent": other.agent, "shown": order }),
            game: reply.map(|reply| Game::of(reply, order)),
        }
    }
}

fn schema() -> Value {
    let whole: Vec<u8> = (0..=BEST).collect();
    let rating = json!({ "type": "integer", "enum": whole });
    let dimensions = object(&json!({
        "detail": rating, "insight": rating, "critique": rating, "evidence": rating,
        "density": rating
    }));
    let weaknesses = json!({
        "type": "array", "maxItems": WEAKNESSES,
        "items": { "type": "string", "maxLength": LONGEST_WEAKNESS }
    });
    object(&json!({
        "reason": { "type": "string", "maxLength": LONGEST },
        "weaknesses_a": weaknesses, "weaknesses_b": weaknesses,
        "a": dimensions, "b": dimensions
    }))
}
