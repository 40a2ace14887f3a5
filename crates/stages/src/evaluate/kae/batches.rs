//! Relations asked about in batches: several key points of a report in one question, so that the
//! report is read once for all of them. Points that belong together by chance alone are asked
//! together: their order follows from the seed. A batch whose reply cannot be read is asked again in
//! halves.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::relations::{self, Compared, RELATION, ROLE};
use crate::{
    context::{Context, StageReport},
    data::{Cause, InForce, Judge, KeyPoint, Unscored, id::sha256_hex},
    evaluate::Case,
    judging::{
        self, About,
        relate::{self, Related, RelatedEach},
    },
    llm::{Answered, Ask},
    store::Evaluation,
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
    for (case, points) in compared {
        for member in 0..ctx.llm.members(ROLE) {
            let decided = decided(ctx, case.report.id.as_str(), member)?;
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

/// The points about which a judge has decided.
fn decided(ctx: &Context, report: &str, member: usize) -> Result<BTreeSet<String>> {
    let alone = Evaluation {
        instruments: vec![InForce {
            instrument: RELATION.id.to_owned(),
            panel: vec![judging::panel(ctx, ROLE, PROMPT)?.swap_remove(member)],
            settings: serde_json::Value::Null,
        }],
    };
    let judgements = ctx.store.panel_judgements(&alone)?;
    let known = judgements.read_bare(RELATION, report, relations::bare)?;
    let decided = known.into_iter().filter(|of| of.outcome.is_ok());
    Ok(decided.map(|of| of.about).collect())
}

/// Asks about a batch, and about its halves where the reply cannot be read.
async fn ask<'a>(ctx: &Context, batch: &Batch<'a>) -> Result<Vec<Ended<'a>>> {
    let mut ended = Vec::new();
    let mut open = vec![batch.points.clone()];
    while let Some(points) = open.pop() {
        let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
        let case = &batch.case;
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
        let halves = match &answer.value {
            Err(unscored) if n > 1 && is_unreadable(unscored) => Some(points.split_at(n / 2)),
            _ => None,
        };
        if let Some((first, second)) = halves {
            open.extend([second.to_vec(), first.to_vec()]);
            continue;
        }
        ended.extend(keep(
            ctx,
            case,
            points,
            &judging::seen(&vars),
            answer,
            &judge,
        )?);
    }
    Ok(ended)
}

/// Saves what an answer says of each point, or for each why it says nothing.
fn keep<'a>(
    ctx: &Context,
    case: &Case<'_>,
    points: Vec<&'a KeyPoint>,
    seen: &str,
    answer: Answered<RelatedEach>,
    judge: &Judge,
) -> Result<Vec<Ended<'a>>> {
    let n = points.len();
    let verdicts: Vec<Result<Related, Unscored>> = match answer.value {
        Ok(each) => each.in_order().into_iter().map(Ok).collect(),
        Err(unscored) => (0..n).map(|_| Err(unscored.clone())).collect(),
    };
    let mut ended = Vec::new();
    for (place, (point, verdict)) in points.into_iter().zip(verdicts).enumerate() {
        let about = About {
            instrument: RELATION,
            subject: case.report.id.as_str(),
            other: Some(point.id.as_str()),
            sample: 0,
            evidence: seen.to_owned(),
            // Where it stood among the others may matter.
            keep: json!({ "place": place + 1, "of": n }),
        };
        judging::save(ctx, about, verdict.as_ref(), judge, &answer.call)?;
        ended.push(Ended {
            point,
            cached: answer.cached,
            failed: verdict.err(),
        });
    }
    Ok(ended)
}

/// Whether the reply is at fault, and not the way to the model.
fn is_unreadable(unscored: &Unscored) -> bool {
    !unscored.cause.is_transient() && unscored.cause != Cause::NotAsked
}
