//! Fields of a request that several dialects write: the key, lists and texts where there are any,
//! and Perplexity's filters, which two protocols of it take.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{SearchSettings, research::day};

/// The key as most servers take it, and as Azure does.
pub(super) fn bearer(url: &Url, key: Option<&str>) -> Vec<(&'static str, String)> {
    let of_azure = url
        .host_str()
        .is_some_and(|host| host.ends_with(".azure.com"))
        || url.query_pairs().any(|(name, _)| name == "api-version");
    match key {
        Some(key) if of_azure => vec![("api-key", key.to_owned())],
        Some(key) => vec![("authorization", format!("Bearer {key}"))],
        None => Vec::new(),
    }
}

pub(super) fn put_list(fields: &mut Map<String, Value>, name: &str, list: &[String]) {
    if !list.is_empty() {
        fields.insert(name.to_owned(), json!(list));
    }
}

pub(super) fn put_text(fields: &mut Map<String, Value>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        fields.insert(name.to_owned(), text.into());
    }
}

pub(super) fn put_filters(tool: &mut Map<String, Value>, filters: Map<String, Value>) {
    if !filters.is_empty() {
        tool.insert("filters".into(), Value::Object(filters));
    }
}

/// Where and when what Perplexity finds must be from.
pub(super) fn perplexity_filters(search: &SearchSettings) -> Map<String, Value> {
    let mut filters = Map::new();
    let without = search.without_domains.iter().map(|name| format!("-{name}"));
    let domains: Vec<String> = search.domains.iter().cloned().chain(without).collect();
    put_list(&mut filters, "search_domain_filter", &domains);
    put_list(&mut filters, "search_language_filter", &search.languages);
    if let Some(recency) = search.recency {
        filters.insert("search_recency_filter".into(), json!(recency));
    }
    for (name, text) in [
        ("search_after_date_filter", &search.after),
        ("search_before_date_filter", &search.before),
    ] {
        put_text(&mut filters, name, american(text.as_deref()).as_deref());
    }
    filters
}

/// A day as `MM/DD/YYYY`.
fn american(text: Option<&str>) -> Option<String> {
    day(text?).map(|day| day.strftime("%m/%d/%Y").to_string())
}
