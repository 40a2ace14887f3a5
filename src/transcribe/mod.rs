//! Recording → Transcript. A file is decoded, the stretches of speech are packed into windows, Whisper hears them on
//! every core, and what it made up is dropped.

mod audio;
mod discover;
mod error;
pub mod formats;
mod guard;
mod language;
mod listen;
mod resample;
mod saved;
mod sentences;
mod vad;
mod whisper;
mod windows;

use std::{path::Path, time::Instant};

use serde_json::json;

use crate::{
    data::{Id, ModelRef, Ms, SeminarId, Transcript, transcript::SCHEMA_VERSION},
    files,
};

pub use audio::{RATE, Sound, decode};
pub use discover::{Discovered, EXTENSIONS, Recording, discover};
pub use error::TranscribeError;
pub use guard::Notes;
pub use language::Language;
pub use saved::{Meta, Standing, check_writable, load, meta_path, standing, transcript_path};
pub use vad::{Hearing, Span};
pub use whisper::{Engine, Resolver};
pub use windows::Window;

/// Raised with each change that can change the text of a transcript.
const RECIPE: u32 = 1;
/// Most windows that language detection listens to.
const DETECTION_WINDOWS: usize = 3;
/// English and all other languages, where the model is chosen for the user.
const AUTO: (&str, &str) = ("tiny.en", "base");

/// Which model to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ModelChoice {
    /// `tiny.en` for English, `base` for everything else.
    #[default]
    Auto,
    /// A model's name, or the path of a file in ggml form.
    Named(String),
}

impl ModelChoice {
    /// Reads `auto`, a name or a path.
    pub fn parse(text: &str) -> Self {
        if text == "auto" { Self::Auto } else { Self::Named(text.into()) }
    }

    /// The model for a recording that is in English, or not.
    pub fn name_for(&self, english: bool) -> &str {
        match self {
            Self::Auto if english => AUTO.0,
            Self::Auto => AUTO.1,
            Self::Named(name) => name,
        }
    }

    /// The model that hears which language is spoken.
    fn detector(&self) -> &str {
        self.name_for(false)
    }
}

/// How to transcribe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The speech model.
    pub model: ModelChoice,
    /// The language as a tag such as `zh-Hant`; heard from the first minutes where it is not given.
    pub language: Option<String>,
    /// Workers, one thread each; 0 for one on each core. Does not change the text.
    pub jobs: usize,
    /// Names and terms that the recogniser should expect.
    pub vocabulary: Option<String>,
    /// The only channel of the recording to hear, from 1; all of them mixed where it is not given.
    pub channel: Option<usize>,
}

impl Options {
    /// What can change the text, besides recording, model and language.
    pub fn parameters(&self) -> serde_json::Value {
        json!({
            "recipe": RECIPE,
            "engine": format!("whisper.cpp {}", whisper_rs::WHISPER_CPP_VERSION),
            "decoding": "greedy",
            "window_seconds": windows::LONGEST / RATE,
            "vocabulary": self.vocabulary,
            "channel": self.channel,
        })
    }

    fn workers(&self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        }
    }
}

/// A recording's transcript, and what happened on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcribed {
    /// What was said.
    pub transcript: Transcript,
    /// What was dropped and mended.
    pub notes: Notes,
}

/// Transcribes one recording and writes `<transcripts>/<name>.json` and its companion.
/// `progress` is told shares of the work between 0 and 1, from any thread.
pub fn transcribe_file(
    engine: &Engine,
    recording: &Recording,
    transcripts: &Path,
    options: &Options,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Transcribed, TranscribeError> {
    let begun = Instant::now();
    let before = files::stamp(&recording.path)?;
    let media_sha256 = files::sha256_of(&recording.path)?;
    let sound = audio::decode(&recording.path, options.channel);
    // What is still being written looks cut off: that it grows is the reason to give.
    if files::stamp(&recording.path)? != before {
        return Err(TranscribeError::Growing { path: recording.path.clone() });
    }
    let done = transcribe(engine, recording, &sound?, &media_sha256, options, progress)?;
    let meta = Meta {
        size: before.0,
        modified_ns: before.1,
        media_sha256,
        tool: saved::tool(),
        seconds: (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        asked_language: options.language.clone(),
        notes: done.notes,
    };
    saved::save(transcripts, recording, &done.transcript, &meta)?;
    progress(1.0);
    Ok(done)
}

/// Transcribes sound that has been decoded.
pub fn transcribe(
    engine: &Engine,
    recording: &Recording,
    sound: &Sound,
    media_sha256: &str,
    options: &Options,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Transcribed, TranscribeError> {
    progress(0.02);
    let silence = || TranscribeError::NoSpeech { path: recording.path.clone(), seconds: sound.seconds() };
    let hearing = Hearing::of(&sound.samples);
    let windows = windows::pack(&hearing.spans(), &hearing);
    if windows.is_empty() {
        return Err(silence());
    }
    let language = language_of(engine, options, sound, &windows)?;
    progress(0.06);
    let model = engine.model(options.model.name_for(language.is_english()))?;
    if !model.is_multilingual() && !language.is_english() {
        return Err(TranscribeError::EnglishOnly { model: model.file.name.clone(), language: language.tag().into() });
    }
    let source = listen::Source {
        sound: &sound.samples,
        hearing: &hearing,
        language: &language,
        vocabulary: options.vocabulary.as_deref(),
        jobs: options.workers(),
    };
    let (segments, notes) = listen::listen(&model, &source, windows, &|share| progress(0.06 + 0.93 * share))?;
    if segments.is_empty() {
        return Err(silence());
    }
    let transcript = Transcript {
        schema_version: SCHEMA_VERSION,
        id: Id::from_stored(String::new()),
        seminar: SeminarId::of(&[media_sha256]),
        path: recording.name.clone(),
        media_sha256: media_sha256.into(),
        duration: Ms::from_seconds(sound.seconds()),
        language: language.tag().into(),
        model: ModelRef { name: model.file.name.clone(), sha256: model.file.sha256.clone() },
        parameters: options.parameters(),
        segments,
    };
    let notes = Notes { broken_packets: sound.broken_packets, unfinished: sound.unfinished, ..notes };
    Ok(Transcribed { transcript: transcript.sealed(), notes })
}

fn language_of(
    engine: &Engine,
    options: &Options,
    sound: &Sound,
    windows: &[Window],
) -> Result<Language, TranscribeError> {
    if let Some(tag) = &options.language {
        return Language::parse(tag);
    }
    let detector = engine.model(options.model.detector())?;
    let first = windows.iter().take(DETECTION_WINDOWS).map(|w| w.samples(&sound.samples));
    Language::parse(&detector.detect(first)?)
}
