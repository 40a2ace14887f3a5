//! `taskgen audit` and the page for scoring: what a model knows by heart, and how far scores agree
//! with people's.

use serde_json::{Value, json};

use crate::{
    small_web::world::World,
    support::{llm::Mood, woven},
};

fn parsed(said: &str) -> Value {
    serde_json::from_str(said).unwrap_or_else(|e| panic!("{e}: {said}"))
}

#[test]
fn a_model_that_knows_famous_texts_and_no_task_is_told_from_one_that_says_nothing() {
    let (fake, project) = woven();
    project.ok(&["audit", "leakage", "--dry-run"]);
    assert_eq!(fake.take(), 0, "a dry run asks nobody");

    let found = parsed(&project.ok(&["audit", "leakage", "--json"]));
    let of = &found[0];
    let tasks = of["tasks"]["n_total"].as_u64().expect("a number");
    let texts = of["texts"].as_array().expect("a list");
    let beginnings: std::collections::BTreeSet<&str> = texts
        .iter()
        .filter_map(|of| of["beginning"].as_str())
        .collect();
    assert_eq!(
        fake.take(),
        beginnings.len(),
        "one question for each beginning"
    );
    assert_eq!(
        texts.len() as u64,
        tasks + of["famous"]["n_total"].as_u64().expect("a number")
    );
    assert_eq!(
        (
            &of["model"],
            &of["tasks"]["leaked"],
            &of["famous"]["leaked"]
        ),
        (&json!("fake/m"), &json!(0), &json!(1))
    );
    assert_eq!(
        (&of["tasks"]["n_scored"], &of["shuffled"]["n_scored"]),
        (&json!(tasks), &json!(tasks))
    );
    let shown = project.ok(&["audit", "leakage"]);
    assert!(
        shown.contains("1 of 6 famous texts") && !shown.contains("known by heart:"),
        "{shown}"
    );
    assert_eq!(fake.take(), 0, "what is on record is not asked again");

    fake.set_mood(Mood::Moody);
    project.sql("DELETE FROM call WHERE role = 'complete'");
    let said = project.output(&["audit", "leakage", "--json"]);
    let of = &parsed(&String::from_utf8_lossy(&said.stdout))[0];
    let failed = |kind: &str| {
        of[kind]["n_failed"]
            .as_object()
            .map_or(0, serde_json::Map::len)
    };
    assert_eq!(
        said.status.code(),
        Some(4),
        "more without an answer than a tenth"
    );
    assert!(failed("famous") > 0, "no reply is no zero: {of}");
    assert_eq!(of["famous"]["composite"].as_f64(), None);
}

/// Scores of two people for each report of the small web: what was planted for ACE, and half a
/// point more.
fn scores(world: &World) -> String {
    let mut table = "task,agent,rater,score\n".to_owned();
    for (agent, task, ace) in world.planted() {
        let second = (ace + 0.5).min(10.0);
        table.push_str(&format!(
            "{task},{agent},ann,{ace}\n{task},{agent},bob,{second}\n"
        ));
    }
    table
}

