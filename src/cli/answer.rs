//! `taskgen answer`: runs a research agent over the tasks. Ctrl-C ends the agent's processes, too.

use std::{
    collections::{BTreeMap, BTreeSet},
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
    data::{AgentReport, Task, TaskId, id::sha256_hex},
    store::Store,
};

/// Runs the command.
pub fn answer(global: &Global, args: &args::Answer, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    if global.replay {
        let hint = "hint: reports that were handed in are kept; `taskgen reports list`";
        return Err(Usage(format!("--replay asks nobody, and so no agent\n{hint}")).into());
    }
    if args.agent.trim().is_empty() {
        return Err(Usage("the agent needs a name\nhint: --agent NAME".into()).into());
    }
    let project = Project::find(global)?;
    let store = Arc::new(project.write(global)?);
    if global.offline {
        printer.note("--offline holds for taskgen, and not for the agent: it is a program of its own");
    }
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

/// All reports; where there are none, what to do.
pub fn reports(store: &Store) -> Result<Vec<AgentReport>> {
    let reports = store.reports()?;
    if reports.is_empty() {
        let hint = "hint: `taskgen answer --agent NAME`, or `taskgen reports import PATH --agent NAME`";
        return Err(Usage(format!("there are no reports yet\n{hint}")).into());
    }
    Ok(reports)
}

/// Says how many reports are on other tasks than these; if all are, there is nothing to do.
pub fn on_tasks(reports: &[AgentReport], tasks: &[Task], printer: &Printer) -> Result<()> {
    let ids: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    let other = reports.iter().filter(|report| !ids.contains(&report.task)).count();
    if other == reports.len() {
        let hint = "hint: --set NAME names another set of tasks; `taskgen reports list` shows what each report is on";
        return Err(Usage(format!("none of the {other} reports is on these {} tasks\n{hint}", tasks.len())).into());
    }
    if other > 0 {
        printer
            .note(&format!("{other} reports are on tasks that are not among these {}: they are left out", tasks.len()));
    }
    Ok(())
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
    for (at, word) in words.iter_mut().enumerate() {
        *word = placed(word, at == 0, &project.root)?;
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

/// The agent runs in a folder of its own: a program that is named by a path, and any argument that is a file or folder of
/// the project, is found from the project's folder. Other programs are found in `PATH`.
fn placed(word: &str, is_program: bool, root: &Path) -> Result<String> {
    let path = std::path::absolute(root.join(word)).context("the project's folder is gone")?;
    let is_path = if is_program { word.contains('/') } else { !word.is_empty() && path.exists() };
    Ok(if is_path { path.to_string_lossy().into_owned() } else { word.to_owned() })
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

/// The name as part of a path, whatever is in it; no two names have the same.
fn file_name(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let readable: String = name.chars().map(plain).take(40).collect();
    PathBuf::from(format!("{readable}-{}", &sha256_hex(name.as_bytes())[..8]))
}
