//! Good replies to the prompts for large models, written by hand for twelve short talks. The prompts
//! ask for just such replies, so no rule may refuse one: where one does, a prompt and a rule have
//! drifted apart.

use serde::Deserialize;
use serde_json::Value;

/// A talk and the replies about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Talk {
    /// BCP 47 tag.
    pub language: String,
    /// Who spoke.
    pub speakers: Vec<String>,
    /// The transcript, some of its words misheard.
    pub lines: Vec<String>,
    /// The reply to `inspire/ideas`.
    pub inspire: Value,
    /// The replies to `inspire/review`, one for each idea.
    pub review: Vec<Value>,
    /// The replies to `weave/task`.
    pub weave: Vec<Weave>,
}

/// A task that was asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weave {
    /// The number of the idea that leads, counted from 1.
    pub idea: usize,
    /// The reply.
    pub reply: Value,
}

/// All talks with the names of their files.
pub fn all() -> Vec<(String, Talk)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/good_replies");
    let mut talks: Vec<(String, Talk)> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.display().to_string();
            let talk = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            (name, talk)
        })
        .collect();
    talks.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert!(talks.len() >= 12, "{} talks", talks.len());
    talks
}

/// Where a reply leaves the bounds of its schema, if it does: types, fields, words to choose from,
/// lengths and numbers.
pub fn outside(schema: &Value, reply: &Value) -> Option<String> {
    let bound = |name: &str| schema[name].as_u64().map(|bound| bound as usize);
    let within = |size: usize, least: &str, most: &str| {
        bound(least).is_none_or(|least| size >= least)
            && bound(most).is_none_or(|most| size <= most)
    };
    if let Some(allowed) = schema["enum"].as_array() {
        return (!allowed.contains(reply)).then(|| format!("{reply} is none of {allowed:?}"));
    }
    match reply {
        Value::String(text) => {
            let fits = within(text.chars().count(), "minLength", "maxLength");
            (!fits || schema["type"] != "string").then(|| format!("{reply}: {schema}"))
        }
        Value::Number(number) => {
            let number = number.as_u64().map_or(usize::MAX, |number| number as usize);
            (!within(number, "minimum", "maximum")).then(|| format!("{reply}: {schema}"))
        }
        Value::Array(items) if !within(items.len(), "minItems", "maxItems") => {
            Some(format!("{} items: {schema}", items.len()))
        }
        Value::Array(items) => items
            .iter()
            .find_map(|item| outside(&schema["items"], item)),
        Value::Object(fields) => {
            let known = schema["properties"].as_object().expect("properties");
            let mut missing = known.keys().filter(|name| !fields.contains_key(*name));
            let mut unknown = fields.keys().filter(|name| !known.contains_key(*name));
            missing.next().or(unknown.next()).cloned().or_else(|| {
                let mut fields = fields.iter();
                fields.find_map(|(name, value)| outside(&known[name], value))
            })
        }
        _ => Some(format!("{reply}: {schema}")),
    }
}
