//! `arena` and its subcommands.

use std::path::PathBuf;

use clap::Subcommand;

/// `arena …`
#[derive(Clone, Debug, Subcommand)]
pub enum Arena {
    /// Take in, list and show the trees of pages that agents duel on
    #[command(subcommand)]
    Trees(Trees),
    /// Let two agents duel on a tree
    ///
    /// An examiner asks both of them questions whose sources they cannot see, wider or deeper after
    /// each verdict, until one leads by two points. Stopped, the same command goes on. See it with
    /// `taskgen arena replay`.
    Match(Duel),
    /// Let agents meet in rounds, each pair on several trees
    ///
    /// Who meets whom follows from the results so far (Swiss system), and seats change from tree to
    /// tree. Stopped, the same command goes on. See it with `taskgen arena leaderboard`.
    Tournament(Tournament),
    /// Rate the agents by their matches, with intervals
    Leaderboard(ArenaBoard),
    /// Show a match: where it went, what was asked and answered, and the verdicts
    Replay(Replay),
    /// List the matches
    List,
}

/// `arena trees …`
#[derive(Clone, Debug, Subcommand)]
pub enum Trees {
    /// Take in trees: files of DR-Arena, trees that were exported, or documents in Markdown
    Import(ImportTrees),
    /// Make a tree of the pages that a page links to, and those that these link to
    ///
    /// Robots' rules and pauses are kept as everywhere, and each page is fetched once. Pages belong
    /// to their authors: whoever passes a tree on needs their leave.
    Build(BuildTree),
    /// List the trees
    List,
    /// Show the pages of a tree
    Show {
        /// Its name or id
        tree: String,
    },
    /// Write a tree in DR-Arena's layout
    Export {
        /// Its name or id
        tree: String,
        /// The file; - for standard output
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
}

/// `arena trees import`
#[derive(Clone, Debug, clap::Args)]
pub struct ImportTrees {
    /// Files, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Of documents: the address that they are known by, before their file names
    #[arg(long, value_name = "URL", default_value = "https://documents.invalid/")]
    pub base_url: String,
}

/// `arena trees build`
#[derive(Clone, Debug, clap::Args)]
pub struct BuildTree {
    /// Address of the root
    #[arg(value_name = "URL")]
    pub root: String,
    /// Its name
    #[arg(long)]
    pub name: String,
    /// Levels below the root
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10))]
    pub depth: usize,
    /// Pages below a page at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=50))]
    pub width: usize,
    /// Pages at most
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=5000))]
    pub pages: usize,
    /// Also fetch pages from private addresses: for an intranet
    #[arg(long)]
    pub allow_private_network: bool,
}

/// `arena match`
#[derive(Clone, Debug, clap::Args)]
pub struct Duel {
    /// The two agents of `[agents]` in `taskgen.toml`; the first is shown first to the judge
    #[arg(num_args = 2, required = true, value_name = "AGENT")]
    pub agents: Vec<String>,
    /// The tree, by name or id
    #[arg(long, value_name = "NAME")]
    pub tree: String,
    #[command(flatten)]
    pub rules: Rules,
}

/// The bounds of a match.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Rules {
    /// Rounds with a verdict at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Points by which one must lead for the match to end
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub margin: u32,
    /// Also fetch pages from private addresses: for an intranet
    #[arg(long)]
    pub allow_private_network: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            rounds: 10,
            margin: 2,
            allow_private_network: false,
        }
    }
}

/// `arena tournament`
#[derive(Clone, Debug, clap::Args)]
pub struct Tournament {
    /// Its name; the same name goes on with it
    pub name: String,
    /// The agents, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub agents: Vec<String>,
    /// The trees that each pair meets on, by names [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub trees: Vec<String>,
    /// Rounds [default: as many as single elimination would take]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub swiss_rounds: Option<u32>,
    /// Matches at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub jobs: usize,
    #[command(flatten)]
    pub rules: Rules,
}

/// `arena leaderboard`
#[derive(Clone, Debug, clap::Args)]
pub struct ArenaBoard {
    /// Only the matches of this tournament
    #[arg(long, value_name = "NAME")]
    pub tournament: Option<String>,
    /// Rate the battles of a file of DR-Arena's instead, its list or its history (.jsonl);
    /// needs no project
    #[arg(long, value_name = "FILE", conflicts_with = "tournament")]
    pub from: Option<PathBuf>,
    /// Rate as published: the likeliest strengths, without a prior and without a seat term
    #[arg(long)]
    pub published: bool,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// `arena replay`
#[derive(Clone, Debug, clap::Args)]
pub struct Replay {
    /// The match, by id
    #[arg(value_name = "MATCH")]
    pub duel: String,
}
