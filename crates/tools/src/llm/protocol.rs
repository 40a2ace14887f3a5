//! What `taskgen` and its child `taskgen-llm` say to each other: one JSON value a line, over the
//! child's stdin and stdout. Both binaries include this file, because the child must not link the
//! library (each brings its own ggml).

use serde::{Deserialize, Serialize};

/// What the parent sends: one question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the parent; the answer carries it.
    pub id: u64,
    /// The conversation, oldest first.
    pub messages: Vec<Turn>,
    /// JSON schema that the reply must obey; without one the reply is free text.
    #[serde(default)]
    pub schema: Option<serde_json::Value>,
    /// The reply is cut at this many tokens.
    pub max_tokens: u32,
    /// 0 takes the likeliest token each time.
    #[serde(default)]
    pub temperature: f64,
    /// Seed of the draws at a temperature above 0.
    #[serde(default)]
    pub seed: u64,
    /// Reads the whole prompt again instead of using what is kept of earlier ones; the reply is the
    /// same.
    #[serde(default)]
    pub fresh: bool,
    /// Only counts the prompt's tokens.
    #[serde(default)]
    pub count: bool,
    /// Answers of one token each: nothing is written, and their log-probabilities as the reply's
    /// first token are returned.
    #[serde(default)]
    pub offered: Vec<String>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// What the child sends: a greeting when the model is loaded, then one line for each request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromChild {
    /// The model is loaded.
    Hello(Hello),
    /// An answer.
    Reply(Reply),
    /// A request that could not be answered; the child goes on.
    Error(Failure),
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Name in the model file, or the file's own name.
    pub model: String,
    /// Tokens that a prompt and its reply may take together.
    pub context: u32,
    /// Threads that compute.
    pub threads: u32,
    /// Milliseconds that loading took.
    pub load_ms: u64,
}

/// An answer and what it cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The request's id.
    pub id: u64,
    /// What the model wrote.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Prompt tokens, the kept ones included.
    pub input: u64,
    /// Reply tokens.
    pub output: u64,
    /// Prompt tokens that were kept from earlier prompts and not read again.
    pub cached: u64,
    /// Milliseconds spent on reading the prompt.
    pub read_ms: u64,
    /// Milliseconds spent on writing the reply.
    pub write_ms: u64,
    /// The log-probabilities of the offered answers, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done, or the schema left nothing to say.
    Stop,
    /// The largest length was reached.
    Length,
}

/// A request that could not be answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The request's id, if the line could be read that far.
    pub id: Option<u64>,
    /// The kind.
    pub cause: FailureCause,
    /// Details for people.
    pub message: String,
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// The line is no request.
    BadRequest,
    /// The schema cannot be turned into a grammar.
    BadSchema,
    /// Prompt and reply do not fit the context.
    ContextTooLong,
    /// An offered answer is not one token of the model.
    NotOneToken,
    /// llama.cpp or llguidance failed.
    Engine,
}
