//! Code blocks and code spans of a report. Blanks of the same length stand in for them, so that
//! places stay the same.

use std::{collections::BTreeMap, ops::Range};

use super::{lines, steps};

/// The fence that a line is: its character, its length, what follows it.
#[derive(Clone, Copy)]
struct Fence<'a> {
    mark: u8,
    length: usize,
    info: &'a str,
}

/// The report with fenced blocks and code spans blanked, byte for byte as long. A fence that is
/// never closed hides nothing, a code span ends on its line: a stray backtick must not hide half a
/// report. A report that is one fenced block is read as its content.
pub(super) fn hide(report: &str) -> String {
    let lines = lines(report);
    let fences: Vec<Option<Fence>> = lines
        .iter()
        .map(|line| fence(&report[line.clone()]))
        .collect();
    // Models put the whole report into one fence.
    let inner = unwrapped(report, &lines, &fences);
    let mut hidden = Vec::new();
    if inner.len() < lines.len() {
        hidden.extend(
            lines[..inner.start]
                .iter()
                .chain(&lines[inner.end..])
                .cloned(),
        );
    }
    // A fence without an end would hide the rest of the report: models forget to close them.
    let closable = longest_after(&fences[inner.clone()]);
    let mut block: Option<(Fence, usize)> = None;
    for at in inner.clone() {
        steps::add(lines[at].len());
        match (block, fences[at]) {
            (Some((open, start)), Some(fence)) if fence.closes(open) => {
                hidden.push(start..lines[at].end);
                block = None;
            }
            (None, Some(fence)) if closable[at - inner.start][fence.slot()] >= fence.length => {
                block = Some((fence, lines[at].start));
            }
            (None, _) => spans(report, &lines[at], &mut hidden),
            (Some(_), _) => {}
        }
    }
    hidden.sort_unstable_by_key(|range| range.start);
    blank(report, &hidden)
}

impl Fence<'_> {
    fn closes(self, open: Fence) -> bool {
        self.mark == open.mark && self.length >= open.length && self.info.is_empty()
    }

    fn slot(self) -> usize {
        usize::from(self.mark == b'~')
    }
}

fn fence(line: &str) -> Option<Fence<'_>> {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let mark = *line
        .as_bytes()
        .first()
        .filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = line.bytes().take_while(|&byte| byte == mark).count();
    let info = line[length..].trim();
    (length >= 3 && !(mark == b'`' && info.contains('`'))).then_some(Fence { mark, length, info })
}

/// For each line, how long the longest closing fence after it is, of backticks and of tildes.
fn longest_after(fences: &[Option<Fence>]) -> Vec<[usize; 2]> {
    let mut longest = [0; 2];
    let mut after = vec![longest; fences.len()];
    for (at, fence) in fences.iter().enumerate().rev() {
        after[at] = longest;
        if let Some(fence) = fence.filter(|fence| fence.info.is_empty()) {
            longest[fence.slot()] = longest[fence.slot()].max(fence.length);
        }
    }
    after
}

/// The lines of the report without the one fence around them all. A block that says it is Markdown
/// may have blocks inside.
fn unwrapped(report: &str, lines: &[Range<usize>], fences: &[Option<Fence>]) -> Range<usize> {
    let whole = 0..lines.len();
    let written = |line: &Range<usize>| !report[line.clone()].trim().is_empty();
    let (Some(first), Some(last)) = (
        lines.iter().position(written),
        lines.iter().rposition(written),
    ) else {
        return whole;
    };
    let (Some(open), Some(close)) = (fences[first], fences[last]) else {
        return whole;
    };
    let between = first + 1..last;
    // A fence that says Markdown is a wrapper even where others lie within it.
    let markdown = matches!(open.info.to_ascii_lowercase().as_str(), "markdown" | "md");
    let closed_before = || {
        fences[between.clone()].iter().flatten().any(|fence| {
            steps::add(1);
            fence.closes(open)
        })
    };
    let one = last > first && close.closes(open) && (markdown || !closed_before());
    if one { between } else { whole }
}

/// Adds the code spans of a line: from a run of backticks to the next one that is as long.
fn spans(report: &str, line: &Range<usize>, hidden: &mut Vec<Range<usize>>) {
    let runs = backticks(&report.as_bytes()[line.clone()]);
    let mut next = vec![None; runs.len()];
    let mut seen = BTreeMap::new();
    for (at, run) in runs.iter().enumerate().rev() {
        next[at] = seen.insert(run.len(), at);
    }
    let mut at = 0;
    while at < runs.len() {
        if let Some(close) = next[at] {
            hidden.push(line.start + runs[at].start..line.start + runs[close].end);
            at = close;
        }
        at += 1;
    }
}

fn backticks(line: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..line.len()).filter(|&at| line[at] == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The text with spaces for each byte of the ranges, which are in order and apart; line breaks
/// stay.
pub(super) fn blank(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.extend(
            text[range.clone()]
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
        );
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(report: &str, visible: &str) {
        let found = hide(report);
        assert_eq!(found.len(), report.len());
        assert_eq!(
            found.split_whitespace().collect::<Vec<_>>().join(" "),
            visible,
            "{report}"
        );
    }

    #[test]
    fn blocks_and_spans_are_blank() {
        check("a\n```rust\nb[1]\n```\nc", "a c");
        check("a\n~~~\nb\n```\n~~~~\nc", "a c");
        check("a\n> ```\n> b\n> ```\nc", "a c");
        check("a `b` c ``d ` e`` f", "a c f");
        check("代码 `码` 文", "代码 文");
        check("a ```b``` c", "a c");
    }

    #[test]
    fn what_is_not_closed_hides_nothing() {
        check("a\n```rust\nb", "a ```rust b");
        check("a ` b\nc ` d", "a ` b c ` d");
        check("a ``b` c", "a ``b` c");
        check("a\n````\nb\n```\nc", "a ```` b ``` c");
    }

    #[test]
    fn a_report_in_one_fence_is_read() {
        check("\n```\na `b` c\n```\n", "a c");
        check("```markdown\na\n```py\nb\n```\nc\n```", "a c");
        check("```markdown\na\n```\nb\n```\nc\n```", "a c");
        check("```py\na\n```\nb\n```\nc\n```", "b");
        check("```\na", "``` a");
        check("```", "```");
        check("", "");
    }
}
