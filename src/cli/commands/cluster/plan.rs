//! What the jobs of `taskgen cluster slurm` are to do: their flags, the models that are fetched
//! before, and the server that answers for the steps.

use std::path::Path;

use anyhow::Result;

use crate::{
    cli::{
        args::{Global, Server, Slurm as Arguments, Sound, Step},
        commands::stages,
        project::{Project, settings::Config},
        ui::exit::Usage,
    },
    cluster::{Plan, Resources, ServerKind},
    embed,
    llm::is_code,
    transcribe::{ModelChoice, ON_CARD, devices},
};

/// Most shards where no number is given.
const USUAL_SHARDS: usize = 32;
/// Roles that the steps ask.
const ROLES: [(Step, &[&str]); 3] = [
    (Step::Inspire, &["inspire", "review"]),
    (Step::Weave, &["weave", "translate"]),
    (Step::Rank, &["judge"]),
];

/// What the jobs are to do, as the flags and the configuration say.
pub fn plan(
    global: &Global,
    args: &Arguments,
    project: &Project,
    recordings: usize,
) -> Result<Plan> {
    let mut steps = args.then.clone();
    steps.sort_unstable();
    steps.dedup();
    let paths = args.paths.iter().map(|path| whole(path));
    let config = &project.loaded.config;
    let device = config.transcribe.device.as_str();
    let on_cards = args.gpus > 0 && devices::ON_CARDS && device != devices::CPU;
    // Decided here, and not on each node by the memory that is free there: all shards use one model.
    let choice = match ModelChoice::parse(&config.transcribe.model) {
        ModelChoice::Auto if on_cards => ModelChoice::AutoOnCard,
        choice => choice,
    };
    // A node whose cards do not work must not do with its processor what was meant for them.
    let device = match device {
        devices::AUTO if on_cards => devices::CARDS,
        device => device,
    };
    let resources = Resources {
        partition: args.partition.clone(),
        account: args.account.clone(),
        gpus: args.gpus,
        cpus: args.cpus,
        memory: args.memory.clone(),
        time: args.time.clone(),
    };
    let mut plan = Plan {
        program: word(&fs_err::canonicalize(std::env::current_exe()?)?)?,
        folder: whole(&project.root)?,
        recordings: paths.collect::<Result<_>>()?,
        options: options(global, project)?,
        places: places(global)?,
        sound: sound(&args.sound, &choice, device, workers(&resources, on_cards))?,
        models: speech_models(&choice),
        shards: args
            .shards
            .unwrap_or_else(|| recordings.min(USUAL_SHARDS) as u32),
        retries: args.retries,
        resources,
        steps: steps
            .iter()
            .map(|step| step_name(*step).to_owned())
            .collect(),
        asking: asking(global)?,
        server: Vec::new(),
    };
    match (args.server, &args.server_model) {
        (Some(server), Some(model)) => {
            if config.providers.contains_key("vllm") {
                return Err(Usage(
                    "`[providers.vllm]` in taskgen.toml names another server than the job's\nhint: give that section another name, and the roles that use it".into(),
                )
                .into());
            }
            serve(&mut plan, server, model, &steps)?;
        }
        _ => plan.models.extend(models_of_steps(config, &steps)),
    }
    plan.models.dedup();
    Ok(plan)
}

fn step_name(step: Step) -> &'static str {
    match step {
        Step::Inspire => "inspire",
        Step::Weave => "weave",
        Step::Rank => "rank",
    }
}

/// Has a server answer for the roles of the steps.
fn serve(plan: &mut Plan, server: Server, model: &str, steps: &[Step]) -> Result<()> {
    let path = Path::new(model);
    let is_here = path.exists();
    if server == Server::LlamaCpp && !is_here {
        return Err(Usage(format!(
            "no such file: `{model}`\nhint: llama.cpp takes a GGUF file, such as that of `taskgen models path qwen3-4b-instruct`"
        ))
        .into());
    }
    // On record under a name that is the same on every machine.
    let (model, name) = if is_here {
        // A folder may have a dot in its name: `Qwen2.5-7B`.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gguf").unwrap_or(&name).to_owned();
        (whole(path)?, name)
    } else {
        (model.to_owned(), model.to_owned())
    };
    let kind = match server {
        Server::LlamaCpp => ServerKind::LlamaCpp,
        Server::Vllm => ServerKind::Vllm,
    };
    plan.server = kind.command(&model, &name, plan.resources.gpus);
    let mut flags = Vec::new();
    for (step, roles) in ROLES {
        if steps.contains(&step) {
            for role in roles {
                flags.extend(["--model-role".to_owned(), format!("{role}=vllm/{name}")]);
            }
        }
    }
    // What a flag says of a role comes later, and wins.
    plan.asking.splice(0..0, flags);
    Ok(())
}

