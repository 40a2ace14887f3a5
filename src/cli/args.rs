//! What users type.

mod looking;

use std::path::PathBuf;

use clap::{
    Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;

use crate::{
    evaluate::EVALUATORS,
    rank::{Method, simulate::Scenario},
    transcribe::Shard,
};
pub use looking::{
    Calls, Config, Inspirations, Models, Prompts, Review, Selection, TaskImport, Tasks,
};

/// Turns recordings of academic seminars into ranked research tasks, and measures research agents on
/// them.
///
/// Start with `taskgen init`, put recordings into `seminars/`, then `taskgen run`. Running a
/// command again continues it.
#[derive(Debug, Parser)]
#[command(
    name = "taskgen",
    version,
    propagate_version = true,
    max_term_width = 110
)]
#[command(
    after_help = "Exit codes: 0 done · 1 done, but some items failed · 2 usage, configuration or lock · 3 a model, key or provider is missing\n4 too many unscored · 5 stopped by the budget · 6 a judge no better than chance · 75 asked to stop · 130 interrupted (all that was finished is saved)"
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, clap::Args)]
pub struct Global {
    /// Work in this project's folder instead of looking for `taskgen.toml` upwards from here
    #[arg(long, global = true, value_name = "DIR", env = "TASKGEN_PROJECT")]
    pub project: Option<PathBuf>,
    /// Read this file instead of the project's `taskgen.toml`
    #[arg(long, global = true, value_name = "FILE", env = "TASKGEN_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON value instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress and no summary
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Seed of every random choice
    #[arg(long, global = true, value_name = "N", env = "TASKGEN_SEED")]
    pub seed: Option<u64>,
    /// No connection but to this machine, and no download
    #[arg(long, global = true, env = "TASKGEN_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub offline: bool,
    /// Wait for another taskgen that is writing to the project, instead of giving up
    #[arg(long, global = true)]
    pub wait: bool,
    /// Use a model for a role: inspire, review, weave, translate, probe, judge, relate,
    /// keypoints, checklist, rate or complete (repeatable); several for judge, relate, rate or
    /// complete with commas are a panel
    #[arg(long, global = true, value_name = "ROLE=PROVIDER/MODEL")]
    pub model_role: Vec<String>,
    /// Ask again where a model's answer was unusable
    #[arg(long, global = true, conflicts_with = "replay")]
    pub retry_failed: bool,
    /// Ask no model at all: only what is on record
    #[arg(long, global = true)]
    pub replay: bool,
    /// Ask nobody: say how many calls, tokens and dollars it would take, and show the first prompt
    #[arg(long, global = true, conflicts_with_all = ["replay", "retry_failed"])]
    pub dry_run: bool,
    /// Spend at most so many US dollars, at the prices of `prices.toml`
    #[arg(long, global = true, value_name = "X")]
    pub budget_usd: Option<f64>,
    /// Spend at most so many tokens, prompts and replies together
    #[arg(long, global = true, value_name = "N")]
    pub budget_tokens: Option<u64>,
    /// Read keys and base URLs from this file of NAME=VALUE lines, where the environment lacks them
    /// (repeatable)
    #[arg(long, global = true, value_name = "FILE")]
    pub env_file: Vec<PathBuf>,
    /// Requests to a server at once, to begin with
    #[arg(long, global = true, value_name = "N")]
    pub max_connections: Option<usize>,
    /// Folder of the model files
    #[arg(long, global = true, value_name = "DIR", env = "TASKGEN_MODELS")]
    pub models_dir: Option<PathBuf>,
    /// Say more; repeat for more still
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Recordings → transcripts → inspirations → tasks → ranked tasks
    Run(Run),
    /// Recordings → transcripts
    Transcribe(Transcribe),
    /// Transcripts → inspirations
    Inspire(Select),
    /// Inspirations → tasks
    Weave(Weave),
    /// Tasks → findings: which need no research, which have no deliverable that can be judged
    Probe(Select),
    /// Tasks → a ranking, by pairwise judgements
    Rank(RankCommand),
    /// Runs a research agent over the tasks
    Answer(Answer),
    /// Reports of agents: import those made elsewhere, list them
    #[command(subcommand)]
    Reports(Reports),
    /// Reports → scores: key points of cited pages (kae), checklists (ace), a reference report
    Evaluate(Evaluate),
    /// Score the reports again with other judges, prompts or thresholds, and compare the scores
    Rescore(Rescore),
    /// Scores → a leaderboard of agents, with intervals and tests
    Leaderboard(Leaderboard),
    /// Audits: tasks that models know by heart, agreement of the scores with people
    #[command(subcommand)]
    Audit(Audit),
    /// Write pages: tasks with their quotes, a form on which people score reports
    #[command(subcommand)]
    Report(Report),
    /// List inspirations, accept or reject them
    #[command(subcommand)]
    Inspirations(Inspirations),
    /// List, show, select, compare and export tasks
    #[command(subcommand)]
    Tasks(Tasks),
    /// Model files: list, fetch, convert
    #[command(subcommand)]
    Models(Models),
    /// Prompts: list them, copy one out to edit, check the copies
    #[command(subcommand)]
    Prompts(Prompts),
    /// Calls to models: prompts, replies, tokens, cost
    Calls(Calls),
    /// What the project holds and what is left to do
    Status,
    /// Check the installation: models, keys, the speed of the built-in model
    Doctor,
    /// The configuration in force
    #[command(subcommand)]
    Config(Config),
    /// Print the script with which a shell completes commands and flags
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page; or write all of them, one for each command
    Man {
        /// Write the pages into this folder
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Decodes a recording for another process of this program
    #[command(hide = true)]
    Decode(Decode),
    /// Reads a web page for another process of this program
    #[command(hide = true)]
    ReadPage,
    /// Make a folder a project: `taskgen.toml` and the folders
    Init {
        /// The folder [default: --project, or this one]
        folder: Option<PathBuf>,
    },
}

impl Command {
    /// Whether the command asks models, so that it can be tried dry.
    pub fn asks(&self) -> bool {
        match self {
            Self::Rank(rank) => rank.instead.is_none(),
            Self::Run(_)
            | Self::Inspire(_)
            | Self::Weave(_)
            | Self::Probe(_)
            | Self::Answer(_)
            | Self::Evaluate(_)
            | Self::Rescore(_)
            | Self::Audit(Audit::Leakage { .. }) => true,
            _ => false,
        }
    }
}

/// `decode`
#[derive(Clone, Debug, clap::Args)]
pub struct Decode {
    /// The recording
    pub path: PathBuf,
    /// The only channel to hear, from 1
    #[arg(long)]
    pub channel: Option<usize>,
    /// Only how many seconds it says that it has
    #[arg(long)]
    pub length: bool,
}

/// `run`
#[derive(Clone, Debug, clap::Args)]
pub struct Run {
    /// Recordings or folders; all of `seminars/` without any
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub sound: Sound,
    #[command(flatten)]
    pub rank: Rank,
}

/// `transcribe`
#[derive(Clone, Debug, clap::Args)]
pub struct Transcribe {
    /// Recordings or folders; all of `seminars/` without any
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub sound: Sound,
    /// Write these forms, too: json, srt, vtt, txt
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "json"
    )]
    pub format: Vec<String>,
    /// Transcribe again what is done
    #[arg(long)]
    pub force: bool,
    /// Only part i of n, by content: any number of machines may share one folder, each with its own
    /// part
    #[arg(long, value_name = "i/n")]
    pub shard: Option<Shard>,
    /// Transcribe nothing: say which recordings there are, how long they are, and what would be
    /// done with each
    #[arg(long)]
    pub plan: bool,
}

