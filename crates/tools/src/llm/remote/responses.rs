//! `OpenAI`'s Responses, with a search of the web and replies that are made in the background, and
//! what xAI and Perplexity make of them. Hides in what the three differ: addresses, tools, limits,
//! and where each says what it searched and opened.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    Dialect, Provider, Research,
    capabilities::{Capabilities, Form, messages, reduced},
    failure::{self, Failed, no_end, no_message},
    parts::{MOST_TOKENS, items, reply, searched, source, tokens},
    request_fields::{bearer, perplexity_filters, put_filters, put_list, put_text},
    research::is_deep_research,
    responses_steps::steps,
};
use crate::{
    data::{Cause, Source, Usage},
    http::Again,
    llm::{ChatReply, ChatRequest, Finish},
};

/// Tokens that a model may think while it searches, on top of the room for a plain answer.
const RESEARCH_ROOM: u32 = 32_768;
/// An id that is longer is none; it becomes a part of an address.
const LONGEST_ID: usize = 200;
/// The words of a status before the end.
const BEFORE_THE_END: [&str; 2] = ["queued", "in_progress"];
/// The words of a status after which nothing more comes. A word that is in neither list is none of
/// an end: to take it for one would be to pay again for a reply that comes.
const ENDS: [&str; 5] = ["completed", "incomplete", "failed", "cancelled", "expired"];

pub(super) struct Responses {
    pub provider: Provider,
    pub model: String,
    pub research: Research,
}

impl Responses {
    /// Whether a temperature is refused for certain.
    fn has_no_temperature(&self) -> bool {
        self.provider == Provider::Responses && is_deep_research(&self.model)
    }

    /// The tools for searching, with the limit of their calls.
    fn add_search(&self, body: &mut Value) {
        let most = self.research.most(self.provider, &self.model);
        let limit = match self.provider {
            Provider::Xai => "max_turns",
            Provider::Perplexity => "max_steps",
            _ => "max_tool_calls",
        };
        body[limit] = json!(most);
        body["tools"] = match self.provider {
            Provider::Xai => self.tools_of_xai(),
            Provider::Perplexity => self.tools_of_perplexity(),
            _ => self.tools_of_openai(),
        };
        if let Some(preset) = self.research.search.preset {
            body["preset"] = json!(preset);
        }
    }

    fn tools_of_openai(&self) -> Value {
        let search = &self.research.search;
        let mut tool = Map::new();
        let mut filters = Map::new();
        put_list(&mut filters, "allowed_domains", &search.domains);
        put_list(&mut filters, "blocked_domains", &search.without_domains);
        // The older tool is the one that deep research is documented with; it has no filters.
        let is_preview = is_deep_research(&self.model) && filters.is_empty();
        let kind = if is_preview {
            "web_search_preview"
        } else {
            "web_search"
        };
        tool.insert("type".into(), kind.into());
        put_filters(&mut tool, filters);
        if let Some(size) = search.context {
            tool.insert("search_context_size".into(), json!(size));
        }
        if let Some(country) = &search.country {
            let place = json!({ "type": "approximate", "country": country });
            tool.insert("user_location".into(), place);
        }
        json!([tool])
    }

    fn tools_of_xai(&self) -> Value {
        let search = &self.research.search;
        let mut filters = Map::new();
        put_list(&mut filters, "allowed_domains", &search.domains);
        put_list(&mut filters, "excluded_domains", &search.without_domains);
        let mut web = Map::from_iter([("type".to_owned(), "web_search".into())]);
        put_filters(&mut web, filters);
        let mut tools = vec![Value::Object(web)];
        if search.x == Some(true) {
            let mut posts = Map::from_iter([("type".to_owned(), "x_search".into())]);
            put_list(&mut posts, "allowed_x_handles", &search.handles);
            put_list(&mut posts, "excluded_x_handles", &search.without_handles);
            put_text(&mut posts, "from_date", search.after.as_deref());
            put_text(&mut posts, "to_date", search.before.as_deref());
            tools.push(Value::Object(posts));
        }
        Value::Array(tools)
    }

    fn tools_of_perplexity(&self) -> Value {
        let search = &self.research.search;
        let filters = perplexity_filters(search);
        let mut web = Map::from_iter([("type".to_owned(), "web_search".into())]);
        put_filters(&mut web, filters);
        if let Some(country) = &search.country {
            web.insert("user_location".into(), json!({ "country": country }));
        }
        json!([web, { "type": "fetch_url" }])
    }

    /// The schema of the reply.
    fn add_schema(&self, body: &mut Value, request: &ChatRequest, form: Form) {
        let schema = match form {
            Form::Prompt => return,
            Form::Reduced => reduced(&request.schema),
            _ => request.schema.clone(),
        };
        let named = json!({ "name": request.schema_name, "schema": schema, "strict": true });
        if self.provider == Provider::Perplexity {
            body["response_format"] = json!({ "type": "json_schema", "json_schema": named });
            return;
        }
        let mut format = named;
        format["type"] = "json_schema".into();
        body["text"] = json!({ "format": format });
    }

