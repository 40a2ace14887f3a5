//! Schemas of replies.

use serde_json::{Value, json};

/// The schema of an object that has just these properties, each of them required.
pub fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
