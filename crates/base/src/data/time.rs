//! A moment in a recording: whole milliseconds inside, seconds in JSON, `m:ss` for people.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the start of a recording. JSON shows seconds with three decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ms(pub u64);

/// Three years: no recording is longer, and their sums stay numbers.
const MOST_SECONDS: f64 = 1e8;

impl Ms {
    /// The nearest millisecond; negative and non-finite seconds become 0.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1000.0).round().max(0.0) as u64)
    }

    /// Seconds, exact to the millisecond.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.0 / 1000;
        match (s / 3600, s / 60 % 60, s % 60) {
            (0, m, s) => write!(f, "{m}:{s:02}"),
            (h, m, s) => write!(f, "{h}:{m:02}:{s:02}"),
        }
    }
}

impl JsonSchema for Ms {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.seconds())
    }
}

impl<'de> Deserialize<'de> for Ms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        if (0.0..=MOST_SECONDS).contains(&seconds) {
            return Ok(Self::from_seconds(seconds));
        }
        Err(serde::de::Error::custom(format!(
            "no recording has a time of `{seconds}` seconds"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_people_write_it() {
        assert_eq!(Ms(61_499).to_string(), "1:01");
        assert_eq!(Ms(3_661_000).to_string(), "1:01:01");
        assert_eq!(Ms::from_seconds(1.2345), Ms(1235));
        assert_eq!(Ms::from_seconds(-1.0), Ms(0));
        let read = |text: &str| serde_json::from_str::<Ms>(text).ok();
        assert_eq!(read("1.5"), Some(Ms(1500)));
        for impossible in ["-0.5", "1e300", "1e9", "null"] {
            assert_eq!(read(impossible), None, "{impossible}");
        }
    }
}
