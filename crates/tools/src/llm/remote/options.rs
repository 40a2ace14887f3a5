//! How to reach a model behind a server.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::waiting::Say;
use crate::http::Http;

/// The languages that servers speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`'s chat completions, which many servers speak.
    #[default]
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
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
