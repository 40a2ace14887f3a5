//! The six protocols of LiveResearchBench on reports about gauge stations: what is changed in a
//! report moves the measure that it should and no other, a run that was killed ends as if
//! undisturbed, and nothing that a judge says of a number is believed.
#![allow(clippy::float_cmp, reason = "counts, and shares that are exact")]

mod judge;
pub use judge::fenced;
pub mod reports;
mod result_files;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use self::reports::{Report, SIX, changed, import, project, serve};
use crate::{
    pipeline::kill_when,
    support::{ModelServer, Project, llm::Play},
};

const ALL: &str = "presentation,coverage,consistency,association,depth,citation-accuracy";
const EVALUATE: [&str; 4] = ["evaluate", "--allow-private-network", "--metric", ALL];

fn obedient() -> ModelServer {
    ModelServer::openai()
        .plays(|request| Play::Say(judge::reply(request.prompt(), &request.body).to_string()))
}

/// The values of an agent by measure; absent where there is none.
fn measured(project: &Project, agent: &str) -> BTreeMap<String, f64> {
    let board = project.json(&["leaderboard"]);
    let rows = board["agents"].as_array().expect("agents");
    let row = rows
        .iter()
        .find(|row| row["agent"] == agent)
        .expect("a row");
    let measures = row["measures"].as_object().expect("measures");
    let value = |(key, of): (&String, &Value)| Some((key.clone(), of["value"].as_f64()?));
    measures.iter().filter_map(value).collect()
}

/// A project with two reports that were scored by all six, and the server that was asked.
pub fn evaluated() -> (ModelServer, Project) {
    let fake = obedient();
    let project = project(&fake.url);
    let web = serve();
    let reports = [("six", 6), ("two", 2)];
    import(
        &project,
        &reports.map(|(agent, n)| (agent, Report::new(&web, &SIX[..n]).text())),
    );
    project.ok(&EVALUATE);
    (fake, project)
}

const SCORES: [&str; 5] = [
    "presentation",
    "coverage",
    "consistency",
    "association",
    "citation_accuracy",
];

#[test]
fn what_is_changed_moves_its_measure_and_no_other() {
    let fake = obedient();
    let project = project(&fake.url);
    let web = serve();
    let reports = changed(&web);
    let texts: Vec<(&str, String)> = reports
        .into_iter()
        .map(|(agent, of)| (agent, of.text()))
        .collect();
    import(&project, &texts);
    project.ok(&EVALUATE);
    let of = |agent: &str| measured(&project, agent);
    let known = of("base");
    for (key, value) in SCORES.iter().map(|key| (key, known[*key])) {
        assert!(
            (value - 1.0).abs() < 1e-9,
            "{key} of the unchanged report: {value}"
        );
    }
    let moved = |agent: &str| -> BTreeMap<&str, Option<f64>> {
        let values = of(agent);
        let changed = SCORES.into_iter().filter_map(|key| {
            let value = values.get(key).copied();
            let same = value.is_some_and(|value| (value - known[key]).abs() < 1e-9);
            (!same).then_some((key, value))
        });
        changed.collect()
    };
    for (agent, _) in &texts {
        println!("{agent}: moved {:?}", moved(agent));
    }
    let check = |agent: &str, expected: &[(&str, Option<f64>)]| {
        let moved = moved(agent);
        let rounded: Vec<(&str, Option<f64>)> = moved
            .into_iter()
            .map(|(key, value)| (key, value.map(|value| (value * 1000.0).round() / 1000.0)))
            .collect();
        assert_eq!(rounded, expected, "{agent}");
    };
    check("shuffled", &[("presentation", Some(0.9))]);
    // The statement is also not what its page says: one of eight.
    check(
        "flipped",
        &[
            ("citation_accuracy", Some(0.875)),
            ("consistency", Some(0.9)),
        ],
    );
    // Eight claims without a source; nothing is left to check, and no list is missed.
    check(
        "uncited",
        &[("association", Some(0.6)), ("citation_accuracy", None)],
    );
    check("dead", &[("citation_accuracy", Some(0.75))]);
    // Four of the eight statements cite a page about other stations: those of K-01 to K-04, the
    // first two of which stand twice.
    check("exchanged", &[("citation_accuracy", Some(0.25))]);
    check("short", &[("coverage", Some(0.4))]);
    check("slips", &[("presentation", Some(0.9))]);
    let dead = of("dead");
    assert_eq!((dead["citation_e1"], dead["citation_e1_dead"]), (2.0, 2.0));
    let exchanged = of("exchanged");
    assert_eq!(
        (exchanged["citation_e2"], exchanged["citation_e3"]),
        (6.0, 0.0)
    );
    assert_eq!(of("flipped")["citation_e3"], 1.0);
    // Two stations against six: everybody else wins both games against it.
    assert_eq!(of("short")["depth_points"], 0.0);
    assert_eq!(of("base")["depth_agreement"], 1.0);
}

