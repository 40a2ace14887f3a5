//! A model behind a server: one transport for all providers, each of which is a small dialect.
//! Hides sending and trying again, the limit of requests in flight, endless bodies, and keys in error messages.

mod anthropic;
mod dress;
mod gemini;
mod limiter;
mod openai;
mod rejection;

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use limiter::RateChange;

use self::{
    dress::Dress,
    limiter::{Ended, Gate},
    rejection::{cause_of, message_of, retry_after},
};
use super::{ChatModel, ChatReply, ChatRequest, ModelError};
use crate::{
    data::Cause,
    http::{Again, Http, Retries, retry},
};

/// A reply larger than this is no reply.
const LARGEST_BODY: usize = 8 << 20;
/// Callers that may wait for the limiter at once.
const CALLERS: usize = 256;
/// Changes of dress for one attempt.
const CHANGES: usize = 4;

/// Which protocol a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Chat completions: `OpenAI`, vLLM, llama.cpp, Ollama, routers, proxies, Azure.
    #[default]
    OpenAi,
    /// Messages.
    Anthropic,
    /// `generateContent`.
    Gemini,
}

/// How to reach a model.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// `provider/model`, as configured.
    pub name: String,
    /// The model's name on the server.
    pub model: String,
    /// The protocol.
    pub kind: Kind,
    /// Such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// Sent in the provider's header, and nowhere else.
    pub api_key: Option<String>,
    /// Requests in flight to begin with.
    pub connections: usize,
    /// A request that takes longer is cut.
    pub timeout: Duration,
    /// How often and how patiently a request is sent again.
    pub retries: Retries,
}

impl RemoteOptions {
    /// A model with the usual patience.
    pub fn new(name: &str, model: &str, kind: Kind, base_url: &str) -> Self {
        Self {
            name: name.to_owned(),
            model: model.to_owned(),
            kind,
            base_url: base_url.to_owned(),
            api_key: None,
            connections: 20,
            timeout: Duration::from_mins(5),
            retries: Retries { attempts: 6, pause: Duration::from_millis(500), longest: Duration::from_mins(2) },
        }
    }
}

/// What providers differ in.
trait Dialect: Send + Sync {
    /// Path below the base URL.
    fn path(&self, model: &str) -> String;
    /// Adds key and version.
    fn authorized(&self, post: RequestBuilder, key: Option<&str>) -> RequestBuilder;
    /// The request's body in this dress.
    fn body(&self, model: &str, request: &ChatRequest, dress: Dress) -> Value;
    /// The reply in a body of a success.
    fn reply(&self, body: &Value) -> Result<ChatReply, ModelError>;
}

/// A model behind a server.
pub struct Remote {
    options: RemoteOptions,
    dialect: Box<dyn Dialect>,
    http: Http,
    shown_url: String,
    gate: Gate,
    /// What this model was found to take; remembered, so that it is not found out at each call.
    dress: Mutex<Dress>,
}

/// An attempt that failed, and whether another one may do better.
struct Failed {
    error: ModelError,
    again: Again,
}

impl Failed {
    fn for_good(cause: Cause, message: impl Into<String>) -> Self {
        Self { error: ModelError::new(cause, message), again: Again::Never }
    }

    fn for_now(cause: Cause, message: impl Into<String>) -> Self {
        Self { error: ModelError::new(cause, message), again: Again::Later }
    }

    /// The server may have worked for it, and charge.
    fn charged(mut self) -> Self {
        self.error.charged += 1;
        self
    }
}

impl Remote {
    /// Nothing is sent yet.
    pub fn new(options: RemoteOptions, http: Http) -> Self {
        let dialect: Box<dyn Dialect> = match options.kind {
            Kind::OpenAi => Box::new(openai::OpenAi),
            Kind::Anthropic => Box::new(anthropic::Anthropic),
            Kind::Gemini => Box::new(gemini::Gemini),
        };
        Self {
            dialect,
            http,
            shown_url: shown_url(&options.base_url),
            gate: Gate::new(options.connections),
            dress: Mutex::default(),
            options,
        }
    }

