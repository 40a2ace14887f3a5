//! Is a task one? Somebody tries it from memory, and somebody else says whether research would have
//! been needed and whether what is to be handed in could be judged. What is found marks a task; it
//! removes none.

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    context::{Context, StageReport},
    data::{CallId, Cause, Outcome, Probe, Task, Unscored},
    llm::{Answer, Ask, object},
    store::Judge,
};

/// Who tries.
const ROLE: &str = "probe";
/// Who looks at what came of it: nobody marks his own work.
const REVIEWER: &str = "review";
/// Letters of an attempt.
const LONGEST: usize = 3000;

/// An attempt from memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Attempt {
    /// What would be handed in.
    answer: String,
}

impl Answer for Attempt {}

/// What the reviewer says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// One sentence: what decides it.
    note: String,
    /// What was found.
    outcome: Outcome,
}

impl Answer for Said {}

/// What the probes of one task took and found.
#[derive(Default)]
struct Probed {
    asked: bool,
    found: Vec<Outcome>,
    failed: Vec<(Probe, Unscored)>,
}

/// Probes `tasks`, and saves what is found as it comes.
pub async fn run(ctx: &Context, tasks: &[Task]) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("probe");
    let mut found = BTreeMap::<Outcome, usize>::new();
    let work = async |task| probe(ctx, task).await;
    let at_once = ctx.llm.parallel(ROLE).min(ctx.llm.parallel(REVIEWER));
    for (task, probed) in ctx.each(report.stage, tasks, at_once, work).await? {
        report.count(!probed.asked);
        for (probe, unscored) in probed.failed {
            report.fail_unscored(&format!("{} ({})", task.id, probe.label()), &unscored);
        }
        probed
            .found
            .into_iter()
            .for_each(|outcome| *found.entry(outcome).or_default() += 1);
    }
    let counts: Vec<String> = found
        .iter()
        .map(|(outcome, n)| format!("{} {n}", outcome.label()))
        .collect();
    report.notes.push(if counts.is_empty() {
        "nothing was found out".to_owned()
    } else {
        counts.join(", ")
    });
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

async fn probe(ctx: &Context, task: &Task) -> Result<Probed> {
    let mut probed = Probed::default();
    if let Some(answer) = attempt(ctx, task, &mut probed).await? {
        let vars = json!({ "task": task.task, "answer": answer });
        review(ctx, task, Probe::ClosedBook, &vars, &mut probed).await?;
    }
    review(
        ctx,
        task,
        Probe::Deliverable,
        &json!({ "task": task.task }),
        &mut probed,
    )
    .await?;
    Ok(probed)
}

/// What is written from memory; none where nothing was.
async fn attempt(ctx: &Context, task: &Task, probed: &mut Probed) -> Result<Option<String>> {
    const PROMPT: &str = "probe/attempt";
    let vars = json!({ "task": task.task });
    let schema = object(&json!({ "answer": { "type": "string", "maxLength": LONGEST } }));
    let ask = Ask {
        role: ROLE,
        prompt: PROMPT,
        vars: &vars,
        schema: Some(schema),
        max_tokens: 900,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Attempt>(ask).await?;
    probed.asked |= !answer.cached;
    match answer.value {
        Ok(attempt) => Ok(Some(attempt.answer)),
        Err(unscored) => {
            let judge = ctx.llm.judge(ROLE, 0, PROMPT, answer.model_returned)?;
            keep(
                ctx,
                task,
                Probe::ClosedBook,
                Err(unscored),
                (&judge, &answer.call),
                probed,
            )?;
            Ok(None)
        }
    }
}

async fn review(
    ctx: &Context,
    task: &Task,
    probe: Probe,
    vars: &Value,
    probed: &mut Probed,
) -> Result<()> {
    let prompt = match probe {
        Probe::ClosedBook => "probe/closed-book",
        Probe::Deliverable => "probe/deliverable",
    };
    let outcomes = probe.outcomes();
    let schema = object(&json!({
        "note": { "type": "string", "maxLength": 400 },
        "outcome": { "type": "string", "enum": outcomes }
    }));
    let check = |said: &Said| {
        let reason = || {
            format!(
                "the outcome `{}` answers another question",
                said.outcome.label()
            )
        };
        let right = outcomes.contains(&said.outcome);
        right.then_some(()).ok_or_else(|| Unscored {
            cause: Cause::OutOfRange,
            reason: reason(),
        })
    };
    let schema = Some(schema);
    let ask = Ask {
        role: REVIEWER,
        prompt,
        vars,
        schema,
        max_tokens: 200,
        check: &check,
        ..Ask::default()
    };
    let answer = ctx.llm.ask::<Said>(ask).await?;
    probed.asked |= !answer.cached;
    let judge = ctx.llm.judge(REVIEWER, 0, prompt, answer.model_returned)?;
    keep(
        ctx,
        task,
        probe,
        answer.value.map(|said| (said.outcome, said.note)),
        (&judge, &answer.call),
        probed,
    )
}

fn keep(
    ctx: &Context,
    task: &Task,
    probe: Probe,
    found: Result<(Outcome, String), Unscored>,
    (judge, call): (&Judge, &CallId),
    probed: &mut Probed,
) -> Result<()> {
    ctx.store
        .save_finding(&task.id, probe, &found, judge, call)?;
    match found {
        Ok((outcome, _)) => probed.found.push(outcome),
        Err(unscored) => probed.failed.push((probe, unscored)),
    }
    Ok(())
}
