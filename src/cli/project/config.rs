//! `taskgen.toml`: found by walking up, unknown keys refused with line and suggestion, each value
//! with its origin. Each stage owns its options; this file only nests them. Flags beat the file,
//! which beats the defaults.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{agents::AgentConfig, roles::Roles};
use crate::{
    cli::{
        args::{self, Global},
        project::{Project, similarity},
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    evaluate, http, inspire,
    llm::{self, shown_url},
    rank, weave,
    web::JINA,
};

/// The file's name.
pub const FILE: &str = "taskgen.toml";
const HINT: &str = "`taskgen init` in an empty folder writes a file with every key and its comment";
/// The file that `taskgen init` writes, and the project's own.
pub const TEMPLATE: &str = include_str!("../../../taskgen.toml");

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Seed of every random choice.
    pub seed: u64,
    /// Which model answers in which role, as `provider/model`.
    pub roles: Roles,
    /// How recordings become text.
    pub transcribe: Transcribe,
    /// How transcripts are read.
    pub inspire: inspire::Options,
    /// How tasks are woven.
    pub weave: weave::Options,
    /// How tasks are ranked.
    pub rank: rank::Options,
    /// How near-copies among tasks are found.
    pub similarity: Similarity,
    /// How reports are evaluated.
    pub evaluate: evaluate::Options,
    /// How pages are fetched.
    pub web: Web,
    /// What may leave the machine.
    pub privacy: Privacy,
    /// Servers by name.
    pub providers: BTreeMap<String, Provider>,
    /// Research agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
}

/// How near-copies among tasks are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Similarity {
    /// What compares meanings: `auto` for the usual model where it is on this machine, `none`, or a
    /// model to fetch.
    pub model: String,
}

impl Default for Similarity {
    fn default() -> Self {
        Self {
            model: similarity::AUTO.into(),
        }
    }
}

/// How pages are fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Who goes for them.
    pub reader: Reader,
    /// Where Jina Reader is.
    pub jina_url: String,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    /// Seconds for one page.
    pub timeout: u64,
    /// Requests to one host at once.
    pub per_host: usize,
    /// Milliseconds between two requests to one host.
    pub pause_ms: u64,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            reader: Reader::Own,
            jina_url: JINA.to_owned(),
            robots: true,
            timeout: 30,
            per_host: 2,
            pause_ms: 500,
        }
    }
}

/// Who goes for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// This program.
    Own,
    /// Jina Reader, with a key.
    Jina,
}

/// How recordings become text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transcribe {
    /// `auto`, a model of the manifest, or a ggml file.
    pub model: String,
    /// `auto` or a language tag.
    pub language: String,
    /// Worker states; 0 is one per core.
    pub jobs: usize,
    /// A file with names and terms that occur in the talks.
    pub vocabulary: Option<PathBuf>,
    /// The only channel to hear, from 1; all of them mixed without it.
    pub channel: Option<usize>,
    /// Whether transcripts tell when each word was said.
    pub words: bool,
}

/// What may leave the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Privacy {
    /// Whether texts of seminars may go to another host.
    pub remote: Remote,
}

/// Whether texts may go to another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remote {
    /// Ask on a terminal; elsewhere say so and go on.
    Ask,
    /// Say so and go on.
    Allow,
    /// Refuse.
    Never,
}

/// A server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Such as `http://127.0.0.1:8000/v1`.
    pub base_url: String,
    /// The protocol: `openai`, `anthropic` or `gemini`.
    #[serde(default)]
    pub kind: llm::Provider,
    /// Name of the environment variable with the key.
    pub key_env: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 1,
            roles: Roles::default(),
            transcribe: Transcribe::default(),
            inspire: inspire::Options::default(),
            weave: weave::Options::default(),
            rank: rank::Options::default(),
            similarity: Similarity::default(),
            evaluate: evaluate::Options::default(),
            web: Web::default(),
            privacy: Privacy::default(),
            providers: BTreeMap::new(),
            agents: BTreeMap::new(),
        }
    }
}

