//! The chat completions of `OpenAI`, and of every server that speaks them: vLLM, llama.cpp, Ollama,
//! Azure, routers, proxies. Hides in what such servers differ: how the key is sent, how a length is
//! named, how a message holds its text.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{
    Dialect, SearchSettings,
    failure::{Failed, no_end, no_message},
    parts::{items, reply, searched, source, tokens},
    request_fields::{bearer, perplexity_filters},
    responses_steps::pages,
};
use crate::{
    data::{Cause, Source, Step},
    llm::{
        ChatReply, ChatRequest, Finish,
        remote::capabilities::{Capabilities, Form, messages, reduced},
        weights,
    },
};

/// Tokens for whose log-probabilities servers can be asked at most.
const LIKELIEST: u64 = 20;
/// `OpenAI`'s number for a token that is so unlikely that it has no number.
const TOO_UNLIKELY: f64 = -9999.0;

pub(super) struct OpenAi {
    /// Whether the server takes the fields of Perplexity's Sonar models.
    pub is_sonar: bool,
    pub search: SearchSettings,
}

impl OpenAi {
    /// What the question says of searching.
    fn add_search(&self, body: &mut Value) {
        let search = &self.search;
        let mut options = Map::new();
        if let Some(size) = search.context {
            options.insert("search_context_size".into(), json!(size));
        }
        if let Some(country) = &search.country {
            let place = if self.is_sonar {
                json!({ "country": country })
            } else {
                json!({ "type": "approximate", "approximate": { "country": country } })
            };
            options.insert("user_location".into(), place);
        }
        body["web_search_options"] = Value::Object(options);
        if let Some(body) = body.as_object_mut().filter(|_| self.is_sonar) {
            self.add_sonar(body);
        }
    }

    fn add_sonar(&self, body: &mut Map<String, Value>) {
        let search = &self.search;
        if let Some(mode) = search.mode {
            body.insert("search_mode".into(), json!(mode));
        }
        body.extend(perplexity_filters(search));
    }
}

impl Dialect for OpenAi {
    fn url(&self, base: &str, _model: &str) -> String {
        format!("{base}/chat/completions")
    }

