//! The record of one logical model call: request, reply and cost. The same record is the cache;
//! [`Call::id`] covers everything that can change the reply.

use serde::{Deserialize, Serialize};

use super::{CallId, Cause, Trajectory};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// An earlier question of a conversation and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The question.
    pub question: String,
    /// The answer of the one who is asked now.
    pub answer: String,
}

/// Tokens of one call, as the model's server counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Reply tokens.
    pub output: u64,
    /// Prompt tokens that the server had read before.
    pub cached: u64,
    /// Searches of the web that the server made. The cost holds what they cost; they are written
    /// down nowhere else.
    #[serde(skip)]
    pub searches: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // Servers count, and some count nonsense.
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.searches = self.searches.saturating_add(other.searches);
    }
}

/// A page that a model's provider names as what a reply rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its address, as the provider has it.
    pub url: String,
    /// Its title, which may be empty.
    pub title: String,
    /// The number by which the reply's text names it, as in `[3]`, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// One logical call, finished: a reply or a cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Key of the call: hash of the canonical [`Call::request`].
    pub id: CallId,
    /// `inspire`, `weave`, `judge` …
    pub role: String,
    /// Name of the prompt file, such as `rank/judge`.
    pub prompt: String,
    /// SHA-256 of the prompt file's text.
    pub prompt_hash: String,
    /// Canonical JSON of all that can change the reply: model asked, base URL, messages, schema,
    /// sampling, sample index.
    pub request: serde_json::Value,
    /// `provider/model` as configured.
    pub model_asked: String,
    /// The model that the server says answered.
    pub model_returned: Option<String>,
    /// The reply's text, if one came.
    pub reply: Option<String>,
    /// Replies of earlier turns, which could not be used.
    pub earlier: Vec<String>,
    /// What the provider names as the reply's sources, apart from its text.
    pub sources: Vec<Source>,
    /// What the provider tells of the way to the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<Trajectory>,
    /// How the server was asked, where that differs from the request.
    pub asked_as: Option<String>,
    /// Why the call failed, if it did.
    pub cause: Option<Cause>,
    /// The failure's details.
    pub error: Option<String>,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// What it cost in micro-dollars; nothing where the price is unknown.
    pub cost_micro: Option<u64>,
    /// Version of the table of prices that this rests on.
    pub price_version: Option<String>,
    /// Wall time of all attempts in milliseconds.
    pub ms: u64,
    /// Requests that were sent.
    pub attempts: u32,
}
