//! Tasks, `ga_100.json`, and the statements of gold articles.

use serde_json::Value;

use super::{Content, Fault, Field, FieldPath, Object, Shape};
use crate::benchmarks::fields::record;

/// The tasks of a benchmark.
pub type Tasks = Vec<Field<Box<Task>>>;

record! {
    /// Task: write the article of a title.
    Task {
        /// Number in the benchmark.
        id: Value,
        /// Title of the article, its spaces as underscores.
        title: String,
        /// Address of the gold article, which no report may use.
        url: String,
        /// Prompt with the whole rubric.
        question: String,
    }
}

impl Content for Tasks {
    const NEEDED: &'static [&'static str] = &[];
}

/// The statements of a gold article.
pub type GoldStatements = Vec<Field<GoldStatement>>;

impl Content for GoldStatements {
    const NEEDED: &'static [&'static str] = &[];
}

/// Statement of a gold article: an object, or the bare text.
#[derive(Clone, Debug, PartialEq)]
pub enum GoldStatement {
    /// The bare text.
    Text(String),
    /// An object with the field `statement` or `fact`.
    Fields(Object),
}

impl GoldStatement {
    /// A statement as the benchmark writes it.
    pub fn new(text: &str) -> Self {
        let mut fields = Object::new();
        fields.insert("statement".to_owned(), text.into());
        Self::Fields(fields)
    }

    /// The text: `fact`, else `statement`.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Fields(fields) => ["fact", "statement"]
                .iter()
                .find_map(|name| fields.get(*name)?.as_str()),
        }
    }
}

impl serde::Serialize for GoldStatement {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Fields(fields) => fields.serialize(serializer),
        }
    }
}

impl Shape for GoldStatement {
    const KIND: &'static str = "an object with a text in `statement`";

    fn from_json(value: Value) -> Result<Self, Value> {
        let read = match value {
            Value::String(text) => Self::Text(text),
            Value::Object(fields) => Self::Fields(fields),
            other => return Err(other),
        };
        match (read.text().is_some(), read) {
            (false, Self::Fields(fields)) => Err(Value::Object(fields)),
            (_, read) => Ok(read),
        }
    }
}
