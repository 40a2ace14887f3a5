//! The commands that look: what they print, as text and as JSON; and the flags that stages share.

mod refusals;

use crate::support::{ModelServer, Project, TALK};
use serde_json::Value;

fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).two_talks();
    (fake, project)
}

#[test]
fn a_new_project_is_made_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let init = || {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_taskgen"))
            .args(["init", "talks"])
            .current_dir(&folder)
            .output()
            .expect("the program starts");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("UTF-8"),
        )
    };
    insta::assert_snapshot!(init().1, @r"
    created
      talks/seminars
      talks/transcripts
      talks/tasks
      talks/taskgen.toml
    next: put recordings into `talks/seminars`, then `taskgen run`
    ");
    assert_eq!(
        init(),
        (Some(0), "`talks` is a project already\n".to_owned())
    );
}

#[test]
fn a_value_says_where_it_comes_from() {
    let (_, project) = project();
    let shown = project.json(&["config", "show", "--seed", "7"]);
    let origin = |key: &str| {
        let found = shown
            .as_array()
            .expect("a list")
            .iter()
            .find(|v| v["key"] == key)
            .expect("the key is shown");
        (
            found["value"].clone(),
            found["origin"].as_str().expect("a word").to_owned(),
        )
    };
    assert_eq!(
        origin("seed"),
        (7.into(), "--seed or TASKGEN_SEED".to_owned())
    );
    assert_eq!(origin("rank.elo_k"), (32.0.into(), "default".to_owned()));
    assert!(origin("rank.rounds").1.ends_with("taskgen.toml"));
}

