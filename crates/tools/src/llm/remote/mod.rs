//! A model behind a server: one way of sending, retrying, limiting and failing for every provider.
//! Hides each provider's dialect, what a server was found not to take, and everything that can go
//! wrong on the wire.

mod anthropic;
mod capabilities;
mod failure;
mod gate;
mod gemini;
mod headers;
mod limiter;
mod openai;
mod options;
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
    ChatModel, ChatReply, ChatRequest, Finish, ModelError, Purse, Spent, record::most_tokens,
};
use crate::{
    data::{Cause, Source, Usage},
    http::{self, Again, Http, HttpOptions, Retries},
    llm::remote::capabilities::{Capabilities, Form, KnownCapabilities},
};

pub use self::{
    limiter::{RateChange, RateReason},
    options::{Provider, RemoteOptions},
};
pub use crate::llm::remote::capabilities::THINKING_ROOM;

/// A reply larger than this is no reply.
const LARGEST_BODY: usize = 8 << 20;
/// No call has so many tokens.
const MOST_TOKENS: u64 = 1 << 40;
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
    /// The headers that carry the key and the protocol's version.
    fn headers(&self, url: &Url, key: Option<&str>) -> Vec<(&'static str, String)>;
    /// Ways to ask for a reply of a schema, the best one first.
    fn forms(&self) -> &'static [Form];
    /// The question.
    fn body(&self, model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value;
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
    dialect: &'static dyn Dialect,
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
            dialect: match options.provider {
                Provider::OpenAi => &openai::OpenAi,
                Provider::Anthropic => &anthropic::Anthropic,
                Provider::Gemini => &gemini::Gemini,
            },
            http: options
                .http
                .clone()
                .or_else(|| Http::new(HttpOptions::default()).ok()),
            shown_url: shown_url(&options.base_url),
            secrets: secrets(&options),
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
        let mut named = true;
        let forms = if request.has_schema() {
            self.dialect.forms()
        } else {
            &[][..]
        };
        loop {
            let outcome = self.send(request, capabilities, sent, &mut pass).await;
            let next = match &outcome {
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
        let searches = if request.search {
            MOST_SEARCHES.into()
        } else {
            0
        };
        let most = Usage {
            input: most_tokens(request),
            output: capabilities.length(request).into(),
            cached: 0,
            searches,
        };
        let never = |spent: Spent| Failed::new(Cause::NotAsked, spent.to_string(), Again::Never);
        let hold = sent.purse.hold(most).await.map_err(never)?;
        sent.requests.fetch_add(1, Ordering::Relaxed);
        let outcome = self.answer(post, request, pass).await;
        match &outcome {
            Ok(ChatReply {
                usage: Some(usage), ..
            }) => hold.counted(*usage),
            Ok(_) => hold.uncounted(),
            Err(failed) if failed.charged => hold.uncounted(),
            Err(_) => drop(hold),
        }
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

    fn known(&self) -> std::sync::MutexGuard<'_, KnownCapabilities> {
        self.capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self) -> Result<reqwest::RequestBuilder, Failed> {
        let never = |message| Failed::new(Cause::ModelNotFound, message, Again::Never);
        let (base, query) = self
            .options
            .base_url
            .split_once('?')
            .unwrap_or((&self.options.base_url, ""));
        let mut url = Url::parse(
            &self
                .dialect
                .url(base.trim_end_matches('/'), &self.options.model),
        )
        .map_err(|error| {
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
            .request(Method::POST, &url)
            .map_err(|error| never(format!("--offline forbids a connection to `{}`", error.0)))?;
        let headers = self.dialect.headers(&url, self.options.api_key.as_deref());
        Ok(headers
            .into_iter()
            .fold(post.timeout(self.options.timeout), |post, (name, value)| {
                post.header(name, value)
            }))
    }

    async fn answer(
        &self,
        post: reqwest::RequestBuilder,
        request: &ChatRequest,
        pass: &Pass<'_>,
    ) -> Result<ChatReply, Failed> {
        let response = post.send().await.map_err(|error| failure::lost(&error))?;
        self.reached.store(true, Ordering::Relaxed);
        let now = jiff::Timestamp::now();
        pass.hear(Allowance::read(response.headers(), now));
        let (status, wait) = (
            response.status(),
            http::retry_after(response.headers(), now),
        );
        let body = self.redacted(&read_capped(response).await?);
        let value: Option<Value> = serde_json::from_str(&body).ok();
        match value {
            Some(value) if status.is_success() => match failure::in_a_success(&value) {
                Some(status) => Err(self.rejected(status, wait, &body)),
                None => self.dialect.reply(&value, request),
            },
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
            charged: false,
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

    /// Generous: the limiter says how many of them are in flight.
    fn parallel(&self) -> usize {
        self.options.most
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        purse: &Purse<'_>,
    ) -> Result<ChatReply, ModelError> {
        let sent = Sent {
            requests: AtomicU32::new(0),
            purse,
        };
        let policy = Retries {
            attempts: self.options.attempts.max(1),
            pause: self.options.pause,
            longest: LONGEST_PAUSE,
        };
        let again = |failed: &Failed| match failed.error.cause {
            // A text that took too long takes as long again, and is charged again.
            Cause::Timeout if request.is_text() => Again::Never,
            _ => self.again(failed, &sent),
        };
        let tell = |failed: &Failed, pause| self.tell_of(pause, &failed.error.message);
        let outcome =
            http::retry_telling(policy, || self.attempt(request, &sent), again, tell).await;
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

/// The requests of one question.
struct Sent<'a> {
    requests: AtomicU32,
    purse: &'a Purse<'a>,
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

/// The key, and user, password and each value of the query of the URL, as written and as meant.
fn secrets(options: &RemoteOptions) -> Vec<String> {
    let url = Url::parse(&options.base_url).ok();
    let (_, query) = options.base_url.split_once('?').unwrap_or_default();
    let key = options.api_key.iter().filter(|key| !stands_for_no_key(key));
    let mut secrets: Vec<String> = key.cloned().collect();
    // The version of an API, which some servers want there, is no secret.
    let hides = |name: &str| name != "api-version";
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    secrets.extend(
        pairs
            .filter(|(name, _)| hides(name))
            .map(|(_, value)| value.to_owned()),
    );
    if let Some(url) = &url {
        secrets.extend(
            url.query_pairs()
                .filter(|(name, _)| hides(name))
                .map(|(_, value)| value.into_owned()),
        );
        secrets.extend([
            url.username().to_owned(),
            url.password().unwrap_or_default().to_owned(),
        ]);
    }
    // What is so short that it may be part of any word is no secret.
    secrets.retain(|secret| secret.len() > 3);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

/// Words that are given as a key to servers that ask for none.
const NO_KEY: [&str; 14] = [
    "none",
    "null",
    "empty",
    "no-key",
    "nokey",
    "dummy",
    "fake",
    "test",
    "local",
    "ollama",
    "lm-studio",
    "not-needed",
    "unused",
    "sk-no-key-required",
];

/// Whether a key is such a word. It is no secret, and taking it out would spoil replies.
fn stands_for_no_key(key: &str) -> bool {
    NO_KEY.contains(&key.to_lowercase().as_str())
}

/// The URL without user, password and query, for the record and for messages.
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    path.map_or_else(
        || format!("{scheme}://{host}"),
        |path| format!("{scheme}://{host}/{path}"),
    )
}

/// An answer's parts, as every dialect finds them.
fn reply(
    text: String,
    finish: Finish,
    model: &Value,
    [input, output, cached]: [u64; 3],
) -> ChatReply {
    ChatReply {
        model_returned: model.as_str().map(|name| cut(name, LONGEST_NAME)),
        // A server that counts nothing says nothing, or zeros; one that counts nonsense does not
        // count.
        usage: [input, output, cached]
            .iter()
            .all(|count| *count < MOST_TOKENS)
            .then_some(Usage {
                input,
                output,
                cached,
                searches: 0,
            })
            .filter(|usage| usage.input + usage.output > 0),
        ..ChatReply::new(text, finish)
    }
}

/// A reply with the searches that were made for it, and what the provider names as its sources.
fn searched(
    mut reply: ChatReply,
    searches: u64,
    sources: impl Iterator<Item = Source>,
) -> ChatReply {
    if let Some(usage) = &mut reply.usage {
        usage.searches = searches.min(MOST_TOKENS);
    }
    reply.sources = sources.collect();
    reply
}

/// Characters of what a server says beside an answer, and which is stored with it.
const LONGEST_NAME: usize = 200;
const LONGEST_TITLE: usize = 500;
const LONGEST_ADDRESS: usize = 4000;

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// A source, where there is an address.
fn source(url: &Value, title: &Value) -> Option<Source> {
    let url = url.as_str().filter(|url| !url.is_empty())?;
    Some(Source {
        url: cut(url, LONGEST_ADDRESS),
        title: cut(title.as_str().unwrap_or_default(), LONGEST_TITLE),
    })
}

/// The items of a list; none where there is no list.
fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The sum of the counts that are there.
fn tokens(usage: &Value, fields: &[&str]) -> u64 {
    fields
        .iter()
        .filter_map(|field| usage[*field].as_u64())
        .fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_in_what_is_shown() {
        let check = |url, expect: &str| assert_eq!(shown_url(url), expect);
        check("https://me:pw@host:81/v1?key=x", "https://host:81/v1");
        check("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1");
        check("https://host", "https://host");
    }

    #[test]
    fn whatever_a_key_begins_with_it_is_a_secret() {
        let base_url =
            "https://me:a%20pass@host/v1?api-version=2026-01-01&sig=20ab%2Bcd&x=1".to_owned();
        let found = secrets(&RemoteOptions {
            base_url,
            api_key: Some("2026-key".into()),
            ..RemoteOptions::default()
        });
        assert_eq!(found, ["20ab%2Bcd", "2026-key", "a%20pass", "20ab+cd"]);
    }

    #[test]
    fn a_word_for_no_key_is_no_secret() {
        let found = |key: &str| {
            secrets(&RemoteOptions {
                base_url: "http://127.0.0.1:8000/v1".to_owned(),
                api_key: Some(key.to_owned()),
                ..RemoteOptions::default()
            })
        };
        for word in ["none", "EMPTY", "ollama", "not-needed"] {
            assert!(found(word).is_empty(), "{word}");
        }
        for key in ["sk-1a", "hunter", "correcthorsebattery"] {
            assert_eq!(found(key), [key]);
        }
    }
}
