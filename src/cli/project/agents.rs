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

use super::{
    protocols,
    providers::{self, Variables},
    roles::Member,
    settings::{AgentConfig, SandboxKind},
    this_program,
    writing::OF_MODEL,
};
use crate::{
    agents::{
        Agent, CommandAgent, ModelAgent,
        command::{self, Sandbox, Supervisor},
    },
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

/// What comes before the name of a module: a folder of that name is not meant.
const MODULE: &str = "-m";

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
    settings.sandbox = args.sandbox.or(settings.sandbox);
    settings.readable.extend(absolute(&args.readable)?);
    settings.writable.extend(absolute(&args.writable)?);
    let wrong = |error: String| {
        Usage(format!(
            "the agent `{name}`: {error}\nhint: `taskgen answer --help`"
        ))
    };
    settings.check().map_err(wrong)?;
    protocols::check_research(&project.loaded.config, &settings).map_err(|error| {
        Usage(format!(
            "the agent `{name}`: {error}\nhint: docs/evaluation.md lists the settings of each protocol"
        ))
    })?;
    Ok(settings)
}

/// Paths of flags, which lie where the command was typed and not in the project.
fn absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let paths = paths.iter().map(std::path::absolute);
    let paths: std::io::Result<_> = paths.collect();
    paths.context("the working folder is gone")
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

/// The agent, ready to be asked with a prompt. A model is this member of the role `answer`.
pub fn asked_with(
    prompt: &'static str,
    member: usize,
    ctx: &Context,
    global: &Global,
    project: &Project,
    (name, settings): (&str, &AgentConfig),
) -> Result<Box<dyn Agent>> {
    check_agent_name(name).map_err(Usage)?;
    let search = searches(global, project, settings)?;
    Ok(match &settings.command {
        Some(command) => Box::new(program(global, project, name, settings, command)?),
        None => Box::new(ModelAgent {
            ctx: ctx.clone(),
            role: ROLE,
            member,
            prompt,
            search,
        }),
    })
}

/// A hash of what an agent is: another program, model or setting is another agent.
pub fn maker_of(global: &Global, project: &Project, settings: &AgentConfig) -> Result<String> {
    Ok(maker(settings, searches(global, project, settings)?))
}

/// The settings of an agent that `taskgen.toml` names.
pub fn named(project: &Project, name: &str) -> Result<AgentConfig> {
    let known = project.loaded.config.agents.get(name).cloned();
    let settings = known.ok_or_else(|| no_such_agent(name))?;
    settings.check().map_err(|error| {
        Usage(format!(
            "the agent `{name}`: {error}\nhint: [agents.{name}] in `taskgen.toml`"
        ))
    })?;
    Ok(settings)
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
        research: Box::new(settings.research()),
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
    let agent = asked_with(PROMPT, 0, ctx, global, project, (name, settings))?;
    let search = searches(global, project, settings)?;
    // A program may need the whole machine; a model's server says how much it takes.
    let usual_jobs = match &settings.model {
        Some(_) => ctx.llm.parallel(ROLE),
        None => 1,
    };
    let folder = project.agents().join(file_name(name));
    let options = Options {
        name: name.to_owned(),
        maker: maker(settings, search),
        folder: std::path::absolute(folder).context("the project's folder is gone")?,
        jobs: settings.jobs.unwrap_or(usual_jobs).max(1),
        attempts: settings.attempts.unwrap_or(1).max(1),
        retry_failed: global.retry_failed,
        fresh: false,
        all_tasks: true,
    };
    Ok((agent, options))
}

/// Names of locks that only one command holds for this agent at a time: one of its name, and one of
/// its model, whose calls are on record under no name.
pub fn only_once(name: &str, settings: &AgentConfig) -> Vec<String> {
    let name = file_name(name).to_string_lossy().into_owned();
    let model = settings.model.as_ref();
    let model = model.map(|model| format!("{OF_MODEL}{}", &sha256_hex(model.as_bytes())[..8]));
    [Some(name), model].into_iter().flatten().collect()
}

/// A hash of the maker of reports: the command, or the model with its settings, without limits and
/// numbers of attempts. It is hashed because a command may hold a key.
fn maker(settings: &AgentConfig, search: bool) -> String {
    let mut parts = json!([
        settings.command,
        settings.model,
        search,
        settings.temperature.unwrap_or(0.0),
        settings.max_tokens
    ]);
    // Left out where nothing is set, so that agents of before are the same.
    if let (Some(parts), Some(research)) = (parts.as_array_mut(), settings.research().key()) {
        parts.push(research);
    }
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
        return Err(Usage(format!("the built-in model cannot search the web\n{hint}")).into());
    }
    match settings.web_search {
        Some(wanted) => Ok(wanted),
        None => providers::searches(global, &project.loaded.config, model),
    }
}

