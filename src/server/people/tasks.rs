//! The review of tasks: one at a time, with its quotes, as `taskgen tasks review` does in a
//! terminal.

use std::sync::Arc;

use anyhow::Result;
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use minijinja::{context, value::Serde};
use serde::{Deserialize, Serialize};

use super::{
    Shown, Undo, card_page,
    form::{Mode, Signed, note},
    items, no_decision,
    queue::{Asked, Before, address, place},
    write,
};
use crate::{
    data::{Curated, Origin, Standing, Task, TaskDecision, TaskFault, TaskId},
    report::quotes::{InContext, in_context},
    server::{
        Reviewer, Server,
        page::{Answer, Failure, on_to},
    },
    store::{NotCurrent, Store},
};

/// Where tasks are reviewed.
pub const PATH: &str = "/review/tasks";

/// What a reviewer is shown of a task.
#[derive(Serialize)]
pub(super) struct Card {
    id: TaskId,
    labels: Vec<&'static str>,
    language: String,
    text: String,
    /// What an imported task asks for.
    asks: Vec<String>,
    /// Quotes in the language of their talk.
    quotes: Vec<(String, InContext)>,
    /// What people decided, without their names, for who settles it.
    said: Vec<String>,
}

/// `GET /review/tasks`
pub async fn card(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Query(asked): Query<Asked>,
) -> Answer {
    let (of, by, query) = (Arc::clone(&server), name.clone(), asked.clone());
    let read = move |store: &Store| store.at_one_moment(|| read(&of, store, &by, &query));
    let shown = server.facts.ask(read).await?;
    let faults = TaskFault::ALL.iter().zip(1..);
    let faults: Vec<_> = faults
        .map(|(of, key)| (key.to_string(), of.word(), of.label()))
        .collect();
    let template = include_str!("../templates/people/task.html");
    card_page(
        &server,
        &name,
        (PATH, "Tasks"),
        &asked,
        &shown,
        (template, context! { faults => Serde(&faults) }),
    )
}

fn read(server: &Server, store: &Store, reviewer: &str, asked: &Asked) -> Result<Shown<Card>> {
    let place = place(
        &items::tasks(store)?,
        reviewer,
        server.options.seed,
        asked,
        PATH,
    );
    let is_settled = asked.mode() == Mode::Disputed;
    let own = |id: &str| {
        let said = store.decisions_on(&TaskId::from_stored(id.to_owned()))?;
        let own = said.iter().find(|of| of.by == reviewer);
        Ok(own.map(TaskDecision::label))
    };
    Shown::at(place, asked, |id| card_of(store, id, is_settled), own)
}

fn card_of(store: &Store, id: &str, is_settled: bool) -> Result<Option<Card>> {
    let Some(task) = store.task(&TaskId::from_stored(id.to_owned()))? else {
        return Ok(None);
    };
    let mut said = Vec::new();
    if is_settled {
        let decisions = store.decisions_on(&task.id)?;
        said.extend(decisions.iter().map(|of| {
            let settled = if of.settles { ", settled" } else { "" };
            format!("{}{settled}", of.label())
        }));
    }
    let asks = match &task.origin {
        Origin::Imported(from) => from.checklist.clone(),
        Origin::Seminar(_) => Vec::new(),
    };
    Ok(Some(Card {
        labels: vec![task.facets.family_label(), task.facets.difficulty_label()],
        quotes: quotes(store, &task)?,
        asks,
        said,
        id: task.id,
        language: task.language,
        text: task.text,
    }))
}

fn quotes(store: &Store, task: &Task) -> Result<Vec<(String, InContext)>> {
    let seminars = store.seminars()?;
    let mut quotes = Vec::new();
    for id in task.inspirations() {
        let Some(inspiration) = store.inspiration(id)? else {
            continue;
        };
        let Some(transcript) = store.transcript(&inspiration.transcript)? else {
            continue;
        };
        let seminar = seminars.iter().find(|of| of.id == inspiration.seminar);
        let language = seminar.map_or("", |of| of.language.as_str());
        let found = in_context(&transcript, &inspiration.evidence);
        quotes.extend(found.into_iter().map(|quote| (language.to_owned(), quote)));
    }
    Ok(quotes)
}

/// What the form of a card says.
#[derive(Deserialize)]
pub struct Decision {
    verdict: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    mode: Mode,
}

/// `POST /review/tasks/{id}`
pub async fn decide(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Signed { name, form }: Signed<Decision>,
) -> Result<Response, Failure> {
    let (verdict, fault) = match form.verdict.as_str() {
        "accepted" => (Curated::Accepted, None),
        "pinned" => (Curated::Pinned, None),
        word => {
            let fault = TaskFault::ALL.into_iter().find(|of| of.word() == word);
            (
                Curated::Rejected,
                Some(fault.ok_or_else(|| no_decision(word))?),
            )
        }
    };
    let decision = TaskDecision {
        task: TaskId::from_stored(id.clone()),
        by: name.clone(),
        verdict,
        fault,
        note: note(&form.note),
        settles: form.mode == Mode::Disputed,
    };
    let by = name.clone();
    let (before, kept) = write(&server, move |store| {
        let said = store.decisions_on(&decision.task)?;
        if decision.settles && TaskDecision::standing(&said) != Standing::Disputed {
            return Ok((None, None));
        }
        let before = said.into_iter().find(|of| of.by == by);
        Ok((before, Some(store.save_task_decision(&decision)?)))
    })
    .await?;
    let said = match &kept {
        None => [("after", id.as_str()), ("notice", "settled")].to_vec(),
        Some(Ok(())) => {
            let before = before.map_or(Before::Nothing, Before::Task);
            server.people.earlier.set(&name, &id, before);
            [("done", id.as_str())].to_vec()
        }
        Some(Err(NotCurrent::ChangedInto(into))) => {
            [("show", into.as_str()), ("notice", "changed")].to_vec()
        }
        Some(Err(NotCurrent::Gone | NotCurrent::SetAside)) => {
            [("after", id.as_str()), ("notice", "gone")].to_vec()
        }
    };
    Ok(on_to(&address(PATH, form.mode, &said)))
}

/// `POST /review/tasks/undo`
pub async fn undo(
    State(server): State<Arc<Server>>,
    Signed { name, form }: Signed<Undo>,
) -> Result<Response, Failure> {
    let Some(before) = server.people.earlier.take(&name, &form.id) else {
        return Ok(on_to(&address(PATH, form.mode, &[("notice", "nothing")])));
    };
    let task = TaskId::from_stored(form.id.clone());
    write(&server, move |store| match before {
        // What is not current any more has no decision to come back.
        Before::Task(before) => store.save_task_decision(&before).map(|_| ()),
        _ => store.withdraw_task_decision(&task, &name),
    })
    .await?;
    let said = [("show", form.id.as_str()), ("notice", "undone")];
    Ok(on_to(&address(PATH, form.mode, &said)))
}
