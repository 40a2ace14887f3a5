//! The gold article of a task: what a good answer looks like, written by people.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TaskId;

/// A gold article. Its text never changes; a later edition is another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldArticle {
    /// The task.
    pub task: TaskId,
    /// Title.
    pub title: String,
    /// Address of the page that it is from; an answer must not rest on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Markdown.
    pub text: String,
    /// Its statements as the benchmark lists them, in order; empty where it lists none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<String>,
    /// What the benchmark's table says of the page, by column: views, bytes, when it was created.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}
