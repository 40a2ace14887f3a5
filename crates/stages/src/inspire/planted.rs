//! Planted replies of an inspiration agent.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{
    Numbered, Style,
    examples::Examples,
    ground::{self, Heard},
    merge::{self, Candidate},
    question::Found,
    testing::transcript,
};
use crate::replies::planted;

#[derive(Deserialize)]
struct Given {
    language: String,
    lines: Vec<String>,
}

/// The rules that the ideas of a reply break.
fn broken(given: Given, reply: Found) -> BTreeSet<String> {
    let lines: Vec<&str> = given.lines.iter().map(String::as_str).collect();
    let mut transcript = transcript(&lines);
    transcript.language = given.language;
    let numbered = Numbered::new(&transcript);
    let heard = Heard {
        transcript: &transcript,
        numbered: &numbered,
        style: Style::Brief,
        examples: &Examples::default(),
    };
    let (mut kept, mut broken) = (Vec::new(), BTreeSet::new());
    for idea in reply.items {
        match ground::inspiration(heard, None, idea) {
            Ok(inspiration) => {
                let new = Candidate {
                    inspiration,
                    call: None,
                    mark: None,
                    certainty: 0,
                };
                if merge::add(heard, &mut kept, new).is_err() {
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

#[test]
fn planted_replies_are_refused_by_the_rule_meant_for_them() {
    assert_eq!(
        planted::check("inspire", rule, broken),
        [(8, 20), (8, 20), (0, 0), (0, 0)]
    );
}
