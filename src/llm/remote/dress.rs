//! How a request is put to a server that does not take everything: with its schema mode or the schema in the prompt,
//! under the old or the new name of the length limit, with or without sampling parameters. The question stays the same.

use serde_json::{Value, json};

use crate::{data::Message, llm::ChatRequest};

/// What a model was found to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dress {
    /// The schema stands in the prompt, because the server's schema mode does not take it.
    pub schema_in_prompt: bool,
    /// The reply's length is limited under its newer name.
    pub new_length_name: bool,
    /// Temperature and seed are left out.
    pub no_sampling: bool,
}

impl Dress {
    /// What to try after the server complained; `None` where the complaint is about none of this.
    pub fn next(self, complaint: &str) -> Option<Self> {
        let says = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        if !self.new_length_name && says(&["max_completion_tokens"]) {
            return Some(Self { new_length_name: true, ..self });
        }
        if !self.no_sampling && says(&["temperature", "'seed'", "\"seed\"", "seed is not"]) {
            return Some(Self { no_sampling: true, ..self });
        }
        let of_schema =
            ["response_format", "json_schema", "schema", "output_config", "output_format", "tool", "grammar"];
        if !self.schema_in_prompt && says(&of_schema) {
            return Some(Self { schema_in_prompt: true, ..self });
        }
        None
    }

    /// The request's messages, with the schema at the end of the last one where this dress has it there.
    pub fn messages(self, request: &ChatRequest) -> Vec<Message> {
        let mut messages = request.messages.clone();
        if let Some(last) = messages.last_mut().filter(|_| self.schema_in_prompt) {
            last.content.push_str(&format!(
                "\n\nAnswer with one JSON value of this schema and nothing else:\n{}",
                request.schema
            ));
        }
        messages
    }
}

/// The messages without the system's, as `role` and `content`, and the system's text.
pub fn system_apart(messages: Vec<Message>) -> (Option<String>, Vec<Message>) {
    let (system, rest): (Vec<Message>, Vec<Message>) = messages.into_iter().partition(|m| m.role == "system");
    let text = system.into_iter().map(|message| message.content).collect::<Vec<_>>().join("\n\n");
    (Some(text).filter(|text| !text.is_empty()), rest)
}

/// Sampling parameters under the names that most servers share.
pub fn sampling(body: &mut Value, request: &ChatRequest, dress: Dress) {
    if !dress.no_sampling {
        body["temperature"] = json!(request.temperature);
    }
}
