//! Recording → Transcript. A file is decoded, the stretches of speech are packed into windows,
//! Whisper hears them on every core, doubtful ones in several ways, and what it made up is dropped.

mod batch;
mod discover;
mod error;
mod fallback;
pub mod formats;
mod hallucination;
mod journal;
mod language;
mod language_segmentation;
mod media;
mod mel;
mod output;
mod pool;
mod quality;
mod recognize;
mod sentences;
mod shard;
mod sound;
mod token_logprobs;
mod vad;
mod whisper;
mod whisper_callbacks;
mod windows;
mod words;

use std::{io::ErrorKind, ops::Range, path::Path, sync::Arc, time::Instant};

use serde_json::json;

use crate::{
    data::{Id, ModelRef, Ms, SeminarId, Transcript, transcript::SCHEMA_VERSION},
    files,
    transcribe::{
        fallback::{DecodingContext, Source},
        language_segmentation::LanguageRun,
        recognize::Part,
    },
};

pub use batch::in_order;
pub use discover::{Discovered, EXTENSIONS, Recording, discover};
pub use error::TranscribeError;
pub use hallucination::Diagnostics;
use language::Ballot;
pub use language::Language;
pub use language_segmentation::LanguageSpan;
pub use media::{Decoder, Fault, serve as serve_decoding, serve_length};
pub use output::{
    Meta, Standing, check_writable, content, journal_path, load, meta_path, standing,
    transcript_path,
};
pub use quality::{DoubtfulSpan, QualityIssue};
pub use shard::Shard;
pub use sound::{RATE, Sound};
pub use vad::{Span, SpeechActivity};
pub use whisper::{Engine, ON_A_CARD, Resolver};
pub use windows::Window;

use journal::Journal;

use pool::Turn;

use whisper::{Model, Settings};

/// Raised with each change that can change the text of a transcript.
const RECIPE: u32 = 7;
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
        if text == "auto" {
            Self::Auto
        } else {
            Self::Named(text.into())
        }
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
    /// The language as a tag such as `zh-Hant`, or several with commas, each piece of the talk in
    /// one of them; heard from the first minutes where it is not given.
    pub language: Option<String>,
    /// Names and terms that the recogniser should expect.
    pub vocabulary: Option<String>,
    /// The only channel of the recording to hear, from 1; all of them mixed where it is not given.
    pub channel: Option<usize>,
    /// Whether the times of single words are wanted.
    pub words: bool,
}

impl Options {
    /// What can change the text, besides recording, model and language.
    pub fn parameters(&self) -> serde_json::Value {
        json!({
            "recipe": RECIPE,
            "engine": format!("whisper.cpp {}", whisper_rs::WHISPER_CPP_VERSION),
            "decoding": "greedy, beam 5, halves, 0.2",
            "window_seconds": windows::LONGEST / RATE,
            "vocabulary": self.vocabulary,
            "channel": self.channel,
        })
    }
}

/// A recording's transcript, and what happened on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcribed {
    /// What was said.
    pub transcript: Transcript,
    /// What was dropped and mended.
    pub notes: Diagnostics,
}

/// Transcribes one recording and writes `<transcripts>/<name>.json` and its companion; goes on
/// where a killed run left off. `progress` is told shares of the work between 0 and 1.
pub fn transcribe_file(
    engine: &Engine,
    recording: &Recording,
    transcripts: &Path,
    options: &Options,
    progress: &dyn Fn(f64),
) -> Result<Transcribed, TranscribeError> {
    let begun = Instant::now();
    let before = files::stamp(&recording.path)?;
    let media_sha256 = files::sha256_of(&recording.path)?;
    let sound = engine.decoder.decode(&recording.path, options.channel);
    // What is still being written looks cut off: that it grows is the reason to give.
    if files::stamp(&recording.path)? != before {
        return Err(TranscribeError::Growing {
            path: recording.path.clone(),
        });
    }
    progress(0.02);
    let job = Job {
        engine,
        recording,
        media_sha256: &media_sha256,
        options,
        progress,
    };
    let (done, journal) = job.transcribe(sound?, transcripts)?;
    let meta = Meta {
        size: before.0,
        modified_ns: before.1,
        media_sha256,
        tool: output::tool(),
        seconds: (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        asked_language: options.language.clone(),
        notes: done.notes.clone(),
    };
    output::save(transcripts, recording, &done.transcript, &meta)?;
    journal.remove()?;
    progress(1.0);
    Ok(done)
}

/// One recording on its way.
struct Job<'a> {
    engine: &'a Engine,
    recording: &'a Recording,
    media_sha256: &'a str,
    options: &'a Options,
    progress: &'a dyn Fn(f64),
}

