//! `rank` and its subcommands.

use std::path::PathBuf;

use clap::Subcommand;

use super::{
    Again,
    values::{above_zero, one_of, share},
};
use crate::rank::{Method, Read, simulate::Scenario};

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
    /// How the ranking is made: halving compares pairs, and looks ever closer at the best; listwise
    /// has lists put in order; elo compares random pairs in rounds, as the DeepResearch Arena paper
    /// does [default: halving; elo with --rounds]
    #[arg(long, value_parser = one_of::<Method>(&["halving", "listwise", "elo"]))]
    pub method: Option<Method>,
    /// Model that judges, or code/signals, the default, which compares how tasks are worded;
    /// several, separated by commas, judge together. Short for --model-role judge=…
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub judge: Option<String>,
    /// How a judge of pairs is read: words has it write a verdict; logprobs shows both orders of a
    /// pair and reads how likely it finds each of two answers, without a word written; for built-in
    /// models and servers that give log-probabilities [default: words]
    #[arg(long, value_parser = one_of::<Read>(&["words", "logprobs"]))]
    pub read: Option<Read>,
    /// Maximum number of judgements [default: four for each task; with --method listwise, as many
    /// lists as show each task eight times]
    #[arg(long, value_name = "N")]
    pub budget_calls: Option<u64>,
    /// With --method listwise: tasks in a list [default: 8]
    #[arg(long, value_name = "N")]
    pub list_size: Option<usize>,
    /// How many best tasks are to be found [default: 100, or a third of the tasks]
    #[arg(long, value_name = "K")]
    pub top: Option<usize>,
    /// Stop early once this share of the best tasks is probably found, 0 to 1 [default: 0.95]
    #[arg(long, value_name = "SHARE")]
    pub target_recall: Option<f64>,
    /// With --method elo: rounds; each task meets one other in a round
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// With --method elo: the factor K, how far one comparison moves a rating
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = above_zero)]
    pub elo_k: Option<f64>,
    /// Only the first N tasks by id: a ranking of its own
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..))]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub again: Again,
    /// Fail with exit code 4 if more than this share of the judgements has no verdict, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub max_unscored: f64,
    /// Go on with a judge that fails its hidden probes, which are pairs with a known answer among
    /// the others
    #[arg(long)]
    pub accept_judge: bool,
}

/// `rank …`
#[derive(Clone, Debug, Subcommand)]
pub enum InsteadOfRanking {
    /// Simulate a ranking method on made-up tasks of known quality
    ///
    /// Asks no model: judges are made up, too. Prints how many of the best tasks were found, with
    /// how many judgements.
    Simulate(Simulate),
    /// Show how far the ranking can be believed
    ///
    /// How often judges fail, prefer what is shown first or the longer text, contradict themselves,
    /// and agree with each other.
    Report {
        /// Also write a page with plots to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Take in judgements made elsewhere, as a ranking of their own
    Import {
        /// JSONL, or CSV as chatbot arenas write it. Each line has a and b (or `model_a` and
        /// `model_b`), which are ids of tasks, and winner: a, b or tie; confidence, judge and reason
        /// are optional
        file: PathBuf,
        /// Name of the judge, where a line has none
        #[arg(long, value_name = "NAME", default_value = "people")]
        judge: String,
    },
}

/// `rank simulate`
#[derive(Clone, Debug, clap::Args)]
pub struct Simulate {
    /// What the made-up tasks and their judge are like. bt1: the judge is right about 73 % of random
    /// pairs; bt2: about 83 %; thur: it prefers what is shown first; skew: most tasks are good;
    /// cyc: preferences are intransitive; lapse: 15 % of the verdicts are random; dup: a fifth of the
    /// tasks are near-copies
    #[arg(long, default_value = "bt1", value_parser = one_of::<Scenario>(&["bt1", "bt2", "thur", "skew", "cyc", "lapse", "dup"]))]
    pub scenario: Scenario,
    /// The earlier name of --scenario, which is refused
    #[arg(long, hide = true, value_name = "NAME")]
    pub world: Option<String>,
    /// How to rank
    #[arg(long, default_value = "halving", value_parser = one_of::<Method>(&["halving", "listwise", "elo"]))]
    pub method: Method,
    /// With --method listwise: tasks in a list [default: 8]
    #[arg(long, value_name = "N")]
    pub list_size: Option<usize>,
    /// Number of tasks
    #[arg(long, short, value_name = "N", default_value_t = 10_000)]
    pub n: usize,
    /// How many best tasks are to be found
    #[arg(long, value_name = "K", default_value_t = 100)]
    pub top: usize,
    /// Maximum number of judgements
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub budget_calls: usize,
    /// Stop a trial early once this share of the best tasks is probably found, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub target_recall: Option<f64>,
    /// Number of trials, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub seeds: u64,
}
