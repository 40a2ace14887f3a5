//! What people decide: reviews and duels, each person's own. Nothing here shows what others said
//! before one has decided oneself.

mod agreement;
mod doors;
mod duels;
mod edit;
mod form;
mod human;
mod inspirations;
mod items;
mod overview;
mod queue;
mod reports;
mod tasks;

use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::{
    Router,
    routing::{get, post},
};
use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use super::{
    Server,
    access::Who,
    facts,
    page::{Answer, Failure},
};
use crate::{data::ReportHead, store::Store};
use queue::{Asked, Place};

/// What is kept between two requests.
#[derive(Default)]
pub struct Kept {
    earlier: queue::Earlier,
    /// Pairs that people compare: of tasks, and of reports.
    pairs: [facts::Kept<Vec<[String; 2]>>; 2],
    standings: facts::Kept<agreement::Standings>,
    reports: facts::Kept<Vec<ReportHead>>,
}

/// The pages of reviewers, and what visitors see of what they decided.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/review", get(overview::page))
        .route("/review/inspirations", get(inspirations::card))
        .route("/review/inspirations/undo", post(inspirations::undo))
        .route("/review/inspirations/{id}", post(inspirations::decide))
        .route("/review/tasks", get(tasks::card))
        .route("/review/tasks/undo", post(tasks::undo))
        .route("/review/tasks/{id}", post(tasks::decide))
        .route("/review/tasks/{id}/edit", get(edit::page).post(edit::keep))
        .route("/review/reports", get(reports::card))
        .route("/review/reports/undo", post(reports::undo))
        .route("/review/reports/{id}", post(reports::score))
        .route("/review/duels/tasks", get(duels::card_of_tasks))
        .route("/review/duels/tasks/undo", post(duels::undo_of_tasks))
        .route("/review/duels/tasks/{id}", post(duels::decide_tasks))
        .route("/review/duels/reports", get(duels::card_of_reports))
        .route("/review/duels/reports/undo", post(duels::undo_of_reports))
        .route("/review/duels/reports/{id}", post(duels::decide_reports))
        .route("/people", get(agreement::page))
        .route("/people.json", get(agreement::json))
}

/// Where one comes in and goes out.
pub fn doors() -> Router<Arc<Server>> {
    Router::new()
        .route("/enter", get(doors::enter))
        .route("/leave", post(doors::leave))
}

/// Has `work` write, on a thread of its own. When it returns, what it wrote is committed.
async fn write<T: Send + 'static>(
    server: &Arc<Server>,
    work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
) -> Result<T> {
    let server = Arc::clone(server);
    let written = tokio::task::spawn_blocking(move || work(&server.decisions));
    written.await.context("a decision could not be kept")?
}

/// A card with its place, and what was decided before it.
struct Shown<T> {
    place: Place,
    card: Option<T>,
    /// What the reviewer decided just now: its id, and in words.
    done: Option<(String, String)>,
    /// What the reviewer had decided on this card, in words.
    own: Option<String>,
}

impl<T> Shown<T> {
    /// The card that a place is of; `card` makes one of an id, and `own` says what the reviewer
    /// decided on an id.
    fn at(
        place: Place,
        asked: &Asked,
        card: impl FnOnce(&str) -> Result<Option<T>>,
        own: impl Fn(&str) -> Result<Option<String>>,
    ) -> Result<Self> {
        let own_of = |id: &Option<String>| match id {
            Some(id) => own(id),
            None => Ok(None),
        };
        let done = own_of(&asked.done)?;
        Ok(Self {
            card: place.id.as_deref().map_or(Ok(None), card)?,
            done: asked.done.clone().zip(done),
            own: own_of(&place.id)?,
            place,
        })
    }
}

/// A page with one card; `title` and `here` are of its frame.
fn card_page<T: Serialize>(
    server: &Server,
    reviewer: &str,
    (here, title): (&'static str, &str),
    asked: &Asked,
    shown: &Shown<T>,
    (template, values): (&str, Value),
) -> Answer {
    let frame = server.frame(&Who::Reviewer(reviewer.to_owned()), here, title);
    let values = context! {
        place => Serde(&shown.place),
        card => Serde(&shown.card),
        done => shown.done.as_ref().map(|(id, label)| context! { id, label }),
        own => &shown.own,
        notice => asked.notice.map(queue::Notice::text),
        ..values
    };
    frame.page(template, values)
}

/// What `undo` sends: the id of what was decided last.
#[derive(serde::Deserialize)]
struct Undo {
    #[serde(default)]
    id: String,
    #[serde(default)]
    mode: form::Mode,
}

/// A decision that cannot be kept.
fn no_decision(what: &str) -> Failure {
    Failure::bad(
        format!(
            "There is no such decision: `{}`",
            what.chars().take(40).collect::<String>()
        ),
        "Nothing was decided. Press one of the buttons.",
    )
}
