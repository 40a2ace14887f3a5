//! The one fake model server: it speaks as `OpenAI`, Anthropic or Gemini do, and does with each
//! request what a plan says. Hides how each of the three words a reply, a refusal and an error, and
//! how a server limits its callers.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use futures_util::stream;
use serde_json::{Value, json};
use taskgen::{
    data::id::sha256_hex,
    http::{Http, HttpOptions},
    llm::{ChatRequest, Provider, Remote, RemoteOptions},
};

use super::{answers, web};

pub const ALL: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini];
pub const KEY: &str = "planted-key";

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

impl Request {
    /// The prompt that it asks with, for instance `weave_task`: the program gives the schema of a
    /// reply the name of the prompt. Only `OpenAI`'s dialect sends that name.
    pub fn prompt(&self) -> &str {
        self.body["response_format"]["json_schema"]["name"]
            .as_str()
            .unwrap_or_else(|| panic!("a request without a named schema: {}", self.body))
    }

    /// The schema of the reply that it asks for, as `OpenAI`'s dialect sends it.
    pub fn schema(&self) -> &Value {
        &self.body["response_format"]["json_schema"]["schema"]
    }
}

/// How often each question has come, for faults that depend on the question and the attempt.
#[derive(Default)]
pub struct Attempts(Mutex<BTreeMap<u64, u64>>);

impl Attempts {
    /// The number of a request's question, drawn from its text, and which attempt at it this is,
    /// from 1.
    pub fn of(&self, body: &Value) -> (u64, u64) {
        let question = sha256_hex(body["messages"][1]["content"].to_string().as_bytes());
        let item = u64::from_str_radix(&question[..15], 16).expect("hexadecimal");
        let mut attempts = self.0.lock().expect("no panic");
        let attempt = attempts.entry(item).or_default();
        *attempt += 1;
        (item, *attempt)
    }
}

/// What the server does with it.
#[derive(Clone, Debug)]
pub enum Play {
    /// A reply.
    Say(String),
    /// A reply that was cut at its largest length.
    Long(String),
    /// The model declines.
    Decline,
    /// The provider's filter withholds the reply.
    Filter,
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// A success with this body, whatever it is.
    Raw(String),
    /// A body that breaks off with its connection.
    Cut,
    /// A body without an end.
    Endless,
    /// No answer at all.
    Hang,
}

/// How the pipeline's model behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mood {
    /// It answers every prompt.
    #[default]
    Helpful,
    /// One question in eight has no usable answer, however often it is asked.
    Moody,
    /// No question has a usable answer.
    Mute,
    /// Reviews and probes reject everything.
    Strict,
    /// The server says that another model answers.
    Renamed,
}

/// A question that any object answers.
pub fn any_question() -> ChatRequest {
    ChatRequest {
        messages: Vec::new(),
        schema: json!({ "type": "object" }),
        schema_name: "s".into(),
        max_tokens: 60,
        temperature: 0.0,
        seed: 0,
        search: false,
        offered: Vec::new(),
    }
}

type Plan = dyn Fn(&Request) -> Play + Send + Sync;

/// A server that is being set up.
pub struct Builder {
    provider: Provider,
    delay: Duration,
    at_once: usize,
    a_second: usize,
}

impl Builder {
    /// It thinks so long before each answer.
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// It refuses more questions at once.
    pub fn at_once(self, at_once: usize) -> Self {
        Self { at_once, ..self }
    }

    /// It refuses more questions in a second.
    pub fn a_second(self, a_second: usize) -> Self {
        Self { a_second, ..self }
    }

    /// Starts a server that does with each request what `plan` says.
    pub fn plays(self, plan: impl Fn(&Request) -> Play + Send + Sync + 'static) -> ModelServer {
        self.start(Arc::new(plan), Arc::default())
    }

    /// Starts a server that goes through `steps`, and afterwards says `then` each time.
    pub fn script(self, steps: Vec<Play>, then: &str) -> ModelServer {
        let steps = Mutex::new(VecDeque::from(steps));
        let then = Play::Say(then.to_owned());
        self.plays(move |_| lock(&steps).pop_front().unwrap_or_else(|| then.clone()))
    }

