//! Any server that speaks the chat completions of `OpenAI`: vLLM, llama.cpp, Ollama, routers and proxies.
//! Hides what such servers differ in (schema modes, parameter names, errors), retries and the limit of requests in flight.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Method, Response, StatusCode, Url, header::HeaderMap};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{ChatModel, ChatReply, ChatRequest, Finish, ModelError};
use crate::{
    data::{Cause, Usage},
    http::{self, Http, HttpOptions},
};

/// A reply larger than this is no reply.
const LARGEST_BODY: usize = 8 << 20;
/// A server that asks for a longer pause is given up for now.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// How to reach a model.
#[derive(Clone)]
pub struct OpenAiOptions {
    /// `provider/model`, as configured.
    pub name: String,
    /// The model's name on the server.
    pub model: String,
    /// Such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// Sent as a bearer token, and nowhere else.
    pub api_key: Option<String>,
    /// The client, with the rule of `--offline`; without one, a client without that rule.
    pub http: Option<Http>,
    /// Requests in flight at once.
    pub parallel: usize,
    /// A request that takes longer is cut.
    pub timeout: Duration,
    /// Requests that are sent for one question before it is given up.
    pub attempts: u32,
    /// The first pause between two attempts; it doubles each time.
    pub pause: Duration,
}

impl Default for OpenAiOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            model: String::new(),
            base_url: String::new(),
            api_key: None,
            http: None,
            parallel: 8,
            timeout: Duration::from_mins(5),
            attempts: 6,
            pause: Duration::from_millis(500),
        }
    }
}

/// A model behind a server.
pub struct OpenAi {
    options: OpenAiOptions,
    http: Option<Http>,
    shown_url: String,
    in_flight: Semaphore,
    /// What this server was found not to take; remembered, so that it is not found out at each call.
    no_schema_mode: AtomicBool,
    new_length_name: AtomicBool,
    no_sampling: AtomicBool,
}

/// An attempt that failed, and whether another one may do better.
struct Failed {
    error: ModelError,
    again: Again,
}

#[derive(PartialEq, Eq)]
enum Again {
    /// The same request, after a pause.
    Later,
    /// A request in another dress, at once.
    Dressed,
    Never,
}

impl OpenAi {
    /// Nothing is sent yet.
    pub fn new(options: OpenAiOptions) -> Self {
        let http = options.http.clone().or_else(|| Http::new(HttpOptions::default()).ok());
        Self {
            shown_url: shown_url(&options.base_url),
            in_flight: Semaphore::new(options.parallel.max(1)),
            http,
            options,
            no_schema_mode: AtomicBool::new(false),
            new_length_name: AtomicBool::new(false),
            no_sampling: AtomicBool::new(false),
        }
    }

