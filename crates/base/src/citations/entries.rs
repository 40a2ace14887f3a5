//! The entries that citations point to: lists under a heading, footnotes, definitions of links, and
//! lines that are plainly references without any heading. Hides which lines belong to which entry.

use std::{collections::BTreeSet, ops::Range};

use super::{
    address, author_year, bare,
    headings::{BOLD, Heading, heading},
    lines,
    openings::{Kind, Opening, named, opening},
    steps,
};
use crate::text::words::one_line;

/// An entry as it stands in the report, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub kind: Kind,
    pub label: Option<String>,
    /// All of it.
    pub range: Range<usize>,
    /// Without label and bullet.
    pub text: Range<usize>,
    /// The target of a definition.
    pub target: Option<Range<usize>>,
    /// Whether it is the address of an image.
    pub image: bool,
    indent: usize,
    /// Whether an address was in the lines so far.
    addressed: bool,
}

/// All entries of a report, in order, definitions that images use among them.
pub(super) fn find(text: &str) -> Vec<Entry> {
    let lines = lines(text);
    let images = images(text);
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = 0;
    for (section, level) in sections(text, &lines) {
        // Lists before a heading, such as footnotes after each chapter, count as well.
        loose(text, &lines[at..section.start], &mut entries);
        at = section.start + listed(text, &lines[section], level, &mut entries);
    }
    loose(text, &lines[at..], &mut entries);
    for entry in entries
        .iter_mut()
        .filter(|entry| entry.kind == Kind::Definition)
    {
        entry.image = entry
            .label
            .as_ref()
            .is_some_and(|label| images.contains(&key(label)));
    }
    entries
}

/// A label as it is looked up: case and blanks do not count.
pub(super) fn key(label: &str) -> String {
    one_line(label).to_lowercase()
}

/// The labels of images: of `![text][label]` and `![label]`.
fn images(text: &str) -> BTreeSet<String> {
    text.match_indices("![")
        .filter_map(|(at, _)| image_label(&text[at + 2..]))
        .collect()
}

/// The label of the image that `text` is the inside of.
fn image_label(text: &str) -> Option<String> {
    let (alt, rest) = named(text)?;
    let label = rest
        .strip_prefix('[')
        .and_then(named)
        .map_or(alt, |(label, _)| label);
    Some(key(label))
}

/// The sections with references, in lines and with the levels of their headings. Deeper headings
/// are within.
pub(super) fn sections(text: &str, lines: &[Range<usize>]) -> Vec<(Range<usize>, usize)> {
    let mut sections: Vec<(Range<usize>, usize)> = Vec::new();
    let mut open = false;
    for (at, (line, announced)) in lines.iter().zip(next_is_listed(text, lines)).enumerate() {
        let plain = |found: &Heading| found.level > BOLD;
        let Some(found) = heading(&text[line.clone()]).filter(|found| announced || !plain(found))
        else {
            continue;
        };
        if let Some((section, level)) = sections.last_mut().filter(|_| open)
            && (found.references || found.level <= *level)
        {
            section.end = at;
            open = false;
        }
        if found.references {
            sections.push((at..lines.len(), found.level));
            open = true;
        }
    }
    sections
}

/// For each line whether the next one with text looks like an entry; an underline is passed over.
fn next_is_listed(text: &str, lines: &[Range<usize>]) -> Vec<bool> {
    let mut next = false;
    let mut listed = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate().rev() {
        steps::add(line.len());
        listed[at] = next;
        let line = &text[line.clone()];
        if !line.trim().is_empty() && !is_rule(line) {
            next = opening(line).is_some() || bare::first(line).is_some();
        }
    }
    listed
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3
        && line
            .bytes()
            .all(|byte| matches!(byte, b'-' | b'*' | b'_' | b'=' | b'|' | b':' | b' '))
}

/// Entries outside of sections: footnotes, definitions, and lines that open with `[1]` and have an
/// address or come right after one that has.
fn loose(text: &str, lines: &[Range<usize>], entries: &mut Vec<Entry>) {
    let mut open = false;
    let mut gap = false;
    for range in lines {
        steps::add(range.len());
        let line = &text[range.clone()];
        if line.trim().is_empty() {
            gap = true;
            continue;
        }
        let listed = open && entries.last().is_some_and(|last| last.kind == Kind::Listed);
        if let Some(found) = opening(line).filter(|found| stands_alone(line, found, listed)) {
            entries.push(entry(range, line, found));
            open = true;
        } else {
            let last = entries.last_mut().filter(|_| open);
            open = last.is_some_and(|last| extend_loosely(last, range, line, gap));
        }
        gap = false;
    }
}

