//! Speech recognition by whisper.cpp: one copy of the weights, one state and one thread for each
//! worker. Hides whisper-rs: setters that leak, callbacks that are unsound and logs that go to the
//! terminal.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState,
    WhisperToken,
};

use super::{
    error::TranscribeError, language::Language, media::Decoder, mel::Mel, pool::Pool, sound::RATE,
    words,
};
use crate::{
    models::ModelFile,
    transcribe::whisper_callbacks::{Passes, Silences},
};

/// Positions that the encoder works on, of 50 a second. Whisper has 1500; a multiple of 32 keeps
/// its products on the fast kernels, with AVX-512 too, which spares a sixth of all time, and still
/// holds every window.
const CONTEXT: usize = 1472;
/// Positions beyond the sound that the first attempt gives the encoder: this share of what the
/// sound leaves of all, and so many at least. It spares a tenth of the time, and half of it where
/// windows are short. With fewer the model makes words up behind the last one of short clips: with
/// a fifth and with a tenth it did, with three tenths no more than with all.
const BEYOND: (f64, usize) = (0.3, 64);
/// Sequences that a beam search follows.
const BEAM: i32 = 5;
/// Temperature of the last attempt, and the number of sequences that it draws. The first
/// temperature of Whisper's own fallback above 0.
const WARM: (f32, i32) = (0.2, 5);

/// Whether this program was built to hear on a graphics card. There flash attention is faster; on a
/// CPU it is slower.
pub const ON_A_CARD: bool = cfg!(any(
    feature = "cuda",
    feature = "hipblas",
    feature = "metal",
    feature = "vulkan"
));

/// Turns a model's name (or a path) into its file.
pub type Resolver = Box<dyn Fn(&str) -> anyhow::Result<ModelFile> + Send + Sync>;

/// Loads models when they are first needed and keeps them, and the workers that hear with them, for
/// all recordings.
pub struct Engine {
    resolve: Resolver,
    loaded: Mutex<BTreeMap<String, Arc<Model>>>,
    /// Who decodes recordings.
    pub decoder: Decoder,
    /// Who hears windows.
    pub pool: Pool,
}

/// Loaded weights.
pub struct Model {
    /// Where they came from.
    pub file: ModelFile,
    context: WhisperContext,
    mel: Mel,
}

/// How a window is heard; each way is dearer than the one before, and each gives the same for the
/// same window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    /// The likeliest token each time.
    Greedy,
    /// The likeliest of several sequences.
    Beam,
    /// Drawn with a little chance, which leads out of loops.
    Warm,
}

/// What whisper.cpp is told, built once for a recording and language: the strings in it are never
/// freed by whisper-rs.
pub struct Settings {
    greedy: FullParams<'static, 'static>,
    beam: FullParams<'static, 'static>,
    warm: FullParams<'static, 'static>,
}

/// Some words of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// Seconds from the window's start.
    pub start: f64,
    /// Seconds from the window's start.
    pub end: f64,
    /// The words.
    pub text: String,
    /// When each token begins, in seconds from the window's start, by its byte in the text.
    pub marks: Vec<(usize, f64)>,
    /// The log-probability of each token, by its byte in the text.
    pub logprobs: Vec<(usize, f64)>,
    /// The model's own estimate that nobody speaks.
    pub no_speech: f64,
}

impl Phrase {
    /// The phrase with these bytes of its text alone.
    pub fn only(&self, bytes: &[Range<usize>]) -> Self {
        let mut only = Self {
            text: String::new(),
            marks: Vec::new(),
            logprobs: Vec::new(),
            ..self.clone()
        };
        for part in bytes {
            let to = only.text.len();
            let moved = |list: &[(usize, f64)]| -> Vec<(usize, f64)> {
                list.iter()
                    .filter(|(byte, _)| part.contains(byte))
                    .map(|(byte, x)| (byte - part.start + to, *x))
                    .collect()
            };
            only.marks.extend(moved(&self.marks));
            only.logprobs.extend(moved(&self.logprobs));
            only.text.push_str(&self.text[part.clone()]);
        }
        only
    }

    /// Mean probability of the tokens, to three decimals: what is written down and read again is
    /// the same.
    pub fn confidence(&self) -> f64 {
        let sum: f64 = self
            .logprobs
            .iter()
            .map(|(_, logprobs)| logprobs.exp())
            .sum();
        (sum / self.logprobs.len().max(1) as f64 * 1000.0).round() / 1000.0
    }

    /// Mean log-probability of the tokens; 0 without any.
    pub fn logprob(&self) -> f64 {
        logprob(&self.logprobs)
    }
}

