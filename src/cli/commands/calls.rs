//! `taskgen calls`: requests to models, with their cost and failures.

use anyhow::Result;
use comfy_table::Table;
use serde::Serialize;

use crate::{
    answer::ROLE,
    cli::{
        args::{self, Global},
        project::{Project, roles},
        ui::{
            exit::{self, Usage},
            output::{Printer, seconds, table},
        },
    },
    data::Call,
    llm::RateChange,
    store::{CallFilter, CallTotals, Store},
};

pub use crate::report::words::dollars;

/// Calls that are listed where no number is given.
const LISTED: usize = 20;

#[derive(Serialize)]
struct Shown {
    totals: Vec<CallTotals>,
    /// Replies that their providers are still making; unknown of a single role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_replies: Option<u64>,
    calls: Vec<Call>,
}

/// Lists, filters, shows and sums what is on record.
pub fn calls(global: &Global, args: &args::Calls, printer: &Printer) -> Result<u8> {
    let store = Project::find(global)?.read_or_hint()?;
    if let Some(id) = &args.show {
        let mut found = store.calls(&CallFilter {
            id: id.clone(),
            // Two are enough to see that the beginning fits more than one.
            most: Some(2),
            ..CallFilter::default()
        })?;
        let call = match (found.pop(), found.pop()) {
            (Some(call), None) => call,
            (None, _) => {
                return Err(Usage(format!(
                    "no such call: `{id}`\nhint: `taskgen calls` lists them"
                ))
                .into());
            }
            _ => {
                return Err(Usage(format!(
                    "more than one call begins so: `{id}`\nhint: give more of it"
                ))
                .into());
            }
        };
        printer.show(&call, one)?;
        return Ok(exit::DONE);
    }
    if args.rates {
        return rates(&store, printer);
    }
    let is_unknown = |role: &String| !roles::NAMES.contains(&role.as_str()) && role != ROLE;
    if let Some(role) = args.role.as_ref().filter(|role| is_unknown(role)) {
        return Err(Usage(format!(
            "no such role: `{role}`\nhint: {}, {ROLE}",
            roles::NAMES.join(", ")
        ))
        .into());
    }
    let filter = CallFilter {
        role: args.role.clone(),
        model: args.model.clone(),
        failed: args.failed,
        id: String::new(),
        most: Some(args.limit.unwrap_or(LISTED)),
    };
    let shown = Shown {
        totals: store
            .call_totals()?
            .into_iter()
            .filter(|total| args.role.as_ref().is_none_or(|role| *role == total.role))
            .collect(),
        pending_replies: match args.role {
            None => Some(store.background_replies()?),
            Some(_) => None,
        },
        calls: store.calls(&filter)?,
    };
    printer.show(&shown, |shown| {
        let pending = shown.pending_replies.and_then(pending_replies);
        if shown.totals.is_empty() {
            return match pending {
                Some(line) => format!("no model has answered yet\n{line}"),
                None => "no model was asked yet".to_owned(),
            };
        }
        let calls = if shown.calls.is_empty() {
            "no call is like that".to_owned()
        } else {
            list(&shown.calls).to_string()
        };
        let mut lines = vec![calls, totals(&shown.totals).to_string()];
        lines.extend(pending);
        lines.join("\n")
    })?;
    Ok(exit::DONE)
}

/// A line on the replies that are not in the sums; none where there is none.
pub fn pending_replies(replies: u64) -> Option<String> {
    let replies = match replies {
        0 => return None,
        1 => "1 reply is".to_owned(),
        many => format!("{many} replies are"),
    };
    Some(format!(
        "{replies} still being made at the provider: the cost is not known yet, and not in the sums\nhint: the same command again fetches what is ready; after a time limit with --retry-failed"
    ))
}

#[derive(Serialize)]
struct Rate {
    model: String,
    #[serde(flatten)]
    change: RateChange,
}

