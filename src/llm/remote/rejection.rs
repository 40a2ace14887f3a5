//! What a server means by a status, a header or an error's text: the cause, how long to wait, and a line for people.

use std::time::Duration;

use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;

use crate::{data::Cause, http};

/// The cause of a rejection; `text` is the body in lower case.
pub fn cause_of(status: StatusCode, text: &str) -> Cause {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match status.as_u16() {
        401 | 403 => Cause::Authentication,
        402 => Cause::Quota,
        // A redirect says that the server is somewhere else: the base URL is wrong.
        404 | 300..=399 => Cause::ModelNotFound,
        408 => Cause::Timeout,
        429 if says(&["insufficient_quota", "exceeded your current quota", "billing", "credit balance"])
            && !says(&["retrydelay", "per minute", "perminute"]) =>
        {
            Cause::Quota
        }
        429 => Cause::RateLimit,
        500.. => Cause::Overloaded,
        _ if says(&["credit balance is too low", "insufficient_quota"]) => Cause::Quota,
        _ if says(&["api_key_invalid", "invalid api key", "api key not valid"]) => Cause::Authentication,
        _ if says(&[
            "context_length",
            "context length",
            "maximum context",
            "context size",
            "too many tokens",
            "prompt is too long",
            "exceeds the maximum number of tokens",
        ]) =>
        {
            Cause::ContextTooLong
        }
        _ if says(&["content_filter", "content management policy"]) => Cause::ContentFilter,
        _ if says(&["model_not_found", "does not exist", "unknown model", "invalid model"]) => Cause::ModelNotFound,
        _ => Cause::Refused,
    }
}

/// Some proxies answer 200 and put the error into the body.
pub fn hidden_status(body: &Value) -> Option<StatusCode> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = code.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    Some(status.unwrap_or(StatusCode::BAD_GATEWAY))
}

/// What the server says, on one short line; `text` is the body's own start, without keys.
pub fn message_of(body: &Value, text: &str) -> String {
    let redacted: Option<Value> = if body.is_null() { None } else { serde_json::from_str(text).ok() };
    let said = redacted.as_ref().and_then(|value| {
        let error = value.get("error").or_else(|| value.get(0).and_then(|first| first.get("error"))).unwrap_or(value);
        error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).map(str::to_owned)
    });
    let line = said.unwrap_or_else(|| text.chars().take(2000).collect());
    line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

/// How long the server asks to wait: `Retry-After` in its two forms, milliseconds in a common extension, or Google's
/// `retryDelay` in the body.
pub fn retry_after(headers: &HeaderMap, body: &Value) -> Option<Duration> {
    let ms = headers.get("retry-after-ms").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let of_body = || {
        let details = body["error"]["details"].as_array()?;
        let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
        duration(delay)
    };
    ms.map(Duration::from_millis).or_else(|| http::retry_after(headers, jiff::Timestamp::now())).or_else(of_body)
}

/// How long a server's limit is used up, as its headers tell with any answer; `None` while something is left.
pub fn used_up(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let mut longest = None;
    for what in ["requests", "tokens"] {
        for prefix in ["x-ratelimit", "anthropic-ratelimit"] {
            let (remaining, reset) = if prefix == "x-ratelimit" {
                (format!("{prefix}-remaining-{what}"), format!("{prefix}-reset-{what}"))
            } else {
                (format!("{prefix}-{what}-remaining"), format!("{prefix}-{what}-reset"))
            };
            if text(&remaining).and_then(|n| n.parse::<f64>().ok()).is_some_and(|n| n < 1.0) {
                let wait = text(&reset).and_then(|reset| duration(reset).or_else(|| until(reset)));
                longest = longest.max(wait);
            }
        }
    }
    longest
}

fn until(date: &str) -> Option<Duration> {
    let at: jiff::Timestamp = date.parse().ok()?;
    Some(Duration::try_from(at - jiff::Timestamp::now()).unwrap_or(Duration::ZERO))
}

/// `1`, `1.5s`, `250ms`, `6m0s`, `1h2m3s`.
fn duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (mut total, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        total += number
            * match &rest[..unit_end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    Duration::try_from_secs_f64(total).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    #[test]
    fn a_status_has_a_cause() {
        let check = |status: u16, text: &str, cause| {
            let status = StatusCode::from_u16(status).expect("a status");
            assert_eq!(cause_of(status, &text.to_lowercase()), cause, "{status} {text}");
        };
        check(401, "", Cause::Authentication);
        check(404, "", Cause::ModelNotFound);
        check(429, "slow down", Cause::RateLimit);
        check(429, r#"{"error":{"code":"insufficient_quota"}}"#, Cause::Quota);
        check(429, r#"You exceeded your current quota. "retryDelay": "3s""#, Cause::RateLimit);
        check(400, "Your credit balance is too low", Cause::Quota);
        check(400, "API key not valid", Cause::Authentication);
        check(400, r#"{"error":{"code":"context_length_exceeded"}}"#, Cause::ContextTooLong);
        check(400, "prompt is too long: 9 tokens", Cause::ContextTooLong);
        check(400, "invalid schema", Cause::Refused);
        check(503, "", Cause::Overloaded);
        check(529, "", Cause::Overloaded);
        check(308, "", Cause::ModelNotFound);
    }

    #[test]
    fn durations_come_in_many_forms() {
        let ms = |text: &str| duration(text).map(|d| d.as_millis());
        assert_eq!(
            ["2", "1.5s", "250ms", "6m0s", "1h2m3s", "soon", ""].map(ms),
            [Some(2000), Some(1500), Some(250), Some(360_000), Some(3_723_000), None, Some(0)]
        );
    }

    #[test]
    fn headers_tell_when_nothing_is_left() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            pairs.iter().map(|(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v))).collect::<HeaderMap>()
        };
        let left = headers(&[("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", "2s")]);
        assert_eq!(used_up(&left), None);
        let none = headers(&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "1m0s")]);
        assert_eq!(used_up(&none), Some(Duration::from_mins(1)));
        let past = headers(&[
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2020-01-01T00:00:00Z"),
        ]);
        assert_eq!(used_up(&past), Some(Duration::ZERO));
    }

    #[test]
    fn google_tells_the_wait_in_the_body() {
        let body = serde_json::json!({ "error": { "details": [{ "x": 1 }, { "retryDelay": "3.5s" }] } });
        assert_eq!(retry_after(&HeaderMap::new(), &body), Some(Duration::from_millis(3500)));
    }
}
