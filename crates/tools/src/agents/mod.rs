//! Research agents as a tool: a question, the conversation before it and a length limit in; an answer
//! or a typed state out. An agent is a program ([`CommandAgent`]) or a model ([`ModelAgent`]). Hides
//! processes and providers; what is asked, how often, and what is kept is the caller's affair.

mod attempt;
pub mod command;
pub mod model;
pub mod report_text;
mod sources;

use std::path::Path;

use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::data::Exchange;
pub use attempt::Attempt;
pub use command::CommandAgent;
pub use model::ModelAgent;

/// A research agent.
#[async_trait]
pub trait Agent: Send + Sync {
    /// Answers a question once. The error is what must stop the whole run; every other failure is a
    /// state of the attempt. None where a dry run only estimated the request.
    async fn answer(&self, query: &Query<'_>) -> Result<Option<Attempt>>;
}

/// A question to an agent, with all that the agent is told.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Id of the question.
    pub id: &'a str,
    /// The question itself.
    pub text: &'a str,
    /// Language tag of the expected answer.
    pub language: &'a str,
    /// Further fields that a program reads beside the question, such as its discipline.
    pub facets: &'a Map<String, Value>,
    /// Earlier questions of the conversation with this agent's own answers, oldest first.
    pub history: &'a [Exchange],
    /// The most words of an answer; a Han character is a word. The agent is told; a longer answer is
    /// kept whole and marked.
    pub max_words: Option<u32>,
    /// Number of the attempt, from 1. A model's attempts are calls of their own.
    pub attempt: u32,
    /// A folder for this attempt alone, in which a program runs.
    pub folder: &'a Path,
}