fn rates(store: &Store, printer: &Printer) -> Result<u8> {
    let mut found = Vec::new();
    for (model, change) in store.last_rates()? {
        found.push(Rate {
            model,
            change: serde_json::from_str(&change)?,
        });
    }
    printer.show(&found, |found| {
        if found.is_empty() {
            return "no server was asked yet".to_owned();
        }
        let most = found
            .iter()
            .map(|rate| rate.change.limit)
            .fold(1.0, f64::max);
        let mut rows = table(&["model", "after", "at once", "", "why"]);
        for Rate { model, change } in found {
            rows.add_row(vec![
                model.clone(),
                seconds(change.ms as f64 / 1e3),
                format!("{:.1}", change.limit),
                "█".repeat((change.limit * 30.0 / most).ceil() as usize),
                format!("{:?}", change.why).to_lowercase(),
            ]);
        }
        rows.to_string()
    })?;
    Ok(exit::DONE)
}

fn list(calls: &[Call]) -> Table {
    let mut rows = table(&[
        "call",
        "role",
        "model",
        "prompt",
        "tokens in, out",
        "cost",
        "time",
        "attempts",
        "outcome",
    ]);
    for call in calls {
        rows.add_row(vec![
            call.id.to_string(),
            call.role.clone(),
            call.model_asked.clone(),
            call.prompt.clone(),
            format!("{}, {}", call.usage.input, call.usage.output),
            call.cost_micro
                .map_or_else(|| "unknown".to_owned(), dollars),
            seconds(call.ms as f64 / 1e3),
            call.attempts.to_string(),
            call.cause.map_or("ok", |cause| cause.word()).to_owned(),
        ]);
    }
    rows
}

/// Sums by role and model.
pub fn totals(totals: &[CallTotals]) -> Table {
    let mut rows = table(&[
        "role",
        "model",
        "calls",
        "failed",
        "prompt tokens",
        "cached",
        "reply tokens",
        "cost",
    ]);
    for total in totals {
        let known = dollars(total.cost_micro);
        rows.add_row(vec![
            total.role.clone(),
            total.model.clone(),
            total.calls.to_string(),
            total.failed.to_string(),
            total.usage.input.to_string(),
            total.usage.cached.to_string(),
            total.usage.output.to_string(),
            match total.unpriced {
                0 => known,
                n if n == total.calls => "unknown".to_owned(),
                n => format!("{known} and {n} calls of unknown price"),
            },
        ]);
    }
    rows
}

fn one(call: &Call) -> String {
    let mut out = format!("{}  {}  {}\n", call.id, call.role, call.model_asked);
    if let Some(returned) = &call.model_returned {
        out.push_str(&format!("answered by {returned}\n"));
    }
    out.push_str(&format!(
        "prompt {} ({})\n",
        call.prompt,
        &call.prompt_hash[..12.min(call.prompt_hash.len())]
    ));
    out.push_str(&format!(
        "{} prompt tokens, {} of them cached, {} reply tokens, {}, {}, attempts: {}\n",
        call.usage.input,
        call.usage.cached,
        call.usage.output,
        call.cost_micro
            .map_or_else(|| "cost unknown".to_owned(), dollars),
        seconds(call.ms as f64 / 1e3),
        call.attempts
    ));
    if let Some(cause) = call.cause {
        out.push_str(&format!(
            "failed: {cause}: {}\n",
            call.error.as_deref().unwrap_or_default()
        ));
    }
    for message in call.request["messages"].as_array().into_iter().flatten() {
        let text = |key: &str| message[key].as_str().unwrap_or_default();
        out.push_str(&format!("\n── {} ──\n{}\n", text("role"), text("content")));
    }
    if let Some(asked_as) = &call.asked_as {
        out.push_str(&format!(
            "\nthe server was asked in another way: {asked_as}\n"
        ));
    }
    for reply in &call.earlier {
        out.push_str(&format!(
            "\n── an earlier reply, which could not be used ──\n{reply}\n"
        ));
    }
    out.push_str(&format!(
        "\n── reply ──\n{}\n",
        call.reply.as_deref().unwrap_or("none")
    ));
    out
}
