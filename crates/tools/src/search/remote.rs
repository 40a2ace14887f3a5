//! One search at a provider's server: the request, three attempts at most, and the reply. Hides
//! which part of a request holds the key.

use std::{fmt, time::Duration};

use anyhow::Result;
use reqwest::{
    Method, Response, Url,
    header::{ACCEPT, HeaderValue},
};
use serde_json::Value;

use super::{
    SearchProvider, SearchResult, brave,
    error::{Failed, SearchError, of_status, quoted, without},
    google,
    request::{Question, Request},
    serpapi, tavily,
};
use crate::{
    http::{self, Http, HttpOptions, Retries, retry, retry_after},
    web::{FetchError, read_body},
};

/// Largest reply, in bytes.
const LARGEST: usize = 8 << 20;
/// Time for one attempt: an engine behind another one takes some seconds.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A key, and where it was found.
#[derive(Clone)]
pub struct SearchKey {
    /// The key.
    pub value: String,
    /// The environment variable that holds it.
    pub variable: String,
}

impl fmt::Debug for SearchKey {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchKey")
            .field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}

/// A provider's server.
pub(super) struct Remote {
    pub provider: SearchProvider,
    /// Without a slash at the end, a user or a query.
    pub base_url: String,
    pub key: Option<SearchKey>,
    pub engine_id: Option<String>,
    http: Http,
    retries: Retries,
}

impl Remote {
    /// Nothing is sent yet.
    pub fn new(
        provider: SearchProvider,
        base_url: &str,
        (key, engine_id): (Option<SearchKey>, Option<String>),
        (offline, retries): (bool, Retries),
    ) -> Result<Self> {
        Ok(Self {
            provider,
            base_url: base_url.trim_end_matches('/').to_owned(),
            key,
            engine_id,
            http: Http::new(HttpOptions {
                offline,
                silence: Some(TIMEOUT),
                ..HttpOptions::default()
            })?,
            retries,
        })
    }

    /// The results of a query.
    pub async fn search(&self, query: &str) -> Result<Vec<SearchResult>, SearchError> {
        let sent = retry(
            self.retries,
            || self.attempt(query),
            |failed: &Failed| failed.again,
        );
        sent.await.map_err(|failed| failed.error)
    }

    async fn attempt(&self, query: &str) -> Result<Vec<SearchResult>, Failed> {
        let timed = tokio::time::timeout(TIMEOUT, self.exchange(query)).await;
        timed.unwrap_or_else(|_| {
            let seconds = TIMEOUT.as_secs();
            let error = SearchError::Connection(format!("not done within {seconds} seconds"));
            Err(Failed::later(error))
        })
    }

    async fn exchange(&self, query: &str) -> Result<Vec<SearchResult>, Failed> {
        let key = self.key.as_ref().map(|key| key.value.as_str());
        let response = self
            .request(query, key)?
            .send()
            .await
            .map_err(|error| lost(FetchError::lost(&error)))?;
        let status = response.status();
        let asked = retry_after(response.headers(), jiff::Timestamp::now());
        let body = read(response).await?;
        // What a server says may repeat what it was sent.
        let quotable = |text: String| without(text, key);
        if !status.is_success() {
            return Err(of_status(status.as_u16(), &quotable(body), asked));
        }
        let value =
            parsed(&body).map_err(|what| Failed::later(SearchError::Unreadable(quotable(what))))?;
        // An answer of another shape was answered, and perhaps paid for: another one is like it.
        let unreadable = |what: String| Failed::never(SearchError::Unreadable(quotable(what)));
        let mut results = results(self.provider, &value).map_err(unreadable)?;
        results.retain(|result| !holds(result, key));
        Ok(results)
    }

    fn request(&self, query: &str, key: Option<&str>) -> Result<reqwest::RequestBuilder, Failed> {
        let question = Question {
            query,
            key,
            engine_id: self.engine_id.as_deref(),
        };
        let request = match self.provider {
            SearchProvider::Serpapi => serpapi::request(&question),
            SearchProvider::Brave => brave::request(&question),
            SearchProvider::Tavily => tavily::request(&question),
            SearchProvider::Google => google::request(&question),
            SearchProvider::Local => Request::default(),
        };
        let address = format!("{}{}", self.base_url, request.path);
        let refused = |said: &str| {
            Failed::never(SearchError::Refused {
                status: 0,
                said: said.to_owned(),
            })
        };
        let mut url: Url = address.parse().map_err(|_| refused("no address"))?;
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        let method = if request.body.is_some() {
            Method::POST
        } else {
            Method::GET
        };
        let offline =
            |offline: http::Offline| Failed::never(SearchError::Offline(quoted(&offline.0)));
        let mut builder = self.http.request(method, &url).map_err(offline)?;
        builder = builder.header(ACCEPT, "application/json");
        if let Some((name, value)) = request.header {
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                Failed::never(SearchError::KeyRefused {
                    status: 0,
                    said: "it holds characters that no header can".to_owned(),
                })
            })?;
            value.set_sensitive(true);
            builder = builder.header(name, value);
        }
        Ok(match request.body {
            Some(body) => builder.json(&body),
            None => builder,
        })
    }
}

/// Whether a result repeats the key. A short one is a word like others.
fn holds(result: &SearchResult, key: Option<&str>) -> bool {
    let texts = [&result.url, &result.title, &result.snippet];
    key.is_some_and(|key| key.len() >= 16 && texts.iter().any(|text| text.contains(key)))
}

/// The JSON of a reply; the error says what it is instead.
pub(super) fn parsed(body: &str) -> Result<Value, String> {
    serde_json::from_str(body).map_err(|_| format!("it is no JSON: `{}`", quoted(body)))
}

/// The results in a reply of a provider; the error says what is wrong with it.
pub(super) fn results(
    provider: SearchProvider,
    value: &Value,
) -> Result<Vec<SearchResult>, String> {
    match provider {
        SearchProvider::Serpapi => serpapi::results(value),
        SearchProvider::Brave => brave::results(value),
        SearchProvider::Tavily => tavily::results(value),
        SearchProvider::Google => google::results(value),
        SearchProvider::Local => Ok(Vec::new()),
    }
}

/// The body as a text. What a refusal says need not be whole.
async fn read(response: Response) -> Result<String, Failed> {
    let is_answer = response.status().is_success();
    let mut body = Vec::new();
    let read = read_body(response, LARGEST, &mut body).await;
    if is_answer {
        read.map_err(lost)?;
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn lost(error: FetchError) -> Failed {
    let is_transient = error.is_transient();
    let error = match error {
        FetchError::Offline { host } => SearchError::Offline(host),
        error @ (FetchError::TooLarge { .. }
        | FetchError::Bomb { .. }
        | FetchError::Encoding { .. }) => SearchError::Unreadable(error.to_string()),
        error => SearchError::Connection(error.to_string()),
    };
    if is_transient {
        Failed::later(error)
    } else {
        Failed::never(error)
    }
}
