//! Two reports on a task side by side, with their scores beneath.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Query as Asked, State};
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::{
    reports::index,
    scores::{self, Line},
};
use crate::{
    data::{ReportHead, ReportId, Task, TaskId},
    report::markdown,
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
        paging::Query,
    },
    store::Store,
};

/// What is shown.
#[derive(Serialize)]
struct Compared {
    task: Task,
    /// All reports on the task.
    reports: Vec<ReportHead>,
    sides: Vec<Side>,
    scores: Vec<Line>,
}

/// A report on one side.
#[derive(Serialize)]
struct Side {
    /// `left` or `right`.
    name: &'static str,
    id: ReportId,
    agent: String,
    attempt: u32,
    state: &'static str,
    /// Its Markdown as HTML.
    html: String,
}

async fn compared(server: &Arc<Server>, query: Query) -> Result<Compared, Failure> {
    let Some(task) = query.get("task").filter(|task| !task.is_empty()) else {
        return Err(Failure::bad(
            "Reports on which task?",
            "The page of a task with several reports leads here.",
        ));
    };
    let task = TaskId::from_stored(task.clone());
    let of = Arc::clone(server);
    let read = move |store: &Store| read(&of, store, &task, &query);
    let compared = server.facts.ask(read).await?;
    compared.ok_or_else(|| Failure::none("There is no report on such a task"))
}

/// `GET /compare?task=…&left=…&right=…`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let compared = compared(&server, query).await?;
    let mut frame = server.frame(&who, "/reports", "Reports side by side");
    frame.data = Some(address_of_data(&compared));
    let values = context! { of => Serde(&compared) };
    frame.page(include_str!("../templates/results/compare.html"), values)
}

/// `GET /compare.json`, with the same words.
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    page::json(&compared(&server, query).await?)
}

fn address_of_data(of: &Compared) -> String {
    let mut said = url::form_urlencoded::Serializer::new(String::new());
    said.append_pair("task", of.task.id.as_str());
    for side in &of.sides {
        said.append_pair(side.name, side.id.as_str());
    }
    format!("/compare.json?{}", said.finish())
}

fn read(server: &Server, store: &Store, id: &TaskId, query: &Query) -> Result<Option<Compared>> {
    let reports = index(server, store)?.0.on_task(id);
    let Some(task) = store.task(id)?.filter(|_| !reports.is_empty()) else {
        return Ok(None);
    };
    let heads = chosen(&reports, query);
    let mut sides = Vec::new();
    for (name, head) in ["left", "right"].into_iter().zip(&heads) {
        sides.push(Side {
            name,
            html: markdown::html(&store.report_text(&head.id)?),
            id: head.id.clone(),
            agent: head.agent.clone(),
            attempt: head.attempt,
            state: head.state.word(),
        });
    }
    Ok(Some(Compared {
        scores: scores::lines(store, &task, &heads)?,
        task,
        reports,
        sides,
    }))
}

/// The two that were asked for; the first ones in place of those that there are not.
fn chosen(reports: &[ReportHead], query: &Query) -> Vec<ReportHead> {
    let named = |side: &str| {
        let id = query.get(side)?;
        reports.iter().find(|head| head.id.as_str() == id)
    };
    let (left, right) = (named("left"), named("right"));
    let other = |of: Option<&ReportHead>| {
        let mut reports = reports.iter();
        reports.find(|head| of.is_none_or(|of| of.id != head.id))
    };
    let left = left.or_else(|| other(right));
    let right = right.or_else(|| other(left));
    left.into_iter().chain(right).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::State;

    #[test]
    fn what_is_not_named_is_the_first_other_one() {
        let head = |agent: &str| ReportHead {
            id: ReportId::from_parts(&[agent]),
            task: TaskId::from_parts(&["t"]),
            agent: agent.into(),
            attempt: 1,
            state: State::Ok,
            text: (),
            spent: crate::data::AttemptCost::default(),
        };
        let all = [head("a"), head("b"), head("c")];
        let agents = |left: &str, right: &str| {
            let id = |agent: &str| match agent {
                "" => "x".to_owned(),
                agent => head(agent).id.to_string(),
            };
            let sides = [("left".into(), id(left)), ("right".into(), id(right))];
            let chosen = chosen(&all, &Query::from(sides));
            chosen
                .iter()
                .map(|head| head.agent.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(agents("", ""), ["a", "b"]);
        assert_eq!(agents("c", ""), ["c", "a"]);
        assert_eq!(agents("", "a"), ["b", "a"]);
        assert_eq!(agents("c", "b"), ["c", "b"]);
        assert_eq!(chosen(&all[..1], &Query::new()).len(), 1);
    }
}