/// Flags of every command of a job.
fn options(global: &Global, project: &Project) -> Result<Vec<String>> {
    let mut options = vec!["--project".to_owned(), whole(&project.root)?];
    if let Some(file) = &global.config {
        options.extend(["--config".to_owned(), whole(file)?]);
    }
    if let Some(seed) = global.seed {
        options.extend(["--seed".to_owned(), seed.to_string()]);
    }
    options.extend(places(global)?);
    Ok(options)
}

fn places(global: &Global) -> Result<Vec<String>> {
    Ok(match &global.models_dir {
        Some(folder) => vec!["--models-dir".to_owned(), whole(folder)?],
        None => Vec::new(),
    })
}

/// Flags of steps that ask models.
fn asking(global: &Global) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: String| flags.extend([flag.to_owned(), value]);
    for role in &global.model_role {
        add("--model-role", role.clone());
    }
    for file in &global.env_file {
        add("--env-file", whole(file)?);
    }
    if let Some(usd) = global.budget_usd {
        add("--budget-usd", usd.to_string());
    }
    if let Some(tokens) = global.budget_tokens {
        add("--budget-tokens", tokens.to_string());
    }
    if let Some(n) = global.max_connections {
        add("--max-connections", n.to_string());
    }
    if global.offline {
        flags.push("--offline".into());
    }
    if global.retry_failed {
        flags.push("--retry-failed".into());
    }
    if global.replay {
        flags.push("--replay".into());
    }
    Ok(flags)
}

/// Flags of `transcribe`.
fn sound(sound: &Sound, choice: &ModelChoice, device: &str, workers: usize) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: String| flags.extend([flag.to_owned(), value]);
    if *choice == ModelChoice::AutoOnCard {
        add("--model", ON_CARD.to_owned());
    } else if let Some(model) = &sound.model {
        let path = Path::new(model);
        add(
            "--model",
            if path.is_file() {
                whole(path)?
            } else {
                model.clone()
            },
        );
    }
    if let Some(language) = &sound.language {
        add("--language", language.clone());
    }
    if let Some(file) = &sound.vocabulary {
        add("--vocabulary", whole(file)?);
    }
    if let Some(channel) = sound.channel {
        add("--channel", channel.to_string());
    }
    add("--jobs", sound.jobs.unwrap_or(workers).to_string());
    add("--device", device.to_owned());
    if sound.words {
        flags.push("--words".into());
    }
    Ok(flags)
}

/// The workers of a job, which has a part of its node's cores: one for each of them; on cards a few
/// for each card, and at least one.
fn workers(resources: &Resources, on_cards: bool) -> usize {
    let (cpus, cards) = (resources.cpus as usize, resources.gpus as usize);
    if on_cards {
        cards * (cpus / cards).clamp(1, devices::MOST_STATES)
    } else {
        cpus
    }
}

/// The speech models that may be needed. A file of the user's own is there.
fn speech_models(choice: &ModelChoice) -> Vec<String> {
    let mut names = vec![
        choice.name_for(true).to_owned(),
        choice.name_for(false).to_owned(),
    ];
    names.dedup();
    names.retain(|name| !Path::new(name).is_file());
    names
}

/// The models of this program that the steps need.
fn models_of_steps(config: &Config, steps: &[Step]) -> Vec<String> {
    let mut names = Vec::new();
    for (step, asked) in ROLES {
        if !steps.contains(&step) {
            continue;
        }
        for role in stages::asked(config, asked) {
            let members = config.roles.get(role).0;
            if role == "inspire" && members.iter().any(|member| is_code(&member.model)) {
                names.push(embed::MODEL.to_owned());
            }
            let local = members
                .iter()
                .filter_map(|member| member.model.strip_prefix("local/"));
            names.extend(local.map(str::to_owned));
        }
    }
    names
}

/// The whole path: a job's folder is another one.
fn whole(path: &Path) -> Result<String> {
    word(&std::path::absolute(path)?)
}

fn word(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let path = path.display();
        Usage(format!(
            "no UTF-8, and a script cannot name it: `{path}`\nhint: rename it"
        ))
        .into()
    })
}
