//! Runnable agents, from their settings in `[agents.NAME]` and from flags. A program is found from
//! the project's folder and gets only the variables that the user named.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::{providers, roles::Member, settings::AgentConfig, this_program};
use crate::{
    agents::{Agent, CommandAgent, ModelAgent, command},
    answer::{Options, PROMPT, ROLE},
    cli::{
        args::{self, Global},
        project::Project,
        ui::exit::Usage,
    },
    context::Context,
    data::{id::sha256_hex, report::check_agent_name},
};

/// Seconds for a task by default.
const TIME_LIMIT: u64 = 1800;

/// The settings of the agent that the flags name: those of the configuration, or a program or model
/// of the flags, as `taskgen.toml` would have it.
pub fn configured(project: &Project, args: &args::Answer) -> Result<AgentConfig> {
    let name = &args.agent;
    let known = project.loaded.config.agents.get(name).cloned();
    let mut settings = if args.command.is_some() || args.model.is_some() {
        with_flags(known, args)
    } else {
        known.ok_or_else(|| no_such_agent(name))?
    };
    settings.time_limit = args.time_limit.or(settings.time_limit);
    settings.jobs = args.jobs.or(settings.jobs);
    settings.attempts = args.attempts.or(settings.attempts);
    // Added, not replaced: the configured program needs its own variables as well.
    settings.env.extend(args.env.iter().cloned());
    settings.check().map_err(|error| {
        Usage(format!(
            "the agent `{name}`: {error}\nhint: `taskgen answer --help`"
        ))
    })?;
    Ok(settings)
}

/// The program or model of the flags. Further settings of a known agent of that name hold if it is
/// of the same kind: `max_tokens` means nothing to a program.
fn with_flags(known: Option<AgentConfig>, args: &args::Answer) -> AgentConfig {
    let same_kind = known.filter(|known| known.model.is_some() == args.model.is_some());
    AgentConfig {
        command: args.command.clone(),
        model: args.model.clone(),
        ..same_kind.unwrap_or_default()
    }
}

fn no_such_agent(name: &str) -> Usage {
    let hint = format!(
        "[agents.{name}] with a `command` or a `model` in `taskgen.toml`, or --command 'PROGRAM ARGUMENT …', or --model PROVIDER/MODEL"
    );
    Usage(format!("no such agent: `{name}`\nhint: {hint}"))
}

/// The model of an agent, as a member of a role would be.
pub fn member(settings: &AgentConfig) -> Option<Member> {
    let model = settings.model.clone()?;
    let timeout = Some(settings.time_limit.unwrap_or(TIME_LIMIT));
    Some(Member {
        model,
        max_connections: None,
        timeout,
        temperature: settings.temperature,
        max_tokens: settings.max_tokens,
    })
}

/// The agent, ready to run, and how the stage runs it. A model is the only member of the stage's
/// role in `ctx`.
pub fn ready(
    ctx: &Context,
    global: &Global,
    project: &Project,
    name: &str,
    settings: &AgentConfig,
) -> Result<(Box<dyn Agent>, Options)> {
    check_agent_name(name).map_err(Usage)?;
    let search = searches(global, project, settings)?;
    let agent: Box<dyn Agent> = match &settings.command {
        Some(command) => Box::new(program(project, name, settings, command)?),
        None => Box::new(ModelAgent {
            ctx: ctx.clone(),
            role: ROLE,
            prompt: PROMPT,
            search,
        }),
    };
    // A program may need the whole machine; a model's server says how much it takes.
    let usual_jobs = match &settings.model {
        Some(_) => ctx.llm.parallel(ROLE),
        None => 1,
    };
    let folder = project.tasks().join("agents").join(file_name(name));
    let options = Options {
        name: name.to_owned(),
        maker: maker(settings, search),
        folder: std::path::absolute(folder).context("the project's folder is gone")?,
        jobs: settings.jobs.unwrap_or(usual_jobs).max(1),
        attempts: settings.attempts.unwrap_or(1).max(1),
        retry_failed: global.retry_failed,
    };
    Ok((agent, options))
}

/// A hash of the maker of reports: the command, or the model with its settings, without limits and
/// numbers of attempts. It is hashed because a command may hold a key.
fn maker(settings: &AgentConfig, search: bool) -> String {
    let parts = json!([
        settings.command,
        settings.model,
        search,
        settings.temperature.unwrap_or(0.0),
        settings.max_tokens
    ]);
    sha256_hex(parts.to_string().as_bytes())[..16].to_owned()
}

/// Whether the agent is a model with web search: by the user's setting, else if its provider has
/// one.
fn searches(global: &Global, project: &Project, settings: &AgentConfig) -> Result<bool> {
    let Some(model) = settings.model.as_deref() else {
        return Ok(false);
    };
    if settings.web_search == Some(true) && model.starts_with("local/") {
        let hint = "hint: leave out `web_search`, or name a model of a provider that has a search of its own";
        return Err(Usage(format!("the embedded model cannot search the web\n{hint}")).into());
    }
    match settings.web_search {
        Some(wanted) => Ok(wanted),
        None => providers::searches(global, &project.loaded.config, model),
    }
}

fn program(
    project: &Project,
    name: &str,
    settings: &AgentConfig,
    command: &str,
) -> Result<CommandAgent> {
    let mut argv =
        command::split(command).map_err(|e| Usage(format!("the command of `{name}`: {e:#}")))?;
    for (index, word) in argv.iter_mut().enumerate() {
        *word = placed(word, index == 0, &project.root)?;
    }
    Ok(CommandAgent {
        argv,
        environment: environment(&settings.env)?,
        time_limit: Duration::from_secs(settings.time_limit.unwrap_or(TIME_LIMIT)),
        supervisor: supervisor()?,
    })
}

/// This program, where it can supervise others.
fn supervisor() -> Result<Option<PathBuf>> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    this_program().map(Some)
}

/// The agent runs in a folder of its own: a program that is named by a path, and any argument that
/// is a file or folder of the project, is found from the project's folder. Other programs are found
/// in `PATH`.
fn placed(word: &str, is_program: bool, root: &Path) -> Result<String> {
    let path = std::path::absolute(root.join(word)).context("the project's folder is gone")?;
    let is_path = if is_program {
        word.contains('/')
    } else {
        !word.is_empty() && path.exists()
    };
    Ok(if is_path {
        path.to_string_lossy().into_owned()
    } else {
        word.to_owned()
    })
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

/// The name as a safe and unique part of a path.
fn file_name(name: &str) -> PathBuf {
    let readable: String = name.chars().map(plain_in_paths).take(40).collect();
    PathBuf::from(format!("{readable}-{}", &sha256_hex(name.as_bytes())[..8]))
}

fn plain_in_paths(c: char) -> char {
    if c.is_alphanumeric() || c == '-' {
        c
    } else {
        '_'
    }
}
