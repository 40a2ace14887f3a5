//! Chat models from `provider/model`: server, key, or the embedded engine.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use url::Url;

use super::{
    protocols::{protocol, usual},
    roles::Member,
    settings::Config,
};
use crate::{
    agents::command::names_a_secret,
    cli::{
        args::Global,
        commands::models,
        ui::{
            exit::{NoModel, Usage},
            progress,
        },
    },
    context::{Notice, Notify},
    http::Http,
    llm::{
        ChatModel, LocalModel, LocalOptions, MOST_SEARCHES, Provider, Remote, RemoteOptions,
        Research, StandIn, shown_url,
    },
    models::ModelFile,
    rank::Read,
};

/// Providers that are known without a line of configuration.
const KNOWN: &str =
    "local, openai, openai-responses, anthropic, gemini, xai, perplexity, openrouter, vllm, ollama";

/// The model called `member.model`, not started and not asked yet.
pub fn chat_model(
    global: &Global,
    config: &Config,
    member: &Member,
    http: &Http,
    notify: &Notify,
) -> Result<Arc<dyn ChatModel>> {
    let name = member.model.as_str();
    let Some((provider, model)) = name.split_once('/') else {
        return Err(Usage(format!("a model is named `provider/model`: `{name}`\nhint: such as `local/qwen2.5-coder-0.5b` or `openai/gpt-4o-mini`")).into());
    };
    // Neither needs a key or a model file; the name is enough to find calls on record.
    let asks_nobody = global.replay || global.dry_run;
    if provider == "local" {
        return local(global, name, model, notify, asks_nobody);
    }
    if provider == "code" {
        return Ok(Arc::new(code(name)));
    }
    let server = server(&Variables::read(&global.env_file)?, config, provider, model)?;
    if asks_nobody {
        let base_url = Some(shown_url(&server.base_url));
        return Ok(Arc::new(StandIn {
            name: name.to_owned(),
            base_url,
            builtin: false,
            weights: None,
            research: member.research.key(),
            most_searches: member.research.searches(server.kind, model),
        }));
    }
    let (api_key, key_variable) = match server.key {
        Key::None => (None, None),
        Key::Found { key, variable } => (Some(key), Some(variable)),
        Key::Missing(variable) => return Err(missing_key(provider, &variable)),
    };
    let usual = RemoteOptions::default();
    let notify = Arc::clone(notify);
    Ok(Arc::new(Remote::new(RemoteOptions {
        name: name.to_owned(),
        model: model.to_owned(),
        provider: server.kind,
        base_url: server.base_url,
        api_key,
        key_variable,
        research: Research::clone(&member.research),
        http: Some(http.clone()),
        start: member
            .max_connections
            .or(global.max_connections)
            .unwrap_or(usual.start),
        timeout: member.timeout.map_or(usual.timeout, Duration::from_secs),
        say: Some(Arc::new(move |line| notify(Notice::Say(line)))),
        ..usual
    })))
}

/// Refuses judges whose log-probabilities nobody can read, where they are to be read.
pub fn check_read(config: &Config) -> Result<(), String> {
    if config.rank.read == Read::Words {
        return Ok(());
    }
    for member in &config.roles.judge.0 {
        let name = member.model.as_str();
        let provider = name.split('/').next().unwrap_or_default();
        let why = match (provider, protocol(config, name)) {
            ("code", _) => "code has none",
            (_, Some(Provider::Responses | Provider::Xai | Provider::Perplexity)) => {
                "Responses are not read for them"
            }
            (_, Some(Provider::Anthropic)) => "Anthropic's protocol has none",
            (_, Some(Provider::Gemini)) => "Gemini's protocol is not read for them",
            _ => continue,
        };
        return Err(format!(
            "rank.read = \"logprobs\" needs the judge's log-probabilities, and `{name}` gives none: {why}\nhint: read = \"words\" (--read words), or a judge of local/…, OpenAI, vLLM or llama.cpp (--judge)"
        ));
    }
    Ok(())
}

/// Whether the provider of the model called `name` has a search of the web for it.
pub fn searches(global: &Global, config: &Config, name: &str) -> Result<bool> {
    let Some((provider, model)) = name
        .split_once('/')
        .filter(|(provider, _)| *provider != "local")
    else {
        return Ok(false);
    };
    Ok(
        match server(&Variables::read(&global.env_file)?, config, provider, model)?.kind {
            // Its models for searching have it in their names, and the others refuse the option.
            Provider::OpenAi => model.contains("-search"),
            _ => true,
        },
    )
}

/// The embedded model. Who asks nobody needs its hash, and its file only to count tokens.
fn local(
    global: &Global,
    name: &str,
    model: &str,
    notify: &Notify,
    asks_nobody: bool,
) -> Result<Arc<dyn ChatModel>> {
    let here = if asks_nobody {
        models::here(global, model)?
    } else {
        Some(models::ensure(global, model, notify)?)
    };
    let Some(file) = here.filter(|_| !global.replay) else {
        let weights = models::pinned(model);
        return Ok(Arc::new(StandIn {
            name: name.to_owned(),
            base_url: None,
            builtin: true,
            weights,
            research: None,
            most_searches: MOST_SEARCHES,
        }));
    };
    Ok(Arc::new(started_from(name, file)?))
}

