//! The arguments: one file for each group of commands; its comments are the help.

mod arena;
mod cluster;
mod evaluation;
mod export;
mod global;
mod inspect;
mod pipeline;
mod rank;
mod seminars;
mod serve;
mod tasks;
mod values;

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

pub use self::{
    arena::{
        Arena, ArenaBoard, BuildTree, Duel, ImportTrees, Onboard, Replay, Rules, StopBy,
        Tournament, Trees,
    },
    cluster::{Cluster, Server, Slurm, Step},
    evaluation::{
        Answer, Audit, Evaluate, Leaderboard, Plan, RemoveReports, Report, Reports, Rescore,
        Supervise, Wiki, WikiCollect,
    },
    export::{DataSet, Export, ForScoring, Placed},
    global::Global,
    inspect::{Calls, Config, Doctor, Models, Prompts},
    pipeline::{
        Again, CheckDevice, Decode, ImportTranscripts, Inspire, Run, Select, Sound, Transcribe,
        Transcripts, Weave,
    },
    rank::{InsteadOfRanking, Rank, RankCommand, Simulate},
    seminars::{Forget, Seminars},
    serve::Serve,
    tasks::{
        Inspirations, Reveal, Review, Reviewing, Selection, TaskEdit, TaskExport, TaskImport,
        TaskReview, Tasks, Verify,
    },
};

const EXIT_CODES: &str = "Exit codes:
    0  done
    1  done, but some items failed
    2  wrong usage or configuration, or another taskgen is writing to the project
    3  a model, a key or a provider is missing
    4  too many judgements without a verdict
    5  stopped by the budget
    6  a judge is no better than chance, or failed its hidden probes
   74  the machine failed: the disk is full, or no device is left to transcribe on; state is saved
   75  stopped on request (SIGTERM)
  130  interrupted (Ctrl-C)
All that was finished is saved, and the same command goes on from there.";

