//! SerpAPI's Google engine: a GET with the key in the query, results in `organic_results` (its
//! documentation, "Google Search Engine Results API" and "Search Errors").

use serde_json::Value;

use super::{
    RESULTS, SearchResult, reply,
    request::{Question, Request},
};

/// The words with which a search without results is told, under the status 200.
const NOTHING: &str = "hasn't returned any results";

pub(super) fn request(question: &Question<'_>) -> Request {
    let mut query = vec![
        ("engine", "google".to_owned()),
        ("q", question.query.to_owned()),
        ("num", RESULTS.to_string()),
    ];
    query.extend(question.key.map(|key| ("api_key", key.to_owned())));
    Request {
        path: "/search.json",
        query,
        ..Request::default()
    }
}

pub(super) fn results(reply: &Value) -> Result<Vec<SearchResult>, String> {
    if let Some(list) = reply.get("organic_results") {
        return reply::results(list, ["link", "title", "snippet"]);
    }
    let state = reply["search_information"]["organic_results_state"].as_str();
    let error = reply["error"].as_str().unwrap_or_default();
    if error.contains(NOTHING) || state.is_some_and(|state| state.contains("empty")) {
        return Ok(Vec::new());
    }
    Err(match error {
        "" => "it holds no `organic_results`".to_owned(),
        said => format!("it says `{}`", super::error::quoted(said)),
    })
}
