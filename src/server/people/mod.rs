//! What people decide: reviews and duels, each person's own. Nothing here shows what others said
//! before one has decided oneself.

mod doors;

use std::sync::Arc;

use axum::{Router, routing::get};

use super::Server;

/// The pages of reviewers.
pub fn routes() -> Router<Arc<Server>> {
    Router::new()
}

/// Where one comes in and goes out.
pub fn doors() -> Router<Arc<Server>> {
    Router::new()
        .route("/enter", get(doors::enter))
        .route("/leave", axum::routing::post(doors::leave))
}
