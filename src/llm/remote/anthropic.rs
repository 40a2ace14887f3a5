//! The Messages protocol. The schema is put to the model as the input of a tool that it must use.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Dialect,
    dress::{Dress, sampling, system_apart},
};
use crate::{
    data::{Cause, Usage},
    llm::{ChatReply, ChatRequest, Finish, ModelError},
};

/// Version of the protocol.
const VERSION: &str = "2023-06-01";

pub struct Anthropic;

impl Dialect for Anthropic {
    fn path(&self, _model: &str) -> String {
        "/v1/messages".to_owned()
    }

    fn authorized(&self, post: RequestBuilder, key: Option<&str>) -> RequestBuilder {
        let post = post.header("anthropic-version", VERSION);
        match key {
            Some(key) => post.header("x-api-key", key),
            None => post,
        }
    }

    fn body(&self, model: &str, request: &ChatRequest, dress: Dress) -> Value {
        let (system, messages) = system_apart(dress.messages(request));
        let mut body = json!({ "model": model, "max_tokens": request.max_tokens, "messages": messages });
        if let Some(system) = system {
            body["system"] = json!(system);
        }
        sampling(&mut body, request, dress);
        if !dress.schema_in_prompt {
            let name = &request.schema_name;
            body["tools"] =
                json!([{ "name": name, "description": "Gives the answer.", "input_schema": request.schema }]);
            body["tool_choice"] = json!({ "type": "tool", "name": name });
        }
        body
    }

    fn reply(&self, body: &Value) -> Result<ChatReply, ModelError> {
        let finish = match body["stop_reason"].as_str() {
            Some("refusal") => Finish::Refused,
            Some("model_context_window_exceeded") => {
                return Err(ModelError::new(Cause::ContextTooLong, "the prompt does not fit the model's context"));
            }
            Some("max_tokens") => Finish::Length,
            _ => Finish::Stop,
        };
        let blocks = body["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        // Thinking is not part of the answer.
        let of = |kind: &str| blocks.iter().filter(move |block| block["type"] == kind).collect::<Vec<_>>();
        let answers = of("tool_use");
        let text = if answers.is_empty() {
            of("text").iter().filter_map(|block| block["text"].as_str()).collect::<String>()
        } else {
            answers.iter().map(|block| block["input"].to_string()).collect::<Vec<_>>().join("\n")
        };
        if text.is_empty() && finish == Finish::Stop {
            return Err(ModelError::new(Cause::NotJson, "the server's answer holds no message"));
        }
        Ok(ChatReply {
            model_returned: body["model"].as_str().map(str::to_owned),
            usage: usage(&body["usage"]),
            ..ChatReply::new(text, finish)
        })
    }
}

/// Here cached tokens come beside the others, not among them.
fn usage(value: &Value) -> Option<Usage> {
    let count = |key: &str| value[key].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    Some(Usage {
        input: value["input_tokens"].as_u64()? + cached + count("cache_creation_input_tokens"),
        output: value["output_tokens"].as_u64()?,
        cached,
    })
}
