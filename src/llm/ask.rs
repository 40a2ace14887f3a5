//! One question of a stage: prompt, model, record, typed answer. A call on record is never made again.
//! Hides the key of a call, the one repair turn and the fresh attempts, and that a question asked twice at once is sent once.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    Answer, ChatModel, ChatReply, ChatRequest, Finish, ModelError,
    parse::{beginning, parse, without_thinking},
    prompt::Prompts,
};
use crate::{
    data::{Call, CallId, Cause, Message, Unscored, Usage},
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
    /// No model is bound to the role.
    #[error("no model has the role `{0}`\nhint: name one with --model-role {0}=PROVIDER/MODEL")]
    NoModel(String),
    /// The prompt is missing or cannot be filled.
    #[error("{0:#}")]
    Prompt(anyhow::Error),
    /// The record cannot be read or written.
    #[error("{0:#}")]
    Store(anyhow::Error),
}

impl AskError {
    /// Whether a model, a key or a provider is missing.
    pub fn is_about_the_model(&self) -> bool {
        matches!(self, Self::Model { .. } | Self::NoModel(_))
    }
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
}

/// What asking takes.
pub struct LlmOptions {
    /// Where calls are on record.
    pub store: Arc<Store>,
    /// The templates.
    pub prompts: Prompts,
    /// Which models answer for a role; the first is asked.
    pub roles: BTreeMap<String, Vec<Arc<dyn ChatModel>>>,
    /// Whether calls on record whose reply could not be used are made again.
    pub retry_failed: bool,
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
}

impl Llm {
    /// Nothing is asked yet, and no model started.
    pub fn new(options: LlmOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    /// Asks, unless the answer is on record.
    pub async fn ask<T: Answer>(&self, ask: Ask<'_, T>) -> Result<Answered<T>, AskError> {
        let model = self.model(ask.role)?;
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
        let on_record = on_record(model.as_ref(), &request, ask.sample);
        let id = CallId::of(&[&on_record.to_string()]);
        let gate = Arc::clone(self.state().gates.entry(id.clone()).or_default());
        let mut asked = gate.lock().await;
        if let Some(call) = self.options.store.call(&id).map_err(AskError::Store)? {
            let value = read(&call, ask.check);
            if *asked || self.is_settled(&call, &value) {
                self.state().counts.cached += 1;
                return Ok(answered(value, call, true));
            }
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
            ms: 0,
            attempts: 0,
        };
        let stop = self.make(model.as_ref(), request, &mut call, ask.check).await;
        self.options.store.save_call(&call).map_err(AskError::Store)?;
        *asked = true;
        self.count(&call);
        match stop {
            Some(error) => Err(AskError::Model { model: call.model_asked, error }),
            None => Ok(answered(read(&call, ask.check), call, false)),
        }
    }

    /// Whether the role's model is only for trying things out.
    pub fn is_trial(&self, role: &str) -> Result<bool, AskError> {
        Ok(self.model(role)?.is_trial())
    }

    /// Questions of the role that may be asked at once.
    pub fn parallel(&self, role: &str) -> Result<usize, AskError> {
        Ok(self.model(role)?.parallel())
    }

    /// The role's model as configured.
    pub fn model_name(&self, role: &str) -> Result<String, AskError> {
        Ok(self.model(role)?.name().to_owned())
    }

    /// SHA-256 of a prompt's text.
    pub fn prompt_hash(&self, prompt: &str) -> Result<String, AskError> {
        self.options.prompts.hash(prompt).map_err(AskError::Prompt)
    }

    /// What was asked so far.
    pub fn counts(&self) -> Counts {
        self.state().counts.clone()
    }

    fn model(&self, role: &str) -> Result<&Arc<dyn ChatModel>, AskError> {
        let models = self.options.roles.get(role);
        models.and_then(|models| models.first()).ok_or_else(|| AskError::NoModel(role.to_owned()))
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

    /// Sends the question, once more with what was wrong when the reply cannot be used, and then afresh. Returns what must
    /// stop.
    async fn make<T: Answer>(
        &self,
        model: &dyn ChatModel,
        request: ChatRequest,
        call: &mut Call,
        check: &(dyn Fn(&T) -> Result<(), Unscored> + Sync),
    ) -> Option<ModelError> {
        let started = Instant::now();
        let (mut stop, mut repairing) = (None, None);
        let turns = if model.base_url().is_some() { TURNS } else { TURNS_OF_THE_SAME };
        for turn in 1..=turns {
            let already_stopped = self.state().stopped.get(model.name()).cloned();
            let reply = match already_stopped {
                Some(error) => Err(error),
                None => model.chat(repairing.as_ref().unwrap_or(&request)).await,
            };
            match reply {
                Ok(reply) => note_reply(call, reply),
                Err(error) => {
                    stop = self.must_stop(model, &error).then(|| error.clone());
                    note_error(call, &error);
                    break;
                }
            }
            self.note_answered(model);
            let Err(unscored) = read(call, check) else { break };
            call.cause = Some(unscored.cause);
            call.error = Some(unscored.reason.clone());
            // What was cut once may have been talkative; what is cut twice needs more room.
            let cut_again = unscored.cause == Cause::Truncated && turn > 1;
            if turns == TURNS_OF_THE_SAME && ended(unscored.cause) || cut_again {
                break;
            }
            repairing = (turn == 1 && !ended(unscored.cause)).then(|| {
                let mut request = request.clone();
                request.messages.extend(repair(call, &unscored));
                request
            });
        }
        call.ms = started.elapsed().as_millis() as u64;
        stop
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
        if let Some(cause) = call.cause {
            *state.counts.failed.entry(cause).or_default() += 1;
        }
    }
}

/// All that can change the reply. Its fields have a fixed order; the schema keeps its own, because a model writes the
/// fields in that order.
fn on_record(model: &dyn ChatModel, request: &ChatRequest, sample: u32) -> Value {
    json!({
        "model": model.name(),
        "base_url": model.base_url(),
        "messages": request.messages,
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "sample": sample,
    })
}

fn note_reply(call: &mut Call, reply: ChatReply) {
    call.usage += reply.usage;
    call.attempts += reply.attempts;
    call.model_returned = reply.model_returned.or(call.model_returned.take());
    call.reply = Some(reply.text);
    // What the first reply lacked stays in `error` as a note when another one is good.
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
    // A repair turn that fails leaves the first reply and what was wrong with it.
    if call.reply.is_none() {
        call.cause = Some(error.cause);
        call.error = Some(error.message.clone());
    }
}

/// The second turn: the model's own reply, and what is wrong with it.
fn repair(call: &Call, unscored: &Unscored) -> [Message; 2] {
    let said = without_thinking(call.reply.as_deref().unwrap_or_default()).to_owned();
    let wrong = format!(
        "This reply cannot be used ({unscored}). Answer again with exactly one JSON value of the asked shape and nothing else."
    );
    [Message { role: "assistant".into(), content: said }, Message { role: "user".into(), content: wrong }]
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
