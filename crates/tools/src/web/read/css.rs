//! The part of CSS that decides visibility: the page's own style sheets and styles, and what they
//! declare for an element. Sheets in other files, states and generated parts are left out.

mod escape;
mod media;
mod selector;
#[cfg(test)]
mod tests;
pub mod value;

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use escape::unescaped;
use selector::{Budget, Key, Selector};
use value::{calls, colour, quantity, words};

pub use media::is_seen;
pub use selector::Element;

/// An attribute with its value.
pub type Attribute = (Cow<'static, str>, String);
/// One property with its value, both in lower case.
pub type Declaration = (String, String);

/// Bytes of sheets after which the rest is ignored.
const MOST_BYTES: usize = 1_000_000;
/// Blocks of a sheet, one in the other.
const DEEPEST: usize = 8;
/// Classes of an element that are looked at.
const MOST_CLASSES: usize = 1024;
/// Declarations of one block.
const MOST_DECLARATIONS: usize = 256;
/// Rules that one element may have.
const MOST_RULES: usize = 512;
/// Tests that the selectors of a page may take: some thousand for each element of a long one.
const MOST_TESTS: u64 = 50_000_000;
/// Variables that name each other.
const MOST_VARIABLES: usize = 4;
/// Characters of a value, its variables filled in.
const LONGEST_VALUE: usize = 10_000;
/// Bytes of a selector that other rules stand in.
const LONGEST_PARENT: usize = 1_000;
/// Places of a selector in which it names the one that it stands in.
const MOST_PARENTS: usize = 4;

/// The rules that affect visibility.
#[derive(Debug)]
pub struct Sheet {
    rules: Vec<Rule>,
    /// The rules by what their element must have.
    by_key: BTreeMap<Key, Vec<usize>>,
    /// The values of the whole page's variables.
    variables: BTreeMap<String, String>,
    bytes: usize,
    /// Whether the page has sheets in other files.
    pub has_others: bool,
    budget: RefCell<Budget>,
}

#[derive(Debug)]
struct Rule {
    selector: Selector,
    declared: Rc<[Declared]>,
}

/// A declaration, and whether it is stronger than others.
#[derive(Clone, Debug)]
struct Declared {
    is_important: bool,
    of: Declaration,
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            by_key: BTreeMap::new(),
            variables: BTreeMap::new(),
            bytes: 0,
            has_others: false,
            budget: RefCell::new(Budget::new(MOST_TESTS)),
        }
    }
}

impl Sheet {
    /// Takes in the text of a `<style>` element.
    pub fn add(&mut self, css: &str) {
        self.bytes += css.len();
        if self.bytes > MOST_BYTES {
            return;
        }
        let css = without_comments(css);
        self.has_others |= css.contains("@import");
        // Old pages hide their sheets from older programs.
        let css = css.replace("<!--", " ").replace("-->", " ");
        self.add_block(&css, "", 0);
    }

    /// The names of the attributes that selectors ask for.
    pub fn attribute_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .rules
            .iter()
            .flat_map(|rule| rule.selector.attribute_names())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the page's selectors took more tests than a page may: its text cannot be told from
    /// what it hides.
    pub fn is_spent(&self) -> bool {
        self.budget.borrow().is_spent()
    }

    /// Reads the statements of a block whose rules are for `parents`.
    fn add_block(&mut self, css: &str, parents: &str, depth: usize) {
        let mut own = String::new();
        let (mut begin, mut at) = (0, 0);
        while let Some((found, mark)) = find_mark(&css[at..]) {
            let end = at + found;
            let before = css[begin..end].trim();
            at = end + 1;
            match mark {
                b'{' => {
                    let (body, behind) = block(&css[at..]);
                    at = css.len() - behind.len();
                    if depth < DEEPEST {
                        self.add_inner(before, body, parents, depth);
                    }
                }
                // Outside of all blocks it is part of a selector, which then is none.
                b';' if parents.is_empty() && !before.starts_with('@') => continue,
                b';' => {
                    own.push_str(before);
                    own.push(';');
                }
                _ => {}
            }
            begin = at;
        }
        own.push_str(css[begin..].trim());
        if !parents.is_empty() {
            self.add_rule(parents, &own);
        }
    }

