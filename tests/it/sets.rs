//! Sets of tasks are frozen: whatever happens to the tasks afterwards, a version of a set is
//! exported in the same bytes, counts all its tasks, and keeps what was promised of it.

use std::collections::BTreeSet;

use serde_json::Value;
use taskgen::data::id::sha256_hex;

use crate::support::{ModelServer, Project};

/// A project with twelve ranked tasks, of which the best six are the set `core`.
fn selected() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).two_talks().woven();
    project.ok(&["rank"]);
    project.ok(&["tasks", "select", "--name", "core", "--top", "6"]);
    (fake, project)
}

fn lines(jsonl: &str) -> Vec<Value> {
    let lines = jsonl.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON lines")
}

fn export(project: &Project, set: &str) -> String {
    project.ok(&["tasks", "export", "--set", set, "-o", "-"])
}

fn commitment(project: &Project, set: &str) -> String {
    let said = project.json(&["tasks", "commit", set]);
    said["commitment"].as_str().expect("a hash").to_owned()
}

/// Gives an agent a report on each of some tasks, by hand.
fn report_on(project: &Project, agent: &str, tasks: &[&str]) {
    let folder = project.path(agent);
    std::fs::create_dir_all(&folder).expect("a folder");
    for task in tasks {
        let text = format!("# A report\n\nRivers move gravel, says a study on {task}.\n");
        std::fs::write(folder.join(format!("{task}.md")), text).expect("a file");
    }
    let folder = folder.to_str().expect("a path");
    project.ok(&["reports", "import", folder, "--agent", agent]);
}

#[test]
fn nothing_that_happens_later_changes_a_set() {
    let (_fake, project) = selected();
    let before = export(&project, "core");
    let promised = commitment(&project, "core@1");
    let rows = lines(&before);
    assert_eq!(rows.len(), 6);
    let canaries: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row["canary"].as_str())
        .collect();
    assert_eq!(canaries.len(), 1, "one canary, in every row");
    assert!(
        rows.iter()
            .all(|row| row["set"] == "core@1" && row["task"].is_string())
    );
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    report_on(&project, "early", &ids[..4]);

    // Fewer tasks of each talk, other words of one, another ranking, another set.
    let first = ids[0];
    std::fs::write(project.path("words.txt"), words(&project, first)).expect("a file");
    let words = [
        "tasks",
        "edit",
        first,
        "--by",
        "ana",
        "--force",
        "--text",
        "words.txt",
    ];
    project.ok(&words);
    project.ok(&["weave", "--per-seminar", "5"]);
    project.ok(&["rank", "--seed", "9"]);
    project.ok(&["tasks", "select", "--name", "other", "--top", "3"]);
    assert!(
        project.count("SELECT count(*) FROM task WHERE superseded = 1") > 0,
        "weaving again set tasks aside"
    );
    let current = project.json(&["tasks", "list"]);
    let is_current = |id: &str| {
        let mut all = current.as_array().expect("a list").iter();
        all.any(|task| task["id"] == id)
    };
    assert!(!is_current(first), "what was edited is current no more");

    assert_eq!(export(&project, "core"), before);
    assert_eq!(export(&project, "core@1"), before);
    assert_eq!(commitment(&project, "core@1"), promised);
    let board = project.json(&["leaderboard", "--set", "core"]);
    assert_eq!(board["tasks"], 6, "answered or not");
    assert_eq!(board["agents"][0]["without_report"], 2);
    let said = project.ok(&["leaderboard", "--set", "core"]);
    assert!(said.contains("4 of 6"), "{said}");
}

/// Other words for a task that are a task still.
fn words(project: &Project, id: &str) -> String {
    let task = project.json(&["tasks", "show", id]);
    let text = task["task"].as_str().expect("a text");
    format!("Once more: {text}")
}

