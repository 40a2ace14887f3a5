//! Google's `generateContent`. Hides its names for roles and reasons, and that it calls a spent
//! day, a busy minute and a busy server by one word.

use std::time::Duration;

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    Dialect,
    failure::{Failed, no_end, no_message},
    parts::{cut, items, reply, searched, source, tokens},
};
use crate::{
    data::{Cause, Step, trajectory::LONGEST_TEXT},
    llm::{
        ChatReply, ChatRequest, Finish,
        remote::capabilities::{Capabilities, Form, messages, open_api, system_apart},
    },
};

pub(super) struct Gemini;

impl Dialect for Gemini {
    fn url(&self, base: &str, model: &str) -> String {
        let last = base.rsplit('/').next().unwrap_or_default();
        let has_version = last
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let version = if has_version { "" } else { "/v1beta" };
        format!(
            "{base}{version}/models/{}:generateContent",
            model.strip_prefix("models/").unwrap_or(model)
        )
    }

    fn headers(&self, _url: &Url, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Schema, Form::OpenApi, Form::Prompt]
    }

    fn body(&self, _model: &str, request: &ChatRequest, capabilities: Capabilities) -> Value {
        let form = self.forms()[capabilities.form];
        let (system, messages) = system_apart(messages(request, form));
        let contents: Vec<Value> = messages
            .into_iter()
            .map(|message| {
                let role = if message.role == "assistant" {
                    "model"
                } else {
                    "user"
                };
                json!({ "role": role, "parts": [{ "text": message.content }] })
            })
            .collect();
        let mut config =
            json!({ "maxOutputTokens": capabilities.length(request), "candidateCount": 1 });
        if !capabilities.no_temperature {
            config["temperature"] = json!(request.temperature);
        }
        if !capabilities.no_seed {
            // The field has 32 bits.
            config["seed"] = json!(request.seed % (1 << 31));
        }
        match form {
            _ if !request.has_schema() || form == Form::Prompt => {}
            Form::OpenApi => {
                config["responseMimeType"] = json!("application/json");
                config["responseSchema"] = open_api(&request.schema);
            }
            _ => {
                config["responseMimeType"] = json!("application/json");
                config["responseJsonSchema"] = request.schema.clone();
            }
        }
        let mut body = json!({ "contents": contents, "generationConfig": config });
        if request.search {
            body["tools"] = json!([{ "google_search": {} }]);
        }
        if !system.is_empty() {
            body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
        }
        body
    }

    fn reply(&self, body: &Value, request: &ChatRequest) -> Result<ChatReply, Failed> {
        let candidate = &body["candidates"][0];
        let blocked = body["promptFeedback"]["blockReason"].as_str();
        let finish = match candidate["finishReason"].as_str() {
            _ if blocked.is_some() => Finish::Filtered,
            Some("MAX_TOKENS") => Finish::Length,
            Some(
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
                | "IMAGE_SAFETY",
            ) => Finish::Filtered,
            Some("STOP") => Finish::Stop,
            _ if candidate.is_null() => return Err(no_message()),
            _ => return Err(no_end(&candidate["finishReason"])),
        };
        let parts = items(&candidate["content"]["parts"]);
        let said = parts
            .iter()
            .filter(|part| part["thought"] != true)
            .filter_map(|part| part["text"].as_str());
        let text: Option<String> = said.map(str::to_owned).reduce(|all, more| all + &more);
        if text.is_none() && finish == Finish::Stop && !request.is_text() {
            return Err(no_message());
        }
        let usage = &body["usageMetadata"];
        let written = tokens(usage, &["candidatesTokenCount", "thoughtsTokenCount"]);
        let cached = tokens(usage, &["cachedContentTokenCount"]);
        // What searches found is read, too, and counted apart.
        let read = tokens(usage, &["promptTokenCount", "toolUsePromptTokenCount"]);
        let text = text
            .or_else(|| blocked.map(str::to_owned))
            .unwrap_or_default();
        let reply = reply(text, finish, &body["modelVersion"], [read, written, cached]);
        let found = &candidate["groundingMetadata"];
        let pages = items(&found["groundingChunks"])
            .iter()
            .map(|chunk| &chunk["web"]);
        let sources = pages.filter_map(|page| source(&page["uri"], &page["title"]));
        let queries = items(&found["webSearchQueries"]);
        Ok(searched(
            reply,
            queries.len() as u64,
            sources,
            steps(queries),
        ))
    }

    fn cause(&self, status: u16, error: &Value, text: &str) -> Option<Cause> {
        match (status, error["status"].as_str().unwrap_or_default()) {
            (429, _) | (_, "RESOURCE_EXHAUSTED") => Some(exhausted(self.wait(error), text)),
            (400, _) if text.contains("api_key_invalid") || text.contains("api key not valid") => {
                Some(Cause::Authentication)
            }
            (400, "FAILED_PRECONDITION") if text.contains("billing") => Some(Cause::Quota),
            (400, "FAILED_PRECONDITION") => Some(Cause::Authentication),
            _ => None,
        }
    }

    fn wait(&self, error: &Value) -> Option<Duration> {
        let details = error["details"].as_array()?;
        let delay = details
            .iter()
            .find_map(|detail| detail["retryDelay"].as_str())?;
        Duration::try_from_secs_f64(delay.trim_end_matches('s').parse().ok()?).ok()
    }
}

/// A search for each query. Which pages belong to which is not told.
fn steps(queries: &[Value]) -> Vec<Step> {
    let texts = queries.iter().filter_map(Value::as_str);
    texts
        .map(|query| Step::search(vec![cut(query, LONGEST_TEXT)]))
        .collect()
}

/// What is exhausted: the day's or the account's share, which no waiting brings back soon, or the
/// minute's.
fn exhausted(wait: Option<Duration>, text: &str) -> Cause {
    let of_the_day =
        text.contains("perday") || text.contains("per_day") || text.contains("per day");
    let of_the_minute = text.contains("perminute") || text.contains("per_minute");
    let no_money = text.contains("credits are depleted") || text.contains("insufficient_quota");
    let plan = text.contains("exceeded your current quota") && wait.is_none();
    if no_money || (of_the_day || plan) && !of_the_minute {
        Cause::Quota
    } else {
        Cause::RateLimit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_for_three_things() {
        let check = |error: Value, expect| {
            let text = error.to_string().to_lowercase();
            assert_eq!(Gemini.cause(429, &error, &text), Some(expect), "{text}");
        };
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        let failure = |id: &str| json!({ "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{ "quotaId": id }] });
        let minute = json!({ "message": quota, "details": [failure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), { "retryDelay": "26s" }] });
        assert_eq!(Gemini.wait(&minute), Some(Duration::from_secs(26)));
        check(minute, Cause::RateLimit);
        check(
            json!({ "message": quota, "details": [failure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), { "retryDelay": "26s" }] }),
            Cause::Quota,
        );
        check(json!({ "message": quota, "details": [] }), Cause::Quota);
        check(
            json!({ "message": "Resource has been exhausted (e.g. check quota)." }),
            Cause::RateLimit,
        );
        check(
            json!({ "message": "Resource exhausted. Please try again later." }),
            Cause::RateLimit,
        );
    }

    #[test]
    fn a_base_url_may_have_a_version() {
        let check = |base, expect| assert_eq!(Gemini.url(base, "models/g"), expect);
        check("https://h", "https://h/v1beta/models/g:generateContent");
        check("https://h/v1", "https://h/v1/models/g:generateContent");
        check(
            "http://h/gemini",
            "http://h/gemini/v1beta/models/g:generateContent",
        );
    }
}
