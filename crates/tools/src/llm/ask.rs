//! One question of a stage: prompt, model, record, typed answer. A call on record is never made
//! again. Hides the key of a call, what stands on record, and that the same question asked twice at
//! once is sent once.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;

use super::{
    Answer, ChatModel, ChatRequest, ModelError, RateChange, budget::Spent, options::LlmOptions,
    parse::schema_of, prompt::Prompts, record,
};
use crate::{
    data::{Call, CallId, Cause, Exchange, Unscored, Usage, id::sha256_hex},
    llm::{
        estimate::{self, Prediction},
        is_code,
        repair::{Read, read},
    },
    store::{Experience, Judge},
};

/// Models that may answer under the name of a judge in one run: a server that is updated meanwhile
/// has two, and one that shares the work among a few has some.
const MOST_NAMES: usize = 3;

/// A question.
pub struct Ask<'a, T> {
    /// Who is asked: `inspire`, `weave`, `judge` …
    pub role: &'a str,
    /// Which of the role's models, from 0.
    pub member: usize,
    /// The prompt's name, such as `rank/judge`.
    pub prompt: &'a str,
    /// What the prompt is filled with: a JSON object.
    pub vars: &'a Value,
    /// Earlier questions of the conversation with the model's own answers, oldest first.
    pub history: &'a [Exchange],
    /// The reply's schema where `T`'s own is too wide, for instance with the ids that were shown as
    /// an enum.
    pub schema: Option<Value>,
    /// The reply is cut at this many tokens.
    pub max_tokens: u32,
    /// 0 takes the likeliest token each time.
    pub temperature: f64,
    /// Seed of the draws.
    pub seed: u64,
    /// Tells repetitions of one question apart.
    pub sample: u32,
    /// Whether the model may search the web, with what its provider has for that.
    pub search: bool,
    /// The answers that [`Llm::weigh`] offers, of one token each.
    pub offered: &'a [&'a str],
    /// What neither the schema nor [`Answer::validate`] knows: whether the reply fits what was
    /// shown.
    pub check: &'a (dyn Fn(&T) -> Result<(), Unscored> + Sync),
}

impl<T> Default for Ask<'_, T> {
    fn default() -> Self {
        Self {
            role: "",
            member: 0,
            prompt: "",
            vars: &Value::Null,
            history: &[],
            schema: None,
            max_tokens: 1000,
            temperature: 0.0,
            seed: 0,
            sample: 0,
            search: false,
            offered: &[],
            check: &|_| Ok(()),
        }
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answered<T> {
    /// The value, or why there is none.
    pub value: Result<T, Unscored>,
    /// The call on record.
    pub call: CallId,
    /// Whether nothing was sent for it.
    pub cached: bool,
    /// What the call cost when it was made.
    pub usage: Usage,
    /// The model that the server says answered.
    pub model_returned: Option<String>,
}

impl<T> Answered<T> {
    /// The same answer, its value in another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Answered<U> {
        let Self {
            value,
            call,
            cached,
            usage,
            model_returned,
        } = self;
        Answered {
            value: value.map(form),
            call,
            cached,
            usage,
            model_returned,
        }
    }
}

/// What must stop a run.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No question to this model can succeed before the user changes something.
    #[error("the model `{model}` cannot be asked: {error}\nhint: {}", error.hint())]
    Model {
        /// `provider/model`.
        model: String,
        /// Why.
        error: ModelError,
    },
    /// The command's budget does not allow another call.
    #[error("{0}\nhint: what was answered is saved; run again with a larger budget")]
    Budget(Spent),
    /// Money is limited, and nobody knows what the model costs.
    #[error(
        "the price of `{0}` is unknown, and the budget is in money\nhint: add it to `prices.toml` in the project, or use --budget-tokens"
    )]
    Unpriced(String),
    /// Nothing may be asked, and the call is not on record.
    #[error(
        "not on record: a call of `{prompt}` to `{model}`; {nearest}\nhint: run without --replay to ask it"
    )]
    NotOnRecord {
        /// The prompt's name.
        prompt: String,
        /// `provider/model`.
        model: String,
        /// The nearest call on record, and where it differs.
        nearest: String,
    },
    /// A judge's server says that another model answers, again and again.
    #[error(
        "the judge `{model}` is another model each time: `{names}`\nhint: name one version of one model; what was answered is on record"
    )]
    ManyModels {
        /// `provider/model`.
        model: String,
        /// The names under which it answered in this run.
        names: String,
    },
    /// No model is bound to the role.
    #[error("no model has the role `{0}`\nhint: name one with --model-role {0}=PROVIDER/MODEL")]
    NoModel(String),
    /// The prompt is missing or cannot be filled.
    #[error(transparent)]
    Prompt(anyhow::Error),
    /// The record cannot be read or written.
    #[error(transparent)]
    Store(anyhow::Error),
}

