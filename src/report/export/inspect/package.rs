//! The Python package of a set. Its code is the same for all sets and reads what differs from the
//! files beside it, so that no word of a task or of a set's name becomes code.

use anyhow::Result;
use serde_json::json;

use super::{metadata, slug};
use crate::{
    data::SetRecord,
    report::export::{
        ExportFile,
        lines::{json, jsonl},
    },
};

/// A folder `taskset_…` that `inspect eval` runs as it is, and that pip installs. Withdrawn tasks
/// are left out.
pub fn task_package(set: &SetRecord) -> Result<Vec<ExportFile>> {
    let name = slug(set);
    let samples = set.records().map(|task| {
        json!({
            "id": task.id,
            "input": task.text,
            "target": "",
            "metadata": metadata(set, task),
        })
    });
    let about = json!({
        "set": set.label(),
        "version": set.version,
        "canary": set.canary,
        "sha256": set.sha256,
        "tasks": set.records().count(),
        "withdrawn": set.tasks.len() - set.records().count(),
    });
    let file = |path: &str, text: String| ExportFile::text(format!("{name}/{path}"), text);
    let module = |path: &str, text: String| file(&format!("{name}/{path}"), text);
    Ok(vec![
        file(
            "pyproject.toml",
            filled(include_str!("pyproject.toml.in"), &name, set.version),
        ),
        file(
            "README.md",
            filled(include_str!("readme.md.in"), &name, set.version),
        ),
        module("__init__.py", include_str!("init.py.in").to_owned()),
        module("research.py", include_str!("research.py.in").to_owned()),
        module("rubric.txt", include_str!("rubric.txt").to_owned()),
        module("samples.jsonl", jsonl(samples)?),
        module("set.json", json(&about)?),
    ])
}

/// The name is of ASCII letters, digits and underscores.
fn filled(template: &str, name: &str, version: u32) -> String {
    template
        .replace("@NAME@", name)
        .replace("@VERSION@", &version.to_string())
}
