//! Options that every command takes.

use std::path::PathBuf;

use super::values::not_negative;

/// For all commands.
const ALL: &str = "Options for every command";
/// For those that ask a model. `-h` leaves them out.
pub const MODELS: &str = "Options for commands that ask models";

/// Flags of every command.
#[derive(Clone, Debug, clap::Args)]
pub struct Global {
    /// Work in this project folder; otherwise the nearest folder above with a `taskgen.toml`
    #[arg(long, global = true, value_name = "DIR", env = "TASKGEN_PROJECT", hide_env_values = true, help_heading = ALL)]
    pub project: Option<PathBuf>,
    /// Read this configuration file instead of the project's `taskgen.toml`
    #[arg(long, global = true, value_name = "FILE", env = "TASKGEN_CONFIG", hide_env_values = true, help_heading = ALL)]
    pub config: Option<PathBuf>,
    /// Print the result as one JSON value; errors stay text on standard error
    #[arg(long, global = true, help_heading = ALL)]
    pub json: bool,
    /// Print neither progress nor summary
    #[arg(long, short, global = true, help_heading = ALL)]
    pub quiet: bool,
    /// Print more of what happens; twice for even more
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = ALL)]
    pub verbose: u8,
    /// Seed of every random choice; the same seed gives the same result
    #[arg(long, global = true, value_name = "N", env = "TASKGEN_SEED", hide_env_values = true, help_heading = ALL)]
    pub seed: Option<u64>,
    /// Connect to nothing but this machine, and download nothing
    #[arg(long, global = true, env = "TASKGEN_OFFLINE", hide_env_values = true, help_heading = ALL, value_parser = clap::builder::FalseyValueParser::new())]
    pub offline: bool,
    /// If another taskgen is writing to the project, wait for it instead of giving up
    #[arg(long, global = true, help_heading = ALL)]
    pub wait: bool,
    /// Folder of the model files
    #[arg(long, global = true, value_name = "DIR", env = "TASKGEN_MODELS", hide_env_values = true, help_heading = ALL)]
    pub models_dir: Option<PathBuf>,
    /// Use this model for a role: inspire, review, weave, translate and probe (to make tasks), judge
    /// (to rank them), keypoints and relate (for kae; relate also for claims and facts), checklist
    /// and rate (for ace), extract (for statements of facts), complete (for `audit leakage`), examine
    /// and duel (for `arena`); repeatable. For judge, relate, rate and complete, several models,
    /// separated by commas, are a panel: each is asked; for checklist they make one checklist
    #[arg(long, global = true, value_name = "ROLE=PROVIDER/MODEL", help_heading = MODELS, hide_short_help = true)]
    pub model_role: Vec<String>,
    /// Ask again where a model's answer was unusable
    #[arg(long, global = true, conflicts_with = "replay", help_heading = MODELS, hide_short_help = true)]
    pub retry_failed: bool,
    /// Ask no model; use only the answers that are on record
    #[arg(long, global = true, help_heading = MODELS, hide_short_help = true)]
    pub replay: bool,
    /// Ask no model; print the first prompt, and how many calls, tokens and dollars it would take
    #[arg(long, global = true, conflicts_with_all = ["replay", "retry_failed"], help_heading = MODELS, hide_short_help = true)]
    pub dry_run: bool,
    /// Stop before more than this many US dollars are spent, at built-in prices or those of the project's
    /// `prices.toml`
    #[arg(long, global = true, value_name = "DOLLARS", allow_negative_numbers = true, value_parser = not_negative, help_heading = MODELS, hide_short_help = true)]
    pub budget_usd: Option<f64>,
    /// Stop before more than this many tokens are used, prompts and replies together
    #[arg(long, global = true, value_name = "N", help_heading = MODELS, hide_short_help = true)]
    pub budget_tokens: Option<u64>,
    /// Read keys and base URLs that the environment lacks from this file of NAME=VALUE lines;
    /// repeatable
    #[arg(long, global = true, value_name = "FILE", help_heading = MODELS, hide_short_help = true)]
    pub env_file: Vec<PathBuf>,
    /// Begin with this many requests to a server at once; the number follows what the server bears
    #[arg(long, global = true, value_name = "N", help_heading = MODELS, hide_short_help = true)]
    pub max_connections: Option<usize>,
    /// Set by the commands that take `--resample`.
    #[arg(skip)]
    pub resample: u32,
}
