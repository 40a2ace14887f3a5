//! `generateContent`, with its own JSON mode. Parts that are the model's thoughts are left out.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::{
    Dialect,
    dress::{Dress, system_apart},
};
use crate::{
    data::{Cause, Usage},
    llm::{ChatReply, ChatRequest, Finish, ModelError},
};

pub struct Gemini;

impl Dialect for Gemini {
    fn path(&self, model: &str) -> String {
        format!("/models/{model}:generateContent")
    }

    fn authorized(&self, post: RequestBuilder, key: Option<&str>) -> RequestBuilder {
        match key {
            Some(key) => post.header("x-goog-api-key", key),
            None => post,
        }
    }

    fn body(&self, _model: &str, request: &ChatRequest, dress: Dress) -> Value {
        let (system, messages) = system_apart(dress.messages(request));
        let contents: Vec<Value> = messages
            .iter()
            .map(|message| {
                let role = if message.role == "assistant" { "model" } else { "user" };
                json!({ "role": role, "parts": [{ "text": message.content }] })
            })
            .collect();
        let mut config = json!({ "maxOutputTokens": request.max_tokens });
        if !dress.no_sampling {
            config["temperature"] = json!(request.temperature);
            // The protocol's seed has 32 bits.
            config["seed"] = json!((request.seed % (1 << 31)) as u32);
        }
        if !dress.schema_in_prompt {
            config["responseMimeType"] = json!("application/json");
            config["responseJsonSchema"] = request.schema.clone();
        }
        let mut body = json!({ "contents": contents, "generationConfig": config });
        if let Some(system) = system {
            body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
        }
        body
    }

    fn reply(&self, body: &Value) -> Result<ChatReply, ModelError> {
        if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
            return Err(ModelError::new(Cause::ContentFilter, format!("the provider's filter: {reason}")));
        }
        let candidate = &body["candidates"][0];
        let finish = match candidate["finishReason"].as_str() {
            Some(reason @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII")) => {
                return Err(ModelError::new(Cause::ContentFilter, format!("the provider's filter: {reason}")));
            }
            Some("MAX_TOKENS") => Finish::Length,
            _ => Finish::Stop,
        };
        let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text: String =
            parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str()).collect();
        if text.is_empty() && finish == Finish::Stop {
            return Err(ModelError::new(Cause::NotJson, "the server's answer holds no message"));
        }
        Ok(ChatReply {
            model_returned: body["modelVersion"].as_str().map(str::to_owned),
            usage: usage(&body["usageMetadata"]),
            ..ChatReply::new(text, finish)
        })
    }
}

/// Thoughts are paid as reply tokens.
fn usage(value: &Value) -> Option<Usage> {
    let count = |key: &str| value[key].as_u64().unwrap_or(0);
    Some(Usage {
        input: value["promptTokenCount"].as_u64()?,
        output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
        cached: count("cachedContentTokenCount"),
    })
}
