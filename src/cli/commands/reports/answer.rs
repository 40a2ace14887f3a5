//! `taskgen answer`: runs a research agent over the tasks, a program or a model. Ctrl-C ends a
//! program's processes, too.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use anyhow::Result;

use crate::{
    agents::command::{self, Sandbox},
    answer::{self, ROLE},
    cli::{
        args::{self, Global},
        commands::{sets, stages},
        project::{Project, agents, resolve, roles::Role},
        ui::{exit::Usage, output::Printer, progress, summary},
    },
    data::{AgentReport, ReportHead, Task, TaskId},
    store::Store,
};

/// `taskgen supervise`: the process between taskgen and an agent.
#[cfg(target_os = "linux")]
pub fn supervise(args: &args::Supervise) -> Result<u8> {
    let sandbox = args.sandboxed.then(|| Sandbox {
        readable: args.readable.clone(),
        writable: args.writable.clone(),
    });
    let ended = command::supervise(args.parent, &args.argv, sandbox.as_ref());
    Ok(ended?)
}

/// Elsewhere only an agent's process group is ended.
#[cfg(not(target_os = "linux"))]
pub fn supervise(_: &args::Supervise) -> Result<u8> {
    Err(Usage("only Linux lists the other processes of an agent".into()).into())
}

/// Runs the command.
pub fn answer(global: &Global, args: &args::Answer, printer: &Printer) -> Result<u8> {
    let started = Instant::now();
    if args.agent.trim().is_empty() {
        return Err(Usage("the agent needs a name\nhint: --agent NAME".into()).into());
    }
    let global = &stages::drawn_again(global, args.again);
    let project = Project::find(global)?;
    let settings = agents::configured(&project, args)?;
    if let Some(command) = &settings.command {
        check_program(global, args, printer)?;
        if let Some(note) = agents::without_sandbox(&args.agent, &settings) {
            printer.note(&note);
        }
        say_what_it_gets(&args.agent, command, &settings.env, printer);
    }
    let only = agents::only_once(&args.agent, &settings);
    let store = Arc::new(project.write_as_agent(global, &only)?);
    let mut tasks = sets::tasks(&store, args.set.as_deref())?;
    stages::keep_first(&mut tasks, args.limit, |task| &task.id);
    let notify = progress::notify_in(project.progress(), global.quiet || global.json);
    let role = agents::member(&settings).map(|member| (ROLE, Role(vec![member])));
    let ctx = resolve::context_of(global, &project, &store, &notify, printer, role.as_slice())?;
    let (agent, options) = agents::ready(&ctx, global, &project, &args.agent, &settings)?;
    let options = answer::Options {
        // Another sample is another report.
        fresh: args.fresh || args.again.resample.is_some(),
        all_tasks: args.limit.is_none(),
        ..options
    };
    let work = async {
        let stopped = resolve::signal()?;
        tokio::select! {
            // Dropping the stage ends the processes of a program, which would cost money otherwise.
            report = answer::run(&ctx, &tasks, agent.as_ref(), &options) => Ok(Ok(report?)),
            code = stopped => Ok(Err(code)),
        }
    };
    let worked = resolve::block_on(work);
    if global.dry_run {
        let _done = worked?;
        return stages::predicted(&ctx, printer);
    }
    match stages::finished(worked, &[], &store, &ctx, printer)? {
        Ok(report) => {
            let done = (vec![report], Vec::new());
            summary::evaluated(&project, &store, done, &ctx, started, 1.0, printer)
        }
        Err(code) => {
            let ended = if settings.command.is_some() {
                "; the agent's processes end within seconds"
            } else {
                ""
            };
            printer.error(&format!("\nstopped: every finished report is kept{ended}\nhint: run the same command again to continue"));
            store.end_run(&jiff::Timestamp::now().to_string(), code)?;
            Ok(code)
        }
    }
}

/// Refuses flags that have no meaning for a program, because its actions cannot be foreseen.
fn check_program(global: &Global, args: &args::Answer, printer: &Printer) -> Result<()> {
    if args.again.resample.is_some() {
        let hint = "hint: --fresh runs the program again";
        return Err(Usage(format!("--resample is for models\n{hint}")).into());
    }
    if global.replay {
        let hint = "hint: finished reports are kept; `taskgen reports list`";
        return Err(Usage(format!("--replay runs no agent\n{hint}")).into());
    }
    if global.dry_run {
        let hint = "hint: --dry-run works with an agent that has a `model`";
        return Err(Usage(format!(
            "--dry-run cannot estimate a program's cost\n{hint}"
        ))
        .into());
    }
    if global.offline {
        printer.note("--offline does not hold for the agent: it is another program");
    }
    Ok(())
}

/// Which program gets which variables of the environment: a project from elsewhere may name any.
pub fn say_what_it_gets(agent: &str, command: &str, named: &[String], printer: &Printer) {
    if named.is_empty() {
        return;
    }
    // The arguments may hold a key.
    let program = command.split_whitespace().next().unwrap_or_default();
    let variables = named.join("`, `");
    printer.error(&format!(
        "the agent `{agent}` runs `{program}` with the variables `{variables}`"
    ));
}

/// All reports; without any, an error that says how to get some.
pub fn reports(store: &Store) -> Result<Vec<AgentReport>> {
    not_empty(store.reports()?)
}

/// All reports without their texts; without any, an error that says how to get some.
pub fn report_heads(store: &Store) -> Result<Vec<ReportHead>> {
    not_empty(store.report_heads()?)
}

fn not_empty<T>(reports: Vec<T>) -> Result<Vec<T>> {
    if reports.is_empty() {
        let hint =
            "hint: `taskgen answer --agent NAME`, or `taskgen reports import PATH --agent NAME`";
        return Err(Usage(format!("there are no reports yet\n{hint}")).into());
    }
    Ok(reports)
}

/// Prints the number of reports on other tasks; an error if all are.
pub fn check_on_tasks<T>(
    reports: &[AgentReport<T>],
    tasks: &[Task],
    printer: &Printer,
) -> Result<()> {
    let ids: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    let other = reports
        .iter()
        .filter(|report| !ids.contains(&report.task))
        .count();
    if other == reports.len() {
        let hint = "hint: --set NAME names another set of tasks; `taskgen reports list` shows what each report is on";
        return Err(Usage(format!(
            "none of the {other} reports is on these {} tasks\n{hint}",
            tasks.len()
        ))
        .into());
    }
    if other > 0 {
        printer.note(&format!(
            "{other} reports are on tasks that are not among these {}: they are left out",
            tasks.len()
        ));
    }
    Ok(())
}
