//! The one fake server of Responses that are made in the background, after `OpenAI`'s published
//! schema: it takes a question, gives an id, and says at each look what a script says. Perplexity's
//! Agent API has other addresses and otherwise does the same.

use std::sync::{Arc, Mutex, MutexGuard};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Response, Uri},
};
use futures_util::stream;
use serde_json::{Value, json};

use super::web;

/// What a look at a reply gives.
#[derive(Clone, Debug)]
pub enum Look {
    /// It is still being made.
    InProgress,
    /// It is finished, or failed.
    Final(Value),
    /// A status with an error, and a pause in seconds that the server asks for.
    Status(u16, &'static str, Option<u32>),
    /// The connection breaks within the answer.
    Cut,
    /// No answer at all.
    Hang,
}

/// A running server. It ends with the process.
#[derive(Clone)]
pub struct ResponsesServer {
    /// The address as a configuration names it.
    pub url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    script: Vec<Look>,
    /// What a question gets in place of an id.
    at_once: Option<Look>,
    posts: Vec<Value>,
    looks: Vec<String>,
    keys: Vec<Option<String>>,
}

impl ResponsesServer {
    /// A server that goes through `looks`, and gives the last one again and again.
    pub fn new(looks: Vec<Look>) -> Self {
        let seen = Arc::new(Mutex::new(Seen {
            script: looks,
            ..Seen::default()
        }));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&seen));
        let url = format!("{}/v1", web::serve(app));
        Self { url, seen }
    }

    /// A server that answers a question at once, in this way.
    pub fn at_once(look: Look) -> Self {
        let server = Self::new(Vec::new());
        server.lock().at_once = Some(look);
        server
    }

    /// From now on it goes through these looks.
    pub fn script(&self, looks: Vec<Look>) {
        let mut seen = self.lock();
        seen.at_once = None;
        seen.script = looks;
        seen.looks.clear();
    }

    /// The questions that came.
    pub fn posts(&self) -> Vec<Value> {
        self.lock().posts.clone()
    }

    /// The paths of the looks since the last script.
    pub fn looks(&self) -> Vec<String> {
        self.lock().looks.clone()
    }

    /// The keys that came along, each once.
    pub fn keys(&self) -> Vec<Option<String>> {
        let mut keys = self.lock().keys.clone();
        keys.dedup();
        keys
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no panic while locked")
    }
}

/// A response by its status, with an id.
pub fn response(status: &str, fields: &Value) -> Value {
    let mut body = json!({
        "id": "resp_1", "object": "response", "created_at": 1_780_000_000, "background": true,
        "status": status, "error": null, "incomplete_details": null, "model": "made-1",
        "output": [], "usage": null, "store": true,
    });
    for (name, value) in fields.as_object().expect("fields") {
        body[name] = value.clone();
    }
    body
}

/// What a reply took: 1000 tokens read, 200 of them known before, 300 written, 120 of them
/// thoughts.
pub fn usage() -> Value {
    json!({
        "input_tokens": 1000, "input_tokens_details": { "cached_tokens": 200 },
        "output_tokens": 300, "output_tokens_details": { "reasoning_tokens": 120 },
        "total_tokens": 1300,
    })
}

/// A message with a text that cites a page.
pub fn message(text: &str, url: &str, title: &str) -> Value {
    let note = json!({
        "type": "url_citation", "url": url, "title": title, "start_index": 0, "end_index": 4,
    });
    let part = json!({ "type": "output_text", "text": text, "annotations": [note] });
    json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part] })
}

/// A call of the search tool.
pub fn search_call(status: &str, action: &Value) -> Value {
    json!({ "type": "web_search_call", "id": "ws_1", "status": status, "action": action })
}

/// A finished reply, after two searches, a search that failed, a page, and a look into it.
pub fn researched(text: &str) -> Look {
    let search = |query: &str| json!({ "type": "search", "query": query });
    let output = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        search_call("completed", &search("gravel 河床")),
        search_call("failed", &search("gravel drums")),
        search_call("completed", &json!({ "type": "open_page", "url": "https://drum.test/a" })),
        search_call("completed", &json!({ "type": "find_in_page", "url": "https://drum.test/a", "pattern": "pitch" })),
        search_call("completed", &json!({ "type": "search", "queries": ["fibre cable"], "sources": [{ "type": "url", "url": "https://fibre.test/" }] })),
        message(text, "https://river.test/b", "Rivers"),
    ]);
    Look::Final(response(
        "completed",
        &json!({ "output": output, "usage": usage() }),
    ))
}

async fn answer(
    State(seen): State<Arc<Mutex<Seen>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let look = {
        let mut seen = seen.lock().expect("no panic while locked");
        let key = headers.get("authorization");
        let key = key.and_then(|key| key.to_str().ok()).map(str::to_owned);
        seen.keys.push(key);
        if method == Method::POST {
            let question = serde_json::from_slice(&body).expect("JSON");
            seen.posts.push(question);
            let id = format!("resp_{}", seen.posts.len());
            let queued = response("queued", &json!({ "id": id }));
            seen.at_once.clone().unwrap_or(Look::Final(queued))
        } else {
            seen.looks.push(uri.path().to_owned());
            let place = seen.looks.len().min(seen.script.len());
            let scripted = place.checked_sub(1).map(|at| seen.script[at].clone());
            scripted.unwrap_or(Look::InProgress)
        }
    };
    played(look).await
}

async fn played(look: Look) -> Response<Body> {
    match look {
        Look::InProgress => json_of(&response("in_progress", &json!({}))),
        Look::Final(body) => json_of(&body),
        Look::Status(status, code, pause) => {
            let body = json!({ "error": { "message": code, "code": code, "type": code } });
            let mut response = Response::builder().status(status);
            if let Some(pause) = pause {
                response = response.header("retry-after", pause.to_string());
            }
            response
                .body(Body::from(body.to_string()))
                .expect("a response")
        }
        Look::Cut => {
            let pieces = [
                Ok(Bytes::from_static(b"{\"id\"")),
                Err(std::io::Error::other("cut")),
            ];
            Response::new(Body::from_stream(stream::iter(pieces)))
        }
        Look::Hang => std::future::pending().await,
    }
}

fn json_of(body: &Value) -> Response<Body> {
    Response::new(Body::from(body.to_string()))
}
