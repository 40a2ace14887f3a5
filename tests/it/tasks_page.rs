//! `taskgen report tasks`: a page and its numbers, from a project that was really filled.

use std::path::Path;

use serde_json::Value;

use crate::support::{ModelServer, Project, TALK, TALK_ZH};

/// A project with two seminars: the names of one mean something in addresses and in HTML.
fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url)
        .seminar("rivers #1.wav", "en", TALK)
        .seminar("heliu.wav", "zh", TALK_ZH);
    let side = "title = \"<script>alert(1)</script> & rivers\"\ndiscipline = \"Hydrology\"\nlicence = \"CC0\"\n";
    std::fs::write(project.path("seminars/rivers #1.toml"), side).expect("writable");
    project.stages();
    (fake, project)
}

fn read(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.path(name)).expect("a page")
}

#[test]
fn a_second_page_is_the_same_and_nobody_is_asked() {
    let (fake, project) = project();
    fake.take();
    let said = project.told(&["report", "tasks"]);
    insta::assert_snapshot!(said, @"
    $ taskgen report tasks
    exit 0
    --- out
    ───
     seminar or benchmark   language   duration   inspirations   quotes   tasks   refused
    ───
     heliu.wav              zh         0:20       4              4        6       2
    ───
     rivers #1.wav          en         0:24       4              4        6       0
    ───
    tasks by phase and family: Literature Survey 2, Requirements Gathering / Needs Analysis 2, Hypothesis Generation 2, Method / Experiment Blueprint 2, Empirical / Simulation Test 2, Comparative Analysis 2
    tasks by difficulty: Basic 4, Advanced 8
    tasks by language: en 6, zh 6
    tasks by discipline: earth-environment 6, hydrology 6
    inspirations by type: Limitation 2, Methodology 2, Transdisciplinary 2, Hypothesis 2
    quotes by quarter of the talk: first 2, second 2, third 3, fourth 1
    refused: weave, key_terms_missing: 2
    WARNING: 1 of 2 recordings have no known licence: a `NAME.toml` beside a recording can name it
    written: `[project]/tasks/tasks.html`
    ");
    let first = read(&project, "tasks/tasks.html");
    assert_eq!(project.told(&["report", "tasks"]), said);
    assert_eq!(read(&project, "tasks/tasks.html"), first);
    assert_eq!(fake.take(), 0);
}

#[test]
fn the_numbers_are_those_of_the_database() {
    let (_, project) = project();
    let planted = "INSERT INTO rejection (stage, seminar, seq, rule, detail, run)
                   SELECT 'weave', id, 90 + n, 'planted', '<img src=x onerror=alert(1)>', 1
                   FROM seminar, (SELECT 1 AS n UNION SELECT 2)";
    assert_eq!(project.sql(planted), 4);
    let said = project.json(&["report", "tasks"]);
    let sum = |of: &Value, key: &str| {
        of.as_array()
            .expect("a list")
            .iter()
            .map(|of| of[key].as_i64().expect("a number"))
            .sum::<i64>()
    };
    let count = |sql: &str| project.count(&format!("SELECT count(*) FROM {sql}"));
    let tasks = count("task WHERE superseded = 0");
    assert!(tasks >= 10);
    assert_eq!(sum(&said["seminars"], "tasks"), tasks);
    assert_eq!(
        sum(&said["seminars"], "inspirations"),
        count("inspiration WHERE superseded = 0")
    );
    assert_eq!(sum(&said["seminars"], "quotes"), count("evidence"));
    assert_eq!(sum(&said["seminars"], "refused"), count("rejection"));
    assert_eq!(sum(&said["refused"], "n"), count("rejection"));
    for of in said["distributions"].as_array().expect("a list") {
        let expect = match of["name"].as_str().expect("a name") {
            name if name.starts_with("tasks") => tasks,
            name if name.starts_with("inspirations") => count("inspiration WHERE superseded = 0"),
            _ => count("evidence"),
        };
        assert_eq!(sum(&of["counts"], "n"), expect, "{of}");
    }
    let page = read(&project, "tasks/tasks.html");
    assert_eq!(page.matches("<li id=\"t_").count() as i64, tasks);
    assert_eq!(
        page.matches("<script").count(),
        1,
        "the title of a talk does not run"
    );
    assert!(!page.contains("<img") && page.contains("&lt;img src=x onerror=alert(1)&gt;"));
}

#[test]
fn a_page_anywhere_finds_its_recordings() {
    let (_, project) = project();
    for (args, expect) in [
        (
            vec!["report", "tasks"],
            "src=\"..&#x2f;seminars&#x2f;rivers%20%231.wav\"",
        ),
        (
            vec!["report", "tasks", "--html", "page.html"],
            "src=\"seminars&#x2f;rivers%20%231.wav\"",
        ),
        (
            vec!["report", "tasks", "--html", "a/b/page.html"],
            "src=\"..&#x2f;..&#x2f;seminars&#x2f;rivers%20%231.wav\"",
        ),
    ] {
        let said = project.json(&args);
        let page = std::fs::read_to_string(
            project
                .folder
                .path()
                .join(said["file"].as_str().expect("a path")),
        );
        assert!(page.expect("a page").contains(expect), "{args:?}");
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let file = elsewhere.path().join("page.html");
    let said = project.json(&["report", "tasks", "--html", file.to_str().expect("UTF-8")]);
    let recordings = said["seminars"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| of["recording"].as_str().expect("an address"));
    for recording in recordings {
        assert!(recording.starts_with("../") && !Path::new(recording).is_absolute());
        assert!(
            elsewhere
                .path()
                .join(recording.replace("%20", " ").replace("%23", "#"))
                .is_file(),
            "{recording}"
        );
    }
}

#[test]
fn a_recording_that_is_gone_is_said() {
    let (_, project) = project();
    std::fs::remove_file(project.path("seminars/heliu.wav")).expect("it was there");
    let said = project.json(&["report", "tasks"]);
    insta::assert_json_snapshot!(said["warnings"], @r#"
    [
      "1 of 2 recordings are not in seminars/: their quotes have times only",
      "1 of 2 recordings have no known licence: a `NAME.toml` beside a recording can name it"
    ]
    "#);
    let page = read(&project, "tasks/tasks.html");
    assert_eq!(page.matches("<audio").count(), 1);
    assert!(page.contains("The recording is not here: times only."));
}

#[test]
fn what_cannot_be_is_said_with_what_to_do() {
    let (_, project) = project();
    let nowhere = ["report", "tasks", "--html", "taskgen.toml/page.html"];
    insta::assert_snapshot!(project.told(&nowhere), @"
    $ taskgen report tasks --html taskgen.toml/page.html
    exit 1
    --- err
    error: cannot write the page: failed to create directory `taskgen.toml`: File exists (os error 17)
    hint: choose another place with --html
    ");
    let empty = Project::new("http://127.0.0.1:9");
    insta::assert_snapshot!(empty.told(&["report", "tasks"]), @"
    $ taskgen report tasks
    exit 2
    --- err
    error: nothing here yet: `[project]`
    hint: put recordings into `[project]/seminars` and `taskgen run`, or `taskgen tasks import FILE`
    ");
}
