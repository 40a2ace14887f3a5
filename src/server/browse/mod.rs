//! What there is: an overview, seminars with their sound, inspirations, tasks. One file a page;
//! each reads the facts, and fills a template.

mod inspirations;
mod overview;
mod seminars;
mod task;
mod tasks;

use std::sync::Arc;

use axum::{Router, routing::get};

use super::{Server, facts};

/// Conclusions that take long, kept until the facts change.
#[derive(Default)]
pub struct Kept {
    tasks: facts::Kept<tasks::Index>,
    inspirations: facts::Kept<inspirations::Index>,
}

/// The pages.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(overview::page))
        .route("/overview.json", get(overview::json))
        .route("/seminars", get(seminars::list))
        .route("/seminars.json", get(seminars::json))
        .route("/seminars/{id}", get(seminars::page))
        .route("/inspirations", get(inspirations::page))
        .route("/inspirations.json", get(inspirations::json))
        .route("/inspirations.csv", get(inspirations::csv))
        .route("/tasks", get(tasks::page))
        .route("/tasks.json", get(tasks::json))
        .route("/tasks.csv", get(tasks::csv))
        .route("/tasks/{id}", get(task::page))
}
