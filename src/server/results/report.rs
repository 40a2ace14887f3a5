//! A report: what it says, what became of the pages that it cites, how it was judged, and what its
//! agent did on the way.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, State};
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{
    reports::index,
    scores::{self, Line},
};
use crate::{
    data::{ReportHead, ReportId, Source, Step, Task, Trajectory},
    evaluate::detail::{Detail, Details},
    report::{
        leaderboard::task::{ReportView, view},
        markdown,
    },
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
    },
    store::Store,
};

/// What is shown of a report.
#[derive(Serialize)]
struct Shown {
    head: ReportHead,
    /// How it ended, in a word.
    state: &'static str,
    task: Option<Task>,
    /// The report's Markdown as HTML.
    html: String,
    scores: Vec<Line>,
    #[serde(skip)]
    judged: ReportView,
    way: Option<Way>,
    /// Whether it is the newest of its attempt.
    newest: bool,
    /// Reports on the same task.
    others: Vec<ReportHead>,
}

/// What the agent did on its way.
#[derive(Serialize)]
struct Way {
    told_by: &'static str,
    searches: u64,
    visits: u64,
    steps: Vec<Did>,
    left_out: u64,
    unreadable: u64,
}

/// A step.
#[derive(Serialize)]
struct Did {
    kind: &'static str,
    /// Queries, notes and titles.
    words: Vec<String>,
    url: String,
    found: Vec<Source>,
    /// Tokens and time, as far as they are told.
    took: String,
    failed: bool,
}

/// `GET /reports/{id}`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Path(id): Path<String>,
) -> Answer {
    let (id, is_data) = page::named(&id);
    let id = ReportId::from_stored(id.to_owned());
    let of = Arc::clone(&server);
    let read = move |store: &Store| read(&of, store, &id);
    let shown = server.facts.ask(read).await?.ok_or_else(none)?;
    if is_data {
        return page::json(&shown);
    }
    let title = format!("Report of {}", shown.head.agent);
    let values = context! { of => Serde(&shown), judged => Serde(&shown.judged) };
    let mut frame = server.frame(&who, "/reports", title);
    frame.data = Some(format!("/reports/{}.json", shown.head.id));
    frame.page(include_str!("../templates/results/report.html"), values)
}

/// `GET /reports/{id}/text`: the Markdown as the agent wrote it.
pub async fn text(State(server): State<Arc<Server>>, _: Visitor, Path(id): Path<String>) -> Answer {
    let id = ReportId::from_stored(id);
    let read = move |store: &Store| match store.report_head(&id)? {
        Some(_) => store.report_text(&id).map(Some),
        None => Ok(None),
    };
    let text = server.facts.ask(read).await?.ok_or_else(none)?;
    Ok(page::file("text/plain; charset=utf-8", text))
}

fn none() -> Failure {
    Failure::none("There is no such report")
}

fn read(server: &Server, store: &Store, id: &ReportId) -> Result<Option<Shown>> {
    let Some(head) = store.report_head(id)? else {
        return Ok(None);
    };
    let details = Details::of(store, vec![head.clone()])?;
    let of_task: Vec<Detail> = details.on_task(&head.task)?;
    let Some(detail) = of_task.first() else {
        return Ok(None);
    };
    let task = store.task(&head.task)?;
    let scores = match &task {
        Some(task) => scores::lines(store, task, std::slice::from_ref(&head))?,
        None => Vec::new(),
    };
    let mut others = index(server, store)?.0.on_task(&head.task);
    let newest = others.iter().any(|of| of.id == head.id);
    others.retain(|of| of.id != head.id);
    Ok(Some(Shown {
        state: head.state.word(),
        html: markdown::html(&detail.report.text),
        way: store.trajectory(id)?.map(way),
        head,
        task,
        scores,
        judged: view(store, detail)?,
        newest,
        others,
    }))
}

fn way(of: Trajectory) -> Way {
    let counts = of.counts();
    Way {
        told_by: of.told_by.word(),
        searches: counts.searches,
        visits: counts.visits,
        left_out: counts.left_out,
        unreadable: counts.unreadable,
        steps: of.steps.into_iter().map(did).collect(),
    }
}

fn did(step: Step) -> Did {
    let tokens = [
        (step.input_tokens, "prompt tokens"),
        (step.output_tokens, "reply tokens"),
        (step.reasoning_tokens, "of thoughts"),
    ];
    let tokens = tokens.into_iter();
    let mut took: Vec<String> = tokens
        .filter_map(|(n, of)| n.map(|n| format!("{n} {of}")))
        .collect();
    took.extend(step.seconds.map(|seconds| format!("{seconds:.1} s")));
    let mut words = step.queries;
    words.extend(step.text);
    words.extend(step.title);
    Did {
        kind: step.kind.word(),
        words,
        url: step.url.unwrap_or_default(),
        found: step.found,
        took: took.join(", "),
        failed: step.failed,
    }
}
