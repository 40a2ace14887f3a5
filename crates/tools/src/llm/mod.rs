//! Here is a question and the shape of its answer: ask a model, get a typed value or the reason why
//! there is none. Hides providers, prompts, the record of calls (which is also the cache), repair
//! turns and the embedded model's child.

mod ask;
mod background;
mod budget;
mod estimate;
mod local;
mod options;
mod parse;
mod prices;
mod prompt;
pub mod protocol;
mod record;
mod remote;
mod repair;
mod schema;
mod stand_in;
mod strict;
mod text;
mod weigh;
mod weights;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

pub use crate::llm::estimate::{Predicted, Prediction, tokens_of};
pub use ask::{Answered, Ask, AskError, Counts, Llm};
pub use background::Pending;
pub use budget::{Amount, Budget, Hold, Limits, Purse, Spent};
pub use local::{LocalModel, LocalOptions};
pub use options::{LlmOptions, Parameters};
pub use parse::{Answer, parse};
pub use prices::Prices;
pub use prompt::{Prompts, Rendered};
pub use remote::{
    ContextSize, Effort, MOST_SEARCHES, Preset, Provider, RateChange, RateReason, Recency, Remote,
    RemoteOptions, Research, SearchMode, SearchSettings, THINKING_ROOM, is_deep_research,
    shown_url,
};
pub use schema::object;
pub use stand_in::{StandIn, is_code};
pub use text::Text;
pub use weigh::Weights;

use crate::data::{Cause, Message, Source, Trajectory, Usage};

/// A model that answers.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// `provider/model`, as configured.
    fn name(&self) -> &str;
    /// Where the texts go; `None` for a model on this machine.
    fn base_url(&self) -> Option<&str>;
    /// The environment variable that holds the key which is sent along, if one is.
    fn key_variable(&self) -> Option<&str> {
        None
    }
    /// Whether the model is so small that what it says is only for trying things out.
    fn is_builtin(&self) -> bool;
    /// Questions that may be asked at once; the model itself may let them wait.
    fn parallel(&self) -> usize;
    /// SHA-256 of the weights, where they are on this machine: other weights are another model.
    fn weights(&self) -> Option<&str> {
        None
    }
    /// How the number of requests in flight changed.
    fn rates(&self) -> Vec<RateChange> {
        Vec::new()
    }
    /// How it searches and thinks, where its user set that: it can change the reply.
    fn research(&self) -> Option<Value> {
        None
    }
    /// Searches of the web that are set aside for a reply of a model that searches.
    fn most_searches(&self) -> u32 {
        MOST_SEARCHES
    }
    /// Prompt tokens of a request, where the model can count them without answering.
    async fn count(&self, _request: &ChatRequest) -> Option<u64> {
        None
    }
    /// Answers, after as many attempts as make sense; each request that is sent is held in `purse`
    /// first. Where the purse refuses one, the error's cause is [`Cause::NotAsked`].
    async fn chat(&self, request: &ChatRequest, purse: &Purse<'_>)
    -> Result<ChatReply, ModelError>;
    /// The same, where the id of a reply that is made in the background is kept in `pending`, and
    /// one that was begun before is gone on with.
    async fn chat_pending(
        &self,
        request: &ChatRequest,
        purse: &Purse<'_>,
        _pending: &dyn Pending,
    ) -> Result<ChatReply, ModelError> {
        self.chat(request, purse).await
    }
}

/// One question.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// JSON schema of the reply; null where the reply is a text in the model's own words.
    pub schema: Value,
    /// A name for the schema, as some servers want one: letters, digits and `_`.
    pub schema_name: String,
    /// The reply is cut at this many tokens.
    pub max_tokens: u32,
    /// 0 takes the likeliest token each time.
    pub temperature: f64,
    /// Seed of the draws, where the model has one.
    pub seed: u64,
    /// Whether the model may search the web, with what its provider has for that.
    pub search: bool,
    /// Answers of one token each, of which only the log-probabilities at the reply's first place
    /// are asked for; none where a reply is asked for.
    pub offered: Vec<String>,
}

impl ChatRequest {
    /// Whether a text is asked for, and not a value.
    pub fn is_text(&self) -> bool {
        self.schema.is_null() && !self.is_weighed()
    }

    /// Whether the log-probabilities of offered answers are asked for, and no reply.
    pub fn is_weighed(&self) -> bool {
        !self.offered.is_empty()
    }

    /// Whether a value of a schema is asked for.
    pub fn has_schema(&self) -> bool {
        !self.schema.is_null()
    }
}

/// What a model said.
#[derive(Clone, Debug)]
pub struct ChatReply {
    /// The reply's text as it came; thinking and fences are taken off when it is parsed.
    pub text: String,
    /// The model that the server says answered.
    pub model_returned: Option<String>,
    /// Why the reply ended.
    pub finish: Finish,
    /// Tokens, if the server counts them.
    pub usage: Option<Usage>,
    /// Requests that were sent.
    pub attempts: u32,
    /// How the server was asked, where that differs from the request: what it does not take, in
    /// words.
    pub asked_as: Option<String>,
    /// What the provider names as sources, apart from the text.
    pub sources: Vec<Source>,
    /// What the provider tells of the way to the reply.
    pub trajectory: Option<Trajectory>,
}

impl ChatReply {
    /// A reply of one request, without more to say.
    pub fn new(text: String, finish: Finish) -> Self {
        Self {
            text,
            model_returned: None,
            finish,
            usage: None,
            attempts: 1,
            asked_as: None,
            sources: Vec::new(),
            trajectory: None,
        }
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The largest length was reached.
    Length,
    /// The model declined; the text may say why.
    Refused,
    /// The provider's filter withheld the reply.
    Filtered,
}

/// Why a model did not answer.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The typed cause.
    pub cause: Cause,
    /// Details for people; never a key.
    pub message: String,
    /// How long the server asked to wait.
    pub retry_after: Option<Duration>,
    /// Requests that were sent.
    pub attempts: u32,
}

impl ModelError {
    /// An error without more to say.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self {
            cause,
            message: message.into(),
            retry_after: None,
            attempts: 1,
        }
    }

    /// Whether the same request may succeed later without anybody changing anything.
    pub fn is_transient(&self) -> bool {
        self.cause.is_transient()
    }

    /// Whether no other request to this model can succeed either.
    pub fn is_terminal(&self) -> bool {
        self.cause.is_terminal()
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self.cause {
            Cause::Authentication => "check the provider's key in its environment variable",
            Cause::Quota => {
                "the account has no money left: top it up, or name another model with --model-role"
            }
            Cause::ModelNotFound => "check the model's name, or name another one with --model-role",
            Cause::Connection | Cause::Timeout => {
                "check that the server runs and that its base URL is right"
            }
            Cause::RateLimit | Cause::Overloaded => {
                "run the same command again later: what was answered is kept"
            }
            Cause::ContextTooLong => "use a model with a larger context, or smaller windows",
            Cause::Lost | Cause::Cancelled => "--retry-failed asks anew, which is charged anew",
            Cause::LocalEngine => {
                "run the same command again; when it happens again, use a smaller model or free some memory"
            }
            _ => "run again with --retry-failed, or use another model",
        }
    }
}
