//! Plain formats: text and Markdown, JSON laid out, XML without its tags.

use super::{PLAIN, Read, ReadError, Signs, version_of};
use crate::web::read::clean;

/// Reads a text. Its title is a Markdown heading in its first line, if there is one.
pub fn read(text: &str) -> Result<Read, ReadError> {
    let (text, truncated) = clean::capped(clean::clean(text));
    if text.is_empty() {
        return Err(ReadError::Empty);
    }
    let title = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("# "))
        .map(|title| title.chars().take(300).collect());
    let (extractor, version) = (PLAIN, version_of(PLAIN));
    let (language, canonical_url, published, signs) = (None, None, None, Signs::default());
    Ok(Read {
        title,
        text,
        truncated,
        language,
        extractor,
        version,
        canonical_url,
        published,
        signs,
    })
}

/// JSON with a line for each value, its escapes read; as it is, if it is not JSON.
pub fn json(text: &str) -> String {
    let laid_out = serde_json::from_str::<serde_json::Value>(text)
        .and_then(|value| serde_json::to_string_pretty(&value));
    laid_out.unwrap_or_else(|_| text.to_owned())
}

/// XML without tags, comments and declarations. A tag inside a sentence leaves no trace; two in a
/// row end the line. Of the entities only those that every XML has are read, so that none can be a
/// bomb.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 2);
    let mut rest = text;
    let mut after_tag = false;
    while let Some(at) = rest.find('<') {
        let (before, markup) = rest.split_at(at);
        out.push_str(&decoded(before));
        if let Some(data) = markup.strip_prefix("<![CDATA[") {
            let (data, after) = data.split_once("]]>").unwrap_or((data, ""));
            out.push_str(data);
            (rest, after_tag) = (after, false);
            continue;
        }
        if after_tag && before.trim().is_empty() {
            out.push('\n');
        }
        after_tag = true;
        rest = after_markup(markup);
    }
    out.push_str(&decoded(rest));
    out
}

/// What follows a tag, a comment, an instruction or a document type.
fn after_markup(markup: &str) -> &str {
    let end = match () {
        () if markup.starts_with("<!--") => "-->",
        () if markup.starts_with("<?") => "?>",
        () if markup.starts_with("<!DOCTYPE") => return after_doctype(markup),
        () => ">",
    };
    markup.split_once(end).map_or("", |(_, after)| after)
}

/// A document type ends at the first `>` outside its brackets.
fn after_doctype(markup: &str) -> &str {
    let mut depth = 0i64;
    let end = markup.char_indices().find(|(_, c)| {
        depth += i64::from(*c == '[') - i64::from(*c == ']');
        *c == '>' && depth <= 0
    });
    end.map_or("", |(at, _)| &markup[at + 1..])
}

fn decoded(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let entity = part
            .split_once(';')
            .and_then(|(name, after)| Some((entity(name)?, after)));
        if let Some((c, after)) = entity {
            out.push(c);
            out.push_str(after);
        } else {
            out.push('&');
            out.push_str(part);
        }
    }
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number
                .strip_prefix(['x', 'X'])
                .map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_it_is() {
        let page = read("# Soil\r\n\r\n\r\n* a  b\n").expect("a text");
        assert_eq!(
            (page.title.as_deref(), page.text.as_str()),
            (Some("Soil"), "# Soil\n\n* a b")
        );
        assert_eq!(read("\u{200b}\n"), Err(ReadError::Empty));
    }

    #[test]
    fn json_is_laid_out() {
        assert_eq!(
            json(r#"{"b":"\u571f","a":[1]}"#),
            "{\n  \"b\": \"土\",\n  \"a\": [\n    1\n  ]\n}"
        );
        assert_eq!(json("{\"a\":1}\n{\"a\":2}"), "{\"a\":1}\n{\"a\":2}");
        let deep = "[".repeat(100_000);
        assert_eq!(json(&deep), deep);
    }

    #[test]
    fn xml_loses_its_tags() {
        let feed = "<?xml version='1.0'?><!-- no --><feed><title>A &amp; B</title>\n<p>The <i>E. coli</i> strain</p><p>c</p></feed>";
        assert_eq!(clean::clean(&xml(feed)), "A & B\n\nThe E. coli strain\nc");
        assert_eq!(
            xml("<a><![CDATA[x <b> & y]]></a>&#x571f;&#22303;&nope; & z"),
            "x <b> & y土土&nope; & z"
        );
        assert_eq!(xml("a < b"), "a ");
    }

    #[test]
    fn entities_of_the_document_s_own_are_not_read() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><x>&b;&b;</x>";
        assert_eq!(xml(bomb).trim(), "&b;&b;");
    }
}
