//! A project: its folders, its configuration with the flags applied, its database.

pub mod agents;
pub mod config;
pub mod protocols;
pub mod providers;
pub mod resolve;
pub mod roles;
pub mod search;
pub mod settings;
pub mod similarity;
pub mod user;
mod writing;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use super::args::{Global, Rank, Sound, Weave};
use crate::{
    cli::{project::config::Loaded, ui::exit::Usage},
    data::SeminarId,
    rank::Method,
    store::Store,
};

/// The path of the running program, for a child process, even if its file was replaced or removed
/// since.
pub fn this_program() -> Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        return Ok(running.to_owned());
    }
    std::env::current_exe().context("the file of this program cannot be found")
}

/// A project on disk.
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// Its configuration.
    pub loaded: Loaded,
}

impl Project {
    /// The project that the flags name, else the one above the working folder.
    pub fn find(global: &Global) -> Result<Self> {
        Self::find_if_any(global)?.ok_or_else(|| {
            Usage(format!(
                "no `{}` here or above\nhint: `taskgen init` makes this folder a project",
                config::FILE
            ))
            .into()
        })
    }

    /// The same, or `None` where there is no project and none was named.
    pub fn find_if_any(global: &Global) -> Result<Option<Self>> {
        let file = match (&global.config, &global.project) {
            (Some(file), _) => Some(file.clone()),
            (None, Some(folder)) => {
                let file = folder.join(config::FILE);
                if folder.exists() && !folder.is_dir() {
                    let folder = folder.display();
                    return Err(Usage(format!(
                        "not a folder: `{folder}`\nhint: --project DIR names a project's folder"
                    ))
                    .into());
                }
                if !file.is_file() {
                    let folder = folder.display();
                    return Err(Usage(format!(
                        "not a project, there is no `{}`: `{folder}`\nhint: `taskgen init {folder}` makes it one",
                        config::FILE
                    ))
                    .into());
                }
                Some(file)
            }
            (None, None) => {
                config::find(&std::env::current_dir().context("the working folder is gone")?)
            }
        };
        let Some(file) = file else { return Ok(None) };
        let root = match &global.project {
            Some(folder) => folder.clone(),
            None => file
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .map_or_else(|| PathBuf::from("."), Path::to_owned),
        };
        let mut loaded = config::load(Some(file))?;
        apply(global, &mut loaded)?;
        Ok(Some(Self { root, loaded }))
    }

    /// Where recordings are.
    pub fn seminars(&self) -> PathBuf {
        self.root.join("seminars")
    }

    /// Where transcripts go.
    pub fn transcripts(&self) -> PathBuf {
        self.root.join("transcripts")
    }

    /// Where the database and exports go.
    pub fn tasks(&self) -> PathBuf {
        self.root.join("tasks")
    }

    /// Where the user's own prompts are.
    pub fn prompts(&self) -> PathBuf {
        self.root.join("prompts")
    }

    /// The project's own prices, if it has any.
    pub fn prices(&self) -> PathBuf {
        self.root.join("prices.toml")
    }

    /// Where running commands say how far they are.
    pub fn progress(&self) -> PathBuf {
        self.tasks().join("progress")
    }

    /// The database's file.
    pub fn database(&self) -> PathBuf {
        self.tasks().join("taskgen.db")
    }

    /// The database for reading, if there is one.
    pub fn read(&self) -> Result<Option<Store>> {
        Store::open_read_only(&self.database())
    }

    /// The recordings that were forgotten, which are not taken in again.
    pub fn forgotten(&self) -> Result<BTreeSet<SeminarId>> {
        let forgotten = Store::forgotten_at(&self.database())?;
        Ok(forgotten.into_iter().map(|of| of.id).collect())
    }

    /// The database for reading; a project without one has nothing to show.
    pub fn read_or_hint(&self) -> Result<Store> {
        self.read()?.ok_or_else(|| {
            Usage(format!(
                "nothing here yet: `{}`\nhint: put recordings into `{}` and `taskgen run`, or `taskgen tasks import FILE`",
                self.root.display(),
                self.seminars().display()
            ))
            .into()
        })
    }

    /// Applies the flags of the transcribe stage.
    pub fn apply_sound(&mut self, sound: &Sound) {
        apply_sound(&mut self.loaded, sound);
    }

    /// Lets the flags of `weave` win.
    pub fn apply_weave(&mut self, weave: &Weave) -> Result<()> {
        let options = &mut self.loaded.config.weave;
        let mut set = Vec::new();
        if let Some(n) = weave.per_seminar {
            options.per_seminar = n as usize;
            set.push(("weave.per_seminar", "--per-seminar"));
        }
        if let Some(language) = &weave.language {
            options.language.clone_from(language);
            set.push(("weave.language", "--language"));
        }
        if let Some(n) = weave.across {
            options.across = Some(n);
            set.push(("weave.across", "--across"));
        }
        if let Some(languages) = &weave.translate {
            options.translate.clone_from(languages);
            set.push(("weave.translate", "--translate"));
        }
        for (key, flag) in set {
            self.loaded.set_by(key, flag);
        }
        self.loaded
            .config
            .weave
            .check()
            .map_err(|error| Usage(error).into())
    }

