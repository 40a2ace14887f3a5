//! The columns of exported tasks. They follow the schema of a task, so that a new field is a new
//! column in every file and on every card.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use crate::data::{SetRecord, TaskRecord, id::sha256_hex, record::TaskLine};
use crate::report::export::schemas;
use crate::text::invisible::escaped_in_json;

/// Where the rows lie in an export's folder.
pub(super) const JSONL: &str = "data/tasks.jsonl";

/// The columns that hold a day. They have a type of their own, because readers of JSON lines take
/// days for times, and show them with hours where a text was promised.
const DAYS: [&str; 1] = ["as_of"];

/// A column, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// The field's name.
    pub name: String,
    /// What it says.
    pub about: String,
    /// What it holds; each may be missing.
    pub kind: Kind,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// A day.
    Day,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// A value of changing shape, as JSON in a text: names of facets differ between sets, and a
    /// task comes from a talk or from a file. Readers guess the type of what is nested in JSON
    /// lines and take titles that look like dates for dates; a text stays as it is.
    Json,
    /// Fields of its own.
    Fields(Vec<Column>),
    /// Several of the same kind.
    List(Box<Kind>),
}

/// The columns of a task in a set, in order.
pub(super) fn all() -> Result<Vec<Column>> {
    let schema = schemas::task_line();
    let mut columns = fields(&schema, &schema)?;
    for column in &mut columns {
        if DAYS.contains(&column.name.as_str()) {
            column.kind = Kind::Day;
        }
    }
    Ok(columns)
}

fn fields(schema: &Value, root: &Value) -> Result<Vec<Column>> {
    let fields = schema["properties"].as_object();
    let fields = fields.context("the schema of a task has no fields")?;
    let column = |(name, field): (&String, &Value)| {
        Ok(Column {
            name: name.clone(),
            about: field["description"].as_str().unwrap_or_default().to_owned(),
            kind: kind(field, root).with_context(|| format!("the field `{name}`"))?,
        })
    };
    fields.iter().map(column).collect()
}

fn kind(schema: &Value, root: &Value) -> Result<Kind> {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|r| r.strip_prefix("#/$defs/"))
    {
        return kind(&root["$defs"][name], root);
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return one_of(choices, root);
    }
    match type_of(schema)? {
        "string" => Ok(Kind::Text),
        "integer" => Ok(Kind::Integer),
        "number" => Ok(Kind::Number),
        "boolean" => Ok(Kind::Flag),
        "array" => Ok(Kind::List(Box::new(kind(&schema["items"], root)?))),
        "object" if schema["properties"].is_object() => Ok(Kind::Fields(fields(schema, root)?)),
        "object" => Ok(Kind::Json),
        other => bail!("a schema of type `{other}`"),
    }
}

/// The name of a schema's type, `null` apart: every column may be empty.
fn type_of(schema: &Value) -> Result<&str> {
    let name = match &schema["type"] {
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|n| *n != "null"),
        name => name.as_str(),
    };
    name.context("a schema without a type")
}

/// The kind of a value that has one of several forms.
fn one_of(choices: &[Value], root: &Value) -> Result<Kind> {
    let mut kinds = Vec::new();
    for choice in choices.iter().filter(|choice| choice["type"] != "null") {
        kinds.push(kind(choice, root)?);
    }
    kinds.dedup();
    match (kinds.pop(), kinds.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Ok(Kind::Json),
    }
}

/// The tasks that were not withdrawn as rows: each has all columns in order.
pub(super) fn rows(set: &SetRecord, columns: &[Column]) -> Result<Vec<Value>> {
    set.records()
        .map(|record| row(set, record, columns))
        .collect()
}

fn row(set: &SetRecord, record: &TaskRecord, columns: &[Column]) -> Result<Value> {
    let line = TaskLine {
        set: set.label(),
        canary: set.canary.clone(),
        record: record.clone(),
    };
    let line = serde_json::to_value(line).context("a task cannot be written as JSON")?;
    shaped_fields(line, columns).with_context(|| format!("the task `{}`", record.id))
}

fn shaped_fields(value: Value, columns: &[Column]) -> Result<Value> {
    let Value::Object(mut fields) = value else {
        bail!("fields were expected");
    };
    let mut shaped = Map::new();
    for column in columns {
        let field = fields.remove(&column.name).unwrap_or(Value::Null);
        let field = shaped_as(field, &column.kind)
            .with_context(|| format!("the field `{}`", column.name))?;
        shaped.insert(column.name.clone(), field);
    }
    match fields.keys().next() {
        Some(left) => bail!("the field `{left}` has no column"),
        None => Ok(Value::Object(shaped)),
    }
}

fn shaped_as(value: Value, kind: &Kind) -> Result<Value> {
    match (kind, value) {
        (_, Value::Null) => Ok(Value::Null),
        (Kind::Json, value) => Ok(Value::String(value.to_string())),
        (Kind::Fields(columns), value) => shaped_fields(value, columns),
        (Kind::List(kind), Value::Array(items)) => items
            .into_iter()
            .map(|item| shaped_as(item, kind))
            .collect(),
        (Kind::Day, Value::String(text)) => day(&text).map(|_| Value::String(text)),
        (Kind::Text, value @ Value::String(_))
        | (Kind::Integer | Kind::Number, value @ Value::Number(_))
        | (Kind::Flag, value @ Value::Bool(_)) => Ok(value),
        (kind, value) => bail!("`{value}` is not of the kind {kind:?}"),
    }
}

/// The day that a text names.
pub(super) fn day(text: &str) -> Result<jiff::civil::Date> {
    text.parse()
        .with_context(|| format!("not a day as `YYYY-MM-DD`: `{text}`"))
}

/// The rows as JSON lines.
pub(super) fn json_lines(rows: &[Value]) -> String {
    let mut lines = String::new();
    for row in rows {
        // A terminal obeys some characters: the file has them as escapes.
        lines.push_str(&escaped_in_json(&row.to_string()));
        lines.push('\n');
    }
    lines
}

/// The file of rows, and its hash.
pub(super) fn jsonl(set: &SetRecord) -> Result<(String, String)> {
    let lines = json_lines(&rows(set, &all()?)?);
    let hash = sha256_hex(lines.as_bytes());
    Ok((lines, hash))
}
