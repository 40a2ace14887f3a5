//! Anthropic's Messages, and servers that speak them. Hides that the system's text stands apart,
//! that a reply is a list of blocks, and that prompt tokens are counted in three.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    Dialect, MOST_SEARCHES,
    failure::{Failed, no_end, no_message},
    items, reply, searched, source, tokens,
};
use crate::{
    data::Cause,
    http::Again,
    llm::{
        ChatReply, ChatRequest, Finish,
        remote::capabilities::{Capabilities, Form, messages, reduced, system_apart},
    },
};

pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn url(&self, base: &str, _model: &str) -> String {
        format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base))
    }

    fn headers(&self, _url: &Url, key: Option<&str>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", "2023-06-01".to_owned());
        key.map(|key| ("x-api-key", key.to_owned()))
            .into_iter()
            .chain([version])
            .collect()
    }

    /// The schema mode refuses limits of lengths and numbers, so that they are left out from the
    /// start.
    fn forms(&self) -> &'static [Form] {
        &[Form::Reduced, Form::Tool, Form::Prompt]
    }

    fn body(&self, model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value {
        let form = self.forms()[capabilities.form];
        let (system, messages) = system_apart(messages(request, form));
        let most = capabilities.length(request);
        let mut body = json!({ "model": model, "max_tokens": most, "messages": messages });
        if !system.is_empty() {
            body["system"] = json!(system);
        }
        if !capabilities.no_temperature {
            body["temperature"] = json!(request.temperature);
        }
        if request.search {
            let tool = json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": MOST_SEARCHES });
            body["tools"] = json!([tool]);
        }
        match form {
            _ if !request.has_schema() || form == Form::Prompt => {}
            Form::Tool => {
                let name = &request.schema_name;
                body["tools"] = json!([{ "name": name, "description": "Takes the answer.", "input_schema": request.schema }]);
                body["tool_choice"] = json!({ "type": "tool", "name": name });
            }
            _ => {
                body["output_config"] = json!({ "format": { "type": "json_schema", "schema": reduced(&request.schema) } });
            }
        }
        body
    }

    fn reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, Failed> {
        let finish = match body["stop_reason"].as_str() {
            Some("refusal") => Finish::Refused,
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("end_turn" | "stop_sequence" | "tool_use") => Finish::Stop,
            _ if body["content"].is_null() => return Err(no_message()),
            // A long search that was paused: asked anew, it would be paused and charged again.
            Some("pause_turn") => {
                return Err(Failed {
                    again: Again::Never,
                    ..no_end(&body["stop_reason"])
                });
            }
            _ => return Err(no_end(&body["stop_reason"])),
        };
        let blocks = items(&body["content"]);
        let text: Option<String> = blocks
            .iter()
            .filter_map(text_of)
            .reduce(|all, more| all + &more);
        if text.is_none() && finish == Finish::Stop && !request.is_text() {
            return Err(no_message());
        }
        let usage = &body["usage"];
        let read = [
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ];
        let cached = tokens(usage, &["cache_read_input_tokens"]);
        let counts = [
            tokens(usage, &read),
            tokens(usage, &["output_tokens"]),
            cached,
        ];
        let reply = reply(text.unwrap_or_default(), finish, &body["model"], counts);
        let cited = blocks.iter().flat_map(|block| items(&block["citations"]));
        let sources = cited.filter_map(|cited| source(&cited["url"], &cited["title"]));
        Ok(searched(
            reply,
            tokens(&usage["server_tool_use"], &["web_search_requests"]),
            sources,
        ))
    }

    fn cause(&self, status: u16, error: &Value, _text: &str) -> Option<Cause> {
        match error["type"].as_str()? {
            "billing_error" => Some(Cause::Quota),
            "authentication_error" | "permission_error" if status < 500 => {
                Some(Cause::Authentication)
            }
            "request_too_large" => Some(Cause::ContextTooLong),
            // Inside a success; as a status they speak for themselves.
            "rate_limit_error" if status != 429 => Some(Cause::RateLimit),
            "overloaded_error" => Some(Cause::Overloaded),
            _ => None,
        }
    }
}

/// A block's part of the reply: text, or the input of the tool that takes the answer. Thoughts are
/// left out; after a search, a new paragraph begins.
fn text_of(block: &Value) -> Option<String> {
    match block["type"].as_str()? {
        "text" => block["text"].as_str().map(str::to_owned),
        "tool_use" => Some(block["input"].to_string()),
        "web_search_tool_result" => Some("\n\n".to_owned()),
        _ => None,
    }
}
