//! How to reach a model behind a server.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{research::Research, waiting::Say};
use crate::http::Http;

/// The languages that servers speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`'s chat completions, which many servers speak.
    #[default]
    OpenAi,
    /// `OpenAI`'s Responses, and servers that speak them.
    Responses,
    /// xAI's Responses, with its own tools.
    Xai,
    /// Perplexity's Agent API.
    Perplexity,
    /// Chat completions with the fields of Perplexity's Sonar models.
    Sonar,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
}

impl Provider {
    /// The word of a configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::Xai => "xai",
            Self::Perplexity => "perplexity",
            Self::Sonar => "sonar",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Whether its replies can be made in the background, and asked for by an id.
    pub fn has_background(self) -> bool {
        matches!(self, Self::Responses | Self::Perplexity)
    }
}

/// How to reach a model.
#[derive(Clone)]
pub struct RemoteOptions {
    /// `provider/model`, as configured.
    pub name: String,
    /// The model's name on the server.
    pub model: String,
    /// What the server speaks.
    pub provider: Provider,
    /// Such as `https://api.openai.com/v1`. A query is kept; nothing of it is ever shown.
    pub base_url: String,
    /// Sent in the provider's header, and nowhere else.
    pub api_key: Option<String>,
    /// The environment variable that the key comes from, for people.
    pub key_variable: Option<String>,
    /// How it searches and thinks.
    pub research: Research,
    /// The client, with the rule of `--offline`; without one, a client without that rule.
    pub http: Option<Http>,
    /// Requests in flight at first.
    pub start: usize,
    /// Requests in flight at most.
    pub most: usize,
    /// A request that takes longer is cut.
    pub timeout: Duration,
    /// Requests that are sent for one question before it is given up.
    pub attempts: usize,
    /// The first pause between two attempts; it doubles each time.
    pub pause: Duration,
    /// Takes a line for the user where the server makes the run wait.
    pub say: Option<Say>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            model: String::new(),
            provider: Provider::OpenAi,
            base_url: String::new(),
            api_key: None,
            key_variable: None,
            research: Research::default(),
            http: None,
            start: 20,
            most: 256,
            timeout: Duration::from_mins(5),
            attempts: 8,
            pause: Duration::from_millis(500),
            say: None,
        }
    }
}
