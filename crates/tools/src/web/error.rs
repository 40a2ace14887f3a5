//! Errors of fetching, in one line each. No message holds a user, a password or a query, because
//! these may be secrets.

use std::{error::Error, io, iter, net::IpAddr, time::Duration};

use crate::http::Again;

/// Longest text of a server or of the system that a message quotes, in characters.
const QUOTED: usize = 120;

/// Why a page could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The text is no URL.
    #[error("not a URL: {what}")]
    BadUrl {
        /// What is wrong with it.
        what: String,
    },
    /// Neither http nor https. The scheme is not named: in `user:password@host` it is the user.
    #[error("neither http nor https")]
    Scheme,
    /// The URL holds a user or a password.
    #[error("a URL with a user or a password is not followed")]
    Userinfo,
    /// A port where pages are seldom and other services are often.
    #[error("port not allowed: `{port}`")]
    Port {
        /// The URL's port.
        port: u16,
    },
    /// The host is not on the public internet.
    #[error("`{host}` is not a public address: `{address}`")]
    Address {
        /// The host as in the URL.
        host: String,
        /// The address that is refused, the first one of several.
        address: IpAddr,
    },
    /// Only this machine may be reached.
    #[error("--offline forbids a connection to `{host}`")]
    Offline {
        /// The host as in the URL.
        host: String,
    },
    /// The host has no address.
    #[error("the host's name is not resolved: {what}")]
    Dns {
        /// What the system says.
        what: String,
    },
    /// No connection, or one that broke.
    #[error("no connection, or one that broke: {what}")]
    Connection {
        /// What the system says.
        what: String,
    },
    /// No secure connection.
    #[error("no secure connection: {what}")]
    Tls {
        /// What is wrong with the certificate or the handshake.
        what: String,
    },
    /// The time is over.
    #[error("not done within {seconds} seconds")]
    Timeout {
        /// The limit, rounded up.
        seconds: u64,
    },
    /// What the server says is not HTTP, or its headers are too many or too long.
    #[error("an invalid HTTP response: {what}")]
    Protocol {
        /// What is wrong with it.
        what: String,
    },
    /// The page is larger than the limit.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// A small body that unpacks into a huge one.
    #[error("a decompression bomb: {received} bytes unpack into more than {unpacked}")]
    Bomb {
        /// Bytes that came over the network.
        received: usize,
        /// Bytes that they became, before it was stopped.
        unpacked: usize,
    },
    /// The body is packed in a way that was not asked for, or is damaged.
    #[error("the body cannot be unpacked: {what}")]
    Encoding {
        /// The encoding's name, or what is wrong.
        what: String,
    },
    /// A chain of redirects without an end.
    #[error("more than {limit} redirects")]
    TooManyRedirects {
        /// The limit.
        limit: usize,
    },
    /// A redirect to nowhere.
    #[error("a redirect to an invalid URL")]
    BadRedirect,
    /// Not a kind of page that can be read.
    #[error("content type not allowed: `{found}`")]
    ContentType {
        /// What the server says, or `none`.
        found: String,
    },
    /// The server says that there is no page, or that it cannot give it.
    #[error("the server answered {status}")]
    HttpStatus {
        /// The status, not 2xx.
        status: u16,
    },
    /// A reader that fetches pages for us could not have this one.
    #[error("the reader answered {status}: {what}")]
    Reader {
        /// The reader's own status.
        status: u16,
        /// What it says.
        what: String,
    },
    /// The server wants fewer requests.
    #[error("the server answered 429: too many requests")]
    RateLimited,
    /// The site's robots.txt forbids it, or is not to be had, which means the same (RFC 9309,
    /// section 2.3.1.4).
    #[error("robots.txt forbids it{}", unreachable.as_ref().map(|why| format!(" as long as it cannot be read: {why}")).unwrap_or_default())]
    Robots {
        /// Why robots.txt could not be read, if that is the reason.
        unreachable: Option<String>,
    },
}

