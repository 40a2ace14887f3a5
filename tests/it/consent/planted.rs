//! What the tests of consent share: words of a talk planted wherever a project can hold them, and
//! how a project is looked through.

use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::CANARY;
use crate::support::{Project, TALK_ZH};

pub fn write(project: &Project, name: &str, text: &str) {
    let path = project.path(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

/// All files of a folder but recordings and what links lead to, with their bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                let bytes = std::fs::read(entry.path()).expect("a file");
                found.insert(entry.path(), bytes);
            }
        }
    }
    found
}

/// The files that hold one of these texts, as it is, in lower case or as JSON in ASCII has it.
pub fn holding(folder: &Path, texts: &BTreeSet<String>) -> Vec<String> {
    let escaped = |text: &str| -> String {
        let units = text.encode_utf16().map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        });
        units.collect()
    };
    let mut found = Vec::new();
    for (path, bytes) in files(folder) {
        if path.extension().is_some_and(|ending| ending == "toml") {
            continue;
        }
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        let lower = whole.to_lowercase();
        for text in texts {
            if whole.contains(text.as_str())
                || lower.contains(&text.to_lowercase())
                || whole.contains(&escaped(text))
            {
                found.push(format!("{}: {text}", path.display()));
            }
        }
    }
    found
}

/// All texts that were made of a talk and of no other, and its own sentences.
pub fn texts_of(project: &Project, path: &str, talk: &[&str]) -> BTreeSet<String> {
    let seminar = id_of(project, path);
    let mut texts: BTreeSet<String> = talk.iter().map(|text| (*text).to_owned()).collect();
    texts.extend(column(
        project,
        "SELECT text FROM inspiration WHERE seminar = ?1",
        &seminar,
    ));
    let gone = tasks_on(project, &seminar);
    for task in &gone {
        texts.extend(column(project, "SELECT text FROM task WHERE id = ?1", task));
    }
    // The fake model may say the same in two translations.
    for task in column(project, "SELECT id FROM task WHERE id <> ?1", "") {
        if !gone.contains(&task) {
            for text in column(project, "SELECT text FROM task WHERE id = ?1", &task) {
                texts.remove(&text);
            }
        }
    }
    texts
}

fn column(project: &Project, sql: &str, value: &str) -> BTreeSet<String> {
    let database = project.database();
    let mut statement = database.prepare(sql).expect("SQL");
    let rows = statement
        .query_map([value], |row| row.get(0))
        .expect("rows");
    rows.map(|row| row.expect("a text")).collect()
}

