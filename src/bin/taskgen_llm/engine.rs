//! A request → a reply: the prompt is read in fixed chunks, the reply is drawn token by token under
//! the grammar. Hides llama.cpp. Nothing here depends on the clock or on earlier requests but the
//! time it takes.

use std::{
    num::NonZeroU32,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use anyhow::{Context as _, Result, anyhow, ensure};
use llama_cpp_2::{
    LogOptions,
    context::{LlamaContext, params::LlamaContextParams},
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::LlamaModel,
    send_logs_to_tracing,
    token::LlamaToken,
};
use llguidance::{Matcher, toktrie::SimpleVob};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    devices,
    grammar::Grammars,
    protocol::{FailureCause, Finish, Hello, Reply, Request},
    slots::{CHUNK, Prompt, Slots},
    template::{self, Piece},
    weigh,
};

/// llama.cpp's numbers for it. Flash attention splits its sums by thread, so that replies would
/// depend on the number of threads; without it they do not, at the same speed on a CPU.
const NO_FLASH_ATTENTION: i32 = 0;
/// On a card no sums are split by thread, and it is faster.
const FLASH_ATTENTION: i32 = 1;
/// A reply's limit is the longest that may be needed. Where the context leaves less, the reply is
/// cut there; with less than this part of its limit it would hardly ever end in time.
const LEAST_ROOM: usize = 4;

/// A prompt in tokens.
struct Tokens {
    all: Vec<LlamaToken>,
    /// Those before the last message: instructions, which other prompts share.
    head: usize,
    /// How many a reply may take.
    room: usize,
}

/// A loaded model.
pub struct Loaded {
    backend: LlamaBackend,
    model: Arc<LlamaModel>,
    name: String,
    load_ms: u64,
    all_on_cards: bool,
}

/// Loads the weights on the devices of the list, for a memory of so many tokens.
pub fn load(path: &Path, device: &str, tokens: u64, verbose: bool) -> Result<Loaded> {
    let started = Instant::now();
    ensure!(
        path.is_file(),
        "no such model file: `{}`\nhint: `taskgen models pull` fetches it",
        path.display()
    );
    if !verbose {
        send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
    }
    let backend = LlamaBackend::init().context("cannot start llama.cpp")?;
    let plan = devices::plan(&backend, path, device, tokens)?;
    let model = LlamaModel::load_from_file(&backend, path, &plan.params)
        .with_context(|| format!("not a model that llama.cpp can load: `{}`", path.display()))?;
    let file = path
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned());
    let name = model
        .meta_val_str("general.name")
        .ok()
        .filter(|name| !name.trim().is_empty());
    Ok(Loaded {
        backend,
        model: Arc::new(model),
        name: name.or(file).unwrap_or_default(),
        load_ms: started.elapsed().as_millis() as u64,
        all_on_cards: plan.all_on_cards,
    })
}

type Failed = (FailureCause, String);

/// A prompt in the model's memory.
#[derive(Clone, Copy)]
struct WasRead {
    /// Its sequence.
    slot: usize,
    /// Tokens that were there before.
    kept: usize,
    /// Where in the last batch the reply's first token comes from.
    output: usize,
}

/// The model with its memory.
pub struct Engine<'m> {
    loaded: &'m Loaded,
    context: LlamaContext<'m>,
    slots: Slots,
    grammars: OnceLock<Grammars>,
    batch: LlamaBatch<'static>,
    limit: usize,
    threads: u32,
    stop: Arc<AtomicBool>,
}

