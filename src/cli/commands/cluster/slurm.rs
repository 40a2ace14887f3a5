//! `taskgen cluster slurm`: the scripts of the jobs, and their submission.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use super::{folder, jobs_file};
use crate::{
    cli::{
        args::{Global, Server, Slurm as Arguments, Sound, Step},
        commands::{seminars::transcribe, stages},
        project::{Project, settings::Config},
        ui::{
            exit::{self, Usage},
            output::{Printer, count},
        },
    },
    cluster::{self, Job, Plan, Resources, ServerKind, StepName, Submitted, shell},
    embed, files,
    llm::is_code,
    store::{NoLocks, WriteLock},
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

/// What was written, and perhaps submitted.
#[derive(Serialize)]
struct Written {
    scripts: Vec<PathBuf>,
    recordings: usize,
    shards: u32,
    /// What to type, where nothing was submitted.
    commands: Vec<String>,
    submitted: Option<Submitted>,
}

/// `taskgen cluster slurm`
pub fn slurm(global: &Global, args: &Arguments, printer: &Printer) -> Result<u8> {
    let mut project = Project::find(global)?;
    project.apply_sound(&args.sound);
    let recordings = transcribe::discover(&project, &args.paths)?
        .recordings
        .len();
    let plan = plan(global, args, &project, recordings)?;
    let scripts = cluster::scripts(&plan).map_err(|error| Usage(error.to_string()))?;
    files::create_own_folder(&project.tasks())?;
    files::create_own_folder(&folder(&project))?;
    files::create_own_folder(&folder(&project).join("log"))?;
    let _lock = if args.submit {
        let lock = lock(&project)?;
        refuse_while_they_run(&project)?;
        lock
    } else {
        None
    };
    let mut written = Written {
        scripts: Vec::new(),
        recordings,
        shards: plan.shards,
        commands: commands(&plan)?,
        submitted: None,
    };
    for script in &scripts {
        let path = folder(&project).join(format!("{}.sh", script.step.word()));
        files::write_whole(&path, script.text.as_bytes())?;
        written.scripts.push(path);
    }
    if args.submit {
        written.submitted = Some(submit(&project, &plan)?);
    }
    printer.show(&written, text)?;
    if args.gpus > 0 && !devices::ON_CARDS {
        printer.note(
            "this program knows no graphics cards: on nodes that have them, `transcribe` uses the processor\nhint: build it with the feature cuda, hipblas or vulkan",
        );
    }
    Ok(exit::DONE)
}

fn plan(global: &Global, args: &Arguments, project: &Project, recordings: usize) -> Result<Plan> {
    let mut steps = args.then.clone();
    steps.sort_unstable();
    steps.dedup();
    let paths = args.paths.iter().map(|path| whole(path));
    let config = &project.loaded.config;
    // Decided here, and not on each node by the memory that is free there: all shards use one model.
    let choice = match ModelChoice::parse(&config.transcribe.model) {
        ModelChoice::Auto if args.gpus > 0 && devices::ON_CARDS => ModelChoice::AutoOnCard,
        choice => choice,
    };
    // A node whose cards do not work must not do with its processor what was meant for them.
    let device = match config.transcribe.device.as_str() {
        devices::AUTO if args.gpus > 0 && devices::ON_CARDS => devices::CARDS,
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
        sound: sound(&args.sound, &choice, device, &resources)?,
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
fn sound(
    sound: &Sound,
    choice: &ModelChoice,
    device: &str,
    resources: &Resources,
) -> Result<Vec<String>> {
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
    let workers = || workers(resources, device);
    add("--jobs", sound.jobs.unwrap_or_else(workers).to_string());
    add("--device", device.to_owned());
    if sound.words {
        flags.push("--words".into());
    }
    Ok(flags)
}

/// The workers of a job, which has a part of its node's cores: one for each of them; on cards a few
/// for each card, and at least one.
fn workers(resources: &Resources, device: &str) -> usize {
    let (cpus, cards) = (resources.cpus as usize, resources.gpus as usize);
    if cards == 0 || device == devices::CPU || !devices::ON_CARDS {
        return cpus;
    }
    cards * (cpus / cards).clamp(1, devices::MOST_STATES)
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

/// What to type to submit the scripts.
fn commands(plan: &Plan) -> Result<Vec<String>> {
    let folder = shell::quoted(&plan.folder).map_err(|error| Usage(error.to_string()))?;
    let after = "--kill-on-invalid-dep=yes --dependency";
    Ok(vec![
        format!("cd {folder}"),
        "models=$(sbatch --parsable tasks/cluster/models.sh)".into(),
        format!(
            "shards=$(sbatch --parsable {after}=afterok:${{models%%;*}} tasks/cluster/shards.sh)"
        ),
        format!("sbatch {after}=afterany:${{shards%%;*}} tasks/cluster/collect.sh ${{shards%%;*}}"),
    ])
}

/// Two arrays would do the same work side by side.
fn refuse_while_they_run(project: &Project) -> Result<()> {
    let left = cluster::slurm::unfinished(&project.root)?;
    if left.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = left.iter().map(u64::to_string).collect();
    Err(Usage(format!(
        "{} of this project not ended yet: nothing was submitted\nhint: `taskgen cluster status` shows them, `scancel {}` ends them",
        count(left.len() as u64, "job"),
        ids.join(" ")
    ))
    .into())
}

/// The right to submit, so that two who do it at once do not submit the same work twice.
fn lock(project: &Project) -> Result<Option<WriteLock>> {
    let path = folder(project).join("submit.lock");
    match WriteLock::take(&path, "`taskgen cluster slurm --submit`", false) {
        Err(error) if error.is::<NoLocks>() => Ok(None),
        lock => lock.map(Some),
    }
}

/// Submits the scripts, each after the one before.
fn submit(project: &Project, plan: &Plan) -> Result<Submitted> {
    let mut submitted = Submitted {
        submitted: jiff::Timestamp::now().to_string(),
        shards: plan.shards,
        recordings: plan.recordings.clone(),
        jobs: Vec::new(),
    };
    for step in StepName::ALL {
        let before = submitted.jobs.last().map(|job| job.id);
        let after = before.map(|id| match step {
            // Without the models no shard can do anything.
            StepName::Models | StepName::Shards => format!("afterok:{id}"),
            // A shard may fail, and the others are collected.
            StepName::Collect => format!("afterany:{id}"),
        });
        // It asks what became of the array.
        let array = before.filter(|_| step == StepName::Collect);
        let arguments: Vec<String> = array.iter().map(u64::to_string).collect();
        let script = format!("tasks/cluster/{}.sh", step.word());
        match cluster::slurm::submit(&project.root, &script, &arguments, after.as_deref()) {
            Ok(id) => submitted.jobs.push(Job { step, id }),
            Err(error) => {
                cluster::slurm::cancel(&submitted.ids());
                return Err(anyhow::Error::new(error).context(format!(
                    "`{script}` was not submitted, nor is what came before"
                )));
            }
        }
        // At once, so that `cluster status` shows what there is.
        submitted.write(&jobs_file(project))?;
    }
    Ok(submitted)
}

fn text(written: &Written) -> String {
    let scripts: Vec<String> = written
        .scripts
        .iter()
        .map(|path| format!("  {}", path.display()))
        .collect();
    let mut out = format!(
        "{} in {}; written\n{}\n",
        count(written.recordings as u64, "recording"),
        count(u64::from(written.shards), "shard"),
        scripts.join("\n")
    );
    match &written.submitted {
        Some(submitted) => {
            let jobs = submitted.jobs.iter();
            let jobs: Vec<String> = jobs
                .map(|job| format!("{} {}", job.step.word(), job.id))
                .collect();
            out.push_str(&format!(
                "submitted: {}\nnext: `taskgen cluster status`",
                jobs.join(", ")
            ));
        }
        None => out.push_str(&format!(
            "next: `taskgen cluster slurm … --submit`, or\n  {}",
            written.commands.join("\n  ")
        )),
    }
    out
}