    async fn attempt(&self, request: &ChatRequest) -> Result<ChatReply, Failed> {
        let _permit = self.in_flight.acquire().await;
        let mut post = self.post()?.timeout(self.options.timeout).json(&self.body(request));
        if let Some(key) = &self.options.api_key {
            post = post.bearer_auth(key);
        }
        let response = post.send().await.map_err(|error| lost(&error))?;
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        let body = read_capped(response).await?;
        if !status.is_success() {
            return Err(self.rejected(status, retry_after, &body));
        }
        let value: Value = serde_json::from_slice(&body).map_err(|_| broken(&body))?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            let status = code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::BAD_GATEWAY);
            return Err(self.rejected(status, retry_after, &body));
        }
        reply(&value)
    }

    fn post(&self) -> Result<reqwest::RequestBuilder, Failed> {
        let never = |message| Failed { error: ModelError::new(Cause::ModelNotFound, message), again: Again::Never };
        let (base, query) = self.options.base_url.split_once('?').unwrap_or((&self.options.base_url, ""));
        let mut url = Url::parse(&format!("{}/chat/completions", base.trim_end_matches('/')))
            .map_err(|error| never(format!("the base URL `{}` is none: {error}", self.shown_url)))?;
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        let http = self.http.as_ref().ok_or_else(|| never("no HTTP client can be made".to_owned()))?;
        http.request(Method::POST, &url)
            .map_err(|error| never(format!("--offline forbids a connection to `{}`", error.0)))
    }

    fn body(&self, request: &ChatRequest) -> Value {
        let mut messages = json!(request.messages);
        let in_prompt = self.no_schema_mode.load(Ordering::Relaxed);
        if in_prompt
            && let Some(content) = messages.as_array_mut().and_then(|m| m.last_mut()).map(|m| &mut m["content"])
        {
            let text = content.as_str().unwrap_or_default();
            let schema = request.schema.to_string();
            *content =
                json!(format!("{text}\n\nAnswer with one JSON value of this schema and nothing else:\n{schema}"));
        }
        let mut body = json!({ "model": self.options.model, "messages": messages });
        let new_name = self.new_length_name.load(Ordering::Relaxed);
        body[if new_name { "max_completion_tokens" } else { "max_tokens" }] = json!(request.max_tokens);
        if !self.no_sampling.load(Ordering::Relaxed) {
            body["temperature"] = json!(request.temperature);
            body["seed"] = json!(request.seed);
        }
        if !in_prompt {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": request.schema_name, "strict": true, "schema": request.schema }
            });
        }
        body
    }

    /// A status that is no success, as a cause; and the dress in which the server may take the request after all.
    fn rejected(&self, status: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Failed {
        let text = String::from_utf8_lossy(&body[..body.len().min(20_000)]).to_lowercase();
        let cause = cause_of(status, &text);
        let said = self.redacted(&message_of(body));
        let error =
            ModelError { retry_after, ..ModelError::new(cause, format!("{} says {status}: {said}", self.shown_url)) };
        let again = match cause {
            Cause::Refused if self.redress(&text) => Again::Dressed,
            cause if cause.is_transient() => Again::Later,
            _ => Again::Never,
        };
        Failed { error, again }
    }

    /// Changes what this server does not take, one thing at a time.
    fn redress(&self, text: &str) -> bool {
        let first = |flag: &AtomicBool| !flag.swap(true, Ordering::Relaxed);
        if text.contains("max_completion_tokens") {
            return first(&self.new_length_name);
        }
        if text.contains("temperature") || text.contains("'seed'") || text.contains("\"seed\"") {
            return first(&self.no_sampling);
        }
        first(&self.no_schema_mode)
    }

    /// A server may echo the key.
    fn redacted(&self, text: &str) -> String {
        match self.options.api_key.as_deref().filter(|key| key.len() > 3) {
            Some(key) => text.replace(key, "…"),
            None => text.to_owned(),
        }
    }
}

