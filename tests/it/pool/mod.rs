//! The pool of one long talk, woven by a fake large model: the rules hold, copies are caught, the
//! order of batches does not matter, and a killed run goes on. By the usual questions and by the
//! paper's.

pub mod model;

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;

use self::model::{Habits, earlier, play, talk};
use crate::{
    pipeline::kill_after,
    support::{ModelServer, Project, spans_that_hold},
};

const ARRAY: &str = "[weave]\nstyle = \"array\"\n";

/// A project with one talk of two windows, read already.
fn project(habits: Habits, delay: Duration, settings: &str) -> (ModelServer, Project) {
    let model = ModelServer::openai()
        .delay(delay)
        .plays(move |request| play(request, habits));
    let sentences = talk("long", 500);
    let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let project = Project::new(&model.url)
        .seminar("long.wav", "en", &sentences)
        .config(settings);
    project.ok(&["inspire"]);
    assert_eq!(project.count("SELECT count(*) FROM inspiration"), 10);
    model.take();
    (model, project)
}

fn tasks(project: &Project) -> Vec<Value> {
    let lines = project.export();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The texts of the tasks, a planted copy as its original.
fn texts(project: &Project) -> BTreeSet<String> {
    tasks(project)
        .iter()
        .map(|task| task["task"].as_str().expect("a text").to_owned())
        .collect()
}

/// What the last stage refused, by rule.
fn refused(summary: &Value, rule: &str) -> u64 {
    summary["stages"][0]["rejected"][rule].as_u64().unwrap_or(0)
}

fn weave(project: &Project, n: &str) -> Value {
    project.json(&["weave", "--per-seminar", n])
}

fn tokens(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The method's rules, counted from outside.
fn assert_rules_hold(project: &Project, n: usize) {
    let tasks = tasks(project);
    assert_eq!(tasks.len(), n);
    for task in &tasks {
        let text = task["task"].as_str().expect("a text");
        assert!(text.split_whitespace().count() <= 100, "{text}");
        assert!(
            !text.contains("talk") && !text.contains("speaker"),
            "{text}"
        );
        assert!(text.contains("hand in"), "{text}");
        spans_that_hold(project.folder.path(), task);
    }
    let of = |key: &str| {
        tasks.iter().fold(
            std::collections::BTreeMap::<String, usize>::new(),
            |mut all, task| {
                *all.entry(task[key].to_string()).or_default() += 1;
                all
            },
        )
    };
    let batches = n.div_ceil(8);
    let (phases, families) = (of("phase"), of("task_type"));
    assert!(
        phases.len() == 3 && phases.values().all(|n| *n >= batches),
        "{phases:?}"
    );
    assert!(families.values().all(|n| *n <= 2 * batches), "{families:?}");
    let read: Vec<BTreeSet<String>> = tasks
        .iter()
        .map(|task| tokens(task["task"].as_str().expect("a text")))
        .collect();
    for (at, one) in read.iter().enumerate() {
        for other in &read[..at] {
            let shared = one.intersection(other).count() as f64;
            assert!(
                shared / (one.union(other).count() as f64) < 0.6,
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn sixty_tasks_of_one_talk_keep_the_rules_and_copies_are_caught() {
    let habits = Habits {
        copies: true,
        slips: true,
        ..Habits::default()
    };
    for settings in ["", ARRAY] {
        let (model, project) = project(habits, Duration::ZERO, settings);
        let summary = weave(&project, "60");
        assert_rules_hold(&project, 60);
        // Each planted copy is refused, and counted by its rule.
        assert!(refused(&summary, "duplicate") >= 4, "{summary}");
        assert!(refused(&summary, "too_long") > 0, "{summary}");
        // No batch but the first is asked without what was asked before.
        let prompts: Vec<String> = model
            .seen()
            .iter()
            .rev()
            .take(3)
            .map(|request| {
                request.body["messages"][1]["content"]
                    .as_str()
                    .expect("text")
                    .into()
            })
            .collect();
        assert!(
            prompts.iter().all(|prompt| earlier(prompt).len() >= 46),
            "{settings}"
        );
        // Again, nothing is asked and nothing changes.
        let before = project.export();
        model.take();
        weave(&project, "60");
        assert_eq!((model.take(), project.export()), (0, before));
    }
}

#[test]
fn a_batch_of_the_array_is_one_question_about_all_ideas() {
    let (model, project) = project(Habits::default(), Duration::ZERO, ARRAY);
    let summary = weave(&project, "60");
    assert_rules_hold(&project, 60);
    assert_eq!(refused(&summary, "duplicate"), 0, "{summary}");
    let asked = model.taken();
    assert_eq!(asked.len(), 8, "a question for each batch");
    for request in &asked {
        let prompt = request["messages"][1]["content"].as_str().expect("text");
        for number in 1..=10 {
            let idea = prompt
                .lines()
                .find(|line| line.starts_with(&format!("{number} ")));
            assert!(
                idea.is_some_and(|idea| idea.contains("Nobody has found out")),
                "{prompt}"
            );
        }
        assert!(!prompt.contains("What was said about idea"), "{prompt}");
    }
    // The usual way asks one question for each task.
    let (model, project) = self::project(Habits::default(), Duration::ZERO, "");
    weave(&project, "60");
    assert_eq!(model.take(), 60);
}

#[test]
fn the_order_of_batches_does_not_matter_to_what_is_valid() {
    let woven = |habits: Habits| {
        let (_, project) = project(habits, Duration::ZERO, ARRAY);
        let summary = weave(&project, "48");
        assert_rules_hold(&project, 48);
        (texts(&project), refused(&summary, "duplicate"))
    };
    let backwards = Habits {
        backwards: true,
        ..Habits::default()
    };
    let (forth, back) = (woven(Habits::default()), woven(backwards));
    assert_eq!((forth.1, back.1), (0, 0));
    assert_eq!(
        forth.0, back.0,
        "the same tasks, whichever batch came first"
    );
    let copies = |habits: Habits| Habits {
        copies: true,
        ..habits
    };
    let (forth, back) = (woven(copies(Habits::default())), woven(copies(backwards)));
    assert_eq!(
        (forth.1, back.1),
        (5, 5),
        "of six alike one stays, whichever came first"
    );
}

#[test]
fn a_model_that_repeats_itself_is_not_asked_for_ever() {
    let habits = Habits {
        repeats_itself: true,
        ..Habits::default()
    };
    let (model, project) = project(habits, Duration::ZERO, ARRAY);
    let summary = weave(&project, "60");
    assert_eq!(tasks(&project).len(), 8);
    assert_eq!(
        model.take(),
        3,
        "a batch, one that gives nothing, and its second try"
    );
    assert!(refused(&summary, "duplicate") >= 8, "{summary}");
    let notes = summary["stages"][0]["notes"].to_string();
    assert!(
        notes.contains("long.wav: 8 of 60 tasks; refused by rule: duplicate"),
        "{notes}"
    );
}

#[test]
fn killed_between_batches_it_goes_on_and_asks_nothing_twice() {
    for settings in ["", ARRAY] {
        let pool = format!("{ARRAY}per_seminar = 30\n");
        let settings = if settings.is_empty() {
            "[weave]\nper_seminar = 30\n"
        } else {
            &pool
        };
        let (_, undisturbed) = project(Habits::default(), Duration::ZERO, settings);
        undisturbed.ok(&["weave"]);
        let expect = undisturbed.export();
        assert_eq!(expect.lines().count(), 30);
        let (model, project) = project(Habits::default(), Duration::from_millis(60), settings);
        let mut killed = 0;
        for stop_at in [1, 2, 3] {
            killed += usize::from(kill_after(&project, "weave", stop_at));
        }
        assert!(killed >= 2, "killed while it worked");
        project.ok(&["weave"]);
        assert_eq!(project.export(), expect);
        let twice: usize = model.repeats().values().map(|n| n - 1).sum();
        assert!(
            twice <= killed,
            "{twice} questions twice: one was in flight at a kill"
        );
    }
}

#[test]
fn who_cannot_write_a_pool_says_so() {
    let (model, project) = project(Habits::default(), Duration::ZERO, ARRAY);
    let summary = project.json(&[
        "weave",
        "--per-seminar",
        "60",
        "--model-role",
        "weave=code/sentences",
    ]);
    assert_eq!(model.take(), 0);
    let notes = summary["stages"][0]["notes"].to_string();
    assert!(
        notes.contains("code writes at most 8 tasks of a talk, not 60"),
        "{notes}"
    );
    assert!(notes.contains("code writes one task at a time"), "{notes}");
    assert!(tasks(&project).len() <= 8);
    let said = project.fails(&["weave", "--per-seminar", "61"], 2);
    assert!(said.contains("61 is not in 5..=60"), "{said}");
    project.reconfigure(ARRAY, "[weave]\nper_seminar = 61\n");
    let said = project.fails(&["weave"], 2);
    assert!(
        said.contains("weave.per_seminar must be 5 to 60: `61`"),
        "{said}"
    );
}

#[test]
fn a_dry_run_reckons_with_the_tasks_of_earlier_batches() {
    let (model, project) = project(Habits::default(), Duration::ZERO, ARRAY);
    let predicted = |n: &str| {
        let said = project.json(&["weave", "--per-seminar", n, "--dry-run"]);
        let of = &said["calls"]["weave: fake/m"];
        let number = |key: &str| of[key].as_u64().unwrap_or_else(|| panic!("{key}: {said}"));
        (number("calls"), number("input"))
    };
    let ((calls, tokens), (of_eight, tokens_of_eight)) = (predicted("60"), predicted("8"));
    assert_eq!((calls, of_eight, model.take()), (8, 1, 0));
    assert!(
        tokens > 10 * tokens_of_eight,
        "{tokens} and {tokens_of_eight}"
    );
}
