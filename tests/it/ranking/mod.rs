//! Ranking by duels, end to end: resumed, extended, audited, reported, selected from, and stopped
//! where a judge guesses.

mod by_code;
mod flags;
mod results;
mod symmetry;
mod weighed;

use std::{collections::BTreeSet, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::Value;

use crate::{
    pipeline::kill_after,
    support::{ModelServer, Project, TALK, llm::Mood},
};

/// A project with two seminars and no method named, so that it ranks by duels.
fn project(budget: u64) -> (ModelServer, Project) {
    project_with(budget, Duration::ZERO)
}

fn project_with(budget: u64, delay: Duration) -> (ModelServer, Project) {
    let fake = ModelServer::openai().delay(delay).pipeline();
    let by_duels = format!("budget_calls = {budget}\ntarget_recall = 1.0");
    let project = Project::new(&fake.url)
        .config_instead("method = \"elo\"\nrounds = 4", &by_duels)
        .two_talks();
    (fake, project)
}

/// The stages before ranking; what they asked is forgotten.
fn weave(fake: &ModelServer, project: &Project) {
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    fake.take();
}

/// Makes every task's text its own: the fake writes the same ones for every seminar.
fn tell_apart(project: &Project) {
    project.sql(
        "UPDATE task SET text = text || ' (' || id || ')', payload = json_remove(payload, '$.seal')
         WHERE text NOT LIKE '%(t_%'",
    );
}

/// The questions among the requests, as texts.
fn questions(fake: &ModelServer) -> Vec<String> {
    fake.taken()
        .iter()
        .map(|request| request["messages"].to_string())
        .collect()
}

#[test]
fn every_task_is_judged_within_the_budget_and_a_second_run_asks_nothing() {
    let (fake, project) = project(40);
    weave(&fake, &project);
    project.ok(&["rank"]);
    let asked = questions(&fake);
    assert_eq!(asked.len(), 40);
    let tasks = project.json(&["tasks", "list"]);
    let tasks = tasks.as_array().expect("a list");
    assert!(tasks.len() >= 10 && tasks.iter().all(|task| task["games"].as_u64() > Some(0)));
    let estimates: Vec<&Value> = tasks.iter().map(|task| &task["estimate"]).collect();
    assert!(
        estimates
            .iter()
            .all(|e| e["low"].as_f64() < e["strength"].as_f64()
                && e["strength"].as_f64() < e["high"].as_f64())
    );
    let members: f64 = estimates
        .iter()
        .map(|e| e["membership"].as_f64().expect("a probability"))
        .sum();
    let top = tasks.len().div_ceil(3) as f64;
    assert!((members - top).abs() < 1e-6, "{members} of {top}");
    let first = project.export();
    project.ok(&["rank"]);
    assert_eq!(fake.take(), 0);
    assert_eq!(project.export(), first);
}

#[test]
fn a_ranking_stopped_by_its_budget_goes_on_where_it_was() {
    let (other, undisturbed) = project(36);
    weave(&other, &undisturbed);
    undisturbed.ok(&["rank"]);
    let mut expected = questions(&other);
    let (fake, project) = project(36);
    weave(&fake, &project);
    let mut runs = 0;
    let mut asked = Vec::new();
    // Every judgement holds its largest reply before it is asked, so that a few thousand tokens are
    // a few judgements.
    while project
        .output(&["rank", "--budget-tokens", "5500", "--max-connections", "1"])
        .status
        .code()
        == Some(5)
    {
        asked.extend(questions(&fake));
        runs += 1;
        assert!(runs < 40, "it comes to an end");
    }
    asked.extend(questions(&fake));
    assert!(runs >= 2, "{runs} runs were stopped");
    asked.sort();
    expected.sort();
    assert_eq!(
        asked, expected,
        "the same questions, and none twice but for the audit"
    );
    assert_eq!(project.export(), undisturbed.export());
}

/// `TASKGEN_KILLS=50` is the proof; a few kills show that it works.
#[test]
fn killed_at_random_moments_duels_end_as_if_undisturbed() {
    let kills: i64 = std::env::var("TASKGEN_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3);
    let budget = 300;
    let start = |delay| {
        let (fake, project) = project_with(budget, delay);
        for n in 0..4 {
            project.add_transcript(&format!("talk{n}.wav"), "en", TALK);
        }
        weave(&fake, &project);
        tell_apart(&project);
        (fake, project)
    };
    let (_, undisturbed) = start(Duration::ZERO);
    undisturbed.ok(&["rank"]);
    let (fake, project) = start(Duration::from_millis(20));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut killed = 0;
    for n in 1..=kills {
        // Somewhere in the nth part of the work; what is there already ends the wait at once.
        let moment = rng
            .random_range((n - 1) * budget as i64 / kills..n * budget as i64 / kills)
            .max(1);
        killed += i64::from(kill_after(&project, "rank", moment));
    }
    project.ok(&["rank"]);
    assert!(
        killed * 10 >= kills * 9,
        "{killed} of {kills} found it running"
    );
    assert_eq!(project.export(), undisturbed.export());
    assert_eq!(
        project.count("SELECT count(*) FROM call WHERE role = 'judge'"),
        budget as i64
    );
    // Each of the audit's repetitions is a question that came twice; else only what was in flight
    // at a kill, 20 at first.
    let repeated = project.count("SELECT count(*) FROM judgement WHERE sample = 1");
    let twice: usize = fake.repeats().values().map(|n| n - 1).sum();
    assert!(
        twice as i64 <= repeated + 20 * killed,
        "{twice} requests came twice"
    );
}

/// Lists screen, duels decide; who orders lists is a judge of its own, and a second run finds
/// everything on record.
#[test]
fn lists_screen_and_duels_decide() {
    let (fake, project) = project(0);
    weave(&fake, &project);
    tell_apart(&project);
    let args = [
        "rank",
        "--method",
        "listwise",
        "--list-size",
        "4",
        "--budget-calls",
        "24",
        "--max-connections",
        "1",
    ];
    let mut stopped = 0;
    while project
        .output(&[&args[..], &["--budget-tokens", "5500"]].concat())
        .status
        .code()
        == Some(5)
    {
        stopped += 1;
        assert!(stopped < 40, "it comes to an end");
    }
    assert!(stopped > 0);
    assert_eq!(fake.take(), 24, "nothing is asked twice");
    let lists = project.count("SELECT count(*) FROM judgement WHERE instrument LIKE '%order%'");
    let duels = project.count("SELECT count(*) FROM judgement WHERE instrument LIKE '%overall%'");
    assert!(
        lists >= 4 && duels >= 6 && lists + duels == 24,
        "{lists} lists and {duels} duels"
    );
    project.ok(&args);
    assert_eq!(fake.take(), 0);
    let report = project.json(&["rank", "report"]);
    assert_eq!(report["n_scored"], 24);
    let names: Vec<&str> = report["judges"]
        .as_array()
        .expect("judges")
        .iter()
        .filter_map(|judge| judge["name"].as_str())
        .collect();
    assert!(
        names.len() == 2
            && names
                .iter()
                .filter(|name| name.ends_with(" (lists)"))
                .count()
                == 1,
        "{names:?}"
    );
    let tasks = project.json(&["tasks", "list"]);
    assert!(
        tasks
            .as_array()
            .expect("a list")
            .iter()
            .all(|task| task["games"].as_u64() > Some(0))
    );
    let (_, undisturbed) = self::project(0);
    undisturbed.ok(&["inspire"]);
    undisturbed.ok(&["weave"]);
    tell_apart(&undisturbed);
    undisturbed.ok(&args);
    assert_eq!(project.export(), undisturbed.export());
    // Another method after it asks its own questions; lists are another instrument.
    project.ok(&["rank", "--method", "halving", "--budget-calls", "20"]);
    for (flags, said) in [
        (
            ["rank", "--method", "listwise", "--rounds", "3"],
            "--rounds needs --method elo",
        ),
        (
            ["rank", "--method", "listwise", "--list-size", "2"],
            "rank.list_size must be between 3 and 12",
        ),
        (
            ["rank", "--method", "halving", "--list-size", "4"],
            "--list-size needs --method listwise",
        ),
    ] {
        assert!(project.fails(&flags, 2).contains(said), "{flags:?}");
    }
}

/// What had no verdict gets one later, and nothing else is asked again: the way of the ranking
/// stays as it was.
#[test]
fn failures_are_asked_again_and_nothing_else() {
    let (fake, project) = project(60);
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    tell_apart(&project);
    fake.set_mood(Mood::Moody);
    let code = project
        .output(&["rank", "--max-unscored", "1"])
        .status
        .code();
    assert_eq!(code, Some(1), "{} requests", fake.take());
    let unscored = || project.count("SELECT count(*) FROM judgement WHERE state = 'unscored'");
    let failed = unscored();
    assert!((2..30).contains(&failed), "{failed}");
    assert_eq!(project.json(&["rank", "report"])["n_failed"], failed);
    fake.set_mood(Mood::Helpful);
    fake.take();
    project.ok(&["rank", "--retry-failed"]);
    assert_eq!(fake.take() as i64, failed);
    assert_eq!(unscored(), 0);
    assert_eq!(project.json(&["rank", "report"])["n_scored"], 60);
    project.ok(&["rank"]);
    assert_eq!(fake.take(), 0);
}

#[test]
fn new_tasks_join_and_another_prompt_begins_anew() {
    let (fake, project) = project(30);
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    tell_apart(&project);
    project.ok(&["rank"]);
    let before: BTreeSet<String> = questions(&fake).into_iter().collect();
    project.add_transcript("rivers-again.wav", "en", TALK);
    weave(&fake, &project);
    tell_apart(&project);
    let said = project.output(&["rank"]);
    assert!(
        String::from_utf8_lossy(&said.stderr).contains("verdicts were known from earlier rankings")
    );
    let joined = questions(&fake);
    assert!(
        !joined.is_empty()
            && joined.len() <= 30
            && joined.iter().all(|question| !before.contains(question))
    );
    let tasks = project.json(&["tasks", "list"]);
    assert!(
        tasks
            .as_array()
            .expect("a list")
            .iter()
            .all(|task| task["games"].as_u64() > Some(0))
    );
    project.ok(&["prompts", "eject", "rank/judge"]);
    let prompt = project.path("prompts/rank/judge.md");
    let text = std::fs::read_to_string(&prompt).expect("ejected");
    std::fs::write(&prompt, text.replacen("task", "research task", 1)).expect("writable");
    let said = project.output(&["rank"]);
    assert!(!String::from_utf8_lossy(&said.stderr).contains("were known"));
    assert_eq!(
        questions(&fake).len(),
        30,
        "nothing that another prompt decided counts"
    );
    let total = project.json(&["rank", "report"]);
    assert_eq!(total["n_scored"], 30);
}

#[test]
fn what_a_budget_ended_is_a_ranking() {
    let (fake, project) = project(30);
    weave(&fake, &project);
    let args = [
        "rank",
        "--rounds",
        "6",
        "--budget-tokens",
        "5500",
        "--max-connections",
        "1",
    ];
    assert_eq!(project.output(&args).status.code(), Some(5));
    assert_eq!(
        project.json(&["rank", "report"])["ranking"]["method"],
        "elo"
    );
    let selected = project.json(&["tasks", "select", "--top", "4", "--similarity", "2"]);
    let listed = project.json(&["tasks", "list"]);
    let ids = |of: &Value| {
        of.as_array()
            .expect("a list")
            .iter()
            .take(4)
            .map(|t| t["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids(&selected["chosen"]),
        ids(&listed),
        "the paper keeps the first by rating"
    );
}

#[test]
fn small_budgets_are_spent_and_said_to_be_small() {
    let (fake, project) = project(1);
    weave(&fake, &project);
    insta::assert_snapshot!(project.told(&["rank"]), @"
    $ taskgen rank
    exit 0
    --- err
    seed 1 (change it with --seed)
    ───
     stage   done   skipped   failed   refused by rule   time
    ───
     rank    1      0         0        –                 [time]
    ───
    1 judgements cannot show each of 12 tasks once: that takes 6
    1 model call, 0 more from the record; 100 prompt tokens (0 cached), 10 reply tokens, and 1 call of unknown price (`prices.toml` can name it)
    12 tasks, [time] in all
    ");
    assert_eq!(fake.take(), 1);
    let report = project.json(&["rank", "report"]);
    let rated = report["rated"].as_array().expect("a list");
    assert!(rated.len() > 4 && rated[0]["low"].as_f64() < rated[0]["high"].as_f64());
    assert!(report["counts"]["discipline"].is_array() && report["counts"]["type"].is_array());
    let all = ["rank", "--budget-calls", "1000", "--target-recall", "1"];
    insta::assert_snapshot!(project.told(&all), @"
    $ taskgen rank --budget-calls 1000 --target-recall 1
    exit 0
    --- err
    seed 1 (change it with --seed)
    ───
     stage   done   skipped   failed   refused by rule   time
    ───
     rank    95     0         0        –                 [time]
    ───
    1 verdicts were known from earlier rankings
    95 of at most 1000 judgements were asked: all pairs have been compared
    95 model calls, 0 more from the record; 9500 prompt tokens (0 cached), 950 reply tokens, and 95 calls of unknown price (`prices.toml` can name it)
    12 tasks, [time] in all
    ");
    let tasks = rated.len();
    let pairs = "SELECT count(DISTINCT min(subject, other) || max(subject, other)) FROM judgement WHERE sample = 0";
    assert_eq!(project.count(pairs), (tasks * (tasks - 1) / 2) as i64);
}

/// The fake's verdicts follow from the prompt's bytes and have nothing to do with the tasks.
#[test]
fn a_judge_that_guesses_ends_the_run() {
    let (fake, project) = project(2000);
    for n in 0..9 {
        project.add_transcript(&format!("talk{n}.wav"), "en", TALK);
    }
    weave(&fake, &project);
    tell_apart(&project);
    let said = project.fails(&["rank"], 6);
    assert!(
        said.contains("is no better than chance") && said.contains("hint"),
        "{said}"
    );
    let asked = fake.take();
    assert!((200..1500).contains(&asked), "{asked}");
    assert!(
        project
            .ok(&["rank", "report"])
            .contains("is no better than chance")
    );
}

/// The paper's way looks, too, and what is on record is enough to pay nothing more.
#[test]
fn a_judge_that_guesses_ends_rounds_and_is_not_asked_again() {
    let (fake, project) = project(0);
    for n in 0..9 {
        project.add_transcript(&format!("talk{n}.wav"), "en", TALK);
    }
    weave(&fake, &project);
    tell_apart(&project);
    assert!(
        project
            .fails(&["rank", "--rounds", "40"], 6)
            .contains("is no better than chance")
    );
    let asked = fake.take();
    assert!((200..1200).contains(&asked), "{asked}");
    for args in [
        ["rank", "--rounds", "40"],
        ["rank", "--rounds", "50"],
        ["rank", "--budget-calls", "3000"],
    ] {
        project.fails(&args, 6);
        assert_eq!(fake.take(), 0, "{args:?}");
    }
}
