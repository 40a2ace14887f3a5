//! Slips of the pen that code can find: doubled words, broken encodings, markup that was left over,
//! brackets that are not closed, and words that are one letter away from a word which the report
//! uses often. They are marks for a reader and no verdict: code knows no dictionary.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use strsim::osa_distance;

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
/// Shorter words have many neighbours.
const SHORTEST: usize = 7;
/// How often a word must stand in a report before a neighbour is a slip.
const FREQUENT: usize = 3;
/// Doubled words of a line, and rare spellings of a report, that are marked: a text full of them
/// needs no list.
const MOST_OF_A_LINE: usize = 20;
const MOST_SPELLINGS: usize = 50;
/// Endings in which forms of a word differ.
const FORM: usize = 2;

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
    found.extend(misspelt(&lines));
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

/// Words that stand once and are one letter away from a frequent one.
fn misspelt(lines: &[Line]) -> Vec<Finding> {
    let mut places: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        for (at, word) in words(line) {
            if word.len() >= SHORTEST && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                places
                    .entry(word.to_owned())
                    .or_default()
                    .push((number, at));
            }
        }
    }
    // By what is left of a frequent word without one letter: neighbours share such a rest, so that
    // no two words are compared that cannot be near.
    let mut rests: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for (word, places) in &places {
        if places.len() >= FREQUENT {
            for rest in rests_of(word) {
                rests.entry(rest).or_default().insert(word);
            }
        }
    }
    let rare = places.iter().filter(|(_, places)| places.len() == 1);
    rare.filter_map(|(word, places)| {
        let near = rests_of(word).filter_map(|rest| rests.get(&rest)).flatten();
        let usual = near.copied().find(|usual| is_slip(word, usual))?;
        let (number, at) = places[0];
        let what = format!("“{word}”, elsewhere “{usual}”");
        Some(finding(
            &lines[number],
            Rule::RareSpelling,
            at..at + word.len(),
            what,
        ))
    })
    .take(MOST_SPELLINGS)
    .collect()
}

/// A word, and the word without each of its letters.
fn rests_of(word: &str) -> impl Iterator<Item = String> + '_ {
    let without = (0..word.len()).map(|at| [&word[..at], &word[at + 1..]].concat());
    std::iter::once(word.to_owned()).chain(without)
}

/// Whether a rare word is a frequent one with a slip, and neither another form of it nor another
/// word.
fn is_slip(word: &str, usual: &str) -> bool {
    let same = word
        .bytes()
        .zip(usual.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let shorter = word.len().min(usual.len());
    let spelling = |a: &str, b: &str| {
        a.replace("our", "or") == b.replace("our", "or")
            || a.replace('s', "z") == b.replace('s', "z")
    };
    osa_distance(word, usual) == 1
        // The first letters and the last ones make other words: adapt and adopt, policy, police.
        && same > 1
        && same + FORM < shorter
        && !spelling(word, usual)
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
    fn a_rare_neighbour_of_a_frequent_word_is_a_slip() {
        let often = "The government said so. The government paid. A government fell.";
        check(
            &format!("{often} The goverment rose."),
            &["“goverment”, elsewhere “government”"],
        );
        check(
            &format!("{often} Two governments met. Governance matters."),
            &[],
        );
        let often = "It was realised. All was realised. Much was realised.";
        check(&format!("{often} It is realized."), &[]);
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
