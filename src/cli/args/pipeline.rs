//! `run` and the stages from recordings to tasks.

use std::path::PathBuf;

use super::Rank;
use crate::transcribe::Shard;

/// `decode`
#[derive(Clone, Debug, clap::Args)]
pub struct Decode {
    /// The recording
    pub path: PathBuf,
    /// Use only this channel, from 1
    #[arg(long)]
    pub channel: Option<usize>,
    /// Write only the length in seconds that the file states
    #[arg(long)]
    pub length: bool,
}

/// `check-device`
#[derive(Clone, Debug, clap::Args)]
pub struct CheckDevice {
    /// whisper.cpp's number of a graphics card
    #[arg(long)]
    pub card: i32,
}

/// `run`
#[derive(Clone, Debug, clap::Args)]
pub struct Run {
    /// Recordings, or folders of them [default: all of `seminars/`]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub sound: Sound,
    #[command(flatten)]
    pub rank: Rank,
}

/// `transcribe`
#[derive(Clone, Debug, clap::Args)]
pub struct Transcribe {
    /// Recordings, or folders of them [default: all of `seminars/`]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub sound: Sound,
    /// Formats of the transcript, separated by commas: json (always written), srt, vtt, txt
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "json"
    )]
    pub format: Vec<String>,
    /// Transcribe again what is done
    #[arg(long)]
    pub force: bool,
    /// Transcribe only part i of n; several machines that share a folder take one part each
    #[arg(long, value_name = "i/n")]
    pub shard: Option<Shard>,
    /// Only the first N recordings by name
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: Option<usize>,
    /// Transcribe nothing; list the recordings with their lengths and what would be done with each
    #[arg(long)]
    pub plan: bool,
}

/// `transcripts …`
#[derive(Clone, Debug, clap::Subcommand)]
#[expect(clippy::doc_markdown, reason = "the text is shown as help")]
pub enum Transcripts {
    /// Make the transcripts of recordings from subtitles, or from the JSON of a program around
    /// Whisper
    ///
    /// Reads SubRip (.srt), WebVTT (.vtt), and the JSON of Whisper, faster-whisper, WhisperX and
    /// whisper.cpp. A file belongs to the recording of its name: `talk.srt` or `talk.en.srt` to
    /// `seminars/talk.m4a`. Such a recording is not heard again.
    Import(ImportTranscripts),
}

/// `transcripts import`
#[derive(Clone, Debug, clap::Args)]
pub struct ImportTranscripts {
    /// Files, or folders of them
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Language of the talks [default: what the file says, its name, or `NAME.toml`]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Also replace transcripts that are there
    #[arg(long)]
    pub force: bool,
}

/// How to transcribe.
#[derive(Clone, Debug, clap::Args)]
pub struct Sound {
    /// Speech model: auto (tiny.en for English, base otherwise; large-v3-turbo on a graphics card
    /// with room for it), a name of `taskgen models list`, or a ggml file
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Language of the talks: auto, en, zh …; several, separated by commas, for talks that switch
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Text file with names and terms that occur in the talks
    #[arg(long, value_name = "FILE")]
    pub vocabulary: Option<PathBuf>,
    /// Use only this channel, from 1: for recordings with a microphone on each channel
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub channel: Option<usize>,
    /// Also record when each word is said
    #[arg(long)]
    pub words: bool,
    /// Devices, separated by commas: cpu, cuda:0, vulkan:1 … as `taskgen doctor` lists them; auto
    /// for the graphics cards, or the processor where there is none; cards for these or an error
    #[arg(long, value_name = "LIST")]
    pub device: Option<String>,
    /// Threads that transcribe at once; 0 for one per core, or what a card's memory has room for
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(..=1024))]
    pub jobs: Option<usize>,
}

/// Which seminars.
#[derive(Clone, Debug, clap::Args)]
pub struct Select {
    /// Only this seminar: the path of its recording, or its id; repeatable
    #[arg(long, value_name = "ID")]
    pub seminar: Vec<String>,
    /// Only the first N by id
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: Option<usize>,
}

impl Select {
    /// Whether some may be left out.
    pub fn leaves_out(&self) -> bool {
        !self.seminar.is_empty() || self.limit.is_some()
    }
}

/// `inspire`
#[derive(Clone, Debug, clap::Args)]
pub struct Inspire {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub again: Again,
}

/// Other answers than those on record.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Again {
    /// Draw other answers of the models than those on record: sample K, from 1; the same K
    /// continues where it was stopped, and without it the first answers count again
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub resample: Option<u32>,
}

/// `weave`
#[derive(Clone, Debug, clap::Args)]
pub struct Weave {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub again: Again,
    /// Tasks from one seminar, 5 to 60; code and built-in models write at most 8 [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(5..=60))]
    pub per_seminar: Option<u64>,
    /// Language of the tasks: en, zh, or talk for the language of each talk [default: talk]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Also write this many tasks that each join two seminars; 0 removes the ones there are
    #[arg(long, value_name = "N")]
    pub across: Option<usize>,
    /// Also translate each task into these languages: en, zh, or both as en,zh
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    pub translate: Option<Vec<String>>,
}
