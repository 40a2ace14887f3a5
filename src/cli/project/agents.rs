//! `[agents.NAME]`: a program or a model, with how long and how often it works; and from there an
//! agent that can be run. A program is found from the project's folder and gets only the variables
//! that were named for it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{providers, roles::Member};
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

/// A research agent: a program or a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// Program and arguments; no shell reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// `provider/model`, which is asked for the report itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether the model searches the web; where it is left out, if its provider has a search of
    /// its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_search: Option<bool>,
    /// How freely the model draws its words, 0 to 2; 0 where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The model's report is cut at this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Seconds that it may take for a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<u64>,
    /// Tasks at once; one for a program, as many as its server takes for a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<usize>,
    /// Answers to each task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Environment variables that the program gets.
    pub env: Vec<String>,
}

impl AgentConfig {
    /// What the types cannot say.
    pub fn check(&self) -> Result<(), String> {
        let of_models =
            self.web_search.is_some() || self.temperature.is_some() || self.max_tokens.is_some();
        match (&self.command, &self.model) {
            (None, None) => Err("it needs a `command` or a `model`".into()),
            (Some(_), Some(_)) => Err("it is a `command` or a `model`, and not both".into()),
            (Some(_), None) if of_models => {
                Err("web_search, temperature and max_tokens are for a `model`".into())
            }
            (None, Some(_)) if !self.env.is_empty() => Err("env is for a `command`".into()),
            _ if self
                .temperature
                .is_some_and(|warmth| !(0.0..=2.0).contains(&warmth))
                || self.max_tokens == Some(0) =>
            {
                Err("temperature must be 0 to 2, and max_tokens at least 1".into())
            }
            _ => Ok(()),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_a_program_or_a_model() {
        let check = |text: &str| {
            toml::from_str::<AgentConfig>(text)
                .expect("it parses")
                .check()
        };
        assert_eq!(check("command = \"true\"\nenv = [\"KEY\"]"), Ok(()));
        assert_eq!(
            check("model = \"a/b\"\nweb_search = false\nmax_tokens = 9"),
            Ok(())
        );
        for wrong in [
            "jobs = 1",
            "model = \"a/b\"\ncommand = \"true\"",
            "command = \"true\"\nweb_search = true",
            "model = \"a/b\"\nenv = [\"KEY\"]",
            "model = \"a/b\"\ntemperature = 7",
            "model = \"a/b\"\nmax_tokens = 0",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
