//! Probes of tasks: one model tries the task from memory; another decides whether it needs
//! research, and whether its deliverable can be judged. A finding marks a task; it removes none.

use std::{collections::BTreeMap, time::Instant};

use anyhow::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    context::{Context, StageReport},
    data::{Cause, Decision, Probe, ProbeLabel, Task, Unscored},
    judging::{self, Question, Verdict},
    llm::{Answer, Ask, object},
};

/// The role that tries a task.
const ROLE: &str = "probe";
/// The role that reviews the attempt: no model marks its own work unless the user binds both roles
/// to one.
const REVIEWER: &str = "review";
/// Longest attempt and longest note in characters.
const LONGEST_ATTEMPT: usize = 3000;
const LONGEST_NOTE: usize = 400;

/// An attempt from memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Attempt {
    /// What would be handed in.
    answer: String,
}

impl Answer for Attempt {}

/// The reviewer's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reviewed {
    /// One sentence: what decides it.
    note: String,
    /// What was found.
    outcome: ProbeLabel,
}

impl Answer for Reviewed {}

impl Verdict for Reviewed {
    fn decision(&self) -> Decision {
        Decision {
            label: self.outcome.word().to_owned(),
            ..Decision::default()
        }
    }

    fn payload(&self) -> Value {
        json!({ "reason": self.note })
    }
}

/// The outcome and cost of the probes of one task.
#[derive(Default)]
struct Probed {
    asked: bool,
    found: Vec<ProbeLabel>,
    failed: Vec<(Probe, Unscored)>,
}

impl Probed {
    fn note(&mut self, probe: Probe, found: Result<ProbeLabel, Unscored>) {
        match found {
            Ok(label) => self.found.push(label),
            Err(unscored) => self.failed.push((probe, unscored)),
        }
    }
}

/// Probes `tasks`, and saves each finding as it comes.
pub async fn run(ctx: &Context, tasks: &[Task]) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("probe");
    let mut found = BTreeMap::<ProbeLabel, usize>::new();
    let work = async |task| probe(ctx, task).await;
    let at_once = ctx.llm.parallel(ROLE).min(ctx.llm.parallel(REVIEWER));
    for (task, probed) in ctx.each(report.stage, tasks, at_once, work).await? {
        report.count(!probed.asked);
        for (probe, unscored) in probed.failed {
            report.fail_unscored(&format!("{} ({})", task.id, probe.label()), &unscored);
        }
        for label in probed.found {
            *found.entry(label).or_default() += 1;
        }
    }
    report.notes.push(summary(&found));
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn summary(found: &BTreeMap<ProbeLabel, usize>) -> String {
    if found.is_empty() {
        return "no finding".to_owned();
    }
    let counts: Vec<String> = found
        .iter()
        .map(|(label, n)| format!("{} {n}", label.label()))
        .collect();
    counts.join(", ")
}

async fn probe(ctx: &Context, task: &Task) -> Result<Probed> {
    let mut probed = Probed::default();
    if let Some(answer) = attempt(ctx, task, &mut probed).await? {
        let vars = json!({ "task": task.text, "answer": answer });
        review(ctx, task, Probe::ClosedBook, &vars, &mut probed).await?;
    }
    let vars = json!({ "task": task.text });
    review(ctx, task, Probe::Deliverable, &vars, &mut probed).await?;
    Ok(probed)
}

/// The attempt from memory; none where the model gave none, which is kept as the reason why the
/// task has no finding.
async fn attempt(ctx: &Context, task: &Task, probed: &mut Probed) -> Result<Option<String>> {
    const PROMPT: &str = "probe/attempt";
    let vars = json!({ "task": task.text });
    let schema = object(&json!({ "answer": { "type": "string", "maxLength": LONGEST_ATTEMPT } }));
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
    let judge = ctx.llm.judge(ROLE, 0, PROMPT, &answer)?;
    let unscored = match answer.value {
        Ok(attempt) => return Ok(Some(attempt.answer)),
        Err(unscored) => unscored,
    };
    judging::keep_failure(
        ctx,
        Probe::ClosedBook.instrument(),
        task.id.as_str(),
        &judge,
        &unscored,
        &answer.call,
    )?;
    probed.note(Probe::ClosedBook, Err(unscored));
    Ok(None)
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
    let labels = probe.labels();
    let schema = object(&json!({
        "note": { "type": "string", "maxLength": LONGEST_NOTE },
        "outcome": { "type": "string", "enum": labels }
    }));
    let fits = |reviewed: &Reviewed| fits(reviewed.outcome, labels);
    let question = Question {
        instrument: probe.instrument(),
        subject: task.id.as_str(),
        other: None,
        keep: json!({}),
        knowing: "",
        ask: Ask {
            role: REVIEWER,
            prompt,
            vars,
            schema: Some(schema),
            max_tokens: 200,
            check: &fits,
            ..Ask::default()
        },
    };
    let judged = judging::judge(ctx, question).await?;
    probed.asked |= !judged.cached;
    probed.note(probe, judged.reply.map(|reviewed| reviewed.outcome));
    Ok(())
}

/// The two probes share one type of label: a label of the other probe is no answer to this one.
fn fits(label: ProbeLabel, labels: &[ProbeLabel]) -> Result<(), Unscored> {
    if labels.contains(&label) {
        return Ok(());
    }
    Err(Unscored {
        cause: Cause::OutOfRange,
        reason: format!("the outcome `{}` answers another question", label.label()),
    })
}
