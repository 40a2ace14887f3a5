//! Speech recognition by whisper.cpp: one copy of the weights, one state and one thread for each worker.
//! Hides whisper-rs: setters that leak, callbacks that are unsound and logs that go to the terminal.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState};

use super::{error::TranscribeError, language::Language};
use crate::models::ModelFile;

/// Mean probability of a language at which no further window is heard to tell it.
const SURE: f64 = 0.8;

/// Turns a model's name (or a path) into its file.
pub type Resolver = Box<dyn Fn(&str) -> anyhow::Result<ModelFile> + Send + Sync>;

/// Loads models when they are first needed and keeps them for the next files.
pub struct Engine {
    resolve: Resolver,
    loaded: Mutex<BTreeMap<String, Arc<Model>>>,
}

/// Loaded weights.
pub struct Model {
    /// Where they came from.
    pub file: ModelFile,
    context: WhisperContext,
}

/// What was heard in one window, in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Seconds from the window's start.
    pub start: f64,
    /// Seconds from the window's start.
    pub end: f64,
    /// The words.
    pub text: String,
    /// Mean probability of the text's tokens.
    pub confidence: f64,
    /// The model's own estimate that nobody speaks.
    pub no_speech: f64,
}

impl Engine {
    /// An engine that asks `resolve` for its models.
    pub fn new(resolve: Resolver) -> Self {
        whisper_rs::install_logging_hooks();
        Self { resolve, loaded: Mutex::default() }
    }

    /// The model called `name`, loaded.
    pub fn model(&self, name: &str) -> Result<Arc<Model>, TranscribeError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(name) {
            return Ok(Arc::clone(model));
        }
        let failed = |reason| TranscribeError::Model { model: name.into(), reason };
        let file = (self.resolve)(name).map_err(failed)?;
        let model = Arc::new(Model::load(file).map_err(failed)?);
        loaded.insert(name.into(), Arc::clone(&model));
        Ok(model)
    }
}

impl Model {
    fn load(file: ModelFile) -> anyhow::Result<Self> {
        check_magic(&file)?;
        let context = WhisperContext::new_with_params(&file.path, WhisperContextParameters::default())
            .map_err(|e| anyhow::anyhow!("cannot be loaded ({e}): `{}`", file.path.display()))?;
        Ok(Self { file, context })
    }

    /// Whether the model knows more than English.
    pub fn is_multilingual(&self) -> bool {
        self.context.is_multilingual()
    }

    /// The most likely language of `windows`: heard one after the other until there is little doubt. English for a
    /// model that knows no other.
    pub fn detect(&self, windows: impl Iterator<Item = Vec<f32>>) -> Result<String, TranscribeError> {
        if !self.is_multilingual() {
            return Ok("en".into());
        }
        let mut state = self.context.create_state().map_err(failed)?;
        let mut totals: Vec<f64> = Vec::new();
        let mut best = 0;
        for (heard, window) in windows.enumerate() {
            state.pcm_to_mel(&window, 1).map_err(failed)?;
            let (_, odds) = state.lang_detect(0, 1).map_err(failed)?;
            totals.resize(odds.len(), 0.0);
            for (total, odd) in totals.iter_mut().zip(odds) {
                *total += f64::from(odd);
            }
            best = (0..totals.len()).rev().max_by(|&a, &b| totals[a].total_cmp(&totals[b])).unwrap_or(0);
            if totals[best] > SURE * (heard + 1) as f64 {
                break;
            }
        }
        Ok(whisper_rs::get_lang_str(best as i32).unwrap_or("en").to_owned())
    }

    /// Runs `jobs` workers, each with a state of its own, over `items` of work. Results are in the order of `items`,
    /// and the same whatever the number of workers, because every item is decoded from a clean slate.
    pub fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        jobs: usize,
        language: &Language,
        vocabulary: Option<&str>,
        work: impl Fn(&mut Ear, &T) -> Result<R, TranscribeError> + Sync,
    ) -> Result<Vec<R>, TranscribeError> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, Result<R, TranscribeError>)>> = Mutex::default();
        let worker = || -> Result<(), TranscribeError> {
            let mut ear = Ear::new(self, language, vocabulary)?;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(at) else { break };
                let result = work(&mut ear, item);
                results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.clamp(1, items.len().max(1))).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().map(joined).collect::<Result<Vec<()>, _>>()
        })?;
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

fn joined(handle: std::thread::ScopedJoinHandle<'_, Result<(), TranscribeError>>) -> Result<(), TranscribeError> {
    handle.join().unwrap_or_else(|_| Err(TranscribeError::Recognition { what: "a worker stopped".into() }))
}

/// One worker's state and settings.
pub struct Ear {
    state: WhisperState,
    settings: FullParams<'static, 'static>,
    end_of_text: i32,
}

impl Ear {
    fn new(model: &Model, language: &Language, vocabulary: Option<&str>) -> Result<Self, TranscribeError> {
        let state = model.context.create_state().map_err(failed)?;
        // Strings handed to the settings are never freed by whisper-rs: one set for each worker, not for each window.
        let mut settings = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        settings.set_n_threads(1);
        settings.set_no_context(true);
        settings.set_temperature(0.0);
        settings.set_temperature_inc(0.0);
        settings.set_suppress_blank(true);
        settings.set_suppress_nst(true);
        settings.set_print_progress(false);
        settings.set_print_realtime(false);
        settings.set_print_special(false);
        settings.set_print_timestamps(false);
        settings.set_language(Some(language.whisper_code()));
        if let Some(prompt) = language.prompt(vocabulary) {
            settings.set_initial_prompt(&prompt);
        }
        Ok(Self { state, settings, end_of_text: model.context.token_eot() })
    }

    /// What is said in `samples`.
    pub fn hear(&mut self, samples: &[f32]) -> Result<Vec<Heard>, TranscribeError> {
        self.state.full(self.settings.clone(), samples).map_err(failed)?;
        let mut heard = Vec::new();
        for segment in self.state.as_iter() {
            let bytes = segment.to_bytes().map_err(failed)?;
            let mut probability = (0.0, 0usize);
            for i in 0..segment.n_tokens() {
                if let Some(token) = segment.get_token(i).filter(|t| t.token_id() < self.end_of_text) {
                    probability = (probability.0 + f64::from(token.token_probability()), probability.1 + 1);
                }
            }
            heard.push(Heard {
                start: segment.start_timestamp() as f64 / 100.0,
                end: segment.end_timestamp() as f64 / 100.0,
                text: String::from_utf8_lossy(bytes).into_owned(),
                confidence: probability.0 / probability.1.max(1) as f64,
                no_speech: f64::from(segment.no_speech_probability()),
            });
        }
        Ok(heard)
    }
}

/// whisper.cpp answers a file of another kind with a crash: look before loading.
fn check_magic(file: &ModelFile) -> anyhow::Result<()> {
    use std::io::Read;
    let mut magic = [0u8; 4];
    let mut weights = fs_err::File::open(&file.path)?;
    let got = weights.read(&mut magic)?;
    anyhow::ensure!(got == 4 && magic == *b"lmgg", "not a model in whisper.cpp's ggml form: `{}`", file.path.display());
    Ok(())
}

fn failed(error: whisper_rs::WhisperError) -> TranscribeError {
    TranscribeError::Recognition { what: error.to_string() }
}