impl FetchError {
    /// Whether the same request may be sent again, where the server asked to `wait` so long. The
    /// time that is over would be over again.
    pub(super) fn again(&self, wait: Option<Duration>) -> Again {
        match wait {
            Some(wait) => Again::After(wait),
            None if self.is_transient() && !matches!(self, Self::Timeout { .. }) => Again::Later,
            None => Again::Never,
        }
    }

    /// Whether the same request may succeed later without any change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Timeout { .. } | Self::RateLimited => true,
            Self::HttpStatus { status } | Self::Reader { status, .. } => {
                *status >= 500 || *status == 408 || *status == 425
            }
            // The words of EAI_AGAIN; everything else means that the name does not exist.
            Self::Dns { what } => what.contains("Temporary failure"),
            Self::Robots { unreachable } => unreachable.is_some(),
            _ => false,
        }
    }

    /// The word that is stored and counted, such as `too_large`.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "bad_url",
            Self::Scheme => "scheme",
            Self::Userinfo => "userinfo",
            Self::Port { .. } => "port",
            Self::Address { .. } => "address",
            Self::Offline { .. } => "offline",
            Self::Dns { .. } => "dns",
            Self::Connection { .. } => "connection",
            Self::Tls { .. } => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Protocol { .. } => "protocol",
            Self::TooLarge { .. } => "too_large",
            Self::Bomb { .. } => "bomb",
            Self::Encoding { .. } => "encoding",
            Self::TooManyRedirects { .. } => "too_many_redirects",
            Self::BadRedirect => "bad_redirect",
            Self::ContentType { .. } => "content_type",
            Self::HttpStatus { .. } => "http_status",
            Self::Reader { .. } => "reader",
            Self::RateLimited => "rate_limited",
            Self::Robots { .. } => "robots",
        }
    }

    /// The error for a request without a response, or for a body that broke off.
    pub(crate) fn lost(error: &reqwest::Error) -> Self {
        chain(error)
            .find_map(typed)
            .unwrap_or_else(|| Self::Connection { what: root(error) })
    }
}

fn typed(error: &(dyn Error + 'static)) -> Option<FetchError> {
    if let Some(own) = error.downcast_ref::<FetchError>() {
        return Some(own.clone());
    }
    if error.is::<rustls::Error>() {
        return Some(FetchError::Tls {
            what: quoted(&error.to_string()),
        });
    }
    let http = error
        .downcast_ref::<hyper::Error>()
        .filter(|error| error.is_parse())?;
    Some(FetchError::Protocol {
        what: quoted(&http.to_string()),
    })
}

/// The error and its sources.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| next(*error))
}

/// What an error comes from. One that was put into an `io::Error` is not the source of that.
fn next<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// The innermost cause: the outer ones repeat the URL.
fn root(error: &reqwest::Error) -> String {
    let root = chain(error)
        .last()
        .filter(|error| !error.is::<reqwest::Error>());
    root.map_or_else(
        || "no reason given".to_owned(),
        |error| quoted(&error.to_string()),
    )
}

/// Untrusted text, shortened and safe for a terminal.
pub(super) fn quoted(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(QUOTED)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_by_itself() {
        assert!(FetchError::HttpStatus { status: 503 }.is_transient());
        assert!(!FetchError::HttpStatus { status: 404 }.is_transient());
        assert!(
            !FetchError::Dns {
                what: "Name or service not known".into()
            }
            .is_transient()
        );
        assert!(
            FetchError::Dns {
                what: "Temporary failure in name resolution".into()
            }
            .is_transient()
        );
        assert!(!FetchError::Robots { unreachable: None }.is_transient());
        assert!(
            FetchError::Robots {
                unreachable: Some("the server answered 500".into())
            }
            .is_transient()
        );
    }

    #[test]
    fn what_is_quoted_is_short_and_plain() {
        assert_eq!(quoted("a\u{1b}[31m\nb"), "a [31m b");
        assert_eq!(quoted(&"x".repeat(1000)).len(), QUOTED);
    }
}