/// Whether a line opens an entry without a heading that says so.
fn stands_alone(line: &str, found: &Opening, listed: bool) -> bool {
    let rest = &line[found.text..];
    let numbered = found
        .label
        .as_ref()
        .is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    match found.kind {
        Kind::Footnote => line[..found.text].contains([':', '：']),
        Kind::Definition => !rest.trim().is_empty() && (numbered || is_target(rest)),
        Kind::Listed => {
            let linked = rest.starts_with(['(', '（', '[', '【']);
            found.bracketed && !linked && (listed || bare::first(rest).is_some())
        }
    }
}

fn is_target(text: &str) -> bool {
    let token = text.split_whitespace().next().unwrap_or_default();
    token.starts_with(['<', '#', '/'])
        || bare::at(token, 0).is_some()
        || address::scheme(token).is_some()
}

fn extend_loosely(last: &mut Entry, range: &Range<usize>, line: &str, gap: bool) -> bool {
    let indented = line.starts_with("  ") || line.starts_with('\t');
    let more = match last.kind {
        Kind::Footnote => {
            indented
                || (!gap && heading(line).is_none() && opening(line).is_none() && !is_rule(line))
        }
        _ => !gap && !last.addressed && opens_with_address(line),
    };
    if more {
        extend(last, range, line);
    }
    more
}

fn extend(entry: &mut Entry, range: &Range<usize>, line: &str) {
    entry.range.end = range.start + line.trim_end().len();
    entry.text.end = entry.range.end;
    entry.addressed |= bare::first(line).is_some();
}

/// Whether a line has nothing before its address but what introduces one: `URL:`, `Available at`, a
/// bullet.
fn opens_with_address(line: &str) -> bool {
    let Some(at) = bare::first(line) else {
        return false;
    };
    let before = line[..at].trim_matches([' ', '\t', '>', '-', '*', '•', '+']);
    let introduced = [":", "：", "<", "(", "（", "[", "from", " at", "at"]
        .iter()
        .any(|end| before.ends_with(end));
    before.is_empty() || (introduced && before.chars().nth(30).is_none())
}

fn entry(range: &Range<usize>, line: &str, found: Opening) -> Entry {
    let end = range.start + line.trim_end().len();
    let text = (range.start + found.text).min(end);
    let target = (found.kind == Kind::Definition)
        .then(|| target(&line[found.text..]))
        .flatten();
    Entry {
        kind: found.kind,
        label: found.label,
        range: range.start + found.indent..end,
        text: text..end,
        target: target.map(|target| text + target.start..text + target.end),
        image: false,
        indent: found.indent,
        addressed: bare::first(line).is_some(),
    }
}