    fn add_inner(&mut self, prelude: &str, body: &str, parents: &str, depth: usize) {
        let Some(condition) = prelude.strip_prefix('@') else {
            self.add_block(body, &nested(prelude, parents), depth + 1);
            return;
        };
        let (name, condition) = condition
            .split_once([' ', '('])
            .map_or((condition, ""), |(name, _)| {
                (name, &condition[name.len()..])
            });
        let is_read = match name {
            "media" => is_seen(condition),
            "supports" => !condition.trim_start().starts_with("not"),
            "layer" | "scope" | "container" => true,
            _ => false,
        };
        if is_read {
            self.add_block(body, parents, depth + 1);
        }
    }

    fn add_rule(&mut self, selectors: &str, body: &str) {
        let declared: Rc<[Declared]> = declarations(body).into();
        if declared.is_empty() {
            return;
        }
        for selector in split_outside(selectors, ',') {
            let Some(selector) = Selector::parse(selector) else {
                continue;
            };
            if selector.is_for_all() {
                let of = declared.iter().map(|declared| &declared.of);
                let variables = of.filter(|(property, _)| property.starts_with("--"));
                self.variables.extend(variables.cloned());
            }
            let number = self.rules.len();
            self.by_key.entry(selector.key()).or_default().push(number);
            self.rules.push(Rule {
                selector,
                declared: Rc::clone(&declared),
            });
        }
    }

    /// What the sheets and the element itself declare for it, the strongest last.
    pub fn declared(&self, element: impl Element) -> Vec<Declaration> {
        let own = declarations(element.attribute("style").unwrap_or_default());
        let rules = self.rules_for(element);
        let of_rules = rules.iter().flat_map(|rule| rule.declared.iter());
        let all: Vec<&Declared> = of_rules.chain(&own).collect();
        let (important, plain): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|declared| declared.is_important);
        let mut sorted: Vec<Declaration> = plain
            .into_iter()
            .chain(important)
            .map(|declared| declared.of.clone())
            .collect();
        self.resolve(&mut sorted);
        sorted
    }

    /// The rules that are for an element, the strongest last.
    fn rules_for(&self, element: impl Element) -> Vec<&Rule> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let classes = element.attribute("class").unwrap_or_default();
        let classes = classes.split_ascii_whitespace().take(MOST_CLASSES);
        let id = element.attribute("id").unwrap_or_default();
        let keys = classes.map(|class| Key::Class(class.to_owned())).chain([
            Key::Any,
            Key::Name(element.name().to_owned()),
            Key::Id(id.to_owned()),
        ]);
        let mut numbers: Vec<usize> = keys
            .filter_map(|key| self.by_key.get(&key))
            .flatten()
            .copied()
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut budget = self.budget.borrow_mut();
        let mut found: Vec<&Rule> = numbers
            .into_iter()
            .map(|number| &self.rules[number])
            .filter(|rule| rule.selector.is_for(element, &mut budget))
            .collect();
        // Stable: of equals the later one wins.
        found.sort_by_key(|rule| rule.selector.specificity);
        let declarations: usize = found.iter().map(|rule| rule.declared.len()).sum();
        budget.take(declarations as u64);
        found.split_off(found.len().saturating_sub(MOST_RULES))
    }

    /// Puts in the values of variables: those of the element, else those of the page.
    fn resolve(&self, declared: &mut Vec<Declaration>) {
        if !declared.iter().any(|(_, value)| value.contains("var(")) {
            return;
        }
        let own: BTreeMap<String, String> = declared
            .iter()
            .filter(|(property, _)| property.starts_with("--"))
            .cloned()
            .collect();
        let known = |name: &str| own.get(name).or_else(|| self.variables.get(name));
        let written = std::mem::take(declared);
        for (property, value) in written {
            let value = (0..MOST_VARIABLES).fold(value, |value, _| filled_in(&value, &known));
            declared.extend(longhands(&property, &value));
        }
    }
}

/// A value with the first variable in it replaced.
fn filled_in<'a>(value: &str, known: &impl Fn(&str) -> Option<&'a String>) -> String {
    let Some((before, from)) = value.split_once("var(") else {
        return value.to_owned();
    };
    if value.len() > LONGEST_VALUE {
        return String::new();
    }
    let (inner, after) =
        closing_bracket(from).map_or((from, ""), |at| (&from[..at], &from[at + 1..]));
    let (name, otherwise) = inner.split_once(',').unwrap_or((inner, ""));
    let filled = known(name.trim()).map_or(otherwise.trim(), String::as_str);
    format!("{before}{filled}{after}")
}

