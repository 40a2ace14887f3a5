//! Pages through Jina Reader: an external server fetches the page and sends its text in Markdown.
//! Hides its protocol, and keeps two promises: it gets no address that our own guard would not
//! dial, and its key is printed nowhere.

use std::{
    fmt,
    net::IpAddr,
    time::{Duration, Instant},
};

use anyhow::Result;
use reqwest::{
    Method, Response, Url,
    dns::{Name, Resolve},
};
use serde_json::Value;

use super::{
    FetchError, body,
    error::quoted,
    fetch::{FetchOptions, Fetched},
    guard::{Guarded, Reach, System},
    polite::Polite,
};
use crate::http::{self, Http, HttpOptions, Retries, retry, retry_after};

/// Base URL of Jina Reader.
pub const JINA: &str = "https://r.jina.ai";
/// Requests for one URL, as long as its failures may pass.
const ATTEMPTS: usize = 3;
/// The longest pause that the server may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// What the answer holds when the page itself was refused.
const REFUSED: &str = "Target URL returned error ";

/// How to reach Jina Reader.
#[derive(Clone)]
pub struct JinaOptions {
    /// Such as [`JINA`]; the page's address is appended.
    pub base_url: String,
    /// Sent as a bearer's token, and nowhere else.
    pub key: String,
}

impl fmt::Debug for JinaOptions {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JinaOptions")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// Jina Reader refuses this key: no page can be fetched before the user changes something.
#[derive(Debug, thiserror::Error)]
#[error(
    "Jina Reader refuses the key (it answered {status})\nhint: check JINA_API_KEY and the account behind it, or leave out `reader = \"jina\"`"
)]
pub struct KeyRefused {
    status: u16,
}

/// A client of Jina Reader.
pub struct Jina {
    http: Http,
    options: JinaOptions,
    fetch: FetchOptions,
    polite: Polite,
    names: Box<dyn Resolve>,
}

/// A page as Jina Reader sent it.
struct JinaPage {
    /// Where it was in the end.
    url: Option<String>,
    /// In Markdown, its title first.
    text: String,
}

/// An attempt that failed.
struct Failed {
    error: FetchError,
    /// The status with which the key was refused.
    refused: Option<u16>,
    wait: Option<Duration>,
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Self {
            error,
            refused: None,
            wait: None,
        }
    }
}

impl Jina {
    /// Nothing is sent yet.
    pub fn new(options: JinaOptions, fetch: FetchOptions) -> Result<Self> {
        let reach = Reach {
            private: fetch.allow_private,
            offline: false,
        };
        Self::with_names(
            options,
            fetch,
            Box::new(Guarded {
                reach,
                names: System,
            }),
        )
    }

    fn with_names(
        options: JinaOptions,
        fetch: FetchOptions,
        names: Box<dyn Resolve>,
    ) -> Result<Self> {
        let http = Http::new(HttpOptions {
            offline: fetch.offline,
            ..HttpOptions::default()
        })?;
        Ok(Self {
            http,
            options,
            polite: Polite::new(fetch.per_host, fetch.pause),
            fetch,
            names,
        })
    }

    /// Has one URL fetched. The error is that no URL can be.
    pub async fn fetch(&self, url: &str) -> Result<Fetched, KeyRefused> {
        let started = Instant::now();
        let policy = Retries {
            attempts: ATTEMPTS,
            pause: self.fetch.pause,
            longest: LONGEST_WAIT,
        };
        let answer = match self.allowed(url).await {
            Ok(url) => {
                retry(
                    policy,
                    || self.attempt(&url),
                    |failed| failed.error.again(failed.wait),
                )
                .await
            }
            Err(error) => Err(error.into()),
        };
        let (status, final_url, body) = match answer {
            Ok(JinaPage { url: last, text }) => (
                Some(200),
                Some(last.unwrap_or_else(|| url.to_owned())),
                Ok(text.into_bytes()),
            ),
            Err(Failed {
                refused: Some(status),
                ..
            }) => return Err(KeyRefused { status }),
            Err(Failed {
                error: error @ FetchError::HttpStatus { status },
                ..
            }) => (Some(status), None, Err(error)),
            Err(Failed { error, .. }) => (None, None, Err(error)),
        };
        Ok(Fetched {
            url: url.to_owned(),
            final_url,
            redirects: Vec::new(),
            status,
            content_type: Some("text/markdown".to_owned()),
            charset: Some("utf-8".to_owned()),
            body,
            ms: started.elapsed().as_millis() as u64,
        })
    }

