//! Replies of the API: an error, warnings, where the list goes on, and what was asked for.

use std::time::Duration;

use serde_json::{Map, Value};

use super::error::{ApiError, Failed, quoted};
use crate::http::Again;

/// Codes with which a wiki asks to come again later.
const BUSY: &[&str] = &["maxlag", "ratelimited", "readonly"];

/// A reply without an error.
#[derive(Clone, Debug)]
pub struct Reply {
    /// All fields.
    pub fields: Map<String, Value>,
}

/// The reply in a body; `asked` is the pause that the server asks for.
pub(super) fn read(body: &[u8], asked: Option<Duration>) -> Result<Reply, Failed> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
        // The start alone: a page of a proxy may be long.
        let start = quoted(&String::from_utf8_lossy(&body[..body.len().min(1_000)]));
        return Err(ApiError::NotJson { start }.into());
    };
    match fields.get("error") {
        Some(error) => Err(refusal(error, asked)),
        None => Ok(Reply { fields }),
    }
}

fn refusal(error: &Value, asked: Option<Duration>) -> Failed {
    let text = |key: &str| quoted(error[key].as_str().unwrap_or_default());
    let (code, info) = (text("code"), text("info"));
    // The wiki's own faults begin so; the same request may be answered the next time.
    let is_fault = code.starts_with("internal_api_error");
    if BUSY.contains(&code.as_str()) {
        let what = format!("{code}: {info}");
        Failed {
            error: ApiError::Busy { what },
            again: asked.map_or(Again::Later, Again::After),
        }
    } else {
        Failed {
            error: ApiError::Refused { code, info },
            again: if is_fault { Again::Later } else { Again::Never },
        }
    }
}

impl Reply {
    /// A list in `query`; absent where the wiki found nothing.
    pub fn list(&self, name: &str) -> &[Value] {
        let found = self.fields.get("query").and_then(|query| query.get(name));
        found.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The parameters of the next request for the rest of a list.
    pub fn next(&self) -> Option<&Map<String, Value>> {
        self.fields.get("continue")?.as_object()
    }

    /// What the API warns of, a line each.
    pub fn warnings(&self) -> Vec<String> {
        let modules = self.fields.get("warnings").and_then(Value::as_object);
        let modules = modules.into_iter().flatten();
        let lines = modules.flat_map(|(module, warning)| {
            let text = warning["warnings"].as_str().unwrap_or_default();
            text.lines()
                .map(move |line| format!("{}: {}", quoted(module), quoted(line)))
        });
        lines.collect()
    }
}
