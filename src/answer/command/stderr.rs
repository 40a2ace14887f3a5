//! What a command says on standard error: its end, for messages, and what it says it spent. Hides
//! keys: the values of variables that are named like secrets are taken out of all that is kept.

use std::{collections::BTreeMap, ffi::OsString};

use serde::Deserialize;
use tokio::{io::AsyncReadExt as _, process::ChildStderr};

use super::{Fault, Ran, TooLong};

/// Bytes of standard error that are kept.
const KEPT: usize = 4096;
/// Characters of its last line that a message quotes.
const QUOTED: usize = 200;
/// What begins the line on usage.
const USAGE: &str = "taskgen-usage:";
/// A shorter value is no secret, and may be a part of any word.
const SHORTEST: usize = 8;

/// The values of variables that are named like secrets, the longest first: one may contain another.
pub fn secrets(environment: &BTreeMap<String, OsString>) -> Vec<String> {
    let secret = |name: &str| {
        ["KEY", "TOKEN", "SECRET", "PASSWORD"]
            .iter()
            .any(|word| name.contains(word))
    };
    let named = environment
        .iter()
        .filter(|(name, _)| secret(&name.to_uppercase()));
    let mut values: Vec<String> = named
        .filter_map(|(_, value)| value.to_str().map(|value| value.trim().to_owned()))
        .collect();
    values.retain(|value| value.len() >= SHORTEST);
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values
}

/// Standard error as it comes in.
pub struct Said<'a> {
    secrets: &'a [String],
    /// Bytes of the longest secret.
    longest: usize,
    bytes: Vec<u8>,
    /// Whether the beginning is gone.
    cut: bool,
}

impl<'a> Said<'a> {
    /// Nothing yet.
    pub fn new(secrets: &'a [String]) -> Self {
        Self {
            secrets,
            longest: secrets.first().map_or(0, String::len),
            bytes: Vec::new(),
            cut: false,
        }
    }

    /// Reads to the end, keeping the end. Never too long; the type is that of its companion.
    pub async fn listen(&mut self, stderr: Option<ChildStderr>) -> Result<(), TooLong> {
        let Some(mut stderr) = stderr else {
            return Ok(());
        };
        let most = KEPT + self.longest;
        while stderr.read_buf(&mut self.bytes).await.unwrap_or_default() > 0 {
            if self.bytes.len() > 2 * most {
                self.bytes.drain(..self.bytes.len() - most);
                self.cut = true;
            }
        }
        Ok(())
    }

    /// Adds what was said to what came of the run.
    pub fn complete(self, mut ran: Ran) -> Ran {
        let said = self.redacted(&String::from_utf8_lossy(&self.bytes));
        // What is left of a secret whose beginning is gone.
        let left = if self.cut { self.longest } else { 0 };
        let said = end_of(end_of(&said, said.len().saturating_sub(left)), KEPT).trim_end();
        let last = said.lines().next_back().unwrap_or_default().trim();
        match last.strip_prefix(USAGE) {
            Some(json) => spend(json, &mut ran),
            None if !last.is_empty() && matches!(ran.fault, Some(Fault::Exit(_))) => {
                let quoted: String = last
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(QUOTED)
                    .collect();
                ran.message = ran.message.map(|message| format!("{message}: `{quoted}`"));
            }
            None => {}
        }
        Ran {
            stderr: said.to_owned(),
            text: self.redacted(&ran.text),
            ..ran
        }
    }

    fn redacted(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), "…")
        })
    }
}

/// Notes what the line on usage says, all of it or nothing.
fn spend(json: &str, ran: &mut Ran) {
    match serde_json::from_str::<Usage>(json) {
        Ok(Usage {
            cost_usd: Some(cost),
            ..
        }) if !(cost.is_finite() && cost >= 0.0) => {
            ran.message.get_or_insert(format!(
                "`cost_usd` in its line on usage is no cost: {cost}"
            ));
        }
        Ok(usage) => {
            ran.spent.input_tokens = usage.input_tokens;
            ran.spent.output_tokens = usage.output_tokens;
            ran.spent.cost_usd = usage.cost_usd;
        }
        Err(e) => {
            ran.message
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
fn end_of(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}
