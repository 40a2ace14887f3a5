//! What ends a match, what becomes of one that failed, how it is shown, and agents that come later.

use serde_json::{Value, json};

use super::project::{played, project};

const FOUR: [(&str, &str); 4] = [("one", "1"), ("two", "2"), ("three", "3"), ("all", "")];

fn end(shown: &Value) -> &Value {
    let events = shown["events"].as_array().expect("events");
    events.last().expect("an end")
}

#[test]
fn a_sequential_test_needs_more_than_a_lead_of_two() {
    let project = project(&FOUR);
    let play = |more: &[&str]| {
        let all = ["arena", "match", "all", "one", "--tree", "tides"];
        played(&project, &[&all, more].concat())
    };
    let rounds = |shown: &Value| {
        let events = shown["events"].as_array().expect("events").iter();
        events.filter(|event| event["event"] == "judged").count()
    };
    let by_lead = play(&[]);
    let loose = play(&["--stop", "sprt", "--error", "0.4"]);
    let strict = play(&["--stop", "sprt", "--error", "0.1"]);
    assert_eq!(
        (&end(&by_lead)["cause"], &end(&loose)["cause"]),
        (&json!("margin"), &json!("evidence"))
    );
    assert_eq!(end(&strict)["winner"], "A", "{strict}");
    assert!(
        rounds(&loose) < rounds(&strict) && rounds(&by_lead) < rounds(&strict),
        "{strict}"
    );
    // Not decided by the last round: nobody wins, whoever has more points, and the board says so.
    let short = play(&["--stop", "sprt", "--error", "0.01", "--rounds", "1"]);
    assert_eq!(
        (&end(&short)["cause"], &end(&short)["winner"]),
        (&json!("round_limit"), &Value::Null)
    );
    assert!(end(&short)["score"]["a"].as_u64() > Some(0), "{short}");
    let board = project.json(&["arena", "leaderboard"]);
    assert_eq!(
        (&board["matches"], &board["undecided"]),
        (&json!(4), &json!(1))
    );
    assert!(
        project
            .ok(&["arena", "leaderboard"])
            .contains("1 undecided, half a win for each")
    );
    let refused = |more: &[&str]| {
        let all = ["arena", "match", "all", "one", "--tree", "tides"];
        project.fails(&[&all, more].concat(), 2)
    };
    let both = refused(&["--stop", "sprt", "--margin", "3"]);
    assert!(
        both.contains("a sequential test has no margin") && both.contains("hint: "),
        "{both}"
    );
    let none = refused(&["--error", "0.1"]);
    assert!(none.contains("--stop sprt"), "{none}");
    let fine = refused(&["--stop", "sprt", "--error", "0.0005"]);
    assert!(fine.contains("in thousandths"), "{fine}");
    let share = refused(&["--stop", "sprt", "--superiority", "0.5"]);
    assert!(share.contains("between 0.5 and 1"), "{share}");
}

/// The agent is the same, what it lacked is there now: the match that came to nothing stays as it
/// is, and another one is played.
#[test]
fn a_match_without_a_result_is_played_anew_when_that_is_asked_for() {
    let project = project(&[("all", "")]);
    let marker = project.path("ready");
    let command = format!(
        "sh -c 'cat >/dev/null; test -e {} && echo It was 1807.'",
        marker.display()
    );
    let config = project.configuration()
        + &format!(
            "[agents.late]\nsandbox = \"off\"\ncommand = {}\n",
            json!(command)
        );
    project.configure(&config);
    let play = ["arena", "match", "all", "late", "--tree", "tides"];
    let anew = [&play[..], &["--retry-failed"]].concat();
    let failed = played(&project, &play);
    assert_eq!(end(&failed)["cause"], "failures");
    std::fs::write(&marker, "").expect("writable");
    assert_eq!(played(&project, &play), failed, "it stays as it is");
    let shown = played(&project, &anew);
    assert_eq!(
        (&end(&shown)["cause"], &end(&shown)["winner"]),
        (&json!("margin"), &json!("A"))
    );
    assert_ne!(shown["id"], failed["id"]);
    // From now on it is the one that is meant, and it has a result: there is nothing to play anew.
    assert_eq!(played(&project, &play), shown);
    assert_eq!(played(&project, &anew), shown);
    assert_eq!(project.count("SELECT count(*) FROM duel"), 2);
}

