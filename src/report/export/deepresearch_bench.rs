//! A set and its reports in `DeepResearch` Bench's layout: `query.jsonl` (`id`, `topic`,
//! `language`, `prompt`) and a file of articles for each agent (`id`, `prompt`, `article`). Hides
//! how ids are chosen, which agents' names can be files, and attempts beyond the first.
//!
//! What the layout has no place for is left out: attempts without a report, facets but the topic,
//! and the template of a text with time slots.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Number, Value};

use super::{ExportFile, lines::jsonl, scoring::has_text};
use crate::data::{
    ReportRecord, SetRecord, TaskId, TaskRecord, id::sha256_hex, record::Provenance,
};

/// Where the benchmark keeps its questions.
const QUERIES: &str = "data/prompt_data/query.jsonl";
/// Where it keeps what agents wrote.
const ARTICLES: &str = "data/test_data/raw_data";

/// A line of questions.
#[derive(Serialize)]
struct Query<'a> {
    id: &'a Value,
    topic: &'a str,
    language: &'a str,
    prompt: &'a str,
    // The benchmark's own programs read the fields above alone.
    canary: &'a str,
}

/// A line of articles.
#[derive(Serialize)]
struct Article<'a> {
    id: &'a Value,
    prompt: &'a str,
    article: &'a str,
    canary: &'a str,
}

/// The questions, and a file for each agent with reports; further attempts have files of their own.
pub fn files(set: &SetRecord, reports: &[ReportRecord]) -> Result<Vec<ExportFile>> {
    let tasks: Vec<&TaskRecord> = set.records().collect();
    let ids = ids(&tasks);
    let queries = tasks.iter().zip(&ids).map(|(task, id)| Query {
        id,
        topic: topic(task),
        language: &task.language,
        prompt: &task.text,
        canary: &set.canary,
    });
    let mut files = vec![ExportFile::text(QUERIES, jsonl(queries)?)];
    let places: BTreeMap<&TaskId, usize> = tasks
        .iter()
        .enumerate()
        .map(|(at, task)| (&task.id, at))
        .collect();
    let mut by_file: BTreeMap<(&str, u32), Vec<(usize, &ReportRecord)>> = BTreeMap::new();
    for report in reports.iter().filter(|report| has_text(report)) {
        if let Some(at) = places.get(&report.task) {
            let file = by_file.entry((&report.agent, report.attempt)).or_default();
            file.push((*at, report));
        }
    }
    for ((agent, attempt), mut answers) in by_file {
        answers.sort_by_key(|(at, _)| *at);
        let rows = answers.iter().map(|(at, report)| Article {
            id: &ids[*at],
            prompt: &tasks[*at].text,
            article: &report.text,
            canary: &set.canary,
        });
        let path = format!("{ARTICLES}/{}.jsonl", file_name(agent, attempt));
        files.push(ExportFile::text(path, jsonl(rows)?));
    }
    Ok(files)
}

/// The id of each task: that of the file that it was imported from, so that reading it back finds
/// the same task; else the next number from 1 that no file's id is. Where two files have the same
/// id, the first task keeps it.
fn ids(tasks: &[&TaskRecord]) -> Vec<Value> {
    let own: BTreeSet<&str> = tasks.iter().filter_map(|task| file_id(task)).collect();
    let mut numbers = (1_u64..).filter(|number| !own.contains(number.to_string().as_str()));
    let mut given = BTreeSet::new();
    let ids = tasks.iter().map(|task| match file_id(task) {
        Some(id) if given.insert(id) => as_written(id),
        _ => Value::from(numbers.next()),
    });
    ids.collect()
}

fn file_id(task: &TaskRecord) -> Option<&str> {
    match &task.provenance {
        Provenance::Imported { imported } => imported.file_id.as_deref(),
        Provenance::Talk(_) => None,
    }
}

/// A number where the id is one, as the benchmark writes it.
fn as_written(id: &str) -> Value {
    match id.parse::<u64>() {
        Ok(number) if number.to_string() == id => Value::Number(Number::from(number)),
        _ => Value::from(id),
    }
}

/// The topic that the task was imported with, or else its discipline.
fn topic(task: &TaskRecord) -> &str {
    let imported = task.facets.as_ref().and_then(|of| of.get("topic"));
    imported
        .map(String::as_str)
        .or(task.discipline.as_deref())
        .unwrap_or("other")
}

/// The name of an agent's file without its extension. Names of agents are strangers' words: where
/// one is no plain file name, a hash tells it from others that look the same.
fn file_name(agent: &str, attempt: u32) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut name: String = agent
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    if name != agent || name.starts_with('.') {
        name = format!(
            "{}-{}",
            name.trim_start_matches('.'),
            &sha256_hex(agent.as_bytes())[..8]
        );
    }
    if attempt > 1 {
        name.push_str(&format!("@attempt-{attempt}"));
    }
    name
}
