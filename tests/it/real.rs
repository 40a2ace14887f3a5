//! The real thing: the sample seminars through the real Whisper and the real local model, as a user
//! would run them.

use std::{
    fs,
    path::Path,
    time::{Instant, SystemTime},
};

use serde_json::Value;

use crate::support::{SAMPLES, put_sample, spans_that_hold, taskgen};

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, out, err) = taskgen(folder, args);
    assert_eq!(code, Some(0), "{args:?}: {err}\n{out}");
    serde_json::from_str(&out).expect("one JSON value")
}

/// The types of inspirations that each seminar has.
fn inspirations(folder: &Path) -> Vec<(String, Vec<String>)> {
    let database = rusqlite::Connection::open(folder.join("tasks/taskgen.db")).expect("a database");
    let sql = "SELECT p.path, group_concat(DISTINCT i.type) FROM seminar_path p
               LEFT JOIN inspiration i ON i.seminar = p.seminar AND i.superseded = 0 GROUP BY p.path";
    let mut statement = database.prepare(sql).expect("a query");
    let rows = statement
        .query_map([], |row| {
            Ok((row.get(0)?, row.get::<_, Option<String>>(1)?))
        })
        .expect("rows");
    let types = |list: Option<String>| {
        list.unwrap_or_default()
            .split(',')
            .map(str::to_owned)
            .collect()
    };
    rows.map(|row| row.expect("a row"))
        .map(|(path, list)| (path, types(list)))
        .collect()
}

/// With a judge that is a model: the one by default is code.
const JUDGE: &str = "judge=local/qwen2.5-coder-0.5b";
const RUN: [&str; 7] = [
    "run",
    "--rounds",
    "4",
    "--offline",
    "--json",
    "--model-role",
    JUDGE,
];

#[test]
fn real_samples_become_ranked_tasks_that_lead_back_to_the_recording() {
    assert!(
        std::env::var_os("TASKGEN_MODELS").is_some(),
        "set TASKGEN_MODELS to the folder of the models"
    );
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    taskgen(folder, &["init", "."]);
    for (name, _) in SAMPLES {
        put_sample(folder, name, name);
    }
    let begun = Instant::now();
    let summary = json(folder, &RUN);
    println!("{} s, {}", begun.elapsed().as_secs(), summary["usage"]);
    let exported = exported(folder);
    let (tasks, spans) = check_tasks(folder, &exported);
    println!("{tasks} tasks, {spans} quotes, each a span of its transcript");
    check_prediction(folder);
    check_another_project(folder);

    // A recording that was touched, and not changed, is looked at again and nothing more.
    let touched = fs::File::options()
        .write(true)
        .open(folder.join("seminars").join(SAMPLES[0].0))
        .expect("writable");
    touched.set_modified(SystemTime::now()).expect("settable");
    nothing_is_done(folder);
    // The second run asks nothing and opens no recording: it would not know the bytes if it did.
    for (name, _) in SAMPLES {
        overwrite(&folder.join("seminars").join(name));
    }
    nothing_is_done(folder);
    assert_eq!(self::exported(folder), exported);
}

fn exported(folder: &Path) -> String {
    taskgen(folder, &["tasks", "export", "-o", "-"]).1
}

/// Every talk has tasks of every phase in its language, each with quotes that are spans of the
/// transcript, and ratings add up. Returns how many tasks and quotes there are.
fn check_tasks(folder: &Path, exported: &str) -> (usize, usize) {
    let tasks: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(tasks.len() >= 15, "{} tasks", tasks.len());
    for (path, language) in SAMPLES {
        let of: Vec<&Value> = tasks
            .iter()
            .filter(|t| t["provenance"]["seminar"]["path"] == path)
            .collect();
        assert!(of.len() >= 5, "{path}: {} tasks", of.len());
        assert!(
            of.iter().all(|t| t["language"] == language),
            "{path} speaks {language}"
        );
        for phase in ["Synthesize", "Design", "Evaluate"] {
            assert!(
                of.iter().any(|t| t["phase"] == phase),
                "{path} lacks {phase}"
            );
        }
    }
    for (path, of) in inspirations(folder) {
        assert!(of.len() >= 3, "{path} has inspirations of {of:?}");
    }
    let spans: usize = tasks.iter().map(|task| spans_that_hold(folder, task)).sum();
    let elo: f64 = tasks
        .iter()
        .map(|t| t["elo"].as_f64().expect("ranked"))
        .sum();
    assert!(
        (elo - 1200.0 * tasks.len() as f64).abs() < 0.01,
        "ratings are zero-sum: {elo}"
    );
    (tasks.len(), spans)
}

