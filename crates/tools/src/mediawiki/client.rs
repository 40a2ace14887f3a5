//! The client of the action API: one request at a time, a pause between their starts, and the
//! pauses that the wiki asks for. Redirects are not followed, so that no other host is asked.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{
    Method, Response, StatusCode, Url,
    header::{ACCEPT_ENCODING, HeaderValue, LOCATION, USER_AGENT},
};
use serde_json::{Map, Value};

use super::{
    error::{ApiError, Failed, quoted},
    reply::{self, Reply},
};
use crate::{
    http::{self, Again, Http, HttpOptions, Retries, retry, retry_after},
    web::{FetchError, Polite, read_body},
};

/// Replies after which a list is given up: 500 members each, 5 million in all.
const MOST_REPLIES: usize = 10_000;
/// Warnings that are kept.
const MOST_WARNINGS: usize = 100;
/// Longest text of a contact.
const LONGEST_CONTACT: usize = 200;

/// How a wiki is asked.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Address of its `api.php`.
    pub api: String,
    /// Address of mail or of a page at which the sender of the requests is reached.
    pub contact: String,
    /// Time between the starts of two requests.
    pub pause: Duration,
    /// Largest reply, unpacked.
    pub max_bytes: usize,
    /// Time for one request.
    pub timeout: Duration,
    /// How often a request is sent again.
    pub retries: Retries,
    /// Seconds of lag of its databases from which on the wiki shall refuse.
    pub max_lag: u32,
    /// Only this machine may be reached.
    pub offline: bool,
}

impl ClientOptions {
    /// The usual ways, which are polite enough for Wikipedia.
    pub fn new(api: &str, contact: &str) -> Self {
        Self {
            api: api.to_owned(),
            contact: contact.to_owned(),
            pause: Duration::from_secs(1),
            max_bytes: 32 << 20,
            timeout: Duration::from_mins(1),
            retries: Retries {
                attempts: 6,
                pause: Duration::from_secs(5),
                longest: Duration::from_mins(3),
            },
            max_lag: 5,
            offline: false,
        }
    }
}

/// The client of one wiki.
pub struct Client {
    http: Http,
    api: Url,
    agent: HeaderValue,
    polite: Polite,
    options: ClientOptions,
    warnings: Mutex<BTreeSet<String>>,
    requests: AtomicU64,
}

impl Client {
    /// Nothing is sent yet.
    pub fn new(options: ClientOptions) -> Result<Self, ApiError> {
        let bad_address = || ApiError::Address(quoted(&options.api));
        let api: Url = options.api.parse().map_err(|_| bad_address())?;
        let is_plain = api.username().is_empty() && api.password().is_none();
        if !http::is_web(&options.api) || !is_plain || api.query().is_some() {
            return Err(bad_address());
        }
        let agent = agent(&options.contact)?;
        let http = Http::new(HttpOptions {
            offline: options.offline,
            silence: Some(options.timeout),
            redirects: false,
            ..HttpOptions::default()
        });
        Ok(Self {
            http: http.map_err(|error| ApiError::Connection(quoted(&error.to_string())))?,
            api,
            agent,
            polite: Polite::new(1, options.pause),
            options,
            warnings: Mutex::default(),
            requests: AtomicU64::new(0),
        })
    }

    /// Address of the API.
    pub fn api(&self) -> &str {
        self.api.as_str()
    }

