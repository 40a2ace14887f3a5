//! Inspire, weave and rank end to end against a fake server: continued, repeated, edited, killed.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{ModelServer, Project, TALK, llm::Mood, spans_that_hold};

fn project(delay: Duration) -> (ModelServer, Project) {
    let fake = ModelServer::openai().delay(delay).pipeline();
    let project = Project::new(&fake.url).two_talks();
    (fake, project)
}

fn exported(project: &Project) -> Vec<Value> {
    project
        .export()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn a_second_run_asks_nothing_and_gives_the_same_bytes() {
    let (fake, project) = project(Duration::ZERO);
    project.stages();
    let first = project.export();
    assert!(fake.take() > 20);
    project.stages();
    assert_eq!(fake.take(), 0, "requests of the second run");
    assert_eq!(project.export(), first);
}

#[test]
fn every_seminar_has_its_tasks_in_its_language_and_every_phase() {
    let (_, project) = project(Duration::ZERO);
    project.stages();
    let tasks = exported(&project);
    for (path, language) in [("rivers.wav", "en"), ("heliu.wav", "zh")] {
        let of: Vec<&Value> = tasks
            .iter()
            .filter(|t| t["provenance"]["seminar"]["path"] == path)
            .collect();
        assert!(of.len() >= 5, "{path}: {}", of.len());
        assert!(of.iter().all(|t| t["language"] == language));
        for phase in ["Synthesize", "Design", "Evaluate"] {
            assert!(
                of.iter().any(|t| t["phase"] == phase),
                "{path} lacks {phase}"
            );
        }
    }
}

#[test]
fn every_quote_is_a_span_of_the_stored_transcript_within_the_recording() {
    let (_, project) = project(Duration::ZERO);
    project.stages();
    let quotes: usize = exported(&project)
        .iter()
        .map(|task| spans_that_hold(project.folder.path(), task))
        .sum();
    assert!(quotes >= 10, "{quotes} quotes");
}

#[test]
fn tasks_join_talks_and_are_said_in_two_languages() {
    let (fake, project) = project(Duration::ZERO);
    project.add_transcript("streams.wav", "en", TALK);
    project.ok(&["inspire"]);
    let weave = ["weave", "--across", "2", "--translate", "en,zh"];
    let said = project.ok(&[&weave[..], &["--json"]].concat());
    let summary: Value = serde_json::from_str(&said).expect("JSON");
    let stages: Vec<&str> = summary["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .filter_map(|s| s["stage"].as_str())
        .collect();
    assert_eq!(stages, ["weave", "weave across", "translate"]);

    let tasks = exported(&project);
    let paths = |task: &Value| {
        let inspirations = task["provenance"]["inspirations"]
            .as_array()
            .expect("a list")
            .clone();
        inspirations
            .iter()
            .map(|i| i["seminar"]["path"].to_string())
            .collect::<std::collections::BTreeSet<_>>()
    };
    let (translated, own): (Vec<&Value>, Vec<&Value>) = tasks
        .iter()
        .partition(|task| !task["translation_of"].is_null());
    assert_eq!(
        own.iter().filter(|task| paths(task).len() == 2).count(),
        2,
        "tasks of two talks: {}",
        summary["stages"][1]
    );
    assert!(own.iter().any(|task| {
        task["inspiration_ids"]
            .as_array()
            .is_some_and(|ids| ids.len() == 2)
            && paths(task).len() == 1
    }));
    assert!(
        own.iter()
            .all(|task| task["discipline"] == "earth-environment"),
        "the model chose where nobody had"
    );
    assert_eq!(translated.len(), own.len(), "one translation of each");
    for task in &translated {
        let original = own
            .iter()
            .find(|other| other["id"] == task["translation_of"])
            .expect("its original");
        assert_ne!(original["language"], task["language"]);
        assert_eq!(
            (&original["task_type"], paths(original)),
            (&task["task_type"], paths(task))
        );
    }
    for task in &tasks {
        spans_that_hold(project.folder.path(), task);
    }

    let shown = project.ok(&[
        "tasks",
        "show",
        translated[0]["id"].as_str().expect("an id"),
    ]);
    for id in [&translated[0]["id"], &translated[0]["translation_of"]] {
        assert!(
            shown.contains(id.as_str().expect("an id")),
            "a translation is shown with its original: {shown}"
        );
    }
    project.ok(&["report", "tasks"]);
    let page = std::fs::read_to_string(project.path("tasks/tasks.html")).expect("a page");
    assert_eq!(
        page.matches("</a> of <bdi>").count(),
        2,
        "what tasks of two talks take from the other one"
    );
    assert_eq!(
        page.matches("<p class=\"soft\" lang=\"").count(),
        own.len(),
        "the translations"
    );

    // Again: nothing is asked. Without the flags what they made stays; translations are not ranked.
    fake.take();
    let before = project.export();
    project.ok(&weave);
    project.ok(&["weave"]);
    assert_eq!((fake.take(), project.export()), (0, before));
    project.ok(&["rank", "--rounds", "2"]);
    let ranked = exported(&project)
        .iter()
        .filter(|task| task["translation_of"].is_null() && !task["rank"].is_null())
        .count();
    assert_eq!(ranked, own.len());
    // None are wanted any more: they go, and so do their translations.
    let said = project.ok(&["weave", "--across", "0", "--json"]);
    assert!(said.contains("removed, as 0 are wanted: 2"), "{said}");
    assert!(!exported(&project).iter().any(|task| paths(task).len() == 2));
}

#[test]
fn a_slip_mended_in_a_transcript_leaves_reviews_and_tasks_what_they_are() {
    let (fake, project) = project(Duration::ZERO);
    project.stages();
    let before = project.export();
    let listed = || -> Vec<Value> {
        serde_json::from_value(project.json(&["inspirations", "list"])).expect("a list")
    };
    let id = listed()[0]["id"].as_str().expect("an id").to_owned();
    let said = r#"[{"by":"person","name":"ana","note":"","fault":"no_content"}]"#;
    let shape = listed()[0]["reviews"].to_string();
    assert_eq!(
        project.sql(&format!(
            "UPDATE inspiration SET review = '{said}' WHERE id = '{id}'"
        )),
        1,
        "{shape}"
    );
    let text =
        std::fs::read_to_string(project.path("transcripts/rivers.wav.json")).expect("readable");
    std::fs::write(
        project.path("transcripts/rivers.wav.json"),
        text.replace("spring series", "autumn series"),
    )
    .expect("writable");

    // The tasks stay until the new text is read, and then what was not touched is what it was.
    insta::assert_snapshot!(project.told(&["weave"]), @"
    $ taskgen weave
    exit 1
    --- err
    seed 1 (change it with --seed)
    rivers.wav: its text has changed since inspirations were found; its tasks stay
    hint: `taskgen inspire`
    ───
     from               asked   readable   found   sound   kept   refused by rule       tokens   time
    ───
     weave: heliu.wav   10      10         10      6       6      key_terms_missing 4   1100     [time]
    ───
    ───
     stage   done   skipped   failed           refused by rule       time
    ───
     weave   1      0         not_read_yet 1   key_terms_missing 4   [time]
    ───
    10 model calls, 0 more from the record; 1000 prompt tokens (0 cached), 100 reply tokens, and 10 calls of unknown price (`prices.toml` can name it)
    12 tasks, [time] in all
    ");
    assert_eq!(exported(&project).len(), before.lines().count());
    fake.take();
    project.ok(&["inspire"]);
    assert!(fake.take() > 0, "the text is read again");
    let after = listed();
    let of = after
        .iter()
        .find(|of| of["id"] == id.as_str())
        .expect("it is found again");
    assert!(
        of["stands"] == false && of["reviews"].to_string().contains("\"ana\""),
        "{of}"
    );
    project.sql(&format!(
        "UPDATE inspiration SET review = '[]' WHERE id = '{id}'"
    ));
    project.ok(&["weave"]);
    let ids = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].to_string())
            .collect()
    };
    assert_eq!(ids(&project.export()), ids(&before), "and so are the tasks");
}

