//! Named sets of tasks: which one a command means, and its tasks as they were frozen.

pub mod commit;
pub mod diff;

use std::collections::BTreeMap;

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
    data::{Task, TaskId, id::sha256_hex, primary_language, transcript::is_language_tag},
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

/// The tasks that `NAME[@V][:LANGUAGE]` means, as they were frozen: those of the set, of the newest
/// one if none is named, or all current ones if there is no set. With a language each task as it is
/// in it, translated where it was woven in another one.
pub fn tasks(store: &Store, asked: Option<&str>) -> Result<Vec<Task>> {
    Ok(chosen(store, asked)?.1)
}

/// The same, with the set if there is one.
pub fn chosen(store: &Store, asked: Option<&str>) -> Result<(Option<FrozenSet>, Vec<Task>)> {
    let (name, language) = name_and_language(store, asked)?;
    let set = found(store, name)?;
    let tasks = match &set {
        Some(set) => store.tasks_of(set)?,
        None => store.tasks()?,
    };
    if tasks.is_empty() {
        return Err(without_tasks(set.as_ref()));
    }
    let Some(language) = language else {
        return Ok((set, tasks));
    };
    let translations = match &set {
        Some(set) => store.translations_of(set)?,
        None => store.translations()?,
    };
    let tasks = in_language(tasks, translations, language)?;
    Ok((set, tasks))
}

fn without_tasks(set: Option<&FrozenSet>) -> anyhow::Error {
    let message = match set {
        Some(set) => format!(
            "the set `{}` has no task any more: all were withdrawn\nhint: --set NAME names another one",
            set.label()
        ),
        None => "no tasks yet\nhint: `taskgen run`, or `taskgen tasks import FILE`".to_owned(),
    };
    Usage(message).into()
}

/// What stands before and behind the last colon, if that is a language; a set of the whole name
/// comes first.
fn name_and_language<'a>(
    store: &Store,
    asked: Option<&'a str>,
) -> Result<(Option<&'a str>, Option<&'a str>)> {
    let Some((name, language)) = asked.and_then(|asked| asked.rsplit_once(':')) else {
        return Ok((asked, None));
    };
    let (whole, version) = parsed(asked.unwrap_or_default());
    if !is_language(language) || store.frozen_set(Some(whole), version)?.is_some() {
        return Ok((asked, None));
    }
    Ok((Some(name).filter(|name| !name.is_empty()), Some(language)))
}

/// Whether it looks like a language tag such as `en` or `zh-Hans`.
fn is_language(tag: &str) -> bool {
    let primary = primary_language(tag);
    is_language_tag(tag)
        && (2..=3).contains(&primary.len())
        && primary.chars().all(|c| c.is_ascii_lowercase())
}

/// Each task in a language; those that are not there in it are counted and left out.
fn in_language(tasks: Vec<Task>, translations: Vec<Task>, language: &str) -> Result<Vec<Task>> {
    let is_in = |task: &Task| primary_language(&task.language) == primary_language(language);
    let all = tasks.len();
    let mut translated: BTreeMap<TaskId, Task> = translations
        .into_iter()
        .filter(is_in)
        .filter_map(|task| Some((task.translation_of()?.clone(), task)))
        .collect();
    let tasks: Vec<Task> = tasks
        .into_iter()
        .filter_map(|task| {
            if is_in(&task) {
                Some(task)
            } else {
                translated.remove(&task.id)
            }
        })
        .collect();
    let missing = all - tasks.len();
    let hint = "hint: `taskgen weave --translate en,zh` translates tasks; a set holds the translations that were there when it was selected";
    if tasks.is_empty() {
        return Err(Usage(format!(
            "none of the {all} tasks is there in `{language}`\n{hint}"
        ))
        .into());
    }
    if missing > 0 {
        tracing::warn!(
            "{missing} of {all} tasks are not there in `{language}`: they are left out\n{hint}"
        );
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_not_a_part_of_a_name() {
        for tag in ["en", "zh", "zh-Hans", "yue"] {
            assert!(is_language(tag), "{tag}");
        }
        for tag in ["", "e", "EN", "core", "1", "z h"] {
            assert!(!is_language(tag), "{tag}");
        }
    }

    #[test]
    fn a_version_stands_behind_the_last_at_sign() {
        assert_eq!(parsed("mine"), ("mine", None));
        assert_eq!(parsed("mine@2"), ("mine", Some(2)));
        assert_eq!(parsed("mine@two"), ("mine@two", None));
        assert_eq!(parsed("@2"), ("@2", None));
        assert_eq!(parsed("a@b@3"), ("a@b", Some(3)));
    }
}
