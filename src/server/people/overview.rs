//! A reviewer's overview: how far one is with each kind of thing, and how one agrees with others.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::State;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{
    items,
    queue::{Item, Progress, progress},
};
use crate::{
    audit::people::{WithOthers, with_others},
    data::SubjectKind,
    server::{Reviewer, Server, access::Who, page::Answer},
    stats::agreement::Weights,
    store::Store,
};

/// A kind of thing.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    path: &'static str,
    #[serde(flatten)]
    progress: Progress,
    agreement: WithOthers,
}

/// `GET /review`
pub async fn page(State(server): State<Arc<Server>>, Reviewer(name): Reviewer) -> Answer {
    let (of, by) = (Arc::clone(&server), name.clone());
    let read = move |store: &Store| store.at_one_moment(|| rows(&of, store, &by));
    let rows = server.facts.ask(read).await?;
    let frame = server.frame(&Who::Reviewer(name), "/review", "Your reviews");
    let values = context! { rows => Serde(&rows) };
    frame.page(include_str!("../templates/people/overview.html"), values)
}

fn rows(server: &Server, store: &Store, reviewer: &str) -> Result<Vec<Row>> {
    let row = |name, path, items: &[Item], weights| Row {
        name,
        path,
        progress: progress(items, reviewer),
        agreement: with_others(reviewer, items.iter().map(|of| &of.labels), weights),
    };
    let same = Weights::Identity;
    let duels = |kind| items::duels(server, store, kind);
    Ok(vec![
        row(
            "Inspirations",
            "/review/inspirations",
            &items::inspirations(store)?,
            same,
        ),
        row("Tasks", "/review/tasks", &items::tasks(store)?, same),
        row(
            "Reports",
            "/review/reports",
            &items::reports(server, store)?,
            Weights::Quadratic,
        ),
        row(
            "Duels of tasks",
            "/review/duels/tasks",
            &duels(SubjectKind::Task)?,
            same,
        ),
        row(
            "Duels of reports",
            "/review/duels/reports",
            &duels(SubjectKind::Report)?,
            same,
        ),
    ])
}
