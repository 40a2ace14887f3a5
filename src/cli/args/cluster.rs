//! The arguments of commands for clusters.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Sound;

/// `cluster …`
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Cluster {
    /// Write the scripts of Slurm jobs that transcribe in shards, and submit them
    ///
    /// Writes `tasks/cluster/`: a job that fetches the models once, an array with a job for each
    /// shard, and a job that lists what failed and does the next steps. The project's folder must be
    /// the same on all nodes. A job that is stopped or crashes goes on where it was. See
    /// docs/clusters.md, for other schedulers too.
    Slurm(Box<Slurm>),
    /// Show how far the submitted jobs are
    Status,
}

/// `cluster slurm`
#[derive(Clone, Debug, clap::Args)]
pub struct Slurm {
    /// Recordings, or folders of them [default: all of `seminars/`]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub sound: Sound,
    /// Parts of the work, each a job of its own [default: one for each recording, at most 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub shards: Option<u32>,
    /// Partition of the jobs [default: the cluster's]
    #[arg(long, value_name = "P")]
    pub partition: Option<String>,
    /// Account that pays
    #[arg(long, value_name = "A")]
    pub account: Option<String>,
    /// Graphics cards of a job
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub gpus: u32,
    /// CPUs of a job
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub cpus: u32,
    /// Memory of a job, such as 8G [default: the cluster's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Longest time of a job, such as 4:00:00 or 1-12; one that needs more goes on in another
    /// [default: the cluster's]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// How often a job that crashes is started again
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=100))]
    pub retries: u32,
    /// Steps after the transcription, separated by commas
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub then: Vec<Step>,
    /// Start this server of a language model for the steps, and have it fill their roles
    #[arg(
        long,
        value_name = "PROGRAM",
        requires = "server_model",
        requires = "then"
    )]
    pub server: Option<Server>,
    /// The server's model: a GGUF file for llama.cpp, a folder or a name for vLLM
    #[arg(long, value_name = "MODEL", requires = "server")]
    pub server_model: Option<String>,
    /// Also submit the jobs
    #[arg(long)]
    pub submit: bool,
}

/// A step after the transcription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Step {
    /// Find inspirations
    Inspire,
    /// Write tasks
    Weave,
    /// Rank the tasks
    Rank,
}

/// A server of language models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Server {
    /// llama-server, of llama.cpp
    #[value(name = "llama.cpp")]
    LlamaCpp,
    /// vLLM
    Vllm,
}
