//! Research agents answer tasks: a program is run once for each task, or a model is asked, and what
//! it says is kept as its report; reports that were made elsewhere are read as the field writes
//! them. Hides processes, providers and layouts.

mod attempt;
pub mod command;
pub mod layouts;
pub mod model;
mod sources;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Result;
use serde_json::json;

use crate::{
    context::{Context, Notice, StageReport},
    data::{AgentReport, State, Task, TaskId},
};
use attempt::Attempt;
use command::{CommandAgent, Ran};
use model::ModelAgent;

/// An agent that answers.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// What it is.
    pub by: By,
    /// The same in one word: another one is another program or model, whatever its name.
    pub maker: String,
    /// Tasks at once.
    pub jobs: usize,
    /// Answers to each task.
    pub attempts: u32,
    /// Whether attempts that gave no report are made again.
    pub retry_failed: bool,
}

/// What an agent is.
#[derive(Clone, Debug)]
pub enum By {
    /// A program; each attempt works in a folder of its own under this one.
    Command(CommandAgent, PathBuf),
    /// The model of the role [`model::ROLE`].
    Model(ModelAgent),
}

/// Has `agent` answer every task that it has not answered yet, and keeps each report the moment it
/// is there.
pub async fn run(ctx: &Context, tasks: &[Task], agent: &Agent) -> Result<StageReport> {
    let started = Instant::now();
    let mut report = StageReport::new("answer");
    let ids: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    let mut known = BTreeSet::new();
    let (makers, mut by_others) = (ctx.store.makers(&agent.name)?, 0);
    for earlier in ctx
        .store
        .report_heads()?
        .into_iter()
        .filter(|earlier| earlier.agent == agent.name)
    {
        let is_open = ids.contains(&earlier.task) && earlier.attempt <= agent.attempts;
        if earlier.state != State::Ok && is_open && !agent.retry_failed {
            let item = format!("{}, attempt {}", earlier.task, earlier.attempt);
            report.fail(
                &item,
                earlier.state.word(),
                "no report since an earlier run\nhint: --retry-failed tries it again",
            );
        }
        if earlier.state == State::Ok || !agent.retry_failed {
            by_others += u64::from(
                makers
                    .get(&earlier.id)
                    .is_some_and(|maker| *maker != agent.maker),
            );
            known.insert((earlier.task, earlier.attempt));
        }
    }
    if by_others > 0 {
        report.notes.push(format!(
            "reports that `{}` handed in before as another command, model or setting: {by_others}; they are kept, and count as its own\nhint: another name for what it is now keeps the two apart",
            agent.name,
        ));
    }
    let all = tasks
        .iter()
        .flat_map(|task| (1..=agent.attempts).map(move |attempt| (task, attempt)));
    let open: Vec<(&Task, u32)> = all
        .filter(|(task, attempt)| !known.contains(&(task.id.clone(), *attempt)))
        .collect();
    report.skipped = tasks.len() as u64 * u64::from(agent.attempts) - open.len() as u64;
    let answer = async |(task, attempt): (&Task, u32)| {
        (ctx.notify)(Notice::Working(task.id.as_str()));
        let Some(made) = made(ctx, &agent.by, task, attempt).await? else {
            return Ok(None);
        };
        let report = AgentReport::new(
            &task.id,
            &agent.name,
            attempt,
            made.state,
            &made.text,
            made.spent,
        );
        // What may pass is no answer: the next run asks again.
        if !made.passes {
            ctx.store.save_report(&report, Some(&agent.maker))?;
        }
        Ok(Some(made))
    };
    for ((task, attempt), made) in ctx.each(report.stage, open, agent.jobs, answer).await? {
        match made {
            Some(made) if made.state == State::Ok => report.done += 1,
            Some(made) => report.fail(
                &format!("{}, attempt {attempt}", task.id),
                made.cause,
                made.message,
            ),
            None => {}
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// One attempt; none where nothing was asked, because the command only predicts.
async fn made(ctx: &Context, by: &By, task: &Task, attempt: u32) -> Result<Option<Attempt>> {
    match by {
        By::Command(agent, folder) => {
            let ran = command::run(agent, &asked(task), &place(folder, task, attempt)).await;
            let cause = ran.fault.map_or(ran.state.word(), |fault| fault.word());
            let message = why(&ran);
            Ok(Some(Attempt {
                state: ran.state,
                text: ran.text,
                spent: ran.spent,
                cause,
                message,
                passes: false,
            }))
        }
        By::Model(agent) => model::ask(ctx, agent, task, attempt).await,
    }
}

/// What the program reads.
fn asked(task: &Task) -> String {
    json!({
        "id": task.id,
        "task": task.task,
        "language": task.language,
        "phase": task.phase.label(),
        "type": task.task_type.label(),
        "difficulty": task.difficulty.label(),
        "discipline": task.discipline,
    })
    .to_string()
}

fn place(folder: &Path, task: &Task, attempt: u32) -> PathBuf {
    folder.join(task.id.as_str()).join(attempt.to_string())
}

fn why(ran: &Ran) -> String {
    let message = ran
        .message
        .clone()
        .unwrap_or_else(|| format!("no report: {}", ran.state.word()));
    match ran.stderr.trim().lines().next_back() {
        Some(last) => format!("{message}\nits last words: {last}"),
        None => message,
    }
}
