//! Here is a file of questions: give me its tasks. It reads records (JSONL, a JSON list, CSV, TSV,
//! Parquet) with the field names of several benchmarks, or one question a line. Hides the names of
//! fields, rows that belong to one task, time slots, and how a broken row is left out without
//! losing the others.
//!
//! Known by their fields: DeepResearch Bench's queries (`id`, `topic`, `language`, `prompt`) and
//! LiveResearchBench's rows, one for each item of a checklist (`qid`, `question`, `checklist`).
//! LiveResearchBench's result files are read in [`live_research_bench`], Wiki Live Challenge's
//! files in [`wiki_live_challenge`], DR-Arena's in [`dr_arena`].

pub mod dr_arena;
pub mod fields;
pub mod json;
mod language;
pub mod live_research_bench;
mod parquet;
pub mod problem;
mod rows;
pub mod slots;
#[cfg(test)]
mod tests;
pub mod wiki_live_challenge;

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::data::{FromFile, Origin, Task, TaskId};
use rows::Row;
pub use rows::check_tag;

/// The most characters of a question.
pub const MOST_CHARACTERS: usize = 20_000;

/// How a file of questions is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON objects, one a line or in one list.
    Json,
    /// A table with names of columns in its first line, its cells apart by this character.
    Table(u8),
    /// Columns, as Hugging Face publishes data sets.
    Parquet,
    /// A question a line.
    Lines,
}

impl Format {
    /// The format of a file by its extension; where that says nothing, by its first character.
    pub fn guess(extension: &str, bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let begins = bytes.trim_ascii_start().first();
        match extension.to_ascii_lowercase().as_str() {
            _ if bytes.starts_with(parquet::MAGIC) => Self::Parquet,
            "json" | "jsonl" | "ndjson" => Self::Json,
            "csv" => Self::Table(b','),
            "tsv" => Self::Table(b'\t'),
            _ if matches!(begins, Some(b'{' | b'[')) => Self::Json,
            _ => Self::Lines,
        }
    }
}

/// What a file does not say of its questions.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// The day that time slots are filled for.
    pub as_of: Date,
    /// Whether texts count in which the benchmark has filled its time slots, where there are such.
    pub is_static: bool,
    /// Language tag of questions without one; else it is guessed from the text.
    pub language: Option<&'a str>,
    /// Licence of the questions.
    pub licence: &'a str,
}

/// The tasks of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Each once, in the order of the file.
    pub tasks: Vec<Task>,
    /// Lines that hold no task, and why.
    pub refused: Vec<(usize, String)>,
    /// Rows that say a task of an earlier row again, word for word.
    pub repeated: usize,
    /// Tasks with a guessed language, by language.
    pub guessed: BTreeMap<String, usize>,
    /// Fields that are read for nothing, with the number of rows that have them.
    pub ignored: BTreeMap<String, usize>,
    /// Slots that nothing is known to fill; they stay as they are.
    pub unknown_slots: BTreeSet<String>,
}

/// Reads the tasks of a file.
///
/// Rows with the same id and the same question are one task; their checklists are joined. A row
/// with the id of another question is refused. The error says why the whole file cannot be read.
pub fn read(bytes: &[u8], format: Format, options: Options<'_>) -> Result<Imported, String> {
    let mut imported = Imported::default();
    // By id in the file, or by the text where it has none: the place among the tasks.
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (line, row) in rows::read(bytes, format, options.is_static)? {
        let row = match row {
            Ok(row) => row,
            Err(why) => {
                imported.refused.push((line, why));
                continue;
            }
        };
        for field in &row.ignored {
            *imported.ignored.entry(field.clone()).or_default() += 1;
        }
        let key = row.id.clone().unwrap_or_else(|| row.text.clone());
        match places.get(&key) {
            None => {
                places.insert(key, imported.tasks.len());
                let task = task(row, options, &mut imported);
                imported.tasks.push(task);
            }
            Some(place) => imported.join(*place, row, line, options.as_of),
        }
    }
    Ok(imported)
}

fn task(row: Row, options: Options<'_>, imported: &mut Imported) -> Task {
    let Row {
        id,
        text: template,
        language,
        facets,
        checklist,
        ..
    } = row;
    let language = language
        .or_else(|| options.language.map(str::to_owned))
        .unwrap_or_else(|| {
            let guess = language::guess(&template).to_owned();
            *imported.guessed.entry(guess.clone()).or_default() += 1;
            guess
        });
    imported.unknown_slots.extend(slots::unknown(&template));
    let text = slots::fill(&template, options.as_of);
    Task {
        id: TaskId::from_parts(&[
            "imported",
            id.as_deref().unwrap_or_default(),
            &language,
            &text,
        ]),
        as_of: Some(options.as_of.to_string()),
        edited: None,
        facets,
        origin: Origin::Imported(FromFile {
            benchmark: options.benchmark.to_owned(),
            file_id: id,
            template: (template != text).then_some(template),
            checklist: checklist
                .iter()
                .map(|item| slots::fill(item, options.as_of))
                .collect(),
            licence: options.licence.to_owned(),
        }),
        language,
        text,
    }
}

impl Imported {
    /// Takes in a further row of the task at `place`.
    fn join(&mut self, place: usize, row: Row, line: usize, as_of: Date) {
        let task = &mut self.tasks[place];
        let Origin::Imported(from) = &mut task.origin else {
            return;
        };
        if slots::fill(&row.text, as_of) != task.text {
            let id = row.id.unwrap_or_default();
            let why = format!("the id `{id}` is another question's, too");
            self.refused.push((line, why));
            return;
        }
        if row.checklist.is_empty() {
            self.repeated += 1;
        }
        let filled = row.checklist.iter().map(|item| slots::fill(item, as_of));
        from.checklist.extend(filled);
    }
}