/// Mean log-probability of `tokens`, each with its byte in a text; 0 without any.
pub fn logprob<'a>(tokens: impl IntoIterator<Item = &'a (usize, f64)>) -> f64 {
    let (sum, many) = tokens
        .into_iter()
        .fold((0.0, 0usize), |(sum, many), (_, logprobs)| {
            (sum + logprobs, many + 1)
        });
    sum / many.max(1) as f64
}

impl Engine {
    /// An engine that asks `resolve` for its models, and hears with so many workers.
    pub fn new(resolve: Resolver, decoder: Decoder, workers: usize) -> Self {
        whisper_rs::install_logging_hooks();
        Self {
            resolve,
            loaded: Mutex::default(),
            decoder,
            pool: Pool::new(workers),
        }
    }

    /// The model called `name`, loaded.
    pub fn model(&self, name: &str) -> Result<Arc<Model>, TranscribeError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = loaded.get(name) {
            return Ok(Arc::clone(model));
        }
        let failed = |reason| TranscribeError::Model {
            model: name.into(),
            reason,
        };
        let file = (self.resolve)(name).map_err(failed)?;
        let model = Arc::new(Model::load(file).map_err(failed)?);
        loaded.insert(name.into(), Arc::clone(&model));
        Ok(model)
    }
}

impl Model {
    fn load(file: ModelFile) -> anyhow::Result<Self> {
        check_magic(&file)?;
        let mut parameters = WhisperContextParameters::default();
        parameters.flash_attn(ON_A_CARD);
        let context = WhisperContext::new_with_params(&file.path, parameters)
            .map_err(|e| anyhow::anyhow!("cannot be loaded ({e}): `{}`", file.path.display()))?;
        let bands = context.model_n_mels().unsigned_abs() as usize;
        anyhow::ensure!(
            matches!(bands, 80 | 128),
            "no model of Whisper's: it takes {bands} bands of sound"
        );
        let mel = Mel::new(bands);
        Ok(Self { file, context, mel })
    }

    /// Whether the model knows more than English.
    pub fn is_multilingual(&self) -> bool {
        self.context.is_multilingual()
    }
}

impl Settings {
    /// For one language, with words to expect.
    pub fn new(language: &Language, vocabulary: Option<&str>) -> Self {
        let prompt = language.prompt(vocabulary);
        let of = |strategy, temperature| {
            let mut settings = FullParams::new(strategy);
            settings.set_n_threads(1);
            settings.set_no_context(true);
            settings.set_temperature(temperature);
            // whisper.cpp's own fallback draws from a state that remembers how many windows it has
            // served.
            settings.set_temperature_inc(0.0);
            // Nothing goes silently, and not by the silence of an earlier window: the guard judges
            // each phrase.
            settings.set_no_speech_thold(1.0);
            settings.set_audio_ctx(CONTEXT as i32);
            settings.set_suppress_blank(true);
            settings.set_suppress_nst(true);
            settings.set_print_progress(false);
            settings.set_print_realtime(false);
            settings.set_print_special(false);
            settings.set_print_timestamps(false);
            settings.set_language(Some(language.whisper_code()));
            if let Some(prompt) = &prompt {
                settings.set_initial_prompt(prompt);
            }
            settings
        };
        Self {
            greedy: of(SamplingStrategy::Greedy { best_of: 1 }, 0.0),
            beam: of(
                SamplingStrategy::BeamSearch {
                    beam_size: BEAM,
                    patience: -1.0,
                },
                0.0,
            ),
            warm: of(SamplingStrategy::Greedy { best_of: WARM.1 }, WARM.0),
        }
    }
}

/// One worker's state for one model.
pub struct Ear {
    model: Arc<Model>,
    state: Option<WhisperState>,
}

impl Ear {
    /// One that has heard nothing.
    pub fn new(model: &Arc<Model>) -> Self {
        Self {
            model: Arc::clone(model),
            state: None,
        }
    }

    /// What is said in `samples`, in the order of time.
    pub fn hear(
        &mut self,
        samples: &[f32],
        settings: &Settings,
        rung: Decoding,
    ) -> Result<Vec<Phrase>, TranscribeError> {
        let mut chosen = match rung {
            Decoding::Greedy => settings.greedy.clone(),
            Decoding::Beam => settings.beam.clone(),
            Decoding::Warm => settings.warm.clone(),
        };
        if rung == Decoding::Greedy {
            chosen.set_audio_ctx(context_for(samples, true));
        } else {
            // Chance starts from the same seed each time. Two states at once would be twice the
            // memory.
            self.state = None;
        }
        let heard = self.run(samples, chosen);
        if rung != Decoding::Greedy {
            // Room for several sequences is room that one does not need.
            self.state = None;
        }
        heard
    }

