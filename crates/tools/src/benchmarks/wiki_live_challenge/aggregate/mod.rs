//! Figures from verdicts, never from stored figures. Each is counted in one of two ways: as the
//! benchmark does, so that stored figures come out again, or as we do, where a verdict that cannot
//! be read is no verdict.

pub mod citation;
mod pairwise;
pub mod verifiability;
pub mod writing;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;

use crate::benchmarks::fields::Object;

/// How verdicts that cannot be read count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// As a tie, or as no support: the benchmark's own rule.
    Compat,
    /// As unscored, with a cause.
    Strict,
}

/// Why a verdict is unscored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// There is no verdict.
    Missing,
    /// It is none of the words that the format knows.
    UnknownLabel,
    /// Its parts contradict each other: a word and a code, a word and a flag.
    Contradictory,
    /// A tie where the judge was offered none: its reply could not be read.
    TieNotOffered,
    /// The criterion was judged already.
    Repeated,
}

impl Cause {
    /// The cause in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "no verdict",
            Self::UnknownLabel => "unknown label",
            Self::Contradictory => "contradictory",
            Self::TieNotOffered => "a tie that was not offered",
            Self::Repeated => "judged twice",
        }
    }
}

/// Unscored verdicts by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Unscored(pub BTreeMap<Cause, usize>);

impl Unscored {
    /// Counts verdicts that are unscored for one cause.
    pub fn add(&mut self, cause: Cause, count: usize) {
        if count > 0 {
            *self.0.entry(cause).or_default() += count;
        }
    }

    /// Counts those of another part, too.
    pub fn join(&mut self, other: &Self) {
        for (cause, count) in &other.0 {
            self.add(*cause, *count);
        }
    }

    /// Tells of them in a file of ours; stored figures without any stay as they are.
    fn store(&self, rest: &mut Object, field: &str) {
        if !self.0.is_empty()
            && let Ok(value) = serde_json::to_value(self)
        {
            rest.insert(field.to_owned(), value);
        }
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

/// A share; none where there is nothing to share.
pub fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A share as files have it: 0 where there is nothing to share.
fn stored_share(part: usize, whole: usize) -> Option<Number> {
    Number::from_f64(share(part, whole).unwrap_or_default())
}

/// The mean over those that have a value, and their number.
pub fn mean(values: impl IntoIterator<Item = Option<f64>>) -> (Option<f64>, usize) {
    let mut sum = 0.0;
    let mut count = 0;
    for value in values.into_iter().flatten() {
        sum += value;
        count += 1;
    }
    ((count > 0).then(|| sum / count as f64), count)
}
