//! Calls to models: sums by role and model, failures by cause, a list with the newest first, and
//! each call with what was asked and what was answered.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, Query as Asked, State};
use jiff::Timestamp;
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::Value;

use crate::{
    data::{Call, CallId, Cause},
    report::words::dollars,
    server::{
        Server, Visitor,
        page::{self, Answer, Failure},
        paging::{Facet, ITEMS, Paging, Query},
    },
    store::{CallFailures, CallHead, CallTotals, NewestCalls, Store},
};

/// The sums, which take long where there are a million calls.
pub struct Sums {
    totals: Vec<CallTotals>,
    /// The calls that failed, by cause.
    failures: Vec<CallFailures>,
}

/// What is shown.
#[derive(Serialize)]
struct Shown<'a> {
    totals: &'a [CallTotals],
    failures: &'a [CallFailures],
    /// The calls that were asked for; `calls` is a part of them.
    total: usize,
    /// The number of the part, from 1, and of the last one.
    page: usize,
    last: usize,
    /// Newest first.
    calls: &'a [CallHead],
}

/// The sums, and the part of the list that is asked for.
struct Found {
    sums: Arc<Sums>,
    as_of: Option<Timestamp>,
    boxes: [Facet; 3],
    paging: Paging,
    calls: Vec<CallHead>,
}

impl Found {
    fn shown(&self) -> Shown<'_> {
        Shown {
            totals: &self.sums.totals,
            failures: &self.sums.failures,
            total: self.paging.total,
            page: self.paging.page,
            last: self.paging.last,
            calls: &self.calls,
        }
    }
}

async fn found(server: &Arc<Server>, query: Query) -> Result<Found> {
    let of = Arc::clone(server);
    let read = move |store: &Store| {
        let (sums, as_of) = of.results.calls.get(&of.facts, || {
            store.at_one_moment(|| {
                Ok(Sums {
                    totals: store.call_totals()?,
                    failures: store.call_failures()?,
                })
            })
        })?;
        let boxes = boxes(&sums, &query);
        let paging = Paging::new("/calls", &query, count(&sums, &boxes));
        let [role, model, cause] = boxes
            .each_ref()
            .map(|of| Some(of.chosen.as_str()).filter(|chosen| !chosen.is_empty()));
        let calls = store.newest_calls(&NewestCalls {
            role,
            model,
            cause,
            skip: paging.first,
            most: ITEMS,
        })?;
        Ok(Found {
            sums,
            as_of,
            boxes,
            paging,
            calls,
        })
    };
    server.facts.ask(read).await
}

/// Roles, models and causes.
fn boxes(sums: &Sums, query: &Query) -> [Facet; 3] {
    let of = |count: &CallTotals| count.calls as usize;
    let roles = sums.totals.iter().map(|row| (row.role.as_str(), of(row)));
    let models = sums.totals.iter().map(|row| (row.model.as_str(), of(row)));
    let causes = sums.failures.iter();
    let causes = causes.map(|row| (row.cause.as_str(), row.calls as usize));
    [
        Facet::counted("role", "Role", query, roles),
        Facet::counted("model", "Model", query, models),
        Facet::counted("cause", "Failed because", query, causes),
    ]
}

/// The calls that fit: all of a role and model, or those that failed for a cause.
fn count(sums: &Sums, [role, model, cause]: &[Facet; 3]) -> usize {
    let takes = |of: &str, to: &str| role.takes(Some(of)) && model.takes(Some(to));
    let calls: u64 = if cause.chosen.is_empty() {
        let rows = sums.totals.iter();
        rows.filter(|row| takes(&row.role, &row.model))
            .map(|row| row.calls)
            .sum()
    } else {
        let rows = sums.failures.iter();
        rows.filter(|row| takes(&row.role, &row.model) && cause.takes(Some(&row.cause)))
            .map(|row| row.calls)
            .sum()
    };
    calls as usize
}

/// `$0.0123`, and how many calls have no price.
fn cost(of: &CallTotals) -> String {
    match of.unpriced {
        0 => dollars(of.cost_micro),
        n if n == of.calls => "–, price unknown".to_owned(),
        n => format!("{} and {n} of unknown price", dollars(of.cost_micro)),
    }
}

/// `GET /calls`
pub async fn page(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    let found = found(&server, query).await?;
    let totals = &found.sums.totals;
    let total: u64 = totals.iter().map(|of| of.cost_micro).sum();
    let values = context! {
        of => Serde(found.shown()),
        boxes => Serde(&found.boxes),
        paging => Serde(&found.paging),
        costs => totals.iter().map(cost).collect::<Vec<_>>(),
        calls => totals.iter().map(|of| of.calls).sum::<u64>(),
        failed => totals.iter().map(|of| of.failed).sum::<u64>(),
        unpriced => totals.iter().map(|of| of.unpriced).sum::<u64>(),
        total => dollars(total),
    };
    let frame = server
        .frame(&who, "/calls", "Calls to models")
        .of_moment(found.as_of);
    frame.page(include_str!("../templates/results/calls.html"), values)
}

/// `GET /calls.json`
pub async fn json(
    State(server): State<Arc<Server>>,
    _: Visitor,
    Asked(query): Asked<Query>,
) -> Answer {
    page::json(&found(&server, query).await?.shown())
}

/// `GET /calls/{id}`
pub async fn one(
    State(server): State<Arc<Server>>,
    Visitor(who): Visitor,
    Path(id): Path<String>,
) -> Answer {
    let (id, is_data) = page::named(&id);
    let id = CallId::from_stored(id.to_owned());
    let call = server.facts.ask(move |store| store.call(&id)).await?;
    let call =
        call.ok_or_else(|| Failure::none("There is no such call, or a text of it is gone"))?;
    if is_data {
        return page::json(&call);
    }
    let values = context! {
        call => Serde(&call),
        messages => Serde(messages(&call)),
        settings => settings(&call)?,
        cause => call.cause.map(Cause::word),
        cost => call.cost_micro.map(dollars),
    };
    let mut frame = server.frame(&who, "/calls", "Call");
    frame.data = Some(format!("/calls/{}.json", call.id));
    frame.page(include_str!("../templates/results/call.html"), values)
}

/// Who says what in the request.
fn messages(call: &Call) -> Vec<(String, String)> {
    let all = call.request["messages"].as_array().into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    all.map(|of| (text(&of["role"]), text(&of["content"])))
        .collect()
}

/// The request without its messages.
fn settings(call: &Call) -> Result<String> {
    let mut request = call.request.clone();
    if let Some(fields) = request.as_object_mut() {
        fields.remove("messages");
    }
    Ok(serde_json::to_string_pretty(&request)?)
}
