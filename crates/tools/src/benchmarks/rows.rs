//! The rows of a file of questions, under any known names of the fields.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Format, MOST_CHARACTERS, parquet};
use crate::{
    data::{Difficulty, Facets, Phase, TaskType},
    text::{invisible::works_unseen, records},
};

/// Names of the fields, the first that a row has being the one that counts.
const TEXT: [&str; 6] = ["task", "question", "prompt", "query", "text", FILLED_TEXT];
/// Fields of a text and a checklist in which the benchmark has filled the time slots itself.
const FILLED_TEXT: &str = "question_no_placeholder";
const FILLED_CHECKLIST: &str = "checklist_no_placeholder";
const ID: [&str; 4] = ["qid", "id", "query_id", "task_id"];
const LANGUAGE: [&str; 2] = ["language", "lang"];
const CHECKLIST: [&str; 2] = ["checklist", FILLED_CHECKLIST];
const OTHERS: &str = "facets";
/// Fields of our own exports that are no facets.
const OF_SETS: [&str; 2] = ["canary", "set"];
/// The most characters of a facet's value; a longer one is a text and no group.
const MOST_IN_FACET: usize = 60;
/// The most characters of an id in a file.
const MOST_IN_ID: usize = 200;

/// A row.
#[derive(Debug, Default, PartialEq)]
pub struct Row {
    /// Its id in the file.
    pub id: Option<String>,
    /// The question as it is written.
    pub text: String,
    /// Language tag.
    pub language: Option<String>,
    /// What it is grouped by.
    pub facets: Facets,
    /// What a report must deliver.
    pub checklist: Vec<String>,
    /// Names of the fields that are ignored.
    pub ignored: Vec<String>,
}

type Object = Map<String, Value>;
/// Rows with their lines, from 1, or why a line holds none.
type Rows = Vec<(usize, Result<Row, String>)>;

/// The rows of a file; the error says why it cannot be read at all. `is_static` prefers texts whose
/// time slots the benchmark has filled.
pub fn read(bytes: &[u8], format: Format, is_static: bool) -> Result<Rows, String> {
    let row = |object| row(object, is_static);
    match format {
        Format::Json => Ok(records::read(bytes)
            .into_iter()
            .map(|(line, object)| (line, object.and_then(row)))
            .collect()),
        Format::Parquet => Ok(parquet::read(bytes)?
            .into_iter()
            .zip(1..)
            .map(|(object, line)| (line, object.and_then(row)))
            .collect()),
        Format::Table(delimiter) => table(bytes, delimiter, is_static),
        Format::Lines => lines(bytes),
    }
}

fn lines(bytes: &[u8]) -> Result<Rows, String> {
    let text = str::from_utf8(bytes)
        .map_err(|e| format!("not UTF-8 from byte {}", e.valid_up_to() + 1))?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    Ok(lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| (at + 1, question(line).map(of_text)))
        .collect())
}

fn of_text(text: String) -> Row {
    Row {
        text,
        ..Row::default()
    }
}

fn table(bytes: &[u8], delimiter: u8, is_static: bool) -> Result<Rows, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(bytes);
    let names = reader.headers().map_err(|e| {
        format!("{e}\nhint: save it as UTF-8, with the names of the columns in the first line")
    })?;
    let names = names.clone();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    if !names.iter().any(|name| TEXT.contains(&name)) {
        let names: Vec<&str> = names.iter().take(8).collect();
        return Err(format!(
            "no column of questions among `{}`\nhint: name it `question`",
            names.join("`, `")
        ));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(match record {
            Ok(record) => (
                line_of(record.position()),
                row(cells(&names, &record), is_static),
            ),
            Err(e) => (line_of(e.position()), Err(e.to_string())),
        });
    }
    Ok(rows)
}

fn line_of(position: Option<&csv::Position>) -> usize {
    position.map_or(0, |position| position.line() as usize)
}

fn cells(names: &csv::StringRecord, record: &csv::StringRecord) -> Object {
    let cells = names.iter().zip(record.iter());
    cells
        .filter(|(_, cell)| !cell.trim().is_empty())
        .map(|(name, cell)| (name.to_owned(), cell.into()))
        .collect()
}

fn row(mut object: Object, is_static: bool) -> Result<Row, String> {
    if is_static {
        prefer(&mut object, FILLED_TEXT, &TEXT);
        prefer(&mut object, FILLED_CHECKLIST, &CHECKLIST);
    }
    let id = id(&mut object)?;
    let text = text(&mut object)?;
    let language = language(&mut object)?;
    let checklist = checklist(&mut object)?;
    let (facets, ignored) = facets(object);
    Ok(Row {
        id,
        text,
        language,
        facets,
        checklist,
        ignored,
    })
}

/// Leaves out the other fields where a preferred one says something.
fn prefer(object: &mut Object, preferred: &str, names: &[&str]) {
    if object.get(preferred).is_some_and(|value| !value.is_null()) {
        let others = names.iter().filter(|name| **name != preferred);
        others.for_each(|name| drop(object.remove(*name)));
    }
}

/// The first of the fields that says something; the others are left out with it.
fn take(object: &mut Object, names: &[&str]) -> Option<Value> {
    let mut taken = names.iter().filter_map(|name| object.remove(*name));
    let first = taken.find(|value| !value.is_null());
    taken.for_each(drop);
    first
}