    async fn attempt(&self, request: &ChatRequest, sent: &AtomicU32) -> Result<ChatReply, Failed> {
        let mut pass = self.gate.enter().await;
        let mut changes = 0;
        loop {
            let dress = self.dress();
            sent.fetch_add(1, Ordering::Relaxed);
            let (status, headers, body) = self.exchange(request, dress).await?;
            if let Some(pause) = rejection::used_up(&headers) {
                self.gate.hold(pause);
            }
            let (status, value) = match (status.is_success(), serde_json::from_slice::<Value>(&body)) {
                (true, Ok(value)) => match rejection::hidden_status(&value) {
                    Some(hidden) => (hidden, value),
                    None => return self.dialect.reply(&value).map_err(again_or_not),
                },
                (true, Err(_)) => return Err(self.broken(&body).charged()),
                (false, value) => (status, value.unwrap_or_default()),
            };
            let text = String::from_utf8_lossy(&body[..body.len().min(20_000)]).to_lowercase();
            let cause = cause_of(status, &text);
            if status == StatusCode::TOO_MANY_REQUESTS {
                pass.ended = Ended::Refused;
            }
            if cause == Cause::Refused && changes < CHANGES && self.dress_otherwise(dress, &text) {
                changes += 1;
                continue;
            }
            let said = format!("{} says {status}: {}", self.shown_url, message_of(&value, &self.redacted(&body)));
            let again = match retry_after(&headers, &value) {
                _ if !cause.is_transient() => Again::Never,
                Some(pause) => Again::After(pause),
                None => Again::Later,
            };
            return Err(Failed { error: ModelError::new(cause, said), again });
        }
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        dress: Dress,
    ) -> Result<(StatusCode, reqwest::header::HeaderMap, Vec<u8>), Failed> {
        let body = self.dialect.body(&self.options.model, request, dress);
        let post = self.post()?.timeout(self.options.timeout).json(&body);
        let post = self.dialect.authorized(post, self.options.api_key.as_deref());
        let response = post.send().await.map_err(|error| lost(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok((status, headers, read_capped(response).await?))
    }

    fn post(&self) -> Result<RequestBuilder, Failed> {
        let (base, query) = self.options.base_url.split_once('?').unwrap_or((&self.options.base_url, ""));
        let path = self.dialect.path(&self.options.model);
        let mut url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).map_err(|error| {
            Failed::for_good(Cause::ModelNotFound, format!("the base URL `{}` is none: {error}", self.shown_url))
        })?;
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        self.http.request(Method::POST, &url).map_err(|error| {
            Failed::for_good(Cause::ModelNotFound, format!("--offline forbids a connection to `{}`", error.0))
        })
    }

    /// Whether the request may pass in another dress: the one that somebody else has found meanwhile, or the next one.
    fn dress_otherwise(&self, worn: Dress, complaint: &str) -> bool {
        let mut dress = self.dress.lock().unwrap_or_else(PoisonError::into_inner);
        if *dress != worn {
            return true;
        }
        match worn.next(complaint) {
            Some(next) => {
                *dress = next;
                true
            }
            None => false,
        }
    }

    fn dress(&self) -> Dress {
        *self.dress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A success that is no JSON: often a proxy in between, so another attempt may do better.
    fn broken(&self, body: &[u8]) -> Failed {
        let start: String = self.redacted(body).chars().take(80).collect();
        Failed::for_now(Cause::NotJson, format!("the server's answer is no JSON: `{start}`"))
    }

    /// A body's start as text; a server may echo the key.
    fn redacted(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(&body[..body.len().min(20_000)]).into_owned();
        match self.options.api_key.as_deref().filter(|key| key.len() > 3) {
            Some(key) => text.replace(key, "…"),
            None => text,
        }
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

    fn is_trial(&self) -> bool {
        false
    }

    fn parallel(&self) -> usize {
        CALLERS
    }

    fn rates(&self) -> Vec<RateChange> {
        self.gate.history()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let (sent, charged) = (AtomicU32::new(0), AtomicU32::new(0));
        let attempt = || async {
            let result = self.attempt(request, &sent).await;
            charged.fetch_add(result.as_ref().err().map_or(0, |failed| failed.error.charged), Ordering::Relaxed);
            result
        };
        let result = retry(self.options.retries, attempt, |failed: &Failed| failed.again).await;
        let (attempts, charged) = (sent.into_inner(), charged.into_inner());
        match result {
            Ok(reply) => Ok(ChatReply { attempts, charged, ..reply }),
            Err(failed) => Err(ModelError { attempts, charged, ..failed.error }),
        }
    }
}

/// A success that holds no usable message: an empty one may be the server's mood, a refusal is not.
fn again_or_not(error: ModelError) -> Failed {
    let again = if error.cause == Cause::NotJson { Again::Later } else { Again::Never };
    Failed { error, again }.charged()
}

fn lost(error: &reqwest::Error) -> Failed {
    let mut why = String::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(inner) = source {
        why = inner.to_string();
        source = inner.source();
    }
    // A connection that does not come about in time is no slow answer.
    let (cause, what) = match (error.is_connect(), error.is_timeout()) {
        (true, _) => (Cause::Connection, "no connection"),
        (false, true) => (Cause::Timeout, "no reply in time"),
        (false, false) => (Cause::Connection, "the connection broke"),
    };
    let host = error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let message = if why.is_empty() { format!("{what}: `{host}`") } else { format!("{what}: `{host}`: {why}") };
    let failed = Failed::for_now(cause, message);
    if error.is_connect() { failed } else { failed.charged() }
}

async fn read_capped(mut response: Response) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| lost(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST_BODY {
            return Err(Failed::for_now(Cause::NotJson, "the reply has no end").charged());
        }
    }
    Ok(body)
}

/// A URL without user, password and query, for the record and for messages.
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::shown_url;

    #[test]
    fn a_url_is_shown_without_secrets() {
        assert_eq!(shown_url("https://user:pass@host:8/v1?key=1#x"), "https://host:8/v1");
        assert_eq!(shown_url("http://host"), "http://host");
    }
}
