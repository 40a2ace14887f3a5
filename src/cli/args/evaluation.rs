//! Agents, reports and their evaluation.

use std::path::PathBuf;

use clap::{Subcommand, builder::PossibleValuesParser};
use jiff::{Timestamp, civil::Date};

use super::{
    Again,
    values::{Renamed, above_zero, day, evaluators, factor, one_of, renamed_to_similarity, share},
};
use crate::{
    cli::project::settings::SandboxKind,
    collect::{CATEGORY, MOST},
    evaluate::Form,
};

/// `answer`
#[derive(Clone, Debug, clap::Args)]
pub struct Answer {
    /// The agent: one of `[agents]` in `taskgen.toml`, or a new name with --command or --model
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// Program that is the agent: it gets the task as JSON on standard input and writes the report
    /// as Markdown to standard output. It is started without a shell
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
    /// Model that is the agent; it searches the web where its provider offers that
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Only the tasks of this set, in this language if one is named (core:zh, or :zh of the
    /// default) [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME[@V][:LANGUAGE]")]
    pub set: Option<String>,
    /// Seconds that the agent has for one task [default: 1800]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time_limit: Option<u64>,
    /// Tasks that are worked on at once [default: 1; for a model as many as its server bears]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Reports on each task [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub attempts: Option<u32>,
    /// Only the first N tasks by id
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: Option<usize>,
    /// Make reports again that are there; the earlier ones are kept. Stopped and run again, it
    /// continues
    #[arg(long)]
    pub fresh: bool,
    #[command(flatten)]
    pub again: Again,
    /// Give this environment variable to the program, which gets no others; repeatable
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Whether the program can read only the system and its own files [default: where the kernel
    /// has Landlock]
    #[arg(long, value_parser = one_of::<SandboxKind>(&["landlock", "off"]))]
    pub sandbox: Option<SandboxKind>,
    /// File or folder that the program in its sandbox may read; repeatable
    #[arg(long, value_name = "PATH")]
    pub readable: Vec<PathBuf>,
    /// File or folder that the program in its sandbox may write, too; repeatable
    #[arg(long, value_name = "PATH")]
    pub writable: Vec<PathBuf>,
}

/// `supervise`
#[derive(Clone, Debug, clap::Args)]
pub struct Supervise {
    /// Process that waits for the program: when it is gone, the program ends
    #[arg(long)]
    pub parent: i32,
    /// Keep the program to its folder, and to what the two flags below name
    #[arg(long)]
    pub sandboxed: bool,
    /// File or folder that it may read
    #[arg(long)]
    pub readable: Vec<PathBuf>,
    /// File or folder that it may write, too
    #[arg(long)]
    pub writable: Vec<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub argv: Vec<String>,
}

/// `reports …`
#[derive(Debug, Subcommand)]
pub enum Reports {
    /// Take in reports that were made elsewhere
    ///
    /// The layouts of other benchmarks are known: JSONL or a JSON list of records with a task, an
    /// agent and a text; or a folder of Markdown files. Records find their tasks by the task's id,
    /// by the id of an imported file, or by the task's text.
    Import {
        /// The file or folder
        path: PathBuf,
        /// Name of the agent, where the layout has none; where it has several, take only this one's
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// List the reports with their scores
    List,
    /// Show a report: how it ended, what it took, what its agent did on the way, and its text
    ///
    /// Searches, opened pages and notes are shown where the agent's provider tells them with the
    /// reply, or its program on descriptor 3.
    Show {
        /// Id as `taskgen reports list` shows it, or its beginning
        #[arg(value_name = "ID")]
        report: String,
    },
    /// List the faults that code finds in reports
    ///
    /// Faults of form (references, citations, headings, tables), slips of the pen, and figures,
    /// dates and sums that contradict each other, each with its line. Asks no model.
    Check {
        /// Files in Markdown, or ids as `taskgen reports list` shows them
        #[arg(value_name = "FILE|ID", required = true)]
        reports: Vec<String>,
    },
    /// Take reports out
    ///
    /// They are written to `tasks/reports-removed.jsonl`, from which `taskgen reports import` takes
    /// them in again. What was judged of them stays on record.
    Remove(RemoveReports),
}

/// `reports remove`
#[derive(Clone, Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub struct RemoveReports {
    /// Ids as `taskgen reports list` shows them, or the beginnings of ids
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All reports of this agent; together with ids, only those among them
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

/// `evaluate`
#[derive(Clone, Debug, clap::Args)]
pub struct Evaluate {
    /// Evaluators, separated by commas [default: kae,ace]
    #[arg(long, value_delimiter = ',', default_values = ["kae", "ace"], hide_default_value = true, value_parser = evaluators())]
    pub metric: Vec<String>,
    /// Only the reports of this agent; repeatable. Key points still come from the pages of all
    /// agents
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<String>,
    /// Only the tasks of this set, in this language if one is named (core:zh, or :zh of the
    /// default) [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME[@V][:LANGUAGE]")]
    pub set: Option<String>,
    /// Only the first N tasks by id
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub again: Again,
    /// Also fetch pages from private addresses: for an intranet, never for strangers' reports
    #[arg(long)]
    pub allow_private_network: bool,
    /// Fail with exit code 4 if more than this share of the judgements has no verdict, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
    /// Go on with a judge that fails its hidden probes, which are questions with a known answer
    /// among the others
    #[arg(long)]
    pub accept_judge: bool,
}

/// `rescore`
#[derive(Clone, Debug, clap::Args)]
pub struct Rescore {
    /// Evaluators, separated by commas [default: kae,ace]
    #[arg(long, value_delimiter = ',', default_values = ["kae", "ace"], hide_default_value = true, value_parser = evaluators())]
    pub metric: Vec<String>,
    /// Only the tasks of this set, in this language if one is named (core:zh, or :zh of the
    /// default) [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME[@V][:LANGUAGE]")]
    pub set: Option<String>,
    /// Merge key points from this similarity of their wording, above 0 to 1 [default: that of
    /// `taskgen.toml`]
    #[arg(long, value_name = "SHARE")]
    pub similarity: Option<f64>,
    #[arg(long, hide = true, value_parser = renamed_to_similarity)]
    pub near: Option<Renamed>,
    /// How judges are asked: as the paper has it, or under stricter rules with weighted figures
    /// beside the paper's [default: that of `taskgen.toml`]
    #[arg(long, value_parser = one_of::<Form>(&["paper", "strict"]))]
    pub form: Option<Form>,
    /// How often each criterion is rated [default: that of `taskgen.toml`]
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    #[command(flatten)]
    pub again: Again,
    /// Fail with exit code 4 if more than this share of the judgements has no verdict, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
}

/// `leaderboard`
#[derive(Clone, Debug, clap::Args)]
pub struct Leaderboard {
    /// Add a table for each value of a facet of the tasks: language, phase, type, difficulty,
    /// discipline, or a field of an imported file; several with commas
    #[arg(long, value_name = "FACET", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Only the tasks of this set, in this language if one is named (core:zh, or :zh of the
    /// default) [default: the newest selection, or all tasks]
    #[arg(long, value_name = "NAME[@V][:LANGUAGE]")]
    pub set: Option<String>,
    /// Another layout: `paper` is Table 3 of the DeepResearch Arena paper, `live-research-bench`
    /// the main table of LiveResearchBench, `depth` the strengths of agents by all games of depth
    #[arg(long, value_parser = PossibleValuesParser::new(["paper", "live-research-bench", "depth"]))]
    pub table: Option<String>,
    /// Count attempts that gave no report as the worst score; otherwise they are left out
    #[arg(long)]
    pub failed_as_zero: bool,
    /// Bootstrap resamples, which the intervals are made from
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub resamples: usize,
    /// Weigh criteria otherwise, as NAME=FACTOR with commas, such as `depth=2,sources=0.5`: titles
    /// of checklists for ACE, p1 to p10 for presentation [default: those of `[evaluate.weights]`]
    #[arg(long, value_name = "NAME=FACTOR", value_delimiter = ',', value_parser = factor)]
    pub weights: Vec<(String, f64)>,
    /// Also say how far the order depends on the weights of criteria: in how many of 1000 random
    /// weightings each pair keeps its order, and which smallest change makes neighbours equal
    #[arg(long)]
    pub sensitivity: bool,
    /// The size of the top: how probably an agent is among the best so many is a column of the CSV
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub top: u32,
    /// Also write the table as CSV to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write a page with plots to this file, and a page for each task into a folder beside it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `audit …`
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Test whether models know the tasks by heart
    ///
    /// Models (--model-role complete=…) get the first half of each task and continue it. What they
    /// write is compared with the second half, and with what they write for texts that they cannot
    /// know.
    Leakage {
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
        /// Fail with exit code 4 if more than this share of the texts has no answer, 0 to 1
        #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
        max_unscored: f64,
    },
    /// Find what is wrong in result files of LiveResearchBench
    ///
    /// Grades that were copied from one model to others, scores that do not follow from what the
    /// judge listed, reports without a grade, win rates without a game. Each model's figures are
    /// computed again from the issues, items and dimensions in the file; several judges are
    /// averaged. A summary is held against the graded reports of its folder, an average against its
    /// summaries.
    Results {
        /// Files of reports (`reports_….json`, `detailed_results_….json`), of incremental results
        /// (`…_results.jsonl`), summaries and averages, or folders of them
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Measure how far the judges of a panel agree, and list what they dispute most
    ///
    /// Question by question, for roles with several models (`rate = ["a/x", "b/y"]`). The questions
    /// on which they are widest apart come first: those are for people to decide.
    Judges {
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
    },
    /// Take the scores of a measure apart: agents, categories, tasks
    ///
    /// Where the variance comes from; how far each agent is above the others; whether an agent does
    /// unusually well or badly in some category (analysis of variance, by shuffling, corrected for
    /// the number of agents); and what goes with high and low scores: the length of tasks, and of
    /// tasks with a gold article how often its page is read, its length, statements and links.
    Effects {
        /// Key of the measure, such as `writing`
        #[arg(long, value_name = "KEY")]
        measure: String,
        /// Facet of tasks that categories are of [default: `category` where tasks have it]
        #[arg(long, value_name = "FACET")]
        by: Option<String>,
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
        /// Also write a page with plots
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Test whether judges prefer their own family, long reports, or many references
    ///
    /// Of a panel, whether a judge scores agents of its own family higher than the other judges do;
    /// families follow from the names of models and agents, and from `[families]`. Within tasks and
    /// agents, what twice the words and twice the references change. Scores as they would be at the
    /// mean length stand beside the raw ones.
    Bias {
        /// Key of the measure, such as `ace`
        #[arg(long, value_name = "KEY", default_value = "ace")]
        measure: String,
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
    },
    /// Test whether a judge changes in the course of its judging
    ///
    /// Its answers to hidden probes, and the level of its verdicts, in the order in which they were
    /// stored: one change at an unknown place, corrected for looking at all places and at all
    /// judges.
    Drift,
    /// Plan a study with people: how many items and judgements it needs
    ///
    /// For an interval of a wanted width around an agreement, or to tell two agents apart. Needs no
    /// project.
    Plan(Plan),
    /// Measure how far the scores agree with people's, and people with each other
    ///
    /// Files with people's scores are taken into the project first. `taskgen report scoring` writes
    /// a page on which people score.
    Agreement {
        /// Files of scores: what a scoring page saved; CSV with rater, score, and report or task
        /// and agent; or Label Studio's JSON
        files: Vec<PathBuf>,
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
    },
}

/// `audit plan`
#[derive(Clone, Debug, clap::Args)]
pub struct Plan {
    /// Width of the 95 % interval, from end to end
    #[arg(long, value_name = "WIDTH", default_value_t = 0.2, value_parser = above_zero)]
    pub width: f64,
    /// Plan for a share of agreement that is expected to be this, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub share: Option<f64>,
    /// Plan for a Cohen's κ of two people that is expected to be this, 0 to 1
    #[arg(long, value_name = "KAPPA", value_parser = share)]
    pub kappa: Option<f64>,
    /// With --kappa: share of the items that one of the two answers is right for
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub prevalence: f64,
    /// Plan for a reliability of scores (intraclass correlation of one person) that is expected to
    /// be this, 0 to 1; with --difference, what part of its deviation is not people's noise
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub reliability: Option<f64>,
    /// People who judge each item
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub people: u64,
    /// Plan to find that two agents differ by so many points
    #[arg(long, value_name = "POINTS", requires = "deviation", value_parser = above_zero)]
    pub difference: Option<f64>,
    /// With --difference: standard deviation of the two agents' differences over tasks, in points
    #[arg(long, value_name = "POINTS", requires = "difference", value_parser = above_zero)]
    pub deviation: Option<f64>,
    /// Plan to find that an agent is preferred in this share of pairs of reports, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub preference: Option<f64>,
    /// Probability of finding a difference or a preference that is there, 0.5 to below 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    pub power: f64,
}

/// `wiki collect …`
#[derive(Debug, clap::Args)]
pub struct WikiCollect {
    /// First day on which an article may have been created, such as 2026-03-01
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub since: Date,
    /// First day after the window
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub until: Date,
    /// Address of mail or of a page at which you are reached; wikis ask for it
    #[arg(long, value_name = "ADDRESS")]
    pub contact: String,
    /// Address of the wiki's `api.php`
    #[arg(
        long,
        value_name = "URL",
        default_value = "https://en.wikipedia.org/w/api.php"
    )]
    pub api: String,
    /// The moment at which articles are frozen, such as 2026-11-01T00:00:00Z [default: now, or that
    /// of the first run]
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<Timestamp>,
    /// The category of good articles
    #[arg(long, value_name = "TITLE", default_value = CATEGORY)]
    pub category: String,
    /// The most articles
    #[arg(long, value_name = "N", default_value_t = MOST as u64, value_parser = clap::value_parser!(u64).range(1..))]
    pub most: u64,
    /// Name of the edition [default: its window]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Milliseconds between the starts of two requests
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    pub pause_ms: u64,
    /// The folder
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// `wiki …`
#[derive(Debug, Subcommand)]
pub enum Wiki {
    /// Collect an edition: good articles of a wiki that came into being in a window of time
    ///
    /// Articles are frozen as they were at one moment, ranked by references and structure, and
    /// written as a benchmark's folder with a manifest, the licence and the authors. What was
    /// fetched is kept: the same command goes on where it stopped. Next: `taskgen wiki import
    /// FOLDER`.
    Collect(WikiCollect),
    /// Show how two editions differ: articles that are new, gone or changed
    Diff {
        /// Folder or manifest of the earlier one
        #[arg(value_name = "EARLIER")]
        earlier: PathBuf,
        /// Folder or manifest of the later one
        #[arg(value_name = "LATER")]
        later: PathBuf,
    },
    /// Import a benchmark's folder: its tasks as a named set, gold articles, and agencies' articles
    ///
    /// Nothing is imported twice. Next: `taskgen evaluate --metric writing,facts`.
    Import {
        /// Folder with `wiki_data` and `test_data`
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Name of the set [default: the folder's]
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
    },
    /// Show which statements of gold articles reports say, by place, and what they contradict
    ///
    /// Needs `taskgen evaluate --metric facts`. Articles are cut into ten parts; contradictions are
    /// shown side by side, with what differs: a number, a date, a name, a negation.
    Facts {
        /// Tasks of this set [default: all]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
        /// Also write a page with a heat map and the contradictions
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Write tasks, gold articles, reports and verdicts as a benchmark's folder
    ///
    /// The first report of each agent on each task with a gold article, as Markdown and as JSON with
    /// statements and addresses; each judge's verdicts on writing, an order of the articles in a
    /// folder, and on facts. Cited pages are left out. Next: `taskgen wiki doctor FOLDER`.
    Export {
        /// Folder to write to; files of the same names are replaced
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Tasks of this set [default: all]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
    },
    /// Find what is wrong in a benchmark's folder, and compute its results again
    ///
    /// Missing and broken files, citations that lead nowhere, pages that are no evidence, articles
    /// that cite or copy the article that they are compared with, text that the benchmark's own
    /// reader loses, and stored figures that do not follow from their verdicts. Needs no project.
    Doctor {
        /// Folder with `wiki_data`, `test_data` or results
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// `report …`
#[derive(Debug, Subcommand)]
pub enum Report {
    /// Write a page on which people score reports
    ///
    /// Reports are shown without their agents' names and in random order. The page saves a file for
    /// `taskgen audit agreement`.
    Scoring {
        /// File of the page [default: tasks/scoring.html]
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
        /// Only this many reports, drawn by the seed
        #[arg(long, value_name = "N")]
        sample: Option<usize>,
    },
    /// Write a page with the seminars, inspirations and tasks
    ///
    /// Each quote plays its place in the recording.
    Tasks {
        /// File of the page [default: tasks/tasks.html]
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
}