fn id(object: &mut Object) -> Result<Option<String>, String> {
    let id = match take(object, &ID) {
        None => return Ok(None),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(id)) => id.trim().to_owned(),
        Some(_) => return Err("its id is neither a text nor a number".to_owned()),
    };
    match id.chars().count() {
        0 => Ok(None),
        n if n > MOST_IN_ID => Err(format!("its id has {n} characters, over {MOST_IN_ID}")),
        _ if id.contains(works_unseen) || id.contains('\n') => {
            Err("its id has invisible characters".to_owned())
        }
        _ => Ok(Some(id)),
    }
}

fn text(object: &mut Object) -> Result<String, String> {
    match take(object, &TEXT) {
        Some(Value::String(text)) => question(&text),
        Some(_) => Err("its question is not a text".to_owned()),
        None => {
            let known = TEXT[..5].join("`, `");
            Err(format!("no question: none of the fields `{known}`"))
        }
    }
}

/// A question with lines ended by `\n` alone, without what nobody sees.
fn question(text: &str) -> Result<String, String> {
    let text = text.replace("\r\n", "\n");
    let text = text.trim();
    let n = text.chars().count();
    if n == 0 {
        return Err("its question is empty".to_owned());
    }
    if n > MOST_CHARACTERS {
        return Err(format!(
            "its question has {n} characters, over {MOST_CHARACTERS}"
        ));
    }
    if text.contains(works_unseen) {
        return Err("its question has invisible characters".to_owned());
    }
    Ok(text.to_owned())
}

fn language(object: &mut Object) -> Result<Option<String>, String> {
    match take(object, &LANGUAGE) {
        None => Ok(None),
        Some(Value::String(tag)) => check_tag(&tag).map(Some),
        Some(_) => Err("its language is not a text".to_owned()),
    }
}

/// A language tag of the form of BCP 47: `en`, `zh-Hans`, `pt-BR`.
pub fn check_tag(tag: &str) -> Result<String, String> {
    let mut parts = tag.split('-');
    let is_word = |part: &str| {
        (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let primary = parts.next().unwrap_or_default();
    let is_primary =
        (2..=3).contains(&primary.len()) && primary.chars().all(|c| c.is_ascii_alphabetic());
    if is_primary && parts.all(is_word) {
        Ok(primary.to_ascii_lowercase() + &tag[primary.len()..])
    } else {
        Err(format!(
            "not a language tag: `{}`, such as `en` or `zh-Hans`",
            tag.escape_debug()
        ))
    }
}

fn checklist(object: &mut Object) -> Result<Vec<String>, String> {
    match take(object, &CHECKLIST) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![item(&text.into())?]),
        Some(Value::Array(items)) => items.iter().map(item).collect(),
        Some(_) => Err("its checklist is neither a text nor a list".to_owned()),
    }
}

fn item(value: &Value) -> Result<String, String> {
    let text = value.as_str().unwrap_or_default();
    question(text).map_err(|why| why.replace("question", "checklist's item"))
}

/// The facets, and the names of the fields that are none. A short text is a facet, and one of ours
/// where its name and its value are ours.
fn facets(mut object: Object) -> (Facets, Vec<String>) {
    let mut facets = Facets::default();
    let mut ignored = Vec::new();
    if let Some(Value::Object(others)) = object.remove(OTHERS) {
        object.extend(others);
    }
    for (name, value) in object {
        match value {
            Value::String(_) if OF_SETS.contains(&name.as_str()) => {}
            Value::String(value) if is_facet(&name, &value) => {
                add(&mut facets, name, value.trim().to_owned());
            }
            Value::Null => {}
            _ => ignored.push(name.chars().take(MOST_IN_FACET).collect()),
        }
    }
    facets.phase = facets.phase.or(facets.task_type.map(TaskType::phase));
    (facets, ignored)
}

fn is_facet(name: &str, value: &str) -> bool {
    let is_short = |text: &str| (1..=MOST_IN_FACET).contains(&text.trim().chars().count());
    is_short(name)
        && is_short(value)
        && !name.contains(char::is_control)
        && !value.contains(char::is_control)
}

fn add(facets: &mut Facets, name: String, value: String) {
    match name.as_str() {
        "phase" => facets.phase = named(&Phase::ALL, Phase::label, &value),
        "task_type" | "type" => facets.task_type = named(&TaskType::ALL, TaskType::label, &value),
        "difficulty" => facets.difficulty = named(&Difficulty::ALL, Difficulty::label, &value),
        "discipline" => facets.discipline = Some(value.clone()),
        _ => {}
    }
    // Another benchmark's phases or types are not ours, and still group its tasks.
    let is_ours = match name.as_str() {
        "phase" => facets.phase.is_some(),
        "task_type" | "type" => facets.task_type.is_some(),
        "difficulty" => facets.difficulty.is_some(),
        "discipline" => true,
        _ => false,
    };
    if !is_ours {
        facets.others.insert(name, value);
    }
}

/// The value with this label, or stored under this word.
fn named<T: Copy + DeserializeOwned>(
    all: &[T],
    label: fn(T) -> &'static str,
    word: &str,
) -> Option<T> {
    all.iter()
        .copied()
        .find(|value| label(*value).eq_ignore_ascii_case(word))
        .or_else(|| serde_json::from_value(word.into()).ok())
}