pub fn id_of(project: &Project, path: &str) -> String {
    let listed = project.json(&["seminars", "list"]);
    let seminars = listed["seminars"].as_array().expect("a list");
    let found = seminars.iter().find(|of| of["paths"][0] == path);
    found.expect("it is listed")["id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

/// The tasks that rest on a talk, with their translations.
pub fn tasks_on(project: &Project, seminar: &str) -> BTreeSet<String> {
    let sql = "SELECT task FROM task_source s JOIN inspiration i ON i.id = s.inspiration WHERE i.seminar = ?1
        UNION SELECT id FROM task WHERE seminar = ?1";
    let translations = "SELECT id FROM task WHERE payload ->> '$.translation_of' = ?1";
    let mut tasks = column(project, sql, seminar);
    for task in tasks.clone() {
        tasks.extend(column(project, translations, &task));
    }
    tasks
}

/// Id and rating of the listed tasks but these, best first.
pub fn ranking(project: &Project, without: &BTreeSet<String>) -> Vec<(String, String)> {
    let listed = project.json(&["tasks", "list"]);
    let rows = listed.as_array().expect("a list").iter().map(|task| {
        let id = task["id"].as_str().expect("an id").to_owned();
        (id, json!([task["elo"], task["estimate"]]).to_string())
    });
    rows.filter(|(id, _)| !without.contains(id)).collect()
}

/// Plants words of the talk wherever the database can hold them, and in files.
pub fn plant(project: &Project, seminar: &str) {
    let task = tasks_on(project, seminar)
        .into_iter()
        .next()
        .expect("a task");
    let report = json!({ "task": task, "agent": "writer", "text": format!("# Floods\n\n{CANARY} It is so [1](http://127.0.0.1:9/x).") });
    write(project, "writer.jsonl", &report.to_string());
    let file = project.path("writer.jsonl");
    project.ok(&["reports", "import", file.to_str().expect("a path")]);
    for sql in [
        format!("INSERT INTO key_point (id, task, source, text, spans, verified, run) VALUES ('k_1', '{task}', 'x', '{CANARY}', '[]', 1, 1)"),
        format!("INSERT INTO reference_set (id, task, name, version, members, run) VALUES ('z_1', '{task}', 'own', 1, '[\"k_1\"]', 1)"),
        format!("INSERT INTO checklist (id, task, version, members, run) VALUES ('z_2', '{task}', 1, json_array(json_object('title', 'x', 'description', '{CANARY}', 'weight', 1.0)), 1)"),
        format!("INSERT INTO statement (id, source, text, extractor, version, run) SELECT 'x_1', id, '{CANARY}', 'reader', '1', 1 FROM document WHERE task = '{task}'"),
        format!("INSERT INTO citation (document, seq, url, statement, extractor, version, run) SELECT id, 900, 'http://127.0.0.1:9/x', 'x_1', 'reader', '1', 1 FROM document WHERE task = '{task}'"),
        format!("INSERT INTO content (sha256, bytes, compression, size) VALUES ('c0', '{CANARY}', 'none', 1)").replace(&format!("'{CANARY}'"), &format!("CAST('{CANARY}' AS BLOB)")),
        "INSERT INTO page_visit (id, url, fetched, fetcher, content, run) VALUES ('w_1', 'http://127.0.0.1:9/x', '2026', 'own', 'c0', 1)".to_owned(),
        format!("INSERT INTO extract (content, extractor, version, text) VALUES ('c0', 'x', '1', '{CANARY}')"),
        "INSERT OR IGNORE INTO instrument (id, family, criterion, version, scale, decided_by) VALUES ('t/1', 't', 't', '1', 's', 'code')".to_owned(),
        "INSERT OR IGNORE INTO judge (id, kind, payload) VALUES ('judge-1', 'code', '{\"name\":\"x\"}')".to_owned(),
        format!("INSERT INTO judgement (id, instrument, subject, other, judge, state, value, payload, run) SELECT 'm_1', 't/1', id, 'k_1', 'judge-1', 'scored', 1, json_object('reason', '{CANARY}'), 1 FROM document WHERE task = '{task}'"),
        format!("INSERT INTO rejection (stage, seminar, seq, rule, detail, run) SELECT 'weave across', seminar, 900, 'alike', '{CANARY}', 1 FROM seminar_path WHERE path = 'heliu.wav'"),
        format!("UPDATE run SET command = 'taskgen weave --seminar rivers.wav' WHERE id = 1 AND '{task}' <> ''"),
    ] {
        project.sql(&sql);
    }
    let quoted = CANARY.replace("that", "&#116;hat");
    write(
        project,
        "transcripts/rivers.wav.srt",
        "1\n00:00:04,000 --> 00:00:08,000\nx\n",
    );
    write(project, "transcripts/rivers.wav.journal", "{}\n");
    write(
        project,
        "notes/copy.html",
        &format!("<p>He said: <q>{quoted}</q></p>"),
    );
    write(
        project,
        "notes/twice.json",
        &json!({ "of": json!({ "text": TALK_ZH[0], "en": CANARY }).to_string() }).to_string(),
    );
    write(
        project,
        "notes/harmless.txt",
        "Nobody has a sensor that survives. The open problem is another.",
    );
    write(
        project,
        "tasks/logs/2020-01-01T00-00-00.000Z.log",
        &format!("asked: {CANARY}\n"),
    );
    write(project, "tasks/vectors.bin", "taskgen-vectors1 and so on");
    let backup = project.path("tasks/taskgen.schema-3.db");
    project
        .database()
        .execute("VACUUM INTO ?1", [backup.to_str().expect("a path")])
        .expect("a copy");
}

/// Copies a folder, links as links.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_symlink() {
            symlink(std::fs::read_link(entry.path()).expect("a link"), target).expect("writable");
        } else {
            std::fs::copy(entry.path(), target).expect("writable");
        }
    }
}

/// What a project holds in the end, without what is drawn or timed.
pub fn state(project: &Project) -> Value {
    let database = project.database();
    let mut counts = BTreeMap::new();
    let mut tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('run', 'event', 'secret')")
        .expect("SQL");
    let names = tables
        .query_map([], |row| row.get::<_, String>(0))
        .expect("rows");
    for name in names.map(|name| name.expect("a name")) {
        let sql = format!("SELECT count(*) FROM \"{name}\"");
        counts.insert(name, project.count(&sql));
    }
    let names: Vec<String> = files(project.folder.path())
        .into_keys()
        .filter(|path| path.extension().is_none_or(|ending| ending != "log"))
        .map(|path| {
            let inside = path.strip_prefix(project.folder.path());
            inside.expect("inside").to_string_lossy().into_owned()
        })
        .filter(|name| !name.starts_with("tasks/taskgen."))
        .collect();
    json!({
        "counts": counts, "files": names, "tasks": project.json(&["tasks", "list"]),
        "sets": project.json(&["tasks", "sets"]),
        "finished": project.json(&["seminars", "list"])["forgotten"][0]["finished"],
    })
}
