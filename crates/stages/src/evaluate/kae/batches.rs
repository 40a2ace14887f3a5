//! Relations asked about in batches: several key points of a report in one question, so that the
//! report is read once for all of them. Points that belong together by chance alone are asked
//! together: their order follows from the seed. A batch whose reply cannot be read is asked again
//! in halves.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::relations::{self, Compared, RELATION, ROLE};
use crate::{
    context::{Context, StageReport},
    data::{CallId, Cause, InForce, Judge, KeyPoint, NewJudgement, Unscored, id::sha256_hex},
    evaluate::Case,
    judging::{
        self, About,
        relate::{self, Related, RelatedEach},
    },
    llm::Ask,
    store::{Evaluation, PanelJudgements},
};

pub const PROMPT: &str = "evaluate/relations";

/// Key points of a report, for one judge.
struct Batch<'a> {
    case: Case<'a>,
    points: Vec<&'a KeyPoint>,
    member: usize,
}

/// How one relation ended.
struct Ended<'a> {
    point: &'a KeyPoint,
    cached: bool,
    failed: Option<Unscored>,
}

/// Asks each judge about the points of each report, at most so many at once, and leaves out what is
/// decided already.
pub async fn relate(ctx: &Context, most: usize, compared: &[Compared<'_>]) -> Result<StageReport> {
    let mut report = StageReport::new("relations");
    let mut batches = Vec::new();
    let judges: Vec<PanelJudgements<'_>> = judging::panel(ctx, ROLE, PROMPT)?
        .into_iter()
        .map(|judge| ctx.store.panel_judgements(&alone(judge)))
        .collect::<Result<_>>()?;
    for (case, points) in compared {
        for (member, judge) in judges.iter().enumerate() {
            let decided = decided(judge, case.report.id.as_str())?;
            let (done, mut open): (Vec<&KeyPoint>, Vec<&KeyPoint>) = points
                .iter()
                .partition(|point| decided.contains(point.id.as_str()));
            report.skipped += done.len() as u64;
            let order = |point: &&KeyPoint| {
                let of = [case.report.id.as_str(), point.id.as_str()].join(" ");
                sha256_hex(format!("{} {of}", ctx.seed).as_bytes())
            };
            open.sort_by_cached_key(order);
            batches.extend(open.chunks(most).map(|points| Batch {
                case: *case,
                points: points.to_vec(),
                member,
            }));
        }
    }
    let work = async |batch| ask(ctx, batch).await;
    let at_once = ctx.llm.parallel(ROLE);
    for (batch, ended) in ctx.each("relations", &batches, at_once, work).await? {
        for Ended {
            point,
            cached,
            failed,
        } in ended
        {
            report.count(cached);
            if let Some(unscored) = failed {
                let name = format!("{} and {}", batch.case.report.id, point.id);
                report.fail_unscored(&name, &unscored);
            }
        }
    }
    Ok(report)
}

/// The judgements of one judge, as (model asked, hash of the prompt), are all that count.
fn alone(judge: (String, String)) -> Evaluation {
    Evaluation {
        instruments: vec![InForce {
            instrument: RELATION.id.to_owned(),
            panel: vec![judge],
            settings: serde_json::Value::Null,
        }],
    }
}

/// The points of a report about which a judge has decided.
fn decided(judge: &PanelJudgements<'_>, report: &str) -> Result<BTreeSet<String>> {
    let known = judge.read_bare(RELATION, report, relations::bare)?;
    let decided = known.into_iter().filter(|of| of.outcome.is_ok());
    Ok(decided.map(|of| of.about).collect())
}

/// An answer about some points, with its judge.
struct Answer<'a> {
    points: Vec<&'a KeyPoint>,
    seen: String,
    call: CallId,
    cached: bool,
    judge: Judge,
    verdicts: Vec<Result<Related, Unscored>>,
}

/// Asks about a batch, and about its halves where the reply cannot be read. All judgements of a
/// batch are saved together: what a killed run left open is batches of the same points, whose
/// replies are on record.
async fn ask<'a>(ctx: &Context, batch: &Batch<'a>) -> Result<Vec<Ended<'a>>> {
    let case = &batch.case;
    let (mut answers, mut open) = (Vec::new(), vec![batch.points.clone()]);
    while let Some(points) = open.pop() {
        let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
        let vars = json!({ "task": case.task.text, "report": case.report.text, "points": texts });
        let n = points.len();
        let question = Ask::<RelatedEach> {
            role: ROLE,
            member: batch.member,
            prompt: PROMPT,
            vars: &vars,
            schema: Some(relate::schema_of_each(n)),
            max_tokens: relate::tokens_of_each(n),
            check: &|each| each.check(n),
            ..Ask::default()
        };
        let (answer, judge) = judging::ask(ctx, question).await?;
        match answer.value {
            Err(unscored) if n > 1 && is_unreadable(&unscored) => {
                let (first, second) = points.split_at(n / 2);
                open.extend([second.to_vec(), first.to_vec()]);
            }
            value => answers.push(Answer {
                verdicts: match value {
                    Ok(each) => each.in_order().into_iter().map(Ok).collect(),
                    Err(unscored) => (0..n).map(|_| Err(unscored.clone())).collect(),
                },
                seen: judging::seen(&vars),
                points,
                call: answer.call,
                cached: answer.cached,
                judge,
            }),
        }
    }
    save(ctx, case, answers)
}

/// Saves what answers say of each point, or for each why they say nothing.
fn save<'a>(ctx: &Context, case: &Case<'_>, answers: Vec<Answer<'a>>) -> Result<Vec<Ended<'a>>> {
    let judgements: Vec<NewJudgement<'_>> =
        answers.iter().flat_map(|of| of.judgements(case)).collect();
    ctx.store.save_judgements(&judgements)?;
    drop(judgements);
    let ended = answers.into_iter().flat_map(|answer| {
        let cached = answer.cached;
        let points = answer.points.into_iter().zip(answer.verdicts);
        points.map(move |(point, verdict)| Ended {
            point,
            cached,
            failed: verdict.err(),
        })
    });
    Ok(ended.collect())
}

impl Answer<'_> {
    fn judgements<'s>(&'s self, case: &Case<'s>) -> Vec<NewJudgement<'s>> {
        let verdicts = self.points.iter().zip(&self.verdicts).enumerate();
        let judgement =
            |(place, (point, verdict)): (usize, (&&'s KeyPoint, &'s Result<Related, Unscored>))| {
                let about = About {
                    instrument: RELATION,
                    subject: case.report.id.as_str(),
                    other: Some(point.id.as_str()),
                    sample: 0,
                    evidence: self.seen.clone(),
                    // Where it stood among the others may matter.
                    keep: json!({ "place": place + 1, "of": self.points.len() }),
                };
                judging::judgement(about, verdict.as_ref(), &self.judge, &self.call)
            };
        verdicts.map(judgement).collect()
    }
}

/// Whether the reply is at fault, and not the way to the model.
fn is_unreadable(unscored: &Unscored) -> bool {
    !unscored.cause.is_transient() && unscored.cause != Cause::NotAsked
}
