//! Names into things that work: a role into a model that answers, a speech model's name into a checked file.
//! Everything that the environment says is read here or by the flags, and handed down as values.

use std::{collections::BTreeMap, future::Future, io::IsTerminal as _, path::PathBuf, sync::Arc};

use anyhow::{Context as _, Result};

use super::{
    args::Global,
    config::{Config, Remote, Transcribe},
    exit::{self, Usage},
    models,
    output::Printer,
    project::Project,
};
use crate::{
    context::{Context, Notify},
    data::id::sha256_hex,
    http::{Http, HttpOptions},
    llm::{self, ChatModel, Llm, LlmOptions, LocalModel, LocalOptions, Prompts, Provider, RemoteOptions},
    models::Manifest,
    store::Store,
    transcribe::{ModelChoice, ModelFile, Options, Resolver},
};

/// The tools for stages in which `roles` answer.
pub fn context(
    global: &Global,
    project: &Project,
    store: &Arc<Store>,
    notify: &Notify,
    printer: &Printer,
    roles: &[&'static str],
) -> Result<Context> {
    let config = &project.loaded.config;
    let http = Http::new(HttpOptions { offline: global.offline, ..HttpOptions::default() })?;
    let mut models: BTreeMap<&str, Arc<dyn ChatModel>> = BTreeMap::new();
    let mut bound: BTreeMap<String, Vec<Arc<dyn ChatModel>>> = BTreeMap::new();
    for role in roles {
        let name = role_model(config, role);
        let model = match models.get(name) {
            Some(model) => Arc::clone(model),
            None => chat_model(global, config, name, &http, notify)?,
        };
        models.insert(name, Arc::clone(&model));
        bound.insert((*role).to_owned(), vec![model]);
    }
    say_who_answers(config, roles, &bound, printer)?;
    let llm = Llm::new(LlmOptions {
        store: Arc::clone(store),
        prompts: Prompts::new(Some(project.prompts()), &fence_key(config)),
        roles: bound,
        retry_failed: global.retry_failed,
    });
    Ok(Context { store: Arc::clone(store), llm: Arc::new(llm), seed: config.seed, notify: Arc::clone(notify) })
}

/// Key of the fences around untrusted text. It follows from the seed, so that the same seed gives the same prompts
/// everywhere; a fence cannot be closed from inside whoever knows the key, because its token is drawn again while the
/// text contains it. `TASKGEN_FENCE_KEY` replaces it where texts come from people who read this code.
fn fence_key(config: &Config) -> String {
    std::env::var("TASKGEN_FENCE_KEY").unwrap_or_else(|_| sha256_hex(format!("fence {}", config.seed).as_bytes()))
}

fn role_model<'a>(config: &'a Config, role: &str) -> &'a str {
    match role {
        "inspire" => &config.roles.inspire,
        "weave" => &config.roles.weave,
        _ => &config.roles.judge,
    }
}

fn chat_model(
    global: &Global,
    config: &Config,
    name: &str,
    http: &Http,
    notify: &Notify,
) -> Result<Arc<dyn ChatModel>> {
    let Some((provider, model)) = name.split_once('/') else {
        return Err(Usage(format!("a model is named `provider/model`: `{name}`\nhint: such as `local/qwen2.5-coder-0.5b` or `openai/gpt-4o-mini`")).into());
    };
    if provider == "local" {
        return local(global, name, model, notify);
    }
    let server = server(config, provider)?;
    Ok(Arc::new(llm::Remote::new(RemoteOptions {
        name: name.to_owned(),
        model: model.to_owned(),
        http: Some(http.clone()),
        ..server
    })))
}

fn local(global: &Global, name: &str, model: &str, notify: &Notify) -> Result<Arc<dyn ChatModel>> {
    let file = models::ensure(global, model, notify)?;
    let program = local_program()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Arc::new(LocalModel::new(LocalOptions { name: name.to_owned(), program, model: file.path, threads })))
}