#[test]
fn people_who_say_what_was_planted_agree_with_ace() {
    let world = World::evaluated();
    let file = world.project.path("scores.csv");
    std::fs::write(&file, scores(&world)).expect("writable");
    let file = file.to_str().expect("UTF-8").to_owned();
    insta::assert_snapshot!(world.project.told(&["audit", "agreement"]), @"
    $ taskgen audit agreement
    exit 2
    --- err
    error: there are no scores of people yet
    hint: `taskgen report scoring` makes a page for people; pass the files that it saves
    ");
    let found = parsed(&world.project.ok(&["audit", "agreement", &file, "--json"]));
    assert_eq!(
        (&found["taken"], &found["raters"], &found["reports"]),
        (&json!(24), &json!(2), &json!(12))
    );
    let value = |what: &str, name: &str| {
        let of = found["agreement"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|of| of["what"] == what)
            .expect(what);
        let coefficients = of["coefficients"].as_array().expect("a list");
        coefficients
            .iter()
            .find(|one| one["name"].as_str().is_some_and(|n| n.starts_with(name)))
            .expect(name)["value"]
            .as_f64()
            .unwrap_or_else(|| panic!("{what}, {name}: {of}"))
    };
    assert!((value("ACE with people", "Spearman") - 1.0).abs() < 1e-9);
    assert!((value("ACE with people", "Kendall τ-b") - 1.0).abs() < 1e-9);
    assert!(value("ACE with people", "mean distance") <= 0.25 + 1e-9);
    assert!(
        value(
            "people with each other, whole reports",
            "Krippendorff α, interval"
        ) > 0.9
    );
    assert!(value("people with each other, whole reports", "same score") < 0.5);

    // Again nothing is new; who changes a score has one, the last.
    let again = parsed(&world.project.ok(&["audit", "agreement", &file, "--json"]));
    assert_eq!(
        (&again["taken"], &again["known"], &again["agreement"]),
        (&json!(0), &json!(24), &found["agreement"])
    );
    let (agent, task, _) = world.planted().remove(0);
    std::fs::write(
        &file,
        format!("task,agent,rater,score\n{task},{agent},ann,0\nnone,x,ann,3\n"),
    )
    .expect("writable");
    let said = world
        .project
        .output(&["audit", "agreement", &file, "--json"]);
    let changed = parsed(&String::from_utf8_lossy(&said.stdout));
    assert_eq!(
        (said.status.code(), &changed["taken"], &changed["scores"]),
        (Some(1), &json!(1), &json!(24))
    );
    assert_eq!(changed["problems"][0]["problem"], "no such report");
}

#[test]
fn the_scoring_page_is_blind_and_its_file_is_taken_in() {
    let world = World::evaluated();
    let made = parsed(&world.project.ok(&["report", "scoring", "--json"]));
    assert_eq!((&made["reports"], &made["tasks"]), (&json!(12), &json!(4)));
    let page = std::fs::read_to_string(world.project.path("tasks/scoring.html")).expect("written");
    let (before, _) = page.split_once("<script>").expect("a script");
    // Their texts may say who they are; the page does not.
    let frame: String = before
        .split("<pre")
        .map(|part| part.split("</pre>").last().unwrap_or_default())
        .collect();
    for agent in crate::small_web::agents::AGENTS {
        assert!(
            !frame.contains(&format!("{agent}<")) && !frame.contains(&format!("\"{agent}\"")),
            "{agent}"
        );
    }
    let ids: Vec<&str> = page
        .split("data-report=\"")
        .skip(1)
        .filter_map(|after| after.split('"').next())
        .collect();
    assert_eq!(ids.len(), 12);
    let criterion = page
        .split("data-criterion=\"")
        .nth(1)
        .and_then(|after| after.split('"').next())
        .expect("one");
    let criterion = criterion.replace("&#x2f;", "/");
    let saved = json!({ "schema_version": 1, "sheet": "x", "rater": "ann", "scores": [
        { "report": ids[0], "criterion": null, "score": 7 }, { "report": ids[0], "criterion": criterion, "score": 8 }
    ] });
    let file = world.project.path("scores-ann.json");
    std::fs::write(&file, saved.to_string()).expect("writable");
    let found = parsed(&world.project.ok(&[
        "audit",
        "agreement",
        file.to_str().expect("UTF-8"),
        "--json",
    ]));
    assert_eq!((&found["taken"], &found["reports"]), (&json!(2), &json!(1)));
    let by_criterion = found["agreement"].as_array().expect("a list").iter();
    let by_criterion = by_criterion
        .filter(|of| of["what"] == "ratings by criterion with people")
        .map(|of| &of["n"]);
    assert_eq!(
        by_criterion.collect::<Vec<_>>(),
        [&json!(1)],
        "the rating of this criterion is known"
    );
    let sampled = parsed(
        &world
            .project
            .ok(&["report", "scoring", "--sample", "5", "--json"]),
    );
    assert_eq!(sampled["reports"], 5);
}