/// What was asked since the start.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Calls that were made.
    pub made: u64,
    /// Calls that were on record.
    pub cached: u64,
    /// Calls that were made and gave no usable answer, by cause.
    pub failed: BTreeMap<Cause, u64>,
    /// Tokens of the calls that were made.
    pub usage: Usage,
    /// What they cost in micro-dollars, as far as prices are known.
    pub cost_micro: u64,
    /// Calls that were made to models of unknown price.
    pub unpriced: u64,
    /// By role, the models that the servers say answered; those of calls on record, too.
    pub returned: BTreeMap<String, BTreeSet<String>>,
}

impl Counts {
    fn note_returned(&mut self, call: &Call) {
        let Some(name) = &call.model_returned else {
            return;
        };
        // A hundred thousand calls have one name: it is copied once.
        if let Some(names) = self.returned.get_mut(&call.role)
            && names.contains(name)
        {
            return;
        }
        let names = self.returned.entry(call.role.clone()).or_default();
        names.insert(name.clone());
    }
}

/// The models that answer, by role.
pub struct Llm {
    pub(super) options: LlmOptions,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    counts: Counts,
    /// One gate a call: it holds whether the call was made by this process.
    gates: HashMap<CallId, Arc<tokio::sync::Mutex<bool>>>,
    /// Models that answered at least once.
    pub(super) answered: Vec<String>,
    /// Models that cannot be asked any more.
    pub(super) stopped: HashMap<String, ModelError>,
    /// The models that servers said answered as a judge in this run, by the model that was asked.
    names: HashMap<String, BTreeSet<String>>,
    /// When a model last answered, and how many questions that were asked since then failed.
    pub(super) silence: HashMap<String, (Option<Instant>, u32)>,
    /// What a dry run would have asked.
    prediction: Prediction,
    /// What calls came to, by prompt and model, as far as it was looked up.
    experience: HashMap<(String, String), Option<Experience>>,
}

impl Llm {
    /// Whether questions whose replies could not be used are asked again.
    pub fn retries_failed(&self) -> bool {
        self.options.retry_failed
    }

    /// Nothing is asked yet, and no model started.
    pub fn new(options: LlmOptions) -> Self {
        Self {
            options,
            state: Mutex::default(),
        }
    }

    /// Asks, unless the answer is on record.
    pub async fn ask<T: Answer>(&self, ask: Ask<'_, T>) -> Result<Answered<T>, AskError> {
        let schema = ask.schema.clone().unwrap_or_else(schema_of::<T>);
        let shown = schema.clone();
        self.put(&ask, schema, &|call| read(call, &shown, ask.check))
            .await
    }

