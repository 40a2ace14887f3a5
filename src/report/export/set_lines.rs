//! The lines of a set's export: each task's own line, with the set and its canary in front.

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    data::{SetRecord, TaskId, record::WithdrawnLine},
    report::export::records,
    store::{FrozenMember, FrozenSet},
    text::invisible::escaped_in_json,
};

/// What stands beside the lines of a set: no clock, and nothing that could have changed since.
#[derive(Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SetMeta {
    /// Version of the lines' shape.
    pub schema_version: u32,
    /// The set's name.
    pub set: String,
    /// Its version, from 1.
    pub version: u32,
    /// Its canary.
    pub canary: String,
    /// SHA-256 over its lines as they were frozen, without set and canary.
    pub sha256: Option<String>,
    /// How many lines were exported.
    pub lines: usize,
}

/// The lines in order. They are put together from what was frozen, so that they are the same bytes
/// whatever later versions of this program write.
pub fn lines(set: &FrozenSet) -> Result<Vec<String>> {
    set.members.iter().map(|of| line(set, of)).collect()
}

/// The same of a set that was read already.
pub fn of_record(set: &SetRecord) -> Result<Vec<String>> {
    let label = set.label();
    let lines = set.tasks.iter().map(|member| {
        let own = member.record.as_ref().map(records::line).transpose()?;
        let own = own.map(|line| line.json);
        joined(&label, &set.canary, &member.id, own.as_deref())
    });
    lines.collect()
}

fn line(set: &FrozenSet, member: &FrozenMember) -> Result<String> {
    joined(
        &set.label(),
        &set.canary,
        &member.task,
        member.line.as_deref(),
    )
}

fn joined(set: &str, canary: &str, task: &TaskId, own: Option<&str>) -> Result<String> {
    let head = WithdrawnLine {
        set: set.to_owned(),
        canary: canary.to_owned(),
        id: task.clone(),
        withdrawn: true,
    };
    let withdrawn = escaped_in_json(&serde_json::to_string(&head)?);
    let Some(line) = own else {
        return Ok(withdrawn);
    };
    // Both begin with the set and its canary.
    let (shared, _) = withdrawn
        .split_once("\"id\":")
        .context("a line has an id")?;
    let own = line.strip_prefix('{').context("a line is an object")?;
    Ok(format!("{shared}{own}"))
}

/// How many members the first `top` tasks are: translations follow their tasks, and count with
/// them.
pub fn end_of(set: &SetRecord, top: usize) -> usize {
    let mut tasks = 0;
    for (at, member) in set.tasks.iter().enumerate() {
        let translation = member
            .record
            .as_ref()
            .is_some_and(|record| record.translation_of.is_some());
        tasks += usize::from(!translation);
        if tasks > top {
            return at;
        }
    }
    set.tasks.len()
}