#[test]
fn the_same_choice_is_the_same_version_and_another_is_the_next() {
    let (_fake, project) = selected();
    let select = |top: &str| {
        let chosen = project.json(&["tasks", "select", "--name", "core", "--top", top]);
        chosen["version"].as_u64()
    };
    assert_eq!(select("6"), Some(1));
    assert_eq!(select("4"), Some(2));
    assert_eq!(lines(&export(&project, "core")).len(), 4);
    assert_eq!(lines(&export(&project, "core@1")).len(), 6);
    insta::assert_snapshot!(project.told_each([
        &["tasks", "sets"][..],
        &["tasks", "diff", "core@1", "core@2"],
        &["tasks", "export", "--set", "core@1", "--top", "2"],
        &["tasks", "export", "--set", "core@3"],
        &["tasks", "select", "--name", "a@b"],
        &["tasks", "commit", "none"],
    ]), @"
    $ taskgen tasks sets
    exit 0
    --- out
    ───
     set      tasks   withdrawn   sha256
    ───
     core@2   4       0           [hash]   where no --set is given
    ───
     core@1   6       0           [hash]
    ───

    $ taskgen tasks diff core@1 core@2
    exit 0
    --- out
    core@1 → core@2: 4 tasks the same, 0 added, 2 removed, 0 edited, 0 changed, 0 withdrawn
    - t_[id]  围绕砾石河流、光纤电缆、传感器和音高，提出可以检验的假设及其预测，最后交一份包含三个可检验假设的清单。
    - t_[id]  For gravel rivers with a sensor, a fibre cable, a drum and pitch, find and compare the published wor…

    $ taskgen tasks export --set core@1 --top 2
    exit 0
    --- out
    2 tasks of the set `core@1` written to `[project]/tasks/core@1.jsonl`
    2 are of unknown licence: a `NAME.toml` beside a recording can name it, or `tasks import --licence`

    $ taskgen tasks export --set core@3
    exit 2
    --- err
    error: no such set of tasks: `core@3`
    hint: there are `core@2`, `core@1`

    $ taskgen tasks select --name a@b
    exit 2
    --- err
    error: the name of a set has no `@`: `a@b`
    hint: versions are counted by themselves, and `NAME@2` means the second

    $ taskgen tasks commit none
    exit 2
    --- err
    error: no such set of tasks: `none`
    hint: there are `core@2`, `core@1`
    ");
    let meta = std::fs::read_to_string(project.path("tasks/core@1.meta.json")).expect("a file");
    let meta: Value = serde_json::from_str(&meta).expect("JSON");
    assert_eq!(meta.get("created"), None, "no clock");
    // The hash is that of the lines without what the set adds in front of them.
    let mut own = String::new();
    for line in export(&project, "core@1").lines() {
        let start = line.find("\"id\":").expect("an id");
        own += &format!("{{{}\n", &line[start..]);
    }
    assert_eq!(meta["sha256"], sha256_hex(own.as_bytes()));
}

/// The scheme as the documents say it, computed by hand.
#[test]
fn a_promise_is_kept_or_is_found_broken() {
    let (_fake, project) = selected();
    let promised = commitment(&project, "core");
    project.ok(&["tasks", "reveal", "core", "-o", "all.json"]);
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(project.path(name)).expect("a file");
        serde_json::from_str(&text).expect("JSON")
    };
    let all = read("all.json");
    let mut text = "taskgen commitment 1\ncore@1\n".to_owned();
    for (place, line) in all["revealed"]
        .as_array()
        .expect("a list")
        .iter()
        .enumerate()
    {
        assert_eq!(line["place"], place);
        let of = |key: &str| line[key].as_str().expect("a text").to_owned();
        let leaf = sha256_hex(format!("{} {}", of("nonce"), of("line")).as_bytes());
        text.push_str(&leaf);
        text.push('\n');
    }
    assert_eq!(sha256_hex(text.as_bytes()), promised);

    let verify = ["tasks", "verify", "all.json", "--commitment", &promised];
    assert!(
        project
            .ok(&verify)
            .starts_with("kept: 6 of 6 lines of `core@1`")
    );
    // One task now, the others next year.
    let id = lines(&export(&project, "core"))[2]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    project.ok(&["tasks", "reveal", "core", "--task", &id, "-o", "one.json"]);
    assert_eq!(
        read("one.json")["revealed"].as_array().map(Vec::len),
        Some(1)
    );
    let verify = ["tasks", "verify", "one.json", "--commitment", &promised];
    assert!(project.ok(&verify).starts_with("kept: 1 of 6 lines"));

    let mut forged = all;
    let line = forged["revealed"][3]["line"].as_str().expect("a line");
    forged["revealed"][3]["line"] = line.replace("the", "The").into();
    std::fs::write(project.path("forged.json"), forged.to_string()).expect("a file");
    let verify = ["tasks", "verify", "forged.json", "--commitment", &promised];
    let output = project.output(&verify);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("NOT kept") && said.contains("by place from 0: 3"),
        "{said}"
    );
    project.fails(
        &["tasks", "verify", "taskgen.toml", "--commitment", &promised],
        2,
    );
    project.fails(&["tasks", "reveal", "core", "--task", "t_none"], 2);
}

