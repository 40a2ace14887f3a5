//! Options of a ranking, with their defaults and limits.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of [`Options::read`] among a ranking's parameters.
const READ: &str = "read";

/// The name of [`Options::repeated_pairs`] among a ranking's parameters.
const REPEATED_PAIRS: &str = "repeated_pairs";

/// Whether a ranking with these parameters asks again about a pair that comes up again.
pub(super) fn asks_again(parameters: &Value) -> bool {
    parameters[REPEATED_PAIRS] == json!(RepeatedPairs::Ask)
}

/// Whether each verdict of a ranking with these parameters holds both orders of its pair.
pub(super) fn shows_both_orders(parameters: &Value) -> bool {
    parameters[READ] == json!(Read::Logprobs)
}

/// Judgements of each item, where no budget is given.
const JUDGEMENTS_EACH: u64 = 8;

/// Sizes of lists; models read longer lists carelessly.
const LIST_SIZES: RangeInclusive<usize> = 3..=12;

/// A verdict takes some 200 bytes while strengths are fitted: five million take a gigabyte.
const MOST_CALLS: u64 = 5_000_000;
/// All rounds are drawn before the first question: a thousand rounds of ten thousand items take a
/// gigabyte. The paper has 20.
const MOST_ROUNDS: u32 = 1000;

/// The choice of pairs, and the rating that their verdicts give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Sequential halving: pairs where they matter, Bradley–Terry strengths
    Halving,
    /// The same, but lists of several items in one call until the last stage
    Listwise,
    /// The paper's way: rounds of random pairs, Elo ratings
    Elo,
}

/// How a judge of pairs is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Read {
    /// It writes its verdict
    Words,
    /// It writes nothing: how likely it finds each of two offered answers is read, in both orders
    Logprobs,
}

/// What becomes of a pair that random rounds draw again in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RepeatedPairs {
    /// Its verdict counts again
    Reuse,
    /// The judge is asked again, as in the paper
    Ask,
}

/// Options of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The choice of pairs, and the rating.
    pub method: Method,
    /// How the judge is read.
    pub read: Read,
    /// Number of the best items to find (not Elo).
    pub top: usize,
    /// Judgements at most (not Elo); 0 is four for each item, or as many lists as show each item
    /// eight times.
    pub budget_calls: u64,
    /// Expected recall at which the ranking ends early (not Elo); 1 never ends it.
    pub target_recall: f64,
    /// Share of the judgements that is asked a second time, for the audit (not Elo).
    pub audit: f64,
    /// Items in a list (listwise).
    pub list_size: usize,
    /// Rounds; in each, every item meets one other (Elo).
    pub rounds: u32,
    /// The Elo factor K.
    pub elo_k: f64,
    /// What becomes of a pair that comes up again in the same order (Elo).
    pub repeated_pairs: RepeatedPairs,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Halving,
            read: Read::Words,
            top: 100,
            budget_calls: 0,
            target_recall: 0.95,
            audit: 0.03,
            list_size: 8,
            rounds: 20,
            elo_k: 32.0,
            repeated_pairs: RepeatedPairs::Reuse,
        }
    }
}

impl Options {
    /// Most judgements of so many items.
    pub(super) fn calls(&self, items: usize) -> u64 {
        let items = items as u64;
        if self.budget_calls > 0 {
            return self.budget_calls;
        }
        match self.method {
            // Reading a list of eight takes about as long as four pairs.
            Method::Listwise => items * JUDGEMENTS_EACH / self.list_size as u64,
            Method::Halving | Method::Elo => items * JUDGEMENTS_EACH / 2,
        }
    }

    /// Items that are shown at a time until the last stage.
    pub(super) fn group(&self) -> usize {
        if self.method == Method::Listwise {
            self.list_size
        } else {
            2
        }
    }

    /// The part of a ranking's question that follows from the options, for `items` items. It is
    /// hashed into the ranking's id.
    pub(super) fn parameters(&self, items: usize) -> Value {
        let mut parameters = match self.method {
            Method::Elo => json!({ "rounds": self.rounds, "elo_k": self.elo_k }),
            Method::Halving | Method::Listwise => json!({
                "top": self.top,
                "budget_calls": self.calls(items),
                "target_recall": self.target_recall,
                "audit": self.audit,
            }),
        };
        if self.method == Method::Listwise {
            parameters["list_size"] = self.list_size.into();
        }
        // These are left out otherwise, so that rankings of before keep their ids.
        if self.method == Method::Elo && self.repeated_pairs == RepeatedPairs::Ask {
            parameters[REPEATED_PAIRS] = json!(self.repeated_pairs);
        }
        if self.read == Read::Logprobs {
            parameters[READ] = json!(self.read);
        }
        parameters
    }

    /// Checks the values; an error says which one is out of range.
    pub fn check(&self) -> Result<(), String> {
        check_share("target_recall", self.target_recall, 0.0..=1.0)?;
        check_share("audit", self.audit, 0.0..=0.5)?;
        if self.budget_calls > MOST_CALLS {
            return Err(format!(
                "rank.budget_calls must be at most {MOST_CALLS}: `{}`",
                self.budget_calls
            ));
        }
        if self.rounds > MOST_ROUNDS {
            return Err(format!(
                "rank.rounds must be at most {MOST_ROUNDS}: `{}`",
                self.rounds
            ));
        }
        if !LIST_SIZES.contains(&self.list_size) {
            let (low, high) = (LIST_SIZES.start(), LIST_SIZES.end());
            return Err(format!(
                "rank.list_size must be between {low} and {high}: `{}`",
                self.list_size
            ));
        }
        if self.read == Read::Logprobs && self.method == Method::Listwise {
            return Err(
                "rank.read = \"logprobs\" reads verdicts on pairs, and rank.method = \"listwise\" asks for orders: use method \"halving\", or read = \"words\"".into(),
            );
        }
        if self.rounds == 0 {
            return Err("rank.rounds must be at least 1: `0`".into());
        }
        if self.top == 0 {
            return Err("rank.top must be at least 1: `0`".into());
        }
        if !self.elo_k.is_finite() || self.elo_k <= 0.0 {
            return Err(format!("rank.elo_k must be above 0: `{}`", self.elo_k));
        }
        Ok(())
    }
}

fn check_share(name: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), String> {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    Err(format!(
        "rank.{name} must be between {low} and {high}: `{value}`"
    ))
}
