//! The lines of a set's export: each task's own line, with the set and its canary in front.

use anyhow::{Context as _, Result};

use crate::{
    data::{SetRecord, record::WithdrawnLine},
    store::{FrozenMember, FrozenSet},
    text::invisible::escaped_in_json,
};

/// The lines in order. They are put together from what was frozen, so that they are the same bytes
/// whatever later versions of this program write.
pub fn lines(set: &FrozenSet) -> Result<Vec<String>> {
    set.members.iter().map(|of| line(set, of)).collect()
}

fn line(set: &FrozenSet, member: &FrozenMember) -> Result<String> {
    let head = WithdrawnLine {
        set: set.label(),
        canary: set.canary.clone(),
        id: member.task.clone(),
        withdrawn: true,
    };
    let withdrawn = escaped_in_json(&serde_json::to_string(&head)?);
    let Some(line) = &member.line else {
        return Ok(withdrawn);
    };
    // Both begin with the set and its canary.
    let (shared, _) = withdrawn
        .split_once("\"id\":")
        .context("a line has an id")?;
    let own = line.strip_prefix('{').context("a line is an object")?;
    Ok(format!("{shared}{own}"))
}

/// How many members the first `top` tasks are: translations follow their tasks, and count with them.
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
