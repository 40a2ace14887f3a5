//! What a call is on record: everything that can change its reply, as canonical JSON, whose hash is
//! the call's key. Also how far two such records are apart, for a replay that misses one.

use anyhow::Result;
use serde_json::{Value, json};

use super::{ChatModel, ChatRequest};
use crate::store::Store;

/// Most records that are compared with the one that is missing.
const LOOKED_AT: usize = 2000;
/// Characters of a text that are shown where two texts part.
const SHOWN: usize = 40;
/// Tokens that the pages of a search may add to a prompt; of eight searches, what a large context
/// holds.
const FOUND_TOKENS: u64 = 25_000;
/// A chat template spends about this many tokens on a message at the most.
const TEMPLATE_TOKENS: u64 = 32;

/// All that can change the reply. Its fields have a fixed order; the schema keeps its own, because
/// a model writes the fields in that order. `sample` and `resample` tell apart answers to one
/// question: the caller's number, and the user's.
pub fn request(
    model: &dyn ChatModel,
    request: &ChatRequest,
    (sample, resample): (u32, u32),
) -> Value {
    let mut record = json!({
        "model": model.name(),
        "base_url": model.base_url(),
        "weights": model.weights(),
        "messages": request.messages,
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "sample": sample,
    });
    // Left out where nothing is searched for, offered or drawn again, so that questions of before
    // keep their keys.
    if request.search {
        record["search"] = json!(true);
    }
    if resample > 0 {
        record["resample"] = json!(resample);
    }
    if let Some(research) = model.research() {
        record["research"] = research;
    }
    if request.is_weighed() {
        record["offered"] = json!(request.offered);
    }
    record
}

/// The most prompt tokens that a request with so many searches can have: a token is a byte at
/// least.
pub fn most_tokens(request: &ChatRequest, searches: u32) -> u64 {
    let texts = request
        .messages
        .iter()
        .map(|message| message.content.len() as u64 + TEMPLATE_TOKENS)
        .sum::<u64>();
    let found = u64::from(searches) * FOUND_TOKENS;
    texts + request.schema.to_string().len() as u64 + found
}

/// The call on record that is nearest to `wanted`, and the first field in which it differs, for
/// people.
pub fn nearest(store: &Store, prompt: &str, wanted: &Value) -> Result<String> {
    let calls = store.calls_of_prompt(prompt, LOOKED_AT)?;
    let nearest = calls
        .iter()
        .min_by_key(|call| differences(wanted, &call.request));
    Ok(match nearest {
        None => "no call of this prompt is".to_owned(),
        Some(call) => {
            let difference =
                first_difference("", wanted, &call.request).unwrap_or_else(|| "nothing".into());
            format!(
                "the nearest is `{}`, which differs in {difference}",
                call.id
            )
        }
    })
}

/// How many leaves differ; a text counts by how little the two have in common at their start.
fn differences(a: &Value, b: &Value) -> usize {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let of_x = x
                .iter()
                .map(|(key, value)| differences(value, y.get(key).unwrap_or(&Value::Null)));
            of_x.sum::<usize>() + y.keys().filter(|key| !x.contains_key(*key)).count()
        }
        (Value::Array(x), Value::Array(y)) => {
            x.iter()
                .zip(y)
                .map(|(a, b)| differences(a, b))
                .sum::<usize>()
                + x.len().abs_diff(y.len())
        }
        (Value::String(x), Value::String(y)) if x != y => {
            1 + x.len().max(y.len()) - common_start(x, y)
        }
        _ => usize::from(a != b),
    }
}

fn first_difference(path: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let null = Value::Null;
            x.keys()
                .chain(y.keys().filter(|key| !x.contains_key(*key)))
                .find_map(|key| {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    first_difference(
                        &path,
                        x.get(key).unwrap_or(&null),
                        y.get(key).unwrap_or(&null),
                    )
                })
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => x
            .iter()
            .zip(y)
            .enumerate()
            .find_map(|(i, (a, b))| first_difference(&format!("{path}[{i}]"), a, b)),
        (Value::String(x), Value::String(y)) if x != y => {
            let at = common_start(x, y);
            let piece = |text: &str| text[at..].chars().take(SHOWN).collect::<String>();
            Some(format!(
                "`{path}`, from byte {at}: `{}` here, `{}` there",
                piece(x),
                piece(y)
            ))
        }
        _ if a == b => None,
        _ => Some(format!(
            "`{path}`: `{}` here, `{}` there",
            brief(a),
            brief(b)
        )),
    }
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(SHOWN).collect()
}

/// Bytes that two texts share at their start, at a boundary of characters.
fn common_start(a: &str, b: &str) -> usize {
    a.chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_place() {
        let a = json!({ "model": "m", "messages": [{ "content": "a river bed" }], "seed": 1 });
        let b = json!({ "model": "m", "messages": [{ "content": "a river bank" }], "seed": 2 });
        assert_eq!(first_difference("", &a, &a), None);
        assert_eq!(
            first_difference("", &a, &b).as_deref(),
            Some("`messages[0].content`, from byte 9: `ed` here, `ank` there")
        );
        let c = json!({ "model": "m", "messages": [{ "content": "a river bed" }], "seed": 2 });
        assert_eq!(
            first_difference("", &a, &c).as_deref(),
            Some("`seed`: `1` here, `2` there")
        );
        assert!(differences(&a, &c) < differences(&a, &b));
    }
}
