//! Boards with planted gaps: what is missing, how far it could move the numbers, and who stands
//! where because of it. And what depends on the weights of criteria.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::small_web::world::World;

/// The value of each agent by each measure, before anything was missing.
type Truth = BTreeMap<(String, String), f64>;

fn truth(board: &Value) -> Truth {
    let mut truth = Truth::new();
    for row in board["agents"].as_array().expect("agents") {
        assert_eq!(row["is_complete"], true, "{row}");
        let agent = row["agent"].as_str().expect("a name");
        for (key, measure) in row["measures"].as_object().expect("measures") {
            if let Some(value) = measure["value"].as_f64() {
                truth.insert((agent.to_owned(), key.clone()), value);
            }
        }
    }
    truth
}

/// Every true value lies between worst and best, and nobody with a gap stands above anybody without
/// one. Returns how many measures are open, and who is not complete.
fn check(board: &Value, truth: &Truth) -> (usize, Vec<String>) {
    let (mut open, mut incomplete) = (0, Vec::new());
    for row in board["agents"].as_array().expect("agents") {
        let agent = row["agent"].as_str().expect("a name").to_owned();
        for (key, measure) in row["measures"].as_object().expect("measures") {
            let (worst, best) = (measure["worst"].as_f64(), measure["best"].as_f64());
            let (Some(worst), Some(best)) = (worst, best) else {
                assert!(
                    measure["no_bounds"].is_string() || measure["n"] == 0,
                    "{agent} {key}: {measure}"
                );
                continue;
            };
            open += usize::from(worst.to_bits() != best.to_bits());
            let Some(value) = truth.get(&(agent.clone(), key.clone())) else {
                continue;
            };
            assert!(
                worst.min(best) - 1e-9 <= *value && *value <= worst.max(best) + 1e-9,
                "{agent} {key}: {value} is not in {measure}"
            );
        }
        if row["is_complete"] == false {
            assert_eq!((&row["rank"], &row["tier"]), (&Value::Null, &Value::Null));
            incomplete.push(agent);
        } else {
            assert!(incomplete.is_empty(), "{agent} stands below one with a gap");
            assert!(row["rank"].is_u64());
        }
    }
    (open, incomplete)
}

