//! One recording to its transcript: decode, find the speech, detect the language, recognise, save.

use std::{io::ErrorKind, ops::Range, path::Path, sync::Arc, time::Instant};

use serde_json::json;

use super::{
    audio::Audio,
    discover::Recording,
    error::TranscribeError,
    journal::Journal,
    language::{segmentation::LanguageRun, span::LanguageSpan, tag::Language},
    options::Options,
    output::{self, TranscriptMeta},
    quality::diagnostics::Diagnostics,
    recognition::{
        engine::Engine,
        fallback::DecodingContext,
        language_detection::LanguageDetector,
        recognize::{Recognizer, Section},
        whisper::{WhisperModel, WhisperSettings},
    },
    speech::{AnalyzedAudio, windows},
};
use crate::{
    context::SoundReport,
    data::{Id, ModelRef, Ms, Segment, SeminarId, Transcript, transcript::SCHEMA_VERSION},
    files,
};

/// Shares of the whole work, as experience has them: decoding, then language detection; the rest is
/// recognition.
const DECODED: f64 = 0.02;
const LANGUAGE_KNOWN: f64 = 0.06;
const RECOGNITION: f64 = 0.93;

/// A recording's transcript, with what was dropped and left doubtful.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcribed {
    /// The transcript.
    pub transcript: Transcript,
    /// What was dropped and left doubtful.
    pub diagnostics: Diagnostics,
    /// How much was listened to.
    pub sound: SoundReport,
}

/// Transcribes one recording and writes `<transcripts>/<name>.json` and its meta file; goes on
/// where a killed run stopped. `progress` gets shares of the work between 0 and 1.
pub fn transcribe_file(
    engine: &Engine,
    recording: &Recording,
    transcripts: &Path,
    options: &Options,
    progress: &dyn Fn(f64),
) -> Result<Transcribed, TranscribeError> {
    let started = Instant::now();
    let (size, modified_ns) = files::stamp(&recording.path)?;
    let media_sha256 = files::sha256_of(&recording.path)?;
    let audio = engine.decoder.decode(&recording.path, options.channel);
    // A file that is still being written looks cut off: that it grows is the reason to give, not
    // the error of its decoding.
    if files::stamp(&recording.path)? != (size, modified_ns) {
        return Err(TranscribeError::Growing {
            path: recording.path.clone(),
        });
    }
    let audio = audio?;
    progress(DECODED);
    let job = Job {
        engine,
        recording,
        transcripts,
        media_sha256: &media_sha256,
        options,
        progress,
    };
    let (transcribed, journal) = job.transcribe(audio)?;
    let meta = TranscriptMeta {
        size,
        modified_ns,
        media_sha256,
        tool: output::tool(),
        seconds: (started.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        asked_language: options.language.clone(),
        diagnostics: transcribed.diagnostics.clone(),
    };
    output::save(transcripts, recording, &transcribed.transcript, &meta)?;
    journal.remove()?;
    progress(1.0);
    Ok(transcribed)
}

/// The transcription of one recording.
struct Job<'a> {
    engine: &'a Engine,
    recording: &'a Recording,
    transcripts: &'a Path,
    media_sha256: &'a str,
    options: &'a Options,
    progress: &'a dyn Fn(f64),
}

