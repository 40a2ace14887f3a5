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
    /// each verdict, until one leads by two points. Stopped, the same command goes on; with
    /// --retry-failed a match that came to no result is played anew. See it with `taskgen arena
    /// replay`.
    Match(Duel),
    /// Let agents meet in rounds, each pair on several trees
    ///
    /// Who meets whom follows from the results so far (Swiss system), and seats change from tree to
    /// tree. Stopped, the same command goes on. See it with `taskgen arena leaderboard`.
    Tournament(Tournament),
    /// Rate an agent that is new, by matches against those that have a rating
    ///
    /// It meets the one whose match is expected to tell most, until its rating is precise enough.
    /// Stopped, the same command goes on.
    Onboard(Onboard),
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
    /// With --topics, many trees, from roots that are found by a search of the web.
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
    #[arg(value_name = "URL", required_unless_present = "topics")]
    pub root: Option<String>,
    /// Its name
    #[arg(long, required_unless_present = "topics")]
    pub name: Option<String>,
    /// Find roots instead: draw topics from this file (DR-Arena's `{name, id, children}`), and
    /// search the web for each as `[search]` says
    #[arg(long, value_name = "FILE", requires = "count", conflicts_with_all = ["root", "name"])]
    pub topics: Option<PathBuf>,
    /// Trees that shall come of the topics; three draws are made for each at most
    #[arg(long, value_name = "N", requires = "topics", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub count: Option<u32>,
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
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Rules {
    /// What ends a match before its last round [default: margin]
    #[arg(long, value_enum)]
    pub stop: Option<StopBy>,
    /// Rounds with a verdict at most [default: 10; with --stop sprt 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// Points by which one must lead [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub margin: Option<u32>,
    /// With --stop sprt: share of matches at most that name the worse agent [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = error_share)]
    pub error: Option<u32>,
    /// With --stop sprt: share of the decisive rounds that the better agent wins at least, for
    /// which the error holds [default: 0.7]
    #[arg(long, value_name = "SHARE", value_parser = superiority)]
    pub superiority: Option<u32>,
    /// Also fetch pages from private addresses: for an intranet
    #[arg(long)]
    pub allow_private_network: bool,
}

/// What ends a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum StopBy {
    /// A lead in points
    #[default]
    Margin,
    /// A sequential test with a bound on its errors
    Sprt,
}

/// A share between `low` and `high`, both excluded, in thousandths.
fn thousandths(text: &str, low: u32, high: u32) -> Result<u32, String> {
    let share: Option<f64> = text.parse().ok();
    let wanted = share.map_or(0.0, |share| share * 1000.0);
    let thousandths = wanted.round() as u32;
    // Rounded, another bound would hold than the one that was asked for.
    let is_whole = (wanted - wanted.round()).abs() < 1e-6;
    if is_whole && low < thousandths && thousandths < high {
        return Ok(thousandths);
    }
    Err(format!(
        "a share between {} and {} in thousandths, such as {}",
        f64::from(low) / 1000.0,
        f64::from(high) / 1000.0,
        f64::from(low + (high - low) / 5 * 2) / 1000.0
    ))
}

fn error_share(text: &str) -> Result<u32, String> {
    thousandths(text, 0, 500)
}

fn superiority(text: &str) -> Result<u32, String> {
    thousandths(text, 500, 1000)
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

/// `arena onboard`
#[derive(Clone, Debug, clap::Args)]
pub struct Onboard {
    /// The new agent, of `[agents]` in `taskgen.toml`
    pub agent: String,
    /// The agents that it may meet, separated by commas [default: all with a rating]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub against: Vec<String>,
    /// The trees that matches are played on, by names [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub trees: Vec<String>,
    /// Enough once the standard deviation of its rating is at most so many Elo points [default: 50]
    #[arg(long, value_name = "POINTS", value_parser = points)]
    pub precision: Option<f64>,
    /// Matches at most [default: 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub matches: Option<u32>,
    /// The name by which it goes on [default: onboarding of AGENT]
    #[arg(long)]
    pub name: Option<String>,
    /// Matches at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub jobs: usize,
    #[command(flatten)]
    pub rules: Rules,
}

/// Elo points above 0.
fn points(text: &str) -> Result<f64, String> {
    let points: Option<f64> = text.parse().ok();
    let points = points.filter(|points| *points >= 1.0 && *points <= 1000.0);
    points.ok_or_else(|| "a number of Elo points from 1 to 1000, such as 50".to_owned())
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
    /// Rate the verdicts of the rounds, by grade, instead of the results of matches
    #[arg(long, conflicts_with_all = ["from", "published"])]
    pub graded: bool,
    /// Another board to compare with: a CSV file with the columns `name` and `rating`
    #[arg(long, value_name = "FILE")]
    pub reference: Option<PathBuf>,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// `arena replay`
#[derive(Clone, Debug, clap::Args)]
pub struct Replay {
    /// The match, by its id or the first characters of it
    #[arg(value_name = "MATCH")]
    pub duel: String,
    /// Also write it as a page: the tree, and each round with its pages, rubric and answers
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
