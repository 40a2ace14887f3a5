//! The steps of a response: which of its items are searches and opened pages, and which of them are
//! charged as a search.

use serde_json::Value;

use super::parts::{cut, items, source};
use crate::data::{Source, Step, StepKind, trajectory::LONGEST_TEXT};

/// A step, and whether it is charged as a search.
pub(super) struct Told {
    pub step: Step,
    pub is_charged: bool,
}

/// The steps of a response in its order, and at the end its tokens with those of its thoughts.
pub(super) fn steps(body: &Value) -> Vec<Told> {
    let mut told: Vec<Told> = items(&body["output"]).iter().flat_map(of_item).collect();
    let usage = &body["usage"];
    let thoughts = usage["output_tokens_details"]["reasoning_tokens"].as_u64();
    if thoughts.is_some_and(|thoughts| thoughts > 0) {
        told.push(free(Step {
            input_tokens: usage["input_tokens"].as_u64(),
            output_tokens: usage["output_tokens"].as_u64(),
            reasoning_tokens: thoughts,
            ..Step::new(StepKind::Usage)
        }));
    }
    told
}

fn of_item(item: &Value) -> Vec<Told> {
    let kind = item["type"].as_str().unwrap_or_default();
    let failed = item["status"] == "failed" || !item["error"].is_null();
    match kind {
        "web_search_call" => vec![of_call(&item["action"], failed)],
        "search_results" => {
            let mut step = Step::search(texts(&item["queries"]));
            step.found = pages(&item["results"]);
            let is_charged = true;
            vec![Told { step, is_charged }]
        }
        "fetch_url_results" => items(&item["contents"])
            .iter()
            .filter_map(|page| Some(free(visit(page["url"].as_str()?, page["title"].as_str()))))
            .collect(),
        "file_search_call" => {
            let mut step = Step::search(texts(&item["queries"]));
            step.failed = failed;
            vec![free(step)]
        }
        "custom_tool_call" => vec![of_custom(item, failed)],
        "" | "message" | "reasoning" => Vec::new(),
        // Another tool: code, a server of tools, a picture.
        _ => {
            let name = item["name"].as_str().unwrap_or(kind);
            let mut step = Step::note(&cut(name, LONGEST_TEXT));
            step.failed = failed;
            vec![free(step)]
        }
    }
}

/// A call of the search tool: it searches, opens a page, or looks for words in one.
fn of_call(action: &Value, failed: bool) -> Told {
    let url = action["url"].as_str();
    let mut step = match (action["type"].as_str(), url) {
        (Some("open_page"), Some(url)) => visit(url, None),
        (Some("open_page"), None) => Step::new(StepKind::Visit),
        (Some("find_in_page" | "find"), url) => Step {
            queries: action["pattern"].as_str().map(short).into_iter().collect(),
            url: url.map(short),
            ..Step::new(StepKind::Find)
        },
        _ => {
            let mut queries = texts(&action["queries"]);
            if queries.is_empty() {
                queries.extend(action["query"].as_str().map(short));
            }
            let mut step = Step::search(queries);
            step.found = pages(&action["sources"]);
            step
        }
    };
    step.failed = failed;
    let is_charged = step.kind == StepKind::Search && !failed;
    Told { step, is_charged }
}

/// A tool of xAI, whose input is JSON in a text: searches of X have names of their own.
fn of_custom(item: &Value, failed: bool) -> Told {
    let name = item["name"].as_str().unwrap_or_default();
    let input: Value = match &item["input"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    let query = input["query"].as_str().map(short);
    let is_search = query.is_some() || name.contains("search");
    let mut step = if is_search {
        Step::search(query.into_iter().collect())
    } else {
        Step::note(&cut(name, LONGEST_TEXT))
    };
    step.failed = failed;
    let is_charged = is_search && !failed;
    Told { step, is_charged }
}

fn free(step: Step) -> Told {
    Told {
        step,
        is_charged: false,
    }
}

fn visit(url: &str, title: Option<&str>) -> Step {
    Step::visit(&short(url), title.map(short).as_deref())
}

fn short(text: &str) -> String {
    cut(text, LONGEST_TEXT)
}

fn texts(list: &Value) -> Vec<String> {
    let texts = items(list).iter().filter_map(Value::as_str);
    texts.map(short).collect()
}

/// Pages that a search found.
pub(super) fn pages(list: &Value) -> Vec<Source> {
    items(list)
        .iter()
        .filter_map(|page| source(&page["url"], &page["title"]))
        .collect()
}