    /// Starts the pipeline's model: it answers every prompt so that all rules are met.
    pub fn pipeline(self) -> ModelServer {
        let mood = Arc::<Mutex<Mood>>::default();
        let now = Arc::clone(&mood);
        self.start(
            Arc::new(move |request| {
                let mood = *lock(&now);
                answers::play(request, mood)
            }),
            mood,
        )
    }

    fn start(self, plan: Arc<Plan>, mood: Arc<Mutex<Mood>>) -> ModelServer {
        let state = Arc::new(Running {
            setup: self,
            plan,
            seen: Mutex::default(),
            busy: AtomicUsize::new(0),
            accepted: Mutex::default(),
            answered: Mutex::default(),
            refused: AtomicUsize::new(0),
        });
        let address = web::serve(
            Router::new()
                .fallback(answer)
                .with_state(Arc::clone(&state)),
        );
        let version = match state.setup.provider {
            Provider::OpenAi | Provider::Sonar => "/v1",
            _ => "",
        };
        ModelServer {
            provider: state.setup.provider,
            url: format!("{address}{version}"),
            state,
            mood,
        }
    }
}

/// What a running server knows and saw.
struct Running {
    setup: Builder,
    plan: Arc<Plan>,
    seen: Mutex<Vec<Request>>,
    busy: AtomicUsize,
    accepted: Mutex<VecDeque<Instant>>,
    answered: Mutex<Vec<Instant>>,
    refused: AtomicUsize,
}

impl Running {
    /// Whether a question is within the limits; then it counts.
    fn accepts(&self) -> bool {
        let mut accepted = lock(&self.accepted);
        while accepted
            .front()
            .is_some_and(|at| at.elapsed() >= Duration::from_secs(1))
        {
            accepted.pop_front();
        }
        let accepts = self.busy.load(Ordering::SeqCst) < self.setup.at_once
            && accepted.len() < self.setup.a_second;
        if accepts {
            self.busy.fetch_add(1, Ordering::SeqCst);
            accepted.push_back(Instant::now());
        }
        accepts
    }
}

/// A question that is being thought about; one whose asker goes away is over, too.
struct Busy<'a>(&'a AtomicUsize);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A running server. It ends with the process.
#[derive(Clone)]
pub struct ModelServer {
    pub provider: Provider,
    /// The address as a configuration names it.
    pub url: String,
    state: Arc<Running>,
    mood: Arc<Mutex<Mood>>,
}

impl ModelServer {
    /// A server that speaks as `provider` does.
    pub fn speaking(provider: Provider) -> Builder {
        Builder {
            provider,
            delay: Duration::ZERO,
            at_once: usize::MAX,
            a_second: usize::MAX,
        }
    }

    /// A server that speaks as `OpenAI` does.
    pub fn openai() -> Builder {
        Self::speaking(Provider::OpenAi)
    }

    /// From now on the pipeline's model behaves so.
    pub fn set_mood(&self, mood: Mood) {
        *lock(&self.mood) = mood;
    }

    /// Every request so far, in the order in which they came.
    pub fn seen(&self) -> Vec<Request> {
        lock(&self.state.seen).clone()
    }

    /// How many requests came since the last call of this function or of `taken`.
    pub fn take(&self) -> usize {
        self.taken().len()
    }

    /// Which requests came since the last call of this function or of `take`.
    pub fn taken(&self) -> Vec<Value> {
        let taken = std::mem::take(&mut *lock(&self.state.seen));
        taken.into_iter().map(|request| request.body).collect()
    }

    /// How often each request came.
    pub fn repeats(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for request in lock(&self.state.seen).iter() {
            *counts
                .entry(request.body["messages"].to_string())
                .or_default() += 1;
        }
        counts
    }

    /// When each answer was given.
    pub fn answered(&self) -> Vec<Instant> {
        lock(&self.state.answered).clone()
    }

    /// How many questions were over a limit.
    pub fn refused(&self) -> usize {
        self.state.refused.load(Ordering::SeqCst)
    }

    /// A model behind the server, in a hurry.
    pub fn model(&self) -> Remote {
        Remote::new(self.options())
    }

