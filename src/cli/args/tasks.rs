//! `inspirations` and `tasks`.

use std::path::PathBuf;

use clap::Subcommand;
use jiff::civil::Date;

use super::{
    Select,
    values::{Renamed, day, renamed_to_similarity},
};

/// `inspirations …`
#[derive(Debug, Subcommand)]
pub enum Inspirations {
    /// List the inspirations, where each comes from, and what reviewers said of it
    List {
        #[command(flatten)]
        select: Select,
        /// Only those that are rejected: no task is woven from them
        #[arg(long)]
        rejected: bool,
    },
    /// Accept or reject inspirations, one key each
    ///
    /// They are shown one at a time, in random order and without what others said. Each decision is
    /// saved at once; several people can review at the same time, and beside a running command.
    /// What most accept stands; what they disagree on waits until it is settled (--disputed).
    Review(Review),
}

/// `inspirations review`
#[derive(Debug, clap::Args)]
pub struct Review {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub people: Reviewing,
}

/// Who reviews, and what is shown.
#[derive(Debug, clap::Args)]
pub struct Reviewing {
    /// Name under which the decisions are saved [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    /// Also show what this reviewer has decided already
    #[arg(long)]
    pub again: bool,
    /// Only what another reviewer has decided, for a second decision that knows nothing of the
    /// first
    #[arg(long)]
    pub second: bool,
    /// Only what reviewers disagree on, with what they said; the decision settles it
    #[arg(long, conflicts_with_all = ["again", "second"])]
    pub disputed: bool,
}

/// `tasks …`
#[derive(Debug, Subcommand)]
pub enum Tasks {
    /// List the tasks, best first
    List {
        /// Only the best N
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        top: Option<u64>,
        /// Only the tasks that `taskgen probe` flags, with the reason
        #[arg(long)]
        flagged: bool,
    },
    /// Show one task, its inspirations, and where in the recording each is said
    Show {
        /// Id of the task, or the beginning of it
        id: String,
    },
    /// Accept, reject, pin or edit tasks, one key each
    ///
    /// They are shown one at a time and without what others said, those first of which it is not
    /// sure whether they are among the best, each group in random order. Each decision is saved at
    /// once; several people can review at the same time, and beside a running command. `tasks
    /// select` leaves out what most reject or what they disagree on, and takes what is pinned.
    Review(TaskReview),
    /// Change the words of a task
    ///
    /// The changed task is a new one, which leads back to the same quotes and names who changed it;
    /// the task as it was stays with its reports. The rules of `weave` are checked.
    Edit(TaskEdit),
    /// Select the best tasks as a named set
    ///
    /// Near-copies of better tasks are left out, quotas are kept, and doubtful choices are listed.
    /// The set is frozen: nothing that happens to the tasks later changes it, and choosing others
    /// makes a new version. `answer`, `evaluate` and `leaderboard` use the newest selection. Needs
    /// a ranking.
    Select(Selection),
    /// Show how much the tasks differ
    ///
    /// Lists near-copies, and counts the tasks by family (such as Literature Survey), discipline,
    /// phase, language and seminar.
    Diversity {
        /// Treat tasks as near-copies from this similarity of their wording, above 0 to 1; 2 turns it off
        #[arg(long, value_name = "SHARE", default_value_t = 0.7)]
        similarity: f64,
        #[arg(long, hide = true, value_parser = renamed_to_similarity)]
        near: Option<Renamed>,
    },
    /// Import questions from elsewhere as tasks
    ///
    /// Reads JSONL, a JSON list, CSV, TSV, Parquet, or one question a line; the files of
    /// DeepResearch Bench and LiveResearchBench are known. The questions become a named set of
    /// tasks. No recording is needed.
    Import(TaskImport),
    /// Write the tasks as JSONL, best first, with their sources
    ///
    /// Without --set: the current tasks. With it: the tasks of a set as they were frozen, the same
    /// bytes at any time.
    Export(TaskExport),
    /// List the sets of tasks with their versions
    Sets,
    /// Print a hash that can be published before the tasks of a set are
    ///
    /// It says nothing about the tasks. `tasks reveal` shows later that they are the ones.
    Commit {
        /// The set
        #[arg(value_name = "NAME[@V]")]
        set: String,
    },
    /// Write the tasks of a set, or some of them, with what shows that they are those of its
    /// commitment
    Reveal(Reveal),
    /// Check revealed tasks against a commitment
    ///
    /// Needs no project.
    Verify(Verify),
    /// Compare two sets, or two versions of one
    Diff {
        /// The earlier set
        #[arg(value_name = "NAME[@V]")]
        earlier: String,
        /// The later set
        #[arg(value_name = "NAME[@V]")]
        later: String,
    },
}