impl<'m> Engine<'m> {
    /// Memory for `slots` conversations of `limit` tokens each.
    pub fn new(
        loaded: &'m Loaded,
        threads: u32,
        limit: u32,
        slots: u32,
        stop: Arc<AtomicBool>,
    ) -> Result<Self> {
        let limit = limit.clamp(256, loaded.model.n_ctx_train().max(256));
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(limit * slots))
            .with_n_seq_max(slots)
            .with_n_batch(CHUNK as u32)
            .with_n_ubatch(CHUNK as u32)
            .with_kv_unified(false)
            .with_flash_attention_policy(if loaded.all_on_cards {
                FLASH_ATTENTION
            } else {
                NO_FLASH_ATTENTION
            })
            .with_n_threads(threads as i32)
            .with_n_threads_batch(threads as i32);
        let context = loaded
            .model
            .new_context(&loaded.backend, params)
            .context("not enough memory for the model")?;
        Ok(Self {
            loaded,
            context,
            slots: Slots::new(slots as usize),
            grammars: OnceLock::new(),
            batch: LlamaBatch::new(CHUNK, 1),
            limit: limit as usize,
            threads,
            stop,
        })
    }

    /// Who answers.
    pub fn hello(&self) -> Hello {
        Hello {
            model: self.loaded.name.clone(),
            context: self.limit as u32,
            threads: self.threads,
            load_ms: self.loaded.load_ms,
        }
    }

    /// Answers one request.
    pub fn answer(&mut self, request: &Request) -> Result<Reply, Failed> {
        let Tokens {
            all: prompt,
            head,
            room,
        } = self.tokens(request)?;
        if request.count {
            return Ok(counted(request.id, prompt.len()));
        }
        if !request.offered.is_empty() {
            return self.weigh(request, &prompt, head);
        }
        let mut matcher = self.matcher(request)?;
        // What the grammar forces at the start is read together with the prompt, at the prompt's
        // speed.
        let forced = matcher
            .as_mut()
            .map(|m| forced(m, room))
            .unwrap_or_default();
        let mut sequence = prompt.clone();
        sequence.extend(&forced);
        let (was_read, read_ms) = self.read_for(request, &sequence, head)?;
        let started = Instant::now();
        let (reply, finish) = self
            .write(was_read, sequence.len(), room, forced, matcher, request)
            .inspect_err(|_| self.forget())
            .map_err(engine_failed)?;
        Ok(Reply {
            id: request.id,
            text: self.text(&reply),
            finish,
            input: prompt.len() as u64,
            output: reply.len() as u64,
            cached: was_read.kept as u64,
            read_ms,
            write_ms: started.elapsed().as_millis() as u64,
            weights: None,
        })
    }

    /// How likely each offered answer is as the first token of the reply; nothing is written.
    fn weigh(
        &mut self,
        request: &Request,
        prompt: &[LlamaToken],
        head: usize,
    ) -> Result<Reply, Failed> {
        let answers = self.answers(&request.offered)?;
        let (was_read, read_ms) = self.read_for(request, prompt, head)?;
        let logits = self.context.get_logits_ith(was_read.output as i32);
        let weights = weigh::log_probabilities(logits, &answers).map_err(engine_failed)?;
        Ok(Reply {
            cached: was_read.kept as u64,
            read_ms,
            weights: Some(weights),
            ..counted(request.id, prompt.len())
        })
    }

    /// The tokens that spell each offered answer, with and without a space before it.
    fn answers(&self, offered: &[String]) -> Result<Vec<Vec<LlamaToken>>, Failed> {
        let vocab = self.loaded.model.vocab();
        let one = |text: String| vocab.tokenize(text.as_bytes(), false, false);
        offered
            .iter()
            .map(|answer| {
                weigh::spellings([one(answer.clone()), one(format!(" {answer}"))])
                    .ok_or_else(|| not_one_token(answer))
            })
            .collect()
    }

    /// Reads a prompt, afresh where the request wants that, and says how many milliseconds it took.
    fn read_for(
        &mut self,
        request: &Request,
        tokens: &[LlamaToken],
        head: usize,
    ) -> Result<(WasRead, u64), Failed> {
        let started = Instant::now();
        if request.fresh {
            self.forget();
        }
        let was_read = self
            .read(Prompt { tokens, head })
            .inspect_err(|_| self.forget())
            .map_err(engine_failed)?;
        Ok((was_read, started.elapsed().as_millis() as u64))
    }

    fn tokens(&self, request: &Request) -> Result<Tokens, Failed> {
        let vocab = self.loaded.model.vocab();
        let pieces = template::prompt(&self.loaded.model, &request.messages);
        let (mut all, mut head) = (Vec::new(), 0);
        for (number, piece) in pieces.iter().enumerate() {
            let (text, is_frame) = match piece {
                Piece::Frame(text) => (text.as_str(), true),
                Piece::Content(text) => (*text, false),
            };
            if number + 2 == pieces.len() {
                head = all.len();
            }
            all.extend(vocab.tokenize(
                text.as_bytes(),
                number == 0 && vocab.should_add_bos(),
                is_frame,
            ));
        }
        let wanted = request.max_tokens as usize;
        if request.messages.is_empty() || wanted == 0 || all.is_empty() {
            return Err((
                FailureCause::BadRequest,
                "a request needs messages and room for a reply".into(),
            ));
        }
        let (have, limit) = (all.len(), self.limit);
        let room = wanted.min(limit.saturating_sub(have));
        if room < wanted.div_ceil(LEAST_ROOM) {
            let message = format!(
                "the prompt has {have} tokens and the reply up to {wanted}, but the context holds {limit}"
            );
            return Err((FailureCause::ContextTooLong, message));
        }
        Ok(Tokens { all, head, room })
    }

    fn matcher(&self, request: &Request) -> Result<Option<Matcher>, Failed> {
        let Some(schema) = &request.schema else {
            return Ok(None);
        };
        if self.grammars.get().is_none() {
            let made = Grammars::new(&self.loaded.model).map_err(engine_failed)?;
            let _ = self.grammars.set(made);
        }
        let grammars = self
            .grammars
            .get()
            .ok_or_else(|| engine_failed(anyhow!("no grammar engine")))?;
        let matcher = grammars
            .matcher(schema)
            .map_err(|error| (FailureCause::BadSchema, format!("{error:#}")))?;
        Ok(Some(matcher))
    }

    /// Reads a prompt into a sequence, as much of it as is not there yet.
    fn read(&mut self, prompt: Prompt<'_>) -> Result<WasRead> {
        let place = self.slots.place(prompt);
        let sequence = place.slot as i32;
        if let Some(from) = place.copy_from {
            self.context
                .kv_cache_seq_cp(from as i32, sequence, None, None)?;
        }
        let removed = self.context.clear_kv_cache_seq(
            Some(place.slot as u32),
            Some(place.keep as u32),
            None,
        )?;
        ensure!(removed, "llama.cpp cannot cut the memory of this model");
        let mut position = place.keep;
        let mut output = 0;
        for end in prompt.ends().into_iter().filter(|end| *end > place.keep) {
            self.check_stop()?;
            self.decode(
                sequence,
                position,
                &prompt.tokens[position..end],
                end == prompt.tokens.len(),
            )?;
            output = end - position - 1;
            position = end;
        }
        self.slots.holds(place.slot, prompt);
        Ok(WasRead {
            slot: place.slot,
            kept: place.keep,
            output,
        })
    }

    /// Draws the reply. `forced` was read with the prompt and is the reply's beginning.
    fn write(
        &mut self,
        WasRead {
            slot, mut output, ..
        }: WasRead,
        mut position: usize,
        most: usize,
        forced_first: Vec<LlamaToken>,
        mut matcher: Option<Matcher>,
        request: &Request,
    ) -> Result<(Vec<LlamaToken>, Finish)> {
        let mut random = ChaCha8Rng::seed_from_u64(request.seed);
        let mut reply = forced_first;
        loop {
            self.check_stop()?;
            if matcher.as_ref().is_some_and(Matcher::is_stopped) {
                return Ok((reply, Finish::Stop));
            }
            if reply.len() >= most {
                return Ok((reply, Finish::Length));
            }
            let mask = matcher.as_mut().map(Matcher::compute_mask).transpose()?;
            let logits = self.context.get_logits_ith(output as i32);
            let token = draw(logits, mask.as_ref(), request.temperature, &mut random)?;
            if self.loaded.model.vocab().is_eog(token) {
                return Ok((reply, Finish::Stop));
            }
            let mut next = vec![token];
            if let Some(matcher) = &mut matcher {
                matcher.consume_token(token.0.cast_unsigned())?;
                next.extend(forced(matcher, most - reply.len() - 1));
            }
            reply.extend(&next);
            if matcher.as_ref().is_some_and(Matcher::is_stopped) || reply.len() >= most {
                continue;
            }
            for chunk in next.chunks(CHUNK) {
                self.decode(slot as i32, position, chunk, true)?;
                position += chunk.len();
                output = chunk.len() - 1;
            }
        }
    }

    fn decode(
        &mut self,
        sequence: i32,
        position: usize,
        tokens: &[LlamaToken],
        wanted: bool,
    ) -> Result<()> {
        self.batch.clear();
        for (i, token) in tokens.iter().enumerate() {
            let output = wanted && i + 1 == tokens.len();
            self.batch
                .add(*token, (position + i) as i32, &[sequence], output)?;
        }
        self.context
            .decode(&mut self.batch)
            .context("llama.cpp could not compute")
    }

    fn text(&self, tokens: &[LlamaToken]) -> String {
        let vocab = self.loaded.model.vocab();
        let bytes: Vec<u8> = tokens
            .iter()
            .flat_map(|token| vocab.token_to_piece(*token, false, None))
            .collect();
        // A reply that was cut may end within a character.
        match std::str::from_utf8(&bytes) {
            Ok(text) => text.to_owned(),
            Err(error) if error.error_len().is_none() => {
                String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
            }
            Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.slots.clear();
    }

    fn check_stop(&self) -> Result<()> {
        ensure!(!self.stop.load(Ordering::Relaxed), "asked to stop");
        Ok(())
    }
}

