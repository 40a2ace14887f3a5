//! Openings of entries: `[1]`, `1.`, `(1)`, `1、`, `- `, `[^1]:`, `[label]:`, `| 1 |`. Hides
//! bullets, emphasis and tables around the number.

use super::numbers;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// In a list of references.
    Listed,
    /// `[label]: https://…`
    Definition,
    /// `[^1]: …`
    Footnote,
}

/// Most characters of a label; a longer one is a sentence in brackets.
const LONGEST_LABEL: usize = 40;

/// The beginning of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub kind: Kind,
    pub label: Option<String>,
    /// Where in the line the text after number and bullet begins.
    pub text: usize,
    /// Blanks before it.
    pub indent: usize,
    /// Whether the number is in square brackets or their like, which says that it is cited.
    pub bracketed: bool,
}

/// A label, and the text after it.
struct Label<'a> {
    kind: Kind,
    label: String,
    bracketed: bool,
    rest: &'a str,
}

/// The opening of an entry that a line has.
pub(super) fn opening(line: &str) -> Option<Opening> {
    let body = line.trim_start_matches([' ', '\t', '>', '\u{3000}']);
    let indent = line.len() - body.len();
    let unbulleted = bullet(body).unwrap_or(body);
    let plain = unbulleted.trim_start_matches(['*', '_']);
    let found = footnote(plain)
        .or_else(|| bracketed(plain))
        .or_else(|| definition(plain))
        .or_else(|| ordinal(plain))
        .or_else(|| parenthesised(plain))
        .or_else(|| raised(plain))
        .or_else(|| cell(body));
    if let Some(Label {
        kind,
        label,
        bracketed,
        rest,
    }) = found
    {
        let emphasis: &[char] = if plain.len() < unbulleted.len() {
            &['*', '_', ' ', '\t']
        } else {
            &[' ', '\t']
        };
        let text = line.len() - rest.trim_start_matches(emphasis).len();
        return Some(Opening {
            kind,
            label: Some(label),
            text,
            indent,
            bracketed,
        });
    }
    let rest = bullet(body)?;
    // A list of tasks, not of sources.
    let task = ["[ ] ", "[x] ", "[X] "]
        .iter()
        .any(|open| rest.starts_with(open));
    let text = line.len() - rest.len();
    (!task && !rest.is_empty()).then_some(Opening {
        kind: Kind::Listed,
        label: None,
        text,
        indent,
        bracketed: false,
    })
}

/// The text after a bullet.
fn bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['-', '*', '+', '•', '·', '●', '–'])?;
    rest.starts_with([' ', '\t'])
        .then(|| rest.trim_start_matches([' ', '\t']))
}

fn listed(label: u32, bracketed: bool, rest: &str) -> Label<'_> {
    Label {
        kind: Kind::Listed,
        label: label.to_string(),
        bracketed,
        rest,
    }
}

/// `[^1]: text`; the colon may be missing.
fn footnote(text: &str) -> Option<Label<'_>> {
    let (label, rest) = named(text.strip_prefix("[^")?)?;
    let label = label.trim_matches('^').to_owned();
    Some(Label {
        kind: Kind::Footnote,
        label,
        bracketed: true,
        rest: rest.strip_prefix([':', '：']).unwrap_or(rest),
    })
}

/// The label up to the closing bracket, and the text after it.
pub(super) fn named(text: &str) -> Option<(&str, &str)> {
    let end = text
        .char_indices()
        .take(LONGEST_LABEL)
        .find(|(_, c)| matches!(c, ']' | '[' | '\n'))?
        .0;
    let label = text[..end].trim();
    Some((label, text[end..].strip_prefix(']')?)).filter(|_| !label.is_empty())
}

fn bracketed(text: &str) -> Option<Label<'_>> {
    let (number, length) = numbers::single(text)?;
    let rest = &text[length..];
    let defined = rest.strip_prefix([':', '：']);
    let kind = if defined.is_some() {
        Kind::Definition
    } else {
        Kind::Listed
    };
    Some(Label {
        kind,
        label: number.to_string(),
        bracketed: true,
        rest: defined.unwrap_or(rest),
    })
}

