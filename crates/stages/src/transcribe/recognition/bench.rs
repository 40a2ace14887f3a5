//! How fast an engine recognises a sample: its windows go to the workers again and again, as those
//! of many recordings would.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    engine::Engine,
    fallback::{DecodingContext, decode_with_fallback},
    pool::Priority,
    whisper::{Decoding, WhisperModel, WhisperSettings},
    worker::WorkerState,
};
use crate::transcribe::{
    audio::SAMPLE_RATE,
    error::TranscribeError,
    language::tag::Language,
    speech::{
        AnalyzedAudio,
        windows::{self, Window},
    },
};

/// Most windows for each worker.
const MOST_EACH: usize = 24;

/// A sample that is read and cut into windows once.
pub struct Sample {
    source: Arc<AnalyzedAudio>,
    windows: Vec<Window>,
    language: &'static str,
}

impl Sample {
    /// Reads an English recording.
    pub fn english(engine: &Engine, recording: &Path) -> Result<Self, TranscribeError> {
        let source = AnalyzedAudio::new(engine.decoder.decode(recording, None)?)?;
        let pieces = windows::window_pieces(&source.activity.spans(), &source.activity);
        Ok(Self {
            windows: windows::pack(&pieces),
            source: Arc::new(source),
            language: "en",
        })
    }

    /// Seconds of sound that `engine` recognises in a second, measured for about so long.
    pub fn speed(
        &self,
        engine: &Engine,
        model: &str,
        about: Duration,
    ) -> Result<f64, TranscribeError> {
        let model = engine.model(model)?;
        let workers = engine.pool.size();
        // States are created, and on a card kernels are compiled. The first window on a card tells
        // how many workers its memory has room for, so that the others begin with the second.
        self.recognize(engine, &model, 1)?;
        let begun = Instant::now();
        let sound = self.recognize(engine, &model, workers)?;
        let took = begun.elapsed().as_secs_f64().max(1e-9);
        let rounds = (about.as_secs_f64() / took) as usize;
        // Of a slow model one round tells enough.
        if rounds == 0 {
            return Ok(sound / took);
        }
        let begun = Instant::now();
        let sound = self.recognize(engine, &model, workers * rounds.min(MOST_EACH))?;
        Ok(sound / begun.elapsed().as_secs_f64().max(1e-9))
    }

    /// How long the first window takes in the first way alone, whatever its text: what a model costs
    /// at least.
    pub fn first_window(&self, engine: &Engine, model: &str) -> Result<Duration, TranscribeError> {
        let model = engine.model(model)?;
        let settings = WhisperSettings::new(&Language::parse(self.language)?, None);
        let source = Arc::clone(&self.source);
        let windows = self.windows.iter().take(1).cloned().collect();
        let mut took = Duration::ZERO;
        engine.pool.for_each(
            Priority::Low,
            windows,
            move |worker: &mut WorkerState, window: &Window| {
                let samples = window.samples(&source.audio)?;
                let state = worker.for_model(&model)?;
                let begun = Instant::now();
                state.decode(&samples, &settings, Decoding::Greedy)?;
                Ok(begun.elapsed())
            },
            |_, elapsed| {
                took = elapsed;
                Ok(())
            },
        )?;
        Ok(took)
    }

    /// Seconds of the first window.
    pub fn first_seconds(&self) -> f64 {
        let samples = self.windows.first().map_or(0, Window::length);
        samples as f64 / SAMPLE_RATE as f64
    }

    /// Has so many windows recognised, and returns their seconds.
    fn recognize(
        &self,
        engine: &Engine,
        model: &Arc<WhisperModel>,
        count: usize,
    ) -> Result<f64, TranscribeError> {
        let language = Language::parse(self.language)?;
        let context = DecodingContext {
            settings: WhisperSettings::new(&language, None),
            language,
        };
        let windows: Vec<Window> = self.windows.iter().cycle().take(count).cloned().collect();
        let samples: usize = windows.iter().map(Window::length).sum();
        let (model, source) = (Arc::clone(model), Arc::clone(&self.source));
        engine.pool.for_each(
            Priority::Low,
            windows,
            move |worker: &mut WorkerState, window: &Window| {
                decode_with_fallback(worker.for_model(&model)?, &source, &context, window)
            },
            |_, _| Ok(()),
        )?;
        Ok(samples as f64 / SAMPLE_RATE as f64)
    }
}
