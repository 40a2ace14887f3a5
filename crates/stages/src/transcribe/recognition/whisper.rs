//! Whisper by whisper.cpp: weights in the memory of each device once, and one state with one thread
//! for each worker.
//! Hides whisper-rs: setters that leak, callbacks that are unsound, and its units of time.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperSegment,
    WhisperState, WhisperToken, WhisperTokenId,
};

use super::{
    device_check,
    devices::{Device, Memory},
    mel::MelTransform,
    whisper_callbacks::{EncoderPasses, NoSpeechProbs},
    word_times::{self, TimedToken},
};
use crate::{
    models::ModelFile,
    transcribe::{
        audio::SAMPLE_RATE, error::TranscribeError, language::tag::Language, phrase::Phrase,
    },
};

/// Positions of the encoder's context, 50 per second. Whisper has 1500; a multiple of 32 keeps its
/// products on the fast kernels, with AVX-512 too, which saves a sixth of all time, and still holds
/// every window.
const AUDIO_CONTEXT: usize = 1472;
/// Positions beyond the window's end that the first attempt gives the encoder, as a share of the
/// positions that the window leaves free. This saves a tenth of the time, and half of it where
/// windows are short. With fewer the model invents words behind the last one of short clips: with a
/// fifth and with a tenth it did, with three tenths no more than with all.
const ROOM_SHARE: f64 = 0.3;
/// Fewest positions beyond the window's end.
const MIN_ROOM: usize = 64;
/// Sequences that a beam search follows.
const BEAM_SIZE: i32 = 5;
/// Temperature of the last attempt: the first above 0 in Whisper's own fallback.
const TEMPERATURE: f32 = 0.2;
/// Sequences that are drawn at that temperature.
const SAMPLED_SEQUENCES: i32 = 5;
/// Bytes of a key and a value, in 16 bits each.
const BYTES_OF_KEY_AND_VALUE: u64 = 4;
/// Bytes of the encoder's arrays for each of its channels: 281 MB for the turbo's 1280, as
/// whisper.cpp's log says, and a little less for smaller ones.
const ENCODER_BYTES: u64 = 220_000;
/// Bytes of a card that must be free beside the weights.
const WEIGHTS_RESERVE: u64 = 64 << 20;
/// Positions, and steps of time stamps, per second.
const STEPS_PER_SECOND: usize = 50;

/// What whisper.cpp returns where a state could not grow. It has freed the state then.
const STATE_FREED: i32 = -7;

/// The weights on a device, or why they cannot be there.
type Loaded = Result<Arc<WhisperContext>, String>;

/// The weights of a model, on each device that a worker used them on.
pub struct WhisperModel {
    /// The file that they came from.
    pub file: ModelFile,
    devices: Arc<[Device]>,
    program: PathBuf,
    /// By device.
    contexts: Vec<OnceLock<Loaded>>,
    is_multilingual: bool,
    mel: MelTransform,
}

/// A way to decode a window. Each costs more than the one before, and each gives the same result
/// for the same window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    /// The most likely token each time.
    Greedy,
    /// The most likely of several sequences.
    Beam,
    /// The most likely of several sequences drawn at a low temperature, which leads out of loops.
    Sampled,
}

/// whisper.cpp's parameters for each way of decoding. They are built once for a recording and
/// language, because whisper-rs never frees the strings in them.
pub struct WhisperSettings {
    greedy: FullParams<'static, 'static>,
    beam: FullParams<'static, 'static>,
    sampled: FullParams<'static, 'static>,
}

impl WhisperSettings {
    /// Settings for one language, with a vocabulary to expect.
    pub fn new(language: &Language, vocabulary: Option<&str>) -> Self {
        let prompt = language.initial_prompt(vocabulary);
        let with =
            |strategy, temperature| params(language, prompt.as_deref(), strategy, temperature);
        Self {
            greedy: with(SamplingStrategy::Greedy { best_of: 1 }, 0.0),
            beam: with(
                SamplingStrategy::BeamSearch {
                    beam_size: BEAM_SIZE,
                    // whisper.cpp does not implement patience yet; -1 is its default.
                    patience: -1.0,
                },
                0.0,
            ),
            sampled: with(
                SamplingStrategy::Greedy {
                    best_of: SAMPLED_SEQUENCES,
                },
                TEMPERATURE,
            ),
        }
    }

    fn params(&self, decoding: Decoding) -> FullParams<'static, 'static> {
        match decoding {
            Decoding::Greedy => self.greedy.clone(),
            Decoding::Beam => self.beam.clone(),
            Decoding::Sampled => self.sampled.clone(),
        }
    }
}

