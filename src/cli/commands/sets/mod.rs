//! Named sets of tasks: which one a command means, and its tasks as they were frozen.

pub mod commit;
pub mod diff;

use anyhow::Result;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, table},
        },
    },
    data::{Task, id::sha256_hex},
    evaluate::file_names::as_name,
    store::{FrozenSet, SetInfo, Store},
};

/// Runs `tasks sets`.
pub fn list(global: &Global, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    printer.show(&store.sets()?, |sets| text_of(sets))?;
    Ok(exit::DONE)
}

fn text_of(sets: &[SetInfo]) -> String {
    if sets.is_empty() {
        return "no sets yet\nhint: `taskgen tasks select --name NAME`, or `taskgen tasks import FILE`".to_owned();
    }
    let mut rows = table(&["set", "tasks", "withdrawn", "sha256", ""]);
    for set in sets {
        let hash = set
            .sha256
            .as_deref()
            .map_or("not frozen", |hash| &hash[..16]);
        rows.add_row([
            format!("{}@{}", set.name, set.version).as_str(),
            set.tasks.to_string().as_str(),
            set.withdrawn.to_string().as_str(),
            hash,
            if set.newest {
                "where no --set is given"
            } else {
                ""
            },
        ]);
    }
    rows.trim_fmt()
}

/// The set that `NAME` or `NAME@VERSION` means; the newest one if none is named. None where there
/// is no set at all.
pub fn found(store: &Store, name: Option<&str>) -> Result<Option<FrozenSet>> {
    let Some(asked) = name else {
        return store.frozen_set(None, None);
    };
    let (name, version) = parsed(asked);
    if let Some(set) = store.frozen_set(Some(name), version)? {
        return Ok(Some(set));
    }
    let known: Vec<String> = store
        .sets()?
        .iter()
        .map(|set| format!("`{}@{}`", set.name, set.version))
        .collect();
    let hint = if known.is_empty() {
        "`taskgen tasks select --name NAME` or `taskgen tasks import FILE --set NAME` makes one"
            .to_owned()
    } else {
        format!("there are {}", known.join(", "))
    };
    Err(Usage(format!("no such set of tasks: `{asked}`\nhint: {hint}")).into())
}

/// A set that must be there and be frozen; the newest one if none is named.
pub fn frozen(store: &Store, name: Option<&str>) -> Result<FrozenSet> {
    let set = found(store, name)?.ok_or_else(|| {
        let hint = "`taskgen tasks select`, or `taskgen tasks import FILE`";
        Usage(format!("there is no set of tasks to export\nhint: {hint}"))
    })?;
    if set.sha256.is_some() {
        return Ok(set);
    }
    Err(Usage(format!(
        "the set `{}` is from before sets were frozen\nhint: `taskgen tasks select --name NAME` freezes one; a set that was imported, by importing its file again",
        name.map_or_else(|| set.label(), str::to_owned)
    ))
    .into())
}

/// A file's name for a version of a set; sets whose names look the same as files have different ones.
pub fn file_name(set: &FrozenSet) -> String {
    let label = set.label();
    let name = as_name(&label);
    if name == label {
        name
    } else {
        format!("{name}-{}", &sha256_hex(label.as_bytes())[..8])
    }
}

/// `NAME@VERSION` in its parts; a name alone means the newest version.
fn parsed(asked: &str) -> (&str, Option<u32>) {
    match asked.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => match version.parse() {
            Ok(version) => (name, Some(version)),
            Err(_) => (asked, None),
        },
        _ => (asked, None),
    }
}

/// Refuses a name that no set can have.
pub fn check_name(name: &str, flag: &str) -> Result<(), Usage> {
    if name.trim().is_empty() {
        return Err(Usage(format!("the set needs a name\nhint: {flag} NAME")));
    }
    if name.trim() != name || name.contains(char::is_control) {
        return Err(Usage(format!(
            "the name of a set is one line without blanks around it: `{}`\nhint: {flag} NAME",
            name.escape_debug()
        )));
    }
    if name.contains('@') {
        return Err(Usage(format!(
            "the name of a set has no `@`: `{name}`\nhint: versions are counted by themselves, and `NAME@2` means the second"
        )));
    }
    Ok(())
}

/// The tasks of a set, as they were frozen; of the newest one if none is named, or all current
/// tasks if there is no set.
pub fn tasks(store: &Store, name: Option<&str>) -> Result<Vec<Task>> {
    Ok(chosen(store, name)?.1)
}

/// The same, with the set if there is one.
pub fn chosen(store: &Store, name: Option<&str>) -> Result<(Option<FrozenSet>, Vec<Task>)> {
    let set = found(store, name)?;
    let tasks = match &set {
        Some(set) => store.tasks_of(set)?,
        None => store.tasks()?,
    };
    if !tasks.is_empty() {
        return Ok((set, tasks));
    }
    let message = match set {
        Some(set) => format!(
            "the set `{}` has no task any more: all were withdrawn\nhint: --set NAME names another one",
            set.label()
        ),
        None => "no tasks yet\nhint: `taskgen run`, or `taskgen tasks import FILE`".to_owned(),
    };
    Err(Usage(message).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_stands_behind_the_last_at_sign() {
        assert_eq!(parsed("mine"), ("mine", None));
        assert_eq!(parsed("mine@2"), ("mine", Some(2)));
        assert_eq!(parsed("mine@two"), ("mine@two", None));
        assert_eq!(parsed("@2"), ("@2", None));
        assert_eq!(parsed("a@b@3"), ("a@b", Some(3)));
    }
}