impl Job<'_> {
    fn transcribe(
        &self,
        sound: Sound,
        transcripts: &Path,
    ) -> Result<(Transcribed, Journal), TranscribeError> {
        let hearing = SpeechActivity::of(&sound)?;
        let source = Arc::new(Source { sound, hearing });
        let pieces = windows::pieces(&source.hearing.spans(), &source.hearing);
        let silence = || TranscribeError::NoSpeech {
            path: self.recording.path.clone(),
            seconds: source.sound.seconds(),
        };
        if pieces.is_empty() {
            return Err(silence());
        }
        let allowed = self.languages(&source, &pieces)?;
        (self.progress)(0.06);
        let model = self.engine.model(
            self.options
                .model
                .name_for(allowed.iter().all(Language::is_english)),
        )?;
        if let Some(other) = allowed
            .iter()
            .find(|language| !model.is_multilingual() && !language.is_english())
        {
            return Err(TranscribeError::EnglishOnly {
                model: model.file.name.clone(),
                language: other.tag().into(),
            });
        }
        let mut journal = self.journal(transcripts, &model, &allowed)?;
        let runs = self.runs(&model, &source, &allowed, pieces, &mut journal)?;
        let parts = self.parts(&allowed, &runs);
        let pool = &self.engine.pool;
        let (segments, notes) = recognize::recognize(
            pool,
            &model,
            &source,
            &parts,
            self.options.words,
            &mut journal,
            &|share| {
                (self.progress)(0.06 + 0.93 * share);
            },
        )?;
        if segments.is_empty() {
            // The journal stays: with it, the next run knows at once.
            return Err(silence());
        }
        let transcript = Transcript {
            schema_version: SCHEMA_VERSION,
            id: Id::from_stored(String::new()),
            seminar: SeminarId::of(&[self.media_sha256]),
            path: self.recording.name.clone(),
            media_sha256: self.media_sha256.into(),
            duration: Ms::from_seconds(source.sound.seconds()),
            language: allowed[most_spoken(&runs, allowed.len())].tag().into(),
            model: ModelRef {
                name: model.file.name.clone(),
                sha256: model.file.sha256.clone(),
            },
            parameters: self.options.parameters(),
            segments,
        };
        let (broken_packets, unfinished) = (source.sound.broken_packets, source.sound.unfinished);
        let languages = match allowed.len() {
            1 => Vec::new(),
            _ => runs
                .iter()
                .filter_map(|run| run.spoken(&allowed[run.language]))
                .collect(),
        };
        let notes = Diagnostics {
            languages,
            broken_packets,
            unfinished,
            ..notes
        };
        Ok((
            Transcribed {
                transcript: transcript.sealed(),
                notes,
            },
            journal,
        ))
    }

    /// What was heard so far of the same recording, with the same model and parameters.
    fn journal(
        &self,
        transcripts: &Path,
        model: &Model,
        allowed: &[Language],
    ) -> Result<Journal, TranscribeError> {
        let what = json!({
            "media": self.media_sha256,
            "model": model.file.sha256,
            "languages": allowed.iter().map(Language::tag).collect::<Vec<_>>(),
            "parameters": self.options.parameters(),
        });
        output::adopt_old_journal(transcripts, self.recording);
        let path = output::journal_path(transcripts, self.recording);
        Journal::open(&path, &what).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => TranscribeError::Busy {
                path: self.recording.path.clone(),
            },
            _ => error.into(),
        })
    }

    /// The languages that were asked for, or the one that is heard in the first windows.
    fn languages(
        &self,
        source: &Arc<Source>,
        pieces: &[Range<usize>],
    ) -> Result<Vec<Language>, TranscribeError> {
        if let Some(tags) = &self.options.language {
            return Language::parse_all(tags);
        }
        let detector = self.engine.model(self.options.model.detector())?;
        if !detector.is_multilingual() {
            return Language::parse_all("en");
        }
        let mut ballot = Ballot::default();
        for window in windows::pack(pieces).into_iter().take(Ballot::MOST) {
            let (detector, source) = (Arc::clone(&detector), Arc::clone(source));
            let work = move |ears: &mut pool::WorkerState, window: &Window| {
                ears.of(&detector)
                    .languages(&window.samples(&source.sound)?)
            };
            self.engine
                .pool
                .each(Turn::Next, vec![window], work, |_, language_probs| {
                    ballot.add(&language_probs);
                    Ok(())
                })?;
            if ballot.is_sure() {
                break;
            }
        }
        Language::parse_all(ballot.winner())
    }

    /// The pieces by language.
    fn runs(
        &self,
        model: &Arc<Model>,
        source: &Arc<Source>,
        allowed: &[Language],
        pieces: Vec<Range<usize>>,
        journal: &mut Journal,
    ) -> Result<Vec<LanguageRun>, TranscribeError> {
        if allowed.len() == 1 {
            return Ok(vec![LanguageRun {
                language: 0,
                pieces,
            }]);
        }
        language_segmentation::runs(&self.engine.pool, model, source, allowed, pieces, journal)
    }

    fn parts(&self, allowed: &[Language], runs: &[LanguageRun]) -> Vec<Part> {
        let brief = |language: &Language| {
            let settings = Settings::new(language, self.options.vocabulary.as_deref());
            Arc::new(DecodingContext {
                language: language.clone(),
                settings,
            })
        };
        let briefs: Vec<Arc<DecodingContext>> = allowed.iter().map(brief).collect();
        let part = |run: &LanguageRun| Part {
            brief: Arc::clone(&briefs[run.language]),
            windows: windows::pack(&run.pieces),
        };
        runs.iter().map(part).collect()
    }
}

/// The language of most of the speech; the first of equals.
fn most_spoken(runs: &[LanguageRun], languages: usize) -> usize {
    let spoken = |language: usize| -> usize {
        runs.iter()
            .filter(|run| run.language == language)
            .map(LanguageRun::length)
            .sum()
    };
    (0..languages)
        .rev()
        .max_by_key(|&language| spoken(language))
        .unwrap_or(0)
}
