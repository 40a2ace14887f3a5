//! A URL becomes bytes, or the typed reason why not. Each hop of a redirect is judged anew: by its
//! text, by robots.txt, by the addresses that its host stands for. Hides attempts, pauses and the
//! time that is left.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Result;
use reqwest::{Client, Url, header};
use tokio::{
    sync::OnceCell,
    time::{Instant, timeout},
};

use super::{
    FetchError,
    guard::{Guarded, Reach, System},
    polite::Polite,
    robots::Robots,
};
use crate::{
    http::{self, Retries, retry, retry_after},
    web::response::{Content, Head, Wanted, content},
};

/// Hops after which a chain of redirects is given up.
const REDIRECTS: usize = 5;
/// Requests for one URL, as long as its failures may pass.
const ATTEMPTS: usize = 3;
/// The longest pause that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
const CONNECT: Duration = Duration::from_secs(10);

/// How to fetch.
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// Any address and any port, not only public ones: for an intranet, never for the reports of
    /// strangers.
    pub allow_private: bool,
    /// Whether robots.txt is read and obeyed.
    pub respect_robots: bool,
    /// No other machine; of this one nothing either, unless `allow_private`.
    pub offline: bool,
    /// Largest page in bytes, unpacked.
    pub max_bytes: usize,
    /// Time for one URL from its first request to its last byte, with redirects and attempts and
    /// without pauses. The site's robots.txt has as much again.
    pub timeout: Duration,
    /// Requests in flight per host, at least one.
    pub per_host: usize,
    /// Time between the starts of two requests to a host, and before something that failed is tried
    /// again.
    pub pause: Duration,
    /// The user agent; robots.txt is read for the part before the first `/`.
    pub user_agent: String,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            allow_private: false,
            respect_robots: true,
            offline: false,
            max_bytes: 10 << 20,
            timeout: Duration::from_secs(30),
            per_host: 2,
            pause: Duration::from_millis(500),
            user_agent: concat!("taskgen/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// The outcome of fetching one URL.
#[derive(Clone)]
pub struct Fetched {
    /// The URL as it was given.
    pub url: String,
    /// The URL that was asked last; `None` if none was.
    pub final_url: Option<String>,
    /// Where servers pointed to, in order; the last one may have been refused.
    pub redirects: Vec<String>,
    /// The last answer's status.
    pub status: Option<u16>,
    /// The last answer's media type in lower case, without parameters.
    pub content_type: Option<String>,
    /// The charset that the last answer's header names, in lower case.
    pub charset: Option<String>,
    /// The page's bytes, unpacked, or why there are none.
    pub body: Result<Vec<u8>, FetchError>,
    /// Milliseconds spent in requests, without pauses.
    pub ms: u64,
}

impl fmt::Debug for Fetched {
    /// Queries may hold secrets, and bodies are long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("url", &shown(&self.url))
            .field("final_url", &self.final_url.as_deref().map(shown))
            .field(
                "redirects",
                &self
                    .redirects
                    .iter()
                    .map(|url| shown(url))
                    .collect::<Vec<_>>(),
            )
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("charset", &self.charset)
            .field("bytes", &self.body.as_ref().map(Vec::len))
            .field("ms", &self.ms)
            .finish()
    }
}