/// Code in the place of a model; the roles have checked its name.
fn code(name: &str) -> StandIn {
    StandIn {
        name: name.to_owned(),
        base_url: None,
        builtin: true,
        weights: None,
        research: None,
        most_searches: MOST_SEARCHES,
    }
}

/// The embedded model called `model`, fetched if it is not here.
pub fn embedded(global: &Global, model: &str) -> Result<LocalModel> {
    let file = models::ensure(global, model, &progress::notify(true))?;
    started_from(&format!("local/{model}"), file)
}

fn started_from(name: &str, file: ModelFile) -> Result<LocalModel> {
    Ok(LocalModel::new(LocalOptions {
        name: name.to_owned(),
        program: local_program()?,
        model: file.path,
        sha256: file.sha256,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        environment: of_cards(),
    }))
}

/// The variables that say which graphics cards there are, where their drivers are, and which of
/// them the embedded model is to use.
fn of_cards() -> Vec<(&'static str, std::ffi::OsString)> {
    const NAMES: [&str; 8] = [
        "TASKGEN_LLM_DEVICE",
        "LD_LIBRARY_PATH",
        "CUDA_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES",
        "GGML_VK_VISIBLE_DEVICES",
        "VK_DRIVER_FILES",
        "VK_ICD_FILENAMES",
    ];
    let set = |name| Some((name, std::env::var_os(name)?));
    NAMES.into_iter().filter_map(set).collect()
}

/// The second program, beside this one.
pub fn local_program() -> Result<PathBuf> {
    let here = std::env::current_exe().context("where this program is")?;
    let program = here.with_file_name(format!("taskgen-llm{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(
        program.is_file(),
        NoModel(format!(
            "the built-in model's program is missing: `{}`\nhint: build with the feature `embedded-llm` (it is on by default), or name another model with --model-role",
            program.display()
        ))
    );
    Ok(program)
}

/// A server and its key.
struct Server {
    kind: Provider,
    base_url: String,
    key: Key,
}

enum Key {
    /// None is needed.
    None,
    Found {
        key: String,
        /// Where it is.
        variable: String,
    },
    /// One is needed, and should be in this variable.
    Missing(String),
}

/// A provider's server for a model, and its key.
fn server(variables: &Variables, config: &Config, provider: &str, model: &str) -> Result<Server> {
    if let Some(known) = config.providers.get(provider) {
        return Ok(Server {
            kind: known.kind,
            base_url: known.base_url.clone(),
            key: known
                .key_env
                .as_deref()
                .map_or(Key::None, |name| key_in(variables, name)),
        });
    }
    usual_server(variables, provider, model)
}

fn key_in(variables: &Variables, name: &str) -> Key {
    let variable = name.to_owned();
    match variables.get(name) {
        Some(key) => Key::Found { key, variable },
        None => Key::Missing(variable),
    }
}

fn ollama_url(host: &str) -> String {
    let url = if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    };
    format!("{}/v1", url.trim_end_matches('/'))
}

