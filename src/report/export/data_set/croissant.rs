//! Croissant 1.1: what programs must know to load the tasks, as JSON-LD. Hides the vocabulary.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    card::{self, Card, Sources},
    columns::{self, Column, JSONL, Kind},
    licences::{self, Known},
    readme,
};
use crate::{data::SetRecord, report::export::ExportFile};

/// The description, and the file that it describes: the same JSON lines as in the folder for the
/// Hugging Face hub, so that both fit into one folder.
pub fn files(set: &SetRecord, about: &Card) -> Result<Vec<ExportFile>> {
    let (lines, hash) = columns::jsonl(set)?;
    let described = described(set, about, lines.len(), &hash)?;
    Ok(vec![
        ExportFile::text("croissant.json", format!("{described:#}\n")),
        ExportFile::text(JSONL, lines),
    ])
}

fn described(set: &SetRecord, about: &Card, bytes: usize, hash: &str) -> Result<Value> {
    let sources = Sources::of(set);
    let licences = card::licences(about, &sources);
    let licence = |name: &String| licences::known(name).map_or(name.clone(), Known::address);
    let mut described = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": set.name,
        "description": format!("{} Canary: {}", card::sentence(set), set.canary),
        "version": format!("{}.0.0", set.version),
        "datePublished": about.day,
        "license": licences.iter().map(licence).collect::<Vec<_>>(),
        "citeAs": readme::cite_as(set, about),
        "keywords": ["benchmark", "deep research", "research agents"],
        "inLanguage": languages(set),
        "identifier": format!("{} sha256:{}", set.label(), set.sha256),
    });
    if let Some(address) = &about.address {
        described["url"] = json!(address);
    }
    if let Some(publisher) = &about.publisher {
        // Whether it is a person or a group nobody said; a group may be one person.
        let publisher = json!({ "@type": "sc:Organization", "name": publisher });
        described["creator"] = publisher.clone();
        described["publisher"] = publisher;
    }
    described["distribution"] = json!([{
        "@type": "cr:FileObject",
        "@id": "tasks-jsonl",
        "name": "tasks-jsonl",
        "description": "One task a line.",
        "contentUrl": JSONL,
        "contentSize": format!("{bytes} B"),
        "encodingFormat": "application/jsonlines",
        "sha256": hash,
    }]);
    described["recordSet"] = json!([{
        "@type": "cr:RecordSet",
        "@id": "tasks",
        "name": "tasks",
        "description": "The tasks that were not withdrawn, in the set's order.",
        "key": { "@id": "tasks/id" },
        "field": fields("tasks", &[], &columns::all()?),
    }]);
    Ok(described)
}

fn languages(set: &SetRecord) -> Vec<&str> {
    let mut languages: Vec<&str> = set.records().map(|r| r.language.as_str()).collect();
    languages.sort_unstable();
    languages.dedup();
    languages
}

/// The fields below a column, or of a record where `path` is empty.
fn fields(of: &str, path: &[&str], columns: &[Column]) -> Vec<Value> {
    let field = |column: &Column| field(&format!("{of}/{}", column.name), path, column);
    columns.iter().map(field).collect()
}

fn field(id: &str, path: &[&str], column: &Column) -> Value {
    let path = [path, &[&column.name]].concat();
    let mut described = json!({
        "@type": "cr:Field",
        "@id": id,
        "name": column.name,
        "description": column.about,
    });
    let kind = if let Kind::List(kind) = &column.kind {
        described["isArray"] = json!(true);
        described["arrayShape"] = json!("-1");
        kind
    } else {
        &column.kind
    };
    if let Kind::Fields(inner) = kind {
        described["subField"] = json!(fields(id, &path, inner));
    } else {
        described["dataType"] = json!(data_type(kind));
        described["source"] = source(&path);
    }
    described
}

/// A column of the file, or what a path leads to in it.
fn source(path: &[&str]) -> Value {
    let mut source = json!({ "fileObject": { "@id": "tasks-jsonl" } });
    if let Some((column, inside)) = path.split_first() {
        source["extract"] = json!({ "column": column });
        if !inside.is_empty() {
            source["transform"] = json!({ "jsonPath": inside.join(".") });
        }
    }
    source
}

fn data_type(kind: &Kind) -> &'static str {
    match kind {
        Kind::Day => "sc:Date",
        Kind::Integer => "cr:Int64",
        Kind::Number => "cr:Float64",
        Kind::Flag => "sc:Boolean",
        _ => "sc:Text",
    }
}

/// The vocabulary of version 1.1. Readers compare it word for word with their own.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "arrayShape": "cr:arrayShape",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "containedIn": "cr:containedIn",
        "cr": "http://mlcommons.org/croissant/",
        "data": { "@id": "cr:data", "@type": "@json" },
        "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "dct": "http://purl.org/dc/terms/",
        "description": { "@container": "@language" },
        "equivalentProperty": "cr:equivalentProperty",
        "examples": { "@id": "cr:examples", "@type": "@json" },
        "extract": "cr:extract",
        "field": "cr:field",
        "fileObject": "cr:fileObject",
        "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isArray": "cr:isArray",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "name": { "@container": "@language" },
        "parentField": "cr:parentField",
        "path": "cr:path",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform"
    })
}