fn program(
    global: &Global,
    project: &Project,
    name: &str,
    settings: &AgentConfig,
    command: &str,
) -> Result<CommandAgent> {
    let words =
        command::split(command).map_err(|e| Usage(format!("the command of `{name}`: {e:#}")))?;
    let argv = all_placed(words, &project.root)?;
    let variables = Variables::read(&global.env_file)?;
    let environment = environment(&variables, &settings.env)?;
    let sandbox = if is_sandboxed(name, settings)? {
        let path = environment.get("PATH").map(AsRef::as_ref);
        let mut sandbox = Sandbox::of_command(&argv, path, &closed(global, project));
        sandbox.writable = opened(project, name, "writable", &settings.writable)?;
        sandbox.open_to_read(opened(project, name, "readable", &settings.readable)?);
        Some(sandbox)
    } else {
        None
    };
    Ok(CommandAgent {
        argv,
        environment,
        time_limit: Duration::from_secs(settings.time_limit.unwrap_or(TIME_LIMIT)),
        supervisor: supervisor(sandbox)?,
        secrets: variables.secrets(&project.loaded.config),
    })
}

/// This program, where it can supervise others.
fn supervisor(sandbox: Option<Sandbox>) -> Result<Option<Supervisor>> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let program = this_program()?;
    Ok(Some(Supervisor { program, sandbox }))
}

/// Whether a program runs in a sandbox: as the user says, else where the kernel can see to it.
fn is_sandboxed(name: &str, settings: &AgentConfig) -> Result<bool> {
    decide_sandbox(settings.sandbox, command::has_sandbox()).map_err(|error| {
        Usage(format!(
            "the agent `{name}` cannot run in a sandbox: {error}\nhint: leave out `sandbox`, or run taskgen in a container"
        ))
        .into()
    })
}

/// Why there is no sandbox.
const NO_LANDLOCK: &str = "this kernel has no Landlock";

fn decide_sandbox(wanted: Option<SandboxKind>, is_supported: bool) -> Result<bool, &'static str> {
    match wanted {
        Some(SandboxKind::Off) => Ok(false),
        Some(SandboxKind::Landlock) if !is_supported => Err(NO_LANDLOCK),
        Some(SandboxKind::Landlock) | None => Ok(is_supported),
    }
}

/// What the user should know of an agent that is kept from nothing, and did not ask for that.
pub fn without_sandbox(name: &str, settings: &AgentConfig) -> Option<String> {
    let is_asked_for = settings.command.is_none() || settings.sandbox.is_some();
    if is_asked_for || command::has_sandbox() {
        return None;
    }
    Some(format!(
        "agent `{name}` runs without a sandbox: {NO_LANDLOCK}"
    ))
}

/// What no agent finds opened by a guess: the user's and the project's folders, reports, and keys.
fn closed(global: &Global, project: &Project) -> Vec<PathBuf> {
    // Of users of the system it may be `/`, which would close everything.
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    let of_project = [project.root.clone(), project.tasks()];
    let all = home.into_iter().chain(of_project);
    all.chain(global.env_file.clone()).collect()
}

/// What the user opens to an agent, `~` and the project's folder resolved.
fn opened(project: &Project, name: &str, key: &str, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut opened = Vec::new();
    for path in paths {
        let path = match (path.strip_prefix("~"), std::env::home_dir()) {
            (Ok(inside), Some(home)) => home.join(inside),
            _ => project.root.join(path),
        };
        let real = fs_err::canonicalize(&path).map_err(|error| {
            Usage(format!(
                "agents.{name}.{key}: {error}\nhint: it must be there before the agent starts"
            ))
        })?;
        opened.push(real);
    }
    Ok(opened)
}

/// The words of a command with the paths of the project in full.
fn all_placed(mut words: Vec<String>, root: &Path) -> Result<Vec<String>> {
    let mut is_module = false;
    for (index, word) in words.iter_mut().enumerate() {
        let is_next_module = word == MODULE;
        if !is_module {
            *word = placed(word, index == 0, root)?;
        }
        is_module = is_next_module;
    }
    Ok(words)
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
fn environment(variables: &Variables, named: &[String]) -> Result<BTreeMap<String, OsString>> {
    let mut environment = BTreeMap::new();
    for name in ["PATH", "LANG"] {
        environment.extend(std::env::var_os(name).map(|value| (name.to_owned(), value)));
    }
    for name in named {
        let in_files = || variables.get(name).map(OsString::from);
        let value = std::env::var_os(name).or_else(in_files).ok_or_else(|| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_module_is_not_taken_for_a_folder_of_the_project() {
        let root = tempfile::tempdir().expect("a folder");
        fs_err::create_dir(root.path().join("bot")).expect("writable");
        let words = ["python3", "-m", "bot", "bot"].map(str::to_owned);
        let placed = all_placed(words.to_vec(), root.path()).expect("it is there");
        let in_full = root.path().join("bot").display().to_string();
        assert_eq!(placed, ["python3", "-m", "bot", in_full.as_str()]);
    }

    #[test]
    fn a_sandbox_is_there_where_it_can_be_and_an_error_where_it_must_be() {
        let landlock = Some(SandboxKind::Landlock);
        assert_eq!(decide_sandbox(None, true), Ok(true));
        assert_eq!(decide_sandbox(None, false), Ok(false));
        assert_eq!(decide_sandbox(landlock, true), Ok(true));
        assert_eq!(decide_sandbox(landlock, false), Err(NO_LANDLOCK));
        assert_eq!(decide_sandbox(Some(SandboxKind::Off), true), Ok(false));
    }
}
