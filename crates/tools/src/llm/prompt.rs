//! `prompts/<stage>/<call>.md` + values → messages. Templates are embedded; a copy in the project's
//! `prompts/` wins. Hides the template engine, what a copy may do, and the fence through which
//! untrusted text enters a prompt.

mod fence;
mod parts;

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, Result};
use include_dir::{Dir, include_dir};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior,
    Value as TemplateValue,
    value::{Serde, ValueKind},
};
use serde_json::Value;

use self::fence::Fence;
use crate::{
    data::{Exchange, Message, id::sha256_hex, transcript::is_language_tag},
    files,
};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");

/// Keys of values that the program writes itself, in words of its own or by a rule that leaves no
/// room for words. Every other text is a stranger's, and fenced.
const OWN: [&str; 7] = [
    "difficulty",
    "family",
    "focus",
    "kind",
    "language",
    "reason",
    "schema",
];
/// Filters that would take a text for the template's own.
const UNSAFE_FILTERS: [&str; 5] = ["safe", "escape", "e", "format", "tojson"];
/// Steps of a template; the longest page takes some ten thousand.
const STEPS: u64 = 2_000_000;
/// Bytes that a template may put out, and that a value in it may have: several reports, or a long
/// talk.
const LONGEST: usize = 16 << 20;
/// Bytes of a copy.
const LARGEST: u64 = 1 << 20;

/// The templates.
pub struct Prompts {
    templates: Environment<'static>,
    fence: Fence,
}

/// A prompt, ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The system message, if the template has one, and the user's.
    pub messages: Vec<Message>,
    /// SHA-256 of the template's text.
    pub hash: String,
}

impl Prompts {
    /// Templates of the program, or those of `folder` where it has them. `fence_key` keys the
    /// fences of quoted text.
    pub fn new(folder: Option<PathBuf>, fence_key: &str) -> Self {
        let mut templates = Environment::new();
        // A value that a copy misspells must be an error: left empty, the model would be asked
        // something else.
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        templates.set_loader(move |name| source(folder.as_deref(), name));
        // The fence is the one escape there is, and no template turns it off.
        templates.set_auto_escape_callback(|_| AutoEscape::None);
        for name in UNSAFE_FILTERS {
            templates.remove_filter(name);
        }
        templates.set_fuel(Some(STEPS));
        let fence = Fence::new(fence_key);
        let written = fence.clone();
        templates.set_formatter(move |out, state, value| write_value(&written, out, state, value));
        // What is written out is fenced anyway; this says so where it is read, and fences the
        // program's own words, too.
        templates.add_function("quote", |text: String| text);
        Self { templates, fence }
    }

    /// The names of the embedded templates, such as `rank/judge`, sorted.
    pub fn names() -> Vec<String> {
        let mut names = Vec::new();
        for folder in EMBEDDED.dirs() {
            for file in folder
                .files()
                .filter(|file| file.path().extension().is_some_and(|e| e == "md"))
            {
                names.push(
                    file.path()
                        .with_extension("")
                        .to_string_lossy()
                        .replace('\\', "/"),
                );
            }
        }
        names.sort();
        names
    }

    /// The text of a template.
    pub fn text(&self, name: &str) -> Result<String> {
        let template = self
            .templates
            .get_template(name)
            .with_context(|| no_prompt(name))?;
        Ok(template.source().to_owned())
    }

    /// The example replies that a template shows: the JSON objects in its text.
    pub fn examples(&self, name: &str) -> Result<Vec<Value>> {
        let text = self.text(name)?;
        let mut examples = Vec::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("{\"") {
            rest = &rest[at..];
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let example = values.next().and_then(Result::ok);
            rest = &rest[values.byte_offset().max(1)..];
            examples.extend(example);
        }
        Ok(examples)
    }

    /// SHA-256 of a template's text.
    pub fn hash(&self, name: &str) -> Result<String> {
        Ok(sha256_hex(self.text(name)?.as_bytes()))
    }

    /// Text that the project did not write, in its fence.
    pub fn quote(&self, text: &str) -> String {
        self.fence.quote(text)
    }

    /// Whether the template that is used under `name` fits the call: it parses, has a user block,
    /// asks for no value that the built-in one does not have, and uses only filters and templates
    /// that are there.
    pub fn check(&self, name: &str) -> Result<()> {
        let mut built_in = Environment::new();
        built_in.set_loader(|name| source(None, name));
        let own = built_in
            .get_template(name)
            .map_err(|_| anyhow::anyhow!("no call uses a prompt of this name"))?;
        let template = self.templates.get_template(name).map_err(|e| plain(&e))?;
        anyhow::ensure!(
            template.source().contains("block user"),
            "it has no user block"
        );
        let known = own.undeclared_variables(true);
        let mut unknown: Vec<String> = template
            .undeclared_variables(true)
            .difference(&known)
            .cloned()
            .collect();
        // These two are given to every template, whether the built-in one uses them or not.
        unknown.retain(|name| name != "schema" && name != "quote");
        unknown.sort();
        anyhow::ensure!(
            unknown.is_empty(),
            "nothing is known of: `{}`",
            unknown.join("`, `")
        );
        parts::check(&self.templates, template.source())
    }

