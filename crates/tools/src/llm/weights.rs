//! How log-probabilities of offered answers stand on record: a JSON object of those that the model
//! gave, or null where it gave none.

use serde_json::{Map, Value};

/// The reply of a model that weighed every answer or none, as it is on record.
pub(super) fn on_record(offered: &[String], weights: Option<&[f64]>) -> String {
    let found = weights.map(|weights| offered.iter().map(String::as_str).zip(weights.to_vec()));
    found.map_or_else(none_on_record, found_on_record)
}

/// The log-probabilities of those offered answers for which the server has one.
pub(super) fn found_on_record<'a>(found: impl Iterator<Item = (&'a str, f64)>) -> String {
    let found: Map<String, Value> = found
        .map(|(answer, weight)| (answer.to_owned(), weight.into()))
        .collect();
    Value::Object(found).to_string()
}

/// A reply without any log-probabilities.
pub(super) fn none_on_record() -> String {
    Value::Null.to_string()
}
