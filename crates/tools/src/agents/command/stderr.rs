//! Standard error of a command: its end, for messages, and the line that states its cost. Hides keys:
//! the values of variables that are named like secrets are taken out of all that is kept.

use std::{collections::BTreeMap, ffi::OsString};

use serde::Deserialize;
use tokio::{io::AsyncReadExt as _, process::ChildStderr};

use super::result::{Fault, RunResult, TooLong};
use crate::data::AttemptCost;

/// Bytes of standard error that are kept.
const KEPT: usize = 4096;
/// Characters of its last line that a message quotes.
const QUOTED: usize = 200;
/// What begins the line on usage.
const USAGE: &str = "taskgen-usage:";
/// A shorter value is no secret, and may be a part of any word.
const SHORTEST: usize = 8;
/// What names of secrets hold.
const NAMES_OF_SECRETS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// Secrets that are known, and the values of variables that are named like some; the longest first,
/// because one may contain another.
pub fn secrets(environment: &BTreeMap<String, OsString>, known: &[String]) -> Vec<String> {
    let named = environment.iter().filter(|(name, _)| names_a_secret(name));
    let of_agent = named.filter_map(|(_, value)| value.to_str());
    let mut values: Vec<String> = of_agent
        .chain(known.iter().map(String::as_str))
        .map(|value| value.trim().to_owned())
        .collect();
    values.retain(|value| value.len() >= SHORTEST);
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values
}

/// Whether the name of a variable says that its value is a secret.
pub fn names_a_secret(variable: &str) -> bool {
    let name = variable.to_uppercase();
    NAMES_OF_SECRETS.iter().any(|word| name.contains(word))
}

/// Standard error as it comes in.
pub struct StderrLog<'a> {
    secrets: &'a [String],
    /// Bytes of the longest secret.
    longest: usize,
    bytes: Vec<u8>,
    /// Whether the beginning is gone.
    cut: bool,
}

impl<'a> StderrLog<'a> {
    /// Nothing yet.
    pub fn new(secrets: &'a [String]) -> Self {
        Self {
            secrets,
            longest: secrets.first().map_or(0, String::len),
            bytes: Vec::new(),
            cut: false,
        }
    }

    /// Reads to the end and keeps the end. It is never too long: the error's type is that of the
    /// streams that are read beside it.
    pub async fn read(&mut self, stderr: Option<ChildStderr>) -> Result<(), TooLong> {
        let Some(mut stderr) = stderr else {
            return Ok(());
        };
        // A secret that is cut in two would not be found any more, hence the room for one.
        let most = KEPT + self.longest;
        while stderr.read_buf(&mut self.bytes).await.unwrap_or_default() > 0 {
            if self.bytes.len() > 2 * most {
                self.bytes.drain(..self.bytes.len() - most);
                self.cut = true;
            }
        }
        Ok(())
    }

    /// Adds what was read to the result of the run.
    pub fn complete(self, mut result: RunResult) -> RunResult {
        let text = self.redacted(&String::from_utf8_lossy(&self.bytes));
        // What is kept may begin with the rest of a secret, which does not look like one any more.
        let partial = if self.cut { self.longest } else { 0 };
        let text = tail(tail(&text, text.len().saturating_sub(partial)), KEPT).trim_end();
        let last = text.lines().next_back().unwrap_or_default().trim();
        match last.strip_prefix(USAGE) {
            Some(json) => note_usage(json, &mut result),
            None if !last.is_empty() && matches!(result.fault, Some(Fault::Exit(_))) => {
                let quoted: String = last
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(QUOTED)
                    .collect();
                result.message = result
                    .message
                    .map(|message| format!("{message}: `{quoted}`"));
            }
            None => {}
        }
        RunResult {
            stderr: text.to_owned(),
            text: self.redacted(&result.text),
            ..result
        }
    }

    /// A text without the values of secrets.
    pub fn redacted(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), "…")
        })
    }
}

/// Notes what the line on usage says, all of it or nothing.
fn note_usage(json: &str, result: &mut RunResult) {
    match serde_json::from_str::<Usage>(json) {
        Ok(usage) => {
            let cost = AttemptCost {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cost_usd: usage.cost_usd,
                ..result.cost
            };
            match cost.implausible() {
                None => result.cost = cost,
                Some((name, value)) => {
                    result.message.get_or_insert(format!(
                        "no attempt can have cost what its line on usage says: `{name}` is {value}"
                    ));
                }
            }
        }
        Err(e) => {
            result
                .message
                .get_or_insert(format!("its line on usage cannot be read: {e}"));
        }
    }
}

/// What the line on usage may say.
#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

/// The last characters that have `most` bytes at most together.
fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}
