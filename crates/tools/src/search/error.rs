//! Failures of a search, in one line each. No message holds a key: what a server says is cut, and
//! the key is taken out of it before.

use crate::{data::id::sha256_hex, http::Again, text::words::one_line};

/// Longest text of a server that a message quotes, in characters.
const QUOTED: usize = 160;

/// Why a search gave no answer. An answer without results is none of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The key is missing.
    #[error(
        "no key for the search: the variable `{variable}` is not set\nhint: set it, or name a file that sets it with --env-file; `key_env` in [search] names another variable"
    )]
    NoKey {
        /// The variable that should hold it.
        variable: String,
    },
    /// The provider refuses the key.
    #[error(
        "the search refuses the key (it answered {status}): `{said}`\nhint: check the key, and the account behind it"
    )]
    KeyRefused {
        /// The status.
        status: u16,
        /// What the server says.
        said: String,
    },
    /// The account has no searches left.
    #[error(
        "the account has no searches left (the server answered {status}): `{said}`\nhint: what was answered is kept; run the same command again when there are more"
    )]
    Quota {
        /// The status.
        status: u16,
        /// What the server says.
        said: String,
    },
    /// `--offline` forbids it.
    #[error(
        "--offline forbids a search at `{0}`\nhint: leave out --offline, or use `provider = \"local\"` in [search]"
    )]
    Offline(String),
    /// Nothing may be sent, and the search is not on record.
    #[error("a search is not on record: `{0}`\nhint: run without --replay to send it")]
    NotOnRecord(String),
    /// The server refuses this query, or points elsewhere.
    #[error("the search answered {status}: `{said}`\nhint: check `base_url` in [search]")]
    Refused {
        /// The status.
        status: u16,
        /// What the server says.
        said: String,
    },
    /// The server has no time, or wants fewer requests.
    #[error(
        "the search is busy (it answered {status}): `{said}`\nhint: run the same command later: what was answered is kept"
    )]
    Busy {
        /// The status.
        status: u16,
        /// What the server says.
        said: String,
    },
    /// No connection, or one that broke.
    #[error("no answer from the search: {0}\nhint: run the same command again: it goes on")]
    Connection(String),
    /// The answer is not what the provider documents.
    #[error(
        "the search's answer cannot be read: {0}\nhint: is `provider` in [search] the one that answers at `base_url`?"
    )]
    Unreadable(String),
}

impl SearchError {
    /// The word that is counted, such as `quota`.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::NoKey { .. } => "no_key",
            Self::KeyRefused { .. } => "key_refused",
            Self::Quota { .. } => "quota",
            Self::Offline(_) => "offline",
            Self::NotOnRecord(_) => "not_on_record",
            Self::Refused { .. } => "refused",
            Self::Busy { .. } => "busy",
            Self::Connection(_) => "connection",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// Whether no other search can succeed either, before the user changes something.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::NoKey { .. }
                | Self::KeyRefused { .. }
                | Self::Quota { .. }
                | Self::Offline(_)
                | Self::NotOnRecord(_)
        )
    }
}

/// An attempt that failed, and whether another may do better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub error: SearchError,
    pub again: Again,
}

impl Failed {
    pub fn never(error: SearchError) -> Self {
        Self {
            error,
            again: Again::Never,
        }
    }

    pub fn later(error: SearchError) -> Self {
        Self {
            error,
            again: Again::Later,
        }
    }
}

/// Words of servers for an account that is used up, in lower case. 429 alone says as well that
/// requests come too fast.
const USED_UP: [&str; 8] = [
    "run out of searches",
    "searches for the month",
    "quota_limited",
    "usage_limit_exceeded",
    "dailylimitexceeded",
    "daily limit",
    "queries per day",
    "usage limit",
];
/// Words of servers for a bad key, in lower case: some refuse it with 400 or 422.
const BAD_KEY: [&str; 5] = [
    "api key not valid",
    "api_key_invalid",
    "keyinvalid",
    "invalid api key",
    "subscription_token_invalid",
];