    /// Fills a template with the fields of `vars` and, as `schema`, the schema of the reply.
    pub fn render(&self, name: &str, vars: &Value, schema: &Value) -> Result<Rendered> {
        let template = self
            .templates
            .get_template(name)
            .with_context(|| no_prompt(name))?;
        let hash = sha256_hex(template.source().as_bytes());
        let mut values = vars.as_object().cloned().unwrap_or_default();
        // Last, so that no value of a stage can take its place.
        values.insert("schema".into(), Value::String(schema.to_string()));
        let values = template_value("", &Value::Object(values));
        let broken = || {
            format!(
                "the prompt cannot be filled: `{name}`\nhint: compare it with the one in the program"
            )
        };
        let mut written = Limited::default();
        let mut captured = template
            .render_captured_to(values, &mut written)
            .map_err(|e| written.why(&e))
            .with_context(broken)?;
        let mut messages = Vec::new();
        // In the order in which servers want them.
        for role in ["system", "user"] {
            if !template.source().contains(&format!("block {role}")) {
                continue;
            }
            let content = captured
                .with_state_mut(|state| block(state, role))
                .with_context(broken)?;
            messages.push(Message {
                role: role.to_owned(),
                content: self.fence.around_marked(&content),
            });
        }
        anyhow::ensure!(
            messages.iter().any(|message| message.role == "user"),
            "the prompt has no user block: `{name}`\nhint: it needs a `{{% block user %}} … {{% endblock %}}`"
        );
        Ok(Rendered { messages, hash })
    }

    /// A prompt's messages with the earlier turns of a conversation before the question. An earlier
    /// question is a stranger's text and fenced; an answer is the model's own and stands apart in a
    /// message of its role.
    pub fn after(&self, history: &[Exchange], mut prompt: Vec<Message>) -> Vec<Message> {
        // The system message stays first; the conversation goes between it and the question.
        let Some(question) = prompt.pop() else {
            return prompt;
        };
        for exchange in history {
            prompt.push(Message {
                role: "user".to_owned(),
                content: self.quote(&exchange.question),
            });
            let answer = exchange.answer.trim();
            prompt.push(Message {
                role: "assistant".to_owned(),
                content: if answer.is_empty() { NO_ANSWER } else { answer }.to_owned(),
            });
        }
        prompt.push(question);
        prompt
    }
}

/// What stands for an answer that never came: some servers refuse a message without a text.
const NO_ANSWER: &str = "(no answer)";

