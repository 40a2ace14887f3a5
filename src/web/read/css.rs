//! The part of CSS that decides visibility: declarations, and the rules of a page's own style
//! sheets that name one tag, class or id. Sheets in other files, combinators and conditions are
//! left out; text that they hide is read.

use std::collections::BTreeMap;

/// One property with its value, both in lower case.
pub type Declaration = (String, String);

/// Bytes of sheets after which the rest is ignored.
const MOST_BYTES: usize = 1_000_000;

/// The rules that affect visibility.
#[derive(Debug, Default)]
pub struct Sheet {
    rules: BTreeMap<String, BTreeMap<String, String>>,
    bytes: usize,
}

impl Sheet {
    /// Takes in the text of a `<style>` element.
    pub fn add(&mut self, css: &str) {
        self.bytes += css.len();
        if self.bytes > MOST_BYTES {
            return;
        }
        let css = without_comments(css);
        let mut rest = css.as_str();
        while let Some(open) = rest.find('{') {
            let (selectors, body) = (
                rest[..open]
                    .rsplit([';', '}'])
                    .next()
                    .unwrap_or_default()
                    .trim(),
                &rest[open + 1..],
            );
            let close = if selectors.starts_with('@') {
                block_end(body)
            } else {
                body.find('}')
            };
            let Some(close) = close else { return };
            if !selectors.starts_with('@') {
                self.add_rule(selectors, &body[..close]);
            }
            rest = &body[close + 1..];
        }
    }

    fn add_rule(&mut self, selectors: &str, body: &str) {
        let declared = declarations(body);
        if declared.is_empty() {
            return;
        }
        for selector in selectors.split(',').map(str::trim).filter(|s| is_simple(s)) {
            self.rules
                .entry(selector.to_owned())
                .or_default()
                .extend(declared.iter().cloned());
        }
    }

    /// What the sheets and the element itself declare for it, the strongest last.
    pub fn declared(&self, name: &str, attributes: &[(&'static str, String)]) -> Vec<Declaration> {
        let value = |key: &str| {
            attributes
                .iter()
                .find(|(k, _)| *k == key)
                .map_or("", |(_, v)| v.as_str())
        };
        let mut all = Vec::new();
        if !self.rules.is_empty() {
            let pair = |(property, value): (&String, &String)| (property.clone(), value.clone());
            let mut take = |selector: &str| {
                all.extend(self.rules.get(selector).into_iter().flatten().map(pair));
            };
            take(name);
            // Bounded: a hostile element may have a hundred thousand classes.
            for class in value("class").split_ascii_whitespace().take(64) {
                take(&format!(".{class}"));
                take(&format!("{name}.{class}"));
            }
            take(&format!("#{}", value("id")));
        }
        all.extend(declarations(value("style")));
        all
    }
}

/// The declarations of a style that affect visibility, without `!important`.
fn declarations(style: &str) -> Vec<Declaration> {
    let style = without_comments(style).to_lowercase();
    let one = |text: &str| {
        let (property, value) = text.split_once(':')?;
        let value = value.trim().trim_end_matches("!important").trim();
        PROPERTIES
            .contains(&property.trim())
            .then(|| (property.trim().to_owned(), value.to_owned()))
    };
    style.split(';').filter_map(one).collect()
}

fn is_simple(selector: &str) -> bool {
    let name = selector.strip_prefix(['.', '#']).unwrap_or(selector);
    let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.split('.').count() <= 2 && name.chars().all(|c| word(c) || c == '.')
}

/// Where the block ends that has just begun, blocks inside it skipped.
fn block_end(css: &str) -> Option<usize> {
    let mut depth = 1usize;
    css.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

fn without_comments(css: &str) -> String {
    let mut pieces = css.split("/*");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces
        .filter_map(|piece| piece.split_once("*/"))
        .map(|(_, after)| after);
    std::iter::once(first).chain(rest).collect()
}

const PROPERTIES: &[&str] = &[
    "animation",
    "background",
    "background-clip",
    "background-color",
    "background-image",
    "clip",
    "clip-path",
    "color",
    "content-visibility",
    "display",
    "font-size",
    "height",
    "left",
    "margin-left",
    "margin-top",
    "max-height",
    "max-width",
    "opacity",
    "overflow",
    "right",
    "text-indent",
    "top",
    "transform",
    "transition",
    "visibility",
    "-webkit-background-clip",
    "width",
    "will-change",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, name: &str, attributes: &[(&'static str, &str)], expect: &str) {
        let mut sheet = Sheet::default();
        sheet.add(css);
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(k, v)| (*k, (*v).to_owned()))
            .collect();
        let declared = sheet.declared(name, &attributes);
        let shown: Vec<String> = declared.iter().map(|(p, v)| format!("{p}:{v}")).collect();
        assert_eq!(shown.join(";"), expect, "{css}");
    }

    #[test]
    fn rules_reach_tags_classes_and_ids() {
        check("p{display:none}", "p", &[], "display:none");
        check("p{display:none}", "div", &[], "");
        check(
            ".a, .b { COLOR: #FFF !important; margin: 0 }",
            "i",
            &[("class", "x b")],
            "color:#fff",
        );
        check(
            "#x{top:-99em} i.y{left:0}",
            "i",
            &[("class", "y"), ("id", "x")],
            "left:0;top:-99em",
        );
        check(
            ".a{display:none}",
            "p",
            &[("class", "a"), ("style", "display:block")],
            "display:none;display:block",
        );
    }

    #[test]
    fn conditions_and_combinators_are_left_out() {
        check(
            "@media print { p { display:none } } p{opacity:0}",
            "p",
            &[],
            "opacity:0",
        );
        check("html.js p, p > a, p:hover { display:none }", "p", &[], "");
        check(
            "@import 'x'; /* p{ */ p{top:1px} @media x { p{",
            "p",
            &[],
            "top:1px",
        );
        check("/* never closed p{display:none}", "p", &[], "");
    }
}