    /// The URL, if our own fetcher might dial it: an external server must not learn the names of
    /// private places.
    async fn allowed(&self, url: &str) -> Result<Url, FetchError> {
        let mut url: Url = url.parse().map_err(|error| FetchError::BadUrl {
            what: format!("{error}"),
        })?;
        // A fragment is for browsers; sent along, it would be part of the reader's URL.
        url.set_fragment(None);
        Reach {
            private: self.fetch.allow_private,
            offline: false,
        }
        .check(&url)?;
        let host = url.host_str().unwrap_or_default();
        let is_literal = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        if !is_literal && !self.fetch.allow_private {
            let name: Name = host.parse().map_err(|_| FetchError::BadUrl {
                what: "no host".to_owned(),
            })?;
            // Only looked at: the reader resolves the name itself, but private names never reach
            // it.
            let _public = self.names.resolve(name).await.map_err(|error| {
                match error.downcast_ref::<FetchError>() {
                    Some(own) => own.clone(),
                    None => FetchError::Dns {
                        what: quoted(&error.to_string()),
                    },
                }
            })?;
        }
        Ok(url)
    }

    async fn attempt(&self, page: &Url) -> Result<JinaPage, Failed> {
        let _turn = self.polite.turn(page.host_str().unwrap_or_default()).await;
        let asked = async {
            let base = self.options.base_url.trim_end_matches('/');
            let url: Url = format!("{base}/{page}")
                .parse()
                .map_err(|_| FetchError::BadUrl {
                    what: "no reader".into(),
                })?;
            let get = self.http.request(Method::GET, &url);
            let get = get.map_err(|offline| FetchError::Offline { host: offline.0 })?;
            let get = get
                .bearer_auth(&self.options.key)
                .header("accept", "application/json");
            let response = get.send().await.map_err(|error| FetchError::lost(&error))?;
            self.read_answer(response).await
        };
        let seconds = self.fetch.timeout.as_secs_f64().ceil() as u64;
        let timed = tokio::time::timeout(self.fetch.timeout, asked).await;
        timed.unwrap_or_else(|_| Err(FetchError::Timeout { seconds }.into()))
    }

    async fn read_answer(&self, response: Response) -> Result<JinaPage, Failed> {
        let status = response.status();
        let wait = retry_after(response.headers(), jiff::Timestamp::now())
            .filter(|_| status.as_u16() == 429);
        let mut bytes = Vec::new();
        body::read(response, self.fetch.max_bytes, &mut bytes).await?;
        // An error may echo the key.
        let answer = String::from_utf8_lossy(&bytes).replace(&self.options.key, "…");
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let error = match status.as_u16() {
            // A refused key or an empty account refuses every page: the run must stop.
            401 | 402 => {
                let error = FetchError::HttpStatus {
                    status: status.as_u16(),
                };
                return Err(Failed {
                    refused: Some(status.as_u16()),
                    ..error.into()
                });
            }
            429 => FetchError::RateLimited,
            _ if !status.is_success() => FetchError::Reader {
                status: status.as_u16(),
                what: complaint(&answer),
            },
            _ => return Ok(page_in(&answer["data"])?),
        };
        Err(Failed {
            error,
            refused: None,
            wait,
        })
    }
}

/// The message of a failed request.
fn complaint(answer: &Value) -> String {
    quoted(
        answer["readableMessage"]
            .as_str()
            .or_else(|| answer["message"].as_str())
            .unwrap_or("no reason given"),
    )
}

/// The page in a response, or the status of its own server's refusal.
fn page_in(data: &Value) -> Result<JinaPage, FetchError> {
    let warning = data["warning"].as_str().unwrap_or_default();
    let refused = warning
        .split_once(REFUSED)
        .and_then(|(_, rest)| rest.get(..3)?.parse::<u16>().ok());
    match refused {
        Some(429) => return Err(FetchError::RateLimited),
        Some(status) => return Err(FetchError::HttpStatus { status }),
        None => {}
    }
    let missing = || FetchError::Protocol {
        what: "the reader's answer holds no page".to_owned(),
    };
    let content = data["content"].as_str().ok_or_else(missing)?;
    let title = data["title"]
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    // The reader of the text takes a heading in its first line for the page's title.
    let titled = title.is_empty()
        || content.trim().is_empty()
        || content.trim_start().starts_with(&format!("# {title}"));
    let text = if titled {
        content.to_owned()
    } else {
        format!("# {title}\n\n{content}")
    };
    let url = data["url"]
        .as_str()
        .filter(|url| http::is_web(url))
        .map(str::to_owned);
    Ok(JinaPage { url, text })
}

#[cfg(test)]
#[path = "jina_tests.rs"]
mod tests;
