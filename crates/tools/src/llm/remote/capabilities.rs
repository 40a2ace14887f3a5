//! Capabilities of a server: how it takes a schema, and parameters that some models refuse. Hides
//! how a refusal is read, and how a schema is cut down to what a schema mode knows.

use serde_json::{Map, Value, json};

use crate::{
    data::Message,
    llm::{ChatReply, ChatRequest, Finish},
};

/// Tokens that a model which thinks before it answers may have on top of the reply's own largest
/// length.
pub const THINKING_ROOM: u32 = 8192;

/// A way to ask for a reply of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The server's schema mode, with the whole schema.
    Schema,
    /// The server's schema mode, without limits of lengths and numbers.
    Reduced,
    /// A tool call with the reply as its input.
    Tool,
    /// A schema mode that knows only the words of `OpenAPI` 3.0.
    OpenApi,
    /// The server's JSON mode. Some modes know the schema and some do not: it is text in the
    /// prompt, too.
    Object,
    /// The schema is text in the prompt.
    Prompt,
}

/// The capabilities of a server: what a request leaves out or expresses in another way. Flags are
/// only ever set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    /// Which of the dialect's forms.
    pub form: usize,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub new_length_name: bool,
    /// No temperature.
    pub no_temperature: bool,
    /// No seed.
    pub no_seed: bool,
    /// The model thinks before it answers: its thoughts need room of their own.
    pub room: bool,
}

/// The capabilities found so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownCapabilities {
    pub capabilities: Capabilities,
    /// Capabilities that worked once, after a refusal without a reason: the question may have been
    /// the cause.
    doubtful: Option<Capabilities>,
}

impl KnownCapabilities {
    /// Adds what was found out: at once where the server named what it does not take, else the
    /// second time.
    pub(super) fn remember(&mut self, capabilities: Capabilities, named: bool) {
        if named || self.doubtful == Some(capabilities) {
            self.capabilities.add(capabilities);
        } else {
            self.doubtful = Some(capabilities);
        }
    }
}

/// Words of the ways to ask for a schema.
const OF_FORMS: [&str; 9] = [
    "response_format",
    "responseformat",
    "json",
    "schema",
    "output_format",
    "output_config",
    "tool",
    "grammar",
    "structured",
];

impl Capabilities {
    /// What to try after a refusal that says `text`, and whether the text names it.
    pub(super) fn without(self, text: &str, forms: &[Form]) -> Option<(Self, bool)> {
        if text.contains("max_completion_tokens") && !self.new_length_name {
            return Some((
                Self {
                    new_length_name: true,
                    ..self
                },
                true,
            ));
        }
        if text.contains("temperature") && !self.no_temperature {
            return Some((
                Self {
                    no_temperature: true,
                    ..self
                },
                true,
            ));
        }
        if text.contains("seed") && !self.no_seed {
            return Some((
                Self {
                    no_seed: true,
                    ..self
                },
                true,
            ));
        }
        // A server that names its JSON mode has nothing better; one that says nothing about the
        // schema itself has no use for a smaller one.
        let has_mode = text.contains("json_object");
        let next = |(_, form): &(usize, &Form)| match form {
            Form::Reduced => text.contains("schema") && !has_mode,
            Form::Object => has_mode,
            _ => true,
        };
        let (form, _) = forms.iter().enumerate().skip(self.form + 1).find(next)?;
        Some((
            Self { form, ..self },
            OF_FORMS.iter().any(|word| text.contains(word)),
        ))
    }

    /// What to try after a reply that was cut before its first word.
    pub(super) fn with_room(self, reply: &ChatReply) -> Option<(Self, bool)> {
        let only_thoughts = reply.finish == Finish::Length && reply.text.trim().is_empty();
        (only_thoughts && !self.room).then_some((Self { room: true, ..self }, true))
    }

    /// Adds what was found out elsewhere.
    fn add(&mut self, other: Self) {
        self.form = self.form.max(other.form);
        self.new_length_name |= other.new_length_name;
        self.no_temperature |= other.no_temperature;
        self.no_seed |= other.no_seed;
        self.room |= other.room;
    }