/// `[label]: https://…`, and `[S2] Title` where the label has a figure.
fn definition(text: &str) -> Option<Label<'_>> {
    let (label, rest) = named(text.strip_prefix('[')?)?;
    if let Some(defined) = rest.strip_prefix(':') {
        return Some(Label {
            kind: Kind::Definition,
            label: label.to_owned(),
            bracketed: true,
            rest: defined,
        });
    }
    // `[S2] Title`; without a figure the bracket may be any remark.
    let key = label.starts_with(char::is_alphabetic)
        && label.contains(|c: char| c.is_ascii_digit())
        && !label.contains(' ');
    let entry = Label {
        kind: Kind::Listed,
        label: label.to_owned(),
        bracketed: true,
        rest,
    };
    (key && rest.starts_with([' ', '\t'])).then_some(entry)
}

/// `1.`, `1)`, `1、`, `1：`; four figures are a year.
fn ordinal(text: &str) -> Option<Label<'_>> {
    let (number, rest) = numbers::digits(text)?;
    let after = rest.strip_prefix(['.', '．', '、', ')', '）', ':', '：'])?;
    let decimal = rest.starts_with(['.', ':']) && after.starts_with(|c: char| c.is_ascii_digit());
    (!decimal && number < 1000).then(|| listed(number, false, after))
}

/// `(1)`, `（1）`
fn parenthesised(text: &str) -> Option<Label<'_>> {
    let (number, rest) = numbers::digits(text.strip_prefix(['(', '（'])?)?;
    Some(listed(number, false, rest.strip_prefix([')', '）'])?))
}

fn raised(text: &str) -> Option<Label<'_>> {
    let (numbers, end) = numbers::raised(text, 0)?;
    matches!(numbers[..], [_]).then(|| listed(numbers[0], true, &text[end..]))
}

/// `| 1 | Title |`
fn cell(text: &str) -> Option<Label<'_>> {
    let inner = text.strip_prefix('|')?.trim_start();
    let (number, rest) = match numbers::single(inner) {
        Some((number, length)) => (number, &inner[length..]),
        None => numbers::digits(inner)?,
    };
    Some(listed(number, false, rest.trim_start().strip_prefix('|')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_open_with_a_number_a_name_or_a_bullet() {
        let check = |line: &str, kind: Kind, label: &str, text: &str| {
            let found = opening(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(
                (
                    found.kind,
                    found.label.as_deref().unwrap_or(""),
                    &line[found.text..]
                ),
                (kind, label, text),
                "{line}"
            );
        };
        for line in [
            "1. T",
            "[1] T",
            "  [1] T",
            "1) T",
            "1、T",
            "(1) T",
            "（1）T",
            "- [1] T",
            "* 1. T",
            "**[1]** T",
            "**1.** T",
            "【1】T",
            "［1］ T",
            "¹ T",
            "<sup>1</sup> T",
            "^1^ T",
            "| 1 | T",
            "| [1] | T",
            "1．T",
            "> [1] T",
            r"\[1\] T",
            "[来源1] T",
        ] {
            check(line, Kind::Listed, "1", "T");
        }
        check("- T", Kind::Listed, "", "T");
        check("• T", Kind::Listed, "", "T");
        check("[S2] T", Kind::Listed, "S2", "T");
        check(
            "[1](https://a.org) T",
            Kind::Listed,
            "1",
            "(https://a.org) T",
        );
        check("1. **T** x", Kind::Listed, "1", "**T** x");
        check("[1]: T", Kind::Definition, "1", "T");
        check("[a b]: T", Kind::Definition, "a b", "T");
        check("[^n]: T", Kind::Footnote, "n", "T");
        check("[^1] T", Kind::Footnote, "1", "T");
    }

    #[test]
    fn prose_opens_nothing() {
        for line in [
            "T",
            "",
            "2.5 million",
            "10.1000/x",
            "[PDF] T",
            "[x] T",
            "- [ ] T",
            "-T",
            "12:30 T",
            "[1, 2] T",
            "12345. T",
            "- ",
        ] {
            assert_eq!(opening(line), None, "{line}");
        }
    }
}
