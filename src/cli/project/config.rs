//! `taskgen.toml` as a file: found by walking up, unknown keys refused with line and suggestion,
//! each value with its origin. Flags beat the file, which beats the user's own settings (`user`),
//! which beat the defaults. What the keys are is in `settings`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::Value;

use super::{protocols, settings::Config, user};
use crate::{
    cli::ui::exit::Usage, http, llm::shown_url, rank, text::toml_error, transcribe::devices,
};

/// The file's name.
pub const FILE: &str = "taskgen.toml";
const HINT: &str = "`taskgen init` in an empty folder writes a file with every key and its comment";
/// The file that `taskgen init` writes, and the project's own.
pub const TEMPLATE: &str = include_str!("../../../taskgen.toml");

/// The configuration in force and where each value came from.
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Dotted keys that flags or the environment set, with the origin's name.
    pub overridden: BTreeMap<String, String>,
    /// Dotted keys that the file sets.
    in_file: Vec<String>,
    /// Dotted keys that the user's own settings set, with their file.
    of_user: BTreeMap<&'static str, PathBuf>,
}

/// One value of `taskgen config show`.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Dotted key.
    pub key: String,
    /// The value in force.
    pub value: Value,
    /// `default`, the file's path, or the flag or variable that set it.
    pub origin: String,
}

/// Finds the file from `start` upwards.
pub fn find(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .map(|folder| folder.join(FILE))
        .find(|file| file.is_file())
}

/// Reads `file`, or takes the defaults without one; the user's own settings fill in.
pub fn load(file: Option<PathBuf>) -> Result<Loaded> {
    let mut loaded = load_alone(file)?;
    if let Some(path) = user::path() {
        loaded.fill_in(&user::read(&path)?, &path);
    }
    Ok(loaded)
}

fn load_alone(file: Option<PathBuf>) -> Result<Loaded> {
    let Some(path) = file else {
        return Ok(Loaded {
            config: Config::default(),
            file: None,
            overridden: BTreeMap::new(),
            in_file: Vec::new(),
            of_user: BTreeMap::new(),
        });
    };
    let text = fs_err::read_to_string(&path)
        .map_err(|e| Usage(format!("{e}\nhint: `taskgen init` writes one")))?;
    let mut config: Config = toml::from_str(&text)
        .map_err(|e| Usage(toml_error::explain(&path, &text, &e, &RENAMED, HINT)))?;
    check(&config).map_err(|e| Usage(format!("`{}`: {e}\nhint: {HINT}", path.display())))?;
    beside(&path, &mut config);
    let table: Value = toml::from_str(&text).context("the configuration was read a moment ago")?;
    let in_file: Vec<String> = flatten(&table).into_iter().map(|(key, _)| key).collect();
    let names = |key: &str| in_file.iter().any(|named| named == key);
    // Rounds are the paper's: a file that names them and no method means its method, as the flag
    // does.
    if names("rank.rounds") && !names("rank.method") {
        config.rank.method = rank::Method::Elo;
    }
    Ok(Loaded {
        config,
        file: Some(path),
        overridden: BTreeMap::new(),
        in_file,
        of_user: BTreeMap::new(),
    })
}

/// Files that the configuration names lie relative to it, wherever the command was typed.
fn beside(file: &Path, config: &mut Config) {
    let Some(folder) = file.parent() else {
        return;
    };
    if let Some(file) = &mut config.search.file {
        *file = folder.join(&*file);
    }
    let transcribe = &mut config.transcribe;
    if let Some(vocabulary) = &mut transcribe.vocabulary {
        *vocabulary = folder.join(&*vocabulary);
    }
    let model = folder.join(&transcribe.model);
    if model.is_file() {
        transcribe.model = model.to_string_lossy().into_owned();
    }
}

