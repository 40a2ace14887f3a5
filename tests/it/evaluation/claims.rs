//! Statements held against their sources, when something is missing, comes later or fails: no
//! number stands for what nobody judged.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    graded::{Graded, LEVELS, Layout, TASKS, judge, obedient},
    support::{ModelServer, llm::Play},
};

const CLAIMS: [&str; 4] = ["evaluate", "--allow-private-network", "--metric", "claims"];
const MEASURES: [&str; 6] = [
    "claims_supported_of_all",
    "claims_contradicted_of_all",
    "claims_supported",
    "claims_contradicted",
    "claims_wrong_source",
    "claims_silent",
];

/// Reports of the third level on the first task, by these agents.
fn import(graded: &Graded, layout: Layout, agents: &[&str]) {
    let (plan, padding) = LEVELS[2];
    let report = |agent: &&str| {
        (
            (*agent).to_owned(),
            &TASKS[0],
            TASKS[0].sentences(plan, padding),
        )
    };
    let reports: Vec<_> = agents.iter().map(report).collect();
    graded.import_in(layout, &reports);
}

/// The shares of an agent on the first task, and how many of its statements are in none.
fn shares(graded: &Graded, agent: &str) -> BTreeMap<&'static str, (Option<f64>, u64)> {
    let reports = graded.project.json(&["reports", "list"]);
    let rows = reports.as_array().expect("a list");
    let row = rows.iter().find(|row| row["agent"] == agent);
    let measures = &row.expect("a report")["scores"]["measures"];
    let of = |key: &'static str| {
        let score = &measures[key];
        (
            key,
            (
                score["value"].as_f64(),
                score["unscored"].as_u64().unwrap_or(0),
            ),
        )
    };
    MEASURES.into_iter().map(of).collect()
}

#[test]
fn the_way_of_citing_makes_no_difference() {
    let found = [Layout::Numbered, Layout::LinkBehind, Layout::LineBelow].map(|layout| {
        let graded = Graded::new(obedient(), "form = \"strict\"").with_levels();
        import(&graded, layout, &["one"]);
        graded.project.ok(&[
            "evaluate",
            "--allow-private-network",
            "--metric",
            "kae,claims",
        ]);
        let ksr = graded.measured("ksr_independent")[&("one".to_owned(), TASKS[0].key)];
        (shares(&graded, "one"), ksr)
    });
    println!("{found:?}");
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
    assert_eq!(found[0].0["claims_supported"], (Some(8.0 / 12.0), 0));
}

#[test]
fn a_page_that_comes_later_and_a_report_that_comes_later_count_as_if_they_had_always_been_there() {
    let whole = Graded::new(obedient(), "");
    import(&whole, Layout::Numbered, &["one", "two"]);
    whole.project.ok(&CLAIMS);
    let graded = Graded::new(obedient(), "");
    let page = format!("/{}/{}", TASKS[0].key, TASKS[0].pages[1].name);
    graded.hide(&[&page]);
    import(&graded, Layout::Numbered, &["one"]);
    graded.project.ok(&CLAIMS);
    let without = shares(&graded, "one");
    assert!(without["claims_supported"].1 > 0, "{without:?}");
    graded.hide(&[]);
    import(&graded, Layout::Numbered, &["two"]);
    graded
        .project
        .ok(&[&CLAIMS[..], &["--retry-failed"]].concat());
    for agent in ["one", "two"] {
        assert_eq!(shares(&graded, agent), shares(&whole, agent));
    }
    graded.fake.take();
    graded.project.ok(&CLAIMS);
    assert_eq!(graded.fake.take(), 0);
}

/// A page that nobody can read is in one denominator and not in the other.
#[test]
fn a_dead_page_counts_among_all_statements_and_not_among_the_checked() {
    let graded = Graded::new(obedient(), "");
    let page = format!("/{}/{}", TASKS[0].key, TASKS[0].pages[1].name);
    graded.hide(&[&page]);
    let all_right = TASKS[0].sentences(LEVELS[0].0, 0);
    graded.import(&[("right".to_owned(), &TASKS[0], all_right)]);
    graded.project.ok(&CLAIMS);
    let found = shares(&graded, "right");
    // Three of twelve statements cite the page.
    assert_eq!(found["claims_supported"], (Some(1.0), 3));
    assert_eq!(found["claims_supported_of_all"], (Some(0.75), 0));
    assert_eq!(found["claims_contradicted_of_all"], (Some(0.0), 0));
}

