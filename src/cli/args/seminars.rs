//! `seminars`.

use std::path::PathBuf;

use clap::Subcommand;

/// `seminars …`
#[derive(Debug, Subcommand)]
pub enum Seminars {
    /// List the recordings that the project knows, with licence and consent, and those forgotten
    List,
    /// Take a recording out of the project, with all that was made of what is said in it
    ///
    /// For speakers who withdraw consent. Transcripts, inspirations, tasks, reports, calls to
    /// models and the files that hold words of the talk go; frozen sets keep the places of its
    /// tasks, without their texts. Shows first what would go: --yes does it. The recording itself
    /// stays.
    Forget(Forget),
}

/// `seminars forget`
#[derive(Debug, clap::Args)]
pub struct Forget {
    /// The recording: its id, the beginning of it, or its path as `seminars list` shows it
    pub id: String,
    /// Do it
    #[arg(long)]
    pub yes: bool,
    /// Delete the recording and its side file, too
    #[arg(long)]
    pub with_recording: bool,
    /// Leave this file as it is, or all of this folder, though it holds words of the talk;
    /// repeatable
    #[arg(long, value_name = "PATH")]
    pub keep: Vec<PathBuf>,
    /// Let a forgotten recording in again, as if it were new
    #[arg(long, conflicts_with_all = ["yes", "with_recording", "keep"])]
    pub lift: bool,
}
