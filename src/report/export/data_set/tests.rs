//! The exports of one set, seen as files.

use std::{collections::BTreeSet, io::Write as _, path::Path};

use ::parquet::{
    file::{reader::FileReader as _, serialized_reader::SerializedFileReader},
    record::RowAccessor as _,
};
use serde_json::Value;

use super::{croissant, hugging_face, lineage, samples};
use crate::{
    data::{id::sha256_hex, record::TaskLine},
    report::export::ExportFile,
};

fn bytes<'a>(files: &'a [ExportFile], path: &str) -> &'a [u8] {
    let file = files.iter().find(|file| file.path == Path::new(path));
    &file.expect("a file").bytes
}

fn text<'a>(files: &'a [ExportFile], path: &str) -> &'a str {
    std::str::from_utf8(bytes(files, path)).expect("UTF-8")
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn rows_say_what_the_tasks_say() {
    let set = samples::set();
    let files = hugging_face::files(&set, &samples::card()).unwrap();
    let rows = text(&files, "data/tasks.jsonl").lines();
    let rows: Vec<Value> = rows.map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(rows.len(), 12);
    let names = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for (row, record) in rows.iter().zip(set.records()) {
        assert_eq!(names(row), names(&rows[0]));
        let mut line = row.clone();
        for name in ["facets", "provenance"] {
            if let Some(json) = row[name].as_str() {
                line[name] = serde_json::from_str(json).unwrap();
            }
        }
        let line: TaskLine = serde_json::from_value(line).unwrap();
        assert_eq!(&line.record, record);
        assert_eq!((line.set, line.canary), (set.label(), set.canary.clone()));
    }
}

#[test]
fn parquet_has_the_same_texts_and_hides_none() {
    let set = samples::set();
    let files = hugging_face::files(&set, &samples::card()).unwrap();
    let file = bytes(&files, "data/tasks.parquet");
    for record in set.records() {
        assert!(contains(file, record.text.as_bytes()), "{}", record.id);
    }
    assert!(contains(file, set.canary.as_bytes()));
    let mut opened = tempfile::tempfile().unwrap();
    opened.write_all(file).unwrap();
    let reader = SerializedFileReader::new(opened).unwrap();
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 12);
    for (row, record) in rows.iter().zip(set.records()) {
        let names: Vec<&String> = row.get_column_iter().map(|(name, _)| name).collect();
        let place = |name: &str| names.iter().position(|n| *n == name).unwrap();
        assert_eq!(row.get_string(place("task")).unwrap(), &record.text);
        let probes = row.get_list(place("probes")).unwrap();
        assert_eq!(probes.len(), record.probes.len());
        let ids = row.get_list(place("inspiration_ids")).unwrap();
        assert_eq!(ids.len(), record.inspiration_ids.len());
    }
}

#[test]
fn a_withdrawn_task_is_counted_and_its_id_alone_is_named() {
    let set = samples::set();
    let gone = set.tasks[4].id.as_str();
    let files = hugging_face::files(&set, &samples::card()).unwrap();
    let card = text(&files, "README.md");
    assert!(card.contains("Withdrawn: 1 of 13,"));
    assert!(card.contains(&gone.replace('_', "\\_")));
    assert!(!text(&files, "data/tasks.jsonl").contains(gone));
    assert!(!contains(
        bytes(&files, "data/tasks.parquet"),
        gone.as_bytes()
    ));
}

#[test]
fn a_strangers_licence_stays_one_value_of_the_card() {
    let files = hugging_face::files(&samples::set(), &samples::card()).unwrap();
    let card = text(&files, "README.md");
    let (front, body) = card[4..].split_once("\n---\n").unwrap();
    assert!(front.contains("license: \"other\"\n"));
    assert!(front.contains(
        r#"license_name: "CC BY 4.0, Ours: \"ask us\" | <b>#1</b> --- license: mit, unknown""#
    ));
    assert!(body.contains(
        "| other: bench | Ours: \"ask us\" \\| \\<b\\>\\#1\\</b\\> --- license: mit | 2 |"
    ));
    assert!(body.contains("| 2024-05-03 | CC BY 4.0 | "));

    let mut about = samples::card();
    about.licence = Some("CC-BY-4.0".to_owned());
    let files = hugging_face::files(&samples::set(), &about).unwrap();
    assert!(text(&files, "README.md").contains("\nlicense: \"cc-by-4.0\"\n"));
}

