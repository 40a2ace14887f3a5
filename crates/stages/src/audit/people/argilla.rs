//! Argilla's records: how criteria become names of questions there, and the scores out of them.
//!
//! `dataset.records.to_list(flatten=True)`, written as JSON, says of each answer whether it was
//! submitted, is a draft, or was discarded. `records.to_json` leaves that out: such answers are no
//! scores, and are counted.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use data_encoding::BASE32_NOPAD;
use serde_json::{Map, Value};

use super::{Read, ReportName};

/// The question about the whole report.
pub const OVERALL: &str = "overall";
/// The question for words.
pub const REMARKS: &str = "remarks";
/// The most characters that a question's name may have.
const MOST_IN_NAME: usize = 200;

/// The name of a criterion's question: as it is where Argilla takes its letters, else in base32.
/// Either way it comes back from the name alone. An error is a name too long for Argilla.
pub fn question(criterion: &str) -> Result<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    let name = if criterion.chars().all(is_plain) {
        format!("c-{criterion}")
    } else {
        format!(
            "x-{}",
            BASE32_NOPAD.encode(criterion.as_bytes()).to_lowercase()
        )
    };
    if name.len() > MOST_IN_NAME {
        bail!("the criterion's name is too long for Argilla: `{criterion}`\nhint: shorten it");
    }
    Ok(name)
}

/// The criterion of a question; none of another's.
fn criterion(question: &str) -> Option<String> {
    if let Some(plain) = question.strip_prefix("c-") {
        return Some(plain.to_owned());
    }
    let coded = question.strip_prefix("x-")?.to_uppercase();
    String::from_utf8(BASE32_NOPAD.decode(coded.as_bytes()).ok()?).ok()
}

/// Whether entries are Argilla's.
pub(super) fn are_records(entries: &[Value]) -> bool {
    let mut records = entries.iter().filter_map(Value::as_object);
    records.any(|record| {
        let mut keys = record.keys();
        record.contains_key("fields") || keys.any(|key| key.ends_with(".responses"))
    })
}

/// The scores out of records.
pub(super) fn read(records: &[Value]) -> Read {
    let mut read = Read::default();
    for (at, record) in records.iter().enumerate() {
        let place = format!("record {}", at + 1);
        let Some(record) = record.as_object() else {
            read.problems.push((place, "it is no record".to_owned()));
            continue;
        };
        let report = record.get("id").and_then(Value::as_str).unwrap_or_default();
        let answers = match record.get("responses") {
            Some(Value::Object(responses)) => nested(responses),
            _ => flat(record),
        };
        let mut left = BTreeSet::new();
        for answer in answers {
            match answer.status {
                Some("submitted") => take(&mut read, &place, report, &answer),
                // A person's answers to a record are of one state: they are counted once.
                status => drop(left.insert((answer.user, status))),
            }
        }
        for (user, status) in left {
            match status {
                Some("draft") => read.drafts += 1,
                Some("discarded") => read.discarded += 1,
                None => read.unstated += 1,
                Some(other) => {
                    let (user, other) = (user.escape_debug(), other.escape_debug());
                    let fault = format!("answers of `{user}` are in the state `{other}`");
                    read.problems.push((place.clone(), fault));
                }
            }
        }
    }
    read
}

/// An answer to a question.
struct Given<'a> {
    question: &'a str,
    value: &'a Value,
    user: &'a str,
    status: Option<&'a str>,
}

/// Answers as `to_json` writes them.
fn nested(responses: &Map<String, Value>) -> Vec<Given<'_>> {
    let answers = responses.iter().flat_map(|(question, given)| {
        let given = given.as_array().into_iter().flatten();
        given.map(move |one| Given {
            question,
            value: &one["value"],
            user: one["user_id"].as_str().unwrap_or_default(),
            status: one["status"].as_str(),
        })
    });
    answers.collect()
}

