//! The keys of `taskgen.toml` as types, with their defaults. Each stage owns its options; this file
//! nests them, and has the keys that no stage owns. It imports nothing else of the project, so that
//! whatever reads a setting can import it.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::roles::Roles;
use crate::{
    audit::leakage, evaluate, http, inspire, llm, rank, search::SearchProvider, weave, web::JINA,
};

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
    /// How judges are tested while they judge.
    pub judge: JudgeTests,
    /// How near-copies among tasks are found.
    pub similarity: Similarity,
    /// How reports are evaluated.
    pub evaluate: evaluate::Options,
    /// How models are asked whether they know the tasks by heart.
    pub leakage: leakage::Options,
    /// How pages are fetched.
    pub web: Web,
    /// How the web is searched.
    pub search: Search,
    /// What may leave the machine.
    pub privacy: Privacy,
    /// Servers by name.
    pub providers: BTreeMap<String, Provider>,
    /// Research agents by name.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Names of agents that leaderboards take together, by the name of their family.
    pub families: BTreeMap<String, Vec<String>>,
}

/// How judges are tested while they judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeTests {
    /// Hidden probes, questions with a known answer, for each question to a judge: 0 to 0.5; 0 for
    /// none.
    pub probes: f64,
    /// Whether a judge that fails them goes on; only the flag says so.
    #[serde(skip)]
    pub accept: bool,
}

impl Default for JudgeTests {
    fn default() -> Self {
        Self {
            probes: 0.02,
            accept: false,
        }
    }
}

impl JudgeTests {
    /// Checks the values; an error says which one is out of range.
    pub fn check(&self) -> Result<(), String> {
        if (0.0..=0.5).contains(&self.probes) {
            return Ok(());
        }
        let probes = self.probes;
        Err(format!(
            "judge.probes must be between 0 and 0.5: `{probes}`"
        ))
    }
}

/// In `similarity.model`: the usual model where it is on this machine.
pub const AUTO: &str = "auto";

/// How near-copies among tasks are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Similarity {
    /// The embedding model: `auto` for the usual one if it is on this machine, `none`, or a model
    /// to fetch.
    pub model: String,
}

impl Default for Similarity {
    fn default() -> Self {
        Self { model: AUTO.into() }
    }
}

/// How pages are fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// The fetcher of pages.
    pub reader: Reader,
    /// Base URL of Jina Reader.
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

/// A fetcher of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// This program.
    Own,
    /// Jina Reader, with a key.
    Jina,
}

/// How the web is searched, where roots of trees are looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// The search engine; without one, nothing is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<SearchProvider>,
    /// A server that answers as the provider's does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Name of the environment variable with the key, where it is not the provider's usual one; for
    /// a server of one's own, no key is sent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Of `google`: the search engine's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_id: Option<String>,
    /// Of `local`: the file of JSON lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl Search {
    /// Checks beyond the types.
    pub fn check(&self) -> Result<(), String> {
        let is_web = |url: &String| http::is_web(url) && !url.contains(['?', '#', '@']);
        if self.base_url.as_ref().is_some_and(|url| !is_web(url)) {
            // It may hold a password and is not shown.
            return Err(
                "search.base_url must begin with http:// or https://, and hold no user and no query"
                    .into(),
            );
        }
        let is_remote = self.base_url.is_some() || self.key_env.is_some();
        match self.provider {
            None if *self != Self::default() => Err("search needs a `provider`".into()),
            Some(SearchProvider::Local) if self.file.is_none() => {
                Err("search.provider = \"local\" needs a `file`".into())
            }
            Some(SearchProvider::Local) if is_remote || self.engine_id.is_some() => Err(
                "search.base_url, key_env and engine_id are not for `provider = \"local\"`".into(),
            ),
            Some(SearchProvider::Local) | None => Ok(()),
            Some(_) if self.file.is_some() => {
                Err("search.file is for `provider = \"local\"`".into())
            }
            Some(SearchProvider::Google) if self.engine_id.is_none() => {
                Err("search.provider = \"google\" needs an `engine_id`".into())
            }
            Some(SearchProvider::Google) => Ok(()),
            Some(_) if self.engine_id.is_some() => {
                Err("search.engine_id is for `provider = \"google\"`".into())
            }
            Some(_) => Ok(()),
        }
    }
}

/// How recordings become text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transcribe {
    /// `auto`, a model of the manifest, or a ggml file.
    pub model: String,
    /// `auto` or a language tag.
    pub language: String,
    /// Devices with commas between them; `auto` for the graphics cards, or the processor where there
    /// is none.
    pub device: String,
    /// Workers; 0 is one per core, or as many as a card's memory has room for.
    pub jobs: usize,
    /// A file with names and terms that occur in the talks.
    pub vocabulary: Option<PathBuf>,
    /// The only channel to transcribe, from 1; without it, all are mixed.
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
    /// The protocol: `openai`, `responses`, `xai`, `perplexity`, `sonar`, `anthropic` or `gemini`.
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
            judge: JudgeTests::default(),
            similarity: Similarity::default(),
            evaluate: evaluate::Options::default(),
            leakage: leakage::Options::default(),
            web: Web::default(),
            search: Search::default(),
            privacy: Privacy::default(),
            providers: BTreeMap::new(),
            agents: BTreeMap::new(),
            families: BTreeMap::new(),
        }
    }
}

