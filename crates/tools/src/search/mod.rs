//! Here is a query: which pages does a search engine find? Hides each provider's request and reply,
//! its key, the patience with a busy server, and the record: a search that was answered is never
//! sent again.

mod brave;
mod client;
mod error;
mod google;
mod local;
mod remote;
mod reply;
mod request;
mod serpapi;
mod tavily;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use client::{SearchOptions, Searched, Searcher};
pub use error::SearchError;
pub use remote::SearchKey;

/// Results that a search asks for, and that are kept at most.
pub const RESULTS: usize = 10;

/// A page that a search found, by what the search engine says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    /// Its address, an absolute one of http or https.
    pub url: String,
    /// Its title, on one line; may be empty.
    pub title: String,
    /// Some words of it, on one line; may be empty.
    pub snippet: String,
}

/// A search engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchProvider {
    /// SerpAPI, or a server that answers as it does: results of Google.
    Serpapi,
    /// Brave Search.
    Brave,
    /// Tavily.
    Tavily,
    /// Google's Programmable Search Engine, by its Custom Search JSON API.
    Google,
    /// A file of JSON lines on this machine, searched by words.
    Local,
}

impl SearchProvider {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Serpapi,
        Self::Brave,
        Self::Tavily,
        Self::Google,
        Self::Local,
    ];

    /// The word in the configuration and on record.
    pub fn word(self) -> &'static str {
        match self {
            Self::Serpapi => "serpapi",
            Self::Brave => "brave",
            Self::Tavily => "tavily",
            Self::Google => "google",
            Self::Local => "local",
        }
    }

    /// The public server; none of a file.
    pub fn server(self) -> Option<&'static str> {
        match self {
            Self::Serpapi => Some("https://serpapi.com"),
            Self::Brave => Some("https://api.search.brave.com"),
            Self::Tavily => Some("https://api.tavily.com"),
            Self::Google => Some("https://www.googleapis.com"),
            Self::Local => None,
        }
    }

    /// The environment variable that usually holds the key; none where no key is needed.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Serpapi => Some("SERPAPI_API_KEY"),
            Self::Brave => Some("BRAVE_SEARCH_API_KEY"),
            Self::Tavily => Some("TAVILY_API_KEY"),
            Self::Google => Some("GOOGLE_SEARCH_API_KEY"),
            Self::Local => None,
        }
    }
}
