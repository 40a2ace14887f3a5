//! The window in which articles come into being, and the moment at which they are frozen.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::error::ApiError;

/// A window with its moment of freezing, in the API's own notation: UTC, to the second. Times in
/// that notation are in the order of their texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first moment.
    pub since: String,
    /// The first moment after it.
    pub until: String,
    /// Each article is frozen as it was at this moment.
    pub as_of: String,
}

impl Window {
    /// The window from the beginning of one day to the beginning of another, in UTC.
    pub fn new(
        since: Date,
        until: Date,
        as_of: Timestamp,
        now: Timestamp,
    ) -> Result<Self, ApiError> {
        let start = |day: Date| {
            let zoned = day.to_zoned(TimeZone::UTC);
            zoned.map_err(|error| ApiError::Window(error.to_string()))
        };
        let (first, after) = (start(since)?.timestamp(), start(until)?.timestamp());
        if first >= after {
            return Err(ApiError::Window(format!(
                "a window from {since} until {until} has no day in it"
            )));
        }
        if as_of > now {
            return Err(ApiError::Window(format!(
                "{} is still to come, and nothing can be frozen as it will be then",
                text(as_of)
            )));
        }
        if after > as_of {
            return Err(ApiError::Window(format!(
                "a window until {until} is not over at {}, when articles are frozen",
                text(as_of)
            )));
        }
        Ok(Self {
            since: text(first),
            until: text(after),
            as_of: text(as_of),
        })
    }

    /// Whether something came into being in the window: at its first moment, but not at its end.
    pub fn holds(&self, moment: &str) -> bool {
        (self.since.as_str()..self.until.as_str()).contains(&moment)
    }
}

/// A moment of a reply in the one notation.
pub(super) fn moment(reply: &serde_json::Value) -> Option<String> {
    let moment: Timestamp = reply.as_str()?.parse().ok()?;
    Some(text(moment))
}

fn text(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a moment")
    }

    #[test]
    fn a_window_is_half_open() {
        let window = Window::new(
            date(2026, 3, 1),
            date(2026, 4, 1),
            at("2026-04-15T12:00:00Z"),
            at("2026-04-20T00:00:00Z"),
        );
        let window = window.expect("a window");
        assert_eq!(window.since, "2026-03-01T00:00:00Z");
        for (moment, inside) in [
            ("2026-02-28T23:59:59Z", false),
            ("2026-03-01T00:00:00Z", true),
            ("2026-03-31T23:59:59Z", true),
            ("2026-04-01T00:00:00Z", false),
        ] {
            assert_eq!(window.holds(moment), inside, "{moment}");
        }
    }

    #[test]
    fn days_are_in_order_and_the_window_is_over() {
        let now = at("2026-04-20T00:00:00Z");
        let new = |since, until| Window::new(since, until, at("2026-04-15T12:00:00Z"), now);
        assert!(new(date(2026, 4, 1), date(2026, 4, 1)).is_err());
        assert!(new(date(2026, 4, 1), date(2026, 4, 15)).is_ok());
        assert!(new(date(2026, 4, 1), date(2026, 4, 16)).is_err());
        // Nothing is frozen as it will be.
        let (since, until) = (date(2026, 3, 1), date(2026, 4, 1));
        let later = Window::new(since, until, at("2026-04-21T00:00:00Z"), now);
        assert!(matches!(later, Err(ApiError::Window(_))));
    }

    #[test]
    fn moments_come_in_one_notation() {
        let of = |text: &str| moment(&text.into());
        assert_eq!(
            of("2026-03-01T02:00:00.5+02:00").as_deref(),
            Some("2026-03-01T00:00:00Z")
        );
        assert_eq!(of("20260301000000x"), None);
    }
}
