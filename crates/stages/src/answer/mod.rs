//! The stage in which research agents answer tasks: missing answers are found, asked for and saved.
//! How an agent answers is in `agents`; reports that were made elsewhere are read in `layouts`.

pub mod layouts;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Result;
use serde_json::{Map, Value};

use crate::{
    agents::{Agent, Attempt, Query},
    context::{Context, Notice, StageReport},
    data::{AgentReport, ReportHead, State, Task, TaskId},
};

/// Role of the model that answers.
pub const ROLE: &str = "answer";
/// Its prompt.
pub const PROMPT: &str = "answer/report";

/// The agent's name, and how it is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its name.
    pub name: String,
    /// The agent's program or model in one word: another one is another agent, whatever its name.
    pub maker: String,
    /// Each attempt has a folder of its own under this one.
    pub folder: PathBuf,
    /// Tasks at once.
    pub jobs: usize,
    /// Answers to each task.
    pub attempts: u32,
    /// Whether attempts that gave no report are made again.
    pub retry_failed: bool,
    /// Whether reports are made again that are there.
    pub fresh: bool,
    /// Whether the tasks are all that are meant: a part of them does not end making again.
    pub all_tasks: bool,
}

/// Has `agent` answer every task that it has not answered yet, and keeps each report the moment it
/// is there.
pub async fn run(
    ctx: &Context,
    tasks: &[Task],
    agent: &dyn Agent,
    options: &Options,
) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("answer");
    let known = known_attempts(ctx, tasks, options, &mut report)?;
    let missing: Vec<(&Task, u32)> = tasks
        .iter()
        .flat_map(|task| (1..=options.attempts).map(move |attempt| (task, attempt)))
        .filter(|(task, attempt)| !known.contains(&(task.id.clone(), *attempt)))
        .collect();
    report.skipped = tasks.len() as u64 * u64::from(options.attempts) - missing.len() as u64;
    let answered = ctx
        .each(
            report.stage,
            missing,
            options.jobs,
            async |(task, attempt)| answer_and_save(ctx, agent, options, task, attempt).await,
        )
        .await?;
    for ((task, number), attempt) in answered {
        match attempt {
            Some(attempt) if attempt.state == State::Ok => report.done += 1,
            Some(attempt) => report.fail(&item(&task.id, number), attempt.cause, attempt.message),
            None => {}
        }
    }
    if options.fresh && options.all_tasks {
        ctx.store.end_fresh(&options.name)?;
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn item(task: &TaskId, attempt: u32) -> String {
    format!("{task}, attempt {attempt}")
}

/// The attempts that are not made again: those with a report and, unless failed ones are retried,
/// all others; where all are made again, only those of this making. Notes failures of earlier runs,
/// and reports by another maker, in `report`.
fn known_attempts(
    ctx: &Context,
    tasks: &[Task],
    options: &Options,
    report: &mut StageReport,
) -> Result<BTreeSet<(TaskId, u32)>> {
    let wanted: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    let makers = ctx.store.makers(&options.name)?;
    let made_again = options
        .fresh
        .then(|| ctx.store.begin_fresh(&options.name))
        .transpose()?;
    let counts = |head: &ReportHead| {
        let made_again = made_again.as_ref();
        head.agent == options.name
            && made_again.is_none_or(|made| made.contains(&(head.task.clone(), head.attempt)))
    };
    let mut known = BTreeSet::new();
    let mut by_others = 0;
    for earlier in ctx.store.report_heads()?.into_iter().filter(counts) {
        let is_ok = earlier.state == State::Ok;
        // Not known, and so made again.
        if !is_ok && options.retry_failed {
            continue;
        }
        let is_wanted = wanted.contains(&earlier.task) && earlier.attempt <= options.attempts;
        if !is_ok && is_wanted {
            report.fail(
                &item(&earlier.task, earlier.attempt),
                earlier.state.word(),
                "failed in an earlier run\nhint: --retry-failed tries again",
            );
        }
        let maker = makers.get(&earlier.id);
        // They count all the same: a changed prompt or model may be meant.
        by_others += u64::from(is_ok && maker.is_some_and(|maker| *maker != options.maker));
        known.insert((earlier.task, earlier.attempt));
    }
    if by_others > 0 {
        report.notes.push(format!(
            "reports of `{}` by an earlier command, model or setting: {by_others}; they are kept and count\nhint: another --agent name keeps the two apart",
            options.name,
        ));
    }
    Ok(known)
}

/// One attempt, its report kept; none where a dry run asked nothing.
async fn answer_and_save(
    ctx: &Context,
    agent: &dyn Agent,
    options: &Options,
    task: &Task,
    number: u32,
) -> Result<Option<Attempt>> {
    (ctx.notify)(Notice::Working(task.id.as_str()));
    let query = Query {
        id: task.id.as_str(),
        text: &task.text,
        language: &task.language,
        facets: &facets(task),
        history: &[],
        max_words: None,
        attempt: number,
        folder: &attempt_folder(&options.folder, task, number),
    };
    let Some(attempt) = agent.answer(&query).await? else {
        return Ok(None);
    };
    // A failure that may pass is no answer: without a report, the next run asks again.
    if !attempt.is_transient {
        let report = AgentReport::new(
            &task.id,
            &options.name,
            number,
            attempt.state,
            &attempt.text,
            attempt.cost,
        );
        let (maker, trajectory) = (&options.maker, attempt.trajectory.as_ref());
        ctx.store.save_answer(&report, Some(maker), trajectory)?;
    }
    Ok(Some(attempt))
}

/// The facets that a program gets beside the task.
fn facets(task: &Task) -> Map<String, Value> {
    let labels = task.facets.labels().into_iter();
    labels.map(|(name, label)| (name, label.into())).collect()
}

fn attempt_folder(folder: &Path, task: &Task, attempt: u32) -> PathBuf {
    folder.join(task.id.as_str()).join(attempt.to_string())
}