/// Where the bracket is closed that was opened just before a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The declarations of a style that affect visibility.
fn declarations(style: &str) -> Vec<Declared> {
    if style.is_empty() {
        return Vec::new();
    }
    let style = unescaped(&without_comments(style)).to_lowercase();
    let mut found = Vec::new();
    for text in split_outside(&style, ';') {
        let Some((property, value)) = text.split_once(':') else {
            continue;
        };
        let (value, is_important) = match value.rsplit_once('!') {
            Some((value, mark)) if mark.trim() == "important" => (value.trim(), true),
            _ => (value.trim(), false),
        };
        let all = longhands(property.trim(), value).into_iter();
        found.extend(all.map(|of| Declared { is_important, of }));
    }
    without_overruled(found)
}

/// The declarations that no later one of the same block overrules, in their order.
fn without_overruled(declared: Vec<Declared>) -> Vec<Declared> {
    let mut seen = BTreeSet::new();
    let mut left: Vec<Declared> = declared
        .into_iter()
        .rev()
        .filter(|declared| seen.insert((declared.is_important, declared.of.0.clone())))
        .take(MOST_DECLARATIONS)
        .collect();
    left.reverse();
    left
}

/// A declaration as those of single properties; nothing for one that does not hide.
fn longhands(property: &str, value: &str) -> Vec<Declaration> {
    if property.starts_with("--") || (SHORTHANDS.contains(&property) && value.contains("var(")) {
        return vec![(property.to_owned(), value.to_owned())];
    }
    let one = |property: &str, value: &str| (property.to_owned(), value.to_owned());
    let all = |properties: &[&str], value: &str| -> Vec<Declaration> {
        properties
            .iter()
            .map(|property| one(property, value))
            .collect()
    };
    let property = ["-webkit-", "-moz-", "-ms-"]
        .iter()
        .find_map(|prefix| property.strip_prefix(prefix))
        .unwrap_or(property);
    match property {
        "background" => background(value),
        "font" => font_size(value)
            .map(|size| one("font-size", size))
            .into_iter()
            .collect(),
        "inset" | "margin" => {
            let prefix = if property == "margin" { "margin-" } else { "" };
            let sides = ["top", "right", "bottom", "left"];
            let sides = sides.iter().zip(four(value));
            sides
                .map(|(side, value)| (format!("{prefix}{side}"), value.to_owned()))
                .collect()
        }
        "inset-block" => all(&["top", "bottom"], value),
        "inset-inline" => all(&["left", "right"], value),
        "inset-block-start" => all(&["top"], value),
        "inset-block-end" => all(&["bottom"], value),
        "inset-inline-start" => all(&["left"], value),
        "inset-inline-end" => all(&["right"], value),
        "margin-inline-start" | "margin-inline" => all(&["margin-left"], value),
        "margin-block-start" | "margin-block" => all(&["margin-top"], value),
        "block-size" => all(&["height"], value),
        "inline-size" => all(&["width"], value),
        "max-block-size" => all(&["max-height"], value),
        "max-inline-size" => all(&["max-width"], value),
        "overflow-x" | "overflow-y" | "overflow-block" | "overflow-inline" => {
            all(&["overflow"], value)
        }
        "mask" => vec![one("mask-image", value)],
        _ if PROPERTIES.contains(&property) => vec![one(property, value)],
        _ => Vec::new(),
    }
}

/// The values of a shorthand for four sides, from the top clockwise.
fn four(value: &str) -> Vec<&str> {
    let values: Vec<&str> = split_outside(value, ' ')
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    let at = |at: usize| values.get(at).copied();
    let Some(top) = at(0) else { return Vec::new() };
    let right = at(1).unwrap_or(top);
    vec![top, right, at(2).unwrap_or(top), at(3).unwrap_or(right)]
}