impl Loaded {
    /// Takes the user's settings where the file leaves it to the machine, as the one of `taskgen
    /// init` does.
    fn fill_in(&mut self, of_user: &user::UserConfig, path: &Path) {
        let config = &mut self.config.transcribe;
        if let Some(device) = &of_user.transcribe.device
            && config.device == devices::AUTO
        {
            config.device.clone_from(device);
            self.of_user.insert("transcribe.device", path.to_owned());
        }
        if let Some(jobs) = of_user.transcribe.jobs
            && config.jobs == 0
        {
            config.jobs = jobs;
            self.of_user.insert("transcribe.jobs", path.to_owned());
        }
    }

    /// Records that `key` was set by `origin`.
    pub fn set_by(&mut self, key: &str, origin: &str) {
        self.overridden.insert(key.to_owned(), origin.to_owned());
    }

    /// Whether a flag or the environment set `key`.
    pub fn is_overridden(&self, key: &str) -> bool {
        self.overridden.contains_key(key)
    }

    /// Where a value comes from.
    fn origin(&self, key: &str) -> String {
        if let Some(origin) = self.overridden.get(key) {
            return origin.clone();
        }
        if let Some(path) = self.of_user.get(key) {
            return path.display().to_string();
        }
        match &self.file {
            Some(file) if self.in_file.iter().any(|k| k == key) => file.display().to_string(),
            _ => "default".to_owned(),
        }
    }

    /// Every value with its origin.
    pub fn show(&self) -> Vec<Shown> {
        let mut config = self.config.clone();
        // What a URL hides, a listing must not show.
        config
            .providers
            .values_mut()
            .for_each(|provider| provider.base_url = shown_url(&provider.base_url));
        let values = serde_json::to_value(&config).unwrap_or_default();
        flatten(&values)
            .into_iter()
            .map(|(key, value)| Shown {
                origin: self.origin(&key),
                key,
                value,
            })
            .collect()
    }
}

/// Checks beyond the types.
pub fn check(config: &Config) -> Result<(), String> {
    config.roles.check()?;
    for (name, provider) in &config.providers {
        if ["code", "local"].contains(&name.as_str()) {
            return Err(format!(
                "providers.{name}: models called `{name}/…` are parts of this program, so no server can have the name\nhint: give the provider another name"
            ));
        }
        if !http::is_web(&provider.base_url) {
            // The URL may hold a password.
            let shown = shown_url(&provider.base_url);
            return Err(format!(
                "providers.{name}.base_url must begin with http:// or https://: `{shown}`"
            ));
        }
    }
    for (name, agent) in &config.agents {
        agent
            .check()
            .and_then(|()| protocols::check_research(config, agent))
            .map_err(|error| format!("agents.{name}: {error}"))?;
    }
    if !http::is_web(&config.web.jina_url) || config.web.jina_url.contains(['?', '#', '@']) {
        return Err(
            "web.jina_url must begin with http:// or https://, and hold no user and no query"
                .into(),
        );
    }
    config.search.check()?;
    config.inspire.check()?;
    config.weave.check()?;
    config.rank.check()?;
    config.judge.check()?;
    config.evaluate.check()?;
    Ok(())
}

/// Keys and roles under their old names, with the new ones.
pub const RENAMED: [(&str, &str); 2] = [("near", "similarity"), ("continue", "complete")];

fn flatten(value: &Value) -> Vec<(String, Value)> {
    fn walk(prefix: &str, value: &Value, out: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let key = if prefix.is_empty() {
                        name.clone()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    walk(&key, value, out);
                }
            }
            other => out.push((prefix.to_owned(), other.clone())),
        }
    }
    let mut out = Vec::new();
    walk("", value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_line_and_neighbour() {
        let text = "seed = 3\n\n[rank]\nround = 4\n";
        let error = toml::from_str::<Config>(text).expect_err("round is unknown");
        let said = toml_error::explain(Path::new("taskgen.toml"), text, &error, &RENAMED, HINT);
        assert!(
            said.contains("line 4") && said.contains("did you mean `rounds`?"),
            "{said}"
        );
    }

    #[test]
    fn the_template_is_the_defaults() {
        assert_eq!(
            toml::from_str::<Config>(TEMPLATE).expect("the template parses"),
            Config::default()
        );
    }
}
