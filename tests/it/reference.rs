//! An evaluator that is one folder and one line: two criteria, one decided by code and one by a
//! model, against a reference report. It shows wherever measures show.

use serde_json::{Value, json};

use crate::{small_web::world::World, support::answers::drawn};

const EVALUATE: [&str; 3] = ["evaluate", "--metric", "reference"];

fn world() -> World {
    let world = World::new();
    world.answer();
    let config = world.project.configuration();
    world.project.configure(&format!(
        "{config}[evaluate.settings.reference]\nagent = \"faithful\"\n"
    ));
    world.project.ok(&EVALUATE);
    world
}

fn row<'a>(board: &'a Value, agent: &str) -> &'a Value {
    let rows = board["agents"].as_array().expect("agents");
    let mut found = rows.iter().filter(|row| row["agent"] == agent);
    found.next().expect("a row of the agent")
}

fn win_rate(board: &Value, agent: &str) -> Option<f64> {
    row(board, agent)["measures"]["win_rate"]["value"].as_f64()
}

#[test]
fn it_shows_wherever_measures_show() {
    let world = world();
    let calls = world.fake.take();
    // Two orders of each other agent's report on each task, and nothing for the reference itself.
    let compared = world.project.count(
        "SELECT count(*) FROM document JOIN agent ON agent.id = agent WHERE name != 'faithful' AND state = 'ok'",
    );
    assert_eq!(calls, 2 * compared as usize);
    world.project.ok(&EVALUATE);
    assert_eq!(world.fake.take(), 0, "what is on record is not asked again");

    let board = world.project.json(&["leaderboard"]);
    assert_eq!(win_rate(&board, "faithful"), None, "it is the reference");
    let others: Vec<&str> = board["agents"]
        .as_array()
        .expect("agents")
        .iter()
        .filter_map(|row| row["agent"].as_str())
        .filter(|name| *name != "faithful")
        .collect();
    assert!(others.len() >= 2, "{others:?}");
    for agent in &others {
        let rate = win_rate(&board, agent).expect("a share");
        assert!((0.0..=1.0).contains(&rate), "{agent}: {rate}");
        let length = &row(&board, agent)["measures"]["length_ratio"];
        assert!(
            length["value"].as_f64().is_some_and(|ratio| ratio > 0.0),
            "{length}"
        );
    }
    let pairs = board["differences"].as_array().expect("pairs");
    assert!(pairs.iter().any(|pair| pair["measure"] == "win_rate"));

    let terminal = world.project.ok(&["leaderboard"]);
    assert!(
        terminal.contains("wins") && terminal.contains("length"),
        "{terminal}"
    );
    assert!(
        !terminal.contains("KSR"),
        "an evaluator that was not run takes no room"
    );
    let (csv, html) = (
        world.project.path("board.csv"),
        world.project.path("board.html"),
    );
    let files = [
        csv.to_str().expect("a path"),
        html.to_str().expect("a path"),
    ];
    world
        .project
        .ok(&["leaderboard", "--csv", files[0], "--html", files[1]]);
    let csv = std::fs::read_to_string(csv).expect("a file");
    assert!(
        csv.contains(",win_rate,") && csv.contains(",length_ratio,"),
        "{csv}"
    );
    let html = std::fs::read_to_string(html).expect("a file");
    assert!(html.contains("wins against the reference"));
}

