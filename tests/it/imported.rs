//! Questions from elsewhere: a project without a recording goes from a file to a leaderboard.

use serde_json::{Value, json};

use crate::{
    small_web::world::{EVALUATE, World},
    support::{ModelServer, Project},
};

fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url);
    (fake, project)
}

fn file(project: &Project, name: &str, text: &str) -> String {
    let path = project.path(name);
    std::fs::write(&path, text).expect("writable");
    path.to_str().expect("a path").to_owned()
}

fn texts(project: &Project) -> Vec<String> {
    let listed = project.json(&["tasks", "list"]);
    let mut texts: Vec<String> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| task["task"].as_str().expect("a text").to_owned())
        .collect();
    texts.sort();
    texts
}

/// The whole way, on tasks that were imported: the small web's.
#[test]
fn a_project_without_a_recording_gets_its_leaderboard() {
    let world = World::evaluated();
    let project = &world.project;
    assert_eq!(project.count("SELECT count(*) FROM seminar"), 0);
    let board = project.json(&["leaderboard"]);
    assert_eq!(board["agents"].as_array().map(Vec::len), Some(3));
    let html = project.path("board.html");
    project.ok(&["leaderboard", "--html", html.to_str().expect("a path")]);
    let html = std::fs::read_to_string(html).expect("a page");
    assert!(html.contains("faithful"));
    let by_topic = project.ok(&["leaderboard", "--by", "topic"]);
    assert!(by_topic.contains("topic: harbour"), "{by_topic}");
    let refused = project.fails(&["leaderboard", "--by", "colour"], 2);
    assert!(
        refused.contains("no task has the facet `colour`\nhint: language, phase, topic, type"),
        "{refused}"
    );
    project.ok(&["rank"]);
    project.ok(&["report", "tasks"]);
    let page = std::fs::read_to_string(project.path("tasks/tasks.html")).expect("a page");
    assert!(page.contains("4 imported research tasks"), "{page}");
    assert!(page.contains("place 1"));
    // What was asked stays asked: the same commands ask nobody.
    world.fake.take();
    project.ok(&EVALUATE);
    project.ok(&["rank"]);
    assert_eq!(world.fake.take(), 0);
    assert!(
        project
            .ok(&["status"])
            .contains("4 tasks imported from `small-web`")
    );
}

