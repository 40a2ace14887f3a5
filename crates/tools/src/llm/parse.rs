//! A reply's text → one typed value, or why it is none. Nothing is guessed, clamped or defaulted.
//! The model's thinking and code fences are taken off; two different values are none.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::strict::{Strict, is_twice};
use crate::data::{Cause, Unscored};

/// The shape of an answer: an object that denies unknown fields. Its doc comments are part of the
/// schema that the model reads.
pub trait Answer: DeserializeOwned + JsonSchema {
    /// What serde cannot say.
    fn validate(&self) -> Result<(), Unscored> {
        Ok(())
    }
}

/// How many times as long as its schema says a text may be. What a model writes a little too long
/// is not lost for that; what is out of all proportion was not written for the question.
const MOST_TIMES_TOO_LONG: usize = 4;

/// The one value in `text`, checked; `schema` is the one that the model was shown.
pub fn parse<T: Answer>(
    text: &str,
    schema: &Value,
    check: &(dyn Fn(&T) -> Result<(), Unscored> + Sync),
) -> Result<T, Unscored> {
    let value = single(text)?;
    // A list of the fields' values, in their order, would pass for an object.
    if !value.is_object() {
        return Err(unscored(
            Cause::WrongShape,
            "an object was asked for, a list came",
        ));
    }
    if let Some((place, most)) = too_long(&value, schema) {
        let reason = format!("at `{place}`: far longer than {most} characters");
        return Err(unscored(Cause::WrongShape, reason));
    }
    let answer: T = serde_path_to_error::deserialize(&value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." {
            String::new()
        } else {
            format!("at `{path}`: ")
        };
        unscored(Cause::WrongShape, format!("{place}{}", error.inner()))
    })?;
    answer.validate()?;
    check(&answer)?;
    Ok(answer)
}

/// The first text that is out of all proportion to its schema: its place, and the schema's limit.
fn too_long(value: &Value, schema: &Value) -> Option<(String, u64)> {
    match value {
        Value::String(text) => {
            let most = schema["maxLength"].as_u64()?;
            let allowed = (most as usize).saturating_mul(MOST_TIMES_TOO_LONG);
            (text.chars().count() > allowed).then_some((String::new(), most))
        }
        Value::Array(items) => (0..).zip(items).find_map(|(number, item)| {
            within(&number.to_string(), too_long(item, &schema["items"]))
        }),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            within(name, too_long(field, &schema["properties"][name.as_str()]))
        }),
        _ => None,
    }
}

/// The place of what was found, seen from outside.
fn within(name: &str, found: Option<(String, u64)>) -> Option<(String, u64)> {
    let (place, most) = found?;
    let place = if place.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{place}")
    };
    Some((place, most))
}

/// The text without thinking in front.
pub(super) fn without_thinking(text: &str) -> &str {
    let mut rest = text.trim();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if let Some(thought) = rest.strip_prefix(open) {
            // Thinking that never ends leaves no reply.
            rest = thought
                .split_once(close)
                .map_or("", |(_, after)| after)
                .trim();
        } else if let Some((before, after)) = rest.split_once(close)
            && !before.contains(['{', '['])
        {
            // Some servers swallow the opening tag.
            rest = after.trim();
        }
    }
    rest
}

/// A failed start may cost the whole rest of a text. All of them together may cost this many times
/// its length: prose with brackets stays far below, and a reply made of brackets ends there.
const MOST_PASSES: usize = 8;

