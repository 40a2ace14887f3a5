//! The model of a replay: it has a name, so that calls on record are found, and never answers.

use async_trait::async_trait;

use super::{ChatModel, ChatReply, ChatRequest, ModelError, Purse};
use crate::data::Cause;

/// A stand-in for a model with answers on record.
pub struct Replay {
    /// `provider/model`, as configured.
    pub name: String,
    /// Where the real one is.
    pub base_url: Option<String>,
    /// Whether the real one is a built-in model.
    pub builtin: bool,
    /// SHA-256 of the real one's weights, where it has any.
    pub weights: Option<String>,
}

#[async_trait]
impl ChatModel for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn base_url(&self) -> Option<&str> {
        self.base_url.as_deref()
    }

    fn is_builtin(&self) -> bool {
        self.builtin
    }

    fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    fn parallel(&self) -> usize {
        1
    }

    async fn chat(&self, _: &ChatRequest, _: &Purse<'_>) -> Result<ChatReply, ModelError> {
        Err(ModelError::new(
            Cause::ModelNotFound,
            "a replay asks no model",
        ))
    }
}
