//! stub
use super::{ChatModel, ChatReply, ChatRequest, ModelError};
#[derive(Default)]
pub struct OpenAiOptions { pub name: String, pub model: String, pub base_url: String, pub api_key: Option<String>, pub parallel: usize }
pub struct OpenAi(OpenAiOptions);
impl OpenAi { pub fn new(o: OpenAiOptions) -> Self { Self(o) } }
#[async_trait::async_trait]
impl ChatModel for OpenAi { fn name(&self) -> &str { &self.0.name } fn base_url(&self) -> Option<&str> { Some(&self.0.base_url) } fn is_trial(&self) -> bool { false } fn parallel(&self) -> usize { self.0.parallel }
 async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ModelError> { Err(ModelError::new(crate::data::Cause::Connection, "x")) } }
