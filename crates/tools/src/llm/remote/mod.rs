//! A model behind a server: one way of sending, retrying, limiting and failing for every provider.
//! Hides each provider's dialect, what a server was found not to take, and everything that can go
//! wrong on the wire.

mod anthropic;
mod background;
mod capabilities;
mod failure;
mod gate;
mod gemini;
mod headers;
mod limiter;
mod openai;
mod options;
mod parts;
mod request_fields;
mod research;
mod responses;
mod responses_steps;
mod secrets;
mod waiting;

use std::{
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::Value;

use self::{
    failure::Failed,
    gate::{Gate, Pass},
    headers::Allowance,
    limiter::{Limits, Seen},
    waiting::Waiting,
};
use super::{
    ChatModel, ChatReply, ChatRequest, Hold, ModelError, Pending, Purse, Spent,
    background::NotKept, record::most_tokens,
};
use crate::{
    data::{Cause, Usage},
    http::{self, Again, Http, HttpOptions, Retries},
    llm::remote::capabilities::{Capabilities, Form, KnownCapabilities},
};

pub use self::{
    limiter::{RateChange, RateReason},
    options::{Provider, RemoteOptions},
    research::{
        ContextSize, Effort, Preset, Recency, Research, SearchMode, SearchSettings,
        is_deep_research,
    },
    secrets::shown_url,
};
pub use crate::llm::remote::capabilities::THINKING_ROOM;

/// A reply larger than this is no reply.
const LARGEST_BODY: usize = 8 << 20;
/// Connections that are tried to a server that was never there.
const KNOCKS: u32 = 3;
/// Searches of the web that a model may make for one text, where its provider takes a limit. More
/// than ten would make Anthropic's servers pause in the middle.
pub const MOST_SEARCHES: u32 = 8;
/// A server that asks for a longer pause is given up for now.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// What differs between providers, and nothing else.
trait Dialect: Send + Sync {
    /// Where questions go, below the base URL, which has no slash at its end.
    fn url(&self, base: &str, model: &str) -> String;
    /// Where a reply is that is made in the background.
    fn url_of_reply(&self, base: &str, model: &str, id: &str) -> String {
        format!("{}/{id}", self.url(base, model))
    }
    /// The headers that carry the key and the protocol's version.
    fn headers(&self, url: &Url, key: Option<&str>) -> Vec<(&'static str, String)>;
    /// Ways to ask for a reply of a schema, the best one first.
    fn forms(&self) -> &'static [Form];
    /// The question.
    fn body(&self, model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value;
    /// The most tokens of the reply, thoughts included.
    fn length(&self, request: &ChatRequest, capabilities: Capabilities) -> u32 {
        capabilities.length(request)
    }
    /// Whether a body is of a reply that is still being made in the background.
    fn is_in_the_making(&self, _body: &Value) -> bool {
        false
    }
    /// Whether a success is a reply even where it holds an error, which has its own words then.
    fn is_reply(&self, _body: &Value) -> bool {
        false
    }
    /// The id of a reply that is still being made in the background; none of any other answer.
    fn unfinished(&self, _body: &Value) -> Option<String> {
        None
    }
    /// The answer to the question.
    fn reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, Failed>;
    /// What only this provider says when it refuses; `text` is the whole body in lower case.
    fn cause(&self, status: u16, error: &Value, text: &str) -> Option<Cause>;
    /// How long the server asks to wait, where it says so in the body.
    fn wait(&self, _error: &Value) -> Option<Duration> {
        None
    }
}

/// A model behind a server.
pub struct Remote {
    options: RemoteOptions,
    dialect: Box<dyn Dialect>,
    http: Option<Http>,
    shown_url: String,
    /// What must never be said: the key, and what the URL hides.
    secrets: Vec<String>,
    gate: Gate,
    /// What the server was found not to take; remembered, so that it is not found out at each call.
    capabilities: Mutex<KnownCapabilities>,
    /// Why no question can be answered any more, so that those who wait to send one do not.
    closed: OnceLock<ModelError>,
    /// Whether the server was ever there. One that never was is soon given up: its address is
    /// wrong, or it does not run.
    reached: AtomicBool,
    waiting: Waiting,
}

impl Remote {
    /// Nothing is sent yet.
    pub fn new(options: RemoteOptions) -> Self {
        let most = options.most.max(options.start).max(1);
        let limits = Limits {
            start: options.start,
            most,
            pause: options.pause,
            longest: LONGEST_PAUSE,
        };
        Self {
            dialect: dialect(&options),
            http: options
                .http
                .clone()
                .or_else(|| Http::new(HttpOptions::default()).ok()),
            shown_url: shown_url(&options.base_url),
            secrets: secrets::secrets(&options),
            gate: Gate::new(limits),
            capabilities: Mutex::default(),
            closed: OnceLock::new(),
            reached: AtomicBool::new(false),
            waiting: Waiting::new(options.say.clone()),
            options: RemoteOptions { most, ..options },
        }
    }

    fn tell_of(&self, wait: Duration, why: &str) {
        self.waiting.tell(&self.options.name, wait, why);
    }

    /// One attempt: as many requests, one after the other, as it takes to find out what the server
    /// does not take.
    async fn attempt(&self, request: &ChatRequest, sent: &Sent<'_>) -> Result<ChatReply, Failed> {
        let mut pass = self
            .gate
            .enter(|wait| self.tell_of(wait, "its server asked for a pause"))
            .await
            .map_err(|closed| failure::closed(&self.shown_url, closed))?;
        if let Some(error) = self.closed.get() {
            return Err(Failed::new(
                error.cause,
                error.message.clone(),
                Again::Never,
            ));
        }
        // Others may have found out something while this one waited.
        let mut capabilities = self.known().capabilities;
        capabilities.room |= self.thinks();
        let mut named = true;
        let forms = if request.has_schema() {
            self.dialect.forms()
        } else {
            &[][..]
        };
        loop {
            let outcome = self.send(request, capabilities, sent, &mut pass).await;
            let next = match &outcome {
                // A text that was cut in the background is not made and charged again.
                Ok(_) if self.is_background(request) => None,
                Ok(reply) => capabilities.with_room(reply),
                Err(failed) if failed.is_about_capabilities() => {
                    capabilities.without(&failed.server_text, forms)
                }
                Err(_) => None,
            };
            match (next, outcome) {
                (Some((next, is_named)), _) => {
                    named &= is_named;
                    capabilities = next;
                }
                (None, Ok(reply)) => {
                    self.known().remember(capabilities, named);
                    return Ok(ChatReply {
                        asked_as: capabilities.in_words(forms),
                        ..reply
                    });
                }
                (None, Err(failed)) => return Err(failed.without_logprobs(request)),
            }
        }
    }

    /// One request.
    async fn send(
        &self,
        request: &ChatRequest,
        capabilities: Capabilities,
        sent: &Sent<'_>,
        pass: &mut Pass<'_>,
    ) -> Result<ChatReply, Failed> {
        let post = self.post()?.json(&self.dialect.body(
            &self.options.model,
            request,
            capabilities,
        ));
        let hold = self.hold(request, capabilities, sent).await?;
        sent.requests.fetch_add(1, Ordering::Relaxed);
        let outcome = match self.answer(post, request, sent, pass).await {
            Ok(Answer::Whole(reply)) => Ok(*reply),
            Ok(Answer::Made(id)) => self.await_reply(&id, request, sent).await,
            Err(failed) => Err(failed),
        };
        settle(hold, &outcome);
        if let Some(failed) = outcome
            .as_ref()
            .err()
            .filter(|failed| failed.error.is_terminal())
        {
            self.closed.get_or_init(|| failed.error.clone());
        }
        pass.saw(match &outcome {
            Ok(reply) => Seen::Answered(
                reply
                    .usage
                    .map_or(0, |usage| usage.input.saturating_add(usage.output)),
            ),
            Err(failed) if failed.error.cause == Cause::RateLimit => {
                Seen::Refused(failed.error.retry_after)
            }
            Err(_) => Seen::Neither,
        });
        outcome
    }

    /// Sets aside the most that a reply can take.
    async fn hold<'a>(
        &self,
        request: &ChatRequest,
        capabilities: Capabilities,
        sent: &Sent<'a>,
    ) -> Result<Hold<'a>, Failed> {
        let searches = if request.search {
            self.most_searches()
        } else {
            0
        };
        let most = Usage {
            input: most_tokens(request, searches),
            output: self.dialect.length(request, capabilities).into(),
            cached: 0,
            searches: searches.into(),
        };
        let never = |spent: Spent| Failed::new(Cause::NotAsked, spent.to_string(), Again::Never);
        sent.purse.hold(most).await.map_err(never)
    }

    /// Whether replies to such questions are made in the background.
    fn is_background(&self, request: &ChatRequest) -> bool {
        let options = &self.options;
        options.research.is_background(options.provider, request)
    }

    /// Whether the model is taken to think before it answers.
    fn thinks(&self) -> bool {
        matches!(
            self.options.provider,
            Provider::Responses | Provider::Xai | Provider::Perplexity
        )
    }

    fn known(&self) -> std::sync::MutexGuard<'_, KnownCapabilities> {
        self.capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self) -> Result<reqwest::RequestBuilder, Failed> {
        let of_model = |base: &str| self.dialect.url(base, &self.options.model);
        self.request(Method::POST, of_model, self.options.timeout)
    }

    /// A request below the base URL, with the provider's headers.
    fn request(
        &self,
        method: Method,
        place: impl Fn(&str) -> String,
        timeout: Duration,
    ) -> Result<reqwest::RequestBuilder, Failed> {
        let never = |message| Failed::new(Cause::ModelNotFound, message, Again::Never);
        let (base, query) = self
            .options
            .base_url
            .split_once('?')
            .unwrap_or((&self.options.base_url, ""));
        let mut url = Url::parse(&place(base.trim_end_matches('/'))).map_err(|error| {
            never(format!(
                "the base URL `{}` is none: {error}",
                self.shown_url
            ))
        })?;
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        let http = self
            .http
            .as_ref()
            .ok_or_else(|| never("no HTTP client can be made".to_owned()))?;
        let post = http
            .request(method, &url)
            .map_err(|error| never(format!("--offline forbids a connection to `{}`", error.0)))?;
        let headers = self.dialect.headers(&url, self.options.api_key.as_deref());
        Ok(headers
            .into_iter()
            .fold(post.timeout(timeout), |post, (name, value)| {
                post.header(name, value)
            }))
    }

    async fn answer(
        &self,
        post: reqwest::RequestBuilder,
        request: &ChatRequest,
        sent: &Sent<'_>,
        pass: &Pass<'_>,
    ) -> Result<Answer, Failed> {
        let response = post.send().await.map_err(|error| failure::lost(&error))?;
        pass.hear(Allowance::read(response.headers(), jiff::Timestamp::now()));
        let value = self.body_of(response).await?;
        let Some(id) = self.dialect.unfinished(&value) else {
            let reply = self.dialect.reply(&value, request)?;
            return Ok(Answer::Whole(Box::new(reply)));
        };
        // Before anything else is done: whoever is killed from here on goes on with this reply.
        sent.pending.begin(&id);
        Ok(Answer::Made(id))
    }

    /// The JSON of a successful answer, or why there is none.
    async fn body_of(&self, response: Response) -> Result<Value, Failed> {
        self.reached.store(true, Ordering::Relaxed);
        let (status, wait) = (
            response.status(),
            http::retry_after(response.headers(), jiff::Timestamp::now()),
        );
        let body = self.redacted(&read_capped(response).await?);
        let value: Option<Value> = serde_json::from_str(&body).ok();
        match value {
            Some(value) if status.is_success() => {
                // A response that failed is a success with an error in it, and has its own words.
                match failure::in_a_success(&value).filter(|_| !self.dialect.is_reply(&value)) {
                    Some(status) => Err(self.rejected(status, wait, &body)),
                    None => Ok(value),
                }
            }
            None if status.is_success() => Err(failure::broken(&body)),
            _ => Err(self.rejected(status, wait, &body)),
        }
    }

    fn again(&self, failed: &Failed, sent: &Sent<'_>) -> Again {
        let nobody_there =
            failed.error.cause == Cause::Connection && !self.reached.load(Ordering::Relaxed);
        if nobody_there && sent.requests.load(Ordering::Relaxed) >= KNOCKS {
            Again::Never
        } else {
            failed.again
        }
    }

    /// A status that is no success, as a typed failure.
    fn rejected(&self, status: StatusCode, wait: Option<Duration>, body: &str) -> Failed {
        let error = failure::error_of(body);
        let text = body.chars().take(20_000).collect::<String>().to_lowercase();
        let server_text = failure::words_of(body).to_lowercase();
        let own = self.dialect.cause(status.as_u16(), &error, &text);
        let cause = own.unwrap_or_else(|| failure::cause_of(status.as_u16(), &text));
        let wait = wait.or_else(|| self.dialect.wait(&error));
        let message = format!(
            "{} says {status}: {}",
            self.shown_url,
            failure::message_of(&error, body)
        );
        let again = match wait {
            Some(wait) if cause.is_transient() => Again::After(wait),
            None if cause.is_transient() => Again::Later,
            _ => Again::Never,
        };
        let error = ModelError {
            retry_after: wait,
            ..ModelError::new(cause, message)
        };
        Failed {
            error,
            again,
            server_text,
            ..Failed::new(cause, String::new(), again)
        }
    }

    /// A server may echo the key or the URL, in an error or in an answer.
    fn redacted(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body).into_owned();
        self.secrets
            .iter()
            .fold(text, |text, secret| text.replace(secret.as_str(), "…"))
    }
}