impl Default for Transcribe {
    fn default() -> Self {
        Self {
            model: "auto".into(),
            language: "auto".into(),
            jobs: 0,
            vocabulary: None,
            channel: None,
            words: false,
        }
    }
}

impl Default for Privacy {
    fn default() -> Self {
        Self {
            remote: Remote::Ask,
        }
    }
}

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

/// `taskgen config show`
pub fn show(global: &Global, command: &args::Config, printer: &Printer) -> Result<u8> {
    let args::Config::Show = command;
    let project = Project::find(global)?;
    printer.show(&project.loaded.show(), |values| {
        let mut rows = table(&["key", "value", "from"]);
        for shown in values {
            rows.add_row(vec![
                shown.key.clone(),
                shown.value.to_string(),
                shown.origin.clone(),
            ]);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

/// Finds the file from `start` upwards.
pub fn find(start: &Path) -> Option<PathBuf> {
    start
        .ancestors()
        .map(|folder| folder.join(FILE))
        .find(|file| file.is_file())
}

/// Reads `file`, or takes the defaults without one.
pub fn load(file: Option<PathBuf>) -> Result<Loaded> {
    let Some(path) = file else {
        return Ok(Loaded {
            config: Config::default(),
            file: None,
            overridden: BTreeMap::new(),
            in_file: Vec::new(),
        });
    };
    let text = fs_err::read_to_string(&path)
        .map_err(|e| Usage(format!("{e}\nhint: `taskgen init` writes one")))?;
    let mut config: Config = toml::from_str(&text)
        .map_err(|e| Usage(toml_error::explain(&path, &text, &e, &RENAMED, HINT)))?;
    check(&config).map_err(|e| Usage(format!("`{}`: {e}\nhint: {HINT}", path.display())))?;
    beside(&path, &mut config.transcribe);
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
    })
}

/// Files that the configuration names lie relative to it, wherever the command was typed.
fn beside(config: &Path, transcribe: &mut Transcribe) {
    let Some(folder) = config.parent() else {
        return;
    };
    if let Some(vocabulary) = &mut transcribe.vocabulary {
        *vocabulary = folder.join(&*vocabulary);
    }
    let model = folder.join(&transcribe.model);
    if model.is_file() {
        transcribe.model = model.to_string_lossy().into_owned();
    }
}

impl Loaded {
    /// Notes that `key` was set by `origin`.
    pub fn set_by(&mut self, key: &str, origin: &str) {
        self.overridden.insert(key.to_owned(), origin.to_owned());
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
        let origin = |key: &str| match (self.overridden.get(key), &self.file) {
            (Some(origin), _) => origin.clone(),
            (None, Some(file)) if self.in_file.iter().any(|k| k == key) => {
                file.display().to_string()
            }
            _ => "default".to_owned(),
        };
        flatten(&values)
            .into_iter()
            .map(|(key, value)| Shown {
                origin: origin(&key),
                key,
                value,
            })
            .collect()
    }
}

/// What the types cannot say.
pub fn check(config: &Config) -> Result<(), String> {
    config.roles.check()?;
    for (name, provider) in &config.providers {
        if !http::is_web(&provider.base_url) {
            let shown = shown_url(&provider.base_url);
            return Err(format!(
                "providers.{name}.base_url must begin with http:// or https://: `{shown}`"
            ));
        }
    }
    for (name, agent) in &config.agents {
        agent
            .check()
            .map_err(|error| format!("agents.{name}: {error}"))?;
    }
    if !http::is_web(&config.web.jina_url) || config.web.jina_url.contains(['?', '#', '@']) {
        return Err(
            "web.jina_url must begin with http:// or https://, and hold no user and no query"
                .into(),
        );
    }
    config.inspire.check()?;
    config.weave.check()?;
    config.rank.check()?;
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