    pub fn options(&self) -> RemoteOptions {
        options(self.provider, &self.url)
    }
}

/// What a model needs behind a server at `url` that speaks as `provider` does.
pub fn options(provider: Provider, url: &str) -> RemoteOptions {
    RemoteOptions {
        name: "fake/m".into(),
        model: "m".into(),
        provider,
        base_url: url.to_owned(),
        api_key: Some(KEY.into()),
        http: Some(Http::new(HttpOptions::default()).expect("a client")),
        timeout: Duration::from_secs(10),
        pause: Duration::from_millis(5),
        ..RemoteOptions::default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while locked")
}

async fn answer(
    State(server): State<Arc<Running>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if !server.accepts() {
        server.refused.fetch_add(1, Ordering::SeqCst);
        return played(
            server.setup.provider,
            Play::Status(429, Vec::new(), "{}".into()),
        );
    }
    let busy = Busy(&server.busy);
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let request = Request {
        path: uri.to_string(),
        headers: headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        body: serde_json::from_slice(&body).expect("JSON"),
    };
    let play = (server.plan)(&request);
    lock(&server.seen).push(request);
    if matches!(play, Play::Hang) {
        std::future::pending::<()>().await;
    }
    if !server.setup.delay.is_zero() {
        tokio::time::sleep(server.setup.delay).await;
    }
    drop(busy);
    lock(&server.answered).push(Instant::now());
    played(server.setup.provider, play)
}

fn played(provider: Provider, play: Play) -> Response<Body> {
    let ok = |value: Value| Response::new(Body::from(value.to_string()));
    match play {
        Play::Say(text) => ok(reply(provider, &text, End::Normal)),
        Play::Long(text) => ok(reply(provider, &text, End::Length)),
        Play::Decline => ok(reply(provider, "I would rather not.", End::Declined)),
        Play::Filter => ok(reply(provider, "", End::Filtered)),
        Play::Raw(body) => Response::new(Body::from(body)),
        Play::Status(status, headers, body) => {
            let response = Response::builder().status(status);
            headers
                .iter()
                .fold(response, |all, (name, value)| all.header(*name, value))
                .body(Body::from(body))
                .expect("a response")
        }
        Play::Cut => {
            let broken = || std::io::Error::other("cut");
            Response::new(Body::from_stream(stream::iter([
                Ok(Bytes::from_static(b"{\"choi")),
                Err(broken()),
            ])))
        }
        Play::Hang => unreachable!("a server that hangs has no answer"),
        Play::Endless => {
            let spaces = Bytes::from(vec![b' '; 1 << 18]);
            Response::new(Body::from_stream(stream::repeat_with(move || {
                Ok::<_, std::io::Error>(spaces.clone())
            })))
        }
    }
}

/// How a reply ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Normal,
    Length,
    Declined,
    Filtered,
}

/// A whole answer, with thoughts beside the reply, 50 tokens read of which 20 were kept, and 7
/// written.
fn reply(provider: Provider, text: &str, end: End) -> Value {
    match provider {
        Provider::OpenAi | Provider::Sonar => {
            let mut message = json!({ "role": "assistant", "content": text, "reasoning_content": "{\"winner\":\"B\"}" });
            if end == End::Declined {
                message = json!({ "role": "assistant", "content": null, "refusal": text });
            }
            let reason = match end {
                End::Normal | End::Declined => "stop",
                End::Length => "length",
                End::Filtered => "content_filter",
            };
            json!({
                "model": "fake-1",
                "choices": [{ "message": message, "finish_reason": reason }],
                "usage": { "prompt_tokens": 50, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 20 } }
            })
        }
        Provider::Anthropic => {
            let reason = match end {
                End::Normal => "end_turn",
                End::Length => "max_tokens",
                End::Declined | End::Filtered => "refusal",
            };
            let thoughts =
                json!({ "type": "thinking", "thinking": "{\"winner\":\"B\"}", "signature": "s" });
            json!({
                "type": "message", "role": "assistant", "model": "fake-1", "stop_reason": reason,
                "content": [thoughts, { "type": "text", "text": text }],
                "usage": { "input_tokens": 20, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10, "output_tokens": 7 }
            })
        }
        // Servers of the other protocols are in `responses`.
        _ => {
            let usage = json!({
                "promptTokenCount": 50, "candidatesTokenCount": 4, "thoughtsTokenCount": 3, "cachedContentTokenCount": 20
            });
            if end == End::Filtered {
                return json!({ "promptFeedback": { "blockReason": "SAFETY" }, "modelVersion": "fake-1", "usageMetadata": usage });
            }
            let reason = match end {
                End::Length => "MAX_TOKENS",
                End::Declined => "SAFETY",
                _ => "STOP",
            };
            let thoughts = json!({ "text": "{\"winner\":\"B\"}", "thought": true });
            json!({
                "modelVersion": "fake-1", "usageMetadata": usage,
                "candidates": [{ "finishReason": reason, "content": { "role": "model", "parts": [thoughts, { "text": text }] } }]
            })
        }
    }
}

