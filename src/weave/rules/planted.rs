//! Planted replies of a task weaver: each bad one differs from a good one in one point, and must be refused by the rule
//! meant for that point and by no other. Whoever wrote them had seen the list of rules, and not the code.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{Material, check, missing_phases};
use crate::data::{Difficulty, InspirationId, Phase, SeminarId, Task, TaskId, TaskType};

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
    speakers: Vec<String>,
    inspirations: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    text: String,
    quotes: Vec<String>,
}

#[derive(Deserialize)]
struct Reply {
    tasks: Vec<Written>,
}

#[derive(Deserialize)]
struct Written {
    inspiration: usize,
    phase: Phase,
    task_type: TaskType,
    difficulty: Difficulty,
    task: String,
}

/// The rules that the tasks of a reply break.
fn broken(given: &Given, reply: Reply) -> BTreeSet<String> {
    let mut kept: Vec<Task> = Vec::new();
    let mut broken = BTreeSet::new();
    for written in reply.tasks {
        let source = &given.inspirations[written.inspiration];
        let words = format!("{}\n{}", source.text, source.quotes.join("\n"));
        let task = Task {
            id: TaskId::of(&[&written.task]),
            seminar: SeminarId::of(&["s"]),
            phase: written.phase,
            task_type: written.task_type,
            difficulty: written.difficulty,
            language: given.language.clone(),
            discipline: "other".into(),
            task: written.task,
            inspirations: vec![InspirationId::of(&[&written.inspiration.to_string()])],
            translation_of: None,
        };
        match check(&task, Material { words: &words, people: &given.speakers }, &kept.iter().collect::<Vec<_>>()) {
            Ok(()) => kept.push(task),
            Err(rule) => drop(broken.insert(format!("{rule:?}"))),
        }
    }
    if !missing_phases(&kept.iter().collect::<Vec<_>>()).is_empty() && broken.is_empty() {
        broken.insert("phase_missing".to_owned());
    }
    broken
}

fn rule(fault: &str) -> &str {
    match fault {
        "points_at_event" => "PointsAtTheEvent",
        "too_long" => "TooLong",
        "two_deliverables" => "TwoDeliverables",
        "type_thrice" => "FamilyThrice",
        "duplicate" => "Duplicate",
        "wrong_language" => "WrongLanguage",
        "no_deliverable" => "NoDeliverable",
        "key_terms_missing" => "KeyTermsMissing",
        "phase_of_another_type" => "WrongPhase",
        other => other,
    }
}

/// Cases of a set that do not come out as planted, and how many there are of good and bad ones.
fn surprises(set: &str) -> (Vec<String>, usize, usize) {
    let (mut surprises, mut good, mut bad) = (Vec::new(), 0, 0);
    for line in set.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        if case.stage != "weave" {
            continue;
        }
        let given: Given = serde_json::from_value(case.given).expect("material");
        let reply: Reply = serde_json::from_value(case.reply).expect("a reply");
        let broken: Vec<String> = broken(&given, reply).into_iter().collect();
        let as_planted = match &case.fault {
            None => {
                good += 1;
                broken.is_empty()
            }
            Some(fault) => {
                bad += 1;
                matches!(broken.as_slice(), [only] if only.starts_with(rule(fault)))
            }
        };
        if !as_planted {
            surprises.push(format!("{} {:?}: {broken:?}", case.id, case.fault));
        }
    }
    (surprises, good, bad)
}

#[test]
fn planted_replies_are_refused_by_the_rule_meant_for_them() {
    let (surprises, good, bad) = surprises(include_str!("../../../tests/data/planted/first.jsonl"));
    assert_eq!((good, bad), (12, 22));
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[test]
fn so_are_those_of_another_hand() {
    let (surprises, good, bad) = surprises(include_str!("../../../tests/data/planted/second.jsonl"));
    assert_eq!((good, bad), (12, 22));
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[test]
fn and_those_of_a_third() {
    let (surprises, good, bad) = surprises(include_str!("../../../tests/data/planted/third.jsonl"));
    assert_eq!((good, bad), (20, 24));
    assert!(surprises.is_empty(), "{surprises:#?}");
}

#[test]
fn and_those_of_a_fourth() {
    let (surprises, good, bad) = surprises(include_str!("../../../tests/data/planted/fourth.jsonl"));
    assert_eq!((good, bad), (20, 24));
    assert!(surprises.is_empty(), "{surprises:#?}");
}
