//! Resolution of names: a role to a running model, a speech model's name to a checked file. All
//! environment variables are read here or by the flags, and handed down as values.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    io::IsTerminal as _,
    path::Path,
    sync::Arc,
};

use anyhow::Result;

use super::{
    config::Loaded,
    providers,
    roles::{Member, Role},
    settings::{Config, Remote, Transcribe},
};
use crate::{
    cli::{
        args::Global,
        commands::models,
        project::{Project, this_program},
        ui::{
            exit::{self, Usage},
            output::{self, Printer},
        },
    },
    context::{Context, Notice, Notify, Probing},
    files,
    http::{self, Http, HttpOptions},
    llm::{
        AskError, Budget, ChatModel, Limits, Llm, LlmOptions, Parameters, Prices, Prompts, is_code,
    },
    store::Store,
    transcribe::{
        self, Decoder, Device, DeviceError, Engine, ModelChoice, Options, Resolver,
        TranscribeError,
        devices::{self, Memory},
    },
};

/// The tools for stages in which `roles` answer, by the models that the configuration gives them.
pub fn context(
    global: &Global,
    project: &Project,
    store: &Arc<Store>,
    notify: &Notify,
    printer: &Printer,
    roles: &[&'static str],
) -> Result<Context> {
    let of = &project.loaded.config.roles;
    // Two evaluators may ask one role: its model must not become a panel of two.
    let mut known = BTreeSet::new();
    let roles = roles.iter().filter(|role| known.insert(**role));
    let roles: Vec<(&'static str, Role)> = roles.map(|role| (*role, of.get(role))).collect();
    context_of(global, project, store, notify, printer, &roles)
}

/// The same, by the models that are given.
pub fn context_of(
    global: &Global,
    project: &Project,
    store: &Arc<Store>,
    notify: &Notify,
    printer: &Printer,
    roles: &[(&'static str, Role)],
) -> Result<Context> {
    let config = &project.loaded.config;
    let http = Http::new(HttpOptions {
        offline: global.offline,
        ..HttpOptions::default()
    })?;
    let mut models: BTreeMap<&str, Arc<dyn ChatModel>> = BTreeMap::new();
    let mut bound: BTreeMap<String, Vec<Arc<dyn ChatModel>>> = BTreeMap::new();
    let mut parameters = BTreeMap::new();
    for (role, models_of) in roles {
        for (number, member) in models_of.0.iter().enumerate() {
            let Member {
                temperature,
                max_tokens,
                ..
            } = *member;
            parameters.insert(
                ((*role).to_owned(), number),
                Parameters {
                    temperature,
                    max_tokens,
                },
            );
            // One instance for all roles: they share the server's rate limit, or the one child
            // process.
            let model = match models.get(member.model.as_str()) {
                Some(model) => Arc::clone(model),
                None => providers::chat_model(global, config, member, &http, notify)?,
            };
            models.insert(&member.model, Arc::clone(&model));
            bound.entry((*role).to_owned()).or_default().push(model);
        }
    }
    let roles: Vec<&'static str> = roles.iter().map(|(role, _)| *role).collect();
    say_who_answers(
        config,
        &roles,
        &bound,
        global.replay || global.dry_run,
        printer,
    )?;
    let prices = Prices::load(&project.prices()).map_err(|e| Usage(format!("{e:#}")))?;
    let limits = limits(global)?;
    // Refused before the first call, not when the first unpriced one would be sent.
    let unpriced = bound
        .values()
        .flatten()
        .find(|model| prices.find(model.name()).is_none());
    if let (Some(model), Some(_), false) = (unpriced, limits.micro, global.replay || global.dry_run)
    {
        return Err(AskError::Unpriced(model.name().to_owned()).into());
    }
    let llm = Llm::new(LlmOptions {
        retry_failed: global.retry_failed,
        replay: global.replay,
        dry_run: global.dry_run,
        resample: global.resample,
        prices,
        budget: Budget::new(limits),
        parameters,
        ..LlmOptions::new(
            Arc::clone(store),
            prompts(project, &fence_key(store)?),
            prompts(project, &fence_key_of_builtin()),
            bound,
        )
    });
    Ok(Context {
        store: Arc::clone(store),
        llm: Arc::new(llm),
        seed: config.seed,
        notify: Arc::clone(notify),
        probing: Probing {
            // What is on record may be from before there were probes, and depends on none.
            share: if global.replay {
                0.0
            } else {
                config.judge.probes
            },
            accept: config.judge.accept,
        },
    })
}

/// The templates, with the project's own where it has any.
pub fn prompts(project: &Project, fence_key: &str) -> Prompts {
    Prompts::new(Some(project.prompts()), fence_key)
}

fn limits(global: &Global) -> Result<Limits> {
    let micro = match global.budget_usd {
        Some(usd) if usd.is_finite() && usd >= 0.0 => Some((usd * 1e6) as u64),
        Some(usd) => return Err(Usage(format!("--budget-usd must be 0 or more: `{usd}`")).into()),
        None => None,
    };
    Ok(Limits {
        micro,
        tokens: global.budget_tokens,
    })
}

/// Key of the fences around untrusted text: the project's secret, which lies in its database, so
/// that a copy of the project has the same prompts on every machine. `TASKGEN_FENCE_KEY` replaces
/// it.
fn fence_key(store: &Store) -> Result<String> {
    std::env::var("TASKGEN_FENCE_KEY").or_else(|_| store.fence_key())
}

/// The same for built-in models, without a secret: a fence cannot be closed from inside by those
/// who know the key either, because its token is drawn again while the text contains it.
fn fence_key_of_builtin() -> String {
    std::env::var("TASKGEN_FENCE_KEY").unwrap_or_else(|_| "taskgen".to_owned())
}

/// Prints which texts go to which host with which key, before any text leaves the machine. And what
/// the embedded model's judgement is worth.
fn say_who_answers(
    config: &Config,
    roles: &[&'static str],
    bound: &BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    nothing_leaves: bool,
    printer: &Printer,
) -> Result<()> {
    let (mut leaving, mut keys_to_this_machine) = (Vec::new(), BTreeSet::new());
    for role in roles {
        for model in bound.get(*role).into_iter().flatten() {
            let Some(url) = model.base_url() else {
                continue;
            };
            if url.parse().is_ok_and(|url| http::is_loopback(&url)) {
                keys_to_this_machine.extend(model.key_variable().map(|variable| {
                    format!("{url} ({}) gets the key in `{variable}`", model.name())
                }));
                continue;
            }
            let what = what_goes(role, roles);
            // A project from elsewhere may name any variable as the key for any host.
            let key = model
                .key_variable()
                .map(|variable| format!(", with the key in `{variable}`"))
                .unwrap_or_default();
            leaving.push(format!(
                "{role}: {what} go to {url} ({}){key}",
                model.name()
            ));
        }
    }
    if roles.iter().any(|role| {
        bound
            .get(*role)
            .is_some_and(|m| m.iter().any(|m| m.is_builtin() && !is_code(m.name())))
    }) {
        printer.note("the built-in model is for trying things out: do not publish its tasks, rankings or scores");
    }
    if nothing_leaves {
        return Ok(());
    }
    // No text leaves the machine, but a program on it may be a stranger's.
    for line in keys_to_this_machine {
        printer.error(&line);
    }
    if leaving.is_empty() {
        return Ok(());
    }
    // Said even to who wants quiet: it is what a question or a refusal below speaks of.
    printer.error(&leaving.join("\n"));
    match config.privacy.remote {
        Remote::Never => {
            Err(Usage("`privacy.remote = \"never\"` forbids it\nhint: use a local model, or change the setting".into())
                .into())
        }
        Remote::Ask if std::io::stdin().is_terminal() => ask(printer),
        Remote::Ask | Remote::Allow => Ok(()),
    }
}

/// What the prompts of a role hold, in a command that asks these roles.
fn what_goes(role: &str, roles: &[&str]) -> &'static str {
    match role {
        "inspire" => "transcripts",
        "review" if roles.contains(&"inspire") => {
            "inspirations with their quotes and the lines around them"
        }
        "review" => "tasks and attempts at them",
        "weave" => "inspirations with their quotes, and tasks",
        "keypoints" => "tasks, web pages and key points",
        "relate" => "tasks, reports, key points and passages of web pages",
        "extract" => "reports",
        "rate" => "tasks, reports, and what they are held against",
        "complete" => "the first halves of tasks",
        "examine" => "pages of trees, topics and what was found on them",
        // `answer`, `checklist`, `judge`, `probe`, `translate`.
        _ => "tasks",
    }
}

fn ask(printer: &Printer) -> Result<()> {
    printer.error("go on? [y/N]");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    if line.trim().eq_ignore_ascii_case("y") {
        return Ok(());
    }
    Err(Usage(
        "nothing was sent\nhint: `privacy.remote = \"allow\"` in `taskgen.toml` stops the question"
            .into(),
    )
    .into())
}

/// The stage's options from the configuration. The configuration may come from elsewhere, and what
/// a vocabulary says gets into transcripts: its file must lie in the project, unless a flag names
/// it.
pub fn transcribe_options(loaded: &Loaded, model: ModelChoice) -> Result<Options> {
    let config = &loaded.config.transcribe;
    let vocabulary = match &config.vocabulary {
        Some(file) => {
            if !loaded.is_overridden("transcribe.vocabulary") {
                check_inside(loaded, file)?;
            }
            Some(names_and_terms(file)?)
        }
        None => None,
    };
    let language = (config.language != "auto").then(|| config.language.clone());
    Ok(Options {
        model,
        language,
        vocabulary,
        channel: config.channel,
        words: config.words,
    })
}

/// Refuses a file that the configuration names and that is not in its folder, wherever links lead.
fn check_inside(loaded: &Loaded, file: &Path) -> Result<()> {
    let Some(folder) = loaded.file.as_deref().and_then(Path::parent) else {
        return Ok(());
    };
    // A file that is not there is told by who reads it.
    if !file.exists() || files::is_inside(folder, file)? {
        return Ok(());
    }
    let file = file.display();
    let hint =
        format!("copy it into the project, or allow it for this run with --vocabulary '{file}'");
    Err(Usage(format!(
        "`transcribe.vocabulary` leads out of the project: `{file}`\nhint: {hint}"
    ))
    .into())
}

fn names_and_terms(file: &Path) -> Result<String> {
    let hint = "--vocabulary names a text file with the talk's names and terms";
    // A pipe or a device may never end.
    if file.exists() && !file.is_file() {
        let file = file.display();
        return Err(Usage(format!("it is no file: `{file}`\nhint: {hint}")).into());
    }
    let text = fs_err::read_to_string(file).map_err(|e| Usage(format!("{e}\nhint: {hint}")))?;
    Ok(text.trim().to_owned())
}

/// Free memory of a card on which `auto` means the large model: its weights, a few states, and room
/// for others.
const CARD_FOR_SPEECH: u64 = 6_000_000_000;

/// The memory of each device, or why it cannot be used. A card is asked in a process of its own.
pub fn memories(devices: &[Device]) -> Result<Vec<(&Device, Result<Memory, String>)>> {
    let program = this_program()?;
    let memory = |device| transcribe::memory_of_device(&program, device);
    Ok(devices
        .iter()
        .map(|device| (device, memory(device)))
        .collect())
}

/// The free memory of each card of its own that can be used. What is part of the processor shares
/// its memory, and is not faster than it.
pub fn cards<'d>(memories: &[(&'d Device, Result<Memory, String>)]) -> Vec<(&'d Device, u64)> {
    let own = memories
        .iter()
        .filter(|(card, _)| card.is_card() && !card.integrated);
    own.filter_map(|(card, memory)| Some((*card, memory.as_ref().ok()?.free)))
        .collect()
}

/// The card with most free memory, if that is enough for the large model.
pub fn card_with_room<'d>(cards: &[(&'d Device, u64)]) -> Option<(&'d Device, u64)> {
    let has_room = cards.iter().filter(|(_, free)| *free >= CARD_FOR_SPEECH);
    has_room.max_by_key(|(_, free)| *free).copied()
}

