//! `taskgen tasks diff`: what differs between two sets, or two versions of one.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::{
    cli::{
        args::Global,
        commands::sets,
        project::Project,
        ui::{
            exit,
            output::{Printer, count},
        },
    },
    data::TaskRecord,
    store::{FrozenSet, Store},
    text::words::one_line,
};

/// Characters of a task that are shown.
const SHOWN: usize = 100;

#[derive(Serialize)]
struct Difference {
    earlier: String,
    later: String,
    /// In both, word for word.
    same: usize,
    added: Vec<Named>,
    removed: Vec<Named>,
    /// Tasks that a person changed.
    edited: Vec<Edit>,
    /// The same tasks with other facts about them.
    changed: Vec<Changed>,
    /// Tasks of the later one whose text is gone.
    withdrawn: Vec<String>,
}

#[derive(Serialize)]
struct Named {
    id: String,
    task: String,
}

#[derive(Serialize)]
struct Edit {
    from: String,
    to: String,
    by: String,
    task: String,
}

#[derive(Serialize)]
struct Changed {
    id: String,
    fields: Vec<String>,
}

/// Runs the command.
pub fn run(global: &Global, earlier: &str, later: &str, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    let (earlier, later) = (
        sets::frozen(&store, Some(earlier))?,
        sets::frozen(&store, Some(later))?,
    );
    printer.show(&difference(&store, &earlier, &later)?, text)?;
    Ok(exit::DONE)
}

/// A member of a set: its record, or none where it was withdrawn.
type Members = BTreeMap<String, Option<TaskRecord>>;

fn members(set: &FrozenSet) -> Result<Members> {
    let tasks = set.record()?.tasks.into_iter();
    Ok(tasks
        .map(|member| (member.id.as_str().to_owned(), member.record))
        .collect())
}

fn difference(store: &Store, earlier: &FrozenSet, later: &FrozenSet) -> Result<Difference> {
    let (before, after) = (members(earlier)?, members(later)?);
    let mut difference = Difference {
        earlier: earlier.label(),
        later: later.label(),
        same: 0,
        added: Vec::new(),
        removed: Vec::new(),
        edited: Vec::new(),
        changed: Vec::new(),
        withdrawn: Vec::new(),
    };
    for (id, record) in &after {
        match (before.get(id), record) {
            (_, None) => difference.withdrawn.push(id.clone()),
            (None, Some(record)) => difference.add(store, &before, record)?,
            (Some(was), Some(record)) => difference.compare(was.as_ref(), record)?,
        }
    }
    let replaced: Vec<&str> = difference
        .edited
        .iter()
        .map(|of| of.from.as_str())
        .collect();
    let removed = before
        .iter()
        .filter(|(id, _)| !after.contains_key(*id) && !replaced.contains(&id.as_str()));
    difference.removed = removed
        .map(|(id, record)| named(id, record.as_ref()))
        .collect();
    Ok(difference)
}

fn named(id: &str, record: Option<&TaskRecord>) -> Named {
    Named {
        id: id.to_owned(),
        task: record.map_or_else(|| "(withdrawn)".to_owned(), |record| record.text.clone()),
    }
}

impl Difference {
    fn add(&mut self, store: &Store, before: &Members, record: &TaskRecord) -> Result<()> {
        let mut edited = record.edited.clone();
        // It may have been changed several times in between.
        while let Some(of) = &edited
            && !before.contains_key(of.task.as_str())
        {
            edited = store.task(&of.task)?.and_then(|task| task.edited);
        }
        match (edited, &record.edited) {
            (Some(first), Some(last)) => self.edited.push(Edit {
                from: first.task.as_str().to_owned(),
                to: record.id.as_str().to_owned(),
                by: last.by.clone(),
                task: record.text.clone(),
            }),
            _ => self.added.push(named(record.id.as_str(), Some(record))),
        }
        Ok(())
    }

    fn compare(&mut self, was: Option<&TaskRecord>, is: &TaskRecord) -> Result<()> {
        let fields = match was {
            Some(was) => differing(&serde_json::to_value(was)?, &serde_json::to_value(is)?),
            None => vec!["task".to_owned()],
        };
        if fields.is_empty() {
            self.same += 1;
        } else {
            let id = is.id.as_str().to_owned();
            self.changed.push(Changed { id, fields });
        }
        Ok(())
    }
}

/// Names of the fields that two objects differ in.
fn differing(was: &Value, is: &Value) -> Vec<String> {
    let names = [was, is].into_iter().filter_map(Value::as_object);
    let mut names: Vec<&String> = names.flat_map(serde_json::Map::keys).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|name| was.get(*name) != is.get(*name))
        .cloned()
        .collect()
}

fn text(of: &Difference) -> String {
    let mut out = format!(
        "{} → {}: {} the same, {} added, {} removed, {} edited, {} changed, {} withdrawn",
        of.earlier,
        of.later,
        count(of.same as u64, "task"),
        of.added.len(),
        of.removed.len(),
        of.edited.len(),
        of.changed.len(),
        of.withdrawn.len()
    );
    for of in &of.added {
        out.push_str(&format!("\n+ {}  {}", of.id, shortened(&of.task)));
    }
    for of in &of.removed {
        out.push_str(&format!("\n- {}  {}", of.id, shortened(&of.task)));
    }
    for of in &of.edited {
        out.push_str(&format!(
            "\n~ {} → {} by {}  {}",
            of.from,
            of.to,
            one_line(&of.by),
            shortened(&of.task)
        ));
    }
    for of in &of.changed {
        out.push_str(&format!("\n~ {}  {}", of.id, of.fields.join(", ")));
    }
    for id in &of.withdrawn {
        out.push_str(&format!("\nx {id}  (withdrawn)"));
    }
    out
}

fn shortened(task: &str) -> String {
    let line = one_line(task);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
