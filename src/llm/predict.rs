//! What a command would ask: calls, tokens and money, from the prompts that it would send and the calls on record.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ChatRequest;
use crate::{
    data::{Message, Usage},
    store::Experience,
};

/// Characters of ASCII that make a token, roughly, with tokenizers in use.
const ASCII_PER_TOKEN: f64 = 4.3;
/// The same for all other characters, of which most are Han.
const OTHER_PER_TOKEN: f64 = 1.3;
/// Tokens that a message costs besides its text.
const PER_MESSAGE: u64 = 5;

/// What would be asked.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Prediction {
    /// By role and model.
    pub calls: BTreeMap<String, Predicted>,
    /// The first prompt that would be sent.
    pub first: Vec<Message>,
}

/// The calls of one role to one model.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Predicted {
    /// How many.
    pub calls: u64,
    /// Their tokens.
    #[serde(flatten)]
    pub usage: Usage,
    /// Whether reply tokens are the most that may come, for want of calls on record.
    pub at_most: bool,
    /// Their cost in micro-dollars; nothing where the price is unknown.
    pub cost_micro: Option<u64>,
}

impl Prediction {
    pub(super) fn add(
        &mut self,
        role: &str,
        model: &str,
        usage: Usage,
        at_most: bool,
        micro: Option<u64>,
        messages: &[Message],
    ) {
        if self.first.is_empty() {
            self.first = messages.to_vec();
        }
        let first = Predicted { cost_micro: Some(0), ..Predicted::default() };
        let predicted = self.calls.entry(format!("{role}: {model}")).or_insert(first);
        predicted.calls += 1;
        predicted.usage += usage;
        predicted.at_most |= at_most;
        predicted.cost_micro = predicted.cost_micro.zip(micro).map(|(known, more)| known + more);
    }
}

/// Prompt tokens of a request to a model that cannot count them: as many a byte as in earlier calls, else a rule of thumb.
pub(super) fn prompt_tokens(request: &ChatRequest, experience: Option<&Experience>) -> u64 {
    let texts = || request.messages.iter().map(|message| message.content.as_str());
    if let Some(known) = experience.filter(|known| known.bytes > 0 && known.input > 0) {
        let bytes: usize = texts().map(str::len).sum();
        return (bytes as f64 * known.input as f64 / known.bytes as f64).round() as u64;
    }
    let ascii = texts().flat_map(str::chars).filter(char::is_ascii).count() as f64;
    let other = texts().flat_map(str::chars).filter(|c| !c.is_ascii()).count() as f64;
    (ascii / ASCII_PER_TOKEN + other / OTHER_PER_TOKEN).round() as u64 + PER_MESSAGE * request.messages.len() as u64
}
