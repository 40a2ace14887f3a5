//! The newest ranking of tasks: its audit, its plots, and the tasks themselves.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::State;
use jiff::Timestamp;
use minijinja::context;

use crate::{
    report::ranking,
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
    },
    store::Store,
};

/// A ranking as its texts.
pub struct Ranked {
    html: String,
    json: String,
}

type Found = (Arc<Option<Ranked>>, Option<Timestamp>);

async fn found(server: &Arc<Server>) -> Result<Found> {
    let of = Arc::clone(server);
    let read = move |store: &Store| of.results.ranking.get(&of.facts, || draw(store));
    server.facts.ask(read).await
}

fn draw(store: &Store) -> Result<Option<Ranked>> {
    let Some(ranked) = ranking::ranked(store, None)? else {
        return Ok(None);
    };
    let report = ranking::report(&ranked);
    Ok(Some(Ranked {
        html: report.html()?,
        json: serde_json::to_string_pretty(&report)?,
    }))
}

/// `GET /ranking`
pub async fn page(State(server): State<Arc<Server>>, Visitor(who): Visitor) -> Answer {
    let (ranked, as_of) = found(&server).await?;
    let mut frame = server.frame(&who, "/ranking", "Ranking").of_moment(as_of);
    let Some(ranked) = &*ranked else {
        let template = include_str!("../templates/results/no_ranking.html");
        return frame.page(template, context! {});
    };
    frame.links = vec![
        ("/tasks".into(), "All tasks, best first".into()),
        ("/ranking.json".into(), "JSON".into()),
    ];
    frame.around(&ranked.html)
}

/// `GET /ranking.json`: the value that `taskgen rank report --json` prints.
pub async fn json(State(server): State<Arc<Server>>, _: Visitor) -> Answer {
    match &*found(&server).await?.0 {
        Some(ranked) => Ok(page::file("application/json", ranked.json.clone())),
        None => Err(Failure::none("Nothing is ranked yet")),
    }
}