/// The URL without user, password, query and fragment.
fn shown(url: &str) -> String {
    let Some(mut url) = url.parse::<Url>().ok().filter(Url::has_host) else {
        return "not of the web".to_owned();
    };
    // What has a host can have both, and so be without.
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// A site's rules, read once.
type Site = Arc<OnceCell<Result<Robots, FetchError>>>;

/// Fetches pages. Shared by all who fetch, since it knows who was asked when.
pub struct Fetcher {
    client: Client,
    options: FetchOptions,
    reach: Reach,
    polite: Polite,
    /// By origin.
    robots: Mutex<HashMap<String, Site>>,
}

impl Fetcher {
    /// A fetcher that asks the system's name server and dials what the guard lets through.
    pub fn new(options: FetchOptions) -> Result<Self> {
        let reach = reach(&options);
        let client = http::for_strangers(
            &options.user_agent,
            CONNECT,
            Guarded {
                reach,
                names: System,
            },
        )
        .build()?;
        Ok(Self::over(client, options))
    }

    fn over(client: Client, options: FetchOptions) -> Self {
        let polite = Polite::new(options.per_host, options.pause);
        Self {
            client,
            reach: reach(&options),
            polite,
            options,
            robots: Mutex::default(),
        }
    }

    /// Fetches one URL.
    pub async fn fetch(&self, url: &str) -> Fetched {
        let patience = Patience::new(self.options.timeout);
        let mut trail = Trail::default();
        let body = self.follow(url, &patience, &mut trail).await;
        let Trail {
            final_url,
            redirects,
            head:
                Head {
                    status,
                    content_type,
                    charset,
                },
        } = trail;
        Fetched {
            url: url.to_owned(),
            final_url,
            redirects,
            status,
            content_type,
            charset,
            body,
            ms: patience.spent(),
        }
    }

    /// The page at the end of the redirects from `url`; `trail` says how far that went.
    async fn follow(
        &self,
        url: &str,
        patience: &Patience,
        trail: &mut Trail,
    ) -> Result<Vec<u8>, FetchError> {
        let bad = |error| FetchError::BadUrl {
            what: format!("{error}"),
        };
        let mut url: Url = url.parse().map_err(bad)?;
        // Every hop is checked anew: a public page may point at an address of the intranet.
        for _ in 0..=REDIRECTS {
            url.set_fragment(None);
            self.reach.check(&url)?;
            self.ask_robots(&url).await?;
            // Only what is really asked; a refused redirect is in the list of redirects.
            trail.final_url = Some(url.to_string());
            let answer = self
                .request(
                    &url,
                    Wanted::Page {
                        limit: self.options.max_bytes,
                    },
                    patience,
                )
                .await;
            let (head, content) = answer.map_or_else(
                |failed| (failed.head, Err(failed.error)),
                |(head, content)| (head, Ok(content)),
            );
            // Also of a failed hop, so that the visit on record shows its status.
            trail.head = head;
            match content? {
                Content::Bytes(bytes) => return Ok(bytes),
                Content::Moved(next) => {
                    trail.redirects.push(next.to_string());
                    url = next;
                }
            }
        }
        Err(FetchError::TooManyRedirects { limit: REDIRECTS })
    }

    /// Whether the site of `url` lets programs read it.
    async fn ask_robots(&self, url: &Url) -> Result<(), FetchError> {
        if !self.options.respect_robots {
            return Ok(());
        }
        // The lock is held only to find the cell: a slow robots.txt must hold up its own site
        // alone.
        let site = Arc::clone(
            lock(&self.robots)
                .entry(url.origin().ascii_serialization())
                .or_default(),
        );
        let robots = site
            .get_or_init(async || self.rules(url).await)
            .await
            .as_ref()
            .map_err(Clone::clone)?;
        // With the query, which rules may name, and without the fragment, which is never sent.
        let path = [
            url.path(),
            url.query().map_or("", |_| "?"),
            url.query().unwrap_or_default(),
        ]
        .concat();
        if robots.allow(&path) {
            Ok(())
        } else {
            Err(FetchError::Robots { unreachable: None })
        }
    }

    /// The rules of the site of `url` (RFC 9309, section 2.3.1): a site without robots.txt has
    /// none, one that cannot say what it wants is left alone. A host that is not there is not a
    /// matter of robots.
    async fn rules(&self, url: &Url) -> Result<Robots, FetchError> {
        let agent = self
            .options
            .user_agent
            .split('/')
            .next()
            .unwrap_or_default();
        match self.robots_txt(url).await {
            Ok(text) => Ok(Robots::parse(&text, agent)),
            Err(
                // No rules, or too many redirects to them: RFC 9309 reads both as no restriction.
                FetchError::HttpStatus { status: ..500 }
                | FetchError::RateLimited
                | FetchError::TooManyRedirects { .. },
            ) => Ok(Robots::default()),
            Err(
                gone @ (FetchError::Address { .. }
                | FetchError::Offline { .. }
                | FetchError::Dns { .. }
                | FetchError::Connection { .. }
                | FetchError::Tls { .. }),
            ) => Err(gone),
            Err(error) => Err(FetchError::Robots {
                unreachable: Some(error.to_string()),
            }),
        }
    }

    async fn robots_txt(&self, url: &Url) -> Result<Vec<u8>, FetchError> {
        let patience = Patience::new(self.options.timeout);
        let mut url = url
            .join("/robots.txt")
            .map_err(|_| FetchError::BadRedirect)?;
        for _ in 0..=REDIRECTS {
            self.reach.check(&url)?;
            match self
                .request(&url, Wanted::Robots, &patience)
                .await
                .map_err(|failed| failed.error)?
            {
                (_, Content::Bytes(bytes)) => return Ok(bytes),
                (_, Content::Moved(next)) => url = next,
            }
        }
        Err(FetchError::TooManyRedirects { limit: REDIRECTS })
    }

    /// One hop, with as many attempts as make sense. The caller has checked `url`.
    async fn request(
        &self,
        url: &Url,
        wanted: Wanted,
        patience: &Patience,
    ) -> Result<(Head, Content), Failed> {
        let policy = Retries {
            attempts: ATTEMPTS,
            pause: self.options.pause,
            longest: LONGEST_WAIT,
        };
        retry(
            policy,
            || self.attempt(url, wanted, patience),
            |failed| failed.error.again(failed.wait),
        )
        .await
    }

    async fn attempt(
        &self,
        url: &Url,
        wanted: Wanted,
        patience: &Patience,
    ) -> Result<(Head, Content), Failed> {
        let host = url.host_str().unwrap_or_default();
        let _turn = self.polite.turn(host).await;
        let get = self
            .client
            .get(url.clone())
            // The one packing that `body` unpacks with a limit; others would be unbounded.
            .header(header::ACCEPT_ENCODING, "gzip");
        let send = async { get.send().await.map_err(|error| FetchError::lost(&error)) };
        let response = patience.spend(send).await?;
        let head = Head::read(&response);
        // Elsewhere the header is no request to wait: on a redirect it means another thing.
        let busy = matches!(head.status, Some(429 | 503));
        let wait = retry_after(response.headers(), jiff::Timestamp::now()).filter(|_| busy);
        if let Some(wait) = wait.filter(|wait| *wait <= LONGEST_WAIT) {
            // For all of this host's pages, not only for the one that heard it.
            self.polite.hold(host, wait);
        }
        match patience.spend(content(response, &head, wanted)).await {
            Ok(content) => Ok((head, content)),
            Err(error) => Err(Failed { error, head, wait }),
        }
    }
}

fn reach(options: &FetchOptions) -> Reach {
    Reach {
        private: options.allow_private,
        offline: options.offline,
    }
}

/// The progress of a fetch.
#[derive(Default)]
struct Trail {
    final_url: Option<String>,
    redirects: Vec<String>,
    head: Head,
}

/// A failed attempt.
struct Failed {
    error: FetchError,
    head: Head,
    /// How long the server asks to wait.
    wait: Option<Duration>,
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Self {
            error,
            head: Head::default(),
            wait: None,
        }
    }
}

/// The time that one URL may take; pauses cost none.
struct Patience {
    whole: Duration,
    left: Mutex<Duration>,
}

impl Patience {
    fn new(whole: Duration) -> Self {
        Self {
            whole,
            left: Mutex::new(whole),
        }
    }

    async fn spend<T>(
        &self,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let (left, start) = (*lock(&self.left), Instant::now());
        // What is left of the whole time: redirects and attempts share it, and no chain of them
        // lasts forever.
        let outcome = timeout(left, work).await;
        *lock(&self.left) = left.saturating_sub(start.elapsed());
        outcome.unwrap_or_else(|_| {
            Err(FetchError::Timeout {
                seconds: self.whole.as_secs_f64().ceil() as u64,
            })
        })
    }

    fn spent(&self) -> u64 {
        self.whole.saturating_sub(*lock(&self.left)).as_millis() as u64
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;