/// The target that the text of a definition begins with, if it does.
fn target(text: &str) -> Option<Range<usize>> {
    if let Some(inner) = text.strip_prefix('<') {
        return inner.find('>').map(|end| 1..1 + end);
    }
    is_target(text).then(|| 0..text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Entries of a section, heading line included; how many lines it has. One under a bold or plain
/// line ends with the first prose after its list.
fn listed(text: &str, lines: &[Range<usize>], level: usize, entries: &mut Vec<Entry>) -> usize {
    let before = entries.len();
    let opens = |line: &str| opening(line).filter(|found| is_entry(line, found));
    // Where any entry has a mark, lines without one continue the entry before.
    let marked = lines.iter().any(|line| {
        steps::add(line.len());
        opens(&text[line.clone()]).is_some()
    });
    let (mut open, mut gap) = (false, false);
    for (at, range) in lines.iter().enumerate() {
        steps::add(range.len());
        let line = &text[range.clone()];
        if line.trim().is_empty() {
            gap = true;
            continue;
        }
        let last = entries.last_mut().filter(|_| open);
        if is_rule(line) || heading(line).is_some_and(|found| found.level <= BOLD || at == 0) {
            open = false;
        } else if last.is_some_and(|last| continues(last, range, line, gap, marked)) {
            open = true;
        } else if let Some(found) = opens(line) {
            entries.push(entry(range, line, found));
            open = true;
        } else if !marked && is_source(line) {
            entries.push(entry(range, line, unmarked(line)));
            open = true;
        // A section without Markdown's heading has no marked end: prose after a blank line ends it.
        } else if level >= BOLD && gap && entries.len() > before {
            return at;
        } else {
            open = false;
        }
        gap = false;
    }
    lines.len()
}

/// Whether a line with an opening is an entry of a section: what has no number must look like a
/// source.
fn is_entry(line: &str, found: &Opening) -> bool {
    found.label.is_some() || is_source(&line[found.text..])
}

fn is_source(text: &str) -> bool {
    bare::first(text).is_some() || !author_year::years(text).is_empty()
}

fn unmarked(line: &str) -> Opening {
    let text = line.len() - line.trim_start_matches([' ', '\t', '>', '\u{3000}']).len();
    Opening {
        kind: Kind::Listed,
        label: None,
        text,
        indent: text,
        bracketed: false,
    }
}

/// Extends the last entry where the line goes on with it.
fn continues(last: &mut Entry, range: &Range<usize>, line: &str, gap: bool, marked: bool) -> bool {
    let indent = line.len() - line.trim_start_matches([' ', '\t', '>', '\u{3000}']).len();
    let addresses = !last.addressed && opens_with_address(line);
    let deeper = indent > last.indent + 1;
    let more = match opening(line) {
        Some(found) if found.label.is_some() => false,
        Some(_) => deeper || (addresses && last.label.is_some()),
        None if gap => deeper || addresses,
        None => marked || addresses,
    };
    if more {
        extend(last, range, line);
    }
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let entries = find(text);
        let found: Vec<(&str, &str)> = entries
            .iter()
            .map(|entry| {
                (
                    entry.label.as_deref().unwrap_or(""),
                    &text[entry.text.clone()],
                )
            })
            .collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn a_list_has_an_entry_for_each_number() {
        check(
            "x\n## References\n1. A\n2. B\n\n3. C\n# Next\n4. D",
            &[("1", "A"), ("2", "B"), ("3", "C")],
        );
        check(
            "**来源**\n\n[1] 甲\n[2] 乙\n\n以上。\n\n1. 不是",
            &[("1", "甲"), ("2", "乙")],
        );
        check(
            "## Sources\n### Books\n1. A\n### Pages\n2. B",
            &[("1", "A"), ("2", "B")],
        );
        check("References\n==========\n1. A\n", &[("1", "A")]);
        check("Sources:\n\nmany people", &[]);
    }

    #[test]
    fn entries_go_on_over_lines() {
        check(
            "## References\n1. A\n   b\nc\n2. B",
            &[("1", "A\n   b\nc"), ("2", "B")],
        );
        check(
            "## References\n1. A\n\n   https://a.org\n2. B",
            &[("1", "A\n\n   https://a.org"), ("2", "B")],
        );
        check(
            "## References\n1. A\n   - URL: https://a.org\n2. B",
            &[("1", "A\n   - URL: https://a.org"), ("2", "B")],
        );
        check(
            "## References\n- A 2020\nhttps://a.org\n- B 2021",
            &[("", "A 2020\nhttps://a.org"), ("", "B 2021")],
        );
    }

    #[test]
    fn a_list_without_numbers_is_told_by_years_and_addresses() {
        check(
            "## References\n\nAs follows:\n\nA (2020). T.\n\nB (2021). U.",
            &[("", "A (2020). T."), ("", "B (2021). U.")],
        );
        check(
            "## Sources\n- seen [3]\n- A https://a.org",
            &[("", "A https://a.org")],
        );
        check("## Sources\n\nIt was all found on the web.", &[]);
    }

    #[test]
    fn footnotes_and_definitions_stand_anywhere() {
        check("a\n[^1]: T\n  u\n\nb", &[("1", "T\n  u")]);
        check("[^1]: T\nu\n[^2]: V\n# W", &[("1", "T\nu"), ("2", "V")]);
        check(
            "[a]: https://a.org \"t\"\n[1]: T\nhttps://b.org\nc",
            &[("a", "https://a.org \"t\""), ("1", "T\nhttps://b.org")],
        );
        check("[Note]: this is prose\n[a]: <b c>", &[("a", "<b c>")]);
        assert!(find("![x][A]\n\n[a]: https://a.org/p.png")[0].image);
    }

    #[test]
    fn a_numbered_line_with_an_address_needs_no_heading() {
        check(
            "a\n[1] T https://a.org\n[2] Book\nc\n[3] shows that\n[4](https://b.org) says",
            &[("1", "T https://a.org"), ("2", "Book")],
        );
    }
}
