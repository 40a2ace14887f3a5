//! Headings of Markdown, and lines that stand in for one. Hides what else a line in bold face or
//! one with `#` may be: a label of a list, a caption, a hashtag.

use super::{lines::Line, tables};
use crate::text::words::is_han;

/// Most characters of a heading; a longer line in bold face is an emphasised sentence.
const MOST_CHARS: usize = 100;
/// Words that open a caption, before a number.
const CAPTIONS: &[&str] = &[
    "table", "figure", "fig", "chart", "exhibit", "box", "表", "图", "圖",
];

const HAN_FIGURES: &str = "一二三四五六七八九十";

/// What a heading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    /// A heading with its level, from 1 to 6.
    Real(usize),
    /// The same without any text.
    Empty(usize),
    /// `##Title`, with the level that was meant.
    Unspaced(usize),
    /// More than six `#`.
    TooDeep,
    /// A line in bold face.
    Bold,
}

/// The headings of a report with their lines' positions, in order.
pub(super) fn read(lines: &[Line]) -> Vec<(usize, Heading)> {
    let around = Around::new(lines);
    let mut headings: Vec<(usize, Heading)> = lines
        .iter()
        .filter(|line| !line.text.is_empty())
        .filter_map(|line| {
            let found = marked(line.text)
                .or_else(|| underlined(lines, line.at))
                .or_else(|| bold(lines, line.at, &around));
            Some((line.at, found?))
        })
        .collect();
    // A label in bold face is a heading of a report that has no others.
    if headings.is_empty() {
        headings.extend(
            lines
                .iter()
                .filter(|line| is_label(lines, line.at, &around))
                .map(|line| (line.at, Heading::Bold)),
        );
    }
    headings
}

/// The next line with text below each line.
struct Around {
    next: Vec<usize>,
}

impl Around {
    fn new(lines: &[Line]) -> Self {
        let mut next = vec![lines.len(); lines.len()];
        let mut seen = lines.len();
        for line in lines.iter().rev() {
            next[line.at] = seen;
            if !line.is_blank() || line.code {
                seen = line.at;
            }
        }
        Self { next }
    }
}

/// `## Title`, with the faults that it may have.
fn marked(text: &str) -> Option<Heading> {
    let body = text.trim_start_matches(' ');
    // Four blanks make it code or the text of a list item.
    let marks = body.bytes().take_while(|&byte| byte == b'#').count();
    if marks == 0 || text.len() - body.len() > 3 {
        return None;
    }
    let rest = &body[marks..];
    let title = rest.trim_matches([' ', '\t', '\r', '#', '\u{3000}']);
    match marks {
        1..=6 if title.is_empty() => rest.trim().is_empty().then_some(Heading::Empty(marks)),
        1..=6 if rest.starts_with([' ', '\t']) => Some(Heading::Real(marks)),
        1..=6 => is_title(rest, marks).then_some(Heading::Unspaced(marks)),
        _ => (!title.is_empty()).then_some(Heading::TooDeep),
    }
}

/// Whether the text right behind `#` is a title and neither a rank (`#1`), a hashtag nor a
/// program's first line.
fn is_title(rest: &str, marks: usize) -> bool {
    let title = |c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '(' | '（' | '“' | '"');
    let several = marks > 1;
    let lettered = rest.starts_with(|c: char| c.is_alphabetic() || c == '*');
    let lower = rest.starts_with(|c: char| c.is_ascii_lowercase());
    let hashtags = rest.contains(" #") || (lower && !rest.contains(' '));
    rest.starts_with(title) && (several || (lettered && !hashtags))
}

/// A line above `===` or `---` that is short enough for a title.
fn underlined(lines: &[Line], at: usize) -> Option<Heading> {
    let below = lines.get(at + 1)?.text.trim_end();
    let level = match below.bytes().next()? {
        b'=' if below.bytes().all(|byte| byte == b'=') => 1,
        b'-' if below.bytes().all(|byte| byte == b'-') => 2,
        _ => return None,
    };
    let alone = at == 0 || lines[at - 1].is_blank();
    let text = lines[at].text;
    let plain = !text.starts_with(['-', '*', '+', '>', '|', '#', ' ', '\t', '=']);
    (alone && plain && is_short(text) && !lines[at].is_blank()).then_some(Heading::Real(level))
}

/// A line in bold face that stands in for a heading.
fn bold(lines: &[Line], at: usize, around: &Around) -> Option<Heading> {
    let title = bold_text(lines, at)?;
    let next = lines.get(around.next[at])?;
    let labels_list = title.ends_with([':', '：'])
        && (next.at == at + 1 || is_item(next) || tables::is_row(next) || next.code);
    let shown = tables::is_row(next) || next.body().starts_with("![");
    let captions = is_caption(title) || (shown && !is_ordinal(title));
    // The same line again, such as an address block in bold face.
    let runs_on = next.at == at + 1 && bold_text_of(next).is_some();
    (!labels_list && !captions && !runs_on).then_some(Heading::Bold)
}

/// A line in bold face with a colon, whatever it introduces.
fn is_label(lines: &[Line], at: usize, around: &Around) -> bool {
    bold_text(lines, at).is_some() && around.next[at] < lines.len()
}