/// Exactly one JSON object or list; the same one twice counts once. Linear in the length of the
/// text, whatever it holds.
fn single(text: &str) -> Result<Value, Unscored> {
    let text = without_thinking(text);
    match serde_json::from_str::<Strict>(text) {
        Ok(Strict(value)) => return Ok(value),
        Err(error) if is_twice(&error) => {
            return Err(unscored(Cause::TwoVerdicts, error.to_string()));
        }
        Err(_) => {}
    }
    let mut found: Option<Value> = None;
    let mut first_error = None;
    let (mut at, mut wasted) = (0, 0);
    while let Some(offset) = text[at..].find(['{', '[']) {
        at += offset;
        if wasted > MOST_PASSES * text.len() {
            return Err(not_json("too many brackets that begin nothing", text));
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Strict>();
        match values.next() {
            Some(Ok(Strict(value))) => {
                at += values.byte_offset();
                // Prose has brackets, too: a list such as `[1]` in a sentence is no answer beside
                // an object.
                match &found {
                    Some(known) if *known == value => {}
                    Some(known) if known.is_object() && !value.is_object() => {}
                    Some(known) if known.is_object() || !value.is_object() => {
                        return Err(unscored(
                            Cause::TwoVerdicts,
                            "two different JSON values came",
                        ));
                    }
                    _ => found = Some(value),
                }
            }
            Some(Err(error)) if is_twice(&error) => {
                return Err(unscored(Cause::TwoVerdicts, error.to_string()));
            }
            // What begins like an answer and breaks off is no place to look for smaller answers
            // inside.
            Some(Err(error)) if error.is_eof() || begins_like_json(&text[at..]) => {
                return Err(not_json(&error.to_string(), text));
            }
            Some(Err(error)) => {
                wasted += read_before(&error, &text[at..]);
                first_error.get_or_insert(error);
                at += 1;
            }
            None => break,
        }
    }
    found.ok_or_else(|| {
        let why = first_error.map_or_else(
            || "no JSON value in it".to_owned(),
            |error| error.to_string(),
        );
        not_json(&why, text)
    })
}

/// The bytes that were read before an error.
fn read_before(error: &serde_json::Error, text: &str) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

fn begins_like_json(text: &str) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_start();
    if text.starts_with('{') {
        inside.starts_with('"')
    } else {
        inside.starts_with('{')
    }
}

fn not_json(why: &str, text: &str) -> Unscored {
    unscored(
        Cause::NotJson,
        format!("{why}; the reply begins: `{}`", beginning(text)),
    )
}