/// The original copies one model's grade to every model of a query after a restart. Three models on
/// one query, killed again and again: each has its own scores, and nothing is paid twice.
#[test]
fn three_models_on_one_query_survive_twenty_kills_apart() {
    let kills = 20;
    let fake = ModelServer::openai()
        .delay(Duration::from_millis(15))
        .at_once(2)
        .plays(|request| Play::Say(judge::reply(request.prompt(), &request.body).to_string()));
    let project = project(&fake.url);
    let web = serve();
    let reports: Vec<(&str, String)> = [("six", 6), ("four", 4), ("two", 2)]
        .map(|(agent, n)| (agent, Report::new(&web, &SIX[..n]).text()))
        .into();
    import(&project, &reports);
    let mut killed = 0;
    for n in 0..kills {
        killed += usize::from(kill_when(
            &project,
            &EVALUATE,
            "SELECT count(*) FROM call",
            1 + 2 * n,
        ));
    }
    let asked = fake.repeats().values().sum::<usize>();
    let committed = project.count("SELECT count(*) FROM call");
    project.ok(&EVALUATE);
    let missing = project.count("SELECT count(*) FROM call") - committed;
    let asked_then = fake.repeats().values().sum::<usize>() - asked;
    println!("{killed} of {kills} kills found it running; {asked_then} questions were left");
    assert!(killed >= 10, "{killed}");
    assert_eq!(asked_then as i64, missing, "just what was missing is asked");
    for (agent, coverage, presentation) in
        [("six", 1.0, 1.0), ("four", 0.8, 1.0), ("two", 0.4, 1.0)]
    {
        let values = measured(&project, agent);
        assert!(
            (values["coverage"] - coverage).abs() < 1e-9,
            "{agent}: {values:?}"
        );
        assert!(
            (values["presentation"] - presentation).abs() < 1e-9,
            "{agent}: {values:?}"
        );
        assert_eq!(values["citation_errors"], 0.0, "{agent}");
    }
    let strengths = project.json(&["leaderboard", "--table", "depth"]);
    let names: Vec<&str> = strengths["agents"]
        .as_array()
        .expect("agents")
        .iter()
        .filter_map(|row| row["agent"].as_str())
        .collect();
    assert_eq!(names, ["six", "four", "two"]);
}