#[async_trait]
impl ChatModel for OpenAi {
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
        self.options.parallel.max(1)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let (mut attempts, mut pause) = (0, self.options.pause);
        loop {
            attempts += 1;
            let failed = match self.attempt(request).await {
                Ok(reply) => return Ok(ChatReply { attempts, ..reply }),
                Err(failed) => failed,
            };
            let wait = failed.error.retry_after.unwrap_or(pause);
            let spent = attempts >= self.options.attempts.max(1) && failed.again != Again::Dressed;
            if failed.again == Again::Never || spent || wait > LONGEST_PAUSE {
                return Err(ModelError { attempts, ..failed.error });
            }
            if failed.again == Again::Later {
                tokio::time::sleep(wait).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

fn lost(error: &reqwest::Error) -> Failed {
    let cause = if error.is_timeout() { Cause::Timeout } else { Cause::Connection };
    let mut why = String::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(inner) = source {
        why = inner.to_string();
        source = inner.source();
    }
    let what = if error.is_timeout() { "no reply in time" } else { "no connection, or it broke" };
    let host = error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let message = if why.is_empty() { format!("{what}: `{host}`") } else { format!("{what}: `{host}`: {why}") };
    Failed { error: ModelError::new(cause, message), again: Again::Later }
}

async fn read_capped(mut response: Response) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| lost(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST_BODY {
            let error = ModelError::new(Cause::NotJson, "the reply has no end");
            return Err(Failed { error, again: Again::Later });
        }
    }
    Ok(body)
}

/// A success that is no JSON: often a proxy in between, so another attempt may do better.
fn broken(body: &[u8]) -> Failed {
    let start: String = String::from_utf8_lossy(&body[..body.len().min(400)]).chars().take(80).collect();
    let error = ModelError::new(Cause::NotJson, format!("the server's answer is no JSON: `{start}`"));
    Failed { error, again: Again::Later }
}

fn reply(value: &Value) -> Result<ChatReply, Failed> {
    let never = |cause, message: String| Failed { error: ModelError::new(cause, message), again: Again::Never };
    let choice = &value["choices"][0];
    let message = &choice["message"];
    if let Some(refusal) = message["refusal"].as_str().filter(|text| !text.is_empty()) {
        return Err(never(Cause::Refused, format!("the model declined: {refusal}")));
    }
    let finish = match choice["finish_reason"].as_str() {
        Some("content_filter") => {
            return Err(never(Cause::ContentFilter, "the provider's filter withheld the reply".into()));
        }
        Some("length" | "max_tokens") => Finish::Length,
        _ => Finish::Stop,
    };
    let text = text_of(&message["content"]);
    if text.is_none() && finish == Finish::Stop {
        let error = ModelError::new(Cause::NotJson, "the server's answer holds no message");
        return Err(Failed { error, again: Again::Later });
    }
    let usage = &value["usage"];
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    Ok(ChatReply {
        text: text.unwrap_or_default(),
        model_returned: value["model"].as_str().map(str::to_owned),
        finish,
        usage: Usage {
            input: count(&usage["prompt_tokens"]),
            output: count(&usage["completion_tokens"]),
            cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
        },
        attempts: 1,
    })
}

/// A message's text: a string, or parts of which some are text.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        _ => None,
    }
}

/// `text` is the body in lower case.
fn cause_of(status: StatusCode, text: &str) -> Cause {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match status.as_u16() {
        401 | 403 => Cause::Authentication,
        402 => Cause::Quota,
        // A redirect says that the server is somewhere else: the base URL is wrong.
        404 | 300..=399 => Cause::ModelNotFound,
        408 => Cause::Timeout,
        429 if says(&["insufficient_quota", "exceeded your current quota", "billing"]) => Cause::Quota,
        429 => Cause::RateLimit,
        500.. => Cause::Overloaded,
        _ if says(&[
            "context_length",
            "context length",
            "maximum context",
            "context size",
            "too many tokens",
            "prompt is too long",
        ]) =>
        {
            Cause::ContextTooLong
        }
        _ if says(&["content_filter", "content management policy"]) => Cause::ContentFilter,
        _ if says(&["model_not_found", "does not exist", "unknown model", "invalid model"]) => Cause::ModelNotFound,
        _ => Cause::Refused,
    }
}

/// What the server says, on one short line.
fn message_of(body: &[u8]) -> String {
    let value: Option<Value> = serde_json::from_slice(body).ok();
    let said = value.as_ref().and_then(|value| {
        let error = value.get("error").unwrap_or(value);
        error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).map(str::to_owned)
    });
    let text = said.unwrap_or_else(|| String::from_utf8_lossy(&body[..body.len().min(2000)]).into_owned());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(300).collect()
}

/// `Retry-After`, or a common extension in milliseconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let ms = headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    ms.map(Duration::from_millis).or_else(|| http::retry_after(headers, jiff::Timestamp::now()))
}

/// The URL without user, password and query, for the record and for messages.
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
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
    fn statuses_have_causes() {
        let check = |status, text, expect| {
            assert_eq!(cause_of(StatusCode::from_u16(status).expect("a status"), text), expect, "{status} {text}");
        };
        check(401, "", Cause::Authentication);
        check(403, "", Cause::Authentication);
        check(404, "", Cause::ModelNotFound);
        check(429, "slow down", Cause::RateLimit);
        check(429, r#"{"error":{"code":"insufficient_quota"}}"#, Cause::Quota);
        check(400, r#"{"error":{"code":"context_length_exceeded"}}"#, Cause::ContextTooLong);
        check(400, "invalid schema", Cause::Refused);
        check(503, "", Cause::Overloaded);
        check(529, "", Cause::Overloaded);
        check(308, "", Cause::ModelNotFound);
    }
}
