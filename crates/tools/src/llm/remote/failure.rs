//! Failures of requests to a model: a cause, a line for people, and whether another attempt may
//! succeed. Hides the many formats of errors of servers and proxies.

use reqwest::StatusCode;
use serde_json::Value;

use super::gate::Closed;
use crate::{
    data::{Cause, Usage},
    http::Again,
    llm::{ChatRequest, ModelError},
};

/// A request that failed.
#[derive(Debug)]
pub(super) struct Failed {
    /// Why.
    pub error: ModelError,
    /// Whether the same request may do better.
    pub again: Again,
    /// What the server said in its own words, in lower case: nothing that it only repeats of the
    /// request.
    pub server_text: String,
    /// Whether the server may have worked for it, and charge.
    pub charged: bool,
    /// Whether the reply is still being made, and can be asked for again.
    pub pending: bool,
    /// What the server says that it took.
    pub usage: Option<Box<Usage>>,
}

impl Failed {
    pub(super) fn new(cause: Cause, message: String, again: Again) -> Self {
        Self {
            error: ModelError::new(cause, message),
            again,
            server_text: String::new(),
            charged: false,
            pending: false,
            usage: None,
        }
    }

    pub(super) fn charged(self) -> Self {
        Self {
            charged: true,
            ..self
        }
    }

    /// The same failure as that of a question for log-probabilities, where the server says that it
    /// gives none.
    pub(super) fn without_logprobs(mut self, request: &ChatRequest) -> Self {
        let refused = self.error.cause == Cause::Refused && self.server_text.contains("logprob");
        if request.is_weighed() && refused {
            self.error.cause = Cause::Unweighed;
        }
        self
    }

    /// Whether asking in another way may help: some servers call a field that they do not know
    /// their own fault (500).
    pub(super) fn is_about_capabilities(&self) -> bool {
        self.error.cause == Cause::Refused || self.server_text.contains("response_format")
    }
}

/// No answer came, or only a part of one.
pub(super) fn lost(error: &reqwest::Error) -> Failed {
    let mut why = String::new();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(inner) = source {
        why = inner.to_string();
        source = inner.source();
    }
    // A connection that does not come about in time is no slow answer.
    let (cause, what) = match (error.is_connect(), error.is_timeout()) {
        (true, _) => (Cause::Connection, "no connection"),
        (false, true) => (Cause::Timeout, "no reply in time"),
        (false, false) => (Cause::Connection, "the connection broke"),
    };
    let host = error
        .url()
        .map(|url| url.origin().ascii_serialization())
        .unwrap_or_default();
    let message = if why.is_empty() {
        format!("{what}: `{host}`")
    } else {
        format!("{what}: `{host}`: {why}")
    };
    let failed = Failed::new(cause, message, Again::Later);
    if error.is_connect() {
        failed
    } else {
        failed.charged()
    }
}

/// A success that is no JSON: often a proxy in between, so another attempt may do better.
pub(super) fn broken(body: &str) -> Failed {
    let start: String = body.chars().take(80).collect();
    Failed::new(
        Cause::NotJson,
        format!("the server's answer is no JSON: `{start}`"),
        Again::Later,
    )
    .charged()
}

/// An answer of the right protocol without a message in it.
pub(super) fn no_message() -> Failed {
    Failed::new(
        Cause::NotJson,
        "the server's answer holds no message".into(),
        Again::Later,
    )
    .charged()
}

/// Every request to the model has to wait too long: nothing was sent.
pub(super) fn closed(url: &str, closed: Closed) -> Failed {
    let (wait, message) = match closed {
        Closed::WantsPause(wait) => (
            wait,
            format!("{url} wants no request for {} s", wait.as_secs()),
        ),
        Closed::Refuses(time) => (
            time,
            format!("{url} has refused all requests for {} s", time.as_secs()),
        ),
    };
    let mut failed = Failed::new(Cause::RateLimit, message, Again::Never);
    failed.error.retry_after = Some(wait);
    failed
}

/// The status that an error inside a success stands for.
pub(super) fn in_a_success(value: &Value) -> Option<StatusCode> {
    let error = unwrapped(value)
        .get("error")
        .filter(|error| !error.is_null())?;
    let code = error["code"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok());
    let status = code
        .and_then(|code| StatusCode::from_u16(code).ok())
        .filter(|status| !status.is_success());
    Some(status.unwrap_or(StatusCode::BAD_GATEWAY))
}

/// The error object of a body, or null.
pub(super) fn error_of(body: &str) -> Value {
    let mut value: Value = serde_json::from_str(body).unwrap_or_default();
    if let Some(first) = value.get_mut(0) {
        value = first.take();
    }
    match value.get_mut("error") {
        Some(error) => error.take(),
        None => value,
    }
}

/// Some servers wrap what they say in a list.
fn unwrapped(value: &Value) -> &Value {
    value.get(0).unwrap_or(value)
}

/// What the server says, on one short line.
pub(super) fn message_of(error: &Value, body: &str) -> String {
    let said = error
        .as_str()
        .or_else(|| error["message"].as_str())
        .unwrap_or(body);
    let line = said.chars().take(2000).collect::<String>();
    line.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(300)
        .collect()
}