#[test]
fn croissant_knows_the_file_by_its_hash() {
    let (set, about) = (samples::set(), samples::card());
    let files = croissant::files(&set, &about).unwrap();
    let described: Value = serde_json::from_str(text(&files, "croissant.json")).unwrap();
    let rows = bytes(&files, "data/tasks.jsonl");
    assert_eq!(described["distribution"][0]["sha256"], sha256_hex(rows));
    let of_hub = hugging_face::files(&set, &about).unwrap();
    assert_eq!(rows, bytes(&of_hub, "data/tasks.jsonl"));
    let fields = described["recordSet"][0]["field"].as_array().unwrap();
    let first: Value =
        serde_json::from_str(text(&files, "data/tasks.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(fields.len(), first.as_object().unwrap().len());
}

#[test]
fn lineage_leads_from_a_score_to_the_recording() {
    let files = lineage::files(&samples::set(), &samples::reports(), &samples::card()).unwrap();
    let described: Value = serde_json::from_str(text(&files, "ro-crate-metadata.json")).unwrap();
    let graph = described["@graph"].as_array().unwrap();
    let ids: BTreeSet<&str> = graph.iter().map(|e| e["@id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), graph.len(), "an entity stands twice");
    let entity = |id: &str| graph.iter().find(|e| e["@id"] == id).unwrap();
    let score = graph.iter().find(|e| e["reviewAspect"] == "ace").unwrap();
    let mut way = vec![score["@type"].clone()];
    let mut here = score;
    while let Some(id) = based_on(here) {
        here = entity(id);
        way.push(
            here["name"]
                .as_str()
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .into(),
        );
    }
    let expected = [
        "Review",
        "report",
        "task",
        "inspiration",
        "0:00",
        "2024-05-03",
    ];
    assert_eq!(way, expected);
    for quote in ["nobody", "没有人知道"] {
        assert!(!text(&files, "ro-crate-metadata.json").contains(quote));
    }
}

fn based_on(entity: &Value) -> Option<&str> {
    let origin = &entity["isBasedOn"];
    let first = if origin.is_array() {
        &origin[0]
    } else {
        origin
    };
    first["@id"].as_str()
}

#[test]
fn a_set_without_tasks_is_still_a_folder() {
    let mut set = samples::set();
    for member in &mut set.tasks {
        member.record = None;
    }
    let files = hugging_face::files(&set, &samples::card()).unwrap();
    assert_eq!(bytes(&files, "data/tasks.jsonl"), b"");
    assert!(text(&files, "README.md").contains("Withdrawn: 13 of 13,"));
    assert!(croissant::files(&set, &samples::card()).is_ok());
}

#[test]
fn the_same_set_gives_the_same_bytes() {
    let all = || {
        let (set, about) = (samples::set(), samples::card());
        let mut files = hugging_face::files(&set, &about).unwrap();
        files.extend(croissant::files(&set, &about).unwrap());
        files.extend(lineage::files(&set, &samples::reports(), &about).unwrap());
        files
    };
    assert_eq!(all(), all());
}

#[test]
fn what_is_no_day_is_refused_by_its_name() {
    let mut set = samples::set();
    if let Some(record) = &mut set.tasks[0].record {
        record.as_of = Some("yesterday".to_owned());
    }
    let refused = hugging_face::files(&set, &samples::card()).unwrap_err();
    assert!(format!("{refused:#}").contains("`yesterday`"));
}