/// What a template has put out, up to a limit: a loop in a copy may have no end that memory would
/// see.
#[derive(Default)]
struct Limited {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Limited {
    /// Why rendering into it failed.
    fn why(&self, error: &Error) -> anyhow::Error {
        if self.is_full {
            return anyhow::anyhow!("it puts out more than 16 MB");
        }
        plain(error)
    }
}

fn block(state: &mut State<'_, '_>, name: &str) -> Result<String> {
    let mut written = Limited::default();
    state
        .render_block_to_write(name, &mut written)
        .map_err(|e| written.why(&e))?;
    Ok(String::from_utf8(written.bytes)?)
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > LONGEST {
            self.is_full = true;
            return Err(io::Error::other("full"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what a template puts out: numbers and the program's own words as they are, every other
/// text with the marks that become its fence.
fn write_value(
    fence: &Fence,
    out: &mut Output<'_>,
    _: &mut State<'_, '_>,
    value: &TemplateValue,
) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if value.as_str().is_some_and(|text| text.len() > LONGEST) {
        return Err(refused("a value in it has more than 16 MB"));
    }
    let is_plain = value.is_safe() || value.is_number() || value.is_none() || is_bool(value);
    let written = if is_plain {
        write!(out, "{value}")
    } else {
        out.write_str(&fence.marked(&value.to_string()))
    };
    written.map_err(|_| Error::from(ErrorKind::WriteFailure))
}

fn is_bool(value: &TemplateValue) -> bool {
    value.kind() == ValueKind::Bool
}

/// A value as templates see it: the program's own words are marked as safe, and nothing else is.
fn template_value(key: &str, value: &Value) -> TemplateValue {
    match value {
        Value::String(text) if is_own(key, text) => TemplateValue::from_safe_string(text.clone()),
        Value::Array(items) => items.iter().map(|item| template_value(key, item)).collect(),
        Value::Object(fields) => TemplateValue::from_pairs(
            fields
                .iter()
                .map(|(key, field)| (key.clone(), template_value(key, field))),
        ),
        other => TemplateValue::from(Serde(other)),
    }
}

fn no_prompt(name: &str) -> String {
    format!("the prompt cannot be used: `{name}`")
}

/// The engine's error with its place on one line.
fn plain(error: &Error) -> anyhow::Error {
    let line = error
        .line()
        .map(|line| format!("line {line}: "))
        .unwrap_or_default();
    let detail = error
        .detail()
        .map(|detail| format!(": {detail}"))
        .unwrap_or_default();
    anyhow::anyhow!("{line}{}{detail}", error.kind())
}

fn is_own(key: &str, text: &str) -> bool {
    // A language comes from files; in the form of a tag it says nothing to a model.
    OWN.contains(&key) && (key != "language" || is_language_tag(text))
}

/// The text of a template: the copy in `folder`, else the embedded one. A template includes others
/// by the same rule.
fn source(folder: Option<&Path>, name: &str) -> Result<Option<String>, Error> {
    if !Path::new(name).components().all(is_plain_part) {
        return Err(refused(&format!("a prompt outside `prompts/`: `{name}`")));
    }
    let file = format!("{name}.md");
    let copy = match folder {
        Some(folder) => copy_of(folder, &file).map_err(|error| refused(&format!("{error:#}")))?,
        None => None,
    };
    let text = copy.or_else(|| Some(EMBEDDED.get_file(&file)?.contents_utf8()?.to_owned()));
    // It would turn texts into such as need no fence.
    if text
        .as_ref()
        .is_some_and(|text| text.contains("autoescape"))
    {
        return Err(refused("`autoescape` is not for prompts"));
    }
    Ok(text)
}

fn is_plain_part(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(_))
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.to_owned())
}

/// The project's copy of a prompt, if it has one; a copy that a link leads elsewhere for is refused,
/// because its text goes to a model.
fn copy_of(folder: &Path, file: &str) -> Result<Option<String>> {
    let path = folder.join(file);
    if !path.is_file() {
        return Ok(None);
    }
    anyhow::ensure!(
        files::is_inside(folder, &path)?,
        "it leads out of `prompts/`: `{}`",
        path.display()
    );
    anyhow::ensure!(
        fs_err::metadata(&path)?.len() <= LARGEST,
        "it is larger than a megabyte: `{}`",
        path.display()
    );
    Ok(Some(fs_err::read_to_string(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn earlier_turns_stand_between_the_system_and_the_question() {
        let prompts = Prompts::new(None, "key");
        let message = |role: &str, content: &str| Message {
            role: role.into(),
            content: content.into(),
        };
        let prompt = vec![message("system", "Be brief."), message("user", "And why?")];
        assert_eq!(prompts.after(&[], prompt.clone()), prompt);
        let exchange = |question: &str, answer: &str| Exchange {
            question: question.into(),
            answer: answer.into(),
        };
        let history = [exchange("What moves?", "Gravel."), exchange("How?", " \n")];
        assert_eq!(
            prompts.after(&history, prompt),
            [
                message("system", "Be brief."),
                message("user", &prompts.quote("What moves?")),
                message("assistant", "Gravel."),
                message("user", &prompts.quote("How?")),
                message("assistant", NO_ANSWER),
                message("user", "And why?"),
            ]
        );
    }

    #[test]
    fn a_template_puts_out_only_so_much() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("x")).expect("a folder");
        let prompts = Prompts::new(Some(folder.path().to_owned()), "key");
        let plain = "word ".repeat(1_000);
        for (name, much) in [
            (
                "loop",
                "{% for i in range(20000) %}{{ 'A' * 100000 }}{% endfor %}".to_owned(),
            ),
            ("value", "{{ 'A' * 100000000 }}".to_owned()),
            (
                "plain",
                format!("{{% for i in range(10000) %}}{plain}{{% endfor %}}"),
            ),
        ] {
            let template = format!("{{% block user %}}{much}{{% endblock %}}");
            std::fs::write(folder.path().join(format!("x/{name}.md")), template).expect("a file");
            let error = prompts.render(&format!("x/{name}"), &json!({}), &json!({}));
            let error = format!("{:#}", error.expect_err("it is too much"));
            assert!(error.contains("more than 16 MB"), "{name}: {error}");
        }
    }

    #[test]
    fn a_copy_on_disk_wins_and_what_is_missing_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("x")).expect("a folder");
        let template = "{% block system -%}\nBe {{ kind }}.\n{%- endblock %}\n{% block user -%}\n{{ quote(text) }} {{ schema }}\n{%- endblock %}\n";
        std::fs::write(folder.path().join("x/y.md"), template).expect("a file");
        let prompts = Prompts::new(Some(folder.path().to_owned()), "key");
        let filled = prompts.render(
            "x/y",
            &json!({"kind": "brief", "text": "hi"}),
            &json!({"type": "object"}),
        );
        let filled = filled.expect("all is there");
        assert_eq!(filled.messages[0].content, "Be brief.");
        assert!(
            filled.messages[1]
                .content
                .ends_with("] {\"type\":\"object\"}"),
            "{}",
            filled.messages[1].content
        );
        assert_eq!(filled.hash, sha256_hex(template.as_bytes()));
        let error = prompts
            .render("x/y", &json!({"kind": "brief"}), &json!({}))
            .expect_err("`text` is missing");
        assert!(format!("{error:#}").contains("undefined"), "{error:#}");
        assert!(prompts.render("x/none", &json!({}), &json!({})).is_err());
    }
}