    /// Requests so far, those that were sent again included.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// What the wiki warned of, each once.
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.iter().cloned().collect()
    }

    /// The reply to one question, however it may go on.
    pub(super) async fn ask(&self, parameters: &[(&str, &str)]) -> Result<Reply, ApiError> {
        self.send(parameters, &Map::new()).await
    }

    /// All entries of a list in `query`, its continuation followed to the end.
    pub(super) async fn list(
        &self,
        name: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Vec<Value>, ApiError> {
        let mut entries = Vec::new();
        let mut next = Map::new();
        let mut tokens = BTreeSet::new();
        for _ in 0..MOST_REPLIES {
            let reply = self.send(parameters, &next).await?;
            // A wiki may send no entry at all and go on.
            entries.extend_from_slice(reply.list(name));
            let Some(more) = reply.next() else {
                return Ok(entries);
            };
            next.clone_from(more);
            let token = Value::Object(more.clone()).to_string();
            if !tokens.insert(token.clone()) {
                return Err(ApiError::Endless(quoted(&token)));
            }
        }
        Err(ApiError::Endless(format!("{MOST_REPLIES} replies")))
    }

    async fn send(
        &self,
        parameters: &[(&str, &str)],
        next: &Map<String, Value>,
    ) -> Result<Reply, ApiError> {
        let url = self.url(parameters, next);
        let attempt = || async {
            // The wait for a turn is no part of the time that a request has.
            let host = url.host_str().unwrap_or_default();
            let _turn = self.polite.turn(host).await;
            let timed = tokio::time::timeout(self.options.timeout, self.attempt(&url)).await;
            timed.unwrap_or_else(|_| {
                let seconds = self.options.timeout.as_secs_f64().ceil();
                let error = ApiError::Connection(format!("not done within {seconds} seconds"));
                let again = Again::Later;
                Err(Failed { error, again })
            })
        };
        let sent = retry(self.options.retries, attempt, |failed: &Failed| {
            failed.again
        })
        .await;
        let reply = sent.map_err(|failed| failed.error)?;
        self.keep_warnings(&reply);
        Ok(reply)
    }

    fn url(&self, parameters: &[(&str, &str)], next: &Map<String, Value>) -> Url {
        let mut url = self.api.clone();
        let mut query = url.query_pairs_mut();
        query.extend_pairs([("format", "json"), ("formatversion", "2")]);
        query.append_pair("maxlag", &self.options.max_lag.to_string());
        // What is continued replaces what was asked first.
        let first = parameters
            .iter()
            .filter(|(name, _)| !next.contains_key(*name));
        query.extend_pairs(first);
        for (name, value) in next {
            let number = value.to_string();
            query.append_pair(name, value.as_str().unwrap_or(&number));
        }
        drop(query);
        url
    }

    async fn attempt(&self, url: &Url) -> Result<Reply, Failed> {
        let request = self.http.request(Method::GET, url);
        let request = request.map_err(|offline| ApiError::Offline(offline.0))?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let response = request
            .header(USER_AGENT, self.agent.clone())
            .header(ACCEPT_ENCODING, "gzip")
            .send()
            .await
            .map_err(|error| lost(FetchError::lost(&error)))?;
        self.read(response).await
    }

    async fn read(&self, response: Response) -> Result<Reply, Failed> {
        let status = response.status();
        let asked = retry_after(response.headers(), jiff::Timestamp::now());
        if status.is_redirection() {
            let to = response.headers().get(LOCATION);
            let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
            let (status, to) = (status.as_u16(), quoted(to));
            return Err(ApiError::Redirect { status, to }.into());
        }
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let what = match asked {
                Some(asked) => format!("it answered {status}, come again in {asked:?}"),
                None => format!("it answered {status}"),
            };
            return Err(Failed {
                error: ApiError::Busy { what },
                again: asked.map_or(Again::Later, Again::After),
            });
        }
        let mut body = Vec::new();
        let read = read_body(response, self.options.max_bytes, &mut body).await;
        read.map_err(lost)?;
        match reply::read(&body, asked) {
            // Some refusals come with a status of their own, and say why in the body.
            Err(failed)
                if matches!(failed.error, ApiError::NotJson { .. }) && !status.is_success() =>
            {
                let status = status.as_u16();
                Err(ApiError::Status { status }.into())
            }
            reply => reply,
        }
    }

    fn keep_warnings(&self, reply: &Reply) {
        let mut kept = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in reply.warnings() {
            if kept.len() < MOST_WARNINGS {
                kept.insert(warning);
            }
        }
    }
}

/// The failure of a request without a whole response.
fn lost(error: FetchError) -> Failed {
    let again = if error.is_transient() {
        Again::Later
    } else {
        Again::Never
    };
    let error = match error {
        FetchError::TooLarge { limit } => ApiError::TooLarge { limit },
        FetchError::Offline { host } => ApiError::Offline(host),
        error => ApiError::Connection(error.to_string()),
    };
    Failed { error, again }
}

/// Our name, our version and whom to reach, as wikis ask for.
fn agent(contact: &str) -> Result<HeaderValue, ApiError> {
    let contact = contact.trim();
    let mail = contact
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let is_plain = contact
        .chars()
        .all(|c| !c.is_control() && !"()".contains(c));
    let refused = || ApiError::Contact(quoted(contact));
    if !(mail || http::is_web(contact)) || !is_plain || contact.len() > LONGEST_CONTACT {
        return Err(refused());
    }
    let agent = format!("taskgen/{} ({contact})", env!("CARGO_PKG_VERSION"));
    HeaderValue::from_str(&agent).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_needed() {
        let agent = |contact| agent(contact).map(|agent| agent.to_str().unwrap_or("").to_owned());
        let name = concat!("taskgen/", env!("CARGO_PKG_VERSION"));
        assert_eq!(
            agent(" ada@example.org "),
            Ok(format!("{name} (ada@example.org)"))
        );
        assert!(agent("https://example.org/about").is_ok());
        for none in [
            "",
            "ada",
            "@",
            "ada@host",
            "a@b.c\r\nX: y",
            "a@b.c)(",
            "ftp://a.b",
        ] {
            assert!(matches!(agent(none), Err(ApiError::Contact(_))), "{none}");
        }
    }

    #[test]
    fn an_address_is_that_of_a_script() {
        let client = |api| Client::new(ClientOptions::new(api, "a@b.org"));
        assert!(client("http://127.0.0.1:1/w/api.php").is_ok());
        for none in [
            "",
            "wiki",
            "ftp://a.b/",
            "https://u:p@a.b/api.php",
            "https://a.b/api.php?x=y",
        ] {
            assert!(matches!(client(none), Err(ApiError::Address(_))), "{none}");
        }
    }
}
