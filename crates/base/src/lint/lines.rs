//! The lines of a report with their places. Hides which lines are code.

use super::{Finding, Rule};

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 0.
    pub at: usize,
    /// Where it begins in the report, in Unicode scalar values.
    pub start: usize,
    /// As written, without its line break; empty where it is code.
    pub text: &'a str,
    /// The same with blanks in place of code spans, byte for byte as long.
    pub shown: &'a str,
    /// Whether it is within a fenced block.
    pub code: bool,
}

impl Line<'_> {
    /// The text without the marks of quotations and the blanks around it.
    pub(super) fn body(&self) -> &str {
        self.text
            .trim_start_matches([' ', '\t', '>', '\u{3000}'])
            .trim_end()
    }

    /// Whether nothing can be seen of it.
    pub(super) fn is_blank(&self) -> bool {
        self.body().is_empty()
    }

    /// A finding about all of the line but the blanks and marks of quotations around it.
    pub(super) fn finding(&self, rule: Rule, what: impl Into<String>) -> Finding {
        let text = self.text.trim_end();
        let indent = text.len() - self.body().len();
        let start = self.start + text[..indent].chars().count();
        Finding {
            rule,
            start,
            end: start + text[indent..].chars().count(),
            line: self.at + 1,
            what: what.into(),
        }
    }
}

/// The lines of a report in order; `visible` is the report with its code blanked.
pub(super) fn lines<'a>(report: &'a str, visible: &'a str) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let (mut start, mut byte) = (0, 0);
    for (at, whole) in report.split_inclusive('\n').enumerate() {
        let text = whole.trim_end_matches(['\n', '\r']);
        // A line of a fenced block is all blank where code is hidden; one that only has a code span
        // loses nothing that headings and tables need.
        let shown = &visible[byte..byte + text.len()];
        let code = shown.trim().is_empty() && !text.trim().is_empty();
        lines.push(Line {
            at,
            start,
            text: if code { "" } else { text },
            shown: if code { "" } else { shown },
            code,
        });
        start += whole.chars().count();
        byte += whole.len();
    }
    lines
}

/// The position of the line that a place of the report is on.
pub(super) fn line_of(lines: &[Line], place: usize) -> usize {
    lines
        .partition_point(|line| line.start <= place)
        .saturating_sub(1)
}

/// The lines of a report in a test.
#[cfg(test)]
pub(super) fn with_lines<T>(report: &str, work: impl FnOnce(&[Line]) -> T) -> T {
    let visible = crate::citations::without_code(report);
    work(&lines(report, &visible))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_places_and_code_has_none() {
        let report = "一\r\n```\na\n```\n`b` c\n";
        with_lines(report, |lines| {
            let told: Vec<(usize, &str, bool)> = lines
                .iter()
                .map(|line| (line.start, line.text, line.code))
                .collect();
            assert_eq!(
                told,
                [
                    (0, "一", false),
                    (3, "", true),
                    (7, "", true),
                    (9, "", true),
                    (13, "`b` c", false)
                ]
            );
            assert_eq!(lines[4].shown, "    c");
            assert_eq!((line_of(lines, 0), line_of(lines, 14)), (0, 4));
        });
    }
}