fn params(
    language: &Language,
    prompt: Option<&str>,
    strategy: SamplingStrategy,
    temperature: f32,
) -> FullParams<'static, 'static> {
    let mut params = FullParams::new(strategy);
    params.set_n_threads(1);
    params.set_no_context(true);
    params.set_temperature(temperature);
    // Without whisper.cpp's own fallback: it draws from a state that remembers how many windows it
    // has served, so that the result would depend on the worker.
    params.set_temperature_inc(0.0);
    // whisper.cpp drops no phrase itself, since it would do so silently, and by the silence of an
    // earlier window. `quality::hallucination` judges each phrase.
    params.set_no_speech_thold(1.0);
    params.set_audio_ctx(AUDIO_CONTEXT as i32);
    params.set_suppress_blank(true);
    params.set_suppress_nst(true);
    params.set_print_progress(false);
    params.set_print_realtime(false);
    params.set_print_special(false);
    params.set_print_timestamps(false);
    params.set_language(Some(language.whisper_code()));
    if let Some(prompt) = prompt {
        params.set_initial_prompt(prompt);
    }
    params
}

impl WhisperModel {
    /// Loads the weights of `file` on the first of `devices` that takes them; on the others they
    /// are loaded when a worker needs them there.
    /// `program` is this program, for processes that look at a card first.
    pub fn load(
        file: ModelFile,
        devices: &Arc<[Device]>,
        program: &Path,
    ) -> Result<Self, TranscribeError> {
        let unusable = |reason| TranscribeError::Model {
            model: file.name.clone(),
            reason,
        };
        check_magic(&file).map_err(unusable)?;
        let contexts: Vec<OnceLock<Loaded>> = devices.iter().map(|_| OnceLock::new()).collect();
        let mut refused = Vec::new();
        let mut tried = devices.iter().zip(&contexts);
        let first = tried.find_map(|(device, cell)| {
            match cell.get_or_init(|| load_on(&file, device, program)) {
                Ok(context) => Some(context),
                Err(why) => {
                    refused.push(format!("{}: {why}", device.name));
                    None
                }
            }
        });
        let Some(context) = first else {
            let what = refused.join("; ");
            // A processor takes any model, so that its word is on the file.
            return Err(if devices.iter().all(Device::is_card) {
                TranscribeError::NoDevice { what }
            } else {
                unusable(anyhow::anyhow!("{what}: `{}`", file.path.display()))
            });
        };
        let bands = context.model_n_mels().unsigned_abs() as usize;
        if !matches!(bands, 80 | 128) {
            let why = anyhow::anyhow!("not a Whisper model: it takes {bands} mel bands");
            return Err(unusable(why));
        }
        Ok(Self {
            mel: MelTransform::new(bands),
            is_multilingual: context.is_multilingual(),
            devices: Arc::clone(devices),
            contexts,
            program: program.to_owned(),
            file,
        })
    }

    /// Whether the model knows more than English.
    pub fn is_multilingual(&self) -> bool {
        self.is_multilingual
    }

    /// The weights on a device.
    fn on(&self, device: usize) -> Result<Arc<WhisperContext>, TranscribeError> {
        let cell = &self.contexts[device];
        let of = &self.devices[device];
        let context = cell.get_or_init(|| load_on(&self.file, of, &self.program));
        context.clone().map_err(|what| TranscribeError::Device {
            device: of.name.clone(),
            what,
        })
    }
}

fn load_on(file: &ModelFile, device: &Device, program: &Path) -> Loaded {
    if device.is_card() {
        check_room(file, device_check::memory(program, device)?)?;
    }
    let mut parameters = WhisperContextParameters::default();
    parameters
        .use_gpu(device.is_card())
        .gpu_device(device.card.unwrap_or(0))
        // On a card it is faster; on a processor it is slower.
        .flash_attn(device.is_card());
    WhisperContext::new_with_params(&file.path, parameters)
        .map(Arc::new)
        .map_err(|error| format!("cannot be loaded ({error})"))
}

/// whisper.cpp ends the process where a card has no room for the weights: look before loading. A
/// driver that says nothing of its memory is trusted.
fn check_room(file: &ModelFile, memory: Memory) -> Result<(), String> {
    let weights = std::fs::metadata(&file.path).map_or(0, |of| of.len());
    if memory.total == 0 || memory.free >= weights + WEIGHTS_RESERVE {
        return Ok(());
    }
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    Err(format!(
        "has no room for the weights ({} MB free, {} MB wanted)",
        megabytes(memory.free),
        megabytes(weights + WEIGHTS_RESERVE)
    ))
}