    /// Searches that were made and are charged.
    fn searches(&self, body: &Value, steps: &[super::responses_steps::Told]) -> u64 {
        let usage = &body["usage"];
        let counted = match self.provider {
            Provider::Xai => {
                let details = &usage["server_side_tool_usage_details"];
                let named = ["web_search_calls", "x_search_calls"];
                details.is_object().then(|| tokens(details, &named))
            }
            Provider::Perplexity => usage["tool_calls_details"].as_object().map(|tools| {
                let searches = tools.iter().filter(|(name, _)| name.contains("search"));
                searches
                    .map(|(_, tool)| calls_of(tool))
                    .fold(0, u64::saturating_add)
            }),
            _ => None,
        };
        counted.unwrap_or_else(|| steps.iter().filter(|told| told.is_charged).count() as u64)
    }

    /// What a response that failed says.
    fn failed(&self, body: &Value, usage: Option<Usage>) -> Failed {
        let error = &body["error"];
        let code = error["code"].as_str().unwrap_or_default();
        let said = failure::message_of(error, code);
        let text = error.to_string().to_lowercase();
        let has_flag = ["flagged", "usage polic", "content_filter", "cyber_policy"]
            .iter()
            .any(|word| text.contains(word));
        let cause = match code {
            "rate_limit_exceeded" => Cause::RateLimit,
            "insufficient_quota" => Cause::Quota,
            "server_error" | "vector_store_timeout" | "" => Cause::Overloaded,
            _ if has_flag => Cause::ContentFilter,
            _ => failure::cause_of(400, &text),
        };
        let message = format!("the reply failed: `{code}`: {said}");
        let refused_at_once = cause == Cause::RateLimit && items(&body["output"]).is_empty();
        Failed {
            usage: usage.map(Box::new),
            charged: !refused_at_once,
            // It was paid for: another attempt is the user's to make.
            ..Failed::new(cause, message, Again::Never)
        }
    }
}

impl Dialect for Responses {
    fn url(&self, base: &str, _model: &str) -> String {
        if self.provider == Provider::Perplexity {
            return format!("{}/v1/agent", base.strip_suffix("/v1").unwrap_or(base));
        }
        format!("{base}/responses")
    }

    fn headers(&self, url: &Url, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(url, key)
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Schema, Form::Reduced, Form::Prompt]
    }

    fn length(&self, request: &ChatRequest, capabilities: Capabilities) -> u32 {
        let room = if request.search { RESEARCH_ROOM } else { 0 };
        capabilities.length(request).saturating_add(room)
    }

    fn body(&self, model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value {
        let form = self.forms()[capabilities.form];
        let input: Vec<Value> = messages(request, form)
            .into_iter()
            .map(|message| {
                json!({ "type": "message", "role": message.role, "content": message.content })
            })
            .collect();
        let model = match self.provider {
            // Its own models have its name in front there, too.
            Provider::Perplexity if !model.contains('/') => format!("perplexity/{model}"),
            _ => model.to_owned(),
        };
        let is_background = self.research.is_background(self.provider, request);
        let mut body = json!({
            "model": model,
            "input": input,
            "max_output_tokens": self.length(request, capabilities),
            // What is made in the background can only be asked for where it is kept.
            "store": is_background,
        });
        if is_background {
            body["background"] = json!(true);
        }
        if !capabilities.no_temperature && !self.has_no_temperature() {
            body["temperature"] = json!(request.temperature);
        }
        if let Some(effort) = self.research.reasoning {
            body["reasoning"] = json!({ "effort": effort });
        }
        if request.search {
            self.add_search(&mut body);
        }
        if request.has_schema() {
            self.add_schema(&mut body, request, form);
        }
        body
    }

    fn is_in_the_making(&self, body: &Value) -> bool {
        let status = body["status"].as_str();
        status.is_some_and(|status| !ENDS.contains(&status))
    }

    fn is_reply(&self, body: &Value) -> bool {
        let is_word = |status: &str| ENDS.contains(&status) || BEFORE_THE_END.contains(&status);
        // An error of a proxy may have a status, too, but not one of these words.
        body["object"] == "response" || body["status"].as_str().is_some_and(is_word)
    }

    fn unfinished(&self, body: &Value) -> Option<String> {
        let id = body["id"].as_str().filter(|id| is_id(id))?;
        self.is_in_the_making(body).then(|| id.to_owned())
    }

    fn reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, Failed> {
        let told = steps(body);
        let usage = &body["usage"];
        let details = &usage["input_tokens_details"];
        let cached = tokens(details, &["cached_tokens", "cache_read_input_tokens"]);
        let counts = [
            tokens(usage, &["input_tokens"]),
            tokens(usage, &["output_tokens"]),
            cached,
        ];
        let (text, refusal) = texts(body);
        let reason = &body["incomplete_details"]["reason"];
        let finish = match body["status"].as_str() {
            Some("failed") => {
                let counted = reply(String::new(), Finish::Stop, &Value::Null, counts);
                let searches = self.searches(body, &told).min(MOST_TOKENS);
                let usage = counted.usage.map(|usage| Usage { searches, ..usage });
                return Err(self.failed(body, usage));
            }
            Some("cancelled" | "expired") => {
                let message = "the reply was cancelled where it was being made".to_owned();
                return Err(Failed::new(Cause::Cancelled, message, Again::Never).charged());
            }
            _ if refusal.is_some() => Finish::Refused,
            Some("incomplete") => match reason.as_str() {
                Some("content_filter") => Finish::Filtered,
                Some("max_output_tokens") => Finish::Length,
                _ => return Err(never_again(no_end(reason))),
            },
            Some("completed") => Finish::Stop,
            None if body["output"].is_null() => return Err(no_message()),
            status => return Err(never_again(no_end(&json!(status)))),
        };
        if text.is_none() && refusal.is_none() && finish == Finish::Stop && !request.is_text() {
            return Err(no_message());
        }
        let sources = sources(body);
        let text = refusal.or(text).unwrap_or_default();
        let reply = reply(text, finish, &body["model"], counts);
        let searches = self.searches(body, &told);
        let steps = told.into_iter().map(|told| told.step).collect();
        Ok(searched(reply, searches, sources.into_iter(), steps))
    }

    fn cause(&self, _status: u16, _error: &Value, _text: &str) -> Option<Cause> {
        None
    }
}