/// Slots are filled once for a set: a later day does not change the questions that were asked.
#[test]
fn a_set_keeps_its_day() {
    let (_fake, project) = project();
    let rows = file(
        &project,
        "live.jsonl",
        "{\"qid\": \"q1\", \"question\": \"What changed in {{last_year}}?\", \"checklist\": \"Names {{last_year}}\"}\n\
         {\"qid\": \"q1\", \"question\": \"What changed in {{last_year}}?\", \"checklist\": \"Has a table\"}\n",
    );
    let import = |extra: &[&str]| project.json(&[&["tasks", "import", &rows], extra].concat());
    let first = import(&["--as-of", "2024-05-06"]);
    assert_eq!(
        (&first["new"], &first["with_slots"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(texts(&project), ["What changed in 2023?"]);
    let again = import(&[]);
    assert_eq!(
        (&again["new"], &again["as_of"], &again["version"]),
        (&json!(0), &json!("2024-05-06"), &json!(1))
    );
    let id = project.json(&["tasks", "list"])[0]["id"].clone();
    let shown = project.ok(&["tasks", "show", id.as_str().expect("an id")]);
    assert!(
        shown.contains("Names 2023") && shown.contains("as of 2024-05-06"),
        "{shown}"
    );
    let other = import(&["--as-of", "2026-01-01"]);
    assert_eq!(
        (&other["new"], &other["superseded"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(texts(&project), ["What changed in 2025?"]);
}

/// What a file no longer holds is set aside and comes back with its reports.
#[test]
fn an_import_follows_its_file() {
    let (_fake, project) = project();
    let both = file(
        &project,
        "lakes.txt",
        "How deep is the lake?\nHow old is the lake?\n",
    );
    project.ok(&["tasks", "import", &both]);
    let reports = file(
        &project,
        "reports.jsonl",
        &json!({ "id": "?", "prompt": "how old is the lake?", "article": "Very." }).to_string(),
    );
    project.ok(&["reports", "import", &reports, "--agent", "a"]);
    let one = file(&project, "lakes.txt", "How deep is the lake?\n");
    let told = project.ok(&["tasks", "import", &one]);
    assert!(told.contains("1 tasks of its earlier version"), "{told}");
    assert_eq!(texts(&project), ["How deep is the lake?"]);
    // Another set that has the task keeps it.
    file(
        &project,
        "lakes.txt",
        "How deep is the lake?\nHow old is the lake?\n",
    );
    project.ok(&["tasks", "import", &both]);
    assert_eq!(
        project.json(&["tasks", "import", &both, "--set", "kept"])["new"],
        0
    );
    file(&project, "lakes.txt", "How deep is the lake?\n");
    assert_eq!(project.json(&["tasks", "import", &one])["superseded"], 0);
    assert_eq!(texts(&project).len(), 2);
    let listed = project.json(&["reports", "list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

/// Reports of other benchmarks name their questions by the ids of the files.
#[test]
fn reports_find_their_tasks_by_the_ids_of_the_file() {
    let (_fake, project) = project();
    let rows = [
        json!({ "id": 7, "prompt": "How deep is the lake?", "topic": "Lakes" }),
        json!({ "id": 9, "prompt": "How old is the lake?", "topic": "Lakes" }),
    ];
    let rows = rows.map(|row| row.to_string()).join("\n");
    project.ok(&["tasks", "import", &file(&project, "query.jsonl", &rows)]);
    let report = json!({ "id": 9, "prompt": "changed since", "article": "Ten thousand years." });
    let reports = file(&project, "reports.jsonl", &report.to_string());
    project.ok(&["reports", "import", &reports, "--agent", "a"]);
    let listed = project.json(&["reports", "list"]);
    let tasks = project.json(&["tasks", "list"]);
    let rows = tasks.as_array().expect("a list");
    let asked = rows
        .iter()
        .find(|task| task["file_id"] == "9")
        .expect("it is listed");
    assert_eq!(listed[0]["task"], asked["id"]);
    // A program reads the facets of the file beside the question.
    project.configure(&(project.configuration() + "[agents.echo]\ncommand = \"cat\"\n"));
    project.ok(&["answer", "--agent", "echo"]);
    let database = project.database();
    let text: String = database
        .query_row(
            "SELECT text FROM document WHERE text LIKE '%How deep%'",
            [],
            |row| row.get(0),
        )
        .expect("a report");
    let read: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&read["topic"], &read["language"]),
        (&json!("Lakes"), &json!("en"))
    );
    // Questions of other benchmarks have no licence until the user states one.
    let refused = project.fails(&["tasks", "export", "--require-licence"], 2);
    assert!(
        refused.contains("tasks import FILE --licence NAME"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_imported_says_why() {
    let (_fake, project) = project();
    let bad = file(
        &project,
        "bad.jsonl",
        "{\"id\": 1, \"question\": \"Which?\"}\n{oops\n\n{\"id\": 2}\n",
    );
    let empty = file(&project, "empty.csv", "");
    let table = file(&project, "table.csv", "name\nx\n");
    let gone = project.path("gone.jsonl");
    let gone = gone.to_str().expect("a path");
    let told = project.told_each([
        ["tasks", "import", bad.as_str()].as_slice(),
        &["tasks", "import", &empty],
        &["tasks", "import", &table],
        &["tasks", "import", gone],
        &["tasks", "import", &bad, "--as-of", "yesterday"],
        &["tasks", "import", &bad, "--language", "english please"],
        &["tasks", "import", &bad, "--set", " "],
    ]);
    insta::assert_snapshot!(told, @"
    $ taskgen tasks import [project]/bad.jsonl
    exit 1
    --- out
    1 task in the set `bad`, version 1: 1 new
    language guessed: en 1
    hint: a field `language`, or --language TAG
    line 2: not a JSON object: key must be a string (column 2)
    line 4: no question: none of the fields `task`, `question`, `prompt`, `query`, `text`
    refused: 2 lines
    next: `taskgen answer --agent NAME`, or `taskgen reports import PATH`

    $ taskgen tasks import [project]/empty.csv
    exit 2
    --- err
    error: no task in `[project]/empty.csv`: it is empty
    hint: the question stands in a field `task`, `question`, `prompt`, `query` or `text`, or alone on its line
    log: `[project]/tasks/logs/[log]`

    $ taskgen tasks import [project]/table.csv
    exit 2
    --- err
    error: cannot read `[project]/table.csv`: no column of questions among `name`
    hint: name it `question`
    log: `[project]/tasks/logs/[log]`

    $ taskgen tasks import [project]/gone.jsonl
    exit 2
    --- err
    error: failed to open file `[project]/gone.jsonl`: No such file or directory (os error 2)
    hint: a file of questions: JSONL, JSON, CSV, TSV, or one question a line

    $ taskgen tasks import [project]/bad.jsonl --as-of yesterday
    exit 2
    --- err
    error: invalid value 'yesterday' for '--as-of <DAY>': a day is written like 2026-11-03

    For more information, try '--help'.

    $ taskgen tasks import [project]/bad.jsonl --language english please
    exit 2
    --- err
    error: not a language tag: `english please`, such as `en` or `zh-Hans`

    $ taskgen tasks import [project]/bad.jsonl --set
    exit 2
    --- err
    error: the set needs a name
    hint: --set NAME
    ");
    let (_fake, woven) = crate::support::woven();
    woven.ok(&["rank"]);
    woven.ok(&["tasks", "select", "--top", "2", "--name", "best"]);
    let rows = file(&woven, "best.txt", "How deep is the lake?\n");
    let told = woven.fails(&["tasks", "import", &rows], 2);
    assert!(told.contains("was selected here"), "{told}");
}