/// whisper.cpp crashes on a file of another kind: look before loading.
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

/// One worker's state for one model.
pub struct ModelState {
    model: Arc<WhisperModel>,
    context: Arc<WhisperContext>,
    device: usize,
    state: Option<WhisperState>,
}

impl ModelState {
    /// A state on a device that has decoded nothing. whisper.cpp's own is created when it is needed.
    pub fn new(model: &Arc<WhisperModel>, device: usize) -> Result<Self, TranscribeError> {
        Ok(Self {
            context: model.on(device)?,
            model: Arc::clone(model),
            device,
            state: None,
        })
    }

    /// Creates whisper.cpp's own state.
    pub fn create(&mut self) -> Result<(), TranscribeError> {
        let state = self.context.create_state();
        self.state = Some(state.map_err(|error| self.no_memory(error))?);
        Ok(())
    }

    /// Bytes that a state takes, by the model's shape: its caches of keys and values, the logits of
    /// a whole context, and the encoder's arrays.
    pub fn estimated_bytes(&self) -> u64 {
        let context = &self.context;
        let number = |n: i32| u64::from(n.unsigned_abs());
        let (width, layers) = (
            number(context.model_n_audio_state()),
            number(context.model_n_text_layer()),
        );
        let positions = number(context.model_n_audio_ctx()).next_multiple_of(256);
        let cross = positions * width * BYTES_OF_KEY_AND_VALUE * (layers + 1);
        let logits = number(context.model_n_vocab()) * number(context.model_n_text_ctx()) * 4;
        self.text_cache() + cross + logits + ENCODER_BYTES * width
    }

    /// Bytes by which a state grows where several sequences are followed.
    pub fn growth_bytes(&self) -> u64 {
        // whisper.cpp makes the cache of the text anew, for two sequences more than it follows.
        self.text_cache() * (BEAM_SIZE as u64 + 1)
    }

    /// Bytes of the keys and values of the text.
    fn text_cache(&self) -> u64 {
        let context = &self.context;
        let number = |n: i32| u64::from(n.unsigned_abs());
        number(context.model_n_text_ctx()).next_multiple_of(256)
            * number(context.model_n_text_state())
            * number(context.model_n_text_layer())
            * BYTES_OF_KEY_AND_VALUE
    }

    fn is_on_card(&self) -> bool {
        self.model.devices[self.device].is_card()
    }

    /// The error of a state that could not be had.
    fn no_memory(&self, error: whisper_rs::WhisperError) -> TranscribeError {
        if self.is_on_card() {
            TranscribeError::OutOfMemory {
                device: self.model.devices[self.device].name.clone(),
            }
        } else {
            failed(error)
        }
    }

    /// The phrases in `samples`, in order of time.
    pub fn decode(
        &mut self,
        samples: &[f32],
        settings: &WhisperSettings,
        decoding: Decoding,
    ) -> Result<Vec<Phrase>, TranscribeError> {
        let mut params = settings.params(decoding);
        if decoding == Decoding::Greedy {
            params.set_audio_ctx(self.encoder_positions(samples, Room::Some));
            return self.phrases(samples, params);
        }
        // A new state, so that its random generator starts from the same seed each time. The old
        // one goes first: both at once would take twice the memory.
        self.state = None;
        let phrases = self.phrases(samples, params);
        // It has room for several sequences, which the next greedy decoding does not need.
        self.state = None;
        phrases
    }

    fn phrases(
        &mut self,
        samples: &[f32],
        params: FullParams<'static, 'static>,
    ) -> Result<Vec<Phrase>, TranscribeError> {
        let seconds = samples.len() as f64 / SAMPLE_RATE as f64;
        let spectrogram = self.model.mel.spectrogram(samples);
        let tokens = SpecialTokens {
            end_of_text: self.context.token_eot(),
            first_stamp: self.context.token_beg(),
        };
        let passes = EncoderPasses::over(&spectrogram, seconds);
        let (state, no_speech) = self.run(passes, params)?;
        state
            .as_iter()
            .enumerate()
            .map(|(index, segment)| {
                phrase_of(&segment, tokens, seconds, no_speech.of_segment(index))
            })
            .collect()
    }

    /// The probability of each of Whisper's languages in `samples`, by its number.
    pub fn language_probs(&mut self, samples: &[f32]) -> Result<Vec<f32>, TranscribeError> {
        // The encoder works on the samples alone, not on half a minute, and on nothing that an
        // earlier window left behind them.
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        params.set_n_threads(1);
        params.set_audio_ctx(self.encoder_positions(samples, Room::None));
        let spectrogram = self.model.mel.spectrogram(samples);
        let (state, _) = self.run(EncoderPasses::none(&spectrogram), params)?;
        Ok(state.lang_detect(0, 1).map_err(failed)?.1)
    }