#[test]
fn a_talk_in_another_language_costs_nothing_and_is_said() {
    let (fake, project) = project(Duration::ZERO);
    project.add_transcript(
        "fleuve.wav",
        "fr",
        &["Le problème ouvert est que personne n'a de capteur pour les crues."; 4],
    );
    fake.take();
    insta::assert_snapshot!(project.told(&["inspire", "--seminar", "fleuve.wav"]), @r#"
    $ taskgen inspire --seminar fleuve.wav
    exit 1
    --- err
    seed 1 (change it with --seed)
    fleuve.wav: the talk is in `fr`: tasks are made of talks in English and Chinese
    hint: if that is wrong, `language = "en"` in the recording's `NAME.toml`
    ───
     stage     done   skipped   failed             refused by rule   time
    ───
     inspire   0      0         other_language 1   –                 [time]
    ───
    0 tasks, [time] in all
    "#);
    assert_eq!(fake.take(), 0);
}

#[test]
fn a_seminar_is_named_by_its_path_or_the_unambiguous_start_of_its_id() {
    let (_, project) = project(Duration::ZERO);
    project.ok(&["inspire", "--seminar", "seminars/rivers.wav"]);
    let told = project.told_each([
        &["inspire", "--seminar", "s_"][..],
        &["inspire", "--seminar", ""],
        &["inspire", "--seminar", "river"],
        &["weave", "--seminar", "rivers.wav", "--across", "1"],
    ]);
    insta::assert_snapshot!(told, @"
    $ taskgen inspire --seminar s_
    exit 2
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: 2 seminars begin with `s_`
    hint: more of the id, or the path
    log: `[project]/tasks/logs/[log]`

    $ taskgen inspire --seminar
    exit 2
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: no such seminar: ``
    hint: `taskgen status` lists them
    log: `[project]/tasks/logs/[log]`

    $ taskgen inspire --seminar river
    exit 2
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: no such seminar: `river`
    hint: did you mean `rivers.wav`?
    log: `[project]/tasks/logs/[log]`

    $ taskgen weave --seminar rivers.wav --across 1
    exit 2
    --- err
    error: --across and --translate work on all seminars, not with --seminar or --limit
    hint: `taskgen weave --seminar ID` first, and then the other without --seminar and --limit
    ");
    project.configure("[inspire]\nper_window = 20000000\n");
    insta::assert_snapshot!(project.told(&["inspire", "--dry-run"]), @"
    $ taskgen inspire --dry-run
    exit 2
    --- err
    error: `[project]/taskgen.toml`: inspire.window must be at most 1000000, and inspire.per_window at most 30: `0`, `20000000`
    hint: `taskgen init` in an empty folder writes a file with every key and its comment
    ");
}

#[test]
fn what_joins_talks_or_translates_stays_when_replies_cannot_be_read() {
    let (fake, project) = project(Duration::ZERO);
    project.add_transcript("streams.wav", "en", TALK);
    project.ok(&["inspire"]);
    project.ok(&["weave", "--across", "2", "--translate", "en,zh"]);
    let before = exported(&project).len();
    fake.set_mood(Mood::Moody);
    for prompt in ["weave/task", "weave/translation"] {
        project.ok(&["prompts", "eject", prompt]);
        let file = project.path(&format!("prompts/{prompt}.md"));
        let text = std::fs::read_to_string(&file).expect("readable");
        std::fs::write(
            &file,
            text.replacen("{% block user -%}", "{% block user -%}\nOnce more.", 1),
        )
        .expect("writable");
    }
    let told = project.output(&["weave", "--across", "2", "--translate", "en,zh"]);
    assert_eq!(
        told.status.code(),
        Some(1),
        "what could not be read is a failure"
    );
    assert_eq!(
        exported(&project).len(),
        before,
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
}

#[test]
fn elo_is_zero_sum_and_every_comparison_is_counted() {
    let (_, project) = project(Duration::ZERO);
    project.stages();
    let tasks = exported(&project);
    let sum: f64 = tasks
        .iter()
        .map(|t| t["elo"].as_f64().expect("a rating"))
        .sum();
    assert!((sum - 1200.0 * tasks.len() as f64).abs() < 0.01, "{sum}");
    assert!(tasks.iter().any(|t| t["elo"].as_f64() > Some(1200.0)));
    let games: u64 = tasks
        .iter()
        .map(|t| t["elo_games"].as_u64().expect("games"))
        .sum();
    assert_eq!(games, 4 * (tasks.len() as u64 / 2) * 2);
}

#[test]
fn exactly_what_depends_on_a_change_is_asked_again() {
    let (fake, project) = project(Duration::ZERO);
    project.stages();
    let before = project.export();
    fake.take();

    // A verdict whose call is still on record comes back for nothing; with its call gone, one
    // question is asked.
    assert_eq!(
        project.sql("DELETE FROM judgement WHERE id = (SELECT min(id) FROM judgement)"),
        1
    );
    project.stages();
    assert_eq!(fake.take(), 0);
    assert_eq!(
        project.sql("DELETE FROM call WHERE id = (SELECT min(call) FROM judgement)"),
        1
    );
    project.sql("DELETE FROM judgement WHERE call = (SELECT min(call) FROM judgement)");
    project.stages();
    assert_eq!(fake.take(), 1);
    assert_eq!(project.export(), before);

    // The inspirations of a talk with their call: one question; reviews, tasks and verdicts are on
    // record.
    project.sql("DELETE FROM call WHERE id = (SELECT min(call) FROM inspiration)");
    assert_eq!(
        project.sql("DELETE FROM inspiration WHERE call = (SELECT min(call) FROM inspiration)"),
        4
    );
    project.stages();
    assert_eq!(fake.take(), 1);
    assert_eq!(project.export(), before);

    // An edited judge's prompt: every comparison, and nothing else.
    let comparisons = project.count("SELECT count(*) FROM judgement");
    std::fs::create_dir_all(project.path("prompts/rank")).expect("writable");
    let edited =
        include_str!("../../prompts/rank/judge.md").replace("You compare", "You carefully compare");
    std::fs::write(project.path("prompts/rank/judge.md"), edited).expect("writable");
    project.stages();
    assert_eq!(fake.take() as i64, comparisons);
    assert_eq!(
        project.count("SELECT count(DISTINCT judge) FROM judgement"),
        2
    );
}

#[test]
fn killed_at_its_own_events_it_ends_as_if_undisturbed() {
    let (_, undisturbed) = project(Duration::ZERO);
    undisturbed.stages();
    let expect = undisturbed.export();

    let (fake, project) = project(Duration::from_millis(80));
    let mut killed = 0;
    for (stage, stop_at) in [("inspire", 3), ("weave", 5), ("rank", 9)] {
        killed += u32::from(kill_after(&project, stage, stop_at));
        project.ok(&[stage]);
    }
    assert_eq!(killed, 3, "each stage was killed while it worked");
    assert_eq!(project.export(), expect);
    let twice: usize = fake.repeats().values().map(|n| n - 1).sum();
    // What was in flight at a kill may be asked again: a question for each of the two seminars, and
    // the judge's twenty, doubled once.
    assert!(twice <= 2 + 2 + 40, "{twice} requests came twice");
}

/// Starts a stage and kills it with SIGKILL when it has committed `stop_at` calls. Whether it was
/// still running.
pub fn kill_after(project: &Project, stage: &str, stop_at: i64) -> bool {
    let roles = match stage {
        "rank" => "'judge'",
        "inspire" => "'inspire', 'review'",
        _ => "'weave'",
    };
    kill_when(
        project,
        &[stage],
        &format!("SELECT count(*) FROM call WHERE role IN ({roles})"),
        stop_at,
    )
}

/// Starts a command and kills it with SIGKILL when `sql` counts `stop_at`. Whether it was still
/// running.
pub fn kill_when(project: &Project, args: &[&str], sql: &str, stop_at: i64) -> bool {
    let mut child = project
        .command(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let deadline = Instant::now() + Duration::from_mins(1);
    while project
        .path("tasks/taskgen.db")
        .metadata()
        .map_or(0, |m| m.len())
        == 0
        && Instant::now() < deadline
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    let connection = project.database();
    connection
        .busy_timeout(Duration::from_secs(5))
        .expect("a pragma");
    loop {
        let calls: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0);
        if calls >= stop_at || Instant::now() > deadline {
            break;
        }
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
    }
    child.kill().expect("SIGKILL");
    let status = child.wait().expect("a child");
    !status.success() && status.code().is_none()
}

#[test]
fn another_writer_waits_or_is_told_who_holds_the_project() {
    let (_, project) = project(Duration::from_millis(200));
    let mut first = project
        .command(&["inspire"])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while std::fs::read_to_string(project.path("tasks/taskgen.lock"))
        .unwrap_or_default()
        .is_empty()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    insta::assert_snapshot!(project.told(&["weave"]), @"
    $ taskgen weave
    exit 2
    --- err
    error: another taskgen is writing to this project: process [n], `[taskgen] inspire`
    hint: wait for it to end, or pass --wait
    ");
    project.ok(&["inspire", "--wait"]);
    first.wait().expect("a child");
}

#[test]
fn an_unreachable_server_is_one_message_and_loses_nothing() {
    let (fake, project) = project(Duration::ZERO);
    project.ok(&["inspire"]);
    let inspirations = project.count("SELECT count(*) FROM inspiration");
    let config = project.configuration();
    project.reconfigure(&fake.url, "http://127.0.0.1:9/v1");
    insta::assert_snapshot!(project.told(&["weave", "--seminar", "rivers.wav"]), @"
    $ taskgen weave --seminar rivers.wav
    exit 3
    --- err
    seed 1 (change it with --seed)
    until here: [usage]
    error: weave: `rivers.wav`: the model `fake/m` cannot be asked: no connection: `http://127.0.0.1:9`: Connection refused (os error 111)
    hint: check that the server runs and that its base URL is right
    log: `[project]/tasks/logs/[log]`
    ");
    assert_eq!(
        project.count("SELECT count(*) FROM inspiration WHERE superseded = 0"),
        inspirations
    );
    project.configure(&config);
    project.stages();
}

#[test]
fn an_unknown_key_names_its_line_and_its_neighbour() {
    let (_, project) = project(Duration::ZERO);
    project.configure("seed = 1\n[rank]\nround = 3\n");
    insta::assert_snapshot!(project.told(&["status"]), @"
    $ taskgen status
    exit 2
    --- err
    error: `[project]/taskgen.toml`, line 3: unknown field `round`, expected one of `method`, `read`, `top`, `budget_calls`, `target_recall`, `audit`, `list_size`, `rounds`, `elo_k`, `repeated_pairs`
    hint: did you mean `rounds`?
    ");
}
