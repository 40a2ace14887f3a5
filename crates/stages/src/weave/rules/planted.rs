//! Planted replies of a task weaver.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{Material, check_beside, missing_phases};
use crate::{
    data::{
        Difficulty, Facets, FromSeminar, InspirationId, Origin, Phase, SeminarId, Task, TaskId,
        TaskType,
    },
    replies::planted,
};

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
fn broken(given: Given, reply: Reply) -> BTreeSet<String> {
    let mut kept: Vec<Task> = Vec::new();
    let mut broken = BTreeSet::new();
    for written in reply.tasks {
        let source = &given.inspirations[written.inspiration];
        let words = format!("{}\n{}", source.text, source.quotes.join("\n"));
        let task = Task {
            id: TaskId::from_parts(&[&written.task]),
            text: written.task,
            language: given.language.clone(),
            as_of: None,
            edited: None,
            facets: Facets {
                phase: Some(written.phase),
                ..Facets::of_family(written.task_type, written.difficulty, "other".into())
            },
            origin: Origin::Seminar(FromSeminar {
                seminar: SeminarId::from_parts(&["s"]),
                inspirations: vec![InspirationId::from_parts(&[&written
                    .inspiration
                    .to_string()])],
                translation_of: None,
            }),
        };
        match check_beside(
            &task,
            Material {
                words: &words,
                people: &given.speakers,
            },
            &kept.iter().collect::<Vec<_>>(),
        ) {
            Ok(()) => kept.push(task),
            Err(rule) => drop(broken.insert(rule.name().to_owned())),
        }
    }
    if !missing_phases(&kept.iter().collect::<Vec<_>>()).is_empty() && broken.is_empty() {
        broken.insert("phase_missing".to_owned());
    }
    broken
}

fn rule(fault: &str) -> &str {
    match fault {
        "points_at_event" => "points_at_the_event",
        "type_thrice" => "family_thrice",
        "phase_of_another_type" => "wrong_phase",
        other => other,
    }
}

#[test]
fn planted_replies_are_refused_by_the_rule_meant_for_them() {
    assert_eq!(
        planted::check("weave", rule, broken),
        [(12, 22), (12, 22), (20, 24), (20, 24)]
    );
}
