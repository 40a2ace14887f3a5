//! What else holds words of a talk: earlier recordings of its path, other recordings of it, reports
//! and questions that quote it, files in other forms, logs. And what is told apart by its name.

use std::{collections::BTreeSet, process::Stdio};

use serde_json::{Value, json};

use super::{
    CANARY,
    planted::{files, holding, id_of, tasks_on, write},
    two_talks,
};
use crate::support::{ModelServer, Project, TALK, TALK_ZH};

const NOTHING: Vec<String> = Vec::new();

fn said_in(talk: &[&str]) -> BTreeSet<String> {
    talk.iter().map(|text| (*text).to_owned()).collect()
}

/// Replaces rivers.wav by another recording, and has tasks made of it.
fn replace(project: &Project, talk: &[&str]) {
    project.add_recording("rivers.wav", b"rivers.wav, cut", "en", talk);
    // A talk of which nothing is made is one that is told.
    project.output(&["inspire"]);
    project.output(&["weave"]);
    assert_eq!(project.count("SELECT count(*) FROM seminar"), 3);
}

#[test]
fn an_earlier_recording_of_the_path_goes_along() {
    let cut = &TALK[..5];
    let other = [
        "The old mill at the third bridge hides a barrel of salted eels, as only I know.",
        "What we do not know is who put the eels there, and why nobody has eaten them since.",
    ];
    for talk in [cut, &other] {
        let (_, project) = two_talks();
        // Tasks of the fake model may be the same as those of the other talk.
        let mut texts = said_in(TALK);
        let earlier = id_of(&project, "rivers.wav");
        replace(&project, talk);
        texts.extend(said_in(talk));
        write(&project, "notes/own.txt", CANARY);
        write(&project, "notes/new.txt", talk[0]);
        let done = project.json(&["seminars", "forget", "rivers.wav", "--yes"]);
        assert_eq!(done["along"], json!([earlier]));
        assert_eq!(done["counts"]["transcripts"], 2);
        assert_eq!(holding(project.folder.path(), &texts), NOTHING);
        assert_eq!(project.count("SELECT count(*) FROM seminar"), 1);
        let orphans = "SELECT count(*) FROM task WHERE seminar NOT IN (SELECT id FROM seminar)";
        assert_eq!(project.count(orphans), 0);
        assert_eq!(
            project.count("SELECT count(*) FROM forgotten WHERE finished = 1"),
            2
        );
    }
}

/// Of which path a recording was is not always known, but its words are.
#[test]
fn an_earlier_recording_is_known_by_its_words() {
    let (_, project) = two_talks();
    let earlier = id_of(&project, "rivers.wav");
    replace(&project, &TALK[..5]);
    project.sql("DELETE FROM event WHERE kind = 'transcript'");
    let done = project.json(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert_eq!(done["along"], json!([earlier]));
    assert_eq!(holding(project.folder.path(), &said_in(TALK)), NOTHING);
}

#[test]
fn another_recording_of_the_talk_is_named_and_forgives_nothing() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url)
        .seminar("rivers.wav", "en", TALK)
        .seminar("copy.wav", "en", &TALK[1..])
        .seminar("heliu.wav", "zh", TALK_ZH)
        .woven();
    write(&project, "notes/own.txt", TALK[3]);
    let copy = id_of(&project, "copy.wav");
    let planned = project.json(&["seminars", "forget", "rivers.wav"]);
    assert_eq!(
        planned["related"],
        json!([{ "id": copy, "name": "copy.wav", "why": "alike" }])
    );
    let told = project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert!(
        told.contains("the same talk seems to be in copy.wav"),
        "{told}"
    );
    assert!(!project.path("notes/own.txt").exists());
    assert!(project.path("transcripts/copy.wav.json").exists());
    project.ok(&["seminars", "forget", "copy.wav", "--yes"]);
    assert_eq!(holding(project.folder.path(), &said_in(TALK)), NOTHING);
    assert!(project.path("transcripts/heliu.wav.json").exists());
}