    fn headers(&self, url: &Url, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(url, key)
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Schema, Form::Reduced, Form::Object, Form::Prompt]
    }

    fn body(&self, model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value {
        let form = self.forms()[capabilities.form];
        let mut body = json!({ "model": model, "messages": messages(request, form) });
        let length = if capabilities.new_length_name {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body[length] = json!(capabilities.length(request));
        if !capabilities.no_temperature {
            body["temperature"] = json!(request.temperature);
        }
        if !capabilities.no_seed {
            body["seed"] = json!(request.seed);
        }
        if request.search {
            self.add_search(&mut body);
        }
        if request.is_weighed() {
            body["logprobs"] = json!(true);
            body["top_logprobs"] = json!(LIKELIEST);
        }
        if !request.has_schema() {
            return body;
        }
        let strict = |schema: &Value| {
            let named = json!({ "name": request.schema_name, "strict": true, "schema": schema });
            json!({ "type": "json_schema", "json_schema": named })
        };
        let format = match form {
            Form::Prompt => return body,
            Form::Object => json!({ "type": "json_object", "schema": request.schema }),
            Form::Reduced => strict(&reduced(&request.schema)),
            _ => strict(&request.schema),
        };
        body["response_format"] = format;
        body
    }

    fn reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, Failed> {
        let choice = &body["choices"][0];
        let message = &choice["message"];
        let refusal = message["refusal"].as_str().filter(|text| !text.is_empty());
        let finish = match choice["finish_reason"].as_str() {
            _ if refusal.is_some() => Finish::Refused,
            Some("content_filter") => Finish::Filtered,
            Some("length" | "max_tokens") => Finish::Length,
            Some("stop" | "eos" | "tool_calls" | "function_call") => Finish::Stop,
            _ if message.is_null() => return Err(no_message()),
            _ => return Err(no_end(&choice["finish_reason"])),
        };
        let text = refusal
            .map(str::to_owned)
            .or_else(|| text_of(&message["content"]));
        let (text, finish) = match finish {
            // The one token is all that was asked for, whatever it is.
            Finish::Stop | Finish::Length if request.is_weighed() => (
                Some(weights_of_choice(choice, &request.offered)),
                Finish::Stop,
            ),
            _ => (text, finish),
        };
        if text.is_none() && finish == Finish::Stop && !request.is_text() {
            return Err(no_message());
        }
        let usage = &body["usage"];
        let cached = tokens(&usage["prompt_tokens_details"], &["cached_tokens"]);
        let counts = [
            tokens(usage, &["prompt_tokens"]),
            tokens(usage, &["completion_tokens"]),
            cached,
        ];
        let reply = reply(text.unwrap_or_default(), finish, &body["model"], counts);
        let cited = items(&message["annotations"])
            .iter()
            .map(|note| &note["url_citation"]);
        let cited = cited.filter_map(|cited| source(&cited["url"], &cited["title"]));
        let sources: Vec<Source> = cited.chain(numbered(body)).collect();
        // Each request to a search model is one search, unless the server counts them.
        let counted = usage["num_search_queries"]
            .as_u64()
            .filter(|_| self.is_sonar);
        let searches = counted.unwrap_or_else(|| request.search.into());
        Ok(searched(reply, searches, sources.into_iter(), steps(body)))
    }

    fn cause(&self, _status: u16, _error: &Value, _text: &str) -> Option<Cause> {
        None
    }
}

/// What the numbers in the text of a Sonar model stand for: the results in their order, from 1; of
/// older servers, a list of addresses.
fn numbered(body: &Value) -> Vec<Source> {
    let results = items(&body["search_results"]).iter();
    let mut found: Vec<Option<Source>> = results
        .map(|page| source(&page["url"], &page["title"]))
        .collect();
    if found.is_empty() {
        let addresses = items(&body["citations"]).iter();
        found = addresses.map(|url| source(url, &Value::Null)).collect();
    }
    let with_number = |(place, source): (usize, Option<Source>)| {
        let number = Some(place as u64 + 1);
        source.map(|source| Source { number, ..source })
    };
    found
        .into_iter()
        .enumerate()
        .filter_map(with_number)
        .collect()
}

/// The search of a Sonar model, whose queries it does not tell.
fn steps(body: &Value) -> Vec<Step> {
    let found = pages(&body["search_results"]);
    if found.is_empty() {
        return Vec::new();
    }
    let search = Step {
        found,
        ..Step::search(Vec::new())
    };
    vec![search]
}

/// The log-probabilities of offered answers among the likeliest first tokens of a reply.
fn weights_of_choice(choice: &Value, offered: &[String]) -> String {
    let likeliest = items(&choice["logprobs"]["content"][0]["top_logprobs"]);
    if likeliest.is_empty() {
        return weights::none_on_record();
    }
    weights::found_on_record(
        offered
            .iter()
            .filter_map(|answer| Some((answer.as_str(), weight(likeliest, answer)?))),
    )
}

/// The log-probability of an answer. An answer has several tokens, with and without white space:
/// they exclude each other, so that their probabilities add up.
fn weight(likeliest: &[Value], answer: &str) -> Option<f64> {
    let logs: Vec<f64> = likeliest
        .iter()
        .filter(|token| token["token"].as_str().map(str::trim) == Some(answer))
        .filter_map(|token| token["logprob"].as_f64())
        .filter(|log| *log > TOO_UNLIKELY)
        .collect();
    let most = logs.iter().copied().reduce(f64::max)?;
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    Some(most + sum.ln())
}

/// A message's text: a string, or a list of parts, some of them text. Thoughts stand elsewhere and
/// are left there.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights_of(likeliest: &Value) -> Value {
        let choice = json!({ "logprobs": { "content": [{ "top_logprobs": likeliest }] } });
        let found = weights_of_choice(&choice, &["1".into(), "2".into()]);
        serde_json::from_str(&found).expect("JSON")
    }

    #[test]
    fn spellings_of_an_answer_add_up_and_what_is_not_there_is_left_out() {
        let token = |token: &str, log: f64| json!({ "token": token, "logprob": log });
        let half = f64::ln(0.25);
        let found = weights_of(&json!([
            token("1", half),
            token(" 1", half),
            token("12", -0.1)
        ]));
        let weight = found["1"].as_f64().expect("a number");
        assert!((weight - f64::ln(0.5)).abs() < 1e-12, "{weight}");
        assert_eq!(found.get("2"), None);
        let unlikely = weights_of(&json!([token("1", -0.1), token("2", TOO_UNLIKELY)]));
        assert_eq!(unlikely, json!({ "1": -0.1 }));
        assert_eq!(weights_of(&json!([])), Value::Null);
        assert_eq!(weights_of(&Value::Null), Value::Null);
    }
}
