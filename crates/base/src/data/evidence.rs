//! Evidence for judging reports (pages, key points), and the judgements on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KeyPointId, TaskId};

/// The outcome of fetching a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// The URL as it was asked for.
    pub url: String,
    /// Where redirects ended.
    pub final_url: Option<String>,
    /// When, RFC 3339.
    pub fetched: String,
    /// The last answer's status.
    pub status: Option<u16>,
    /// Why there is no page to read, one word: no response, or a response that is not a page.
    pub cause: Option<String>,
    /// The same for people.
    pub message: Option<String>,
    /// Whether another attempt may succeed.
    pub transient: bool,
    /// The media type that the server named, with its charset.
    pub content_type: Option<String>,
    /// Hash of the bytes, if some came.
    pub content: Option<String>,
    /// The version of the detection that decided whether the bytes are a page; another version may
    /// decide otherwise. None where nothing came, and where it was decided before versions were
    /// noted.
    pub decided_by: Option<String>,
    /// The fetcher: `taskgen`, or `jina`.
    pub fetcher: String,
}

/// Something that a page says about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPoint {
    /// Content hash.
    pub id: KeyPointId,
    /// The task that it bears on.
    pub task: TaskId,
    /// Hash of the page's bytes.
    pub source: String,
    /// The point in one sentence.
    pub text: String,
    /// Verbatim spans of the page that say so.
    pub spans: Vec<String>,
    /// Whether a span was found in the page's text.
    pub verified: bool,
}

/// How a report relates to a key point (KAE).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Relation {
    /// It says the same.
    Supports,
    /// It says a true part of it and leaves its main claim open; the paper has no such answer.
    Partly,
    /// It does not speak of it.
    Omits,
    /// It says otherwise.
    Contradicts,
}

impl Relation {
    /// The word that is stored and that judges use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Supports => "SUPPORTS",
            Self::Partly => "PARTLY",
            Self::Omits => "OMITS",
            Self::Contradicts => "CONTRADICTS",
        }
    }
}

/// How a report relates to a key point, with the judge's reasons (KAE).
#[derive(Clone, Debug, PartialEq)]
pub struct RelationJudgement {
    /// How they relate.
    pub relation: Relation,
    /// How sure the judge is, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// The aspects of the point that the report covers.
    pub key_aspects: Vec<String>,
    /// The number of the report's sentence that decides, from 1, where one was named.
    pub sentence: Option<usize>,
}

/// A judge's rating by one criterion of a checklist (ACE).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rating {
    /// 0 to 10.
    pub rating: u8,
    /// Why.
    pub justification: String,
}
