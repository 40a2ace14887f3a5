//! Calls to models: sums by role and model, failures by cause, the newest ones, and each with what
//! was asked and what was answered.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, State};
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
    },
    store::{CallFailures, CallHead, CallTotals, Store},
};

/// Calls that are listed.
const LISTED: usize = 50;

/// What is shown.
#[derive(Serialize)]
pub struct Shown {
    totals: Vec<CallTotals>,
    /// The calls that failed, by cause.
    failures: Vec<CallFailures>,
    /// The newest calls, newest first.
    calls: Vec<CallHead>,
}

type Found = (Arc<Shown>, Option<Timestamp>);

async fn found(server: &Arc<Server>) -> Result<Found> {
    let of = Arc::clone(server);
    let read = move |store: &Store| {
        of.results.calls.get(&of.facts, || {
            store.at_one_moment(|| {
                Ok(Shown {
                    totals: store.call_totals()?,
                    failures: store.call_failures()?,
                    calls: store.newest_calls(LISTED)?,
                })
            })
        })
    };
    server.facts.ask(read).await
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
pub async fn page(State(server): State<Arc<Server>>, Visitor(who): Visitor) -> Answer {
    let (shown, as_of) = found(&server).await?;
    let total: u64 = shown.totals.iter().map(|of| of.cost_micro).sum();
    let values = context! {
        of => Serde(&*shown),
        costs => shown.totals.iter().map(cost).collect::<Vec<_>>(),
        calls => shown.totals.iter().map(|of| of.calls).sum::<u64>(),
        failed => shown.totals.iter().map(|of| of.failed).sum::<u64>(),
        unpriced => shown.totals.iter().map(|of| of.unpriced).sum::<u64>(),
        total => dollars(total),
    };
    let frame = server
        .frame(&who, "/calls", "Calls to models")
        .of_moment(as_of);
    frame.page(include_str!("../templates/results/calls.html"), values)
}

/// `GET /calls.json`
pub async fn json(State(server): State<Arc<Server>>, _: Visitor) -> Answer {
    page::json(&*found(&server).await?.0)
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
