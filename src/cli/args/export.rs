//! `export`.

use std::path::PathBuf;

use clap::Subcommand;

/// `export …`
#[derive(Debug, Subcommand)]
pub enum Export {
    /// Write a set as a Hugging Face data set
    ///
    /// `README.md` (the card), `data/tasks.parquet` and `data/tasks.jsonl`, with Croissant's
    /// metadata and an RO-Crate beside them. `datasets.load_dataset(FOLDER)` opens it.
    HuggingFace(DataSet),
    /// Write a set with Croissant's metadata
    Croissant(DataSet),
    /// Write a set as an RO-Crate: what each task, report and score was made from
    RoCrate(DataSet),
    /// Write a set as a task package for Inspect, and a log of the scores of each agent
    ///
    /// `inspect eval FOLDER/PACKAGE/…` runs the tasks, `inspect view` shows `FOLDER/logs`.
    Inspect(Placed),
    /// Write a set's questions and reports as DeepResearch Bench has them
    DeepresearchBench(Placed),
    /// Write a set's reports for people to score in Argilla
    ///
    /// `rg.Dataset.from_disk(FOLDER)` opens it. What comes back is read by `taskgen audit
    /// agreement`: `records(with_responses=True).to_list(flatten=True)` as JSON.
    Argilla(ForScoring),
    /// Write a set's reports for people to score in Label Studio
    ///
    /// `config.xml` is the labelling configuration, `tasks.json` what is imported. The JSON export
    /// is read by `taskgen audit agreement`.
    LabelStudio(ForScoring),
    /// Write the JSON Schemas of the files that taskgen writes
    Schemas {
        /// The folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Write reports and grades in the layout of LiveResearchBench
    ///
    /// `reports/AGENT/qid_ID_report.md`, and for each judge a folder in `results/` with its grades,
    /// the lines of each criterion, and a summary; of two judges their averages, too. Scores follow
    /// from what the judges listed; what has no verdict is left out. Next: `taskgen audit results
    /// FOLDER`.
    LiveResearchBench {
        /// The folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Only the tasks of this set [default: the newest selection, or all tasks]
        #[arg(long, value_name = "NAME[@V]")]
        set: Option<String>,
    },
}

/// Where a set goes.
#[derive(Debug, clap::Args)]
pub struct Placed {
    /// The folder
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The set [default: the newest selection]
    #[arg(long, value_name = "NAME[@V]")]
    pub set: Option<String>,
}

/// A set for publishing.
#[derive(Debug, clap::Args)]
pub struct DataSet {
    #[command(flatten)]
    pub placed: Placed,
    /// Who publishes it
    #[arg(long, value_name = "NAME")]
    pub publisher: Option<String>,
    /// Licence of the set [default: those of its recordings and files]
    #[arg(long, value_name = "NAME")]
    pub licence: Option<String>,
    /// Address at which it is published
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
}

/// Reports for people to score.
#[derive(Debug, clap::Args)]
pub struct ForScoring {
    #[command(flatten)]
    pub placed: Placed,
    /// A criterion that is scored beside the whole report, as a checklist names it; repeatable
    #[arg(long, value_name = "NAME")]
    pub criterion: Vec<String>,
    /// Show who score which agent wrote a report
    #[arg(long)]
    pub named: bool,
}