    /// Puts a question, whatever its answer is: `read` knows. The answer may be on record.
    pub(super) async fn put<T>(
        &self,
        ask: &Ask<'_, T>,
        schema: Value,
        read: &Read<'_, T>,
    ) -> Result<Answered<T>, AskError> {
        let model = self.model(ask.role, ask.member)?.as_ref();
        let (request, prompt_hash) = self.request(ask, schema)?;
        // The id is a hash of all that decides the reply, so that the same question finds its call.
        let on_record = record::request(model, &request, (ask.sample, self.options.resample));
        let id = CallId::from_parts(&[&on_record.to_string()]);
        // Two stages may put the same question at once: the second waits here and finds the record.
        let gate = Arc::clone(self.state().gates.entry(id.clone()).or_default());
        let mut asked = gate.lock().await;
        if let Some(call) = self.options.store.call(&id).map_err(AskError::Store)? {
            let value = read(&call);
            // What this run has just asked is settled, even a failure: asking again at once would
            // pay for the same mistake.
            if *asked || self.options.replay || self.is_settled(&call, &value) {
                let mut state = self.state();
                state.counts.cached += 1;
                state.counts.note_returned(&call);
                drop(state);
                return Ok(answered(value, call, true));
            }
        }
        if self.options.replay {
            return Err(self.not_on_record(ask.prompt, model, &on_record));
        }
        if self.options.dry_run {
            // After the record was looked up, so that a dry run counts only what would really be
            // sent.
            self.predict(model, ask, &request).await?;
            return Ok(not_asked(id));
        }
        let mut call = self.unsent(ask, model, id, on_record, prompt_hash);
        // A stop comes back beside the call and not instead of it, so that what was paid for is on
        // record.
        let stop = self.make(model, &request, &mut call, read).await;
        log(&call);
        self.options
            .store
            .save_call(&call)
            .map_err(AskError::Store)?;
        // Only once it is on record: if saving fails, the next one asks again and is not told of a
        // reply that is gone.
        *asked = true;
        self.count(&call);
        match stop {
            // The call is saved by now; the run ends and the next one begins behind it.
            Some(error) => Err(error),
            None => Ok(answered(read(&call), call, false)),
        }
    }

    /// The templates for a model.
    pub(super) fn prompts_for(&self, model: &dyn ChatModel) -> &Prompts {
        if model.is_builtin() {
            &self.options.prompts_of_builtin
        } else {
            &self.options.prompts
        }
    }

    /// The request that a question becomes, and the hash of its prompt's template.
    fn request<T>(
        &self,
        ask: &Ask<'_, T>,
        schema: Value,
    ) -> Result<(ChatRequest, String), AskError> {
        let prompts = self.prompts_for(self.model(ask.role, ask.member)?.as_ref());
        let rendered = prompts
            .render(ask.prompt, ask.vars, &schema)
            .map_err(AskError::Prompt)?;
        let member = (ask.role.to_owned(), ask.member);
        let own = self
            .options
            .parameters
            .get(&member)
            .copied()
            .unwrap_or_default();
        let weighed = !ask.offered.is_empty();
        let request = ChatRequest {
            messages: prompts.after(ask.history, rendered.messages),
            schema,
            schema_name: ask
                .prompt
                .replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
            // Nothing is written, and some servers would scale what they say by the temperature.
            max_tokens: match own.max_tokens {
                _ if weighed => 1,
                own => own.unwrap_or(ask.max_tokens),
            },
            temperature: match own.temperature {
                _ if weighed => 0.0,
                own => own.unwrap_or(ask.temperature),
            },
            seed: ask.seed,
            search: ask.search,
            offered: ask.offered.iter().map(|&answer| answer.into()).collect(),
        };
        Ok((request, rendered.hash))
    }

    /// A call before anything is sent.
    fn unsent<T>(
        &self,
        ask: &Ask<'_, T>,
        model: &dyn ChatModel,
        id: CallId,
        request: Value,
        prompt_hash: String,
    ) -> Call {
        let prices = &self.options.prices;
        Call {
            id,
            role: ask.role.to_owned(),
            prompt: ask.prompt.to_owned(),
            // The template's hash, not the filled text's: judges are told apart by their prompts.
            prompt_hash,
            request,
            model_asked: model.name().to_owned(),
            model_returned: None,
            reply: None,
            earlier: Vec::new(),
            sources: Vec::new(),
            trajectory: None,
            asked_as: None,
            cause: None,
            error: None,
            usage: Usage::default(),
            // A call to which nothing was sent costs nothing; `make` replaces it.
            cost_micro: Some(0),
            price_version: prices
                .find_for(model.name(), ask.search)
                .map(|_| prices.version.clone()),
            ms: 0,
            attempts: 0,
        }
    }

