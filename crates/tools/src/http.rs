//! The one HTTP client, the one retry policy, and the rule of `--offline`: no connection but to
//! this machine. Hides proxies, redirects and the cryptography behind https.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::Result;
use backon::{ExponentialBuilder, Retryable as _};
use reqwest::{Client, ClientBuilder, Url, dns::Resolve, redirect};

/// Hops after which a chain of redirects is given up.
const REDIRECTS: usize = 5;

/// How to connect.
#[derive(Clone, Copy, Debug)]
pub struct HttpOptions {
    /// Only this machine may be reached.
    pub offline: bool,
    /// Time for a connection to come about.
    pub connect_timeout: Duration,
    /// Longest silence of a server, if there is a limit: a model may think for minutes.
    pub silence: Option<Duration>,
    /// Whether to go where a server points. Not with a question: its key and its texts are for the
    /// server that was named.
    pub redirects: bool,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            offline: false,
            connect_timeout: Duration::from_secs(10),
            silence: None,
            redirects: false,
        }
    }
}

/// The client with its rule. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Http {
    /// For other machines, through the user's proxy where there is one.
    far: Client,
    /// For this machine, never through a proxy.
    near: Client,
    offline: bool,
}

/// An address that `--offline` forbids.
#[derive(Debug, thiserror::Error)]
#[error(
    "--offline forbids a connection to `{0}`\nhint: leave out --offline, or use something on this machine"
)]
pub struct Offline(pub String);

impl Http {
    /// A client. It keeps no cookies and follows no redirects, or few, and never from https to
    /// http.
    pub fn new(options: HttpOptions) -> Result<Self> {
        install_cryptography();
        let far = builder(options).build()?;
        let local = [
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
        ];
        let near = builder(options)
            .no_proxy()
            .resolve_to_addrs("localhost", &local)
            .build()?;
        Ok(Self {
            far,
            near,
            offline: options.offline,
        })
    }

    /// A request of `method` to `url`, unless the rule forbids it.
    pub fn request(
        &self,
        method: reqwest::Method,
        url: &Url,
    ) -> Result<reqwest::RequestBuilder, Offline> {
        match is_loopback(url) {
            true => Ok(self.near.request(method, url.clone())),
            false if self.offline => Err(Offline(url.host_str().unwrap_or_default().to_owned())),
            false => Ok(self.far.request(method, url.clone())),
        }
    }
}

/// The beginnings of a client for strangers' pages: no proxy, no redirect that it follows by
/// itself, and no name that `names` does not resolve.
pub fn for_strangers(
    user_agent: &str,
    connect_timeout: Duration,
    names: impl Resolve + 'static,
) -> ClientBuilder {
    install_cryptography();
    Client::builder()
        .user_agent(user_agent)
        .connect_timeout(connect_timeout)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .dns_resolver(names)
}

fn install_cryptography() {
    // A second installation is refused, and the first one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn builder(options: HttpOptions) -> ClientBuilder {
    let offline = options.offline;
    let followed = redirect::Policy::custom(move |attempt| {
        let from_https = attempt
            .previous()
            .last()
            .is_some_and(|url| url.scheme() == "https");
        if attempt.previous().len() >= REDIRECTS {
            attempt.error("too many redirects")
        } else if (from_https && attempt.url().scheme() != "https")
            || (offline && !is_loopback(attempt.url()))
        {
            attempt.error("a redirect to a place that is not allowed")
        } else {
            attempt.follow()
        }
    });
    let client = Client::builder()
        .user_agent(concat!("taskgen/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(options.connect_timeout)
        .redirect(if options.redirects {
            followed
        } else {
            redirect::Policy::none()
        });
    match options.silence {
        Some(silence) => client.read_timeout(silence),
        None => client,
    }
}

/// How often and how patiently something that failed is tried again.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// Attempts in all.
    pub attempts: usize,
    /// The first pause; each next one is twice as long.
    pub pause: Duration,
    /// The longest pause, also where a server asks for a longer one: then it is not tried again.
    pub longest: Duration,
}

/// What an error means for the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It would fail again.
    Never,
    /// After the policy's own pause.
    Later,
    /// After the pause that the server asks for.
    After(Duration),
}

/// Runs `attempt` until it succeeds, fails permanently according to `again`, or the policy's
/// attempts are used up.
pub async fn retry<T, E, F: Future<Output = Result<T, E>>>(
    policy: Retries,
    attempt: impl FnMut() -> F,
    again: impl Fn(&E) -> Again,
) -> Result<T, E> {
    retry_telling(policy, attempt, again, |_, _| ()).await
}

