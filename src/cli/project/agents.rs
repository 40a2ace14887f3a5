//! An agent that can be run, from its settings in `[agents.NAME]` and from flags. A program is found from the project's folder and gets only the variables
//! that were named for it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::{providers, roles::Member, settings::AgentConfig};
use crate::{
    answer::{
        Agent, By,
        command::{self, CommandAgent},
        model::ModelAgent,
    },
    cli::{
        args::{self, Global},
        project::Project,
        ui::exit::Usage,
    },
    data::id::sha256_hex,
};

/// Seconds for a task, where nobody says otherwise.
const TIME_LIMIT: u64 = 1800;

/// The agent that the flags name: one of the configuration, or the program or model that they give,
/// as `taskgen.toml` would have it.
pub fn configured(project: &Project, args: &args::Answer) -> Result<AgentConfig> {
    let name = &args.agent;
    let known = project.loaded.config.agents.get(name).cloned();
    let mut of = if args.command.is_some() || args.model.is_some() {
        // What else is known of an agent of the same kind holds for it, too.
        let is_of_kind = |of: &AgentConfig| of.model.is_some() == args.model.is_some();
        let known = known.filter(is_of_kind).unwrap_or_default();
        AgentConfig {
            command: args.command.clone(),
            model: args.model.clone(),
            ..known
        }
    } else {
        known.ok_or_else(|| {
            let hint = format!(
                "[agents.{name}] with a `command` or a `model` in `taskgen.toml`, or --command 'PROGRAM ARGUMENT …', or --model PROVIDER/MODEL"
            );
            Usage(format!("no such agent: `{name}`\nhint: {hint}"))
        })?
    };
    of.time_limit = args.time_limit.or(of.time_limit);
    of.jobs = args.jobs.or(of.jobs);
    of.attempts = args.attempts.or(of.attempts);
    of.env.extend(args.env.iter().cloned());
    of.check().map_err(|error| {
        Usage(format!(
            "the agent `{name}`: {error}\nhint: `taskgen answer --help`"
        ))
    })?;
    Ok(of)
}

/// The model of an agent, as a member of a role would be.
pub fn member(of: &AgentConfig) -> Option<Member> {
    let model = of.model.clone()?;
    let timeout = Some(of.time_limit.unwrap_or(TIME_LIMIT));
    Some(Member {
        model,
        max_connections: None,
        timeout,
        temperature: of.temperature,
        max_tokens: of.max_tokens,
    })
}

/// The agent, ready to run; `parallel` is how many questions its model takes at once.
pub fn agent(
    global: &Global,
    project: &Project,
    name: &str,
    of: &AgentConfig,
    parallel: usize,
) -> Result<Agent> {
    let by = match (&of.command, &of.model) {
        (Some(command), _) => by_command(project, name, of, command)?,
        (None, model) => By::Model(ModelAgent {
            search: searches(
                global,
                project,
                of.web_search,
                model.as_deref().unwrap_or_default(),
            )?,
        }),
    };
    let usual = if of.model.is_some() { parallel } else { 1 };
    Ok(Agent {
        name: name.to_owned(),
        maker: maker(of, &by),
        by,
        jobs: of.jobs.unwrap_or(usual).max(1),
        attempts: of.attempts.unwrap_or(1).max(1),
        retry_failed: global.retry_failed,
    })
}

/// What makes the reports, hashed, because a command may hold a key: the command, or the model with
/// its settings, and neither limits nor numbers.
fn maker(of: &AgentConfig, by: &By) -> String {
    let search = matches!(by, By::Model(model) if model.search);
    let what = json!([
        of.command,
        of.model,
        search,
        of.temperature.unwrap_or(0.0),
        of.max_tokens
    ]);
    sha256_hex(what.to_string().as_bytes())[..16].to_owned()
}

/// Whether the model searches the web: as the user says, else if its provider can.
fn searches(global: &Global, project: &Project, wanted: Option<bool>, model: &str) -> Result<bool> {
    if wanted == Some(true) && model.starts_with("local/") {
        let hint = "hint: leave out `web_search`, or name a model of a provider that has a search of its own";
        return Err(Usage(format!("the embedded model cannot search the web\n{hint}")).into());
    }
    match wanted {
        Some(wanted) => Ok(wanted),
        None => providers::searches(global, &project.loaded.config, model),
    }
}

fn by_command(project: &Project, name: &str, of: &AgentConfig, command: &str) -> Result<By> {
    let folder = std::path::absolute(project.tasks().join("agents").join(file_name(name)))
        .context("the project's folder is gone")?;
    let mut words =
        command::split(command).map_err(|e| Usage(format!("the command of `{name}`: {e:#}")))?;
    for (at, word) in words.iter_mut().enumerate() {
        *word = placed(word, at == 0, &project.root)?;
    }
    let limit = Duration::from_secs(of.time_limit.unwrap_or(TIME_LIMIT));
    Ok(By::Command(
        CommandAgent {
            argv: words,
            environment: environment(&of.env)?,
            limit,
        },
        folder,
    ))
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

/// The name as part of a path, whatever is in it; no two names have the same.
fn file_name(name: &str) -> PathBuf {
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let readable: String = name.chars().map(plain).take(40).collect();
    PathBuf::from(format!("{readable}-{}", &sha256_hex(name.as_bytes())[..8]))
}
