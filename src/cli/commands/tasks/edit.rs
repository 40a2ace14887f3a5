//! `taskgen tasks edit`: a task in other words, by a named person.

use std::{io::Read as _, path::Path, process::Command};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::not_one;
use crate::{
    cli::{
        args::{Global, TaskEdit},
        commands::people,
        project::Project,
        ui::{
            exit::{self, Usage},
            keyboard,
            output::Printer,
        },
    },
    data::{Task, TaskId},
    store::{NotCurrent, Store},
    text::words::{is_chinese, one_line},
    weave::{self, Refusal, rules::Broken},
};

/// Most bytes of a new text.
const MOST_BYTES: u64 = 100_000;

/// A change that was kept.
#[derive(Serialize)]
struct Kept<'a> {
    task: &'a Task,
    /// The rule that it breaks all the same.
    broken: Option<&'static str>,
}

/// Runs the command.
pub fn run(global: &Global, args: &TaskEdit, printer: &Printer) -> Result<u8> {
    let project = Project::find(global)?;
    let by = people::name(args.by.as_deref())?;
    drop(project.read_or_hint()?);
    let store = project.decide(global)?;
    let task = found(&store, &args.id)?;
    if args.undo {
        undo(&store, &task, printer)?;
    } else {
        let text = match &args.text {
            Some(path) => read(path)?,
            None => in_editor(&task.text)?,
        };
        let (changed, broken) = changed(&store, &task, &text, &by, args.force)?;
        let kept = Kept {
            task: &changed,
            broken: broken.as_ref().map(Broken::name),
        };
        printer.show(&kept, text_of)?;
    }
    store.end_run(&jiff::Timestamp::now().to_string(), exit::DONE)?;
    Ok(exit::DONE)
}

fn text_of(kept: &Kept<'_>) -> String {
    let Task { id, text, .. } = kept.task;
    let broken = match kept.broken {
        Some(rule) => format!("\nit breaks a rule: {rule}"),
        None => String::new(),
    };
    format!(
        "{id}  {}{broken}\nnext: `taskgen rank` gives it a place",
        one_line(text)
    )
}

/// The current task that an id, or the beginning of one, names.
fn found(store: &Store, asked: &str) -> Result<Task> {
    let mut named = store.tasks()?;
    named.retain(|task| task.id.as_str().starts_with(asked));
    if named.len() == 1 {
        return Ok(named.remove(0));
    }
    let id = TaskId::from_stored(asked.to_owned());
    if named.is_empty()
        && let Err(why @ (NotCurrent::ChangedInto(_) | NotCurrent::SetAside)) =
            store.is_current(&id)?
    {
        return Err(Usage(no_more(&id, &why)).into());
    }
    let ids: Vec<&str> = named.iter().map(|task| task.id.as_str()).collect();
    Err(not_one(asked, &ids).into())
}

/// Why a task cannot be changed.
fn no_more(id: &TaskId, why: &NotCurrent) -> String {
    match why {
        NotCurrent::ChangedInto(into) => {
            format!("`{id}` was changed already\nhint: it is `{into}` now")
        }
        NotCurrent::SetAside | NotCurrent::Gone => format!(
            "`{id}` is no current task any more\nhint: `taskgen tasks list` shows those that are"
        ),
    }
}

/// Keeps a task in other words; refuses a text that breaks a rule, unless that is wanted.
pub fn changed(
    store: &Store,
    task: &Task,
    text: &str,
    by: &str,
    is_forced: bool,
) -> Result<(Task, Option<Broken>)> {
    match weave::change(store, task, text, by, is_forced)? {
        Ok(changed) => Ok(changed),
        Err(why) => Err(Usage(refusal(task, &why)).into()),
    }
}

fn refusal(task: &Task, why: &Refusal) -> String {
    match why {
        Refusal::Same => {
            let hint = "write other words, or leave it as it is";
            format!("the text is the same as before: nothing was changed\nhint: {hint}")
        }
        Refusal::Before(edited) => format!(
            "these are the words before the change by {}: nothing was changed\nhint: `taskgen tasks edit {} --undo`",
            one_line(&edited.by),
            task.id
        ),
        Refusal::Breaks(broken, text) => breaks(broken, text),
        Refusal::Empty => {
            let hint = "`taskgen tasks review` rejects a task";
            format!("the text is empty: nothing was changed\nhint: {hint}")
        }
        Refusal::NotCurrent(why) => no_more(&task.id, why),
    }
}

fn breaks(broken: &Broken, text: &str) -> String {
    let words = broken
        .words()
        .map_or_else(String::new, |words| format!(" (`{}`)", one_line(words)));
    format!(
        "the text breaks the rule {}: {}{words}\nhint: `taskgen tasks edit --force` keeps it all the same",
        broken.name(),
        broken.reason(is_chinese(text))
    )
}

fn undo(store: &Store, task: &Task, printer: &Printer) -> Result<()> {
    let Some(edited) = &task.edited else {
        let hint = "`taskgen tasks show ID` says who changed a task";
        return Err(Usage(format!("nobody changed `{}`\nhint: {hint}", task.id)).into());
    };
    store.withdraw_edited(&task.id, &edited.task)?;
    printer.show(&edited, |edited| {
        format!("{} is current again", edited.task)
    })?;
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    let bad = |e: std::io::Error| {
        let hint = "--text FILE, or `-` for standard input";
        Usage(format!(
            "cannot read `{}`: {e}\nhint: {hint}",
            path.display()
        ))
    };
    let mut text = String::new();
    if path.as_os_str() == "-" {
        std::io::stdin()
            .take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(bad)?;
    } else {
        let file = fs_err::File::open(path).map_err(bad)?;
        file.take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(bad)?;
    }
    if text.len() as u64 > MOST_BYTES {
        return Err(Usage(format!(
            "the text is over {} kB\nhint: a task has at most some hundred words",
            MOST_BYTES / 1000
        ))
        .into());
    }
    Ok(text)
}

/// A text as the user's editor leaves it.
pub fn in_editor(text: &str) -> Result<String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|editor| !editor.is_empty()));
    let Some(editor) = editor else {
        let hint = "set `EDITOR`, or use `taskgen tasks edit ID --text FILE`";
        return Err(Usage(format!(
            "there is no editor to change the text in\nhint: {hint}"
        ))
        .into());
    };
    let folder = tempfile::tempdir().context("cannot make a file for the editor")?;
    let path = folder.path().join("task.txt");
    fs_err::write(&path, format!("{}\n", text.trim_end()))?;
    keyboard::lend()?;
    // An editor's variable may hold options: a shell splits them as everywhere.
    let ended = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("editor")
        .arg(&path)
        .status()
        .with_context(|| format!("cannot start the editor: `{editor}`"))?;
    if !ended.success() {
        return Err(Usage(format!(
            "the editor failed: `{editor}`; nothing was changed"
        ))
        .into());
    }
    read(&path)
}
