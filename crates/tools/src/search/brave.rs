//! Brave's Web Search API: a GET with the key in a header, results in `web.results` (its
//! documentation, "Web Search API": query parameters, request headers and responses).

use serde_json::Value;

use super::{
    RESULTS, SearchResult, reply,
    request::{Question, Request},
};

pub(super) fn request(question: &Question<'_>) -> Request {
    Request {
        path: "/res/v1/web/search",
        query: vec![
            ("q", question.query.to_owned()),
            ("count", RESULTS.to_string()),
            ("result_filter", "web".to_owned()),
            // Otherwise the words of the query stand in tags.
            ("text_decorations", "false".to_owned()),
        ],
        header: question
            .key
            .map(|key| ("x-subscription-token", key.to_owned())),
        ..Request::default()
    }
}

pub(super) fn results(reply: &Value) -> Result<Vec<SearchResult>, String> {
    match reply.pointer("/web/results") {
        Some(list) => reply::results(list, ["url", "title", "description"]),
        // Where nothing is found, the part of the reply that would hold it is left out.
        None if reply["type"] == "search" => Ok(Vec::new()),
        None => Err("it holds no `web.results`".to_owned()),
    }
}
