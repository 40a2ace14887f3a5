//! A stand-in for a model: the model of a replay, with a name by which calls on record are found,
//! or code that has a model's place in a role. It never answers.

use async_trait::async_trait;
use serde_json::Value;

use super::{ChatModel, ChatReply, ChatRequest, ModelError, Purse};
use crate::data::Cause;

/// Whether this is the name of code in the place of a model, and not `provider/model`.
pub fn is_code(name: &str) -> bool {
    name.starts_with("code/")
}

/// A model that is never asked.
pub struct StandIn {
    /// `provider/model`, as configured.
    pub name: String,
    /// Where the real one is.
    pub base_url: Option<String>,
    /// Whether the real one is a built-in model.
    pub builtin: bool,
    /// SHA-256 of the real one's weights, where it has any.
    pub weights: Option<String>,
    /// How the real one searches and thinks, where its user set that.
    pub research: Option<Value>,
    /// Searches that are set aside for a reply of the real one.
    pub most_searches: u32,
}

#[async_trait]
impl ChatModel for StandIn {
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

    fn research(&self) -> Option<Value> {
        self.research.clone()
    }

    fn most_searches(&self) -> u32 {
        self.most_searches
    }

    fn parallel(&self) -> usize {
        1
    }

    async fn chat(&self, _: &ChatRequest, _: &Purse<'_>) -> Result<ChatReply, ModelError> {
        Err(ModelError::new(
            Cause::ModelNotFound,
            format!("`{}` answers no questions", self.name),
        ))
    }
}