/// The first words of a text, for messages.
pub(super) fn beginning(text: &str) -> String {
    let mut start: String = text.chars().take(80).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

fn unscored(cause: Cause, reason: impl Into<String>) -> Unscored {
    Unscored {
        cause,
        reason: reason.into(),
    }
}

/// The schema of `T`, closed: every field is wanted and no other is allowed, as servers' strict
/// modes ask.
pub fn schema_of<T: Answer>() -> Value {
    // The doc comments of `T` are its descriptions: a changed comment makes another request, and
    // the reply on record is not found any more.
    let mut schema = schemars::SchemaGenerator::default()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.shift_remove("$schema");
    }
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // Names of Rust's number types are no formats that others know.
            if fields.get("type").is_some_and(|of| of != "string") {
                fields.shift_remove("format");
            }
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let names: Vec<Value> = properties.keys().cloned().map(Value::String).collect();
                fields.insert("required".into(), Value::Array(names));
                fields.insert("additionalProperties".into(), Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    struct Pick {
        winner: String,
        score: u8,
    }

    impl Answer for Pick {
        fn validate(&self) -> Result<(), Unscored> {
            if self.score > 5 {
                Err(unscored(Cause::OutOfRange, "score above 5"))
            } else {
                Ok(())
            }
        }
    }

    fn check(text: &str, expect: Result<&str, Cause>) {
        let got = parse::<Pick>(text, &schema_of::<Pick>(), &|_| Ok(()));
        let got = got.as_ref().map(|p| p.winner.as_str()).map_err(|u| u.cause);
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn one_value_and_only_one() {
        check(r#"{"winner":"A","score":3}"#, Ok("A"));
        check("```json\n{\"winner\":\"B\",\"score\":1}\n```", Ok("B"));
        check(
            r#"<think>{"winner":"B","score":1}</think>{"winner":"A","score":3}"#,
            Ok("A"),
        );
        check(r#"perhaps B</think>{"winner":"A","score":3}"#, Ok("A"));
        check(
            r#"As [1] and {others} say: {"winner":"A","score":3} [2]"#,
            Ok("A"),
        );
        check(
            r#"{"why":NaN,"said":{"winner":"A","score":3}}"#,
            Err(Cause::NotJson),
        );
        check(r#"{"why":{"winner":"A","score":3}"#, Err(Cause::NotJson));
        check(
            r#"{"winner":"A","score":3} {"winner":"A","score":3}"#,
            Ok("A"),
        );
        check(
            r#"{"winner":"A","score":3} or {"winner":"B","score":3}"#,
            Err(Cause::TwoVerdicts),
        );
        check(r#"{"winner":"A","score":3"#, Err(Cause::NotJson));
        check("I cannot say.", Err(Cause::NotJson));
        check("", Err(Cause::NotJson));
        check("<think>never ends", Err(Cause::NotJson));
        check(
            r#"{"winner":"A","score":3,"winner":"B"}"#,
            Err(Cause::TwoVerdicts),
        );
        check(
            r#"I say {"winner":"A","score":3,"winner":"B"}"#,
            Err(Cause::TwoVerdicts),
        );
        check(r#"{"winner":"A"}"#, Err(Cause::WrongShape));
        check(r#"{"winner":"A","score":9}"#, Err(Cause::OutOfRange));
        check(r#"{"winner":"A","score":NaN}"#, Err(Cause::NotJson));
    }

    /// What is read for nothing is a few times the text, and not its square.
    #[test]
    fn a_reply_of_brackets_is_given_up() {
        let reason = |text: &str| {
            let error =
                parse::<Pick>(text, &schema_of::<Pick>(), &|_| Ok(())).expect_err("no value");
            assert_eq!(error.cause, Cause::NotJson);
            error.reason
        };
        let given_up = "too many brackets that begin nothing";
        for text in ["[", "{", "[[1,x] ", "[\n\n\"a\"", "{x} [x "] {
            let text = text.repeat(200_000);
            let reason = reason(&text);
            assert!(reason.len() < 400, "{reason}");
        }
        assert!(reason(&"[".repeat(100_000)).contains(given_up));
        assert!(reason(&format!("{}x", "[\"a\",".repeat(1_000))).contains(given_up));
        // A long answer among brackets of prose is found all the same.
        let prose = "as [1] and {Lee} say, ".repeat(10_000);
        check(&format!("{prose}{{\"winner\":\"A\",\"score\":3}}"), Ok("A"));
    }

    #[test]
    fn the_message_names_the_place() {
        let error = parse::<Pick>(r#"{"winner":7,"score":1}"#, &schema_of::<Pick>(), &|_| {
            Ok(())
        })
        .expect_err("7 is no text");
        assert_eq!(
            error.reason,
            "at `winner`: invalid type: integer `7`, expected a string"
        );
    }

    #[test]
    fn a_text_out_of_all_proportion_to_its_schema_is_no_answer() {
        let schema = serde_json::json!({ "properties": { "winner": { "maxLength": 10 } } });
        let read = |length: usize| {
            let text = format!(r#"{{"winner":"{}","score":1}}"#, "字".repeat(length));
            parse::<Pick>(&text, &schema, &|_| Ok(()))
        };
        assert!(read(40).is_ok());
        let error = read(41).expect_err("too long");
        assert_eq!(
            (error.cause, error.reason.as_str()),
            (
                Cause::WrongShape,
                "at `winner`: far longer than 10 characters"
            )
        );
        let nested = serde_json::json!({ "properties": { "l": { "items": { "maxLength": 1 } } } });
        let value = serde_json::json!({ "l": ["a", "aaaaa"] });
        assert_eq!(too_long(&value, &nested), Some(("l.1".to_owned(), 1)));
    }
}