#[test]
fn what_quotes_the_talk_goes_whoever_it_was_written_for() {
    let (_, project) = two_talks();
    let (rivers, heliu) = (id_of(&project, "rivers.wav"), id_of(&project, "heliu.wav"));
    let others = tasks_on(&project, &heliu);
    let task = others
        .difference(&tasks_on(&project, &rivers))
        .next()
        .expect("a task of the other talk")
        .clone();
    for sql in [
        format!("INSERT INTO document (id, kind, task, state, text, run) VALUES ('d_quoting', 'report', '{task}', 'ok', 'So it is: {CANARY}', 1), ('d_other', 'report', '{task}', 'ok', 'They come at night, and nobody knows.', 1)"),
        format!("INSERT INTO key_point (id, task, source, text, spans, verified, run) VALUES ('k_1', '{task}', 'x', '{CANARY}', '[]', 1, 1), ('k_2', '{task}', 'x', 'They come at night.', '[]', 1, 1)"),
        format!("INSERT INTO reference_set (id, task, name, version, members, run) VALUES ('z_1', '{task}', 'own', 1, '[\"k_1\",\"k_2\"]', 1)"),
        format!("INSERT INTO checklist (id, task, version, members, run) VALUES ('z_2', '{task}', 1, json_array(json_object('description', '{CANARY}')), 1)"),
        format!("INSERT INTO statement (id, source, text, extractor, version, run) SELECT 'x_1', id, '{CANARY}', 'reader', '1', 1 FROM document WHERE text LIKE '%{CANARY}%'"),
        format!("INSERT INTO task (id, origin, language, text, run) VALUES ('t_quoting', 'imported', 'en', 'Is it true? {CANARY}', 1), ('t_other', 'imported', 'en', 'Is it true that floods come at night?', 1)"),
        "INSERT INTO document (id, kind, task, state, text, run) VALUES ('d_own', 'report', 't_quoting', 'ok', 'Yes.', 1)".to_owned(),
    ] {
        project.sql(&sql);
    }
    write(&project, "notes/own.txt", CANARY);
    let planned = project.json(&["seminars", "forget", "rivers.wav"]);
    let named: BTreeSet<&str> = planned["by_words"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|of| of["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(
        named,
        BTreeSet::from(["document", "key_point", "reference", "statement", "task"])
    );
    assert_eq!(planned["counts"]["reports"], 2);
    let told = project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert!(
        told.contains("question t_quoting holds words of it"),
        "{told}"
    );
    assert_eq!(holding(project.folder.path(), &said_in(&[CANARY])), NOTHING);
    assert!(!project.path("notes/own.txt").exists());
    for (sql, left) in [
        ("SELECT count(*) FROM document", 1),
        ("SELECT count(*) FROM task WHERE origin = 'imported'", 1),
        ("SELECT count(*) FROM key_point", 1),
        ("SELECT count(*) FROM reference_set", 0),
        ("SELECT count(*) FROM pragma_foreign_key_check", 0),
    ] {
        assert_eq!(project.count(sql), left, "{sql}");
    }
    let gone = tasks_on(&project, &heliu);
    assert!(gone.contains(&task) && gone.is_subset(&others));
}

#[test]
fn words_in_other_forms_are_found() {
    let (_, project) = two_talks();
    let units = CANARY.encode_utf16();
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(units.flat_map(u16::to_le_bytes))
        .collect();
    write(&project, "notes/wide.txt", "");
    std::fs::write(project.path("notes/wide.txt"), wide).expect("writable");
    write(&project, "notes/sound.mp3", CANARY);
    write(&project, "notes/silent.mp3", "ID3");
    write(
        &project,
        "notes/picture.html",
        &format!("<img src=\"x.png\" alt=\"{CANARY}\">"),
    );
    let address = format!("https://x.invalid/?q={}", CANARY.replace(' ', "%20"));
    write(&project, "notes/address.txt", &address);
    let done = project.json(&["seminars", "forget", "rivers.wav", "--yes"]);
    for name in ["wide.txt", "sound.mp3", "picture.html", "address.txt"] {
        assert!(!project.path(&format!("notes/{name}")).exists(), "{name}");
    }
    assert!(project.path("notes/silent.mp3").exists());
    assert_eq!(done["left"][0]["path"], "notes/silent.mp3");
}

#[test]
fn a_side_file_of_two_recordings_stays_with_the_other() {
    let (_, project) = two_talks();
    std::fs::write(project.path("seminars/rivers.mp3"), "another").expect("writable");
    let done = project.json(&[
        "seminars",
        "forget",
        "rivers.wav",
        "--with-recording",
        "--yes",
    ]);
    assert_eq!(done["recordings"], json!(["seminars/rivers.wav"]));
    assert!(!project.path("seminars/rivers.wav").exists());
    assert!(project.path("seminars/rivers.mp3").exists());
    assert!(project.path("seminars/rivers.toml").exists());
}

#[test]
fn what_is_kept_must_go_otherwise() {
    let (_, project) = two_talks();
    write(&project, "notes/deep/kept.txt", CANARY);
    write(&project, "notes/kept.txt", CANARY);
    write(&project, "other.txt", "Nothing of it.");
    for wrong in ["nowhere.txt", "other.txt"] {
        let said = project.fails(
            &["seminars", "forget", "rivers.wav", "--keep", wrong, "--yes"],
            2,
        );
        assert!(
            said.contains("--keep names no file that goes") && said.contains("hint: "),
            "{said}"
        );
        assert!(project.path("notes/kept.txt").exists());
    }
    let kept = |folder: &std::path::Path, path: &str| {
        let output = project
            .command(&["seminars", "forget", "rivers.wav", "--json", "--keep", path])
            .current_dir(folder)
            .env("TASKGEN_PROJECT", project.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let planned: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        planned["left"].as_array().expect("a list").len()
    };
    let elsewhere = tempfile::tempdir().expect("a folder");
    assert_eq!(kept(elsewhere.path(), "notes/kept.txt"), 1);
    assert_eq!(kept(&project.path("notes"), "kept.txt"), 1);
    assert_eq!(kept(project.folder.path(), "notes/"), 2);
    project.ok(&[
        "seminars",
        "forget",
        "rivers.wav",
        "--keep",
        "notes",
        "--yes",
    ]);
    assert!(project.path("notes/deep/kept.txt").exists());
}

#[test]
fn neither_logs_nor_the_lock_name_it() {
    let (_, project) = two_talks();
    project.ok(&["inspire", "--seminar", "rivers.wav"]);
    project.ok(&["weave", "--seminar", "heliu.wav"]);
    let naming = |name: &str| {
        let mut files = files(&project.path("tasks"));
        files.retain(|path, bytes| {
            !path.to_string_lossy().contains("taskgen.db")
                && String::from_utf8_lossy(bytes).contains(name)
        });
        files.len()
    };
    assert!(naming("rivers.wav") > 0 && naming("heliu.wav") > 0);
    project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert_eq!(naming("rivers.wav"), 0);
    assert!(naming("heliu.wav") > 0);
    project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    assert_eq!(naming("rivers.wav"), 0);
    assert_eq!(
        std::fs::read(project.path("tasks/taskgen.lock")).expect("a file"),
        b""
    );
}

/// Without --yes a database from before an update is looked at as it is.
#[test]
fn an_older_database_can_be_looked_at() {
    let fake = ModelServer::openai().pipeline();
    let project = Project::new(&fake.url);
    write(&project, "tasks/.keep", "");
    let schema = concat!(
        include_str!("../../../crates/tools/src/store/schema/0001_init.sql"),
        include_str!("../../../crates/tools/src/store/schema/0002_secret.sql"),
        include_str!("../../../crates/tools/src/store/schema/0003_published.sql"),
    );
    let database = rusqlite::Connection::open(project.path("tasks/taskgen.db")).expect("a file");
    database.execute_batch(schema).expect("SQL");
    let rows = "PRAGMA user_version = 3;
        INSERT INTO run (id, command, config_hash, seed, tool_version, started) VALUES (1, 'taskgen inspire', '', 1, '', '2026');
        INSERT INTO seminar (id, media_sha256, duration_ms, title, language, run) VALUES ('s_1', 'x', 1, 'rivers', 'en', 1);
        INSERT INTO seminar_path VALUES ('rivers.wav', 's_1');
        INSERT INTO transcript (id, seminar, model, model_sha256, parameters, language, run) VALUES ('t_1', 's_1', 'm', '', '{}', 'en', 1);
        INSERT INTO segment VALUES ('t_1', 0, 0, 1, NULL, 'The old mill at the third bridge hides a barrel of eels.', 1.0);";
    database.execute_batch(rows).expect("SQL");
    drop(database);
    let names = || -> Vec<_> { files(&project.path("tasks")).into_keys().collect() };
    let before = names();
    let planned = project.json(&["seminars", "forget", "rivers.wav"]);
    assert_eq!(planned["counts"]["transcripts"], 1);
    assert_eq!(names(), before, "nothing is put aside");
    project.ok(&["seminars", "forget", "rivers.wav", "--yes"]);
    let eels = said_in(&["a barrel of eels"]);
    assert_eq!(holding(project.folder.path(), &eels), NOTHING);
}