/// A failure that another request would pay for again.
fn never_again(failed: Failed) -> Failed {
    Failed {
        again: Again::Never,
        ..failed
    }
}

/// Whether an id can be a part of an address as it is.
fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (1..=LONGEST_ID).contains(&id.len()) && !id.starts_with('.') && id.chars().all(fits)
}

/// The texts of all messages, and a refusal, where there is one.
fn texts(body: &Value) -> (Option<String>, Option<String>) {
    let of_messages = items(&body["output"])
        .iter()
        .filter(|item| item["type"] == "message");
    let (mut text, mut refusal) = (None::<String>, None::<String>);
    for message in of_messages {
        let mut said = String::new();
        for part in items(&message["content"]) {
            match part["type"].as_str() {
                Some("refusal") => {
                    let declined = part["refusal"].as_str().unwrap_or_default();
                    refusal.get_or_insert_default().push_str(declined);
                }
                _ => said.push_str(part["text"].as_str().unwrap_or_default()),
            }
        }
        if said.is_empty() {
            continue;
        }
        let text = text.get_or_insert_default();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&said);
    }
    (text, refusal)
}

/// What the text cites, then what its numbers stand for where the results have numbers.
fn sources(body: &Value) -> Vec<Source> {
    let output = items(&body["output"]);
    let parts = output.iter().flat_map(|item| items(&item["content"]));
    let notes = parts.flat_map(|part| items(&part["annotations"]));
    let cited = notes.filter_map(|note| source(&note["url"], &note["title"]));
    let results = output.iter().flat_map(|item| items(&item["results"]));
    let numbered = results.filter_map(|found| {
        let number = found["id"].as_u64()?;
        let source = source(&found["url"], &found["title"])?;
        Some(Source {
            number: Some(number),
            ..source
        })
    });
    cited.chain(numbered).collect()
}

fn calls_of(tool: &Value) -> u64 {
    let counted = tool["invocation"].as_u64().or_else(|| tool.as_u64());
    counted.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(provider: Provider) -> Responses {
        Responses {
            provider,
            model: "m".to_owned(),
            research: Research::default(),
        }
    }

    #[test]
    fn only_the_words_of_an_end_end_a_reply() {
        let responses = dialect(Provider::Responses);
        for (body, is_in_the_making, id) in [
            (json!({ "status": "queued" }), true, None),
            (
                json!({ "status": "searching", "id": "r1" }),
                true,
                Some("r1"),
            ),
            (json!({ "status": "expired", "id": "r1" }), false, None),
            (json!({ "id": "r1" }), false, None),
        ] {
            assert_eq!(
                responses.is_in_the_making(&body),
                is_in_the_making,
                "{body}"
            );
            assert_eq!(responses.unfinished(&body).as_deref(), id, "{body}");
        }
        let failed = json!({ "status": "failed", "error": { "code": "server_error" } });
        assert!(responses.is_reply(&failed));
        let of_proxy = json!({ "status": "error", "error": { "code": 429 } });
        assert!(!responses.is_reply(&of_proxy));
    }

    #[test]
    fn counts_without_measure_do_no_harm() {
        let tools = json!({ "search_web": u64::MAX, "search_news": { "invocation": 2 } });
        let body = json!({ "usage": { "tool_calls_details": tools } });
        let counted = dialect(Provider::Perplexity).searches(&body, &[]);
        assert_eq!(counted, u64::MAX);
    }
}
