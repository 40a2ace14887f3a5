//! Planted questions: how many are found, and how many clean ones raise an alarm.

use std::io::Write as _;

use super::planted_questions::{FRESH, PLANTED, Planted};
use crate::{
    arena::examiner::leak::{Hidden, leaks},
    data::NodeId,
};

type Questions = &'static [&'static str];

/// All, those that raised an alarm, and each with its alarm.
fn count(
    pages: &[Planted],
    questions: impl Fn(&Planted) -> Questions,
) -> (usize, usize, Vec<(&'static str, String)>) {
    let node = NodeId::from_parts(&["hidden"]);
    let (mut all, mut found, mut told) = (0, 0, Vec::new());
    for page in pages {
        let hidden = Hidden {
            node: &node,
            title: Some(page.title),
            url: page.url,
            names: &[],
        };
        for question in questions(page) {
            let leaks = leaks(question, &[hidden], page.known);
            all += 1;
            found += usize::from(!leaks.is_empty());
            let how = leaks
                .first()
                .map(|leak| format!("{}: {}", leak.kind.word(), leak.found));
            told.push((*question, how.unwrap_or_default()));
        }
    }
    (all, found, told)
}

/// Leaks and those found, clean questions and alarms; what went wrong is written out.
fn measured(pages: &[Planted]) -> [usize; 4] {
    let (planted, found, told) = count(pages, |page| page.leaking);
    let (clean, alarms, raised) = count(pages, |page| page.clean);
    let mut out = std::io::stderr().lock();
    writeln!(
        out,
        "planted: {found} of {planted} found; clean: {alarms} alarms in {clean}"
    )
    .unwrap();
    for (question, _) in told.iter().filter(|(_, how)| how.is_empty()) {
        writeln!(out, "  not found: {question}").unwrap();
    }
    for (question, how) in raised.iter().filter(|(_, how)| !how.is_empty()) {
        writeln!(out, "  false alarm ({how}): {question}").unwrap();
    }
    [planted, found, clean, alarms]
}

#[test]
fn leaks_are_found_and_clean_questions_raise_no_alarm() {
    let [planted, found, clean, alarms] = measured(PLANTED);
    assert_eq!((planted, clean), (60, 60));
    assert!(found >= 58, "{found} of {planted}");
    assert!(alarms <= 1, "{alarms} of {clean}");
}

#[test]
fn questions_that_no_rule_was_made_for() {
    let [planted, found, clean, alarms] = measured(FRESH);
    assert_eq!((planted, clean), (20, 20));
    assert!(found >= 18, "{found} of {planted}");
    assert!(alarms == 0, "{alarms} of {clean}");
}
