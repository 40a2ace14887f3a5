//! The one HTTP client, and the rule of `--offline`: no connection but to this machine.

use std::time::Duration;

use anyhow::Result;
use reqwest::{Client, Url, redirect};

/// Hops after which a chain of redirects is given up.
const REDIRECTS: usize = 5;

/// How to connect.
#[derive(Clone, Copy, Debug)]
pub struct HttpOptions {
    /// Only this machine may be reached.
    pub offline: bool,
    /// Time for a connection to come about.
    pub connect_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self { offline: false, connect_timeout: Duration::from_secs(10) }
    }
}

/// The client with its rule. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    offline: bool,
}

/// An address that `--offline` forbids.
#[derive(Debug, thiserror::Error)]
#[error("--offline forbids a connection to `{0}`\nhint: leave out --offline, or use something on this machine")]
pub struct Offline(pub String);

impl Http {
    /// A client. It keeps no cookies and follows few redirects, never from https to http.
    pub fn new(options: HttpOptions) -> Result<Self> {
        // A second installation is refused, and the first one serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let offline = options.offline;
        let policy = redirect::Policy::custom(move |attempt| {
            let from_https = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
            if attempt.previous().len() >= REDIRECTS {
                attempt.error("too many redirects")
            } else if (from_https && attempt.url().scheme() != "https") || (offline && !is_loopback(attempt.url())) {
                attempt.error("a redirect to a place that is not allowed")
            } else {
                attempt.follow()
            }
        });
        let client = Client::builder()
            .user_agent(concat!("taskgen/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(options.connect_timeout)
            .redirect(policy)
            .build()?;
        Ok(Self { client, offline })
    }

    /// A request of `method` to `url`, unless the rule forbids it.
    pub fn request(&self, method: reqwest::Method, url: &Url) -> Result<reqwest::RequestBuilder, Offline> {
        if self.offline && !is_loopback(url) {
            return Err(Offline(url.host_str().unwrap_or_default().to_owned()));
        }
        Ok(self.client.request(method, url.clone()))
    }
}

/// Whether a URL names this machine: a loopback address, or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// How long a server asks to wait: `Retry-After` in seconds or as a date, seen at `now`.
pub fn retry_after(headers: &reqwest::header::HeaderMap, now: jiff::Timestamp) -> Option<Duration> {
    let text = headers.get(reqwest::header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date - now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    #[test]
    fn offline_reaches_only_this_machine() {
        let http = Http::new(HttpOptions { offline: true, ..HttpOptions::default() }).expect("a client");
        let allowed = |url: &str| http.request(reqwest::Method::GET, &url.parse().expect("a URL")).is_ok();
        assert!(allowed("http://127.0.0.1:1/") && allowed("http://localhost/") && allowed("http://[::1]/"));
        assert!(
            !allowed("https://example.org/")
                && !allowed("http://10.0.0.1/")
                && !allowed("http://127.0.0.1.example.org/")
        );
    }

    #[test]
    fn retry_after_has_two_forms() {
        let now: jiff::Timestamp = "2026-11-21T00:00:00Z".parse().expect("a time");
        let after = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            retry_after(&headers, now)
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("Sat, 21 Nov 2026 00:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(after("Sat, 21 Nov 2020 00:00:30 GMT"), Some(Duration::ZERO));
        assert_eq!(after("soon"), None);
    }
}