#[async_trait]
impl ChatModel for Remote {
    fn name(&self) -> &str {
        &self.options.name
    }

    fn base_url(&self) -> Option<&str> {
        Some(&self.shown_url)
    }

    fn key_variable(&self) -> Option<&str> {
        self.options.key_variable.as_deref()
    }

    fn is_builtin(&self) -> bool {
        false
    }

    fn rates(&self) -> Vec<RateChange> {
        // The server was reached, or refused: only then there is something to tell.
        if self.reached.load(Ordering::Relaxed) {
            self.gate.history()
        } else {
            Vec::new()
        }
    }

    fn research(&self) -> Option<Value> {
        self.options.research.key()
    }

    fn most_searches(&self) -> u32 {
        let options = &self.options;
        options.research.searches(options.provider, &options.model)
    }

    /// Generous: the limiter says how many of them are in flight.
    fn parallel(&self) -> usize {
        self.options.most
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        purse: &Purse<'_>,
    ) -> Result<ChatReply, ModelError> {
        self.chat_pending(request, purse, &NotKept).await
    }

    async fn chat_pending(
        &self,
        request: &ChatRequest,
        purse: &Purse<'_>,
        pending: &dyn Pending,
    ) -> Result<ChatReply, ModelError> {
        let sent = Sent {
            requests: AtomicU32::new(0),
            purse,
            pending,
        };
        // A reply that was begun is paid for, whatever the configuration says by now.
        let has_background = self.options.provider.has_background();
        let outcome = match pending.begun().filter(|_| has_background) {
            Some(id) => self.go_on(&id, request, &sent).await,
            None => self.ask(request, &sent).await,
        };
        let attempts = sent.requests.into_inner();
        match outcome {
            Ok(reply) => Ok(ChatReply { attempts, ..reply }),
            Err(failed) => Err(ModelError {
                attempts,
                ..failed.error
            }),
        }
    }
}

