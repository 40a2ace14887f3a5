//! One question of a stage: prompt, model, record, typed answer. A call on record is never made again.
//! Hides the key of a call, the one repair turn, and that the same question asked twice at once is sent once.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;

use super::{
    Answer, ChatModel, ChatReply, ChatRequest, Finish, ModelError, RateChange,
    budget::{Amount, Budget, Spent},
    parse::{beginning, parse},
    predict::{self, Prediction},
    prices::Prices,
    prompt::Prompts,
    record,
};
use crate::{
    data::{Call, CallId, Cause, Unscored, Usage},
    store::Store,
};

/// Turns that a model behind a server has for a reply that can be used. The second one quotes what was wrong; the others
/// are the question as it was, because such a model does not say the same thing each time.
const TURNS: usize = 6;
/// Turns of a model that says the same thing each time: the question, and what was wrong with the reply.
const TURNS_OF_THE_SAME: usize = 2;

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
    /// The reply's schema where `T`'s own is too wide, for instance with the ids that were shown as an enum.
    pub schema: Option<Value>,
    /// The reply is cut at this many tokens.
    pub max_tokens: u32,
    /// 0 takes the likeliest token each time.
    pub temperature: f64,
    /// Seed of the draws.
    pub seed: u64,
    /// Tells repetitions of one question apart.
    pub sample: u32,
    /// What neither the schema nor [`Answer::validate`] knows: whether the reply fits what was shown.
    pub check: &'a (dyn Fn(&T) -> Result<(), Unscored> + Sync),
}

impl<T> Default for Ask<'_, T> {
    fn default() -> Self {
        Self {
            role: "",
            member: 0,
            prompt: "",
            vars: &Value::Null,
            schema: None,
            max_tokens: 1000,
            temperature: 0.0,
            seed: 0,
            sample: 0,
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

/// What must stop a run.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No question to this model can succeed before somebody changes something.
    #[error("the model `{model}` cannot be asked: {error}\nhint: {}", error.hint())]
    Model {
        /// `provider/model`.
        model: String,
        /// Why.
        error: ModelError,
    },
    /// The command's budget does not allow another call.
    #[error(
        "the budget is spent: {} so far, and the next call could take {}\nhint: what was answered is saved; run again with a larger budget",
        .0.spent, .0.next
    )]
    Budget(Spent),
    /// Money is limited, and nobody knows what the model costs.
    #[error(
        "the price of `{0}` is unknown, and the budget is in money\nhint: add it to `prices.toml` in the project, or use --budget-tokens"
    )]
    Unpriced(String),
    /// Nothing may be asked, and the call is not on record.
    #[error("not on record: a call of `{prompt}` to `{model}`; {nearest}\nhint: run without --replay to ask it")]
    NotOnRecord {
        /// The prompt's name.
        prompt: String,
        /// `provider/model`.
        model: String,
        /// The nearest call on record, and where it differs.
        nearest: String,
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
}

/// What asking takes.
pub struct LlmOptions {
    /// Where calls are on record.
    pub store: Arc<Store>,
    /// The templates.
    pub prompts: Prompts,
    /// Which models answer for a role.
    pub roles: BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    /// Whether calls on record whose reply could not be used are made again.
    pub retry_failed: bool,
    /// Whether only what is on record counts, and nothing is sent.
    pub replay: bool,
    /// Whether calls that are not on record are only predicted.
    pub dry_run: bool,
    /// What calls cost.
    pub prices: Prices,
    /// What may be spent.
    pub budget: Budget,
}

impl LlmOptions {
    /// Nothing is limited, no price known, and every question that is not on record is asked.
    pub fn new(store: Arc<Store>, prompts: Prompts, roles: BTreeMap<String, Vec<Arc<dyn ChatModel>>>) -> Self {
        Self {
            store,
            prompts,
            roles,
            retry_failed: false,
            replay: false,
            dry_run: false,
            prices: Prices::default(),
            budget: Budget::default(),
        }
    }
}

/// The models that answer, by role.
pub struct Llm {
    options: LlmOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counts: Counts,
    /// One gate a call: it holds whether the call was made by this process.
    gates: HashMap<CallId, Arc<tokio::sync::Mutex<bool>>>,
    /// Models that answered at least once.
    answered: Vec<String>,
    /// Models that cannot be asked any more.
    stopped: HashMap<String, ModelError>,
    /// What a dry run would have asked.
    prediction: Prediction,
}

