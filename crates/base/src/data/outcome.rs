//! Failures of calls and judgements. A missing score is not a zero: it is [`Unscored`], with a
//! cause.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a reply could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No reply in time.
    Timeout,
    /// No connection, or one that broke.
    Connection,
    /// Too many requests (429).
    RateLimit,
    /// The server is overloaded or failing (5xx).
    Overloaded,
    /// The account has no money left.
    Quota,
    /// The key is missing or was refused.
    Authentication,
    /// The server does not know the model.
    ModelNotFound,
    /// The provider's filter withheld the reply.
    ContentFilter,
    /// The model declined.
    Refused,
    /// The prompt does not fit the model's context.
    ContextTooLong,
    /// The reply was cut at its largest length.
    Truncated,
    /// The reply holds no text.
    Empty,
    /// No JSON value in the reply.
    NotJson,
    /// JSON of another shape than asked.
    WrongShape,
    /// Two different values where one was asked.
    TwoVerdicts,
    /// A number outside its range.
    OutOfRange,
    /// Parts of the reply contradict each other.
    Inconsistent,
    /// The reply names something that was not shown.
    UnknownReference,
    /// An answer that was offered has no log-probability.
    Unweighed,
    /// The provider ended a reply that it was making in the background, or somebody had it do so.
    Cancelled,
    /// The provider does not know a reply any more that it was making in the background.
    Lost,
    /// The embedded model's process failed.
    LocalEngine,
    /// A research agent failed in a way of its own.
    AgentFailed,
    /// Nobody was asked: the command only predicts what it would ask.
    NotAsked,
}

impl Cause {
    /// Whether the same request may succeed later without any change.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Timeout
                | Self::Connection
                | Self::RateLimit
                | Self::Overloaded
                | Self::LocalEngine
                | Self::NotAsked
        )
    }

    /// Whether no other request to this model can succeed either, so that the run should stop.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Quota | Self::Authentication | Self::ModelNotFound
        )
    }

    /// The word that is stored and shown, such as `wrong_shape`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Quota => "quota",
            Self::Authentication => "authentication",
            Self::ModelNotFound => "model_not_found",
            Self::ContentFilter => "content_filter",
            Self::Refused => "refused",
            Self::ContextTooLong => "context_too_long",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::NotJson => "not_json",
            Self::WrongShape => "wrong_shape",
            Self::TwoVerdicts => "two_verdicts",
            Self::OutOfRange => "out_of_range",
            Self::Inconsistent => "inconsistent",
            Self::UnknownReference => "unknown_reference",
            Self::Unweighed => "unweighed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::LocalEngine => "local_engine",
            Self::AgentFailed => "agent_failed",
            Self::NotAsked => "not_asked",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A missing answer: its cause and its details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{cause}: {reason}")]
pub struct Unscored {
    /// The typed cause.
    pub cause: Cause,
    /// The details, for people.
    pub reason: String,
}