/// The speech model that the configuration names. What `auto` means depends on the devices: the
/// large model where a card has room for it, and it is here or can be fetched.
pub fn speech_model(
    global: &Global,
    config: &Transcribe,
    devices: &[Device],
    notify: &Notify,
) -> Result<ModelChoice> {
    let choice = ModelChoice::parse(&config.model);
    if choice != ModelChoice::Auto {
        return Ok(choice);
    }
    let Some((card, free)) = card_with_room(&cards(&memories(devices)?)) else {
        return Ok(choice);
    };
    let name = transcribe::AUTO_ON_CARD;
    let mut missing = None;
    if models::here(global, name)?.is_none() {
        if global.offline {
            missing = Some("nothing may be fetched".to_owned());
        } else if let Err(error) = models::ensure(global, name, notify) {
            missing = Some(format!("{error:#}").replace('\n', "; "));
        }
    }
    let (room, on) = (output::bytes(free), &card.name);
    let (said, choice) = match missing {
        None => (String::new(), ModelChoice::AutoOnCard),
        Some(why) => (
            format!(", but it is not here ({why}): tiny.en for English, base otherwise"),
            ModelChoice::Auto,
        ),
    };
    notify(Notice::Say(&format!(
        "model auto: `{on}` has {room} free, enough for {name}{said}"
    )));
    Ok(choice)
}