/// Answers as `to_list(flatten=True)` has them: three lists for each question.
fn flat(record: &Map<String, Value>) -> Vec<Given<'_>> {
    let mut answers = Vec::new();
    for (key, values) in record {
        let (Some(question), Some(values)) = (key.strip_suffix(".responses"), values.as_array())
        else {
            continue;
        };
        let list = |of: &str| record.get(&format!("{key}.{of}")).and_then(Value::as_array);
        let (users, statuses) = (list("users"), list("status"));
        for (at, value) in values.iter().enumerate() {
            answers.push(Given {
                question,
                value,
                user: users
                    .and_then(|list| list.get(at)?.as_str())
                    .unwrap_or_default(),
                status: statuses.and_then(|list| list.get(at)?.as_str()),
            });
        }
    }
    answers
}

fn take(read: &mut Read, place: &str, report: &str, given: &Given<'_>) {
    if given.question == REMARKS {
        read.remarks += 1;
        return;
    }
    let criterion = criterion(given.question);
    if criterion.is_none() && given.question != OVERALL {
        let name = given.question.escape_debug();
        let fault = format!("an unknown question `{name}`");
        read.problems.push((place.to_owned(), fault));
        return;
    }
    let Some(value) = given.value.as_f64() else {
        let fault = "its score is not a number".to_owned();
        read.problems.push((place.to_owned(), fault));
        return;
    };
    let report = ReportName::Report(report.to_owned());
    read.take(place.to_owned(), report, criterion, given.user, value);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_count_by_their_state() {
        let flat = json!([{
            "id": "d_1", "status": "completed", "_server_id": null, "task": "…",
            "overall.responses": [7, 8, 9, 1],
            "overall.responses.users": ["u1", "u2", "u3", "u4"],
            "overall.responses.status": ["submitted", "draft", "discarded", "lost"],
            "c-depth.responses": [3, 2],
            "c-depth.responses.users": ["u1", "u2"],
            "c-depth.responses.status": ["submitted", "draft"],
            "x-42.responses": null,
            "remarks.responses": ["fine"],
            "remarks.responses.users": ["u1"],
            "remarks.responses.status": ["submitted"],
            "other.responses": [1],
            "other.responses.users": ["u1"],
            "other.responses.status": ["submitted"],
        }]);
        let entries = flat.as_array().expect("a list");
        assert!(are_records(entries));
        let read = read(entries);
        let scores = read
            .scores
            .iter()
            .map(|s| (s.criterion.as_deref(), s.value));
        assert_eq!(
            scores.collect::<Vec<_>>(),
            [(None, 7.0), (Some("depth"), 3.0)]
        );
        assert_eq!(
            (read.drafts, read.discarded, read.unstated, read.remarks),
            (1, 1, 0, 1)
        );
        // The unknown question and the unknown state.
        assert_eq!(read.problems.len(), 2, "{:?}", read.problems);
    }

    #[test]
    fn answers_without_a_state_are_counted_and_are_no_scores() {
        let nested = json!([{
            "id": "d_1", "fields": {},
            "responses": {
                "overall": [{ "value": 11, "user_id": "u1" }, { "value": 5, "user_id": "u2" }]
            },
        }]);
        let entries = nested.as_array().expect("a list");
        assert!(are_records(entries));
        let read = read(entries);
        assert_eq!(
            (read.scores.len(), read.unstated, read.problems.len()),
            (0, 2, 0)
        );
    }

    #[test]
    fn names_of_criteria_come_back() {
        for name in [
            "depth",
            "z/0",
            "来源 & \"quotes\"",
            "overall",
            "c-",
            "Depth",
        ] {
            let question = question(name).expect("a name");
            let is_taken =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
            assert!(question.chars().all(is_taken), "{question}");
            assert_eq!(criterion(&question).as_deref(), Some(name));
        }
        assert_eq!(criterion(OVERALL), None);
    }
}
