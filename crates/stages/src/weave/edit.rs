//! A task in other words, by a person: a task of its own that leads back to the same quotes.

use anyhow::{Context as _, Result};

use super::rules::{self, Broken, Compared, Material};
use crate::{
    data::{Edited, Inspiration, Task, TaskId},
    store::{NotCurrent, SeminarInfo, Store},
    text::words::one_line,
};

/// Why a task was not changed.
#[derive(Debug)]
pub enum Refusal {
    /// The text is the same as before.
    Same,
    /// These are the words before an earlier change, which can be taken back.
    Before(Edited),
    /// The text breaks a rule.
    Breaks(Broken, String),
    /// The text is empty.
    Empty,
    /// The task is not current any more.
    NotCurrent(NotCurrent),
}

/// Keeps a task in other words, and the rule that it breaks all the same; refuses a text that
/// breaks a rule, unless that is wanted.
pub fn change(
    store: &Store,
    task: &Task,
    text: &str,
    by: &str,
    is_forced: bool,
) -> Result<Result<(Task, Option<Broken>), Refusal>> {
    let (changed, broken) = edited(store, task, text, by)?;
    if changed.text == task.text {
        return Ok(Err(Refusal::Same));
    }
    if let Some(edited) = &task.edited
        && let Some(before) = store.task(&edited.task)?
        && before.text == changed.text
    {
        return Ok(Err(Refusal::Before(edited.clone())));
    }
    let broken = match broken {
        Some(broken) if !is_forced => return Ok(Err(Refusal::Breaks(broken, changed.text))),
        broken => broken,
    };
    if changed.text.is_empty() {
        return Ok(Err(Refusal::Empty));
    }
    if let Err(why) = store.save_edited(&changed, &task.id)? {
        return Ok(Err(Refusal::NotCurrent(why)));
    }
    Ok(Ok((changed, broken)))
}

/// The task that `by` makes of `task`, and the rule that it breaks, if it breaks one. The rules of
/// form hold for tasks of seminars; an imported question may be of any form. Nothing is stored.
fn edited(store: &Store, task: &Task, text: &str, by: &str) -> Result<(Task, Option<Broken>)> {
    // A question of a file keeps its lines.
    let text = match task.from_seminar() {
        Some(_) => one_line(text),
        None => text.trim().to_owned(),
    };
    let changed = Task {
        id: TaskId::from_parts(&["edited", task.id.as_str(), &text]),
        edited: Some(Edited {
            task: task.id.clone(),
            by: by.to_owned(),
        }),
        text,
        ..task.clone()
    };
    let broken = check(store, task, &changed)?.err();
    Ok((changed, broken))
}

fn check(store: &Store, original: &Task, changed: &Task) -> Result<Result<(), Broken>> {
    if changed.text.is_empty() {
        return Ok(Err(Broken::TooShort));
    }
    let Some(from) = changed.from_seminar() else {
        return Ok(Ok(()));
    };
    let mut words = Vec::new();
    for id in changed.inspirations() {
        let source: Option<Inspiration> = store.inspiration(id)?;
        words.push(
            source
                .context("an inspiration of the task is gone")?
                .words(),
        );
    }
    let seminars = store.seminars()?;
    let seminar = seminars.iter().find(|seminar| seminar.id == from.seminar);
    let people = seminar.map_or_else(Vec::new, SeminarInfo::people);
    let material = Material {
        words: &words.join("\n"),
        people: &people,
    };
    let mut others = store.tasks()?;
    others.retain(|other| other.id != original.id && other.id != changed.id);
    let compared: Vec<Compared> = others.iter().map(Compared::new).collect();
    Ok(rules::check(changed, material)
        .and_then(|()| rules::new_beside(&Compared::new(changed), &compared)))
}