    /// The error of a question that a replay does not find, with the nearest one that it has.
    fn not_on_record(&self, prompt: &str, model: &dyn ChatModel, request: &Value) -> AskError {
        match record::nearest(&self.options.store, prompt, request) {
            Ok(nearest) => AskError::NotOnRecord {
                prompt: prompt.into(),
                model: model.name().into(),
                nearest,
            },
            Err(error) => AskError::Store(error),
        }
    }

    /// How many models answer for the role: more than one is a panel.
    pub fn members(&self, role: &str) -> usize {
        self.options.roles.get(role).map_or(0, Vec::len)
    }

    /// Whether a model of the role is only for trying things out.
    pub fn is_builtin(&self, role: &str, member: usize) -> Result<bool, AskError> {
        Ok(self.model(role, member)?.is_builtin())
    }

    /// Whether the role is filled by code, which is asked nothing: `code/NAME`.
    pub fn is_code(&self, role: &str, member: usize) -> Result<bool, AskError> {
        Ok(is_code(self.model(role, member)?.name()))
    }

    /// Questions of the role that may be asked at once.
    pub fn parallel(&self, role: &str) -> usize {
        let models = self.options.roles.get(role).map_or(&[][..], Vec::as_slice);
        models
            .iter()
            .map(|model| model.parallel())
            .sum::<usize>()
            // A stage with no model bound still has to get as far as the error that says so.
            .max(1)
    }

    /// A model of the role as configured.
    pub fn model_name(&self, role: &str, member: usize) -> Result<String, AskError> {
        Ok(self.model(role, member)?.name().to_owned())
    }

    /// The hash by which judges who are asked with a prompt are known: SHA-256 of its text. Another
    /// draw than the one on record is in it, too: its judgements stay apart.
    pub fn prompt_hash(&self, prompt: &str) -> Result<String, AskError> {
        let hash = (self.options.prompts.hash(prompt)).map_err(AskError::Prompt)?;
        Ok(match self.options.resample {
            0 => hash,
            draw => sha256_hex(format!("{hash} draw {draw}").as_bytes()),
        })
    }

    /// The example replies that a prompt shows.
    pub fn examples(&self, prompt: &str) -> Result<Vec<Value>, AskError> {
        let examples = self.options.prompts.examples(prompt);
        examples.map_err(AskError::Prompt)
    }

    /// A member of the role as a judge by a prompt, who gave this answer. The model that the server
    /// says answered is part of a judge, and a server that names another one each time is refused:
    /// hardly two of its verdicts could be counted together.
    pub fn judge<T>(
        &self,
        role: &str,
        member: usize,
        prompt: &str,
        answer: &Answered<T>,
    ) -> Result<Judge, AskError> {
        let model_asked = self.model_name(role, member)?;
        // Servers may leave it out; two unknown models are one judge.
        let returned = answer.model_returned.as_deref().unwrap_or("unknown");
        // What is on record may be of years.
        if !answer.cached {
            self.note_name(&model_asked, returned)?;
        }
        Ok(Judge {
            model_asked,
            model_returned: returned.to_owned(),
            prompt_hash: self.prompt_hash(prompt)?,
        })
    }