/// A reply without words: the prompt was counted and not read.
fn counted(id: u64, tokens: usize) -> Reply {
    let text = String::new();
    Reply {
        id,
        text,
        finish: Finish::Stop,
        input: tokens as u64,
        output: 0,
        cached: 0,
        read_ms: 0,
        write_ms: 0,
        weights: None,
    }
}

fn not_one_token(answer: &str) -> Failed {
    let message = format!("the model has no single token for the offered answer `{answer}`");
    (FailureCause::NotOneToken, message)
}

fn engine_failed(error: impl Into<anyhow::Error>) -> Failed {
    (FailureCause::Engine, format!("{:#}", error.into()))
}

/// The tokens that the grammar leaves no choice about, at most `most`, consumed.
fn forced(matcher: &mut Matcher, most: usize) -> Vec<LlamaToken> {
    let mut tokens = matcher.compute_ff_tokens();
    tokens.truncate(most);
    if matcher.consume_tokens(&tokens).is_err() {
        return Vec::new();
    }
    tokens
        .into_iter()
        .map(|id| LlamaToken(id.cast_signed()))
        .collect()
}

/// The next token: the likeliest of those allowed, or one drawn by its odds. Of equals the first
/// wins.
fn draw(
    logits: &[f32],
    mask: Option<&SimpleVob>,
    temperature: f64,
    random: &mut ChaCha8Rng,
) -> Result<LlamaToken> {
    let allowed = |id: usize| mask.is_none_or(|mask| mask.is_allowed(id as u32));
    let mut best: Option<(usize, f32)> = None;
    for (id, logit) in logits.iter().enumerate() {
        if best.is_none_or(|(_, most)| *logit > most) && allowed(id) {
            best = Some((id, *logit));
        }
    }
    let (likeliest, most) = best.ok_or_else(|| anyhow!("the grammar allows no token"))?;
    ensure!(most.is_finite(), "the model's output is not a number");
    if temperature <= 0.0 {
        return Ok(LlamaToken(likeliest as i32));
    }
    let odds = |logit: f32| (f64::from(logit - most) / temperature).exp();
    let total: f64 = logits
        .iter()
        .enumerate()
        .filter(|(id, _)| allowed(*id))
        .map(|(_, l)| odds(*l))
        .sum();
    let mut left = random.random::<f64>() * total;
    for (id, logit) in logits.iter().enumerate().filter(|(id, _)| allowed(*id)) {
        left -= odds(*logit);
        if left <= 0.0 {
            return Ok(LlamaToken(id as i32));
        }
    }
    Ok(LlamaToken(likeliest as i32))
}