/// `kae` and `claims` ask the same role.
#[test]
fn one_model_for_two_evaluators_is_no_panel() {
    let graded = Graded::new(obedient(), "form = \"strict\"");
    import(&graded, Layout::Numbered, &["one"]);
    let both = [
        "evaluate",
        "--allow-private-network",
        "--metric",
        "kae,claims",
        "--json",
    ];
    let told = graded.project.ok(&both);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let stages = told["stages"].as_array().expect("stages");
    for name in ["relations", "claims", "claims elsewhere"] {
        let stage = stages.iter().find(|stage| stage["stage"] == name);
        let stage = stage.expect("it ran");
        assert_eq!(stage["skipped"], 0, "{stage}");
    }
    assert!(graded.fake.repeats().values().all(|n| *n == 1));
}

/// The judge gives no reply that can be read where the statement under a wrong source is held
/// against the page that bears it out.
#[test]
fn a_failure_elsewhere_is_not_silence() {
    let task = &TASKS[0];
    let (plan, padding) = LEVELS[2];
    let sentences = task.sentences(plan, padding);
    let misplaced = sentences.iter().find_map(|(text, page)| {
        let point = task.points.iter().find(|point| point.right == *text)?;
        let own = task.pages.iter().position(|of| of.name == point.page);
        (own != *page).then_some(point)
    });
    let point = misplaced.expect("one is under a wrong source");
    let server = ModelServer::openai().plays(|request| {
        let question = request.body["messages"].to_string();
        let quoted = json!(point.quote).to_string();
        let said = json!(point.right.trim_end_matches('.')).to_string();
        let has = |text: &str| question.contains(text.trim_matches('"'));
        if has(&quoted) && has(&said) {
            return Play::Say("I cannot say.".to_owned());
        }
        Play::Say(judge::reply(request.prompt(), &request.body).to_string())
    });
    let graded = Graded::new(server, "");
    import(&graded, Layout::Numbered, &["one"]);
    graded.project.output(&CLAIMS);
    let found = shares(&graded, "one");
    println!("{found:?}");
    assert_eq!(found["claims_wrong_source"].0, Some(0.0));
    let (silent, unscored) = found["claims_silent"];
    assert!((silent.expect("a share") - 2.0 / 11.0).abs() < 1e-9);
    assert_eq!(unscored, 1);
    graded.fake.take();
    graded.project.output(&CLAIMS);
    assert_eq!(
        graded.fake.take(),
        0,
        "what failed stays so without --retry-failed"
    );
}

#[test]
fn raters_are_told_what_these_judges_found_or_nothing_is_asked() {
    let config = "form = \"strict\"\nrate_with_evidence = true";
    let graded = Graded::new(obedient(), config);
    import(&graded, Layout::Numbered, &["one", "two"]);
    let ace = ["evaluate", "--allow-private-network", "--metric", "ace"];
    let told = graded.project.fails(&ace, 2);
    assert!(told.contains("evaluate --metric claims"), "{told}");
    assert_eq!(graded.fake.take(), 0);
    let both = [
        "evaluate",
        "--allow-private-network",
        "--metric",
        "ace,claims",
    ];
    graded.project.ok(&both);
    let ratings: Vec<Value> = graded
        .fake
        .taken()
        .into_iter()
        .filter(|request| {
            request
                .to_string()
                .contains("evaluate_rating_with_evidence")
        })
        .collect();
    assert!(!ratings.is_empty());
    let told = "could be checked: 8 are borne out";
    assert!(
        ratings
            .iter()
            .all(|request| request.to_string().contains(told))
    );
    graded.project.ok(&ace);
    assert_eq!(graded.fake.take(), 0, "all of it is on record");
    let other = [&ace[..], &["--model-role", "relate=fake/n"]].concat();
    graded.project.fails(&other, 2);
    assert_eq!(graded.fake.take(), 0, "another judge found nothing yet");
}

#[test]
fn a_failed_report_has_the_worst_of_each_measure_where_failures_count() {
    let graded = Graded::new(obedient(), "form = \"strict\"").with_levels();
    let file = graded.project.path("broken.jsonl");
    let row = json!({ "task": TASKS[0].key, "agent": "broken", "text": "", "state": "error" });
    std::fs::write(&file, row.to_string()).expect("writable");
    graded
        .project
        .ok(&["reports", "import", file.to_str().expect("a path")]);
    graded.project.ok(&[
        "evaluate",
        "--allow-private-network",
        "--metric",
        "kae,claims",
    ]);
    let board = graded.project.json(&["leaderboard", "--failed-as-zero"]);
    let agents = board["agents"].as_array().expect("a list");
    let broken = agents
        .iter()
        .find(|of| of["agent"] == "broken")
        .expect("it is there");
    let value = |key: &str| broken["measures"][key]["value"].as_f64();
    for (key, expect) in [
        ("ksr_independent_weighted", 0.0),
        ("kor_independent_weighted", 1.0),
        ("ksr_independent_lenient", 0.0),
        ("claims_supported", 0.0),
        ("claims_silent", 1.0),
    ] {
        assert_eq!(value(key), Some(expect), "{key}: {broken}");
    }
}