#[test]
fn tasks_are_listed_shown_and_exported() {
    let (fake, project) = project();
    insta::assert_snapshot!(project.told(&["tasks", "list"]), @"
    $ taskgen tasks list
    exit 2
    --- err
    error: nothing here yet: `[project]`
    hint: put recordings into `[project]/seminars` and `taskgen run`, or `taskgen tasks import FILE`
    ");
    project.stages();
    let listed = project.json(&["tasks", "list"]);
    let tasks = listed.as_array().expect("a list");
    assert!(tasks.len() >= 10);
    assert_eq!(tasks[0]["rank"], 1);
    let id = tasks[0]["id"].as_str().expect("an id");

    insta::assert_snapshot!(project.told(&["tasks", "show", id]), @"
    $ taskgen tasks show t_[id]
    exit 0
    --- out
    t_[id]
    Evaluate · Empirical / Simulation Test · Basic · en · earth-environment
    place 1, Elo [n] after 4 games

    For gravel rivers with a sensor, a fibre cable, a drum and pitch, test the claim with public data or a simulation; hand in an analysis report with the code and the data.

    from  rivers.wav  “rivers”  0:24

    i_[id]  Hypothesis  (explorability, verifiability)
      The pitch of gravel falls before the river bed moves.
      explorability: Other rivers can be tried.
      verifiability: Floods destroy what is put there.
      0:16–0:19  characters 350–449
      “My hypothesis is that the pitch of the gravel falls by a third before the river bed begins to move.”
      in context: … gravel bed of the river. I come from music, and a moving bed of gravel sounds very much like a drum with a loose skin. [My hypothesis is that the pitch of the gravel falls by a third before the river bed begins to move.] If that is right, the cable should warn a village two hours before the flood arrives.…
    ");
    assert_eq!(project.json(&["tasks", "show", id])["id"], id);
    insta::assert_snapshot!(project.told(&["tasks", "show", "t_nothing"]), @"
    $ taskgen tasks show t_nothing
    exit 2
    --- err
    error: no such task: `t_nothing`
    hint: `taskgen tasks list` shows the ids
    ");
    insta::assert_snapshot!(project.told(&["tasks", "show", "t_"]), @"
    $ taskgen tasks show t_
    exit 2
    --- err
    error: several tasks begin with `t_`
    hint: one of t_[id], t_[id], t_[id], t_[id], t_[id], t_[id], t_[id], t_[id], t_[id], t_[id], and 2 more
    ");

    let exported = project.json(&["tasks", "export"]);
    assert_eq!(exported["tasks"], tasks.len());
    assert_eq!(exported["unknown_licence"], tasks.len());
    let lines = std::fs::read_to_string(project.path("tasks/tasks.jsonl")).expect("an export");
    assert_eq!(lines.lines().count(), tasks.len());
    let meta: Value = serde_json::from_slice(
        &std::fs::read(project.path("tasks/tasks.meta.json")).expect("a file"),
    )
    .expect("one JSON value");
    assert_eq!(meta["ranking"]["panel"][0]["model_returned"], "fake-1");

    std::fs::remove_file(project.path("tasks/tasks.jsonl")).expect("the export");
    insta::assert_snapshot!(project.told(&["tasks", "export", "--require-licence"]), @"
    $ taskgen tasks export --require-licence
    exit 2
    --- err
    error: 12 tasks come from recordings of unknown licence: `heliu.wav` and 1 more
    hint: name it in `heliu.toml` beside the recording, then `taskgen inspire`
    ");
    assert!(!project.path("tasks/tasks.jsonl").exists());
    // What the hint says helps, and asks nobody.
    for recording in std::fs::read_dir(project.path("seminars")).expect("a folder") {
        let side = recording.expect("an entry").path().with_extension("toml");
        std::fs::write(side, "licence = 'CC-BY-4.0'\n").expect("written");
    }
    fake.take();
    project.ok(&["inspire"]);
    assert_eq!(fake.take(), 0);
    assert_eq!(
        project.json(&["tasks", "export", "--require-licence"])["unknown_licence"],
        0
    );
}

#[test]
fn an_export_refuses_a_quote_that_nobody_said() {
    let (_, project) = project();
    project.stages();
    project.sql("UPDATE segment SET text = replace(text, 'gravel', 'granite')");
    insta::assert_snapshot!(project.told(&["tasks", "export"]), @"
    $ taskgen tasks export
    exit 1
    --- err
    error: a quote of `t_[id]` is not in the transcript of `rivers.wav`: `My hypothesis is that the pitch of the gravel falls by a third before the river bed begins to move.`
    hint: `taskgen run` finds the inspirations again
    ");
}

#[test]
fn status_and_calls_count_what_there_is() {
    let (fake, project) = project();
    project.stages();
    let requests = fake.take() as u64;
    insta::assert_snapshot!(project.told(&["status"]), @"
    $ taskgen status
    exit 0
    --- out
    2 recordings, 2 transcribed
    ───
     seminar              language   inspirations   tasks by phase                       refused by rule
    ───
     heliu.wav            zh         4              Design 2, Evaluate 2, Synthesize 2   weave: key_terms_missing 2
     s_[id]
    ───
     rivers.wav           en         4              Design 2, Evaluate 2, Synthesize 2   –
     s_[id]
    ───
    ───
     role      model    calls   failed   prompt tokens   cached   reply tokens   cost
    ───
     inspire   fake/m   2       0        200             0        20             unknown
    ───
     judge     fake/m   21      0        2100            0        210            unknown
    ───
     review    fake/m   8       0        800             0        80             unknown
    ───
     weave     fake/m   14      0        1400            0        140            unknown
    ───
    24 of 24 comparisons have a verdict
    next: `taskgen tasks list`, and `taskgen answer --agent NAME` to have the tasks answered
    ");
    let status = project.json(&["status"]);
    assert_eq!(status["seminars"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        status["comparisons"]["n_total"],
        status["comparisons"]["n_scored"]
    );
    let calls = project.json(&["calls", "--limit", "3"]);
    assert_eq!(calls["calls"].as_array().map(Vec::len), Some(3));
    let sum: u64 = calls["totals"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|t| t["calls"].as_u64().expect("n"))
        .sum();
    assert_eq!(sum, requests);
    let id = calls["calls"][0]["id"].as_str().expect("an id");
    let shown = project.ok(&["calls", "--show", id]);
    assert!(
        shown.contains("── user ──") && shown.contains("── reply ──") && shown.contains("fake-1"),
        "{shown}"
    );
    assert_eq!(
        project.json(&["calls", "--failed"])["calls"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
}

#[test]
fn a_replay_asks_nobody_and_names_what_is_missing() {
    let (fake, project) = project();
    project.stages();
    let export = project.export();
    fake.take();
    for stage in ["inspire", "weave", "rank"] {
        project.ok(&[stage, "--replay"]);
    }
    assert_eq!((fake.take(), project.export()), (0, export));
    let said = project.fails(&["rank", "--replay", "--rounds", "9"], 2);
    assert!(
        said.contains("not on record")
            && said.contains("the nearest is")
            && said.contains("messages[1]"),
        "{said}"
    );
    assert_eq!(fake.take(), 0);
}

#[test]
fn a_budget_stops_the_run_and_the_next_one_goes_on() {
    let (fake, project) = project();
    project.ok(&["inspire"]);
    project.ok(&["weave"]);
    fake.take();
    // Each call of the fake costs 110 tokens; some fit beside what one may cost at the most.
    let said = project.fails(&["rank", "--budget-tokens", "5000"], 5);
    assert!(
        said.contains("the budget is spent") && said.contains("until here:"),
        "{said}"
    );
    let first = fake.take();
    assert!(first > 0 && first * 110 <= 5000, "{first}");
    project.ok(&["rank"]);
    let second = fake.take();
    assert_eq!(
        project.count("SELECT count(*) FROM call WHERE role = 'judge'") as usize,
        first + second
    );
    insta::assert_snapshot!(project.told(&["rank", "--rounds", "9", "--budget-usd", "1"]), @"
    $ taskgen rank --rounds 9 --budget-usd 1
    exit 2
    --- err
    seed 1 (change it with --seed)
    error: the price of `fake/m` is unknown, and the budget is in money
    hint: add it to `prices.toml` in the project, or use --budget-tokens
    log: `[project]/tasks/logs/[log]`
    ");
    std::fs::write(
        project.path("prices.toml"),
        "version = \"mine\"\n[[price]]\nmodel = \"fake/*\"\ninput = 1.0\noutput = 2.0\n",
    )
    .expect("writable");
    project.ok(&["rank", "--rounds", "9", "--budget-usd", "1"]);
    // 100 prompt tokens and 10 reply tokens at these prices are 120 micro-dollars.
    assert_eq!(
        project.count("SELECT min(cost_micro) FROM call WHERE price_version = 'mine'"),
        120
    );
}

#[test]
fn a_dry_run_predicts_and_changes_nothing() {
    let (fake, project) = project();
    let predicted = project.json(&["inspire", "--dry-run"]);
    let of = &predicted["calls"]["inspire: fake/m"];
    assert_eq!(
        (&of["calls"], &of["at_most"]),
        (&2.into(), &true.into()),
        "{predicted}"
    );
    assert!(
        predicted["first"][1]["content"]
            .as_str()
            .is_some_and(|text| text.contains("河"))
    );
    assert_eq!(fake.take(), 0);
    assert!(!project.path("tasks/taskgen.db").exists());

    project.ok(&["inspire"]);
    let before = fake.take();
    // A question for each talk, and a second look at each of its four inspirations.
    assert_eq!(before, 10);
    let predicted = project.json(&["weave", "--dry-run"]);
    assert_eq!(predicted["calls"]["weave: fake/m"]["calls"], 12);
    project.ok(&["weave"]);
    project.ok(&["rank"]);
    fake.take();
    // What was asked before is known: nothing is left to ask, and more rounds have a price.
    assert_eq!(
        project.json(&["rank", "--dry-run"])["calls"],
        serde_json::json!({})
    );
    let predicted = project.json(&["rank", "--dry-run", "--rounds", "9"]);
    let of = predicted["calls"]["judge: fake/m"].clone();
    assert_eq!(
        (of["at_most"].clone(), of["output"].clone()),
        (false.into(), (10 * of["calls"].as_u64().expect("n")).into())
    );
    project.ok(&["rank", "--rounds", "9"]);
    assert_eq!(fake.take() as u64, of["calls"].as_u64().expect("n"));
}

#[test]
fn a_panel_asks_each_judge_and_rates_by_their_mean() {
    let (fake, project) = project();
    project.stages();
    let alone = fake.take();
    project.reconfigure(
        "judge = \"fake/m\"",
        "judge = [\"fake/m\", { model = \"fake/n\", max_connections = 2, temperature = 0.5 }]",
    );
    project.stages();
    let comparisons = project.count("SELECT count(*) FROM judgement WHERE state = 'scored'");
    let asked = fake.taken();
    assert_eq!(
        asked.len() as i64 * 2,
        comparisons,
        "only the new judge was asked, {alone} before"
    );
    assert!(
        asked.iter().all(|request| request["temperature"] == 0.5),
        "in its own way"
    );
    let listed = project.json(&["status"]);
    assert_eq!(
        listed["comparisons"]["n_total"],
        listed["comparisons"]["n_scored"]
    );
    let ratings = project.json(&["tasks", "list"]);
    let sum: f64 = ratings
        .as_array()
        .expect("a list")
        .iter()
        .map(|t| t["elo"].as_f64().expect("a rating"))
        .sum();
    assert!((sum - 1200.0 * ratings.as_array().map_or(0, Vec::len) as f64).abs() < 0.01);
    project.reconfigure("weave = \"fake/m\"", "weave = [\"fake/m\", \"fake/n\"]");
    insta::assert_snapshot!(project.told(&["status"]), @"
    $ taskgen status
    exit 2
    --- err
    error: `[project]/taskgen.toml`: the role `weave` takes one model, not 2: only `judge`, `relate`, `checklist`, `rate` and `complete` may be several
    hint: `taskgen init` in an empty folder writes a file with every key and its comment
    ");
}

#[test]
fn a_failure_leaves_a_log_and_ten_are_kept() {
    let (_, project) = project();
    for _ in 0..12 {
        project.ok(&["inspire"]);
    }
    let logs = std::fs::read_dir(project.path("tasks/logs"))
        .expect("a folder")
        .count();
    assert_eq!(logs, 10);
    insta::assert_snapshot!(project.told(&["weave", "--replay", "--seminar", "rivers.wav"]), @"
    $ taskgen weave --replay --seminar rivers.wav
    exit 2
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: weave: `rivers.wav`: not on record: a call of `weave/task` to `fake/m`; no call of this prompt is
    hint: run without --replay to ask it
    log: `[project]/tasks/logs/[log]`
    ");
}

#[test]
fn no_secret_is_kept_or_said() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).seminar("rivers.wav", "en", TALK);
    let keys = tempfile::tempdir().expect("a folder");
    let env_file = keys.path().join("keys.env");
    std::fs::write(&env_file, "LAB_KEY=planted-of-the-env-file\n").expect("writable");
    let with_secrets = fake
        .url
        .replace("http://", "http://planted-user:planted-password@");
    let config = format!(
        "[roles]\ninspire = \"lab/m\"\nreview = \"lab/m\"\nweave = \"lab/m\"\njudge = \"lab/m\"\nkeypoints = \"lab/m\"\n\
         checklist = \"lab/m\"\nrate = \"lab/m\"\n[rank]\nmethod = \"elo\"\nrounds = 2\n\
         [providers.lab]\nbase_url = \"{with_secrets}?token=planted-of-the-query\"\nkey_env = \"LAB_KEY\"\n\
         [agents.leaky]\ncommand = \"sh -c 'echo Key $AGENT_API_KEY; echo See http://127.0.0.1/x; env >&2'\"\n\
         env = [\"AGENT_API_KEY\"]\n"
    );
    project.configure(&config);
    let env_file = env_file.to_str().expect("a path");
    let mut said = String::new();
    let commands: &[&[&str]] = &[
        &["inspire", "-vv", "--env-file", env_file],
        &["weave", "--env-file", env_file],
        &["rank", "--env-file", env_file],
        &["rank", "--rounds", "3", "--model-role", "judge=openai/m"],
        &["answer", "--agent", "leaky"],
        &["reports", "list"],
        &["evaluate", "--env-file", env_file],
        &[
            "evaluate",
            "--metric",
            "ace",
            "--model-role",
            "rate=openai/m",
        ],
        &["leaderboard", "--html", "board.html"],
        &["calls"],
        &["status"],
        &["doctor", "--models-dir", "nowhere"],
        &["tasks", "export"],
    ];
    for args in commands {
        let keys = [
            ("OPENAI_API_KEY", "planted-of-the-environment"),
            ("AGENT_API_KEY", "planted-of-the-agent"),
        ];
        let output = project.command(args).envs(keys).output().expect("it runs");
        said.push_str(&String::from_utf8_lossy(&output.stdout));
        said.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    assert!(fake.take() > 10, "the server was asked: {said}");
    assert!(!said.contains("planted"), "{said}");
    assert!(
        project.count("SELECT count(*) FROM document WHERE text LIKE 'Key …%'") > 0,
        "the agent told its key: {said}"
    );
    assert!(
        project.count("SELECT count(*) FROM judgement WHERE instrument LIKE 'ace/%'") > 0,
        "{said}"
    );
    let mut files = vec![project.folder.path().to_owned()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(path)
                    .expect("a folder")
                    .flatten()
                    .map(|entry| entry.path()),
            );
        } else if !path.ends_with("taskgen.toml") {
            let bytes = std::fs::read(&path).expect("a file");
            let text = String::from_utf8_lossy(&bytes);
            let at = text.find("planted").map(|at| {
                text[at.saturating_sub(80)..]
                    .chars()
                    .take(160)
                    .collect::<String>()
            });
            assert_eq!(at, None, "{}", path.display());
        }
    }
}