/// The size in the shorthand for fonts: `italic bold .5px/1 serif`. A bare number is a weight, but
/// for zero.
fn font_size(value: &str) -> Option<&str> {
    let sizes = split_outside(value, ' ')
        .into_iter()
        .map(|word| word.split_once('/').map_or(word, |(size, _)| size));
    let mut sizes = sizes.filter(|word| {
        quantity(word).is_some_and(|size| !size.unit.is_empty() || size.number == 0.0)
            || word.starts_with("calc(")
    });
    sizes.next()
}

/// The colour and the picture in the shorthand for backgrounds.
fn background(value: &str) -> Vec<Declaration> {
    let is_picture = |name: &str| !is_colour_function(name);
    let has_picture = calls(value).iter().any(|(name, _)| is_picture(name));
    let mut colours = split_outside(value, ' ').into_iter().filter(|word| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        !is_number && (colour(word).is_some() || ["inherit", "initial"].contains(word))
    });
    let of_text = words(value).contains(&"text");
    let plain = colours.next_back().unwrap_or("transparent");
    let picture = if has_picture { value } else { "none" };
    let mut found = vec![
        ("background-color".to_owned(), plain.to_owned()),
        ("background-image".to_owned(), picture.to_owned()),
    ];
    if of_text {
        found.push(("background-clip".to_owned(), "text".to_owned()));
    }
    found
}

fn is_colour_function(name: &str) -> bool {
    [
        "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color",
    ]
    .contains(&name)
}

/// The selectors of a rule that stands in another one.
fn nested(selectors: &str, parents: &str) -> String {
    if parents.is_empty() {
        return selectors.to_owned();
    }
    let mut all = Vec::new();
    for parent in split_outside(parents, ',') {
        for selector in split_outside(selectors, ',') {
            let (parent, selector) = (parent.trim(), selector.trim());
            let named = selector.matches('&').count();
            if parent.len() > LONGEST_PARENT || named > MOST_PARENTS {
                continue;
            }
            all.push(if named > 0 {
                selector.replace('&', parent)
            } else {
                format!("{parent} {selector}")
            });
        }
        // What nests like that hides nothing that a page needs, and doubles with each block.
        if all.len() > MOST_RULES {
            break;
        }
    }
    all.join(",")
}

/// The parts of a text between separators that stand in no brackets and no quotes.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0usize);
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match (quote, c) {
            (_, '\\') => {
                characters.next();
            }
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, _) if c == separator && depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// The next `;`, `{` or `}` outside brackets and quotes, and where it is.
fn find_mark(css: &str) -> Option<(usize, u8)> {
    let (mut depth, mut quote) = (0usize, None);
    let mut bytes = css.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => {
                bytes.next();
            }
            // A quote that is left open ends with its line.
            (Some(open), _) => quote = Some(open).filter(|open| *open != byte && byte != b'\n'),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.saturating_sub(1),
            (None, b'{' | b'}' | b';') if depth == 0 => return Some((at, byte)),
            _ => {}
        }
    }
    None
}

/// What stands in a block that has just begun, and what follows it; all of it where it is left
/// open.
fn block(css: &str) -> (&str, &str) {
    let (mut depth, mut from) = (1usize, 0);
    while let Some((at, mark)) = find_mark(&css[from..]) {
        match mark {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&css[..from + at], &css[from + at + 1..]);
        }
        from += at + 1;
    }
    (css, "")
}

fn without_comments(css: &str) -> String {
    let mut pieces = css.split("/*");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces
        .filter_map(|piece| piece.split_once("*/"))
        .map(|(_, after)| after);
    std::iter::once(first).chain(rest).collect()
}

/// Properties that stand for several.
const SHORTHANDS: &[&str] = &["background", "font", "inset", "margin"];

const PROPERTIES: &[&str] = &[
    "animation",
    "backface-visibility",
    "background-clip",
    "background-color",
    "background-image",
    "bottom",
    "clip",
    "clip-path",
    "color",
    "content-visibility",
    "display",
    "filter",
    "font-size",
    "font-size-adjust",
    "height",
    "left",
    "letter-spacing",
    "line-height",
    "margin-left",
    "margin-top",
    "mask-image",
    "mask-size",
    "max-height",
    "max-width",
    "opacity",
    "overflow",
    "position",
    "right",
    "rotate",
    "scale",
    "text-fill-color",
    "text-indent",
    "text-security",
    "top",
    "transform",
    "transition",
    "translate",
    "visibility",
    "width",
    "will-change",
    "z-index",
    "zoom",
];