/// The text of a line all in bold face that begins a paragraph and may be a title.
fn bold_text<'a>(lines: &[Line<'a>], at: usize) -> Option<&'a str> {
    let begins = at == 0 || lines[at - 1].is_blank() || marked(lines[at - 1].text).is_some();
    let title = bold_text_of(&lines[at]).filter(|_| begins)?;
    let sentence = title.ends_with(['.', '!', '?', ';', ',', '。', '！', '？', '；', '，', '…']);
    let worded = title.contains(char::is_alphabetic);
    (is_short(title) && !sentence && worded && !title.contains("](") && !title.contains("http"))
        .then_some(title)
}

/// The text of a line that is all in bold face, with its colon.
fn bold_text_of<'a>(line: &Line<'a>) -> Option<&'a str> {
    let text = line.text.trim_end();
    let outer = text.trim_end_matches([':', '：']).trim_end();
    ["**", "__"].iter().find_map(|mark| {
        let inner = outer.strip_prefix(mark)?.strip_suffix(mark)?;
        let inner = inner.trim_matches(['*', '_', ' ']);
        let alone = !inner.is_empty() && !inner.contains(mark);
        // With the marks taken off, a colon outside of them is as good as one inside.
        let colon = outer.len() < text.len();
        alone.then_some(if colon { text } else { inner })
    })
}

fn is_short(text: &str) -> bool {
    text.chars().nth(MOST_CHARS).is_none()
}

fn is_item(line: &Line) -> bool {
    let body = line.body();
    let figures = body.bytes().take_while(u8::is_ascii_digit).count();
    body.starts_with(['-', '*', '+', '•', '·'])
        || (figures > 0 && body[figures..].starts_with(['.', ')', '、']))
}

/// `2. Prices`, `二、比较`
fn is_ordinal(title: &str) -> bool {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || HAN_FIGURES.contains(c));
    rest.len() < title.len() && rest.starts_with(['.', ')', '、', '．'])
}

/// `Table 2. Sales`, `图1：销量`
fn is_caption(title: &str) -> bool {
    let lower = title.to_lowercase();
    CAPTIONS.iter().any(|word| {
        let number = |rest: &str| {
            let rest = rest.trim_start_matches(['.', ' ']);
            let first = rest.chars().next().unwrap_or_default();
            let letter = first.is_ascii_alphabetic() && !rest[1..].starts_with(char::is_alphabetic);
            first.is_ascii_digit() || letter || (is_han(first) && HAN_FIGURES.contains(first))
        };
        lower.strip_prefix(word).is_some_and(number)
    })
}

#[cfg(test)]
mod tests {
    use super::{super::lines::with_lines, *};

    fn check(report: &str, expect: &[(usize, Heading)]) {
        assert_eq!(with_lines(report, read), expect, "{report}");
    }

    #[test]
    fn headings_are_real_or_have_a_fault() {
        use Heading::{Empty, Real, TooDeep, Unspaced};
        check("# A\n\n   ## B ##\n", &[(0, Real(1)), (2, Real(2))]);
        check("A\n===\n\nB\n---\n", &[(0, Real(1)), (3, Real(2))]);
        check(
            "#A title\n##B\n#标题\n",
            &[(0, Unspaced(1)), (1, Unspaced(2)), (2, Unspaced(1))],
        );
        check("##\n\n####### x\n", &[(0, Empty(2)), (2, TooDeep)]);
        for none in [
            "#1 of the list",
            "#sailing #wind",
            "#sailing",
            "#!/bin/sh",
            "    # code",
            "x\n```\n# code\n```",
            "prose\nand more\n---",
            "- a\n---",
        ] {
            check(none, &[]);
        }
    }

    #[test]
    fn bold_lines_stand_in_for_headings() {
        let bold = |line| vec![(line, Heading::Bold)];
        check("**Method**\n\nProse", &bold(0));
        check("**Method**\nProse", &bold(0));
        check("Prose.\n\n__方法__\n\n文。", &bold(2));
        check("***Method***\n\nProse", &bold(0));
        check("**Method:**\n\n- a", &bold(0));
        let real = "# T\n\n";
        let line = |text: &str, expect: bool| {
            let found = with_lines(&format!("{real}{text}"), read);
            assert_eq!(found.len() > 1, expect, "{text}: {found:?}");
        };
        line("**Method:**\n\nProse", true);
        line("**1. Method**\n\n- a", true);
        line("**二、比较**\n\n| a | b |\n|---|---|", true);
        for none in [
            "**Method:**\n- a",
            "**Method**:\n\n- a",
            "**Method:**\n\n| a | b |\n|---|---|",
            "**This is the end.**\n\nProse",
            "**a** and **b**\n\nProse",
            "**Table 2. Winds**\n\nProse",
            "**图1：风**\n\nProse",
            "**Winds by month**\n\n| a | b |\n|---|---|",
            "Prose\n**bold**\nprose",
            "**The end**",
            "- **Item**\n\n  Prose",
            "**[A](https://a.org)**\n\nProse",
            "**2024**\n\nProse",
        ] {
            line(none, false);
        }
    }
}