impl Job<'_> {
    fn transcribe(&self, audio: Audio) -> Result<(Transcribed, Journal), TranscribeError> {
        let source = Arc::new(AnalyzedAudio::new(audio)?);
        let pieces = windows::window_pieces(&source.activity.spans(), &source.activity);
        if pieces.is_empty() {
            return Err(self.no_speech(&source));
        }
        let allowed = self.allowed_languages(&source, &pieces)?;
        (self.progress)(LANGUAGE_KNOWN);
        let model = self.model(&allowed)?;
        let mut journal = self.open_journal(&model, &allowed)?;
        let runs = self.language_runs(&model, &source, &allowed, pieces, &mut journal)?;
        let recognizer = Recognizer {
            pool: &self.engine.pool,
            model: Arc::clone(&model),
            source: Arc::clone(&source),
            word_times: self.options.words,
        };
        let speech =
            recognizer.recognize(&self.sections(&allowed, &runs), &mut journal, &|share| {
                (self.progress)(LANGUAGE_KNOWN + RECOGNITION * share);
            })?;
        if speech.segments.is_empty() {
            // The journal stays: with it, the next run knows this at once.
            return Err(self.no_speech(&source));
        }
        let language = &allowed[most_spoken(&runs, allowed.len())];
        let transcribed = Transcribed {
            transcript: self.transcript(&source, &model, language, speech.segments),
            diagnostics: Diagnostics {
                languages: language_spans(&runs, &allowed),
                broken_packets: source.audio.broken_packets,
                unfinished: source.audio.unfinished,
                ..speech.diagnostics
            },
            sound: SoundReport {
                seconds: source.audio.seconds(),
                windows: speech.windows as u64,
                recognised: speech.recognised as u64,
            },
        };
        Ok((transcribed, journal))
    }

    fn no_speech(&self, source: &AnalyzedAudio) -> TranscribeError {
        TranscribeError::NoSpeech {
            path: self.recording.path.clone(),
            seconds: source.audio.seconds(),
        }
    }

    /// The languages that were asked for, or the one of the first windows.
    fn allowed_languages(
        &self,
        source: &Arc<AnalyzedAudio>,
        pieces: &[Range<usize>],
    ) -> Result<Vec<Language>, TranscribeError> {
        if let Some(tags) = &self.options.language {
            return Language::parse_all(tags);
        }
        let model = self.engine.model(self.options.model.detector())?;
        if !model.is_multilingual() {
            return Language::parse_all("en");
        }
        let language = self.detector(&model, source).detect(pieces)?;
        Ok(vec![language])
    }

    fn detector(
        &self,
        model: &Arc<WhisperModel>,
        source: &Arc<AnalyzedAudio>,
    ) -> LanguageDetector<'_> {
        LanguageDetector {
            pool: &self.engine.pool,
            model: Arc::clone(model),
            source: Arc::clone(source),
        }
    }

    /// The model that recognises these languages.
    fn model(&self, allowed: &[Language]) -> Result<Arc<WhisperModel>, TranscribeError> {
        let english = allowed.iter().all(Language::is_english);
        let model = self.engine.model(self.options.model.name_for(english))?;
        if model.is_multilingual() {
            return Ok(model);
        }
        match allowed.iter().find(|language| !language.is_english()) {
            None => Ok(model),
            Some(other) => Err(TranscribeError::EnglishOnly {
                model: model.file.name.clone(),
                language: other.tag().into(),
            }),
        }
    }

    /// The journal of the same recording with the same model and parameters.
    fn open_journal(
        &self,
        model: &WhisperModel,
        allowed: &[Language],
    ) -> Result<Journal, TranscribeError> {
        // All that can change a result: a journal with another subject is not continued.
        let subject = json!({
            "media": self.media_sha256,
            "model": model.file.sha256,
            "languages": allowed.iter().map(Language::tag).collect::<Vec<_>>(),
            "parameters": self.options.parameters(),
        });
        output::adopt_old_journal(self.transcripts, self.recording);
        let path = output::journal_path(self.transcripts, self.recording);
        Journal::open(&path, &subject).map_err(|error| match error.kind() {
            // The journal's lock is the recording's lock: shards share no database.
            ErrorKind::WouldBlock => TranscribeError::Busy {
                path: self.recording.path.clone(),
            },
            _ => error.into(),
        })
    }

    /// The pieces by language.
    fn language_runs(
        &self,
        model: &Arc<WhisperModel>,
        source: &Arc<AnalyzedAudio>,
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
        self.detector(model, source)
            .segment(allowed, pieces, journal)
    }

    /// The windows of each run, which never span a change of language.
    fn sections(&self, allowed: &[Language], runs: &[LanguageRun]) -> Vec<Section> {
        let contexts: Vec<Arc<DecodingContext>> = allowed
            .iter()
            .map(|language| {
                Arc::new(DecodingContext {
                    settings: WhisperSettings::new(language, self.options.vocabulary.as_deref()),
                    language: language.clone(),
                })
            })
            .collect();
        runs.iter()
            .map(|run| Section {
                context: Arc::clone(&contexts[run.language]),
                windows: windows::pack(&run.pieces),
            })
            .collect()
    }

    fn transcript(
        &self,
        source: &AnalyzedAudio,
        model: &WhisperModel,
        language: &Language,
        segments: Vec<Segment>,
    ) -> Transcript {
        let unsealed = Transcript {
            schema_version: SCHEMA_VERSION,
            id: Id::from_stored(String::new()),
            seminar: SeminarId::from_parts(&[self.media_sha256]),
            path: self.recording.name.clone(),
            media_sha256: self.media_sha256.into(),
            duration: Ms::from_seconds(source.audio.seconds()),
            language: language.tag().into(),
            model: ModelRef {
                name: model.file.name.clone(),
                sha256: model.file.sha256.clone(),
            },
            parameters: self.options.parameters(),
            segments,
        };
        unsealed.sealed()
    }
}

/// When each language is spoken; empty where only one is allowed.
fn language_spans(runs: &[LanguageRun], allowed: &[Language]) -> Vec<LanguageSpan> {
    if allowed.len() == 1 {
        return Vec::new();
    }
    runs.iter()
        .filter_map(|run| run.span(&allowed[run.language]))
        .collect()
}

/// The index of the language of most of the speech; the first of equals.
fn most_spoken(runs: &[LanguageRun], languages: usize) -> usize {
    let mut lengths = vec![0; languages];
    for run in runs {
        lengths[run.language] += run.length();
    }
    // `max_by_key` takes the last of equals: reversed, that is the first.
    (0..languages)
        .rev()
        .max_by_key(|&language| lengths[language])
        .unwrap_or(0)
}