/// The best agent loses reports, another one verdicts: the program says so everywhere, and ranks
/// neither above the one that has everything.
#[test]
fn what_is_missing_is_bounded_and_stands_apart() {
    let world = World::evaluated();
    let project = &world.project;
    let whole = project.json(&["leaderboard"]);
    let truth = truth(&whole);
    assert_eq!(whole["agents"][0]["agent"], "faithful");
    assert_eq!(check(&whole, &truth), (0, vec![]));

    // Verdicts on every third key point of one agent.
    project.sql(
        "UPDATE judgement SET state = 'unscored', cause = 'timeout' WHERE instrument LIKE 'kae/relation%'
         AND rowid % 3 = 0 AND subject IN (SELECT id FROM document WHERE agent = (SELECT id FROM agent WHERE name = 'half'))",
    );
    let (some, incomplete) = check(&project.json(&["leaderboard"]), &truth);
    assert!(some > 5 && incomplete.is_empty(), "{some} {incomplete:?}");

    // The reports of the best one but for its first task, and a rating of the last.
    let lost = "DELETE FROM document WHERE agent = (SELECT id FROM agent WHERE name = 'faithful') AND task != (SELECT min(task) FROM document)";
    project.sql(lost);
    project.sql(
        "UPDATE judgement SET state = 'unscored', cause = 'timeout' WHERE instrument LIKE 'ace/rating%'
         AND subject = (SELECT min(id) FROM document WHERE agent = (SELECT id FROM agent WHERE name = 'tricky'))",
    );
    let board = project.json(&["leaderboard"]);
    let (more, incomplete) = check(&board, &truth);
    assert!(more > some, "{more} {some}");
    assert_eq!(incomplete.len(), 2, "{incomplete:?}");
    assert_eq!(
        (&board["agents"][0]["agent"], &board["agents"][0]["rank"]),
        (&"half".into(), &1.into())
    );
    let faithful = board["agents"]
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["agent"] == "faithful"));
    let ranks = &faithful.expect("a row")["possible_ranks"];
    assert_eq!(ranks, &serde_json::json!([1, 3]));

    // The terminal, the paper's table, the table of CSV, and the page.
    for table in [&["leaderboard"][..], &["leaderboard", "--table", "paper"]] {
        let told = project.ok(table);
        let place = |text: &str| {
            told.find(text)
                .unwrap_or_else(|| panic!("no {text}: {told}"))
        };
        let apart = place("no rank:");
        let row = told.find(" half ").expect("a row");
        assert!(row < apart, "{told}");
        place("faithful, not complete: ACE from ");
        place("(1 of 4)");
        place("rank by ACE from 1 to 3");
        place("no worst and best, as no value is the largest: ");
    }
    let (table, page) = (project.path("board.csv"), project.path("board.html"));
    let files = [&table, &page].map(|path| path.to_str().expect("a path").to_owned());
    project.ok(&["leaderboard", "--csv", &files[0], "--html", &files[1]]);
    let table = std::fs::read_to_string(table).expect("written");
    let mut lines = table.lines();
    let heading = lines.next().expect("a heading");
    assert!(
        heading.starts_with("rank,name,rating,ci_low,ci_high,n_games,p_top_k,"),
        "{heading}"
    );
    let ace = |name: &str| {
        let is_ace = |line: &&str| line.contains(&format!(",{name},")) && line.contains(",ace,");
        table
            .lines()
            .find(is_ace)
            .unwrap_or_else(|| panic!("{table}"))
    };
    assert!(ace("half").starts_with("1,half,5.1"), "{}", ace("half"));
    assert!(ace("half").contains(",4,1,all,1,ace,4,"), "{}", ace("half"));
    // Ranks, tiers and who is complete are by ACE, and on no other measure's line.
    let words = table
        .lines()
        .find(|line| line.contains(",half,") && line.contains(",words,"));
    let words: Vec<&str> = words.expect("a line").split(',').collect();
    for column in [0, 6, 8, 14, 15, 16] {
        assert_eq!(words[column], "", "{column} of {words:?}");
    }
    assert!(
        ace("faithful").starts_with(",faithful,"),
        "{}",
        ace("faithful")
    );
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("Not complete: no rank") && page.contains("could be "));
}

