//! Strangers' texts in YAML and Markdown. Hides what either would take for its own.

use serde_json::Value;

use crate::text::invisible::works_unseen;

/// Values as a block of YAML that ends with a line break. The keys are ours.
pub(super) fn yaml(value: &Value) -> String {
    let mut block = String::new();
    write_block(value, 0, &mut block);
    block
}

fn write_block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                out.push_str(&format!("{:indent$}{key}:", ""));
                write_value(value, indent + 2, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                let mut block = String::new();
                write_block(item, indent + 2, &mut block);
                // The first line of an item begins behind its dash.
                out.push_str(&format!("{:indent$}- {}", "", block.trim_start()));
            }
        }
        scalar => out.push_str(&format!("{:indent$}{}\n", "", yaml_scalar(scalar))),
    }
}

fn write_value(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            write_block(value, indent, out);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            // As deep as its key, as most people write it.
            write_block(value, indent - 2, out);
        }
        scalar => out.push_str(&format!(" {}\n", yaml_scalar(scalar))),
    }
}

fn yaml_scalar(value: &Value) -> String {
    match value {
        Value::String(text) => yaml_text(text),
        value => value.to_string(),
    }
}

/// A text in double quotes, on one line. YAML has JSON's escapes, but no pairs of surrogates, and
/// breaks lines at more characters.
pub(super) fn yaml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        let code = u32::from(c);
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if code <= 0xff && c.is_control() => quoted.push_str(&format!("\\x{code:02x}")),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                quoted.push_str(&format!("\\u{code:04x}"));
            }
            c if works_unseen(c) => quoted.push_str(&format!("\\u{code:04x}")),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A text on one line of Markdown, in a sentence or in a table's cell: it is shown as it is.
pub(super) fn markdown(text: &str) -> String {
    let mut shown = String::new();
    for c in one_line(text).chars() {
        if "\\`*_[]<>|&~$#!".contains(c) {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

/// A text without line breaks and without characters that work unseen.
pub(super) fn one_line(text: &str) -> String {
    let is_hidden = |c: char| works_unseen(c) || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .replace(is_hidden, &char::REPLACEMENT_CHARACTER.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_keeps_texts_on_their_lines() {
        let value = json!({
            "name": "a: \"b\" # c\n---\nd\u{2028}\u{85}\0\u{202e}字😀",
            "none": null,
            "list": ["x", { "k": [1, true], "empty": [] }],
        });
        let expected = concat!(
            "name: \"a: \\\"b\\\" # c\\n---\\nd\\u2028\\x85\\x00\\u202e字😀\"\n",
            "none: null\n",
            "list:\n- \"x\"\n- k:\n  - 1\n  - true\n  empty: []\n",
        );
        assert_eq!(yaml(&value), expected);
    }

    #[test]
    fn markdown_shows_what_is_written() {
        assert_eq!(
            markdown("<b>a|b</b>\n# [x](y) \0 *z*"),
            "\\<b\\>a\\|b\\</b\\> \\# \\[x\\](y) \u{fffd} \\*z\\*"
        );
    }
}