/// The failure that a status stands for; `body` is what came with it, and `asked` the pause that
/// the server asks for.
pub(super) fn of_status(status: u16, body: &str, asked: Option<std::time::Duration>) -> Failed {
    let said = said(body);
    let words: String = body.chars().take(20_000).collect::<String>().to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    match status {
        // 432 and 433 are Tavily's: the plan's limit and that of paying as one goes.
        402 | 432 | 433 => Failed::never(SearchError::Quota { status, said }),
        400..=499 if says(&USED_UP) => Failed::never(SearchError::Quota { status, said }),
        401 => Failed::never(SearchError::KeyRefused { status, said }),
        400 | 403 | 422 if says(&BAD_KEY) || status == 403 => {
            Failed::never(SearchError::KeyRefused { status, said })
        }
        408 | 425 | 429 | 500.. => Failed {
            error: SearchError::Busy { status, said },
            again: asked.map_or(Again::Later, Again::After),
        },
        _ => Failed::never(SearchError::Refused { status, said }),
    }
}

/// What a server says of its refusal, short and on one line.
pub(super) fn said(body: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let places = [
        "/error/message",
        "/error/detail",
        "/error",
        "/detail/error",
        "/detail",
        "/message",
    ];
    let text = places
        .iter()
        .find_map(|place| value.pointer(place)?.as_str())
        .unwrap_or(body);
    quoted(text)
}

/// A short text on one line.
pub(super) fn quoted(text: &str) -> String {
    let start: String = text.chars().take(4 * QUOTED).collect();
    let line = one_line(&start);
    if line.chars().count() <= QUOTED {
        return line;
    }
    let cut: String = line.chars().take(QUOTED).collect();
    format!("{cut}…")
}

/// The text without the key, as it is and as a URL has it.
pub(super) fn without(text: String, key: Option<&str>) -> String {
    let Some(key) = key.filter(|key| key.len() > 3) else {
        return text;
    };
    let escaped: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
    let text = text.replace(key, "[key]");
    if escaped == key {
        return text;
    }
    text.replace(&escaped, "[key]")
}

/// What tells a file apart from another, for the record.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    sha256_hex(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_words_have_causes() {
        let check = |status, body: &str, cause: &str| {
            let failed = of_status(status, body, None);
            assert_eq!(failed.error.cause(), cause, "{status} {body}");
            assert_eq!(
                failed.again == Again::Later,
                failed.error.cause() == "busy",
                "{status} {body}"
            );
        };
        check(401, r#"{"error":"Invalid API key."}"#, "key_refused");
        check(403, "", "key_refused");
        check(
            400,
            r#"{"error":{"code":400,"message":"API key not valid. Please pass one.","status":"INVALID_ARGUMENT"}}"#,
            "key_refused",
        );
        check(
            422,
            r#"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"no"}}"#,
            "key_refused",
        );
        check(
            400,
            r#"{"error":"Missing query `q` parameter."}"#,
            "refused",
        );
        check(
            429,
            r#"{"error":"Your account has run out of searches."}"#,
            "quota",
        );
        check(429, r#"{"error":{"code":"QUOTA_LIMITED"}}"#, "quota");
        check(429, r#"{"error":{"code":"RATE_LIMITED"}}"#, "busy");
        check(
            403,
            r#"{"error":{"errors":[{"reason":"dailyLimitExceeded"}]}}"#,
            "quota",
        );
        check(
            432,
            r#"{"detail":{"error":"This request exceeds"}}"#,
            "quota",
        );
        check(503, "<html>", "busy");
        check(302, "", "refused");
        check(404, "", "refused");
    }

    #[test]
    fn what_a_server_says_is_short_and_without_the_key() {
        assert_eq!(
            said(r#"{"detail":{"error":"over \n the limit"}}"#),
            "over the limit"
        );
        assert_eq!(said(r#"{"error":"no"}"#), "no");
        assert!(said(&"x".repeat(9_000)).chars().count() <= QUOTED + 1);
        let said = without("the key a b/c or a+b%2Fc is bad".to_owned(), Some("a b/c"));
        assert_eq!(said, "the key [key] or [key] is bad");
    }
}
