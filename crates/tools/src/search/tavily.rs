//! Tavily's search: a POST with the key as a bearer's token, results in `results` (its API
//! reference, "Tavily Search").

use serde_json::{Value, json};

use super::{
    RESULTS, SearchResult, reply,
    request::{Question, Request},
};

pub(super) fn request(question: &Question<'_>) -> Request {
    Request {
        path: "/search",
        header: question
            .key
            .map(|key| ("authorization", format!("Bearer {key}"))),
        body: Some(json!({ "query": question.query, "max_results": RESULTS })),
        ..Request::default()
    }
}

pub(super) fn results(reply: &Value) -> Result<Vec<SearchResult>, String> {
    let list = reply.get("results").ok_or("it holds no `results`")?;
    reply::results(list, ["url", "title", "content"])
}
