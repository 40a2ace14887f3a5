//! Exports, each opened by its owner's own package: a project's, made by the program, and a made-up
//! set with whatever strangers write.

mod made;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use taskgen::{
    audit::people::{self, Read},
    report::export::{
        data_set::{Card, croissant, hugging_face, lineage},
        schemas, set_lines,
    },
};

use crate::support::{ModelServer, Project};

/// Runs a check with the Python that a variable names, and returns what it printed.
fn checked(python: &str, script: &str, args: &[&Path]) -> String {
    let python = std::env::var(python).expect("`make interop` names the Python of each package");
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/interop/exports")
        .join(script);
    let output = Command::new(python)
        .arg(&script)
        .args(args)
        .env("HF_HUB_OFFLINE", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", script.display());
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    println!("{printed}");
    printed
}

const DATA: &str = "TASKGEN_DATA_PYTHON";
const SCORING: &str = "TASKGEN_SCORING_PYTHON";

/// A project with a set of eight tasks in two languages and the reports of two agents.
fn project() -> (ModelServer, Project) {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url).two_talks().woven();
    project.ok(&["rank"]);
    project.ok(&["tasks", "select", "--name", "core", "--top", "8"]);
    for agent in ["plain", "河流"] {
        let command =
            "sh -c 'cat > task.json; echo \"# Report\"; echo; echo Gravel moves in floods.'";
        project.ok(&["answer", "--agent", agent, "--command", command]);
    }
    (fake, project)
}

#[test]
fn a_project_opens_as_a_data_set() {
    let (_fake, project) = project();
    let folder = project.path("hub");
    let export = |kind: &str, name: &str| {
        let folder = project.path(name);
        project.ok(&[
            "export",
            kind,
            folder.to_str().expect("a path"),
            "--set",
            "core@1",
        ]);
    };
    export("hugging-face", "hub");
    project.ok(&["tasks", "export", "--set", "core@1", "-o", "core.jsonl"]);
    let lines = project.path("core.jsonl");
    for script in ["hugging_face.py", "croissant.py", "ro_crate.py"] {
        let said = checked(DATA, script, &[&folder, &lines]);
        assert!(said.contains('8'), "{said}");
    }
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    checked(
        DATA,
        "schemas.py",
        &[&schemas.join("set-line.json"), &lines],
    );
    project.ok(&["tasks", "export", "-o", "tasks.jsonl"]);
    let lines = project.path("tasks.jsonl");
    checked(DATA, "schemas.py", &[&schemas.join("task.json"), &lines]);

    // Again, whatever happened since: the same bytes.
    project.ok(&["rank", "--seed", "7"]);
    export("hugging-face", "again");
    for file in [
        "README.md",
        "croissant.json",
        "ro-crate-metadata.json",
        "data/tasks.parquet",
    ] {
        let read = |folder: &str| std::fs::read(project.path(folder).join(file)).expect("a file");
        assert_eq!(read("hub"), read("again"), "{file}");
    }
}

/// What is imported again is what it was: the same questions under the same ids.
#[test]
fn exports_are_imported_again() {
    let (_fake, project) = project();
    project.ok(&["export", "deepresearch-bench", "bench"]);
    let queries = project.path("bench/data/prompt_data/query.jsonl");
    let queries = queries.to_str().expect("a path");
    let import = || project.json(&["tasks", "import", queries, "--set", "back"]);
    let first = import();
    assert_eq!((&first["tasks"], &first["new"]), (&8.into(), &8.into()));
    let again = import();
    assert_eq!((&again["new"], &again["version"]), (&0.into(), &1.into()));
    let bench = project.path("bench/data/test_data/raw_data");
    for file in std::fs::read_dir(bench).expect("a folder") {
        let file = file.expect("a file").path();
        let read = project.json(&[
            "reports",
            "import",
            file.to_str().expect("a path"),
            "--agent",
            "back",
        ]);
        println!("{read}");
    }
    project.ok(&["export", "deepresearch-bench", "again", "--set", "back"]);
    let read = |folder: &str| {
        let path = project.path(folder).join("data/prompt_data/query.jsonl");
        let text = std::fs::read_to_string(path).expect("a file");
        let lines = text.lines().map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            (line["id"].to_string(), line["prompt"].to_string())
        });
        lines.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(read("bench"), read("again"));
}

#[test]
fn a_made_up_set_opens_in_every_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    made::write(folder.path()).expect("exports");
    let expected = at("expected.jsonl");
    checked(SCORING, "check_inspect.py", &[&at("inspect"), &expected]);
    let bench = at("deepresearch_bench");
    checked(SCORING, "check_deepresearch_bench.py", &[&bench, &expected]);
    let answers = at("answers");
    std::fs::create_dir(&answers).expect("a folder");
    for agents in ["hidden", "named"] {
        let argilla = at(&format!("argilla-{agents}"));
        let server: PathBuf = std::env::var_os("TASKGEN_ARGILLA_PYTHON")
            .expect("`make interop` names it")
            .into();
        checked(
            SCORING,
            "check_argilla.py",
            &[&argilla, &expected, &answers, &server],
        );
        let studio = at(&format!("label_studio-{agents}"));
        checked(
            SCORING,
            "check_label_studio.py",
            &[&studio, &expected, &answers],
        );
        for name in ["argilla_flat", "argilla_to_json", "label_studio"] {
            let read = people::read(&answers.join(format!("{name}.json"))).expect("scores");
            let wanted = std::fs::read(answers.join(format!("{name}.expected.json")));
            let wanted: Value = serde_json::from_slice(&wanted.expect("a file")).expect("JSON");
            assert_eq!(counts(&read), wanted_counts(&wanted), "{name}");
            println!("{name}: {:?} read back", counts(&read));
        }
    }
}

/// Scores, drafts, discarded, unstated, remarks, problems.
fn counts(read: &Read) -> [u64; 6] {
    [
        read.scores.len() as u64,
        read.drafts,
        read.discarded,
        read.unstated,
        read.remarks,
        read.problems.len() as u64,
    ]
}

fn wanted_counts(wanted: &Value) -> [u64; 6] {
    let number = |key: &str| wanted[key].as_u64().expect("a number");
    [
        wanted["scores"].as_array().expect("a list").len() as u64,
        number("drafts"),
        number("discarded"),
        number("unstated"),
        number("remarks"),
        number("problems"),
    ]
}

/// The made-up set as a data set: HTML, quotes and Chinese in names and texts.
#[test]
fn a_made_up_set_opens_as_a_data_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = made::set();
    let card = Card {
        tool_version: "1".to_owned(),
        day: "2026-11-26".to_owned(),
        publisher: None,
        licence: None,
        address: None,
    };
    let mut files = hugging_face::files(&set, &card).expect("files");
    files.extend(croissant::files(&set, &card).expect("files"));
    files.extend(lineage::files(&set, &made::reports(&set), &card).expect("files"));
    made::save(folder.path(), "hub", files).expect("writable");
    let lines = folder.path().join("set.jsonl");
    let text: Vec<String> = set_lines::of_record(&set).expect("lines");
    std::fs::write(&lines, text.join("\n") + "\n").expect("writable");
    for script in ["hugging_face.py", "croissant.py", "ro_crate.py"] {
        checked(DATA, script, &[&folder.path().join("hub"), &lines]);
    }
    let (_, schema) = schemas::all()
        .into_iter()
        .find(|(name, _)| *name == "set-line")
        .expect("a schema");
    let path = folder.path().join("set-line.json");
    std::fs::write(&path, schema.to_string()).expect("writable");
    checked(DATA, "schemas.py", &[&path, &lines]);
}