/// Other weights are other scores, and a name with a slip is refused; the order's dependence on the
/// weights is said.
#[test]
fn criteria_can_weigh_otherwise() {
    let world = World::evaluated();
    let project = &world.project;
    let ace = |args: &[&str]| -> Vec<f64> {
        let board = project.json(&[&["leaderboard"][..], args].concat());
        let rows = board["agents"].as_array().expect("agents").clone();
        let value = |row: &Value| row["measures"]["ace"]["value"].as_f64().expect("a score");
        rows.iter().map(value).collect()
    };
    let refused = project.fails(&["leaderboard", "--weights", "colour=2"], 2);
    let (_, hint) = refused
        .split_once("no criterion is called `colour`\nhint: ")
        .expect("a hint");
    let name = hint
        .split(',')
        .next()
        .expect("a name")
        .lines()
        .next()
        .expect("a line")
        .trim();
    let plain = ace(&[]);
    assert_eq!(ace(&["--weights", &format!("{name}=1")]), plain);
    let other = ace(&["--weights", &format!("{}=20", name.to_uppercase())]);
    assert!(other != plain, "{other:?} {plain:?}");
    let told = project.fails(&["leaderboard", "--weights", &format!("{name}=-1")], 2);
    assert!(told.contains("a number from 0 to 1000"), "{told}");
    // The project's own weights, unless others are typed.
    let config = project.configuration();
    project.configure(&format!(
        "{config}[evaluate.weights]\n{} = 20\n",
        serde_json::json!(name)
    ));
    assert_eq!(ace(&[]), other);
    assert_eq!(ace(&["--weights", &format!("{name}=1")]), plain);
    let told = project.ok(&["leaderboard"]);
    assert!(
        told.contains("criteria weighed otherwise: ") && told.contains(" × 20"),
        "{told}"
    );
    let board = project.json(&["leaderboard", "--sensitivity"]);
    let pairs = board["sensitivity"]["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 3, "three agents");
    let kept = pairs
        .iter()
        .map(|pair| pair["kept"].as_f64().expect("a share"));
    assert!(
        kept.clone().all(|share| (0.0..=1.0).contains(&share)),
        "{pairs:?}"
    );
    assert_eq!(
        board["sensitivity"],
        project.json(&["leaderboard", "--sensitivity"])["sensitivity"]
    );
    let told = project.ok(&["leaderboard", "--sensitivity"]);
    assert!(told.contains("random weightings of the"), "{told}");
    project.configure(&format!(
        "{config}[evaluate.weights]\n{} = -2.0\n",
        serde_json::json!(name)
    ));
    assert!(
        project
            .fails(&["leaderboard"], 2)
            .contains("must be a number from 0 to 1000")
    );
}

/// A run says which one it was, who was asked and who answered, and what came of it; and tasks say
/// how hard they are by the results.
#[test]
fn a_summary_names_its_run_and_tasks_how_hard_they_are() {
    let world = World::new();
    world.answer();
    let project = &world.project;
    let unknown = project.json(&["tasks", "list"]);
    assert_eq!(unknown[0].get("calibrated_difficulty"), None);
    let args = [
        "evaluate",
        "--allow-private-network",
        "--metric",
        "ace",
        "--json",
    ];
    let summary: Value = serde_json::from_str(&project.ok(&args)).expect("JSON");
    assert_eq!(summary["schema_version"], 2);
    let run = project.count("SELECT max(id) FROM run");
    assert_eq!(summary["run"]["id"], run);
    for key in ["created", "tool_version", "config_hash"] {
        assert!(
            summary["run"][key]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{summary}"
        );
    }
    assert_eq!(summary["run"]["seed"], summary["seed"]);
    let rate = &summary["models"]["rate"];
    assert_eq!(rate["requested"], "fake/m");
    assert!(
        rate["returned"]
            .as_array()
            .is_some_and(|names| names.len() == 1),
        "{rate}"
    );
    assert_eq!(summary["usage"]["cache_write"], Value::Null);
    let scores = summary["scores"].as_array().expect("scores");
    let ace = scores
        .iter()
        .find(|of| of["name"] == "ace" && of["agent"] == "faithful");
    let ace = ace.expect("a score");
    assert_eq!((&ace["n_total"], &ace["n_scored"]), (&4.into(), &4.into()));
    assert!(ace["value"].as_f64().is_some_and(|value| value > 6.0));
    // Of calls on record the names are said, too.
    let again: Value = serde_json::from_str(&project.ok(&args)).expect("JSON");
    assert_eq!(
        (&again["usage"]["calls"], &again["models"]["rate"]),
        (&0.into(), rate)
    );
    assert_eq!(again["scores"], summary["scores"]);

    let listed = project.json(&["tasks", "list"]);
    let mut sum = 0.0;
    for task in listed.as_array().expect("a list") {
        let found = &task["calibrated_difficulty"];
        assert_eq!(
            (&found["measure"], &found["agents"]),
            (&"ace".into(), &3.into())
        );
        let [low, value, high] =
            ["low", "value", "high"].map(|key| found[key].as_f64().expect("a number"));
        assert!(low < value && value < high, "{found}");
        sum += value;
    }
    assert!(sum.abs() < 1e-9, "0 is the mean task: {sum}");
    let told = project.ok(&["tasks", "list"]);
    assert!(told.contains("by the ACE of 3 agents"), "{told}");
    let id = listed[0]["id"].as_str().expect("an id");
    assert!(project.ok(&["tasks", "show", id]).contains("difficulty "));
    project.sql("DELETE FROM document WHERE agent != (SELECT id FROM agent WHERE name = 'half')");
    let told = project.ok(&["tasks", "list"]);
    assert!(told.contains("not known by ACE"), "{told}");
    project.sql("DELETE FROM document");
    let listed = project.json(&["tasks", "list"]);
    assert_eq!(
        listed[0].get("calibrated_difficulty"),
        None,
        "no report, no word"
    );
}
