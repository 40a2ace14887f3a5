//! A request, before any provider is asked.

use serde_json::Value;

/// What a request is made of.
pub(super) struct Question<'a> {
    pub query: &'a str,
    pub key: Option<&'a str>,
    pub engine_id: Option<&'a str>,
}

/// A request as a provider wants it.
#[derive(Default)]
pub(super) struct Request {
    /// Behind the server's address.
    pub path: &'static str,
    pub query: Vec<(&'static str, String)>,
    /// Name and value; the value may hold the key.
    pub header: Option<(&'static str, String)>,
    /// Sent by POST; without one it is a GET.
    pub body: Option<Value>,
}