/// A reply of one token with the log-probabilities of the likeliest ones, as `OpenAI` words it.
pub fn weighed(likeliest: &[(&str, f64)]) -> Play {
    let token =
        |&(token, log): &(&str, f64)| json!({ "token": token, "logprob": log, "bytes": null });
    let likeliest: Vec<Value> = likeliest.iter().map(token).collect();
    let mut body = reply(Provider::OpenAi, "1", End::Length);
    body["choices"][0]["logprobs"] = json!({ "content": [{
        "token": "1", "logprob": -0.1, "bytes": null, "top_logprobs": likeliest
    }] });
    Play::Raw(body.to_string())
}

/// A reply whose source the provider names beside the text, after a search of the web.
pub fn searched(provider: Provider, text: &str, url: &str, title: &str) -> Play {
    let mut body = reply(provider, text, End::Normal);
    let page = json!({ "url": url, "title": title });
    match provider {
        Provider::OpenAi | Provider::Sonar => {
            body["choices"][0]["message"]["annotations"] =
                json!([{ "type": "url_citation", "url_citation": page }]);
        }
        Provider::Anthropic => {
            let cited = json!({ "type": "web_search_result_location", "url": url, "title": title, "cited_text": "…" });
            let found = json!({ "type": "web_search_result", "url": url, "title": title, "encrypted_content": "e" });
            body["content"] = json!([
                { "type": "text", "text": "I look it up." },
                { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "gravel" } },
                { "type": "web_search_tool_result", "tool_use_id": "s1", "content": [found] },
                { "type": "text", "text": text, "citations": [cited] }
            ]);
            body["usage"]["server_tool_use"] = json!({ "web_search_requests": 1 });
        }
        // Servers of the other protocols are in `responses`.
        _ => {
            let chunks = json!([{ "web": { "uri": url, "title": title } }]);
            body["candidates"][0]["groundingMetadata"] =
                json!({ "webSearchQueries": ["gravel"], "groundingChunks": chunks });
        }
    }
    Play::Raw(body.to_string())
}

/// An error in the provider's own shape; `kind` is its type, code or status.
pub fn error(provider: Provider, status: u16, kind: &str, message: &str) -> Play {
    let body = match provider {
        Provider::OpenAi | Provider::Sonar => {
            json!({ "error": { "message": message, "type": kind, "code": kind } })
        }
        Provider::Anthropic => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        // Servers of the other protocols are in `responses`.
        _ => {
            json!({ "error": { "code": status, "message": message, "status": kind } })
        }
    };
    Play::Status(status, Vec::new(), body.to_string())
}

/// The account is out of money, as each provider says it.
pub fn no_money(provider: Provider) -> Play {
    match provider {
        Provider::OpenAi | Provider::Sonar => error(
            provider,
            429,
            "insufficient_quota",
            "You exceeded your current quota",
        ),
        Provider::Anthropic => error(
            provider,
            400,
            "invalid_request_error",
            "Your credit balance is too low",
        ),
        _ => error(
            provider,
            429,
            "RESOURCE_EXHAUSTED",
            "Quota exceeded: GenerateRequestsPerDayPerProject",
        ),
    }
}