impl Llm {
    /// Nothing is asked yet, and no model started.
    pub fn new(options: LlmOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    /// Asks, unless the answer is on record.
    pub async fn ask<T: Answer>(&self, ask: Ask<'_, T>) -> Result<Answered<T>, AskError> {
        let model = self.model(ask.role, ask.member)?;
        let schema = ask.schema.clone().unwrap_or_else(schema_of::<T>);
        let rendered = self.options.prompts.render(ask.prompt, ask.vars, &schema).map_err(AskError::Prompt)?;
        let request = ChatRequest {
            messages: rendered.messages,
            schema,
            schema_name: ask.prompt.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
            max_tokens: ask.max_tokens,
            temperature: ask.temperature,
            seed: ask.seed,
        };
        let on_record = record::request(model.as_ref(), &request, ask.sample);
        let id = CallId::of(&[&on_record.to_string()]);
        let gate = Arc::clone(self.state().gates.entry(id.clone()).or_default());
        let mut asked = gate.lock().await;
        if let Some(call) = self.options.store.call(&id).map_err(AskError::Store)? {
            let value = read(&call, ask.check);
            if *asked || self.options.replay || self.is_settled(&call, &value) {
                self.state().counts.cached += 1;
                return Ok(answered(value, call, true));
            }
        }
        if self.options.replay {
            let nearest = record::nearest(&self.options.store, ask.prompt, &on_record).map_err(AskError::Store)?;
            return Err(AskError::NotOnRecord { prompt: ask.prompt.into(), model: model.name().into(), nearest });
        }
        if self.options.dry_run {
            self.predict(model.as_ref(), &ask, &request).await?;
            let value = Err(Unscored { cause: Cause::NotAsked, reason: "a dry run asks nobody".into() });
            return Ok(Answered { value, call: id, cached: false, usage: Usage::default(), model_returned: None });
        }
        let mut call = Call {
            id,
            role: ask.role.to_owned(),
            prompt: ask.prompt.to_owned(),
            prompt_hash: rendered.hash,
            request: on_record,
            model_asked: model.name().to_owned(),
            model_returned: None,
            reply: None,
            cause: None,
            error: None,
            usage: Usage::default(),
            cost_micro: Some(0),
            price_version: self.options.prices.find(model.name()).map(|_| self.options.prices.version.clone()),
            ms: 0,
            attempts: 0,
        };
        let stop = self.make(model.as_ref(), &request, &mut call, ask.check).await;
        match call.cause {
            None => tracing::debug!(call = %call.id, role = call.role, ms = call.ms, "answered"),
            Some(cause) => {
                let error = call.error.as_deref().unwrap_or_default();
                tracing::info!(call = %call.id, role = call.role, attempts = call.attempts, "{cause}: {error}");
            }
        }
        self.options.store.save_call(&call).map_err(AskError::Store)?;
        *asked = true;
        self.count(&call);
        match stop {
            Some(error) => Err(error),
            None => Ok(answered(read(&call, ask.check), call, false)),
        }
    }

    /// How many models answer for the role: more than one is a panel.
    pub fn members(&self, role: &str) -> usize {
        self.options.roles.get(role).map_or(0, Vec::len)
    }

    /// Whether a model of the role is only for trying things out.
    pub fn is_trial(&self, role: &str, member: usize) -> Result<bool, AskError> {
        Ok(self.model(role, member)?.is_trial())
    }

    /// Questions of the role that may be asked at once.
    pub fn parallel(&self, role: &str) -> usize {
        let models = self.options.roles.get(role).map_or(&[][..], Vec::as_slice);
        models.iter().map(|model| model.parallel()).sum::<usize>().max(1)
    }

    /// A model of the role as configured.
    pub fn model_name(&self, role: &str, member: usize) -> Result<String, AskError> {
        Ok(self.model(role, member)?.name().to_owned())
    }

    /// SHA-256 of a prompt's text.
    pub fn prompt_hash(&self, prompt: &str) -> Result<String, AskError> {
        self.options.prompts.hash(prompt).map_err(AskError::Prompt)
    }

    /// How the number of requests in flight changed, for each model that was asked.
    pub fn rates(&self) -> BTreeMap<String, Vec<RateChange>> {
        let models = self.options.roles.values().flatten();
        let asked = self.state().answered.clone();
        models
            .filter(|model| asked.iter().any(|name| name == model.name()))
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
        models.and_then(|models| models.get(member)).ok_or_else(|| AskError::NoModel(role.to_owned()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call on record stands: what failed for a reason that passes, or that somebody had to mend, is made
    /// again; a reply that could not be used only when asked to.
    fn is_settled<T>(&self, call: &Call, value: &Result<T, Unscored>) -> bool {
        let passing = call.reply.is_none() && call.cause.is_some_and(|c| c.is_transient() || c.is_terminal());
        value.is_ok() || !(passing || self.options.retry_failed)
    }

    /// Sends the question, and once more with what was wrong when the reply cannot be used. Another model than one of
    /// our own, whose replies do not repeat, is then asked afresh a few times. Returns what must stop.
    async fn make<T: Answer>(
        &self,
        model: &dyn ChatModel,
        question: &ChatRequest,
        call: &mut Call,
        check: &(dyn Fn(&T) -> Result<(), Unscored> + Sync),
    ) -> Option<AskError> {
        let started = Instant::now();
        let turns = if model.base_url().is_some() { TURNS } else { TURNS_OF_THE_SAME };
        let (mut stop, mut repairing) = (None, None);
        for turn in 1..=turns {
            if let Err(error) = self.turn(model, repairing.as_ref().unwrap_or(question), call).await {
                stop = error;
                break;
            }
            let Err(unscored) = read(call, check) else { break };
            call.cause = Some(unscored.cause);
            call.error = Some(unscored.reason.clone());
            // What was cut once may have been talkative; what is cut twice needs more room.
            let cut_again = unscored.cause == Cause::Truncated && turn > 1;
            if turns == TURNS_OF_THE_SAME && ended(unscored.cause) || cut_again {
                break;
            }
            repairing = (turn == 1 && !ended(unscored.cause)).then(|| self.repair(question, &unscored));
        }
        call.ms = started.elapsed().as_millis() as u64;
        stop
    }

    /// One turn of a question. The error is what must stop the run, if anything.
    async fn turn(
        &self,
        model: &dyn ChatModel,
        request: &ChatRequest,
        call: &mut Call,
    ) -> Result<(), Option<AskError>> {
        let already_stopped = self.state().stopped.get(model.name()).cloned();
        let reply = match already_stopped {
            Some(error) => Err(error),
            None => match self.within_budget(model, request, call).await {
                Ok(reply) => reply,
                Err(stop) => {
                    // What was asked so far stays on record, to be asked again.
                    call.reply = None;
                    call.cause = Some(Cause::NotAsked);
                    call.error = Some(stop.to_string());
                    return Err(Some(stop));
                }
            },
        };
        match reply {
            Ok(reply) => {
                note_reply(call, reply);
                self.note_answered(model);
                Ok(())
            }
            Err(error) => {
                note_error(call, &error);
                let stop = self.must_stop(model, &error);
                Err(stop.then(|| AskError::Model { model: model.name().to_owned(), error }))
            }
        }
    }

    /// Asks with the most that the reply can cost set aside.
    async fn within_budget(
        &self,
        model: &dyn ChatModel,
        request: &ChatRequest,
        call: &mut Call,
    ) -> Result<Result<ChatReply, ModelError>, AskError> {
        let price = self.options.prices.find(model.name());
        if price.is_none() && self.options.budget.limits_money() {
            return Err(AskError::Unpriced(model.name().to_owned()));
        }
        let amount = |usage: Usage| Amount {
            micro: price.map_or(0, |price| price.micro(usage)),
            tokens: usage.input + usage.output,
        };
        let most = Usage { input: record::most_tokens(request), output: request.max_tokens.into(), cached: 0 };
        let reservation = self.options.budget.reserve(amount(most)).await.map_err(AskError::Budget)?;
        let reply = model.chat(request).await;
        let (usage, charged) = match &reply {
            Ok(reply) => (reply.usage, reply.charged),
            Err(error) => (Some(Usage::default()), error.charged),
        };
        // What nobody counted is taken to have cost the most that it could.
        let mut spent = amount(usage.unwrap_or(most));
        for _ in 0..charged {
            spent = spent.plus(amount(most));
        }
        reservation.settle(spent);
        call.cost_micro = match (call.cost_micro, price, usage) {
            (Some(before), Some(price), Some(usage)) => Some(before + price.micro(usage)),
            _ => None,
        };
        Ok(reply)
    }

    /// Counts a call that a dry run does not make.
    async fn predict<T>(&self, model: &dyn ChatModel, ask: &Ask<'_, T>, request: &ChatRequest) -> Result<(), AskError> {
        let store = &self.options.store;
        let experience = store.experience(ask.prompt, model.name()).map_err(AskError::Store)?;
        let input = match model.count(request).await {
            Some(tokens) => tokens,
            None => predict::prompt_tokens(request, experience.as_ref()),
        };
        let reply = experience.map(|of| of.output.div_ceil(of.calls.max(1)));
        let usage = Usage { input, output: reply.unwrap_or(request.max_tokens.into()), cached: 0 };
        let micro = self.options.prices.find(model.name()).map(|price| price.micro(usage));
        self.state().prediction.add(ask.role, model.name(), usage, reply.is_none(), micro, &request.messages);
        Ok(())
    }

    /// The question with what was wrong with the reply. The reply itself is left out, and the reason, which may quote it,
    /// is fenced: it may repeat what a stranger's text says.
    fn repair(&self, question: &ChatRequest, unscored: &Unscored) -> ChatRequest {
        let mut request = question.clone();
        if let Some(last) = request.messages.last_mut() {
            last.content.push_str(&format!(
                "\n\nAn earlier reply could not be used: {}. What a program says of it:\n{}\nAnswer with exactly one JSON value of the asked shape and nothing else.",
                unscored.cause,
                self.options.prompts.quote(&unscored.reason)
            ));
        }
        request
    }

    fn note_answered(&self, model: &dyn ChatModel) {
        let mut state = self.state();
        if !state.answered.iter().any(|name| name == model.name()) {
            state.answered.push(model.name().to_owned());
        }
    }

    /// A model that refuses us, or that nobody ever reached, ends the run; one that was lost on the way does not.
    fn must_stop(&self, model: &dyn ChatModel, error: &ModelError) -> bool {
        let mut state = self.state();
        let reached = state.answered.iter().any(|name| name == model.name());
        let stop = error.is_terminal() || (error.cause == Cause::Connection && !reached);
        if stop {
            state.stopped.entry(model.name().to_owned()).or_insert_with(|| error.clone());
        }
        stop
    }

    fn count(&self, call: &Call) {
        let mut state = self.state();
        state.counts.made += 1;
        state.counts.usage += call.usage;
        state.counts.cost_micro += call.cost_micro.unwrap_or_default();
        state.counts.unpriced += u64::from(call.cost_micro.is_none());
        if let Some(cause) = call.cause {
            *state.counts.failed.entry(cause).or_default() += 1;
        }
    }
}

fn note_reply(call: &mut Call, reply: ChatReply) {
    call.usage += reply.usage.unwrap_or_default();
    call.attempts += reply.attempts;
    call.model_returned = reply.model_returned.or(call.model_returned.take());
    call.reply = Some(reply.text);
    // What the first reply lacked stays in `error` as a note when the second one is good.
    call.cause = match reply.finish {
        Finish::Stop => None,
        Finish::Length => Some(Cause::Truncated),
        Finish::Refused => Some(Cause::Refused),
        Finish::Filtered => Some(Cause::ContentFilter),
    };
}

/// Whether a reply did not end normally, so that there is nothing in it to mend.
fn ended(cause: Cause) -> bool {
    matches!(cause, Cause::Truncated | Cause::Refused | Cause::ContentFilter)
}

fn note_error(call: &mut Call, error: &ModelError) {
    call.attempts += error.attempts;
    // A later turn that came to nothing leaves the call to be made again.
    call.reply = None;
    call.cause = Some(error.cause);
    call.error = Some(error.message.clone());
}

/// The value of a call, or why there is none.
fn read<T: Answer>(call: &Call, check: &(dyn Fn(&T) -> Result<(), Unscored> + Sync)) -> Result<T, Unscored> {
    let reason = || call.error.clone().unwrap_or_default();
    match (&call.reply, call.cause) {
        (Some(_), Some(Cause::Truncated)) => {
            Err(Unscored { cause: Cause::Truncated, reason: "the reply was cut at its largest length".into() })
        }
        (Some(said), Some(Cause::Refused)) => {
            Err(Unscored { cause: Cause::Refused, reason: format!("the model declined: {}", beginning(said)) })
        }
        (Some(_), Some(Cause::ContentFilter)) => {
            Err(Unscored { cause: Cause::ContentFilter, reason: "the provider's filter withheld the reply".into() })
        }
        (Some(reply), _) => parse(reply, check),
        (None, Some(cause)) => Err(Unscored { cause, reason: reason() }),
        (None, None) => Err(Unscored { cause: Cause::NotJson, reason: "no reply is on record".into() }),
    }
}

fn answered<T>(value: Result<T, Unscored>, call: Call, cached: bool) -> Answered<T> {
    Answered { value, call: call.id, cached, usage: call.usage, model_returned: call.model_returned }
}

/// The schema of `T`, closed: every field is wanted and no other is allowed, as servers' strict modes ask.
fn schema_of<T: Answer>() -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.shift_remove("$schema");
    }
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // Names of Rust's number types are no formats that others know.
            if fields.get("type").is_some_and(|of| of != "string") {
                fields.shift_remove("format");
            }
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let names: Vec<Value> = properties.keys().cloned().map(Value::String).collect();
                fields.insert("required".into(), Value::Array(names));
                fields.insert("additionalProperties".into(), Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