/// The server of a provider without an entry in the configuration.
fn usual_server(variables: &Variables, provider: &str, model: &str) -> Result<Server> {
    let or =
        |variable: &str, public: &str| variables.get(variable).unwrap_or_else(|| public.to_owned());
    let (base_url, key) = match provider {
        "openai" | "openai-responses" => {
            // A server of one's own may need no key; the public one does.
            let own = variables.get("OPENAI_BASE_URL").is_some();
            let key = match key_in(variables, "OPENAI_API_KEY") {
                Key::Missing(_) if own => Key::None,
                key => key,
            };
            let base_url = or("OPENAI_BASE_URL", "https://api.openai.com/v1");
            (base_url, key)
        }
        "xai" => (
            or("XAI_BASE_URL", "https://api.x.ai/v1"),
            key_in(variables, "XAI_API_KEY"),
        ),
        "perplexity" => (
            or("PERPLEXITY_BASE_URL", "https://api.perplexity.ai"),
            key_in(variables, "PERPLEXITY_API_KEY"),
        ),
        "anthropic" => (
            or("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
            key_in(variables, "ANTHROPIC_API_KEY"),
        ),
        "gemini" => {
            let key = match key_in(variables, "GEMINI_API_KEY") {
                Key::Missing(first) => match key_in(variables, "GOOGLE_API_KEY") {
                    Key::Missing(_) => Key::Missing(first),
                    second => second,
                },
                key => key,
            };
            let public = "https://generativelanguage.googleapis.com";
            (or("GOOGLE_GEMINI_BASE_URL", public), key)
        }
        "openrouter" => (
            "https://openrouter.ai/api/v1".into(),
            key_in(variables, "OPENROUTER_API_KEY"),
        ),
        "vllm" => (or("VLLM_BASE_URL", "http://127.0.0.1:8000/v1"), Key::None),
        "ollama" => {
            let base_url = ollama_url(&or("OLLAMA_HOST", "127.0.0.1:11434"));
            (base_url, Key::None)
        }
        other => {
            let hint =
                format!("{KNOWN}, or a `[providers.{other}]` with a `base_url` in `taskgen.toml`");
            return Err(Usage(format!("no such provider: `{other}`\nhint: {hint}")).into());
        }
    };
    Ok(Server {
        kind: usual(provider, model),
        base_url,
        key,
    })
}

fn missing_key(provider: &str, variable: &str) -> anyhow::Error {
    NoModel(format!(
        "no key for `{provider}`: the variable `{variable}` is not set\nhint: set it, or name a file that sets it with --env-file, or take another model for the role, such as the built-in one: --model-role ROLE=local/qwen2.5-coder-0.5b"
    ))
    .into()
}

/// The environment, then the files of `--env-file`: the environment beats the files.
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Reads `NAME=VALUE` lines, with or without `export` and quotes; `#` begins a comment line.
    pub fn read(files: &[PathBuf]) -> Result<Self> {
        let mut variables = BTreeMap::new();
        for file in files {
            let text = fs_err::read_to_string(file).map_err(|e| {
                Usage(format!(
                    "{e}\nhint: --env-file FILE, with one NAME=VALUE a line"
                ))
            })?;
            for (number, line) in text.lines().enumerate() {
                let line = line.trim().trim_start_matches("export ").trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                // The line itself may hold a key and is not shown.
                let (name, value) = line.split_once('=').ok_or_else(|| {
                    Usage(format!(
                        "`{}`, line {}: not NAME=VALUE\nhint: one variable a line; lines that begin with # are comments",
                        file.display(),
                        number + 1
                    ))
                })?;
                let value = value.trim();
                let quoted = ['"', '\'']
                    .iter()
                    .find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q));
                variables.insert(name.trim().to_owned(), quoted.unwrap_or(value).to_owned());
            }
        }
        Ok(Self(variables))
    }

    /// All keys that are known, whoever they are for: the values of variables that are named like
    /// secrets or that a provider's `key_env` names, and what an address lets in with.
    pub fn secrets(&self, config: &Config) -> Vec<String> {
        let of_providers: Vec<&str> = config
            .providers
            .values()
            .filter_map(|provider| provider.key_env.as_deref())
            .chain(config.search.key_env.as_deref())
            .collect();
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let mut secrets: Vec<String> = environment
            .chain(self.0.clone())
            .filter(|(name, _)| names_a_secret(name) || of_providers.contains(&name.as_str()))
            .map(|(_, value)| value)
            .collect();
        for provider in config.providers.values() {
            secrets.extend(secrets_in_url(&provider.base_url));
        }
        secrets
    }

    pub fn get(&self, name: &str) -> Option<String> {
        let set = std::env::var(name)
            .ok()
            .or_else(|| self.0.get(name).cloned());
        set.filter(|value| !value.is_empty())
    }
}

/// The password in an address, and the values of its query, as they are and as they are written. A
/// version is no secret, and may stand in any report.
fn secrets_in_url(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let query = url.query().unwrap_or_default().split('&');
    let written = query
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.into(), value.into()));
    let values = written
        .chain(url.query_pairs())
        .filter(|(name, _)| !name.contains("version"))
        .map(|(_, value)| value.into_owned());
    values.chain(url.password().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_variables_is_read_and_its_lines_are_never_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("keys");
        std::fs::write(
            &file,
            "# keys\nexport TASKGEN_TEST_A=\"one two\"\nTASKGEN_TEST_B = 'x=y' \n\n",
        )
        .expect("writable");
        let variables = Variables::read(std::slice::from_ref(&file)).expect("it reads");
        assert_eq!(variables.get("TASKGEN_TEST_A").as_deref(), Some("one two"));
        assert_eq!(variables.get("TASKGEN_TEST_B").as_deref(), Some("x=y"));
        let provider = "[providers.lab]\nbase_url = \"http://u:of%20the%20address@h/v1?t=a%2Fquery&api-version=2024-02-01\"\nkey_env = \"TASKGEN_TEST_A\"";
        let config = toml::from_str(provider).expect("a configuration");
        let secrets = variables.secrets(&config);
        let has = |secret: &str| secrets.iter().any(|known| known == secret);
        assert!(has("one two") && !has("x=y"), "{secrets:?}");
        assert!(has("of%20the%20address") && has("a%2Fquery") && has("a/query"));
        assert!(!has("2024-02-01"), "{secrets:?}");
        std::fs::write(&file, "A=1\nplanted-key\n").expect("writable");
        let said = Variables::read(&[file])
            .err()
            .expect("a bad line")
            .to_string();
        assert!(
            said.contains("line 2") && !said.contains("planted"),
            "{said}"
        );
    }
}
