//! JSON as other programs read it: one value a line, or one value a file.

use anyhow::Result;
use serde::Serialize;

use crate::text::invisible::escaped_in_json;

/// One value a line.
pub fn jsonl<T: Serialize>(rows: impl IntoIterator<Item = T>) -> Result<String> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&escaped_in_json(&serde_json::to_string(&row)?));
        text.push('\n');
    }
    Ok(text)
}

/// One value for people to read, too.
pub fn json(value: &impl Serialize) -> Result<String> {
    Ok(escaped_in_json(&serde_json::to_string_pretty(value)?) + "\n")
}
