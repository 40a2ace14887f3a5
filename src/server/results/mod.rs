//! What agents made of the tasks: reports with their judgements, the leaderboard, the ranking,
//! matches, and the calls that it took. One file a page.

mod calls;
mod compare;
mod leaderboard;
mod matches;
mod ranking;
mod report;
mod reports;
mod scores;

use std::sync::Arc;

use anyhow::Result;
use axum::{Router, routing::get};

use super::{Server, facts};
use crate::{
    data::{ReportHead, TaskId},
    store::Store,
};

/// Conclusions that take long, kept until the facts change.
#[derive(Default)]
pub struct Kept {
    reports: facts::Kept<reports::Index>,
    boards: leaderboard::Boards,
    ranking: facts::Kept<Option<ranking::Ranked>>,
    matches: facts::Kept<Vec<matches::Row>>,
    calls: facts::Kept<calls::Sums>,
}

/// The pages.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/reports", get(reports::page))
        .route("/reports.json", get(reports::json))
        .route("/reports.csv", get(reports::csv))
        .route("/reports/{id}", get(report::page))
        .route("/reports/{id}/text", get(report::text))
        .route("/compare", get(compare::page))
        .route("/compare.json", get(compare::json))
        .route("/leaderboard", get(leaderboard::page))
        .route("/leaderboard.json", get(leaderboard::json))
        .route("/leaderboard.csv", get(leaderboard::csv))
        .route("/leaderboard/tasks/{id}", get(leaderboard::task))
        .route("/ranking", get(ranking::page))
        .route("/ranking.json", get(ranking::json))
        .route("/matches", get(matches::page))
        .route("/matches.json", get(matches::json))
        .route("/matches/{id}", get(matches::one))
        .route("/calls", get(calls::page))
        .route("/calls.json", get(calls::json))
        .route("/calls/{id}", get(calls::one))
}

/// The reports on a task.
pub fn on_task(server: &Server, store: &Store, task: &TaskId) -> Result<Vec<ReportHead>> {
    Ok(reports::index(server, store)?.0.on_task(task))
}