    /// Has whisper.cpp make `passes` over a window, and says what it has then.
    fn full(
        &mut self,
        passes: Passes<'_>,
        settings: FullParams<'static, 'static>,
    ) -> Result<(&mut WhisperState, Silences), TranscribeError> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.model.context.create_state().map_err(failed)?,
        };
        match passes.run(settings, &mut state) {
            Ok(silences) => Ok((self.state.insert(state), silences)),
            Err(error) => {
                // Where there was no memory whisper.cpp has freed it, and does not say so: better
                // lost than freed twice.
                std::mem::forget(state);
                Err(failed(error))
            }
        }
    }

    fn run(
        &mut self,
        samples: &[f32],
        settings: FullParams<'static, 'static>,
    ) -> Result<Vec<Phrase>, TranscribeError> {
        let length = samples.len() as f64 / RATE as f64;
        let sound = self.model.mel.of(samples);
        let (end_of_text, stamps) = (
            self.model.context.token_eot(),
            self.model.context.token_beg(),
        );
        let (state, silences) = self.full(Passes::over(&sound, length), settings)?;
        let mut heard = Vec::new();
        for (place, segment) in state.as_iter().enumerate() {
            let all: Vec<_> = (0..segment.n_tokens())
                .filter_map(|i| segment.get_token(i))
                .collect();
            let seconds = |id: i32| f64::from(id - stamps) / 50.0;
            let (start, end) = (
                segment.start_timestamp() as f64 / 100.0,
                segment.end_timestamp() as f64 / 100.0,
            );
            // Hints count from the start of the pass over the window, which the stamp at the end of
            // a segment tells.
            let last = all
                .last()
                .map(WhisperToken::token_id)
                .filter(|id| *id >= stamps);
            let pass = last.map(|last| end - seconds(last));
            let words: Vec<_> = all
                .into_iter()
                .filter(|token| token.token_id() < end_of_text)
                .collect();
            let text = String::from_utf8_lossy(segment.to_bytes().map_err(failed)?).into_owned();
            let mut logprobs = Vec::with_capacity(words.len());
            let mut byte = 0;
            let token = |token: WhisperToken<'_, '_>| {
                let data = token.token_data();
                let hint = pass
                    .filter(|_| data.tid >= stamps)
                    .map(|pass| (pass + seconds(data.tid), f64::from(data.pt)));
                let bytes = token.to_bytes().map_err(failed)?.len();
                logprobs.push((byte, f64::from(data.plog)));
                byte += bytes;
                Ok(words::Token { bytes, hint })
            };
            let tokens: Vec<words::Token> = words
                .into_iter()
                .map(token)
                .collect::<Result<_, TranscribeError>>()?;
            // Without an end stamp whisper.cpp says that it lasts for half a minute.
            let mut span = start..end.min(length).max(start);
            heard.push(Phrase {
                marks: words::begin(&text, &tokens, &mut span),
                start: span.start,
                end: span.end,
                text,
                logprobs,
                no_speech: (silences.of(place) * 1000.0).round() / 1000.0,
            });
        }
        Ok(heard)
    }

    /// How likely each of Whisper's languages is in `samples`, by its number.
    pub fn languages(&mut self, samples: &[f32]) -> Result<Vec<f32>, TranscribeError> {
        // The encoder works on as much as there is, not on half a minute; and on the same whatever
        // was heard before.
        let mut settings = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        settings.set_n_threads(1);
        settings.set_audio_ctx(context_for(samples, false));
        let sound = self.model.mel.of(samples);
        let (state, _) = self.full(Passes::none(&sound), settings)?;
        Ok(state.lang_detect(0, 1).map_err(failed)?.1)
    }
}

/// Positions for so many samples, and some `beyond` them. On a card always the same: flash
/// attention also reads what lies behind them, which an earlier window may have left there.
fn context_for(samples: &[f32], beyond: bool) -> i32 {
    let sound = (samples.len() * 50).div_ceil(RATE);
    let (share, least) = BEYOND;
    let room = if beyond {
        ((CONTEXT.saturating_sub(sound) as f64 * share) as usize).max(least)
    } else {
        0
    };
    let positions = if ON_A_CARD {
        CONTEXT
    } else {
        (sound + room).next_multiple_of(32).min(CONTEXT)
    };
    positions as i32
}

/// whisper.cpp answers a file of another kind with a crash: look before loading.
fn check_magic(file: &ModelFile) -> anyhow::Result<()> {
    use std::io::Read;
    let mut magic = [0u8; 4];
    let mut weights = fs_err::File::open(&file.path)?;
    let got = weights.read(&mut magic)?;
    anyhow::ensure!(
        got == 4 && magic == *b"lmgg",
        "not a model in whisper.cpp's ggml form: `{}`",
        file.path.display()
    );
    Ok(())
}

fn failed(error: whisper_rs::WhisperError) -> TranscribeError {
    TranscribeError::Recognition {
        what: error.to_string(),
    }
}
