//! Planted replies of an inspiration agent: each bad one differs from a good one in one point, and must be refused by
//! the rule meant for that point and by no other. Whoever wrote them had seen the list of rules, and not the code.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{
    Idea, Numbered, ground,
    merge::{self, Candidate},
    question::Found,
    testing::transcript,
};
use crate::data::CallId;

#[derive(Deserialize)]
struct Case {
    id: String,
    stage: String,
    fault: Option<String>,
    given: serde_json::Value,
    reply: serde_json::Value,
}

#[derive(Deserialize)]
struct Given {
    language: String,
    lines: Vec<String>,
}

/// The rules that the ideas of a reply break.
fn broken(given: &Given, ideas: Vec<Idea>) -> BTreeSet<String> {
    let lines: Vec<&str> = given.lines.iter().map(String::as_str).collect();
    let mut transcript = transcript(&lines);
    transcript.language.clone_from(&given.language);
    let numbered = Numbered::new(&transcript);
    let (mut kept, mut broken) = (Vec::new(), BTreeSet::new());
    for idea in ideas {
        match ground::inspiration(&transcript, &numbered, None, idea) {
            Ok(inspiration) => {
                let new = Candidate { inspiration, call: CallId::of(&["c"]), value: 1.0 };
                if merge::add(&transcript, &mut kept, new).is_err() {
                    broken.insert("duplicate".to_owned());
                }
            }
            Err((rule, _)) => drop(broken.insert(rule.to_owned())),
        }
    }
    broken
}

fn rule(fault: &str) -> &str {
    match fault {
        "one_trait" => "fewer_than_two_traits",
        "hidden_instruction" => "obeys_the_transcript",
        other => other,
    }
}

/// Cases of a set that do not come out as planted, and how many there are of good and bad ones.
fn surprises(set: &str) -> (Vec<String>, usize, usize) {
    let (mut surprises, mut good, mut bad) = (Vec::new(), 0, 0);
    for line in set.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        if case.stage != "inspire" {
            continue;
        }
        let given: Given = serde_json::from_value(case.given).expect("a talk");
        let reply: Found = serde_json::from_value(case.reply).expect("a reply");
        let broken: Vec<String> = broken(&given, reply.items).into_iter().collect();
        let expected: Vec<&str> = case.fault.iter().map(|fault| rule(fault)).collect();
        *(if case.fault.is_some() { &mut bad } else { &mut good }) += 1;
        if broken != expected {
            surprises.push(format!("{} {:?}: {broken:?}", case.id, case.fault));
        }
    }
    (surprises, good, bad)
}

#[test]
fn planted_replies_are_refused_by_the_rule_meant_for_them() {
    let (surprises, good, bad) = surprises(include_str!("../../tests/data/planted/first.jsonl"));
    assert_eq!((good, bad), (8, 20));
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[test]
fn so_are_those_of_another_hand() {
    let (surprises, good, bad) = surprises(include_str!("../../tests/data/planted/second.jsonl"));
    assert_eq!((good, bad), (8, 20));
    assert!(surprises.is_empty(), "{surprises:#?}");
}