impl Default for Transcribe {
    fn default() -> Self {
        Self {
            model: "auto".into(),
            language: "auto".into(),
            device: "auto".into(),
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
    /// How the model searches the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<llm::SearchSettings>,
    /// How much the model thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<llm::Effort>,
    /// Whether the provider makes the report in the background; where it is left out, if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// Sampling temperature, 0 to 2; 0 by default.
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
    /// Whether the program can read only the system and its own files; where it is left out, if the
    /// kernel can see to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxKind>,
    /// Files and folders that the program in its sandbox may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readable: Vec<PathBuf>,
    /// Files and folders that the program in its sandbox may write, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable: Vec<PathBuf>,
}

/// What keeps a program from the files of its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// The kernel's Landlock.
    Landlock,
    /// Nothing.
    Off,
}

impl AgentConfig {
    /// How the model searches and thinks.
    pub fn research(&self) -> llm::Research {
        llm::Research {
            search: self.search.clone().unwrap_or_default(),
            reasoning: self.reasoning,
            background: self.background,
        }
    }

    /// Checks beyond the types.
    pub fn check(&self) -> Result<(), String> {
        let of_research =
            self.search.is_some() || self.reasoning.is_some() || self.background.is_some();
        let of_models = of_research
            || self.web_search.is_some()
            || self.temperature.is_some()
            || self.max_tokens.is_some();
        let opens_files = !self.readable.is_empty() || !self.writable.is_empty();
        match (&self.command, &self.model) {
            (None, None) => Err("it needs a `command` or a `model`".into()),
            (Some(_), Some(_)) => Err("it takes a `command` or a `model`, not both".into()),
            (Some(_), None) if of_models => Err(
                "web_search, search, reasoning, background, temperature and max_tokens are for a `model`"
                    .into(),
            ),
            (None, Some(model)) if llm::is_code(model) => Err(format!(
                "`{model}` judges tasks and answers none; name a model that writes"
            )),
            (None, Some(_)) if !self.env.is_empty() => Err("env is for a `command`".into()),
            (None, Some(_)) if self.sandbox.is_some() || opens_files => {
                Err("sandbox, readable and writable are for a `command`".into())
            }
            (None, Some(_)) if self.search.is_some() && self.web_search == Some(false) => {
                Err("search is for a model that searches: leave out `web_search = false`".into())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_what_its_provider_needs_and_nothing_else() {
        let check = |text: &str| toml::from_str::<Search>(text).expect("it parses").check();
        for fine in [
            "",
            "provider = \"brave\"",
            "provider = \"tavily\"\nkey_env = \"MINE\"",
            "provider = \"serpapi\"\nbase_url = \"http://127.0.0.1:8/x\"",
            "provider = \"google\"\nengine_id = \"0:x\"",
            "provider = \"local\"\nfile = \"pages.jsonl\"",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for wrong in [
            "key_env = \"MINE\"",
            "provider = \"google\"",
            "provider = \"local\"",
            "provider = \"brave\"\nengine_id = \"x\"",
            "provider = \"brave\"\nfile = \"x\"",
            "provider = \"local\"\nfile = \"x\"\nkey_env = \"MINE\"",
            "provider = \"brave\"\nbase_url = \"ftp://a.example\"",
            "provider = \"brave\"\nbase_url = \"https://u:planted@a.example\"",
        ] {
            let said = check(wrong).expect_err(wrong);
            assert!(!said.contains("planted"), "{said}");
        }
    }

    #[test]
    fn an_agent_is_a_program_or_a_model() {
        let check = |text: &str| {
            toml::from_str::<AgentConfig>(text)
                .expect("it parses")
                .check()
        };
        assert_eq!(check("command = \"true\"\nenv = [\"KEY\"]"), Ok(()));
        let opened = "command = \"true\"\nsandbox = \"landlock\"\nreadable = [\"~/.venv\"]";
        assert_eq!(check(opened), Ok(()));
        assert_eq!(
            check("model = \"a/b\"\nweb_search = false\nmax_tokens = 9"),
            Ok(())
        );
        for wrong in [
            "jobs = 1",
            "model = \"a/b\"\ncommand = \"true\"",
            "command = \"true\"\nweb_search = true",
            "command = \"true\"\nreasoning = \"low\"",
            "model = \"a/b\"\nweb_search = false\n[search]\nmost = 3",
            "model = \"a/b\"\nenv = [\"KEY\"]",
            "model = \"a/b\"\nsandbox = \"off\"",
            "model = \"a/b\"\nwritable = [\"x\"]",
            "model = \"a/b\"\ntemperature = 7",
            "model = \"a/b\"\nmax_tokens = 0",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