/// Turns recordings of academic seminars into ranked research tasks, and measures research agents
/// on them
///
/// Begin with `taskgen init`, put recordings into `seminars/`, then `taskgen run`; or bring
/// questions from elsewhere with `taskgen tasks import`. Then `taskgen answer`, `taskgen evaluate`
/// and `taskgen leaderboard` measure agents. Any command can be run again: it goes on where it
/// stopped.
#[derive(Debug, Parser)]
#[command(
    name = "taskgen",
    version,
    propagate_version = true,
    max_term_width = 110,
    after_help = EXIT_CODES
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a folder a project
    ///
    /// Writes `taskgen.toml`, with every setting and its comment, and the folders `seminars/`,
    /// `transcripts/` and `tasks/`. Nothing that is there is changed.
    Init {
        /// The folder [default: --project, or this one]
        folder: Option<PathBuf>,
    },
    /// Make ranked tasks from recordings: transcribe, inspire, weave and rank in one go
    ///
    /// Transcripts go to `transcripts/`, everything else to `tasks/taskgen.db`. Without further
    /// settings all models run on this machine. Next: `taskgen tasks list`.
    Run(Run),
    /// Transcribe recordings
    ///
    /// Reads audio and video files, and writes `transcripts/NAME.json` for each. Without a project,
    /// transcripts go beside the recordings. A transcript that you edit by hand is kept.
    Transcribe(Transcribe),
    /// Transcribe on a cluster with Slurm
    #[command(subcommand)]
    Cluster(Cluster),
    /// Take in transcripts that exist already
    #[command(subcommand)]
    Transcripts(Transcripts),
    /// Find inspirations in the transcripts: starting points for research, each with its quotes
    ///
    /// A model reads each transcript for limitations, new methods, ideas carried from one field to
    /// another, and hypotheses. An inspiration whose quote is not in the transcript is refused.
    /// Next: `taskgen weave`.
    Inspire(Inspire),
    /// Write research tasks from the inspirations
    ///
    /// Each task is checked against rules; refused ones are counted by rule. See the tasks with
    /// `taskgen tasks list`. Next: `taskgen rank`.
    Weave(Weave),
    /// Flag tasks that need no research or have no judgeable result
    ///
    /// One model tries each task from memory, and another reviews the attempt. Flagged tasks are
    /// kept: see them with `taskgen tasks list --flagged`.
    Probe(Select),
    /// Rank the tasks by comparing them
    ///
    /// A judge, code unless a model is named, says which of two tasks, or in which order a list of
    /// them, would be the better research task. See the ranking with `taskgen tasks list`, and how
    /// far it can be believed with `taskgen rank report`.
    Rank(RankCommand),
    /// Have an agent write reports on the tasks
    ///
    /// An agent is a program or a model. Reports are saved one by one; tasks that have one are
    /// skipped. Next: `taskgen evaluate`.
    Answer(Answer),
    /// Import, list and remove reports of agents
    #[command(subcommand)]
    Reports(Reports),
    /// Score the reports
    ///
    /// Asks the models that judge, and saves each judgement. For kae, first fetches the pages that
    /// the reports cite. Next: `taskgen leaderboard`.
    Evaluate(Evaluate),
    /// Score the reports again with other judges, prompts or thresholds, and compare the scores
    ///
    /// Other judges are given with --model-role. Fetches no pages: those on record are judged
    /// again.
    Rescore(Rescore),
    /// Show which agent is better, at what, and how sure that is
    ///
    /// Made from the scores on record; asks no model.
    Leaderboard(Leaderboard),
    /// Test whether the scores can be believed
    #[command(subcommand)]
    Audit(Audit),
    /// Write what the project has in the layouts of other benchmarks
    #[command(subcommand)]
    Export(Export),
    /// Collect, import, export and check the files of Wiki Live Challenge
    #[command(subcommand)]
    Wiki(Wiki),
    /// Let agents duel on trees of web pages, and rate them (DR-Arena)
    #[command(subcommand)]
    Arena(Arena),
    /// Write web pages: the tasks with their quotes, or a form on which people score reports
    #[command(subcommand)]
    Report(Report),
    /// Show the project in a browser: browse, listen, review, and follow running commands
    ///
    /// Prints an address; Ctrl-C ends it. It may run beside any other command, and what people
    /// decide there is saved at once. Reviewers need a link of their own: --reviewer NAME.
    Serve(Serve),
    /// List recordings, forget one
    #[command(subcommand)]
    Seminars(Seminars),
    /// List inspirations, accept or reject them
    #[command(subcommand)]
    Inspirations(Inspirations),
    /// List, show, select, compare, import and export tasks
    #[command(subcommand)]
    Tasks(Tasks),
    /// List and fetch model files
    #[command(subcommand)]
    Models(Models),
    /// List prompts, copy them to edit, check the copies
    #[command(subcommand)]
    Prompts(Prompts),
    /// List the calls to models, with tokens and cost
    Calls(Calls),
    /// Show what the project holds and what is left to do
    Status,
    /// Check the installation: models, keys, devices, the speed of the built-in model
    Doctor(Doctor),
    /// Show the configuration in force
    #[command(subcommand)]
    Config(Config),
    /// Print the script with which a shell completes commands and flags
    ///
    /// `make install` has put it in place for bash, zsh and fish. Otherwise, in bash: `source
    /// <(taskgen completions bash)`.
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write one for each command
    Man {
        /// Write the pages into this folder
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Decodes a recording for another process of this program
    #[command(hide = true)]
    Decode(Decode),
    /// Starts to use a graphics card for another process of this program
    #[command(hide = true)]
    CheckDevice(CheckDevice),
    /// Reads a web page for another process of this program
    #[command(hide = true)]
    ReadPage,
    /// Runs an agent's program for another process of this program
    #[command(hide = true)]
    Supervise(Supervise),
}

/// The program with its commands, for help and man pages. Those that ask no model do not show the
/// options of those that do.
pub fn command() -> clap::Command {
    let mut program = Args::command();
    program.build();
    hide_model_options(&mut program, "");
    program
}

/// The same without `help`, which only repeats the others.
pub fn manual() -> clap::Command {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    hide_model_options(&mut program, "");
    program
}

/// Commands that ask models, as they are typed.
const ASKING: [&str; 14] = [
    " run",
    " inspire",
    " weave",
    " probe",
    " rank",
    " answer",
    " evaluate",
    " rescore",
    " audit leakage",
    " arena match",
    " arena tournament",
    " arena onboard",
    " arena trees build",
    " cluster slurm",
];

fn hide_model_options(command: &mut clap::Command, typed: &str) {
    for under in command.get_subcommands_mut() {
        let typed = format!("{typed} {}", under.get_name());
        hide_model_options(under, &typed);
        if !ASKING.contains(&typed.as_str()) {
            *under = std::mem::take(under).mut_args(|option| {
                let is_for_models = option.get_help_heading() == Some(global::MODELS);
                if is_for_models {
                    option.hide(true)
                } else {
                    option
                }
            });
        }
    }
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
            | Self::Arena(Arena::Match(_) | Arena::Tournament(_) | Arena::Onboard(_))
            | Self::Audit(Audit::Leakage { .. }) => true,
            Self::Arena(Arena::Trees(Trees::Build(build))) => build.topics.is_some(),
            _ => false,
        }
    }
}