impl Remote {
    /// Asks, as often as makes sense.
    async fn ask(&self, request: &ChatRequest, sent: &Sent<'_>) -> Result<ChatReply, Failed> {
        let policy = Retries {
            attempts: self.options.attempts.max(1),
            pause: self.options.pause,
            longest: LONGEST_PAUSE,
        };
        let again = |failed: &Failed| match failed.error.cause {
            // A text that took too long takes as long again, and is charged again.
            Cause::Timeout if request.is_text() => Again::Never,
            // It may be in the making, and nobody knows its id.
            Cause::Connection if failed.charged && self.is_background(request) => Again::Never,
            _ => self.again(failed, sent),
        };
        let tell = |failed: &Failed, pause| self.tell_of(pause, &failed.error.message);
        http::retry_telling(policy, || self.attempt(request, sent), again, tell).await
    }
}

/// What came back of a question.
enum Answer {
    /// The reply.
    Whole(Box<ChatReply>),
    /// The id of a reply that is made in the background.
    Made(String),
}

/// Books what an outcome took.
fn settle(hold: Hold<'_>, outcome: &Result<ChatReply, Failed>) {
    match outcome {
        Ok(ChatReply {
            usage: Some(usage), ..
        }) => hold.counted(*usage),
        Ok(_) => hold.uncounted(),
        Err(failed) => match &failed.usage {
            Some(usage) => hold.counted(**usage),
            None if failed.pending => hold.postponed(),
            None if failed.charged => hold.uncounted(),
            None => drop(hold),
        },
    }
}

fn dialect(options: &RemoteOptions) -> Box<dyn Dialect> {
    let research = options.research.clone();
    match options.provider {
        Provider::OpenAi | Provider::Sonar => Box::new(openai::OpenAi {
            is_sonar: options.provider == Provider::Sonar,
            search: research.search,
        }),
        Provider::Responses | Provider::Xai | Provider::Perplexity => {
            Box::new(responses::Responses {
                provider: options.provider,
                model: options.model.clone(),
                research,
            })
        }
        Provider::Anthropic => Box::new(anthropic::Anthropic {
            search: research.search,
        }),
        Provider::Gemini => Box::new(gemini::Gemini),
    }
}

/// The requests of one question.
struct Sent<'a> {
    requests: AtomicU32,
    purse: &'a Purse<'a>,
    pending: &'a dyn Pending,
}

async fn read_capped(mut response: Response) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| failure::lost(&error))?
    {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST_BODY {
            return Err(
                Failed::new(Cause::NotJson, "the reply has no end".into(), Again::Later).charged(),
            );
        }
    }
    Ok(body)
}