/// The same, where `tell` hears of each pause before it begins.
pub async fn retry_telling<T, E, F: Future<Output = Result<T, E>>>(
    policy: Retries,
    attempt: impl FnMut() -> F,
    again: impl Fn(&E) -> Again,
    tell: impl Fn(&E, Duration),
) -> Result<T, E> {
    let pauses = ExponentialBuilder::default()
        .with_min_delay(policy.pause)
        .with_max_delay(policy.longest)
        .with_max_times(policy.attempts.saturating_sub(1));
    let pause = |error: &E, own: Option<Duration>| match again(error) {
        Again::Never => None,
        Again::Later => own,
        Again::After(asked) => own
            .filter(|_| asked <= policy.longest)
            .map(|own| own.max(asked)),
    };
    attempt
        .retry(pauses)
        .adjust(pause)
        .notify(|error: &E, pause: Duration| tell(error, pause))
        .await
}

/// Whether a text is a URL that can be asked.
pub fn is_web(url: &str) -> bool {
    url.parse::<Url>()
        .is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.has_host())
}

/// Whether a URL names this machine: a loopback address, or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

/// How long a server asks to wait: `Retry-After` in seconds or as a date, seen at `now`, or
/// `retry-after-ms`.
pub fn retry_after(headers: &reqwest::header::HeaderMap, now: jiff::Timestamp) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return seconds(ms / 1000.0);
    }
    let text = text("retry-after")?;
    if let Ok(asked) = text.parse::<f64>() {
        return seconds(asked);
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date - now).unwrap_or(Duration::ZERO))
}

/// A year: a longer pause makes no difference, and adding it to the clock cannot overflow.
const LONGEST_ASKED: f64 = 365.0 * 86_400.0;

/// So many seconds. A number that no clock can hold asks for a long pause, and not for none; one
/// below zero asks for nothing.
fn seconds(asked: f64) -> Option<Duration> {
    // NaN is not at least zero, either.
    (asked >= 0.0).then(|| Duration::from_secs_f64(asked.min(LONGEST_ASKED)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderMap, HeaderValue};

    #[test]
    fn offline_reaches_only_this_machine() {
        let http = Http::new(HttpOptions {
            offline: true,
            ..HttpOptions::default()
        })
        .expect("a client");
        let allowed = |url: &str| {
            http.request(reqwest::Method::GET, &url.parse().expect("a URL"))
                .is_ok()
        };
        assert!(
            allowed("http://127.0.0.1:1/")
                && allowed("http://localhost/")
                && allowed("http://[::1]/")
        );
        assert!(
            !allowed("https://example.org/")
                && !allowed("http://10.0.0.1/")
                && !allowed("http://127.0.0.1.example.org/")
        );
    }

    #[test]
    fn tries_again_as_long_as_it_may_help() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let attempts = |again: Again| {
            let count = std::cell::Cell::new(0);
            let policy = Retries {
                attempts: 3,
                pause: Duration::from_millis(1),
                longest: Duration::from_millis(4),
            };
            let attempt = || async {
                count.set(count.get() + 1);
                Err::<(), ()>(())
            };
            runtime
                .block_on(retry(policy, attempt, |()| again))
                .expect_err("it never succeeds");
            count.get()
        };
        assert_eq!(attempts(Again::Never), 1);
        assert_eq!(attempts(Again::Later), 3);
        assert_eq!(attempts(Again::After(Duration::from_millis(2))), 3);
        assert_eq!(
            attempts(Again::After(Duration::from_hours(1))),
            1,
            "nobody waits for an hour"
        );
    }

    #[test]
    fn retry_after_has_three_forms() {
        let now: jiff::Timestamp = "2026-11-21T00:00:00Z".parse().expect("a time");
        let of = |name: &'static str, text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(text));
            retry_after(&headers, now)
        };
        let after = |text| of("retry-after", text);
        assert_eq!(
            of("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("-1"), None);
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        for endless in ["1e23", "1e300", "inf"] {
            let asked = after(endless).expect("a pause");
            assert!(asked > Duration::from_hours(24), "{endless}: {asked:?}");
        }
        assert_eq!(after("NaN"), None);
        assert_eq!(
            after("Sat, 21 Nov 2026 00:00:30 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(after("Sat, 21 Nov 2020 00:00:30 GMT"), Some(Duration::ZERO));
        assert_eq!(after("soon"), None);
    }
}
