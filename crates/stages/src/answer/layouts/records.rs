//! Reports in a file of records. Hides which fields each layout has.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Number, Value};

use super::{Agents, Incoming, Layout, Problem, Read, bytes_of, shown};
use crate::{
    agents::report_text::{self, is_utf16},
    data::{AttemptCost, State},
    text::records,
};

/// The most bytes that a file may have; it is held in memory.
const MOST_IN_FILE: usize = 1_000_000_000;
type Object = Map<String, Value>;

/// Reads a file of records. The layout is that of the first record that has one.
pub fn read(path: &Path, agents: &mut Agents) -> Result<Read> {
    let file = path.display();
    let bytes = bytes_of(path, MOST_IN_FILE).with_context(|| format!("cannot read `{file}`"))?;
    if is_utf16(&bytes) {
        bail!("`{file}` is UTF-16, not UTF-8");
    }
    let records: Vec<(usize, Result<Object, String>)> = records::read(&bytes);
    let layout = records
        .iter()
        .find_map(|(_, record)| layout_of(record.as_ref().ok()?));
    let Some(layout) = layout else {
        let first = records.first().map(|(line, record)| match record {
            Ok(object) => format!("line {line} has only {}", names(object)),
            Err(why) => format!("line {line} is {why}"),
        });
        bail!(
            "no reports in `{file}`: {}",
            first.unwrap_or_else(|| "it is empty".to_owned())
        );
    };
    let mut read = Read {
        layout,
        reports: Vec::new(),
        problems: Vec::new(),
        repeated: 0,
        skipped_hidden: 0,
    };
    for (line, record) in records {
        let source = format!("{file}:{line}");
        match record.and_then(|record| report(layout, record, &source, agents)) {
            Ok(report) => read.reports.extend(report),
            Err(message) => read.problems.push(Problem { source, message }),
        }
    }
    Ok(read)
}

fn names(object: &Object) -> String {
    let names: Vec<String> = object
        .keys()
        .take(8)
        .map(|name| format!("`{}`", shown(name)))
        .collect();
    if names.is_empty() {
        "no fields".to_owned()
    } else {
        names.join(", ")
    }
}

fn has(object: &Object, fields: &[&str]) -> bool {
    fields.iter().all(|field| object.contains_key(*field))
}

fn layout_of(object: &Object) -> Option<Layout> {
    // In the order of `Layout::RECORDS`: our own fields beside those of another layout are ours.
    if has(object, &["task", "text"]) || has(object, &["task", "state"]) {
        return Some(Layout::Taskgen);
    }
    if has(object, &["id", "article"]) {
        return Some(Layout::DeepResearchBench);
    }
    has(object, &["id", "response"]).then_some(Layout::ResearcherBench)
}

/// The report of a record, or nothing where it is not the wanted agent's.
fn report(
    layout: Layout,
    record: Object,
    source: &str,
    agents: &mut Agents,
) -> Result<Option<Incoming>, String> {
    match layout {
        Layout::DeepResearchBench => {
            foreign(record, ["id", "prompt", "article"], source, agents).map(Some)
        }
        Layout::ResearcherBench => {
            foreign(record, ["id", "question", "response"], source, agents).map(Some)
        }
        _ => own(record, source, agents),
    }
}

fn foreign(
    mut record: Object,
    [key, prompt, text]: [&str; 3],
    source: &str,
    agents: &Agents,
) -> Result<Incoming, String> {
    let key = id(&mut record, key)?;
    let prompt = string(&mut record, prompt)?;
    let text = text_field(&mut record, text)?.ok_or_else(|| format!("no `{text}`"))?;
    let (state, spent) = (state_with(&text, None)?, AttemptCost::default());
    let (source, agent) = (source.to_owned(), agents.name(None));
    Ok(Incoming {
        source,
        key,
        prompt,
        agent,
        attempt: 1,
        text,
        state,
        spent,
        more: record,
    })
}

fn own(mut record: Object, source: &str, agents: &mut Agents) -> Result<Option<Incoming>, String> {
    let agent = name(&mut record, "agent")?;
    if !agents.want(agent.as_deref()) {
        return Ok(None);
    }
    let key = id(&mut record, "task")?;
    let attempt = attempt(&mut record)?;
    let stated = state(&mut record)?;
    let spent = cost(&mut record)?;
    let text = match text_field(&mut record, "text")? {
        // Only a failed attempt may lack its text.
        None if stated.is_none_or(|state| state == State::Ok) => return Err("no `text`".to_owned()),
        text => text.unwrap_or_default(),
    };
    let state = state_with(&text, stated)?;
    let (source, agent) = (source.to_owned(), agents.name(agent.as_deref()));
    Ok(Some(Incoming {
        source,
        key,
        prompt: None,
        agent,
        attempt,
        text,
        state,
        spent,
        more: record,
    }))
}

