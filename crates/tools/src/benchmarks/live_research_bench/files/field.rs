//! Ids of queries, and the fields of the benchmark's files.

use serde::{Serialize, Serializer};
use serde_json::Value;

pub(super) use crate::benchmarks::fields::record;
pub use crate::benchmarks::fields::{Fault, Field, FieldPath, Named, Object, Shape, excerpt};

/// Id of a query, which some files write as a number and some with the prefix `qid_`.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryId(Value);

impl QueryId {
    /// An id as it stands.
    pub fn new(id: &str) -> Self {
        Self(Value::String(id.to_owned()))
    }

    /// The id without its prefix, by which queries are looked up.
    pub fn bare(&self) -> String {
        match &self.0 {
            Value::String(id) => bare_id(id).to_owned(),
            other => other.to_string(),
        }
    }
}

impl Serialize for QueryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Shape for QueryId {
    const KIND: &'static str = "an id: a text or a number";

    fn from_json(value: Value) -> Result<Self, Value> {
        match &value {
            Value::String(id) if bare_id(id).is_empty() => Err(value),
            Value::String(_) | Value::Number(_) => Ok(Self(value)),
            _ => Err(value),
        }
    }
}

/// An id of a query without the prefix `qid_` and without space around it.
pub fn bare_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix("qid_").unwrap_or(id)
}
