//! `taskgen answer`: runs a research agent over the tasks. Ctrl-C ends the agent's processes, too.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};

use super::{
    args::{self, Global},
    config::AgentConfig,
    exit::Usage,
    output::Printer,
    progress,
    project::Project,
    resolve, summary,
};
use crate::{
    answer::{self, Agent, command, command::CommandAgent},
    data::Task,
    store::Store,
};

/// Runs the command.
pub fn answer(global: &Global, args: &args::Answer, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    let project = Project::find(global)?;
    let store = Arc::new(project.write(global)?);
    let tasks = of_set(&store, args.set.as_deref())?;
    let agent = agent(global, &project, args)?;
    let notify = progress::notify(global.quiet || global.json);
    let ctx = resolve::context(global, &project, &store, &notify, printer, &[])?;
    let work = async {
        tokio::select! {
            // Dropped, it ends what it has begun.
            report = answer::run(&ctx, &tasks, &agent) => Ok(Ok(report?)),
            code = resolve::signal() => Ok(Err(code?)),
        }
    };
    match resolve::block_on(work)? {
        Ok(report) => summary::evaluated(&project, &store, vec![report], &ctx, started, 1.0, printer),
        Err(code) => {
            printer.error("\nstopped: every report that was handed in is kept, and the agent's processes are ended\nhint: run the same command again to continue");
            store.end_run(&jiff::Timestamp::now().to_string(), code)?;
            Ok(code)
        }
    }
}

/// The tasks of a set; of the newest one if none is named, or all if there is none.
pub fn of_set(store: &Store, name: Option<&str>) -> Result<Vec<Task>> {
    let mut tasks = store.tasks()?;
    match (store.task_set(name)?, name) {
        (Some(members), _) => tasks.retain(|task| members.contains(&task.id)),
        (None, Some(name)) => {
            let hint = "hint: `taskgen tasks select --name NAME` makes one";
            return Err(Usage(format!("no such set of tasks: `{name}`\n{hint}")).into());
        }
        (None, None) => {}
    }
    if tasks.is_empty() {
        return Err(Usage("there are no tasks to answer\nhint: `taskgen run`".into()).into());
    }
    Ok(tasks)
}

fn agent(global: &Global, project: &Project, args: &args::Answer) -> Result<Agent> {
    let known = project.loaded.config.agents.get(&args.agent);
    let given = args.command.as_ref().map(|command| AgentConfig { command: command.clone(), ..AgentConfig::default() });
    let Some(of) = given.as_ref().or(known) else {
        let hint =
            format!("[agents.{}] with a `command` in `taskgen.toml`, or --command 'PROGRAM ARGUMENT …'", args.agent);
        return Err(Usage(format!("no such agent: `{}`\nhint: {hint}", args.agent)).into());
    };
    let folder = std::path::absolute(project.tasks().join("agents").join(file_name(&args.agent)))
        .context("the project's folder is gone")?;
    let mut words =
        command::split(&of.command).map_err(|e| Usage(format!("the command of `{}`: {e:#}", args.agent)))?;
    if let Some(program) = words.first_mut() {
        *program = absolute(program, &project.root)?;
    }
    Ok(Agent {
        name: args.agent.clone(),
        command: CommandAgent {
            argv: words,
            environment: environment(&of.env.iter().chain(&args.env).cloned().collect::<Vec<_>>())?,
            limit: Duration::from_secs(args.time_limit.unwrap_or(of.time_limit)),
        },
        jobs: args.jobs.unwrap_or(of.jobs).max(1),
        attempts: args.attempts.unwrap_or(of.attempts).max(1),
        retry_failed: global.retry_failed,
        folder,
    })
}

/// A program that is named by a path is found from the project's folder; any other in `PATH`.
fn absolute(program: &str, root: &Path) -> Result<String> {
    if !program.contains('/') {
        return Ok(program.to_owned());
    }
    let path = std::path::absolute(root.join(program)).context("the project's folder is gone")?;
    Ok(path.to_string_lossy().into_owned())
}

/// `PATH`, `LANG` and what the user named.
fn environment(named: &[String]) -> Result<BTreeMap<String, OsString>> {
    let mut environment = BTreeMap::new();
    for name in ["PATH", "LANG"] {
        environment.extend(std::env::var_os(name).map(|value| (name.to_owned(), value)));
    }
    for name in named {
        let value = std::env::var_os(name).ok_or_else(|| {
            Usage(format!(
                "the agent needs the variable `{name}`, which is not set\nhint: export it, or use --env-file"
            ))
        })?;
        environment.insert(name.clone(), value);
    }
    Ok(environment)
}

/// The name as part of a path, whatever is in it.
fn file_name(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    PathBuf::from(name.trim_start_matches('.'))
}
