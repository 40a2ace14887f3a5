//! What programs tell on descriptor 3 of what they do: good lines, garbage, a flood, nothing; kept
//! with the report, shown, exported, and gone with it.

use serde_json::{Value, json};

use crate::support::{Project, woven};

const AGENT: &str =
    "[agents.mine]\ncommand = \"sh agent.sh\"\nreadable = [\"agent.sh\"]\nenv = [\"MY_KEY\"]\n";

/// A project with one task and the agent of a script.
fn project(script: &str) -> (crate::support::ModelServer, Project) {
    let (server, project) = woven();
    project.sql("UPDATE task SET superseded = 1 WHERE id <> (SELECT min(id) FROM task WHERE superseded = 0)");
    std::fs::write(project.path("agent.sh"), script).unwrap();
    (server, project.config(AGENT))
}

fn answer(project: &Project) -> String {
    let mut command = project.command(&["answer", "--agent", "mine"]);
    let output = command
        .env("MY_KEY", "a-planted-secret")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

/// What is told of the only report's way.
fn told(project: &Project) -> Value {
    let listed = project.json(&["reports", "list"]);
    let id = listed[0]["report"].as_str().unwrap().to_owned();
    project.json(&["reports", "show", &id])["trajectory"].clone()
}

const LINES: &str = r##"cat > /dev/null
echo '{"type": "search", "query": "gravel 河床", "seconds": 1.5}' >&3
echo '{"type": "visit", "url": "https://drum.test/a", "title": "Drums", "failed": true}' >&3
echo "{\"type\": \"note\", \"text\": \"the key is $MY_KEY\"}" >&3
echo '{"type": "usage", "input_tokens": 812, "output_tokens": 204}' >&3
echo "# Gravel"
"##;

#[test]
fn what_a_program_tells_is_kept_with_its_report_and_shown() {
    let (_server, project) = project(LINES);
    answer(&project);
    let steps = json!([
        { "type": "search", "queries": ["gravel 河床"], "seconds": 1.5 },
        { "type": "visit", "url": "https://drum.test/a", "title": "Drums", "failed": true },
        { "type": "note", "text": "the key is …" },
        { "type": "usage", "input_tokens": 812, "output_tokens": 204 },
    ]);
    let way = json!({ "told_by": "program", "steps": steps, "left_out": 0, "unreadable": 0 });
    assert_eq!(told(&project), way);
    insta::assert_snapshot!(project.told_each([
        &["reports", "show", "d_"][..],
        &["reports", "list"],
    ]), @"
    $ taskgen reports show d_
    exit 0
    --- out
    d_[id] by mine, attempt 1, on t_[id]: ok
    [time]
    1 search, 1 page opened, told by its program
      search: “gravel 河床”, [time]
      visit: Drums, <https://drum.test/a>, (failed)
      note: the key is …
      usage: 812 prompt tokens, 204 reply tokens

    # Gravel

    $ taskgen reports list
    exit 0
    --- out
    ───
     report               task                 agent   attempt   state   searches   pages   words   references
    ───
     d_[id]   t_[id]   mine    1         ok      1          1       1       0
    ───
    ");

    // Taken out and in again, it comes along.
    project.ok(&["reports", "remove", "--agent", "mine"]);
    assert_eq!(project.count("SELECT count(*) FROM trajectory"), 0);
    project.ok(&["reports", "import", "tasks/reports-removed.jsonl"]);
    assert_eq!(told(&project), way);
}

#[test]
fn the_log_for_inspect_has_it_with_its_sample() {
    let (_server, project) = woven();
    std::fs::write(project.path("agent.sh"), LINES).unwrap();
    let project = project.config(AGENT);
    project.ok(&["rank"]);
    project.ok(&["tasks", "select", "--name", "core", "--top", "1"]);
    answer(&project);
    project.ok(&["export", "inspect", "out"]);
    let logs = std::fs::read_dir(project.path("out/logs")).unwrap();
    let log = logs.flatten().next().unwrap();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(log.contains("gravel 河床") && log.contains("\"told_by\":\"program\""));
}

#[test]
fn garbage_a_flood_and_silence_do_no_harm() {
    let cases = [
        ("echo '# Gravel'\n", None),
        ("exec 3>&-\necho '# Gravel'\n", None),
        (
            "printf 'no JSON\\n\\377\\376\\n{\"type\": \"dance\"}\\n{\"type\": \"note\", \"text\": \"x\"}' >&3\necho '# Gravel'\n",
            Some((1, 0, 3)),
        ),
        // Lines of 64 kB, and more steps than are kept, faster than anybody could want to read.
        (
            "head -c 65536 /dev/zero | tr '\\0' x >&3\necho >&3\nyes '{\"type\": \"search\", \"query\": \"gravel\"}' | head -n 200000 >&3\necho '# Gravel'\n",
            Some((1000, 199_000, 1)),
        ),
        // One who leaves a writer behind does not hold up its report.
        (
            "(echo '{\"type\": \"note\", \"text\": \"x\"}'; sleep 1000) >&3 &\nsleep 0.3\necho '# Gravel'\n",
            Some((1, 0, 0)),
        ),
    ];
    for (script, expect) in cases {
        let (_server, project) = project(&format!("cat > /dev/null\n{script}"));
        answer(&project);
        let way = told(&project);
        let found = way["steps"].as_array().map(|steps| {
            let count = |name: &str| way[name].as_u64().unwrap();
            (steps.len(), count("left_out"), count("unreadable"))
        });
        assert_eq!(found, expect, "{script}");
    }
}

#[test]
fn what_agents_did_goes_with_a_forgotten_talk() {
    let (_server, project) = project(LINES);
    answer(&project);
    assert_eq!(project.count("SELECT count(*) FROM trajectory"), 1);
    project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert_eq!(project.count("SELECT count(*) FROM trajectory"), 0);
    assert_eq!(project.count("SELECT count(*) FROM document"), 0);
}
