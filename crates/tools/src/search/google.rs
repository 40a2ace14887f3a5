//! Google's Custom Search JSON API: a GET with key and engine in the query, results in `items` (its
//! reference, "Method: cse.list").

use serde_json::Value;

use super::{
    RESULTS, SearchResult, reply,
    request::{Question, Request},
};

pub(super) fn request(question: &Question<'_>) -> Request {
    let mut query = vec![
        ("cx", question.engine_id.unwrap_or_default().to_owned()),
        ("q", question.query.to_owned()),
        ("num", RESULTS.to_string()),
    ];
    query.extend(question.key.map(|key| ("key", key.to_owned())));
    Request {
        path: "/customsearch/v1",
        query,
        ..Request::default()
    }
}

pub(super) fn results(reply: &Value) -> Result<Vec<SearchResult>, String> {
    match reply.get("items") {
        Some(list) => reply::results(list, ["link", "title", "snippet"]),
        // Without results the list is left out.
        None if reply["kind"] == "customsearch#search" => Ok(Vec::new()),
        None => Err("it holds no `items`".to_owned()),
    }
}
