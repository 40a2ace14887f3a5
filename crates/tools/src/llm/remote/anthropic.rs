//! Anthropic's Messages, and servers that speak them. Hides that the system's text stands apart,
//! that a reply is a list of blocks, and that prompt tokens are counted in three.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    Dialect, MOST_SEARCHES, SearchSettings,
    failure::{Failed, no_end, no_message},
    parts::{cut, items, reply, searched, source, tokens},
    request_fields::put_list,
    responses_steps::pages,
};
use crate::{
    data::{Cause, Step, StepKind, trajectory::LONGEST_TEXT},
    http::Again,
    llm::{
        ChatReply, ChatRequest, Finish,
        remote::capabilities::{Capabilities, Form, messages, reduced, system_apart},
    },
};

pub(super) struct Anthropic {
    pub search: SearchSettings,
}

impl Anthropic {
    fn search_tool(&self) -> Value {
        let most = self.search.most.unwrap_or(MOST_SEARCHES);
        let mut tool = Map::new();
        tool.insert("type".into(), "web_search_20250305".into());
        tool.insert("name".into(), "web_search".into());
        tool.insert("max_uses".into(), most.into());
        put_list(&mut tool, "allowed_domains", &self.search.domains);
        put_list(&mut tool, "blocked_domains", &self.search.without_domains);
        if let Some(country) = &self.search.country {
            let place = json!({ "type": "approximate", "country": country });
            tool.insert("user_location".into(), place);
        }
        Value::Object(tool)
    }
}

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
            body["tools"] = json!([self.search_tool()]);
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
            steps(blocks),
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

/// The searches and opened pages among the blocks, each with what it found.
fn steps(blocks: &[Value]) -> Vec<Step> {
    let mut steps: Vec<(&str, Step)> = Vec::new();
    for block in blocks {
        match block["type"].as_str() {
            Some("server_tool_use") => {
                let id = block["id"].as_str().unwrap_or_default();
                steps.push((id, asked(block)));
            }
            Some("web_search_tool_result" | "web_fetch_tool_result") => {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                let Some((_, step)) = steps.iter_mut().find(|(of, _)| *of == id) else {
                    continue;
                };
                let kind = block["content"]["type"].as_str().unwrap_or_default();
                step.failed = kind.ends_with("_error");
                step.found = pages(&block["content"]);
            }
            _ => {}
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}

fn asked(block: &Value) -> Step {
    let short = |text: &str| cut(text, LONGEST_TEXT);
    let input = &block["input"];
    match (input["query"].as_str(), input["url"].as_str()) {
        (Some(query), _) => Step::search(vec![short(query)]),
        (None, Some(url)) => Step::visit(&short(url), None),
        (None, None) if block["name"] == "web_search" => Step::new(StepKind::Search),
        (None, None) => Step::note(&short(block["name"].as_str().unwrap_or_default())),
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
