//! Slips of the pen that code can find: doubled words, broken encodings, markup that was left over,
//! and brackets that are not closed. They are marks for a reader and no verdict. Spelling is left
//! to the reader: code knows no dictionary, and words that are one letter away from a frequent one
//! were other words in real reports.

use super::{
    Finding, Rule,
    lines::{Line, lines},
};
use crate::citations::without_code;

/// Words that may stand twice in a row.
const TWICE: [&str; 8] = ["that", "had", "very", "so", "no", "bye", "ha", "long"];
/// What UTF-8 looks like that was read in another encoding.
const MOJIBAKE: [&str; 6] = ["â€", "Ã©", "Ã¼", "Ã¶", "ï¿½", "\u{fffd}"];
/// What models and editors leave behind.
const LEFT_OVER: [&str; 9] = [
    "oaicite",
    "contentReference[",
    "turn0search",
    "citeturn",
    "\\n",
    "</span>",
    "</div>",
    "&nbsp;",
    "&amp;",
];
/// Doubled words of a line that are marked: a text full of them needs no list.
const MOST_OF_A_LINE: usize = 20;

/// The slips of a report, in its order.
pub fn check(report: &str) -> Vec<Finding> {
    let visible = without_code(report);
    let lines = lines(report, &visible);
    let mut found = Vec::new();
    for line in &lines {
        found.extend(doubled(line).take(MOST_OF_A_LINE));
        found.extend(contains(
            line,
            Rule::BrokenEncoding,
            &MOJIBAKE,
            "broken encoding",
        ));
        found.extend(contains(
            line,
            Rule::LeftOver,
            &LEFT_OVER,
            "left-over markup",
        ));
        found.extend(unclosed(line));
    }
    found.sort_by_key(|finding| (finding.start, finding.end));
    found
}

/// A word of a line with the byte that it begins at.
fn words<'a>(line: &Line<'a>) -> impl Iterator<Item = (usize, &'a str)> {
    let text = line.text;
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn finding(line: &Line, rule: Rule, bytes: std::ops::Range<usize>, what: String) -> Finding {
    let start = line.start + line.text[..bytes.start].chars().count();
    Finding {
        rule,
        start,
        end: start + line.text[bytes].chars().count(),
        line: line.at + 1,
        what,
    }
}

fn doubled<'a>(line: &'a Line<'a>) -> impl Iterator<Item = Finding> + 'a {
    let all: Vec<(usize, &str)> = words(line).collect();
    let pairs: Vec<[(usize, &str); 2]> = all.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    pairs
        .into_iter()
        .filter_map(move |[(at, first), (next, second)]| {
            let apart = &line.text[at + first.len()..next];
            let folded = first.to_lowercase();
            // Two capitals are a name, such as Pago Pago or 'Baden Baden'.
            let is_name = second.starts_with(char::is_uppercase);
            (apart == " "
                && first.is_ascii()
                && first.len() > 1
                && folded == second.to_lowercase()
                && !is_name
                && !TWICE.contains(&folded.as_str()))
            .then(|| {
                let what = format!("a doubled word: “{first} {second}”");
                finding(line, Rule::DoubledWord, at..next + second.len(), what)
            })
        })
}

/// The first place of a pattern on the line.
fn contains(line: &Line, rule: Rule, patterns: &[&str], name: &str) -> Option<Finding> {
    let places = patterns
        .iter()
        .filter_map(|pattern| Some((line.text.find(pattern)?, pattern)));
    let (at, pattern) = places.min()?;
    let what = format!("{name}: “{pattern}”");
    Some(finding(line, rule, at..at + pattern.len(), what))
}

/// A bracket that is opened on a line and not closed there, with nothing after it that closes one.
fn unclosed(line: &Line) -> Option<Finding> {
    let mut open: Vec<usize> = Vec::new();
    for (at, c) in line.text.char_indices() {
        match c {
            '(' | '（' => open.push(at),
            // An item's `a)` closes nothing.
            ')' | '）' => _ = open.pop(),
            _ => {}
        }
    }
    let at = *open.first()?;
    let text = &line.text[at..];
    let bracket = text.chars().next()?.len_utf8();
    let shown: String = text.chars().take(30).collect();
    let what = format!("a bracket that is not closed: “{shown}”");
    Some(finding(line, Rule::UnclosedBracket, at..at + bracket, what))
}

#[cfg(test)]
mod tests {

    fn check(report: &str, expected: &[&str]) {
        let found: Vec<String> = super::check(report).into_iter().map(|of| of.what).collect();
        assert_eq!(found, expected, "{report}");
    }

    #[test]
    fn slips_are_found_and_other_text_is_not() {
        check(
            "The the gauge drifts in in winter.",
            &["a doubled word: “The the”", "a doubled word: “in in”"],
        );
        check(
            "He said that that would do, in Baden Baden. Is it? It is.",
            &[],
        );
        check("It costs 5 â€™ today.", &["broken encoding: “â€”"]);
        check(
            "A claim citeturn0search3 here.",
            &["left-over markup: “citeturn”"],
        );
        check(
            "Gauges (of pressure drift.",
            &["a bracket that is not closed: “(of pressure drift.”"],
        );
        check(
            "Gauges (of pressure) drift: a) in winter, b) in spring（春天）.",
            &[],
        );
        check("So:\n\n```\nthe the (\n```\n\nThat is all.\n", &[]);
    }

    #[test]
    fn places_are_characters_of_the_report() {
        let report = "河流很长。\n他说 the the end.";
        let found = super::check(report);
        let chars: Vec<char> = report.chars().collect();
        let cut: String = chars[found[0].start..found[0].end].iter().collect();
        assert_eq!((cut.as_str(), found[0].line), ("the the", 2));
    }
}