    /// Applies the flags of the rank stage.
    pub fn apply_rank(&mut self, rank: &Rank) -> Result<()> {
        // Rounds are the paper's: who names them means its method.
        let method = rank.method.or(rank.rounds.map(|_| Method::Elo));
        check_rank_flags(rank, method.unwrap_or(self.loaded.config.rank.method))?;
        for (name, flag) in rank_settings(rank) {
            self.loaded.set_by(name, flag);
        }
        self.loaded.config.judge.accept = rank.accept_judge;
        let options = &mut self.loaded.config.rank;
        options.method = method.unwrap_or(options.method);
        options.read = rank.read.unwrap_or(options.read);
        options.rounds = rank.rounds.unwrap_or(options.rounds);
        options.elo_k = rank.elo_k.unwrap_or(options.elo_k);
        options.budget_calls = rank.budget_calls.unwrap_or(options.budget_calls);
        options.target_recall = rank.target_recall.unwrap_or(options.target_recall);
        options.top = rank.top.unwrap_or(options.top);
        options.list_size = rank.list_size.unwrap_or(options.list_size);
        config::check(&self.loaded.config)
            .map_err(|e| Usage(format!("{e}\nhint: `taskgen rank --help`")))?;
        providers::check_read(&self.loaded.config).map_err(|e| Usage(e).into())
    }
}

/// Refuses flags of another method than the one in force: they would change nothing.
fn check_rank_flags(rank: &Rank, method: Method) -> Result<()> {
    let of_comparisons = [
        ("--budget-calls", rank.budget_calls.is_some()),
        ("--target-recall", rank.target_recall.is_some()),
        ("--top", rank.top.is_some()),
        ("--list-size", rank.list_size.is_some()),
    ];
    if let (Method::Elo, Some(flag)) = (method, first_given(&of_comparisons)) {
        return Err(Usage(format!(
            "{flag} does not apply to --method elo\nhint: --rounds says how many judgements, --elo-k how much each counts"
        ))
        .into());
    }
    let of_rounds = [
        ("--rounds", rank.rounds.is_some()),
        ("--elo-k", rank.elo_k.is_some()),
    ];
    if let (Method::Halving | Method::Listwise, Some(flag)) = (method, first_given(&of_rounds)) {
        return Err(Usage(format!(
            "{flag} needs --method elo\nhint: add --method elo, or leave out {flag}"
        ))
        .into());
    }
    if method == Method::Halving && rank.list_size.is_some() {
        return Err(Usage(
            "--list-size needs --method listwise\nhint: add --method listwise, or leave out --list-size".into(),
        )
        .into());
    }
    Ok(())
}

fn first_given(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    let (flag, _) = flags.iter().find(|(_, given)| *given)?;
    Some(*flag)
}

/// The settings that flags of the rank stage set, each with its flag.
fn rank_settings(rank: &Rank) -> Vec<(&'static str, &'static str)> {
    let by_rounds = rank.method.is_none() && rank.rounds.is_some();
    [
        ("rank.method", "--method", rank.method.is_some()),
        ("rank.method", "--rounds", by_rounds),
        ("rank.read", "--read", rank.read.is_some()),
        ("rank.rounds", "--rounds", rank.rounds.is_some()),
        ("rank.elo_k", "--elo-k", rank.elo_k.is_some()),
        (
            "rank.budget_calls",
            "--budget-calls",
            rank.budget_calls.is_some(),
        ),
        (
            "rank.target_recall",
            "--target-recall",
            rank.target_recall.is_some(),
        ),
        ("rank.top", "--top", rank.top.is_some()),
        ("rank.list_size", "--list-size", rank.list_size.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, flag, given)| given.then_some((name, flag)))
    .collect()
}

/// Applies the flags of the transcribe stage to a configuration.
pub fn apply_sound(loaded: &mut Loaded, sound: &Sound) {
    let config = &mut loaded.config.transcribe;
    let mut set = Vec::new();
    if let Some(model) = &sound.model {
        config.model.clone_from(model);
        set.push(("transcribe.model", "--model"));
    }
    if let Some(language) = &sound.language {
        config.language.clone_from(language);
        set.push(("transcribe.language", "--language"));
    }
    if let Some(file) = &sound.vocabulary {
        config.vocabulary = Some(file.clone());
        set.push(("transcribe.vocabulary", "--vocabulary"));
    }
    if sound.channel.is_some() {
        config.channel = sound.channel;
        set.push(("transcribe.channel", "--channel"));
    }
    if sound.words {
        config.words = true;
        set.push(("transcribe.words", "--words"));
    }
    if let Some(device) = &sound.device {
        config.device.clone_from(device);
        set.push(("transcribe.device", "--device"));
    }
    if let Some(jobs) = sound.jobs {
        config.jobs = jobs;
        set.push(("transcribe.jobs", "--jobs"));
    }
    for (key, origin) in set {
        loaded.set_by(key, origin);
    }
}

fn apply(global: &Global, loaded: &mut Loaded) -> Result<()> {
    if let Some(seed) = global.seed {
        loaded.config.seed = seed;
        loaded.set_by("seed", "--seed or TASKGEN_SEED");
    }
    for binding in &global.model_role {
        let Some((role, models)) = binding.split_once('=') else {
            return Err(Usage(format!("--model-role takes ROLE=PROVIDER/MODEL: `{binding}`\nhint: such as --model-role judge=local/qwen2.5-coder-1.5b")).into());
        };
        if !loaded.config.roles.set(role, models) {
            let renamed = config::RENAMED.iter().find(|(old, _)| *old == role);
            let hint = renamed.map_or_else(
                || format!("the roles are {}", roles::NAMES.join(", ")),
                |(_, new)| format!("it is called `{new}` now"),
            );
            return Err(Usage(format!("no such role: `{role}`\nhint: {hint}")).into());
        }
        loaded.set_by(&format!("roles.{role}"), "--model-role");
    }
    loaded.config.roles.check().map_err(Usage)?;
    // Behind the flags: another judge than that of the file may be asked.
    providers::check_read(&loaded.config).map_err(Usage)?;
    Ok(())
}
