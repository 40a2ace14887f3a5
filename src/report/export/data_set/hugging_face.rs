//! A set as a folder that the Hugging Face hub and its `datasets` library read: the tasks as JSON
//! lines and as Parquet, and the card.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    card::{self, Card, Sources},
    columns::{self, Column, JSONL, Kind},
    licences::{self, Known},
    parquet, quoted, readme,
};
use crate::{
    data::{SetRecord, primary_language},
    report::export::ExportFile,
};

const PARQUET: &str = "data/tasks.parquet";
/// The most letters of a language code on the hub.
const LETTERS_OF_LANGUAGE: std::ops::RangeInclusive<usize> = 2..=3;

/// The folder's files. Both data files have the same rows and columns. Tasks that were withdrawn
/// are in neither; the card counts them.
pub fn files(set: &SetRecord, about: &Card) -> Result<Vec<ExportFile>> {
    let columns = columns::all()?;
    let rows = columns::rows(set, &columns)?;
    let sources = Sources::of(set);
    let metadata = quoted::yaml(&metadata(set, about, &sources, &columns));
    let text = readme::text(set, about, &sources, &columns);
    Ok(vec![
        ExportFile::text("README.md", format!("---\n{metadata}---\n\n{text}")),
        ExportFile::text(JSONL, columns::json_lines(&rows)),
        ExportFile {
            path: PARQUET.into(),
            bytes: parquet::file(&columns, &rows)?,
        },
    ])
}

/// The card's fields that programs read.
fn metadata(set: &SetRecord, about: &Card, sources: &Sources, columns: &[Column]) -> Value {
    let mut metadata = json!({
        "pretty_name": format!("{}, version {}", set.name, set.version),
        "language": languages(set),
    });
    let licences = card::licences(about, sources);
    if let (Some(fields), Value::Object(licence)) = (metadata.as_object_mut(), licence(&licences)) {
        fields.extend(licence);
    }
    metadata["size_categories"] = json!([size(set.records().count())]);
    metadata["tags"] = json!(["benchmark", "deep-research", "research-agents", "taskgen"]);
    // One format: the library reads all configurations of a folder in the format of the first.
    // Types are written in Parquet; in JSON lines a reader has to guess them. A benchmark has
    // nothing to train on, so that its one split is the test.
    metadata["configs"] = json!([{
        "config_name": "default",
        "data_files": [{ "split": "test", "path": PARQUET }],
    }]);
    metadata["dataset_info"] = json!({ "features": features(columns) });
    metadata
}

fn languages(set: &SetRecord) -> Vec<String> {
    let is_code = |code: &&str| {
        LETTERS_OF_LANGUAGE.contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase())
    };
    let mut languages: Vec<String> = set
        .records()
        .map(|record| primary_language(&record.language))
        .filter(is_code)
        .map(str::to_owned)
        .collect();
    languages.sort();
    languages.dedup();
    languages
}

/// The hub knows one licence by its identifier; anything else is `other`, with a name.
fn licence(names: &[String]) -> Value {
    match names {
        [name] if name == card::UNKNOWN => json!({ "license": card::UNKNOWN }),
        [name] => match licences::known(name) {
            Some(Known { hub, .. }) => json!({ "license": hub }),
            None => other(name),
        },
        names => other(&names.join(", ")),
    }
}

fn other(name: &str) -> Value {
    json!({ "license": "other", "license_name": quoted::one_line(name) })
}

fn size(tasks: usize) -> &'static str {
    match tasks {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        _ => "n>1M",
    }
}

fn features(columns: &[Column]) -> Vec<Value> {
    let feature = |column: &Column| {
        let mut feature = json!({ "name": column.name });
        let (key, value) = match &column.kind {
            Kind::Fields(columns) => ("struct", features(columns).into()),
            Kind::List(kind) => ("list", item(kind)),
            plain => ("dtype", dtype(plain).into()),
        };
        feature[key] = value;
        feature
    };
    columns.iter().map(feature).collect()
}

fn item(kind: &Kind) -> Value {
    match kind {
        Kind::Fields(columns) => features(columns).into(),
        Kind::List(kind) => json!({ "list": item(kind) }),
        plain => dtype(plain).into(),
    }
}

fn dtype(kind: &Kind) -> &'static str {
    match kind {
        Kind::Day => "date32",
        Kind::Integer => "int64",
        Kind::Number => "float64",
        Kind::Flag => "bool",
        _ => "string",
    }
}
