//! Duels: two tasks, or two reports on a task, side by side; which is better, and how sure is one?
//! The verdicts are comparisons like those of models, by judges who are persons.

use std::sync::Arc;

use anyhow::Result;
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use minijinja::context;
use serde::{Deserialize, Serialize};

use super::{
    Shown, Undo, card_page,
    form::{Mode, Signed, note},
    items, no_decision,
    queue::{Asked, Before, Item, address, place},
    write,
};
use crate::{
    data::{Comparison, ItemId, ReportHead, ReportId, Side, SubjectKind, TaskId, Verdict},
    report::markdown,
    server::{
        Reviewer, Server,
        page::{Answer, Failure, on_to},
    },
    store::Store,
};

/// How sure one is who says "clearly", from 0.5 to 1. In a fit the winner has won either way, as
/// with models.
const CLEARLY: f64 = 0.9;
/// The same of who says "a little".
const A_LITTLE: f64 = 0.6;

/// Two things side by side.
#[derive(Serialize)]
pub(super) struct Card {
    /// The pair.
    id: String,
    /// What both reports answer, and its language.
    task: Option<(String, String)>,
    /// Left and right.
    sides: Vec<Shelf>,
}

/// One side of a duel.
#[derive(Serialize)]
struct Shelf {
    /// A task's words, or a report as markup.
    text: String,
    language: String,
    /// What else is known of a task.
    label: String,
}

fn path(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::Task => "/review/duels/tasks",
        SubjectKind::Report => "/review/duels/reports",
    }
}

/// `GET /review/duels/tasks`
pub async fn card_of_tasks(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Query(asked): Query<Asked>,
) -> Answer {
    card(&server, SubjectKind::Task, name, asked).await
}

/// `GET /review/duels/reports`
pub async fn card_of_reports(
    State(server): State<Arc<Server>>,
    Reviewer(name): Reviewer,
    Query(asked): Query<Asked>,
) -> Answer {
    card(&server, SubjectKind::Report, name, asked).await
}

async fn card(server: &Arc<Server>, kind: SubjectKind, name: String, asked: Asked) -> Answer {
    let (of, by, query) = (Arc::clone(server), name.clone(), asked.clone());
    let read = move |store: &Store| store.at_one_moment(|| read(&of, store, kind, &by, &query));
    let shown = server.facts.ask(read).await?;
    let title = match kind {
        SubjectKind::Task => "Which task is better?",
        SubjectKind::Report => "Which report is better?",
    };
    let template = include_str!("../templates/people/duel.html");
    card_page(
        server,
        &name,
        (path(kind), title),
        &asked,
        &shown,
        (template, context! { kind => kind.word() }),
    )
}

fn read(
    server: &Server,
    store: &Store,
    kind: SubjectKind,
    reviewer: &str,
    asked: &Asked,
) -> Result<Shown<Card>> {
    let seed = server.options.seed;
    let items = items::duels(server, store, kind)?;
    let place = place(&items, reviewer, seed, asked, path(kind));
    let card = |id: &str| card_of(store, kind, id, items::sides(id, reviewer, seed));
    let own = |id: &str| Ok(label(&items, id, reviewer, seed));
    Shown::at(place, asked, card, own)
}

/// Which side a reviewer found better.
fn label(items: &[Item], id: &str, reviewer: &str, seed: u64) -> Option<String> {
    let item = items.iter().find(|of| of.id == id)?;
    let first_wins = *item.labels.get(reviewer)? > 0.5;
    let [left, right] = items::sides(id, reviewer, seed)?;
    let side = if first_wins == (left < right) {
        "left"
    } else {
        "right"
    };
    Some(format!("the {side} one is better"))
}

fn card_of(
    store: &Store,
    kind: SubjectKind,
    id: &str,
    sides: Option<[ItemId; 2]>,
) -> Result<Option<Card>> {
    let mut shelves = Vec::new();
    let mut answered = None;
    for item in sides.iter().flatten() {
        match kind {
            SubjectKind::Task => {
                let task = store.task(&TaskId::from_stored(item.to_string()))?;
                shelves.extend(task.map(|task| Shelf {
                    label: task.facets.difficulty_label().to_owned(),
                    text: task.text,
                    language: task.language,
                }));
            }
            SubjectKind::Report => {
                let Some(report) = report(store, item)? else {
                    continue;
                };
                let task = store.task(&report.task)?;
                answered = task.map(|task| (task.text, task.language));
                shelves.push(Shelf {
                    text: markdown::html(&store.report_text(&report.id)?),
                    // A report may be in another language than its task: the browser looks.
                    language: String::new(),
                    label: String::new(),
                });
            }
        }
    }
    Ok((shelves.len() == 2).then(|| Card {
        id: id.to_owned(),
        task: answered,
        sides: shelves,
    }))
}