    /// Runs whisper.cpp's `passes` over a window, and returns the state with the results.
    fn run(
        &mut self,
        passes: EncoderPasses<'_>,
        params: FullParams<'static, 'static>,
    ) -> Result<(&mut WhisperState, NoSpeechProbs), TranscribeError> {
        if self.state.is_none() {
            self.create()?;
        }
        let mut state = self
            .state
            .take()
            .ok_or_else(|| TranscribeError::Recognition {
                what: "there is no state".into(),
            })?;
        match passes.run(params, &mut state) {
            Ok(no_speech) => Ok((self.state.insert(state), no_speech)),
            Err(error @ whisper_rs::WhisperError::GenericError(STATE_FREED)) => {
                // It is freed already: better leaked than freed twice.
                std::mem::forget(state);
                Err(self.no_memory(error))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// The positions that the encoder works on for these samples. On a graphics card always the
    /// same: flash attention also reads what lies behind them, which an earlier window may have left
    /// there.
    fn encoder_positions(&self, samples: &[f32], room: Room) -> i32 {
        if self.is_on_card() {
            return AUDIO_CONTEXT as i32;
        }
        let filled = (samples.len() * STEPS_PER_SECOND).div_ceil(SAMPLE_RATE);
        let free = AUDIO_CONTEXT.saturating_sub(filled);
        let room = match room {
            Room::None => 0,
            Room::Some => ((free as f64 * ROOM_SHARE) as usize).max(MIN_ROOM),
        };
        (filled + room).next_multiple_of(32).min(AUDIO_CONTEXT) as i32
    }
}

/// Tokens of a model that are not text.
#[derive(Clone, Copy)]
struct SpecialTokens {
    /// All tokens from here on are not text.
    end_of_text: WhisperTokenId,
    /// The time stamp of 0 seconds; all tokens from here on are time stamps.
    first_stamp: WhisperTokenId,
}

impl SpecialTokens {
    /// The seconds that a time stamp states.
    fn seconds(self, stamp: WhisperTokenId) -> f64 {
        f64::from(stamp - self.first_stamp) / STEPS_PER_SECOND as f64
    }
}

/// A segment of a window of this length in `seconds`, as a phrase.
fn phrase_of(
    segment: &WhisperSegment<'_>,
    special: SpecialTokens,
    seconds: f64,
    no_speech_prob: f64,
) -> Result<Phrase, TranscribeError> {
    let start = segment.start_timestamp() as f64 / 100.0;
    let end = segment.end_timestamp() as f64 / 100.0;
    let all: Vec<_> = (0..segment.n_tokens())
        .filter_map(|i| segment.get_token(i))
        .collect();
    // The stamps that tokens hint at count from the start of the pass over the window. The stamp
    // at the end of the segment tells when that was.
    let pass_start = all
        .last()
        .map(WhisperToken::token_id)
        .filter(|id| *id >= special.first_stamp)
        .map(|last| end - special.seconds(last));
    let mut token_logprobs = Vec::with_capacity(all.len());
    let mut tokens = Vec::with_capacity(all.len());
    let mut byte = 0;
    for token in all {
        if token.token_id() >= special.end_of_text {
            continue;
        }
        let bytes = token.to_bytes().map_err(failed)?.len();
        let data = token.token_data();
        let hint = pass_start
            .filter(|_| data.tid >= special.first_stamp)
            .map(|start| (start + special.seconds(data.tid), f64::from(data.pt)));
        token_logprobs.push((byte, f64::from(data.plog)));
        tokens.push(TimedToken { bytes, hint });
        byte += bytes;
    }
    let text = String::from_utf8_lossy(segment.to_bytes().map_err(failed)?).into_owned();
    // Without an end stamp whisper.cpp says that a segment lasts for half a minute.
    let mut span = start..end.min(seconds).max(start);
    Ok(Phrase {
        token_starts: word_times::token_starts(&text, &tokens, &mut span),
        start: span.start,
        end: span.end,
        text,
        token_logprobs,
        no_speech_prob: (no_speech_prob * 1000.0).round() / 1000.0,
    })
}

/// Room behind the samples that the encoder gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    None,
    Some,
}

fn failed(error: whisper_rs::WhisperError) -> TranscribeError {
    TranscribeError::Recognition {
        what: error.to_string(),
    }
}