/// Agents answer the tasks of the version that is named, though they are current no more.
#[test]
fn a_set_is_answered_as_it_was_frozen() {
    let (_fake, project) = selected();
    project.ok(&["weave", "--per-seminar", "5"]);
    project.ok(&["rank"]);
    project.ok(&["tasks", "select", "--name", "core", "--top", "2"]);
    let answer = |set: &str, agent: &str| {
        let command =
            "sh -c 'cat > task.json; echo \"# Report\"; echo; echo Gravel moves in floods.'";
        project.ok(&[
            "answer",
            "--agent",
            agent,
            "--set",
            set,
            "--command",
            command,
        ]);
        project.count(&format!(
            "SELECT count(*) FROM document d JOIN agent a ON a.id = d.agent WHERE a.name = '{agent}'"
        ))
    };
    assert_eq!(answer("core@1", "old"), 6);
    assert_eq!(answer("core", "new"), 2);
}

/// A set from before sets were frozen still says which tasks it has, current or not.
#[test]
fn a_set_of_an_older_database_keeps_its_tasks() {
    let (_fake, project) = selected();
    project.sql("UPDATE set_member SET line = NULL, leaf = NULL");
    project.sql("UPDATE task_set SET sha256 = NULL, nonce = NULL, canary = NULL");
    project.ok(&["weave", "--per-seminar", "5"]);
    let ids = project.database();
    let mut ids = ids.prepare("SELECT task FROM set_member").expect("a query");
    let ids: Vec<String> = ids
        .query_map([], |row| row.get(0))
        .expect("rows")
        .collect::<Result<_, _>>()
        .expect("ids");
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    report_on(&project, "early", &ids[..1]);
    let board = project.json(&["leaderboard", "--set", "core"]);
    assert_eq!(board["tasks"], 6);
    let refused = project.fails(&["tasks", "export", "--set", "core"], 2);
    assert!(
        refused.contains("from before sets were frozen"),
        "{refused}"
    );
    let chosen = project.json(&["tasks", "select", "--name", "core", "--top", "6"]);
    assert_eq!(chosen["version"], 2);
}

/// The published schemas are those of this program, and what it writes is valid by them (`make
/// interop` has others check that).
#[test]
fn the_published_schemas_are_up_to_date() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url);
    project.ok(&["export", "schemas", "schemas"]);
    let published = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let names = |folder: &std::path::Path| -> BTreeSet<std::ffi::OsString> {
        let files = std::fs::read_dir(folder).expect("a folder");
        files
            .map(|file| file.expect("a file").file_name())
            .collect()
    };
    let own = project.path("schemas");
    assert_eq!(names(&own), names(&published));
    for name in names(&own) {
        let read = |folder: &std::path::Path| std::fs::read_to_string(folder.join(&name));
        assert_eq!(
            read(&own).expect("a file"),
            read(&published).expect("a file"),
            "{name:?}: `taskgen export schemas docs/schemas` writes it anew"
        );
    }
}

/// Agents answer the tasks of a set in one language: as they are, or as they were translated.
#[test]
fn a_set_is_answered_in_one_language() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).two_talks();
    project.ok(&["inspire"]);
    project.ok(&["weave", "--translate", "en,zh"]);
    project.ok(&["rank"]);
    project.ok(&["tasks", "select", "--name", "core"]);
    let project = project.config("[agents.echo]\ncommand = \"cat\"\n");
    project.ok(&["answer", "--agent", "echo", "--set", "core:zh"]);
    let texts = "SELECT count(*) FROM document JOIN task ON task.id = document.task";
    let all = project.count("SELECT count(*) FROM set_member WHERE NOT translation");
    assert_eq!(project.count(texts), all);
    let chinese = format!("{texts} WHERE task.language LIKE 'zh%'");
    assert_eq!(project.count(&chinese), all);
    let translated = format!("{chinese} AND task.payload ->> '$.translation_of' IS NOT NULL");
    assert!(project.count(&translated) > 0 && project.count(&translated) < all);

    let listed = project.json(&["reports", "list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(all as usize));
    insta::assert_snapshot!(project.told_each([
        &["answer", "--agent", "echo", "--set", "core:fr"][..],
        &["answer", "--agent", "echo", "--set", "core:nonsense"],
    ]), @"
    $ taskgen answer --agent echo --set core:fr
    exit 2
    --- err
    --offline does not hold for the agent: it is another program
    error: none of the 12 tasks is there in `fr`
    hint: `taskgen weave --translate en,zh` translates tasks; a set holds the translations that were there when it was selected
    log: `[project]/tasks/logs/[log]`

    $ taskgen answer --agent echo --set core:nonsense
    exit 2
    --- err
    --offline does not hold for the agent: it is another program
    error: no such set of tasks: `core:nonsense`
    hint: there are `core@1`
    log: `[project]/tasks/logs/[log]`
    ");
    // Some of them in one language only.
    project.sql(
        "DELETE FROM set_member WHERE translation AND place = (SELECT max(place) FROM set_member)",
    );
    project.ok(&["answer", "--agent", "echo", "--set", ":en", "--limit", "3"]);
    assert_eq!(project.count(texts), all + 3);
}