/// Another judge of the same comparisons moves the scores, and `rescore` says how far.
#[test]
fn it_is_rescored_and_held_against_people() {
    let world = world();
    world
        .project
        .reconfigure("rate = \"fake/m\"", "rate = \"fake/n\"");
    let rescored = world.project.json(&["rescore", "--metric", "reference"]);
    let changes = rescored["changes"].as_array().expect("changes");
    assert!(!changes.is_empty());
    assert!(
        changes.iter().all(|change| change["measure"] == "win_rate"),
        "{changes:?}"
    );
    let instruments = rescored["after"]["instruments"].as_array().expect("a list");
    assert_eq!(instruments[0]["models"], json!(["fake/n"]));

    let reports = world.project.json(&["reports", "list"]);
    let mut lines = "report,rater,score\n".to_owned();
    for (at, report) in reports.as_array().expect("a list").iter().enumerate() {
        let id = report["report"].as_str().expect("an id");
        lines += &format!("{id},ann,{}\n", at % 11);
    }
    let file = world.project.path("scores.csv");
    std::fs::write(&file, lines).expect("writable");
    let agreed = world
        .project
        .json(&["audit", "agreement", file.to_str().expect("a path")]);
    let with_people = agreed["agreement"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|agreement| agreement["what"] == "wins against the reference with people");
    let n = with_people.expect("the measure is compared")["n"].as_u64();
    assert!(n.is_some_and(|n| n > 3), "{agreed}");
}

#[test]
fn without_a_reference_it_says_what_to_do() {
    let world = World::new();
    world.answer();
    let said = world.project.fails(&EVALUATE, 2);
    assert!(said.contains("[evaluate.settings.reference]"), "{said}");
    let config = world.project.configuration();
    world.project.configure(&format!(
        "{config}[evaluate.settings.reference]\nagent = \"nobody\"\n"
    ));
    let said = world.project.fails(&EVALUATE, 2);
    assert!(
        said.contains("has no report on these tasks: `nobody`"),
        "{said}"
    );
    world.project.configure(&format!(
        "{config}[evaluate.settings.referenz]\nagent = \"x\"\n"
    ));
    let said = world.project.fails(&EVALUATE, 2);
    assert!(said.contains("there is no evaluator `referenz`"), "{said}");
}

/// Every pair shown the other way round, with the other letter named, says the same: no aggregate
/// of a leaderboard changes.
#[test]
fn swapped_sides_and_letters_change_no_aggregate() {
    let world = world();
    let before = world.project.ok(&["leaderboard", "--json"]);
    let swapped = world.project.sql(
        "UPDATE judgement SET label = CASE label WHEN 'A' THEN 'B' ELSE 'A' END, other = CASE
             WHEN other LIKE '%/subject_first' THEN replace(other, '/subject_first', '/other_first')
             ELSE replace(other, '/other_first', '/subject_first') END
         WHERE instrument = 'reference/preference/1'",
    );
    assert!(swapped > 8, "{swapped}");
    assert_eq!(world.project.ok(&["leaderboard", "--json"]), before);
}

/// Letters that chance names win half of the comparisons, whoever wrote the reports.
#[test]
fn shuffled_letters_score_at_chance() {
    let world = world();
    let ids: Vec<String> = {
        let database = world.project.database();
        let mut statement = database
            .prepare("SELECT id FROM judgement WHERE instrument = 'reference/preference/1'")
            .expect("a statement");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("ids")
    };
    let (mut sum, mut n) = (0.0, 0.0);
    for seed in 0..20 {
        for letter in ["A", "B"] {
            let chosen: Vec<String> = ids
                .iter()
                .filter(|id| drawn(id, seed).is_multiple_of(2) == (letter == "A"))
                .map(|id| format!("'{id}'"))
                .collect();
            world.project.sql(&format!(
                "UPDATE judgement SET label = '{letter}', confidence = 0.9 WHERE id IN ({})",
                chosen.join(", ")
            ));
        }
        let board = world.project.json(&["leaderboard"]);
        for row in board["agents"].as_array().expect("agents") {
            let measure = &row["measures"]["win_rate"];
            if let Some(rate) = measure["value"].as_f64() {
                let tasks = measure["n"].as_f64().expect("a count");
                sum += rate * tasks;
                n += tasks;
            }
        }
    }
    // The mean of two fair letters has a standard deviation of √⅛.
    let bound = 4.0 * 0.125_f64.sqrt() / f64::sqrt(n);
    assert!(
        (sum / n - 0.5).abs() < bound,
        "{} of {n}, ± {bound}",
        sum / n
    );
}