/// The stated state, unless the text contradicts it.
fn state_with(text: &str, stated: Option<State>) -> Result<State, String> {
    match (text.trim().is_empty(), stated) {
        (true, None | Some(State::Ok)) => Ok(State::Empty),
        (false, Some(State::Empty)) => Err("`state` is `empty`, and there is a text".to_owned()),
        (_, stated) => Ok(stated.unwrap_or(State::Ok)),
    }
}

/// Takes a field out of the record; null is as good as nothing.
fn take(record: &mut Object, name: &str) -> Option<Value> {
    record.shift_remove(name).filter(|value| !value.is_null())
}

fn string(record: &mut Object, name: &str) -> Result<Option<String>, String> {
    match take(record, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!(
            "`{name}` is not a text: `{}`",
            shown(&other.to_string())
        )),
    }
}

fn text_field(record: &mut Object, name: &str) -> Result<Option<String>, String> {
    let Some(text) = string(record, name)? else {
        return Ok(None);
    };
    report_text::from_bytes(text.as_bytes())
        .map(Some)
        .map_err(|why| format!("`{name}`: {why}"))
}

/// A text on one line; a blank one is as good as nothing.
fn name(record: &mut Object, name: &str) -> Result<Option<String>, String> {
    match string(record, name)? {
        Some(text) if text.trim().contains(char::is_control) => {
            Err(format!("`{name}` is not a name: `{}`", shown(&text)))
        }
        text => Ok(text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())),
    }
}

fn id(record: &mut Object, field: &str) -> Result<String, String> {
    let id = match record.get(field) {
        Some(Value::Number(number)) => {
            let id = whole(number);
            take(record, field);
            Some(id)
        }
        _ => name(record, field)?,
    };
    id.ok_or_else(|| format!("no `{field}`"))
}

/// Tables that were kept as floating point write 3.0 for 3.
fn whole(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

fn attempt(record: &mut Object) -> Result<u32, String> {
    let Some(value) = take(record, "attempt") else {
        return Ok(1);
    };
    let number = value
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| *n > 0);
    number.ok_or_else(|| {
        format!(
            "`attempt` is not a number from 1: `{}`",
            shown(&value.to_string())
        )
    })
}

fn state(record: &mut Object) -> Result<Option<State>, String> {
    let Some(word) = string(record, "state")? else {
        return Ok(None);
    };
    let known = State::ALL.into_iter().find(|state| state.word() == word);
    let words = State::ALL.map(State::word).join(", ");
    known
        .map(Some)
        .ok_or_else(|| format!("`state` is not one of {words}: `{}`", shown(&word)))
}

/// `tokens` is a number, or an object with `input` and `output`.
fn cost(record: &mut Object) -> Result<AttemptCost, String> {
    let mut cost = AttemptCost {
        cost_usd: amount(record, "cost_usd")?,
        seconds: amount(record, "seconds")?,
        ..AttemptCost::default()
    };
    match take(record, "tokens") {
        None => {}
        Some(Value::Object(mut tokens)) => {
            cost.input_tokens = count(take(&mut tokens, "input"), "tokens.input")?;
            cost.output_tokens = count(take(&mut tokens, "output"), "tokens.output")?;
            // Unknown fields are kept beside the report.
            if !tokens.is_empty() {
                record.insert("tokens".to_owned(), Value::Object(tokens));
            }
        }
        other => cost.tokens = count(other, "tokens")?,
    }
    match cost.implausible() {
        Some((name, value)) => Err(format!(
            "no attempt can have cost so much: `{name}` is {value}"
        )),
        None => Ok(cost),
    }
}

fn count(value: Option<Value>, name: &str) -> Result<Option<u64>, String> {
    let Some(value) = value else { return Ok(None) };
    value
        .as_u64()
        .map(Some)
        .ok_or_else(|| format!("`{name}` is not a count: `{}`", shown(&value.to_string())))
}

fn amount(record: &mut Object, name: &str) -> Result<Option<f64>, String> {
    let Some(value) = take(record, name) else {
        return Ok(None);
    };
    let amount = value
        .as_f64()
        .filter(|amount| amount.is_finite() && *amount >= 0.0);
    amount
        .map(Some)
        .ok_or_else(|| format!("`{name}` is not an amount: `{}`", shown(&value.to_string())))
}