/// The second program, beside this one.
fn local_program() -> Result<PathBuf> {
    let here = std::env::current_exe().context("where this program is")?;
    let program = here.with_file_name(format!("taskgen-llm{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(
        program.is_file(),
        exit::NoModel(format!(
            "the embedded model's program is missing: `{}`\nhint: build with the feature `embedded-llm` (it is on by default), or name another model with --model-role",
            program.display()
        ))
    );
    Ok(program)
}

/// What a provider speaks, its base URL and its key.
fn server(config: &Config, provider: &str) -> Result<RemoteOptions> {
    let speaks = |kind: Provider, base_url: String, api_key: Option<String>| RemoteOptions {
        provider: kind,
        base_url,
        api_key,
        ..RemoteOptions::default()
    };
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(known) = config.providers.get(provider) {
        let key = match &known.key_env {
            Some(name) => Some(env(name).ok_or_else(|| missing_key(provider, name))?),
            None => None,
        };
        return Ok(speaks(known.kind, known.base_url.clone(), key));
    }
    match provider {
        "openai" => {
            let base = env("OPENAI_BASE_URL");
            let key = env("OPENAI_API_KEY");
            // A server of one's own may need no key; the public one does.
            if base.is_none() && key.is_none() {
                return Err(missing_key(provider, "OPENAI_API_KEY"));
            }
            Ok(speaks(Provider::OpenAi, base.unwrap_or_else(|| "https://api.openai.com/v1".into()), key))
        }
        "anthropic" => {
            let (base, key) = (env("ANTHROPIC_BASE_URL"), env("ANTHROPIC_API_KEY"));
            if base.is_none() && key.is_none() {
                return Err(missing_key(provider, "ANTHROPIC_API_KEY"));
            }
            Ok(speaks(Provider::Anthropic, base.unwrap_or_else(|| "https://api.anthropic.com".into()), key))
        }
        "gemini" => {
            let base = env("GOOGLE_GEMINI_BASE_URL");
            let key = env("GEMINI_API_KEY").or_else(|| env("GOOGLE_API_KEY"));
            if base.is_none() && key.is_none() {
                return Err(missing_key(provider, "GEMINI_API_KEY"));
            }
            let base = base.unwrap_or_else(|| "https://generativelanguage.googleapis.com".into());
            Ok(speaks(Provider::Gemini, base, key))
        }
        "openrouter" => {
            let key = env("OPENROUTER_API_KEY").ok_or_else(|| missing_key(provider, "OPENROUTER_API_KEY"))?;
            Ok(speaks(Provider::OpenAi, "https://openrouter.ai/api/v1".into(), Some(key)))
        }
        "vllm" => {
            let base = env("VLLM_BASE_URL").unwrap_or_else(|| "http://127.0.0.1:8000/v1".into());
            Ok(speaks(Provider::OpenAi, base, None))
        }
        "ollama" => {
            let host = env("OLLAMA_HOST").unwrap_or_else(|| "127.0.0.1:11434".into());
            let host = if host.contains("://") { host } else { format!("http://{host}") };
            Ok(speaks(Provider::OpenAi, format!("{}/v1", host.trim_end_matches('/')), None))
        }
        other => Err(Usage(format!(
            "no such provider: `{other}`\nhint: local, openai, anthropic, gemini, openrouter, vllm, ollama, or a `[providers.{other}]` with a `base_url` in `taskgen.toml`"
        ))
        .into()),
    }
}

fn missing_key(provider: &str, variable: &str) -> anyhow::Error {
    exit::NoModel(format!(
        "no key for `{provider}`: the variable `{variable}` is not set\nhint: set it, or use the embedded model: --model-role judge=local/qwen2.5-coder-0.5b"
    ))
    .into()
}

/// Before a text leaves the machine: what goes where. And what the embedded model's judgement is worth.
fn say_who_answers(
    config: &Config,
    roles: &[&'static str],
    bound: &BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    printer: &Printer,
) -> Result<()> {
    let mut leaving = Vec::new();
    for role in roles {
        let Some(model) = bound.get(*role).and_then(|models| models.first()) else { continue };
        if let Some(url) = model.base_url().filter(|url| !is_loopback(url)) {
            let what = if *role == "inspire" {
                "transcripts"
            } else if *role == "weave" {
                "quotes"
            } else {
                "tasks"
            };
            leaving.push(format!("{role}: {what} go to {url} ({})", model.name()));
        }
    }
    if roles.iter().any(|role| bound.get(*role).is_some_and(|m| m.iter().any(|m| m.is_trial()))) {
        printer.note("the embedded model is a trial model: everything runs, but what it finds, writes and judges is only for trying things out");
    }
    if leaving.is_empty() {
        return Ok(());
    }
    printer.note(&leaving.join("\n"));
    match config.privacy.remote {
        Remote::Never => {
            Err(Usage("`privacy.remote = \"never\"` forbids it\nhint: use a local model, or change the setting".into())
                .into())
        }
        Remote::Ask if std::io::stdin().is_terminal() => ask(printer),
        Remote::Ask | Remote::Allow => Ok(()),
    }
}

fn ask(printer: &Printer) -> Result<()> {
    printer.error("go on? [y/N]");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    if line.trim().eq_ignore_ascii_case("y") {
        return Ok(());
    }
    Err(Usage("nothing was sent\nhint: `privacy.remote = \"allow\"` in `taskgen.toml` stops the question".into())
        .into())
}

fn is_loopback(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or(url).split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = if host.starts_with('[') {
        host.split(']').next().unwrap_or_default().trim_start_matches('[')
    } else {
        host.split(':').next().unwrap_or_default()
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The stage's options from the configuration.
pub fn transcribe_options(config: &Transcribe) -> Result<Options> {
    let vocabulary = match &config.vocabulary {
        Some(file) => Some(fs_err::read_to_string(file).map_err(|e| Usage(e.to_string()))?.trim().to_owned()),
        None => None,
    };
    let language = (config.language != "auto").then(|| config.language.clone());
    Ok(Options { model: ModelChoice::parse(&config.model), language, jobs: config.jobs, vocabulary })
}

/// Finds speech models, fetching those of the manifest that are missing.
pub fn whisper(global: &Global, notify: &Notify) -> Resolver {
    let (global, notify) = (global.clone(), Arc::clone(notify));
    Box::new(move |name| {
        let file = models::ensure(&global, name, &notify)?;
        Ok(ModelFile { name: file.name, path: file.path, sha256: file.sha256 })
    })
}

/// The hash of a model of the manifest.
pub fn pinned(name: &str) -> Option<String> {
    Manifest::embedded().find(name).ok().map(|model| model.sha256.clone())
}

/// Runs the asynchronous part of a command.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// From now on, Ctrl-C and SIGTERM end the program with a word on how to go on. Whatever was finished is committed, and
/// the embedded model's process ends with its input, so there is nothing to wait for.
pub fn stop_on_signals(printer: Printer) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        let Ok(code) = runtime.block_on(signal()) else { return };
        printer.error("\nstopped: everything that was finished is saved\nhint: run the same command again to continue");
        std::process::exit(i32::from(code));
    });
    Ok(())
}

async fn signal() -> std::io::Result<u8> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted.map(|()| exit::INTERRUPTED),
        _ = terminate.recv() => Ok(exit::STOPPED),
    }
}