    /// How the question was asked, for the record; nothing where it was asked as it is.
    pub(super) fn in_words(self, forms: &[Form]) -> Option<String> {
        let form = forms
            .get(self.form)
            .filter(|_| self.form > 0)
            .map(|form| format!("{form:?}").to_lowercase());
        let words = [
            form.map(|form| format!("schema: {form}")),
            self.no_temperature.then(|| "no temperature".to_owned()),
            self.no_seed.then(|| "no seed".to_owned()),
            self.room.then(|| "room for thoughts".to_owned()),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// The largest length of the reply.
    pub(super) fn length(self, request: &ChatRequest) -> u32 {
        // Log-probabilities stand at the first token, and no other one is wanted.
        if request.is_weighed() {
            return request.max_tokens;
        }
        request
            .max_tokens
            .saturating_add(if self.room { THINKING_ROOM } else { 0 })
    }
}

/// The conversation, with the schema in words where the server has no mode for it.
pub(super) fn messages(request: &ChatRequest, form: Form) -> Vec<Message> {
    let mut messages = request.messages.clone();
    if matches!(form, Form::Prompt | Form::Object)
        && request.has_schema()
        && let Some(question) = messages.iter_mut().find(|message| message.role == "user")
    {
        let schema = request.schema.to_string();
        question.content +=
            &format!("\n\nAnswer with one JSON value of this schema and nothing else:\n{schema}");
    }
    messages
}

/// The system's text apart, for servers that want it apart.
pub(super) fn system_apart(messages: Vec<Message>) -> (String, Vec<Message>) {
    let (system, rest): (Vec<_>, Vec<_>) = messages
        .into_iter()
        .partition(|message| message.role == "system");
    (
        system
            .into_iter()
            .map(|message| message.content)
            .collect::<Vec<_>>()
            .join("\n\n"),
        rest,
    )
}

/// Limits that some schema modes refuse; the reply is checked against them anyway.
const LIMITS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "format",
];

/// What a schema of `OpenAPI` 3.0 may say.
const OPEN_API: &[&str] = &[
    "type",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minimum",
    "maximum",
    "anyOf",
];

/// The schema without limits.
pub(super) fn reduced(schema: &Value) -> Value {
    rewritten(schema, &|fields| {
        fields.retain(|name, _| !LIMITS.contains(&name.as_str()));
    })
}

/// The schema in the words of `OpenAPI` 3.0: definitions in their places, no unions of types, only
/// names as choices.
pub(super) fn open_api(schema: &Value) -> Value {
    rewritten(schema, &|fields| {
        if let Some(target) = fields
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|at| schema.pointer(at.strip_prefix('#')?))
        {
            *fields = target.as_object().cloned().unwrap_or_default();
        }
        if let Some(only) = fields.remove("const") {
            fields.insert("enum".into(), json!([only]));
        }
        if let Some(Value::Array(types)) = fields.get("type").cloned() {
            let real = types
                .iter()
                .find(|of| *of != "null")
                .cloned()
                .unwrap_or_default();
            fields.insert(
                "nullable".into(),
                json!(types.iter().any(|of| of == "null")),
            );
            fields.insert("type".into(), real);
        }
        if fields
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|choices| !choices.iter().all(Value::is_string))
        {
            fields.remove("enum");
        }
        fields.retain(|name, _| OPEN_API.contains(&name.as_str()));
    })
}

/// The schema with each of its inner schemas changed; names of properties are no words of the
/// schema.
fn rewritten(schema: &Value, change: &dyn Fn(&mut Map<String, Value>)) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let mut fields = fields.clone();
    change(&mut fields);
    for (name, value) in &mut fields {
        match (name.as_str(), &mut *value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                for inner in named.values_mut() {
                    *inner = rewritten(inner, change);
                }
            }
            ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(several)) => {
                for inner in several {
                    *inner = rewritten(inner, change);
                }
            }
            ("items" | "additionalProperties", inner) => *inner = rewritten(inner, change),
            _ => {}
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_left_out_one_thing_at_a_time() {
        let forms = &[Form::Schema, Form::Reduced, Form::Object, Form::Prompt];
        let plain = Capabilities::default();
        let renamed = plain.without("use 'max_completion_tokens' instead of max_tokens", forms);
        assert_eq!(
            renamed,
            Some((
                Capabilities {
                    new_length_name: true,
                    ..plain
                },
                true
            ))
        );
        let cool = plain.without("`temperature` is deprecated for this model", forms);
        assert_eq!(
            cool,
            Some((
                Capabilities {
                    no_temperature: true,
                    ..plain
                },
                true
            ))
        );
        let form = |capabilities: Capabilities, text| {
            capabilities
                .without(text, forms)
                .map(|(capabilities, named)| (capabilities.form, named))
        };
        assert_eq!(
            form(plain, "response_format is not supported"),
            Some((3, true))
        );
        assert_eq!(
            form(plain, "invalid schema: maxlength is not permitted"),
            Some((1, true))
        );
        assert_eq!(
            form(
                plain,
                "type: 'json_schema', expected 'text' or 'json_object'"
            ),
            Some((2, true))
        );
        assert_eq!(form(plain, "upstream hiccup"), Some((3, false)));
        assert_eq!(form(Capabilities { form: 3, ..plain }, "no"), None);
    }

    #[test]
    fn one_odd_refusal_does_not_change_how_all_are_asked() {
        let (words, cool) = (
            Capabilities {
                form: 3,
                ..Capabilities::default()
            },
            Capabilities {
                no_seed: true,
                ..Capabilities::default()
            },
        );
        let mut known = KnownCapabilities::default();
        known.remember(words, false);
        assert_eq!(known.capabilities, Capabilities::default());
        known.remember(words, false);
        assert_eq!(known.capabilities, words);
        known.remember(cool, true);
        assert_eq!(
            known.capabilities,
            Capabilities {
                no_seed: true,
                ..words
            }
        );
    }

    #[test]
    fn schemas_are_cut_down() {
        let schema = json!({
            "type": "object",
            "properties": {
                "maximum": { "type": "number", "maximum": 5, "enum": [0.5, 1] },
                "who": { "$ref": "#/$defs/Who" },
                "note": { "type": ["string", "null"], "maxLength": 9 }
            },
            "required": ["maximum"],
            "additionalProperties": false,
            "$defs": { "Who": { "type": "string", "enum": ["A", "B"], "title": "Who" } }
        });
        let expect = json!({
            "maximum": { "type": "number", "enum": [0.5, 1] },
            "who": { "$ref": "#/$defs/Who" },
            "note": { "type": ["string", "null"] }
        });
        assert_eq!(reduced(&schema)["properties"], expect);
        let expect = json!({
            "type": "object",
            "properties": {
                "maximum": { "type": "number", "maximum": 5 },
                "who": { "type": "string", "enum": ["A", "B"] },
                "note": { "type": "string", "nullable": true }
            },
            "required": ["maximum"]
        });
        assert_eq!(open_api(&schema), expect);
    }
}