/// The transcription engine: finds speech models, fetching those of the manifest that are missing,
/// and decodes in processes of this program.
pub fn engine_on(
    global: &Global,
    devices: Vec<Device>,
    jobs: usize,
    notify: &Notify,
) -> Result<Engine> {
    let (global, notify) = (global.clone(), Arc::clone(notify));
    let resolver: Resolver = Box::new(move |name| models::ensure(&global, name, &notify));
    let program = this_program()?;
    Ok(Engine::on(resolver, Decoder { program }, devices, jobs))
}

/// The devices that the configuration names.
pub fn devices(config: &Transcribe) -> Result<Vec<Device>> {
    match devices::choose(&config.device, &devices::list()) {
        Ok(chosen) => Ok(chosen),
        Err(error @ DeviceError::Unknown(_)) => Err(Usage(error.to_string()).into()),
        // Another machine may have one.
        Err(error @ DeviceError::NoCard) => {
            let what = error.to_string();
            let hint =
                "hint: `taskgen doctor` lists the devices; a driver that does not fit shows none";
            Err(anyhow::Error::new(TranscribeError::NoDevice { what }).context(hint))
        }
    }
}

/// Runs the asynchronous part of a command.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}

/// Checks for the end of the last message, ten milliseconds apart.
const LOOKS_AT_MESSAGE: usize = 50;

/// From now on, Ctrl-C and SIGTERM end the program with a word on how to go on. Whatever was
/// finished is committed, and the built-in model's process ends with its input, so there is nothing
/// to wait for.
pub fn stop_on_signals(printer: Printer) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Heard from here on: a signal before the thread runs must not end the program without a word.
    let signal = {
        let _inside = runtime.enter();
        signal()?
    };
    std::thread::spawn(move || {
        let code = runtime.block_on(signal);
        crate::cli::ui::keyboard::restore();
        // Beside us: where nobody reads what we say, it would never end.
        let told = std::thread::spawn(move || {
            printer.error("\nstopped: everything that was finished is saved\nhint: run the same command again to continue");
        });
        for _ in 0..LOOKS_AT_MESSAGE {
            if told.is_finished() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        std::process::exit(i32::from(code));
    });
    Ok(())
}

/// The exit code of a Ctrl-C or SIGTERM, when one comes; both are heard from the call on.
pub fn signal() -> std::io::Result<impl Future<Output = u8>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => exit::INTERRUPTED,
            _ = terminate.recv() => exit::STOPPED,
        }
    })
}
