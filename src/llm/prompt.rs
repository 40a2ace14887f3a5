//! `prompts/<stage>/<call>.md` + values → messages. Templates are embedded; a copy in the project's
//! `prompts/` wins. Hides the template engine and the fence through which untrusted text enters a
//! prompt (`quote`).

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use include_dir::{Dir, include_dir};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, value::Serde};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::data::{Exchange, Message, id::sha256_hex};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/prompts");

/// The templates.
pub struct Prompts {
    templates: Environment<'static>,
    key: Vec<u8>,
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
        let key = fence_key.as_bytes().to_vec();
        let own = key.clone();
        templates.add_function("quote", move |text: String| quote(&own, &text));
        Self { templates, key }
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
        quote(&self.key, text)
    }

    /// Whether the template that is used under `name` fits the call: it parses, has a user block,
    /// and asks for no value that the built-in one does not have.
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
        let shown = expressions(template.source());
        // What the built-in prompt fences is a stranger's text; a copy that writes it bare lets it
        // speak to the model.
        let bare = expressions(own.source()).into_iter().find_map(|known| {
            let inner = known
                .strip_prefix("quote(")?
                .strip_suffix(')')?
                .trim()
                .to_owned();
            shown.contains(&inner).then_some(inner)
        });
        match bare {
            Some(inner) => {
                anyhow::bail!(
                    "strangers' text must go through the fence: write `quote({inner})`, not `{inner}`"
                )
            }
            None => Ok(()),
        }
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
        let broken = || {
            format!(
                "the prompt cannot be filled: `{name}`\nhint: compare it with the one in the program"
            )
        };
        let mut captured = template
            .render_captured(Serde(values))
            .map_err(|e| plain(&e))
            .with_context(broken)?;
        let mut messages = Vec::new();
        // In the order in which servers want them.
        for role in ["system", "user"] {
            if !template.source().contains(&format!("block {role}")) {
                continue;
            }
            let content = captured
                .with_state_mut(|state| state.render_block(role))
                .map_err(|e| plain(&e))
                .with_context(broken)?;
            messages.push(Message {
                role: role.to_owned(),
                content,
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

/// What a template writes out: the insides of its double braces.
fn expressions(source: &str) -> Vec<String> {
    let inside = source
        .split("{{")
        .skip(1)
        .filter_map(|rest| rest.split_once("}}"));
    inside
        .map(|(inner, _)| inner.trim_matches(['-', ' ', '\n']).to_owned())
        .collect()
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

fn source(folder: Option<&std::path::Path>, name: &str) -> Result<Option<String>, Error> {
    let file = format!("{name}.md");
    if let Some(path) = folder
        .map(|folder| folder.join(&file))
        .filter(|path| path.is_file())
    {
        let read = fs_err::read_to_string(path);
        return read
            .map(Some)
            .map_err(|e| Error::new(ErrorKind::InvalidOperation, e.to_string()));
    }
    Ok(EMBEDDED
        .get_file(&file)
        .and_then(|file| file.contents_utf8())
        .map(str::to_owned))
}

/// Fences untrusted text: `[TOKEN`, the text, `TOKEN]`. The token is the first 16 hexadecimal
/// digits of an HMAC of the text, drawn again while the text contains it, so that it can neither be
/// guessed nor closed from inside, and is the same in each run. The fence is short, because a small
/// model pays for each of its characters.
fn quote(key: &[u8], text: &str) -> String {
    let mut salt = 0u32;
    loop {
        let mut salted = salt.to_le_bytes().to_vec();
        salted.extend_from_slice(text.as_bytes());
        // 64 bits: a text cannot hold many of them, and a small model pays for each character.
        let token: String = data_encoding::HEXLOWER.encode(&hmac_sha256(key, &salted)[..8]);
        // A model reads capitals as the same token.
        if !text.to_ascii_lowercase().contains(&token) {
            // Trailing line ends say nothing, and without them the same text has one fence.
            return format!("[{token}\n{}\n{token}]", text.trim_end_matches('\n'));
        }
        salt += 1;
    }
}

/// RFC 2104 with SHA-256.
fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0u8; 64];
    // RFC 2104, section 2: a key longer than a block is hashed first.
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new()
        .chain_update(block.map(|b| b ^ 0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(block.map(|b| b ^ 0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hmac_of_rfc_4231() {
        let of = |key: &[u8], text: &[u8]| data_encoding::HEXLOWER.encode(&hmac_sha256(key, text));
        assert_eq!(
            of(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            of(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            ),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn a_fence_is_the_same_each_time_and_cannot_be_guessed() {
        let fenced = quote(b"key", "text");
        assert_eq!(fenced, quote(b"key", "text"));
        assert_ne!(fenced, quote(b"other", "text"));
        let token = &fenced[1..17];
        assert_eq!(fenced, format!("[{token}\ntext\n{token}]"));
        assert_ne!(&quote(b"key", "text!")[1..17], token);
    }

    proptest::proptest! {
        #[test]
        fn no_text_closes_its_fence(text in ".*", key in ".*") {
            let fenced = quote(key.as_bytes(), &text);
            let token = &fenced[1..17];
            proptest::prop_assert_eq!(fenced.matches(token).count(), 2);
        }
    }

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
    fn a_copy_on_disk_wins_and_what_is_missing_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("x")).expect("a folder");
        let template = "{% block system -%}\nBe {{ how }}.\n{%- endblock %}\n{% block user -%}\n{{ quote(text) }} {{ schema }}\n{%- endblock %}\n";
        std::fs::write(folder.path().join("x/y.md"), template).expect("a file");
        let prompts = Prompts::new(Some(folder.path().to_owned()), "key");
        let filled = prompts.render(
            "x/y",
            &json!({"how": "brief", "text": "hi"}),
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
            .render("x/y", &json!({"how": "brief"}), &json!({}))
            .expect_err("`text` is missing");
        assert!(format!("{error:#}").contains("undefined"), "{error:#}");
        assert!(prompts.render("x/none", &json!({}), &json!({})).is_err());
    }
}
