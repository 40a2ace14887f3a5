//! Servers on loopback that speak as `OpenAI`, Anthropic or Gemini do, and do what a plan says with
//! each request. Hides how each of the three dresses a reply, a refusal and an error.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
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
    http::{Http, HttpOptions},
    llm::{ChatRequest, Provider, Remote, RemoteOptions},
};

pub const ALL: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini];
pub const KEY: &str = "planted-key";

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
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
    }
}

type Plan = dyn Fn(&Request) -> Play + Send + Sync;

/// The server.
#[derive(Clone)]
pub struct Fake {
    pub provider: Provider,
    pub url: String,
    plan: Arc<Plan>,
    seen: Arc<Mutex<Vec<Request>>>,
    delay: Duration,
}

impl Fake {
    pub async fn start(
        provider: Provider,
        plan: impl Fn(&Request) -> Play + Send + Sync + 'static,
    ) -> Self {
        Self::slow(provider, Duration::ZERO, plan).await
    }

    /// Thinks for a while before each answer.
    pub async fn slow(
        provider: Provider,
        delay: Duration,
        plan: impl Fn(&Request) -> Play + Send + Sync + 'static,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let version = if provider == Provider::OpenAi {
            "/v1"
        } else {
            ""
        };
        let url = format!("http://{}{version}", listener.local_addr().unwrap());
        let fake = Self {
            provider,
            url,
            plan: Arc::new(plan),
            seen: Arc::default(),
            delay,
        };
        let app = Router::new().fallback(answer).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// A model behind the server, in a hurry.
    pub fn model(&self) -> Remote {
        Remote::new(self.options())
    }

    pub fn options(&self) -> RemoteOptions {
        RemoteOptions {
            name: "fake/m".into(),
            model: "m".into(),
            provider: self.provider,
            base_url: self.url.clone(),
            api_key: Some(KEY.into()),
            http: Some(Http::new(HttpOptions::default()).unwrap()),
            timeout: Duration::from_secs(10),
            pause: Duration::from_millis(5),
            ..RemoteOptions::default()
        }
    }
}

async fn answer(
    State(fake): State<Fake>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let request = Request {
        path: uri.to_string(),
        headers: headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        body: serde_json::from_slice(&body).unwrap(),
    };
    let play = (fake.plan)(&request);
    fake.seen.lock().unwrap().push(request);
    if !fake.delay.is_zero() {
        tokio::time::sleep(fake.delay).await;
    }
    let ok = |value: Value| Response::new(Body::from(value.to_string()));
    match play {
        Play::Say(text) => ok(reply(fake.provider, &text, End::Normal)),
        Play::Long(text) => ok(reply(fake.provider, &text, End::Length)),
        Play::Decline => ok(reply(fake.provider, "I would rather not.", End::Declined)),
        Play::Filter => ok(reply(fake.provider, "", End::Filtered)),
        Play::Raw(body) => Response::new(Body::from(body)),
        Play::Status(status, headers, body) => {
            let response = Response::builder().status(status);
            headers
                .iter()
                .fold(response, |all, (name, value)| all.header(*name, value))
                .body(Body::from(body))
                .unwrap()
        }
        Play::Cut => {
            let broken = || std::io::Error::other("cut");
            Response::new(Body::from_stream(stream::iter([
                Ok(Bytes::from_static(b"{\"choi")),
                Err(broken()),
            ])))
        }
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
        Provider::OpenAi => {
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
        Provider::Gemini => {
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

/// A reply whose source the provider names beside the text, after a search of the web.
pub fn searched(provider: Provider, text: &str, url: &str, title: &str) -> Play {
    let mut body = reply(provider, text, End::Normal);
    let page = json!({ "url": url, "title": title });
    match provider {
        Provider::OpenAi => {
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
        Provider::Gemini => {
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
        Provider::OpenAi => json!({ "error": { "message": message, "type": kind, "code": kind } }),
        Provider::Anthropic => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        Provider::Gemini => {
            json!({ "error": { "code": status, "message": message, "status": kind } })
        }
    };
    Play::Status(status, Vec::new(), body.to_string())
}

/// The account is out of money, as each provider says it.
pub fn no_money(provider: Provider) -> Play {
    match provider {
        Provider::OpenAi => error(
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
        Provider::Gemini => error(
            provider,
            429,
            "RESOURCE_EXHAUSTED",
            "Quota exceeded: GenerateRequestsPerDayPerProject",
        ),
    }
}