/// In another project the same transcript has the same inspirations, whatever the secrets of the two.
fn check_another_project(folder: &Path) {
    let other = tempfile::tempdir().expect("a folder");
    let name = SAMPLES[0].0;
    taskgen(other.path(), &["init", "."]);
    put_sample(other.path(), name, name);
    for file in fs::read_dir(folder.join("transcripts")).expect("a folder") {
        let file = file.expect("a file");
        if file.file_name().to_string_lossy().starts_with(name) {
            let copy = other.path().join("transcripts").join(file.file_name());
            fs::copy(file.path(), copy).expect("writable");
        }
    }
    json(other.path(), &["transcribe", "--offline", "--json"]);
    json(other.path(), &["inspire", "--offline", "--json"]);
    let ids = |folder: &Path| -> Vec<Value> {
        let all = json(folder, &["inspirations", "list", "--json"]);
        let of_talk = all.as_array().expect("a list").iter();
        let of_talk = of_talk.filter(|inspiration| inspiration["path"] == name);
        of_talk
            .map(|inspiration| inspiration["id"].clone())
            .collect()
    };
    let found = ids(folder);
    assert!(!found.is_empty());
    assert_eq!(ids(other.path()), found);
}

/// What a dry run of the ranking would have said beforehand is what the ranking took.
fn check_prediction(folder: &Path) {
    let database = rusqlite::Connection::open(folder.join("tasks/taskgen.db")).expect("a database");
    let count = "SELECT count(*), sum(input_tokens) FROM call WHERE role = 'judge'";
    let took: (u64, u64) = database
        .query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("numbers");
    let before = tempfile::tempdir().expect("a folder");
    taskgen(before.path(), &["init", "."]);
    let path = before.path().join("tasks/taskgen.db");
    database
        .execute("VACUUM INTO ?1", [path.to_string_lossy()])
        .expect("a copy");
    let copy = rusqlite::Connection::open(&path).expect("a database");
    copy.execute_batch("DELETE FROM judgement; DELETE FROM call WHERE role = 'judge'")
        .expect("the verdicts are gone");
    drop((database, copy));
    let predicted = json(
        before.path(),
        &[
            "rank",
            "--rounds",
            "4",
            "--dry-run",
            "--json",
            "--model-role",
            JUDGE,
        ],
    );
    let of = predicted["calls"]
        .as_object()
        .and_then(|roles| roles.values().next())
        .expect("a role");
    assert_eq!(
        (&of["calls"], &of["input"]),
        (&took.0.into(), &took.1.into()),
        "{predicted}"
    );
}

/// Runs once more: no model is asked, no recording transcribed.
fn nothing_is_done(folder: &Path) {
    let again = json(folder, &RUN);
    assert_eq!(
        (&again["usage"]["calls"], &again["stages"][0]["done"]),
        (&0.into(), &0.into()),
        "{again}"
    );
}

/// Other bytes in a file of the same length and time.
fn overwrite(path: &Path) {
    let metadata = fs::metadata(path).expect("a recording");
    fs::write(path, vec![0; metadata.len() as usize]).expect("writable");
    let file = fs::File::options()
        .write(true)
        .open(path)
        .expect("writable");
    file.set_modified(metadata.modified().expect("a time"))
        .expect("settable");
}