    fn note_name(&self, model: &str, returned: &str) -> Result<(), AskError> {
        let mut state = self.state();
        let names = state.names.entry(model.to_owned()).or_default();
        names.insert(returned.to_owned());
        if names.len() <= MOST_NAMES {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Err(AskError::ManyModels {
            model: model.to_owned(),
            names: names.join("`, `"),
        })
    }

    /// How the number of requests in flight changed, for each model to which a request was sent.
    pub fn rates(&self) -> BTreeMap<String, Vec<RateChange>> {
        let models = self.options.roles.values().flatten();
        models
            .map(|model| (model.name().to_owned(), model.rates()))
            .filter(|(_, rates)| !rates.is_empty())
            .collect()
    }

    /// What a dry run would have asked.
    pub fn prediction(&self) -> Prediction {
        self.state().prediction.clone()
    }

    /// What was asked so far.
    pub fn counts(&self) -> Counts {
        self.state().counts.clone()
    }

    fn model(&self, role: &str, member: usize) -> Result<&Arc<dyn ChatModel>, AskError> {
        let models = self.options.roles.get(role);
        models
            .and_then(|models| models.get(member))
            .ok_or_else(|| AskError::NoModel(role.to_owned()))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call on record stands: what failed for a reason that passes, or that somebody had
    /// to mend, is made again; a reply that could not be used only when asked to.
    fn is_settled<T>(&self, call: &Call, value: &Result<T, Unscored>) -> bool {
        let passing = call.reply.is_none()
            && call
                .cause
                .is_some_and(|c| c.is_transient() || c.is_terminal());
        value.is_ok() || !(passing || self.options.retry_failed)
    }

    /// Counts a call that a dry run does not make.
    async fn predict<T>(
        &self,
        model: &dyn ChatModel,
        ask: &Ask<'_, T>,
        request: &ChatRequest,
    ) -> Result<(), AskError> {
        let experience = self.experience(ask.prompt, model.name())?;
        let input = match model.count(request).await {
            Some(tokens) => tokens,
            None => estimate::prompt_tokens(request, experience.as_ref()),
        };
        let reply = experience.map(|of| of.output.div_ceil(of.calls.max(1)));
        let searches = if request.search {
            model.most_searches().into()
        } else {
            0
        };
        let usage = Usage {
            input,
            output: reply.unwrap_or(request.max_tokens.into()),
            cached: 0,
            searches,
        };
        let price = self.options.prices.find_for(model.name(), request.search);
        let micro = price.map(|price| price.micro(usage));
        let at_most = reply.is_none() || request.search;
        self.state().prediction.add(
            ask.role,
            model.name(),
            usage,
            at_most,
            micro,
            &request.messages,
        );
        Ok(())
    }

    /// What good calls of a prompt to a model came to, looked up once.
    fn experience(&self, prompt: &str, model: &str) -> Result<Option<Experience>, AskError> {
        let key = (prompt.to_owned(), model.to_owned());
        if let Some(known) = self.state().experience.get(&key) {
            return Ok(*known);
        }
        let found = self
            .options
            .store
            .experience(prompt, model)
            .map_err(AskError::Store)?;
        self.state().experience.insert(key, found);
        Ok(found)
    }

    fn count(&self, call: &Call) {
        let mut state = self.state();
        state.counts.made += 1;
        state.counts.note_returned(call);
        state.counts.usage += call.usage;
        state.counts.cost_micro += call.cost_micro.unwrap_or_default();
        state.counts.unpriced += u64::from(call.cost_micro.is_none());
        if let Some(cause) = call.cause {
            *state.counts.failed.entry(cause).or_default() += 1;
        }
    }
}

/// What a dry run answers.
fn not_asked<T>(call: CallId) -> Answered<T> {
    Answered {
        value: Err(Unscored {
            cause: Cause::NotAsked,
            reason: "a dry run asks nobody".into(),
        }),
        call,
        cached: false,
        usage: Usage::default(),
        model_returned: None,
    }
}

/// Says on the log how a call ended.
fn log(call: &Call) {
    match call.cause {
        None => tracing::debug!(call = %call.id, role = call.role, ms = call.ms, "answered"),
        Some(cause) => {
            let error = call.error.as_deref().unwrap_or_default();
            tracing::info!(call = %call.id, role = call.role, attempts = call.attempts, "{cause}: {error}");
        }
    }
}

fn answered<T>(value: Result<T, Unscored>, call: Call, cached: bool) -> Answered<T> {
    Answered {
        value,
        call: call.id,
        cached,
        usage: call.usage,
        model_returned: call.model_returned,
    }
}
