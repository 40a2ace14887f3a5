//! A task: its words, where each of them comes from, down to the second of the recording, what
//! probes and people said of it, and what agents made of it.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, State};
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::tasks::{index, labels};
use crate::{
    data::{
        Evidence, Finding, InspirationId, Ms, ReportHead, SeminarId, Task, TaskDecision, TaskId,
    },
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
        results,
    },
    store::Store,
};

/// What is shown of a task.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    task: Task,
    labels: Vec<String>,
    sources: Vec<Source>,
    probes: Vec<Finding>,
    decisions: Vec<Decided>,
    /// The task as it was before people changed it, newest first: who, id and text.
    before: Vec<(String, String, String)>,
    /// The same task in other languages: BCP 47 tags and texts.
    translations: Vec<(String, String)>,
    reports: Vec<ReportHead>,
    /// Whether it is current.
    current: bool,
}

/// An inspiration that a task rests on.
#[derive(Serialize)]
struct Source {
    id: InspirationId,
    kind: &'static str,
    label: &'static str,
    text: String,
    seminar: SeminarId,
    title: String,
    language: String,
    /// Start, end, words.
    quotes: Vec<(Ms, Ms, String)>,
    /// Whether the recording is in the project's folder.
    plays: bool,
}

/// A person's decision.
#[derive(Serialize)]
struct Decided {
    by: String,
    label: String,
    note: String,
    settles: bool,
}

/// `GET /tasks/{id}`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Path(id): Path<String>,
) -> Answer {
    let of = Arc::clone(&server);
    let (id, is_data) = page::named(&id);
    let id = TaskId::from_stored(id.to_owned());
    let read = move |store: &Store| Ok((read(&of, store, &id)?, index(&of, store)?.0));
    let (shown, index) = server.facts.ask(read).await?;
    let task = shown.ok_or_else(|| Failure::none("There is no such task"))?;
    if is_data {
        return page::json(&task);
    }
    let row = index.rows.iter().find(|row| row.task.id == task.task.id);
    let mut frame = server.frame(&who, "/tasks", "Task");
    frame.data = Some(format!("/tasks/{}.json", task.task.id));
    let values = context! {
        task => Serde(&task),
        row => Serde(row),
        ranked => index.rated,
    };
    frame.page(include_str!("../templates/task.html"), values)
}

fn read(server: &Server, store: &Store, id: &TaskId) -> Result<Option<Shown>> {
    let Some(task) = store.task(id)? else {
        return Ok(None);
    };
    let mut sources = Vec::new();
    for id in task.inspirations() {
        sources.extend(source(server, store, id)?);
    }
    let decisions = store.decisions_on(id)?;
    let reports = results::on_task(server, store, id)?;
    let translations = store.translations_of_task(id)?.into_iter();
    Ok(Some(Shown {
        labels: labels(&task),
        sources,
        probes: store.findings_on(id)?,
        decisions: decisions.into_iter().map(decided).collect(),
        before: before(store, &task)?,
        translations: translations.map(|of| (of.language, of.text)).collect(),
        reports,
        current: store.is_current(id)?.is_ok(),
        task,
    }))
}

fn source(server: &Server, store: &Store, id: &InspirationId) -> Result<Option<Source>> {
    let Some(of) = store.inspiration(id)? else {
        return Ok(None);
    };
    let seminars = store.seminars()?;
    let Some(seminar) = seminars.into_iter().find(|info| info.id == of.seminar) else {
        return Ok(None);
    };
    let quote = |of: Evidence| (of.start, of.end, of.quote);
    Ok(Some(Source {
        id: of.id,
        kind: of.kind.word(),
        label: of.kind.label(),
        text: of.text,
        plays: server.options.seminars.join(&seminar.path).is_file(),
        seminar: seminar.id,
        title: seminar.title,
        language: seminar.language,
        quotes: of.evidence.into_iter().map(quote).collect(),
    }))
}

fn decided(of: TaskDecision) -> Decided {
    Decided {
        label: of.label(),
        by: of.by,
        note: of.note,
        settles: of.settles,
    }
}

/// The texts that a task had before, newest first.
fn before(store: &Store, task: &Task) -> Result<Vec<(String, String, String)>> {
    let mut texts = Vec::new();
    let mut edited = task.edited.clone();
    while let Some(change) = edited {
        let Some(was) = store.task(&change.task)? else {
            break;
        };
        texts.push((change.by, was.id.to_string(), was.text));
        edited = was.edited;
    }
    Ok(texts)
}