/// All texts of an error's body but those under `input`, where some servers repeat the request.
pub(super) fn words_of(body: &str) -> String {
    fn gather(value: &Value, words: &mut String) {
        match value {
            Value::String(text) => {
                words.push_str(text);
                words.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| gather(item, words)),
            Value::Object(fields) => {
                fields
                    .iter()
                    .filter(|(name, _)| *name != "input")
                    .for_each(|(_, field)| gather(field, words));
            }
            _ => {}
        }
    }
    let start: String = body.chars().take(20_000).collect();
    let Ok(value) = serde_json::from_str(body) else {
        return start;
    };
    let mut words = String::new();
    gather(&value, &mut words);
    words
}

/// A reply that ended in a way that is no end: cut by a fault of the provider, paused, or without a
/// word on it.
pub(super) fn no_end(reason: &Value) -> Failed {
    Failed::new(
        Cause::Overloaded,
        format!("the reply did not end normally: `{reason}`"),
        Again::Later,
    )
    .charged()
}

/// `text` is the body in lower case.
pub(super) fn cause_of(status: u16, text: &str) -> Cause {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match status {
        403 if says(&["moderation", "flagged"]) => Cause::ContentFilter,
        401 | 403 => Cause::Authentication,
        402 => Cause::Quota,
        // A redirect says that the server is somewhere else: the base URL is wrong.
        404 | 300..=399 => Cause::ModelNotFound,
        408 => Cause::Timeout,
        413 => Cause::ContextTooLong,
        429 if says(&[
            "insufficient_quota",
            "exceeded your current quota",
            "billing_hard_limit",
            "billing_not_active",
        ]) =>
        {
            Cause::Quota
        }
        429 => Cause::RateLimit,
        409 | 425 | 500.. => Cause::Overloaded,
        _ if says(&["credit balance", "usage limits", "insufficient_quota"]) => Cause::Quota,
        _ if says(&[
            "context_length",
            "context length",
            "maximum context",
            "context size",
            "context window",
            "too many tokens",
            "prompt is too long",
            "input token count",
        ]) =>
        {
            Cause::ContextTooLong
        }
        _ if says(&["content_filter", "content management policy", "moderation"]) => {
            Cause::ContentFilter
        }
        _ if says(&[
            "model_not_found",
            "does not exist",
            "unknown model",
            "invalid model",
            "not a valid model",
        ]) =>
        {
            Cause::ModelNotFound
        }
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_causes() {
        let check = |status, text: &str, expect| {
            assert_eq!(cause_of(status, text), expect, "{status} {text}");
        };
        check(401, "", Cause::Authentication);
        check(403, "", Cause::Authentication);
        check(404, "", Cause::ModelNotFound);
        check(429, "slow down", Cause::RateLimit);
        check(
            429,
            "add a payment method at /account/billing to raise your rate limit",
            Cause::RateLimit,
        );
        check(
            429,
            r#"{"error":{"code":"insufficient_quota"}}"#,
            Cause::Quota,
        );
        check(402, "", Cause::Quota);
        check(
            400,
            "your credit balance is too low to access the api",
            Cause::Quota,
        );
        check(
            400,
            r#"{"error":{"code":"context_length_exceeded"}}"#,
            Cause::ContextTooLong,
        );
        check(
            400,
            "prompt is too long: 210000 tokens > 200000 maximum",
            Cause::ContextTooLong,
        );
        check(400, "invalid schema", Cause::Refused);
        check(422, "extra inputs are not permitted", Cause::Refused);
        check(503, "", Cause::Overloaded);
        check(529, "", Cause::Overloaded);
        check(308, "", Cause::ModelNotFound);
    }

    #[test]
    fn what_is_only_repeated_is_not_said() {
        let body =
            r#"{"detail":[{"loc":["body","seed"],"msg":"not known","input":{"temperature":0}}]}"#;
        assert_eq!(words_of(body), "body\nseed\nnot known\n");
        assert_eq!(words_of("no JSON: temperature"), "no JSON: temperature");
    }

    #[test]
    fn errors_are_found_in_every_wrapping() {
        let check = |body, expect: &str| assert_eq!(message_of(&error_of(body), body), expect);
        check(
            r#"{"error":{"message":"slow  down","code":429}}"#,
            "slow down",
        );
        check(r#"[{"error":{"message":"slow down"}}]"#, "slow down");
        check(r#"{"error":"slow down"}"#, "slow down");
        check(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"slow down"}}"#,
            "slow down",
        );
        check(r#"{"message":"slow down"}"#, "slow down");
        check("slow\ndown", "slow down");
        let status = |value| in_a_success(&value).map(|status| status.as_u16());
        assert_eq!(
            status(serde_json::json!({"error": {"code": 429}})),
            Some(429)
        );
        assert_eq!(status(serde_json::json!({"error": "upstream"})), Some(502));
        assert_eq!(
            status(serde_json::json!({"error": null, "choices": []})),
            None
        );
    }
}
