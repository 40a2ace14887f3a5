//! Chat completions, as `OpenAI` defined them and many servers speak them; Azure's key header, too.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Dialect,
    dress::{Dress, sampling},
};
use crate::{
    data::{Cause, Usage},
    llm::{ChatReply, ChatRequest, Finish, ModelError},
};

pub struct OpenAi;

impl Dialect for OpenAi {
    fn path(&self, _model: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn authorized(&self, post: RequestBuilder, key: Option<&str>) -> RequestBuilder {
        match key {
            Some(key) => post.bearer_auth(key).header("api-key", key),
            None => post,
        }
    }

    fn body(&self, model: &str, request: &ChatRequest, dress: Dress) -> Value {
        let mut body = json!({ "model": model, "messages": dress.messages(request) });
        body[if dress.new_length_name { "max_completion_tokens" } else { "max_tokens" }] = json!(request.max_tokens);
        sampling(&mut body, request, dress);
        if !dress.no_sampling {
            body["seed"] = json!(request.seed);
        }
        if !dress.schema_in_prompt {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": request.schema_name, "strict": true, "schema": request.schema }
            });
        }
        body
    }

    fn reply(&self, body: &Value) -> Result<ChatReply, ModelError> {
        let choice = &body["choices"][0];
        let message = &choice["message"];
        let refusal = message["refusal"].as_str().filter(|text| !text.is_empty());
        let finish = match choice["finish_reason"].as_str() {
            _ if refusal.is_some() => Finish::Refused,
            Some("content_filter") => {
                return Err(ModelError::new(Cause::ContentFilter, "the provider's filter withheld the reply"));
            }
            Some("length" | "max_tokens") => Finish::Length,
            _ => Finish::Stop,
        };
        let text = refusal.map(str::to_owned).or_else(|| text_of(&message["content"]));
        if text.is_none() && finish == Finish::Stop {
            return Err(ModelError::new(Cause::NotJson, "the server's answer holds no message"));
        }
        Ok(ChatReply {
            model_returned: body["model"].as_str().map(str::to_owned),
            usage: usage(&body["usage"]),
            ..ChatReply::new(text.unwrap_or_default(), finish)
        })
    }
}

/// A message's text: a string, or parts of which some are text.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        _ => None,
    }
}

fn usage(value: &Value) -> Option<Usage> {
    Some(Usage {
        input: value["prompt_tokens"].as_u64()?,
        output: value["completion_tokens"].as_u64()?,
        cached: value["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0),
    })
}
