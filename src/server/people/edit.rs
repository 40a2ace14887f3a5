//! A task in a reviewer's own words, with the rules of weaving checked.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use minijinja::context;
use serde::Deserialize;

use super::{
    form::{Mode, Signed},
    queue::address,
    tasks::PATH,
    write,
};
use crate::{
    data::{Task, TaskId},
    server::{
        Reviewer, Server,
        access::Who,
        page::{Answer, Failure, on_to},
    },
    store::NotCurrent,
    text::words::is_chinese,
    weave::{self, Refusal},
};

/// `GET /review/tasks/{id}/edit`
pub async fn page(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Path(id): Path<String>,
) -> Answer {
    let id = TaskId::from_stored(id);
    let task = server.facts.ask(move |store| store.task(&id)).await?;
    let task = task.ok_or_else(|| Failure::none("There is no such task"))?;
    shown(&server, &name, &task, &task.text, None)
}

/// The page with a text, and why it was not kept: in words, and whether it may be kept all the same.
fn shown(
    server: &Server,
    name: &str,
    task: &Task,
    text: &str,
    refused: Option<(String, bool)>,
) -> Answer {
    let frame = server.frame(&Who::Reviewer(name.to_owned()), PATH, "Change a task");
    let (why, may_force) = refused.map_or((None, false), |(why, may)| (Some(why), may));
    let values = context! {
        id => task.id.as_str(),
        language => task.language.clone(),
        text => text,
        why => why,
        may_force => may_force,
    };
    frame.page(include_str!("../templates/people/edit.html"), values)
}

/// A task's new words.
#[derive(Deserialize)]
pub struct Words {
    text: String,
    /// Not empty where a broken rule is no matter.
    #[serde(default)]
    force: String,
}

/// `POST /review/tasks/{id}/edit`
pub async fn keep(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Signed { name, form }: Signed<Words>,
) -> Result<Response, Failure> {
    let id = TaskId::from_stored(id);
    // A browser ends each line with both.
    let form = Words {
        text: form.text.replace("\r\n", "\n"),
        ..form
    };
    let (text, by, is_forced) = (form.text.clone(), name.clone(), !form.force.is_empty());
    let changed = write(&server, move |store| {
        let Some(task) = store.task(&id)? else {
            return Ok(None);
        };
        let changed = weave::change(store, &task, &text, &by, is_forced)?;
        Ok(Some((task, changed.map(|(task, _)| task))))
    })
    .await?;
    let Some((task, changed)) = changed else {
        return Err(Failure::none("There is no such task"));
    };
    let (id, notice) = match changed {
        Ok(changed) => (changed.id, "edited"),
        Err(Refusal::NotCurrent(NotCurrent::ChangedInto(into))) => {
            // The words that were typed are not thrown away: they are shown beside the new ones.
            let of = server.facts.ask(move |store| store.task(&into)).await?;
            let why = "Others changed it meanwhile: nothing was kept. This is what you typed, for the task as it is now.";
            let task = of.unwrap_or(task);
            return shown(&server, &name, &task, &form.text, Some((why.into(), false)));
        }
        Err(Refusal::NotCurrent(_)) => (task.id, "gone"),
        Err(why) => return shown(&server, &name, &task, &form.text, Some(refusal(&why))),
    };
    let said = [("show", id.as_str()), ("notice", notice)];
    Ok(on_to(&address(PATH, Mode::Open, &said)))
}

/// Why a text was not kept, and whether it may be kept all the same.
fn refusal(why: &Refusal) -> (String, bool) {
    match why {
        Refusal::Same => (
            "The text is the same as before: nothing was changed.".into(),
            false,
        ),
        Refusal::Before(edited) => {
            let hint = "`taskgen tasks edit --undo` brings them back";
            let by = &edited.by;
            (
                format!("These are the words before the change by {by}: {hint}."),
                false,
            )
        }
        Refusal::Breaks(broken, text) => {
            let words = broken
                .words()
                .map_or_else(String::new, |of| format!(" (“{of}”)"));
            let reason = broken.reason(is_chinese(text));
            (
                format!(
                    "The text breaks the rule {}: {reason}{words}",
                    broken.name()
                ),
                !text.is_empty(),
            )
        }
        Refusal::Empty => ("The text is empty: nothing was changed.".into(), false),
        Refusal::NotCurrent(_) => ("The task is not current any more.".into(), false),
    }
}
