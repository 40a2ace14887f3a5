//! Brackets of Markdown links: which belong together, and the content of the round ones. Hides
//! titles, escapes and how nesting is bounded.

use std::ops::Range;

use super::steps;

/// Round brackets in an address may nest this deep; deeper ones are none, or hostile text would
/// take quadratic time.
const DEEPEST: usize = 32;

/// The square brackets of a text that belong together, in the order of the opening ones. Pairs do
/// not cross blank lines.
pub(super) fn pairs(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        steps::add(1);
        match bytes[at] {
            b'\\' if matches!(bytes.get(at + 1), Some(b'[' | b']')) => at += 1,
            b'[' => open.push(at),
            b']' => pairs.extend(open.pop().map(|start| (start, at))),
            // An empty line ends the paragraph, and with it every open bracket.
            b'\n' if text[past_blanks(text, at + 1)..].starts_with('\n') => {
                open.clear();
            }
            _ => {}
        }
        at += 1;
    }
    pairs.sort_unstable();
    pairs
}

/// The address in the round brackets that `at` is at, and where they end. They may be full-width
/// ones.
pub(super) fn destination(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let open = text[at..]
        .chars()
        .next()
        .filter(|&c| matches!(c, '(' | '（'))?;
    let close = if open == '(' { ')' } else { '）' };
    let start = skip(text, at + open.len_utf8());
    let (target, after) = if text[start..].starts_with('<') {
        angled(text, start)?
    } else {
        plain(text, start, (open, close))?
    };
    let end = skip(text, title(text, skip(text, after)));
    match text[end..].chars().next() {
        Some(c) if c == close => Some((target, end + c.len_utf8())),
        // Markdown would see no link here, but a reader does.
        _ => with_blanks(text, start, close),
    }
}

fn skip(text: &str, at: usize) -> usize {
    let blanks = text[at..]
        .bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    steps::add(blanks);
    at + blanks
}

/// Where the line that begins at `at` has its first character, or ends.
fn past_blanks(text: &str, at: usize) -> usize {
    let rest = text[at..].trim_start_matches([' ', '\t', '\r']);
    steps::add(text.len() - at - rest.len());
    text.len() - rest.len()
}

/// Where in `text`, from `at` on, the first of the characters is.
fn next(text: &str, at: usize, of: &[char]) -> Option<usize> {
    let found = text[at..].find(of);
    steps::add(found.unwrap_or(text.len() - at));
    found
}

/// The address in `<…>` and where it ends, brackets included.
pub(super) fn angled(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let inner = at + 1;
    let end = inner + next(text, inner, &['>', '<', '\n'])?;
    text[end..]
        .starts_with('>')
        .then_some((inner..end, end + 1))
}

fn plain(text: &str, start: usize, (open, close): (char, char)) -> Option<(Range<usize>, usize)> {
    let mut depth = 0;
    let mut escaped = false;
    for (at, c) in text[start..].char_indices() {
        steps::add(1);
        let end = (start..start + at, start + at);
        match c {
            _ if std::mem::take(&mut escaped) && !c.is_whitespace() => {}
            '\\' => escaped = true,
            _ if c.is_whitespace() || (c == close && depth == 0) => return Some(end),
            _ if c == open && depth == DEEPEST => return None,
            _ if c == open => depth += 1,
            _ if c == close => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where the title that begins at `at` ends; `at` where there is none.
fn title(text: &str, at: usize) -> usize {
    let (open, close) = match text[at..].chars().next() {
        Some(quote @ ('"' | '\'')) => (quote, quote),
        Some('“') => ('“', '”'),
        Some('(') => ('(', ')'),
        _ => return at,
    };
    let inner = at + open.len_utf8();
    match next(text, inner, &[open, close, '\n']) {
        Some(end) if text[inner + end..].starts_with(close) => inner + end + close.len_utf8(),
        _ => at,
    }
}

/// A web address with blanks in it, which Markdown does not allow and models write.
fn with_blanks(text: &str, start: usize, close: char) -> Option<(Range<usize>, usize)> {
    let end = start + next(text, start, &[close, '(', '[', '"', '\n'])?;
    let web = text[start..end].starts_with("http");
    (web && text[end..].starts_with(close)).then_some((start..end, end + close.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, target: &str, rest: &str) {
        let (range, end) = destination(text, 0).unwrap();
        assert_eq!((&text[range], &text[end..]), (target, rest), "{text}");
    }

    #[test]
    fn destinations_end_where_their_bracket_does() {
        check("(https://a.b/x).", "https://a.b/x", ".");
        check("(https://a.b/x_(y)_(z(w)))", "https://a.b/x_(y)_(z(w))", "");
        check("( <https://a.b/x y)> \"t)\" )!", "https://a.b/x y)", "!");
        check("(https://a.b 'title (x)')", "https://a.b", "");
        check("(https://a.b (title))", "https://a.b", "");
        check("(https://a.b \"title\" )", "https://a.b", "");
        check(r"(https://a.b/\(x)", r"https://a.b/\(x", "");
        check("（https://a.b/x）。", "https://a.b/x", "。");
        check(
            "(https://a.b/my report.pdf) x",
            "https://a.b/my report.pdf",
            " x",
        );
        check("()", "", "");
    }

    #[test]
    fn prose_in_brackets_is_no_destination() {
        for text in [
            "(see the text)",
            "(https://a.b",
            "(https://a.b\nx)",
            "x",
            "",
            "(<https://a.b)",
            "(a \"b)",
        ] {
            assert_eq!(destination(text, 0), None, "{text}");
        }
        assert_eq!(destination(&"(".repeat(99), 0), None);
    }

    #[test]
    fn brackets_pair_within_a_paragraph() {
        assert_eq!(pairs("[a [b] c]"), [(0, 8), (3, 5)]);
        assert_eq!(pairs("[a\n\n[b]]"), [(4, 6)]);
        assert_eq!(pairs("[[a]"), [(1, 3)]);
        assert_eq!(pairs(r"[\[1\]]"), [(0, 6)]);
    }
}
