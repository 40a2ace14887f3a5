//! Rate limits in the headers of an answer: `x-ratelimit-*` and `anthropic-ratelimit-*`. Hides the
//! three ways in which a time is written there.

use std::time::Duration;

use reqwest::header::HeaderMap;

/// What may still be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Allowance {
    /// Requests.
    pub requests: Option<Meter>,
    /// Tokens.
    pub tokens: Option<Meter>,
}

/// One count of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meter {
    /// What is left of it.
    pub left: u64,
    /// What there is at its beginning.
    pub of: u64,
    /// How long until it begins again.
    pub reset: Duration,
}

impl Allowance {
    /// Reads the headers of an answer that came at `now`.
    pub(super) fn read(headers: &HeaderMap, now: jiff::Timestamp) -> Self {
        Self {
            requests: meter_of(headers, "requests", now),
            tokens: meter_of(headers, "tokens", now),
        }
    }
}

/// The meter of requests or of tokens, by `OpenAI`'s headers or by Anthropic's.
fn meter_of(headers: &HeaderMap, what: &str, now: jiff::Timestamp) -> Option<Meter> {
    let fields = ["remaining", "limit", "reset"];
    let openai = fields.map(|field| format!("x-ratelimit-{field}-{what}"));
    let anthropic = fields.map(|field| format!("anthropic-ratelimit-{what}-{field}"));
    meter(headers, openai, now).or_else(|| meter(headers, anthropic, now))
}

fn meter(
    headers: &HeaderMap,
    [left, of, reset]: [String; 3],
    now: jiff::Timestamp,
) -> Option<Meter> {
    let text = |name: String| headers.get(name)?.to_str().ok();
    let left = text(left)?.trim().parse().ok()?;
    let of = text(of)
        .and_then(|of| of.trim().parse().ok())
        .unwrap_or(left);
    Some(Meter {
        left,
        of,
        reset: wait(text(reset)?.trim(), now)?,
    })
}

/// `20ms`, `6m0s`, `1.5`, or a time such as `2026-01-01T00:00:00Z`.
fn wait(text: &str, now: jiff::Timestamp) -> Option<Duration> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(Duration::try_from(time - now).unwrap_or(Duration::ZERO));
    }
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => text.parse::<jiff::SignedDuration>().ok()?.try_into().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_forms() {
        let now = "2026-01-01T00:00:00Z".parse().expect("a time");
        let ms = |text| wait(text, now).map(|wait| wait.as_millis());
        assert_eq!(ms("20ms"), Some(20));
        assert_eq!(ms("6m0s"), Some(360_000));
        assert_eq!(ms("8.64s"), Some(8640));
        assert_eq!(ms("1h0m2.5s"), Some(3_602_500));
        assert_eq!(ms("1.5"), Some(1500));
        assert_eq!(ms("2026-01-01T00:00:03Z"), Some(3000));
        assert_eq!(ms("2025-01-01T00:00:03Z"), Some(0));
        assert_eq!(ms("soon"), None);
        assert_eq!(ms("-1"), None);
    }

    #[test]
    fn both_families_are_read() {
        let now = "2026-01-01T00:00:00Z".parse().expect("a time");
        let of = |lines: &[(&'static str, &'static str)]| {
            let headers: Vec<_> = lines
                .iter()
                .map(|(k, v)| (k.parse().expect("a name"), v.parse().expect("a value")))
                .collect();
            Allowance::read(&headers.into_iter().collect(), now)
        };
        let meter = |left, of, ms| {
            Some(Meter {
                left,
                of,
                reset: Duration::from_millis(ms),
            })
        };
        let open = of(&[
            ("x-ratelimit-limit-requests", "500"),
            ("x-ratelimit-remaining-requests", "499"),
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-remaining-tokens", "9000"),
            ("x-ratelimit-reset-tokens", "1s"),
        ]);
        assert_eq!(
            (open.requests, open.tokens),
            (meter(499, 500, 120), meter(9000, 9000, 1000))
        );
        let other = of(&[
            ("anthropic-ratelimit-requests-limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:02Z"),
        ]);
        assert_eq!((other.requests, other.tokens), (meter(0, 50, 2000), None));
        // Azure says -1 where it does not count.
        assert_eq!(
            of(&[
                ("x-ratelimit-remaining-tokens", "-1"),
                ("x-ratelimit-reset-tokens", "0")
            ]),
            Allowance::default()
        );
    }
}
