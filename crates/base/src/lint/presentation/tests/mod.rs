//! Reports with one planted fault each, in each notation, and reports that were made to break a
//! reader.

mod planted;

use proptest::prelude::*;

use super::{Item::*, *};
use planted::{BASES, CHINESE, Edit, LINKS, NUMBERED, PLANTED};

fn edited(base: &str, edits: &[Edit]) -> String {
    edits.iter().fold(base.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "`{from}` in\n{text}");
        text.replace(from, to)
    })
}

/// `p3 line rule` for each finding.
fn told(presentation: &Presentation) -> Vec<String> {
    let items = presentation.items.iter();
    items
        .flat_map(|(item, outcome)| {
            outcome.findings().iter().map(|finding| {
                let rule = serde_json::to_value(finding.rule).unwrap();
                format!("{} {} {}", item.key(), finding.line, rule.as_str().unwrap())
            })
        })
        .collect()
}

#[test]
fn reports_without_faults_pass() {
    for base in BASES {
        let found = check(base);
        assert_eq!(told(&found), [""; 0], "{base}");
    }
    let all = check(NUMBERED);
    assert!(
        all.items
            .iter()
            .all(|(_, outcome)| *outcome == Outcome::Passed)
    );
}

#[test]
fn each_planted_fault_fails_its_item_alone() {
    assert!(PLANTED.len() >= 40);
    let mut wrong = Vec::new();
    for (base, item, edits) in PLANTED {
        let report = edited(base, edits);
        let found = check(&report);
        if found.failed().collect::<Vec<_>>() != [*item] {
            wrong.push(format!("{item:?} {edits:?}: {:?}", told(&found)));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    for item in Item::ALL {
        let planted = PLANTED.iter().filter(|planted| planted.1 == item).count();
        assert!(planted >= 6, "{item:?}: {planted}");
    }
}

/// The finding is on the line of the fault, and its place cuts out what is at fault.
#[test]
fn findings_say_where() {
    let cut = |base: &str, item: Item, edits: &[Edit]| {
        let report = edited(base, edits);
        let found = check(&report);
        let finding = &found.outcome(item).findings()[0];
        let chars = report.chars().skip(finding.start);
        let text: String = chars.take(finding.end - finding.start).collect();
        let line = report.lines().nth(finding.line - 1).unwrap().to_owned();
        assert!(
            line.contains(text.lines().next().unwrap()),
            "{line}: {text}"
        );
        text
    };
    assert_eq!(
        cut(CHINESE, P4, &[("更高【2】", "更高【2、9】")]),
        "【2、9】"
    );
    assert_eq!(cut(CHINESE, P8, &[("| 98 |", "| 待定 |")]), " 待定 ");
    assert_eq!(
        cut(CHINESE, P9, &[("## 一、概述", "**一、概述**")]),
        "**一、概述**"
    );
    assert_eq!(
        cut(NUMBERED, P3, &[("[2, 4]", "[2]")]),
        "4. Dogwood, D. Peak power. https://ports.org/peak"
    );
    assert_eq!(cut(LINKS, P9, &[("> |---|---|", "> |---|")]), "|---|");
}

#[test]
fn what_a_report_lacks_is_not_held_against_it() {
    let outcomes = |report: &str| -> Vec<&'static str> {
        let found = check(report);
        let told = |outcome: &Outcome| match outcome {
            Outcome::Passed => "passed",
            Outcome::NothingToCheck => "nothing",
            Outcome::Failed(_) => "failed",
        };
        found
            .items
            .iter()
            .map(|(_, outcome)| told(outcome))
            .collect()
    };
    let nothing = ["nothing"; 7];
    assert_eq!(outcomes(""), nothing);
    assert_eq!(outcomes("Prose without anything."), nothing);
    // Links are their own entries; numbers are not.
    let links = "# T\n\nAs [one](https://a.org/1) and [two](https://a.org/2) say.";
    let expect = [
        "nothing", "nothing", "nothing", "passed", "nothing", "passed", "nothing",
    ];
    assert_eq!(outcomes(links), expect);
    let numbers = "# T\n\nOne says so [1], two says not [2].";
    let expect = [
        "nothing", "failed", "failed", "passed", "nothing", "passed", "nothing",
    ];
    assert_eq!(outcomes(numbers), expect);
    let listed = "# T\n\nProse.\n\n## Sources\n\n1. A. https://a.org/1\n";
    let expect = [
        "failed", "nothing", "passed", "nothing", "nothing", "passed", "passed",
    ];
    assert_eq!(outcomes(listed), expect);
    let empty = "# T\n\nProse.\n\n## Sources\n\n";
    let expect = [
        "nothing", "nothing", "failed", "nothing", "nothing", "passed", "nothing",
    ];
    assert_eq!(outcomes(empty), expect);
    // A section by such a name is no list.
    let section = "# T\n\nProse.\n\n## Readings\n\nThe gauge reads ten millimetres.\n";
    let expect = [
        "nothing", "nothing", "nothing", "nothing", "nothing", "passed", "nothing",
    ];
    assert_eq!(outcomes(section), expect);
}

#[test]
fn lists_may_have_parts() {
    let parts = "A [1], b [2], c [3].\n\n## References\n\n### Primary sources\n\n1. A. https://a.org\n\
                 \n### Secondary sources\n\n2. B. https://b.org\n3. C. https://c.org\n";
    assert_eq!(told(&check(parts)), [""; 0]);
    let two = parts.replace("### Secondary", "## Secondary");
    assert_eq!(told(&check(&two)), ["p5 9 second_references"]);
}

#[test]
fn a_source_that_is_named_beside_its_mark_is_no_second_style() {
    let check = |text: &str, expect: &[&str]| {
        let list = "## References\n\n[1] Reed, R. (2019). Marsh. https://a.org/marsh\n\
                    [2] Sedge, S. (2020). Fen. https://a.org/fen\n";
        let found = check(&format!("# T\n\nOne [1]. Two [2].\n\n{text}\n\n{list}"));
        assert_eq!(told(&found), expect, "{text}");
    };
    check("Reed (2019) saw it first [1].", &[]);
    check("It is at https://a.org/fen [2].", &[]);
    check("[1](https://a.org/marsh) saw it.", &[]);
    check(
        "(Marten, 2021) [1] and Marten et al. (2021) say so [2].",
        &[],
    );
    check("## Wind, and Water (2021)", &[]);
    check("| Where |\n|---|\n| https://a.org/fen |", &[]);
    check(
        "| Where |\n|---|\n| See https://a.org/fen |",
        &["p6 7 mixed_style"],
    );
    check(
        "Marten et al. (2021) say so.",
        &["p4 5 dangling_citation", "p6 5 mixed_style"],
    );
    check("Reed (2019) saw it first.", &["p6 5 mixed_style"]);
    check("Reed (2019) saw it first [2].", &["p6 5 mixed_style"]);
    check("It is at https://a.org/fen.", &["p6 5 mixed_style"]);
}

/// Several works that fit one citation are cited by it, as far as code can tell.
#[test]
fn a_citation_of_one_of_two_works_cites_both() {
    let report = "# T\n\nSo it is (Reed, 2019).\n\n## References\n\n\
                  - Reed, R. (2019). Fen. https://a.org/fen\n\
                  - Reed, R. (2019). Marsh. https://a.org/marsh\n";
    assert_eq!(told(&check(report)), [""; 0]);
}

#[test]
fn items_have_a_key_and_a_question() {
    for item in Item::ALL {
        assert_eq!(serde_json::to_value(item).unwrap(), item.key());
        assert!(item.question().ends_with('?'));
        assert_eq!(check("").items[item as usize].0, item);
    }
}

const TRICKY: &[&str] = &[
    "|",
    "| a |",
    "|---|",
    "\n",
    "\n\n",
    "#",
    "## ",
    "**",
    "**b**",
    "[1]",
    "[^1]",
    "[^1]: ",
    "![",
    "](",
    ")",
    "1. ",
    "- ",
    "> ",
    "```\n",
    "`",
    "References",
    "## 参考文献\n",
    "https://a.org/1",
    "（王，2020）",
    "(Reed, 2019)",
    "Reed, R. (2019). ",
    "\\",
    "\u{3000}",
    "\r\n",
    "é",
    "😀",
    "---",
    "===",
    "：",
    "TBD",
];

proptest! {
    /// Findings of any text are in order and in it, and on the line that they name.
    #[test]
    fn findings_of_hostile_reports_are_places(
        pieces in prop::collection::vec(prop::sample::select(TRICKY), 0..40)
    ) {
        let report = pieces.concat();
        let chars: Vec<char> = report.chars().collect();
        let found = check(&report);
        for (item, outcome) in &found.items {
            prop_assert!(outcome.findings().is_sorted_by_key(|finding| finding.start));
            for finding in outcome.findings() {
                prop_assert!(finding.start < finding.end, "{item:?} {finding:?}");
                prop_assert!(finding.end <= chars.len(), "{item:?} {finding:?}");
                let breaks = chars[..finding.start].iter().filter(|c| **c == '\n').count();
                prop_assert_eq!(finding.line, breaks + 1, "{:?} {:?}", item, finding);
            }
        }
    }
}