/// A judge that names places which are not there, or says more than it lists: the list is the fact.
#[test]
fn an_issue_counts_where_it_can_be_found() {
    let turn = AtomicUsize::new(0);
    let fake = ModelServer::openai().plays(move |request| {
        assert_eq!(request.prompt(), "evaluate_association");
        let issue =
            |line: usize, quote: &str| json!({ "line": line, "quote": quote, "reason": "none" });
        let found = "Station K-01 reads 10 millimetres";
        let issues = match turn.fetch_add(1, Ordering::SeqCst) {
            // There is no line 900: the reply is asked for again.
            0 => vec![issue(900, found)],
            _ => vec![
                issue(3, found),
                issue(3, "station K-01 reads 10 millimetres"),
                issue(4, found),
                issue(3, "words that stand nowhere in it"),
            ],
        };
        Play::Say(json!({ "issues": issues }).to_string())
    });
    let project = project(&fake.url);
    let web = serve();
    import(&project, &[("only", Report::new(&web, &SIX[..2]).text())]);
    let summary = project.json(&["evaluate", "--metric", "association"]);
    let stage = &summary["stages"][0];
    assert_eq!(
        stage["rejected"],
        json!({ "not_in_the_report": 1 }),
        "{summary}"
    );
    let values = measured(&project, "only");
    let issues = values["association_issues"];
    assert!((1.0..=3.0).contains(&issues), "{values:?}");
    assert!((values["association"] - 0.9).abs() < 0.11, "{values:?}");
}

/// Two judges: their mean, each beside it; and one that never answers is missing and no zero.
#[test]
fn a_panel_is_a_mean_and_a_silent_judge_is_no_zero() {
    let silent = Mutex::new(false);
    let fake = ModelServer::openai().plays(move |request| {
        let strict = request.body["model"] == "strict";
        let mut reply = judge::reply(request.prompt(), &request.body);
        if strict && request.prompt() == "evaluate_coverage" {
            for item in reply["items"].as_array_mut().expect("items") {
                item["passes"] = json!(false);
                item["line"] = json!(0);
            }
        }
        if strict && request.prompt() == "evaluate_consistency" {
            *silent.lock().expect("a lock") = true;
            return Play::Decline;
        }
        Play::Say(reply.to_string())
    });
    let project = project(&fake.url);
    project.reconfigure("rate = \"fake/m\"", "rate = [\"fake/m\", \"fake/strict\"]");
    let web = serve();
    import(&project, &[("only", Report::new(&web, &SIX).text())]);
    project.output(&[
        "evaluate",
        "--metric",
        "coverage,consistency",
        "--max-unscored",
        "1",
    ]);
    let values = measured(&project, "only");
    assert!((values["coverage"] - 0.5).abs() < 1e-9, "{values:?}");
    assert!((values["consistency"] - 1.0).abs() < 1e-9, "{values:?}");
    let board = project.json(&["leaderboard"]);
    let row = &board["agents"][0];
    assert_eq!(
        row["by_judge"]["coverage"]["fake/strict"]["value"], 0.0,
        "{row}"
    );
    assert_eq!(row["by_judge"]["coverage"]["fake/m"]["value"], 1.0);
    assert_eq!(row["unscored"]["refused"], 1, "{row}");
}

/// What an evaluation of 17 models would cost is said before a call is made.
#[test]
fn a_dry_run_counts_the_questions() {
    let fake = obedient();
    let project = project(&fake.url);
    let web = serve();
    let models: Vec<String> = (1..=17).map(|n| format!("model-{n:02}")).collect();
    let text = Report::new(&web, &SIX).text();
    let reports: Vec<(&str, String)> = models
        .iter()
        .map(|model| (model.as_str(), format!("{text}\nWritten by {model}.\n")))
        .collect();
    import(&project, &reports);
    let calls = |metric: &str| -> u64 {
        let said = project.json(&["--dry-run", "evaluate", "--metric", metric]);
        let calls = said["calls"].as_object().expect("calls by model");
        calls.values().filter_map(|of| of["calls"].as_u64()).sum()
    };
    for (metric, questions) in [
        // Three questions of form that only a reader can answer.
        ("presentation", 17 * 3),
        ("coverage", 17 * 5),
        ("consistency", 17),
        ("association", 17),
        // Each pair in both orders.
        ("depth", 17 * 16),
    ] {
        assert_eq!(calls(metric), questions, "{metric}");
    }
    assert_eq!(fake.take(), 0, "nothing was asked");
}
