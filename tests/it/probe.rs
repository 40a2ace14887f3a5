//! Probes of tasks: what they flag, what that changes, and what becomes of replies that say
//! nothing.

use serde_json::Value;

use crate::support::{Project, llm::Mood, woven};

fn json(said: &str) -> Value {
    serde_json::from_str(said).expect("one JSON value")
}

/// Ids and texts of what `args` list.
fn listed(project: &Project, args: &[&str]) -> Vec<(String, String)> {
    let tasks = json(&project.ok(args));
    let text = |task: &Value, key: &str| task[key].as_str().expect("a text").to_owned();
    tasks
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| (text(task, "id"), text(task, "task")))
        .collect()
}

#[test]
fn what_is_known_or_cannot_be_judged_is_flagged_and_can_be_left_out() {
    let (fake, project) = woven();
    let all = listed(&project, &["tasks", "list", "--json"]);
    let dry = json(&project.ok(&["probe", "--dry-run", "--json"]));
    assert_eq!(fake.take(), 0, "a dry run asks nobody: {dry}");

    let done = json(&project.ok(&["probe", "--json"]));
    assert_eq!(done["stages"][0]["done"], all.len());
    assert_eq!(
        fake.take(),
        3 * all.len(),
        "an attempt, and two looks at the task"
    );
    let poor = |text: &str| text.contains("hypothes") || text.contains("annotated");
    let expected: Vec<_> = all.iter().filter(|(_, text)| poor(text)).cloned().collect();
    assert!(
        !expected.is_empty() && expected.len() < all.len(),
        "{all:?}"
    );
    assert_eq!(
        listed(&project, &["tasks", "list", "--flagged", "--json"]),
        expected
    );
    assert!(project.ok(&["tasks", "list", "--flagged"]).contains("⚑"));
    let shown = project.ok(&["tasks", "show", &expected[0].0]);
    assert!(
        shown.contains("closed book: ") && shown.contains("deliverable: "),
        "{shown}"
    );

    let exported = project.export();
    assert!(exported.lines().all(|line| {
        json(line)["probes"]
            .as_array()
            .is_some_and(|probes| probes.len() == 2)
    }));
    project.ok(&["probe"]);
    assert_eq!(
        (fake.take(), project.export()),
        (0, exported),
        "a second run asks nothing and changes nothing"
    );

    project.ok(&["rank", "--rounds", "2"]);
    let selected = json(&project.ok(&["tasks", "select", "--unflagged", "--json"]));
    let left_out = selected["flagged"].as_array().expect("a list").len();
    assert_eq!(
        (left_out, selected["chosen"].as_array().map(Vec::len)),
        (expected.len(), Some(all.len() - left_out))
    );
}

#[test]
fn replies_that_say_nothing_are_counted_and_flag_nothing() {
    let (fake, project) = woven();
    let n = listed(&project, &["tasks", "list", "--json"]).len();
    let probe = || {
        let done = json(&String::from_utf8_lossy(
            &project.output(&["probe", "--json"]).stdout,
        ));
        done["stages"][0]["failed"]
            .as_array()
            .expect("a list")
            .len()
    };
    fake.set_mood(Mood::Moody);
    assert_eq!(probe(), 2 * n, "neither an attempt nor an opinion");
    assert!(listed(&project, &["tasks", "list", "--flagged", "--json"]).is_empty());
    fake.take();
    assert_eq!(
        (probe(), fake.take()),
        (2 * n, 0),
        "what has been paid for is not asked again"
    );
}

#[test]
fn an_answer_to_the_other_question_is_none() {
    let (fake, project) = woven();
    let n = listed(&project, &["tasks", "list", "--json"]).len();
    fake.set_mood(Mood::Strict);
    let done = json(&String::from_utf8_lossy(
        &project.output(&["probe", "--json"]).stdout,
    ));
    let failed = done["stages"][0]["failed"].as_array().expect("a list");
    assert!(
        failed.len() == n && failed.iter().all(|of| of["cause"] == "out_of_range"),
        "{done}"
    );
    assert_eq!(
        listed(&project, &["tasks", "list", "--flagged", "--json"]).len(),
        n,
        "nothing is to be handed in"
    );
    assert_eq!(
        project.count("SELECT count(*) FROM judgement WHERE instrument = 'probe.closed_book'"),
        n as i64
    );
}
