//! The lines of a talk around the words that carry an idea, for a reader who was not there.

use std::ops::RangeInclusive;

use super::Numbered;
use crate::data::Evidence;

/// Lines before and after the quoted ones.
const LINES: usize = 3;

/// The lines around each quote in the order of the talk, one a row. Those that hold quoted words
/// begin with `>`, and a row of `…` stands where lines are left out.
pub fn around(numbered: &Numbered, evidence: &[Evidence]) -> String {
    let quoted: Vec<RangeInclusive<usize>> = evidence
        .iter()
        .map(|quote| numbered.sentences_in(quote.start_char..quote.end_char))
        .collect();
    let mut rows = Vec::new();
    let mut last = None;
    for number in (1..=numbered.count()).filter(|number| is_near(*number, &quoted)) {
        if last.is_some_and(|last| last + 1 < number) {
            rows.push("…".to_owned());
        }
        let is_quoted = quoted.iter().any(|lines| lines.contains(&number));
        let mark = if is_quoted { ">" } else { " " };
        rows.push(format!("{mark} {}", numbered.text(number)));
        last = Some(number);
    }
    rows.join("\n")
}

fn is_near(number: usize, quoted: &[RangeInclusive<usize>]) -> bool {
    quoted
        .iter()
        .any(|lines| number + LINES >= *lines.start() && number <= lines.end() + LINES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspire::testing::transcript;

    #[test]
    fn quoted_lines_are_marked_and_gaps_are_shown() {
        let lines: Vec<String> = (1..=12)
            .map(|n| format!("Line number {n} has seven words."))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let talk = transcript(&lines);
        let numbered = Numbered::new(&talk);
        let evidence = [numbered.evidence(1, 1), numbered.evidence(11, 12)];
        let shown = around(&numbered, &evidence);
        let rows: Vec<&str> = shown.lines().collect();
        assert_eq!(rows.len(), 4 + 1 + 5);
        assert_eq!(rows[0], "> Line number 1 has seven words.");
        assert_eq!(rows[3], "  Line number 4 has seven words.");
        assert_eq!(rows[4], "…");
        assert_eq!(rows[5], "  Line number 8 has seven words.");
        assert_eq!(rows[8], "> Line number 11 has seven words.");
    }

    #[test]
    fn half_a_line_marks_the_whole_one() {
        let talk = transcript(&[
            "The first line of the talk has nine words.",
            "Nobody has measured how gravel moves under ice.",
        ]);
        let numbered = Numbered::new(&talk);
        let quote = numbered.quoted("how gravel moves under ice");
        assert_eq!(
            around(&numbered, &[quote.expect("it was said")]),
            "  The first line of the talk has nine words.\n> Nobody has measured how gravel moves under ice."
        );
    }
}