/// A report that ended well, on a current task.
fn report(store: &Store, item: &ItemId) -> Result<Option<ReportHead>> {
    items::report(store, &ReportId::from_stored(item.to_string()))
}

/// Whether two may be compared: current tasks, or reports of different agents on one task.
fn may_be_compared(store: &Store, kind: SubjectKind, [a, b]: [&ItemId; 2]) -> Result<bool> {
    let is_current = |item: &ItemId| store.is_current(&TaskId::from_stored(item.to_string()));
    Ok(match kind {
        _ if a == b => false,
        SubjectKind::Task => is_current(a)?.is_ok() && is_current(b)?.is_ok(),
        SubjectKind::Report => match (report(store, a)?, report(store, b)?) {
            (Some(a), Some(b)) => a.task == b.task && a.agent != b.agent,
            _ => false,
        },
    })
}

/// What the form of a duel says.
#[derive(Deserialize)]
pub struct Decision {
    verdict: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    mode: Mode,
}

/// `POST /review/duels/tasks/{id}`
pub async fn decide_tasks(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    signed: Signed<Decision>,
) -> Result<Response, Failure> {
    decide(&server, SubjectKind::Task, id, signed).await
}

/// `POST /review/duels/reports/{id}`
pub async fn decide_reports(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    signed: Signed<Decision>,
) -> Result<Response, Failure> {
    decide(&server, SubjectKind::Report, id, signed).await
}

async fn decide(
    server: &Arc<Server>,
    kind: SubjectKind,
    id: String,
    Signed { name, form }: Signed<Decision>,
) -> Result<Response, Failure> {
    let (winner, confidence) = match form.verdict.as_str() {
        "left" => (Side::A, CLEARLY),
        "left_a_little" => (Side::A, A_LITTLE),
        "right_a_little" => (Side::B, A_LITTLE),
        "right" => (Side::B, CLEARLY),
        word => return Err(no_decision(word)),
    };
    let reason = note(&form.note);
    let verdict = Verdict {
        winner,
        confidence,
        reason: (!reason.is_empty()).then_some(reason),
        scores: None,
    };
    let sides = items::sides(&id, &name, server.options.seed);
    let Some([a, b]) = sides else {
        return Err(no_decision(&id));
    };
    let (by, pair) = (name.clone(), id.clone());
    let before = write(server, move |store| {
        if !may_be_compared(store, kind, [&a, &b])? {
            return Ok(None);
        }
        let before = own(store, kind, &pair, &by)?;
        store.save_comparison_of_person(kind, [&a, &b], &by, &verdict)?;
        Ok(Some(before))
    })
    .await?;
    let said = match before {
        Some(before) => {
            server.people.earlier.set(&name, &id, before);
            [("done", id.as_str())].to_vec()
        }
        None => [("after", id.as_str()), ("notice", "gone")].to_vec(),
    };
    Ok(on_to(&address(path(kind), form.mode, &said)))
}

/// What a person said of a pair before.
fn own(store: &Store, kind: SubjectKind, pair: &str, by: &str) -> Result<Before> {
    let said = store.comparisons_of_people(kind)?.into_iter();
    let mut said = said
        .filter(|of| of.judge.model_returned == by)
        .map(|of| of.judged);
    let own = said.find(|of| items::pair_id([of.a.as_str(), of.b.as_str()]) == pair);
    Ok(match own {
        Some(Comparison {
            a,
            b,
            outcome: Ok(verdict),
            ..
        }) => Before::Verdict([a, b], verdict),
        _ => Before::Nothing,
    })
}

/// `POST /review/duels/tasks/undo`
pub async fn undo_of_tasks(
    State(server): State<Arc<Server>>,
    signed: Signed<Undo>,
) -> Result<Response, Failure> {
    undo(&server, SubjectKind::Task, signed).await
}

/// `POST /review/duels/reports/undo`
pub async fn undo_of_reports(
    State(server): State<Arc<Server>>,
    signed: Signed<Undo>,
) -> Result<Response, Failure> {
    undo(&server, SubjectKind::Report, signed).await
}

async fn undo(
    server: &Arc<Server>,
    kind: SubjectKind,
    Signed { name, form }: Signed<Undo>,
) -> Result<Response, Failure> {
    let before = server.people.earlier.take(&name, &form.id);
    let sides = items::sides(&form.id, &name, server.options.seed);
    let (Some(before), Some([a, b])) = (before, sides) else {
        return Ok(on_to(&address(
            path(kind),
            form.mode,
            &[("notice", "nothing")],
        )));
    };
    write(server, move |store| match before {
        Before::Verdict([a, b], verdict) => {
            store.save_comparison_of_person(kind, [&a, &b], &name, &verdict)
        }
        _ => store.withdraw_comparison_of_person(kind, [&a, &b], &name),
    })
    .await?;
    let said = [("show", form.id.as_str()), ("notice", "undone")];
    Ok(on_to(&address(path(kind), form.mode, &said)))
}
