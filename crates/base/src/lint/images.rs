//! Images of a report and their addresses. Hides nesting of brackets and labels that are defined
//! elsewhere.

use std::collections::BTreeSet;

use super::lines::Line;

/// Most characters of an image's text that are looked at.
const MOST_CHARS: usize = 1000;
/// Brackets may nest this deep, or hostile text would be looked at again and again.
const DEEPEST: usize = 8;
/// What an address that was never filled in is or begins with.
const UNFILLED: &[&str] = &[
    "url",
    "link",
    "image",
    "image_url",
    "image-url",
    "src",
    "path",
    "todo",
    "tbd",
    "图片",
    "链接",
];
/// What an address that leads nowhere has in it.
const NOWHERE: &[&str] = &[
    "example.com/",
    "placeholder",
    "path/to/",
    "your-image",
    "insert",
    "sandbox:",
    "attachment:",
];
/// What a line in brackets says that stands for a figure.
const INSERT: &[&str] = &["insert ", "placeholder", "插入", "占位", "此处"];
const FIGURES: &[&str] = &[
    "figure", "chart", "table", "image", "graph", "diagram", "图", "圖", "表",
];

/// One image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// The position of its line.
    pub line: usize,
    /// Where it begins in the report, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What its address is.
    pub address: Address,
}

/// What an image's address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// One that may lead to an image.
    Given,
    /// None at all.
    Missing,
    /// One that was never filled in, or that no reader can open.
    Unfilled,
}

/// The images of a report in order.
pub(super) fn read(lines: &[Line]) -> Vec<Image> {
    let defined: BTreeSet<String> = lines.iter().filter_map(|line| defined(line.text)).collect();
    lines
        .iter()
        .filter(|line| line.shown.contains("!["))
        .flat_map(|line| of_line(line, &defined))
        .collect()
}

/// Whether a line says that a figure is to be put there.
pub(super) fn is_placeholder(line: &Line) -> bool {
    let body = line.body().trim_matches(['*', '_', ' ']);
    let bracketed = body.starts_with(['[', '【', '<', '(', '（'])
        && body.ends_with([']', '】', '>', ')', '）']);
    if !bracketed || body.chars().nth(MOST_CHARS).is_some() || body.contains("](") {
        return false;
    }
    let lower = body.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    says(INSERT) && says(FIGURES)
}

/// The label that a line defines: `[label]: address`.
fn defined(text: &str) -> Option<String> {
    let (label, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    rest.strip_prefix(':').map(|_| label.to_lowercase())
}

fn of_line(line: &Line, defined: &BTreeSet<String>) -> Vec<Image> {
    let mut images = Vec::new();
    let (mut byte, mut place) = (0, line.start);
    while let Some(found) = line.shown[byte..].find("![") {
        place += line.text[byte..byte + found].chars().count();
        byte += found;
        let (length, address) = image(&line.shown[byte..], defined).unwrap_or((2, Address::Given));
        let end = place + line.text[byte..byte + length].chars().count();
        if length > 2 {
            images.push(Image {
                line: line.at,
                start: place,
                end,
                address,
            });
        }
        (byte, place) = (byte + length, end);
    }
    images
}

/// The image that a text begins with: its length and its address.
fn image(text: &str, defined: &BTreeSet<String>) -> Option<(usize, Address)> {
    let close = closing(&text[1..], '[', ']')? + 1;
    let alt = &text[2..close];
    let after = &text[close + 1..];
    if after.starts_with('(') {
        let end = closing(after, '(', ')')?;
        return Some((close + 2 + end, address(&after[1..end])));
    }
    let label = after
        .starts_with('[')
        .then(|| closing(after, '[', ']'))
        .flatten();
    let label_text = label.map_or("", |end| &after[1..end]);
    let name = if label_text.is_empty() {
        alt
    } else {
        label_text
    };
    let address = if defined.contains(&name.to_lowercase()) {
        Address::Given
    } else {
        Address::Missing
    };
    Some((close + 1 + label.map_or(0, |end| end + 1), address))
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().take(MOST_CHARS) {
        depth += usize::from(c == open);
        if depth > DEEPEST {
            return None;
        }
        if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn address(written: &str) -> Address {
    let plain = written
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .trim_matches(['<', '>'])
        .to_lowercase();
    if plain.is_empty() || plain.starts_with('#') {
        return Address::Missing;
    }
    let unfilled =
        UNFILLED.contains(&plain.as_str()) || NOWHERE.iter().any(|it| plain.contains(it));
    if unfilled {
        Address::Unfilled
    } else {
        Address::Given
    }
}

#[cfg(test)]
mod tests {
    use super::{super::lines::with_lines, *};

    #[test]
    fn images_have_an_address_or_none() {
        let check = |text: &str, expect: &[(&str, Address)]| {
            let found: Vec<(String, Address)> = with_lines(text, read)
                .iter()
                .map(|image| {
                    let cut = text.chars().skip(image.start).take(image.end - image.start);
                    (cut.collect(), image.address)
                })
                .collect();
            let expect: Vec<(String, Address)> = expect
                .iter()
                .map(|(cut, address)| ((*cut).to_owned(), *address))
                .collect();
            assert_eq!(found, expect, "{text}");
        };
        use Address::{Given, Missing, Unfilled};
        check("图 ![风](a.png) x", &[("![风](a.png)", Given)]);
        check(
            "![a]() ![b](url)",
            &[("![a]()", Missing), ("![b](url)", Unfilled)],
        );
        check(
            "![a](https://example.com/x.png)",
            &[("![a](https://example.com/x.png)", Unfilled)],
        );
        check(
            "[![a](https://a.org/x_(1).png \"t\")](b)",
            &[("![a](https://a.org/x_(1).png \"t\")", Given)],
        );
        check("![a][b]\n\n[b]: c.png", &[("![a][b]", Given)]);
        check("![a]", &[("![a]", Missing)]);
        check("What![ `![x]()` and\n```\n![x]()\n```", &[]);
    }

    #[test]
    fn lines_stand_for_figures() {
        for (text, expect) in [
            ("[Insert chart of winds here]", true),
            ("*【此处插入图表】*", true),
            ("[Figure 1 placeholder]", true),
            ("[1] Insert molding: a table of charts", false),
            ("Insert a chart", false),
            ("[Insert table](https://a.org)", false),
        ] {
            let found = with_lines(text, |lines| is_placeholder(&lines[0]));
            assert_eq!(found, expect, "{text}");
        }
    }
}