/// `tasks reveal`
#[derive(Debug, clap::Args)]
pub struct Reveal {
    /// The set
    #[arg(value_name = "NAME[@V]")]
    pub set: String,
    /// Only this task, by its id or the beginning of it; repeatable
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// File to write [default: tasks/NAME@V.reveal.json]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `tasks verify`
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// The file that `tasks reveal` wrote
    pub file: PathBuf,
    /// The hash that `tasks commit` printed
    #[arg(long, value_name = "HASH")]
    pub commitment: String,
}

/// `tasks export`
#[derive(Debug, clap::Args)]
pub struct TaskExport {
    /// File to write; `-` is standard output [default: tasks/tasks.jsonl, or tasks/NAME@V.jsonl of
    /// a set]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Only the tasks of this set
    #[arg(long, value_name = "NAME[@V]")]
    pub set: Option<String>,
    /// Only the best N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub top: Option<u64>,
    /// Write nothing if the licence of any task's recording is unknown
    #[arg(long)]
    pub require_licence: bool,
}

/// `tasks review`
#[derive(Debug, clap::Args)]
pub struct TaskReview {
    #[command(flatten)]
    pub people: Reviewing,
    /// How many of the best there will be: those near the end of them are shown first
    #[arg(long, value_name = "K", default_value_t = 100)]
    pub top: usize,
}

/// `tasks edit`
#[derive(Debug, clap::Args)]
pub struct TaskEdit {
    /// Id of the task, or the beginning of it
    pub id: String,
    /// File with the new text; `-` is standard input [default: the text is changed in `$EDITOR`]
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub text: Option<PathBuf>,
    /// Name under which the change is saved [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Keep a text that breaks a rule; the rule is named
    #[arg(long)]
    pub force: bool,
    /// Take the change back: the task as it was is current again
    #[arg(long)]
    pub undo: bool,
}

/// `tasks import`
#[derive(Debug, clap::Args)]
pub struct TaskImport {
    /// The file. Imported again, new questions are added; those that it no longer holds are set
    /// aside
    pub file: PathBuf,
    /// Name of the set [default: the file's name without its extension]
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Day, as YYYY-MM-DD, for which `{{date}}`, `{{current_year}}` and `{{last_year}}` in questions
    /// are filled in [default: the day of the set's first import]
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub as_of: Option<Date>,
    /// Take texts in which the benchmark has filled its time slots itself, from the fields
    /// `question_no_placeholder` and `checklist_no_placeholder`
    #[arg(long = "static", conflicts_with = "as_of")]
    pub is_static: bool,
    /// Language of questions that do not state theirs [default: guessed from the text]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Licence of the questions, which exports and pages name
    #[arg(long, value_name = "NAME")]
    pub licence: Option<String>,
}

/// `tasks select`
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// How many tasks
    #[arg(long, value_name = "K", default_value_t = 100)]
    pub top: usize,
    /// Limit of a facet: at most 3 tasks of each seminar (seminar=3), at most 50 in English
    /// (language:en=50), at least 20 in Chinese (language:zh>=20); repeatable
    #[arg(long, value_name = "QUOTA")]
    pub quota: Vec<String>,
    /// Treat tasks as near-copies from this similarity of their wording, above 0 to 1; 2 turns it off
    #[arg(long, value_name = "SHARE", default_value_t = 0.7)]
    pub similarity: f64,
    #[arg(long, hide = true, value_parser = renamed_to_similarity)]
    pub near: Option<Renamed>,
    /// Leave out the tasks that `taskgen probe` flags
    #[arg(long)]
    pub unflagged: bool,
    /// Name of the set
    #[arg(long, value_name = "NAME", default_value = "selected")]
    pub name: String,
}