#[test]
fn a_page_tells_a_match_and_what_strangers_wrote_is_text() {
    let project = project(&[
        ("all", ""),
        (
            "sly",
            "sh -c 'cat >/dev/null; echo \"<script>alert(1)</script> 1807\"'",
        ),
    ]);
    let shown = played(
        &project,
        &["arena", "match", "all", "sly", "--tree", "tides"],
    );
    let id = shown["id"].as_str().expect("an id");
    let said = project.told(&["arena", "replay", &id[..9], "--html", "match.html"]);
    assert!(said.contains("written: `match.html`"), "{said}");
    let page = std::fs::read_to_string(project.path("match.html")).expect("a page");
    assert!(!page.contains("<script"), "{page}");
    for part in [
        "all against sly",
        "&lt;script&gt;alert(1)",
        "Where the match went",
        "is asked about",
        "missed",
        "code&#x2f;cloze",
        "a lead of 2, or 10 rounds",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let question = shown["events"].as_array().expect("events").iter();
    let mut question = question.filter(|event| event["event"] == "asked");
    let question = question.next().expect("a question")["text"]
        .as_str()
        .expect("a text");
    let words = question
        .split_whitespace()
        .filter(|word| word.chars().all(char::is_alphanumeric));
    for word in words {
        assert!(page.contains(word), "{word}");
    }
    // All ids begin with the same letters.
    played(
        &project,
        &["arena", "match", "sly", "all", "--tree", "tides"],
    );
    let told = project.fails(&["arena", "replay", &id[..2]], 2);
    assert!(
        told.contains("2 matches have an id that begins with"),
        "{told}"
    );
    let told = project.fails(&["arena", "replay", "nothing"], 2);
    assert!(
        told.contains("no such match: `nothing`") && told.contains("arena list"),
        "{told}"
    );
}

#[test]
fn an_agent_that_comes_later_is_rated_by_a_few_matches() {
    let project = project(&FOUR);
    let none = project.fails(&["arena", "onboard", "two"], 2);
    assert!(none.contains("no agent has a rating yet"), "{none}");
    let cup = [
        "arena",
        "tournament",
        "cup",
        "--agents",
        "one,three,all",
        "--swiss-rounds",
        "3",
    ];
    played(&project, &cup);
    let onboard = [
        "arena",
        "onboard",
        "two",
        "--precision",
        "150",
        "--matches",
        "12",
    ];
    let dry = project.fails(&[&onboard[..], &["--dry-run"]].concat(), 2);
    assert!(dry.contains("cannot know who meets whom"), "{dry}");
    let known = played(&project, &onboard);
    let matches = known["matches"].as_u64().expect("a number");
    assert!((2..=12).contains(&matches), "{known}");
    let interval = known["interval"].as_array().expect("an interval");
    let (low, high) = (
        interval[0].as_f64().expect("low"),
        interval[1].as_f64().expect("high"),
    );
    let width = (high - low) / 2.0 / 1.96;
    assert_eq!(known["precise"], width <= 150.1, "{known}");
    // Nothing is played again, and all count on the board.
    let duels = project.count("SELECT count(*) FROM duel");
    assert_eq!(played(&project, &onboard), known);
    assert_eq!(
        played(&project, &["arena", "onboard", "two"]),
        known,
        "by its name alone"
    );
    assert_eq!(project.count("SELECT count(*) FROM duel"), duels);
    let board = project.json(&["arena", "leaderboard"]);
    assert_eq!(board["agents"].as_array().map(Vec::len), Some(4), "{board}");
    let other = project.fails(&["arena", "onboard", "two", "--precision", "90"], 2);
    assert!(other.contains("was begun with other bounds"), "{other}");
    let other = project.fails(&["arena", "onboard", "two", "--against", "one"], 2);
    assert!(other.contains("was begun with other opponents"), "{other}");
    let other = project.fails(&["arena", "tournament", "cup", "--stop", "sprt"], 2);
    assert!(
        other.contains("was begun with other bounds of a match"),
        "{other}"
    );
    // One match may be all there is; none is no rating.
    let once = [
        "arena",
        "onboard",
        "two",
        "--matches",
        "1",
        "--name",
        "once",
    ];
    assert_eq!(played(&project, &once)["matches"], 1);
    let kind = project.fails(&["arena", "tournament", "onboarding of two"], 2);
    assert!(
        kind.contains("was begun with other ways of pairing"),
        "{kind}"
    );
    let unrated = project.fails(
        &[
            "arena",
            "onboard",
            "two",
            "--against",
            "four",
            "--name",
            "x",
        ],
        2,
    );
    assert!(unrated.contains("without a rating: `four`"), "{unrated}");
}

#[test]
fn rounds_are_rated_by_grade_and_a_board_is_held_against_another() {
    let project = project(&FOUR);
    let cup = [
        "arena",
        "tournament",
        "cup",
        "--agents",
        "one,two,three,all",
    ];
    played(&project, &cup);
    let matches = project.json(&["arena", "leaderboard"]);
    let graded = project.json(&["arena", "leaderboard", "--graded"]);
    assert_eq!(
        (&matches["rated"], &graded["rated"]),
        (&json!("matches"), &json!("rounds"))
    );
    let thresholds = &graded["thresholds"];
    assert!(
        thresholds["much_better"].as_f64() > thresholds["better"].as_f64(),
        "{graded}"
    );
    let games = |board: &Value| -> u64 {
        let rows = board["agents"].as_array().expect("agents").iter();
        rows.map(|row| row["games"].as_u64().expect("a number"))
            .sum()
    };
    assert!(
        games(&graded) > games(&matches),
        "rounds are more than matches"
    );
    let csv = ["arena", "leaderboard", "--csv", "board.csv"];
    project.ok(&csv);
    let beside = project.json(&["arena", "leaderboard", "--reference", "board.csv"]);
    let same = &beside["reference"];
    assert_eq!(
        (&same["agents"], &same["missing"]),
        (&json!(4), &json!(0)),
        "{same}"
    );
    assert!(same["spearman"]["value"].as_f64() > Some(0.999), "{same}");
    std::fs::write(
        project.path("other.csv"),
        "name,rating\nall,1\nthree,2\ntwo,3\none,4\nfive,5\n",
    )
    .expect("writable");
    let told = project.ok(&["arena", "leaderboard", "--reference", "other.csv"]);
    assert!(
        told.contains("4 agents on both, 1 on one alone; Spearman's ρ −")
            || told.contains("4 agents on both, 1 on one alone; Spearman's ρ -"),
        "{told}"
    );
    let missing = project.fails(&["arena", "leaderboard", "--reference", "none.csv"], 2);
    assert!(missing.contains("`none.csv` is no board"), "{missing}");
    for (text, why) in [
        ("a,b\n1,2\n", "no column `name`"),
        ("name,rating\nx,high\n", "row 1: no number: `high`"),
        ("name,rating\nx,1\nx,2\n", "`x` stands in it twice"),
    ] {
        std::fs::write(project.path("bad.csv"), text).expect("writable");
        let told = project.fails(&["arena", "leaderboard", "--reference", "bad.csv"], 2);
        assert!(told.contains(why) && told.contains("hint: "), "{told}");
    }
}

/// Agents that no chain of matches joins are on no common scale.
#[test]
fn groups_that_never_met_are_held_against_nothing() {
    let project = project(&[FOUR[0], FOUR[1], FOUR[2], FOUR[3], ("late", "2")]);
    for pair in [["one", "two"], ["three", "all"]] {
        let play = ["arena", "match", pair[0], pair[1], "--tree", "tides"];
        played(&project, &play);
    }
    project.ok(&["arena", "leaderboard", "--csv", "board.csv"]);
    let told = project.fails(&["arena", "leaderboard", "--reference", "board.csv"], 2);
    assert!(
        told.contains("2 groups without a match between them"),
        "{told}"
    );
    let told = project.fails(&["arena", "onboard", "late"], 2);
    assert!(
        told.contains("2 groups without a match between them") && told.contains("--against"),
        "{told}"
    );
    let within = [
        "arena",
        "onboard",
        "late",
        "--against",
        "three,all",
        "--matches",
        "2",
    ];
    assert_eq!(played(&project, &within)["matches"], 2);
}