/// How to hear.
#[derive(Clone, Debug, clap::Args)]
pub struct Sound {
    /// Speech model: auto (tiny.en for English, base otherwise), a name of `taskgen models list`,
    /// or a ggml file
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Language of the talks: auto, en, zh …; several with commas for talks that switch
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// File with names and terms that occur in the talks
    #[arg(long, value_name = "FILE")]
    pub vocabulary: Option<PathBuf>,
    /// The only channel to hear, from 1: of a recording with a microphone on each
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub channel: Option<usize>,
    /// Say when each word was said, too
    #[arg(long)]
    pub words: bool,
    /// Workers that hear at once, one thread each; 0 is one per core
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

/// Which seminars.
#[derive(Clone, Debug, clap::Args)]
pub struct Select {
    /// Only this seminar, by path or id (repeatable)
    #[arg(long, value_name = "ID")]
    pub seminar: Vec<String>,
}

/// `weave`
#[derive(Clone, Debug, clap::Args)]
pub struct Weave {
    #[command(flatten)]
    pub select: Select,
    /// Tasks of one seminar, 5 to 8 [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(5..=8))]
    pub per_seminar: Option<u64>,
    /// Language of the tasks: en, zh …, or talk for that of each talk [default: talk]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Also so many tasks that join two seminars; 0 removes those that there are
    #[arg(long, value_name = "N")]
    pub across: Option<usize>,
    /// Also each task in these languages, with commas: en,zh
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    pub translate: Option<Vec<String>>,
}

/// `rank`
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RankCommand {
    /// Instead of ranking
    #[command(subcommand)]
    pub instead: Option<InsteadOfRanking>,
    #[command(flatten)]
    pub rank: Rank,
}

/// How to rank.
#[derive(Clone, Debug, clap::Args)]
pub struct Rank {
    /// How pairs are found and folded [default: halving, or elo with --rounds]
    #[arg(long, value_parser = one_of::<Method>(&["halving", "listwise", "elo"]))]
    pub method: Option<Method>,
    /// Who judges: a model, or several with commas as a panel; short for --model-role judge=…
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub judge: Option<String>,
    /// Judgements at most [default: four for each task; of lists, as many as show each task eight
    /// times]
    #[arg(long, value_name = "N")]
    pub budget_calls: Option<u64>,
    /// Tasks in a list, with --method listwise [default: 8]
    #[arg(long, value_name = "N")]
    pub list_size: Option<usize>,
    /// How many of the best are to be found [default: 100, or a third of the tasks]
    #[arg(long, value_name = "K")]
    pub top: Option<usize>,
    /// End earlier when so large a share of the best is expected to be found [default: 0.95]
    #[arg(long, value_name = "SHARE")]
    pub target_recall: Option<f64>,
    /// The paper's way: rounds of pairwise judgements; each task meets one other per round
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// The Elo factor K
    #[arg(long, value_name = "K")]
    pub elo_k: Option<f64>,
    /// The largest share of comparisons without a verdict before the command fails with exit 4
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
}

/// `rank …`
#[derive(Clone, Debug, Subcommand)]
pub enum InsteadOfRanking {
    /// Tries a way to rank on made-up tasks whose quality is known
    Simulate(Simulate),
    /// How far the ranking can be believed: the audit card, as text, JSON or a page with plots
    Report {
        /// Write a page with plots, too
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Take in judgements made elsewhere (JSONL, or CSV as arenas write it), as a ranking of their
    /// own
    Import {
        /// Lines with a, b (or `model_a`, `model_b`), winner, and if there are any confidence,
        /// judge, reason
        file: PathBuf,
        /// Who decided, where a line does not say so
        #[arg(long, value_name = "NAME", default_value = "people")]
        judge: String,
    },
}

/// `rank simulate`
#[derive(Clone, Debug, clap::Args)]
pub struct Simulate {
    /// What tasks and judge are like
    #[arg(long, default_value = "bt1", value_parser = one_of::<Scenario>(&["bt1", "bt2", "thur", "skew", "cyc", "lapse", "dup"]))]
    pub scenario: Scenario,
    /// The earlier name of --scenario, which is refused
    #[arg(long, hide = true, value_name = "NAME")]
    pub world: Option<String>,
    /// How to rank
    #[arg(long, default_value = "halving", value_parser = one_of::<Method>(&["halving", "listwise", "elo"]))]
    pub method: Method,
    /// Tasks in a list, with --method listwise [default: 8]
    #[arg(long, value_name = "N")]
    pub list_size: Option<usize>,
    /// Tasks
    #[arg(long, short, value_name = "N", default_value_t = 10_000)]
    pub n: usize,
    /// How many of the best are wanted
    #[arg(long, value_name = "K", default_value_t = 100)]
    pub top: usize,
    /// Judgements at most
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub budget_calls: usize,
    /// Ends a trial earlier when so large a share of the best is expected to be found
    #[arg(long, value_name = "SHARE")]
    pub target_recall: Option<f64>,
    /// Trials, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub seeds: u64,
}

/// `answer`
#[derive(Clone, Debug, clap::Args)]
pub struct Answer {
    /// Who answers: an agent of `taskgen.toml`, or the name for --command or --model
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// A program that reads the task as JSON and writes the report as Markdown; no shell reads it
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
    /// A model that is asked for the report, with its provider's search of the web where it has one
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// The tasks of this set [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Seconds for a task [default: 1800]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time_limit: Option<u64>,
    /// Tasks at once [default: 1; for a model as many as its server takes]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Answers to each task [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub attempts: Option<u32>,
    /// Give the program this environment variable, too (repeatable)
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
}

/// `reports …`
#[derive(Debug, Subcommand)]
pub enum Reports {
    /// Take in a file or folder of reports, in any layout that the field uses
    Import {
        /// JSONL, a JSON list, or a folder of Markdown
        path: PathBuf,
        /// Whose they are, where the layout does not say; or whose to take
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// The reports that are there
    List,
    /// Take reports out, into a file from which `reports import` takes them in again
    Remove(RemoveReports),
}

/// `reports remove`
#[derive(Clone, Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub struct RemoveReports {
    /// Ids of `reports list`, or the starts of ids
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All reports of this agent; with ids, only those among them
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

/// `evaluate`
#[derive(Clone, Debug, clap::Args)]
pub struct Evaluate {
    /// The evaluators, with commas
    #[arg(long, value_delimiter = ',', default_values = ["kae", "ace"], value_parser = evaluators())]
    pub metric: Vec<String>,
    /// Only reports of this agent (repeatable); the others' pages are still what it is compared
    /// with
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// The tasks of this set [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Fetch pages from private addresses, too: for an intranet, never for strangers' reports
    #[arg(long)]
    pub allow_private_network: bool,
    /// The largest share of judgements without a value before the command fails with exit 4
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
}

/// `rescore`
#[derive(Clone, Debug, clap::Args)]
pub struct Rescore {
    /// The evaluators, with commas
    #[arg(long, value_delimiter = ',', default_values = ["kae", "ace"], value_parser = evaluators())]
    pub metric: Vec<String>,
    /// The tasks of this set [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Key points are one where they are at least so alike, 0 to 1 [default: that of taskgen.toml]
    #[arg(long, value_name = "SHARE")]
    pub similarity: Option<f64>,
    #[arg(long, hide = true, value_parser = renamed_to_similarity)]
    pub near: Option<Renamed>,
    /// How often each criterion is rated [default: that of taskgen.toml]
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    /// The largest share of judgements without a value before the command fails with exit 4
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
}

/// `leaderboard`
#[derive(Clone, Debug, clap::Args)]
pub struct Leaderboard {
    /// Also by a facet of the tasks: language, phase, type, difficulty, discipline, or one that an
    /// imported file has
    #[arg(long, value_name = "FACET")]
    pub by: Option<String>,
    /// The tasks of this set [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// The layout of the paper's Table 3 instead
    #[arg(long, value_parser = PossibleValuesParser::new(["paper"]))]
    pub table: Option<String>,
    /// Count attempts that gave no report as the worst score, instead of leaving them out
    #[arg(long)]
    pub failed_as_zero: bool,
    /// Resamples of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub resamples: usize,
    /// Write the table as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a page with plots, and a folder beside it with a page for each task
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `audit …`
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Whether models know the tasks by heart: those of the role `continue` go on from the first
    /// half of each
    Leakage {
        /// The tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
        /// The largest share of texts without an answer before the command fails with exit 4
        #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
        max_unscored: f64,
    },
    /// How far the scores agree with people's; files of their scores are taken in first
    Agreement {
        /// What a scoring page saved, CSV (rater, score, and report, or task and agent), or Label
        /// Studio's JSON
        files: Vec<PathBuf>,
        /// The tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
    },
}

/// `report …`
#[derive(Debug, Subcommand)]
pub enum Report {
    /// A page on which people score reports blind, with the keyboard, and save a file for `audit
    /// agreement`
    Scoring {
        /// Where to [default: tasks/scoring.html]
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// The tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
        /// Only so many reports, drawn by the seed
        #[arg(long, value_name = "N")]
        sample: Option<usize>,
    },
    /// Seminars, inspirations and tasks on one page, where each quote plays its second of the
    /// recording
    Tasks {
        /// Where to [default: tasks/tasks.html]
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err("not between 0 and 1".to_owned())
    }
}

/// A word of an enumeration, by the name that it is stored under.
fn one_of<T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names)
        .try_map(|name| serde_json::from_value(serde_json::Value::String(name)))
}

/// The evaluators that there are, each with what it says.
fn evaluators() -> PossibleValuesParser {
    PossibleValuesParser::new(
        EVALUATORS
            .iter()
            .map(|evaluator| PossibleValue::new(evaluator.key()).help(evaluator.about())),
    )
}

/// An option under its old name, which is refused with the new one.
#[derive(Clone, Debug)]
pub struct Renamed;

/// Refuses `--near`.
pub fn renamed_to_similarity(_: &str) -> Result<Renamed, String> {
    Err("it is called --similarity now".to_owned())
}
