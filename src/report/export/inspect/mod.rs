//! A set for Inspect AI: a Python package with its task, and our own scores as an eval log.

mod log;
mod package;

pub use log::{LogOptions, eval_log};
pub use package::task_package;

use serde_json::{Map, Value};

use crate::data::{SetRecord, TaskRecord, id::sha256_hex, record::Provenance};

/// What a sample says beside its question: its set with the canary, its language, its facets, and
/// what a report must deliver, where its file says so.
fn metadata(set: &SetRecord, task: &TaskRecord) -> Map<String, Value> {
    let mut facets = Map::new();
    for (name, value) in task.facets.iter().flatten() {
        facets.insert(name.clone(), value.as_str().into());
    }
    let own = [
        ("phase", &task.phase),
        ("task_type", &task.task_type),
        ("difficulty", &task.difficulty),
        ("discipline", &task.discipline),
    ];
    for (name, value) in own {
        if let Some(value) = value {
            facets.insert(name.to_owned(), value.as_str().into());
        }
    }
    let mut metadata = Map::new();
    let mut put = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
    put("set", set.label().into());
    put("canary", set.canary.as_str().into());
    put("language", task.language.as_str().into());
    put("facets", facets.into());
    if let Some(as_of) = &task.as_of {
        put("as_of", as_of.as_str().into());
    }
    if let Provenance::Imported { imported } = &task.provenance
        && !imported.checklist.is_empty()
    {
        put("checklist", imported.checklist.clone().into());
    }
    metadata
}

/// The set's name as a Python name: small ASCII letters, digits and underscores. A hash tells names
/// apart that would look the same.
fn slug(set: &SetRecord) -> String {
    let words: Vec<&str> = set
        .name
        .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .collect();
    let mut name = words.join("_");
    if name != set.name {
        let hash = sha256_hex(set.name.as_bytes());
        name = format!("{name}_{}", &hash[..8]);
    }
    format!("taskset_{}_v{}", name.trim_matches('_'), set.version)
}
