//! The card of a set, for people: what it is, how its tasks were made, what holds for its use.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    card::{self, Card, Sources, UNKNOWN},
    columns::{Column, Kind},
    quoted::{markdown, one_line},
};
use crate::data::{SetRecord, TaskRecord, record::Provenance};

/// The card's text in Markdown.
pub(super) fn text(set: &SetRecord, about: &Card, sources: &Sources, columns: &[Column]) -> String {
    let sections = [
        what_it_is(set),
        how_it_was_made(set, about),
        fields(columns),
        canary(set),
        hash(set, about),
        licences(about, sources),
        withdrawn(set),
        citation(set, about),
    ];
    sections.join("\n")
}

fn what_it_is(set: &SetRecord) -> String {
    let mut text = format!(
        "# {}, version {}\n\n{}\n",
        markdown(&set.name),
        set.version,
        card::sentence(set)
    );
    text.push_str("Each row asks an agent for a report; it has no reference answer.\n\n");
    let counts = [
        ("language", count(set, |record| Some(&record.language))),
        ("phase", count(set, |record| record.phase.as_ref())),
        (
            "difficulty",
            count(set, |record| record.difficulty.as_ref()),
        ),
    ];
    text.push_str("| tasks by | |\n|---|---|\n");
    for (name, counts) in counts {
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(value, n)| format!("{}: {n}", markdown(value)))
            .collect();
        text.push_str(&format!("| {name} | {} |\n", counts.join(", ")));
    }
    text
}

/// Tasks by a facet, those without it as `none`.
fn count<'a>(
    set: &'a SetRecord,
    facet: impl Fn(&'a TaskRecord) -> Option<&'a String>,
) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for record in set.records() {
        let value = facet(record).map_or("none", String::as_str);
        *counts.entry(value).or_default() += 1;
    }
    counts
}

fn how_it_was_made(set: &SetRecord, about: &Card) -> String {
    let mut models = BTreeSet::new();
    let mut imported = 0;
    for record in set.records() {
        match &record.provenance {
            Provenance::Talk(from) => {
                models.insert(from.transcript.asr_model.name.as_str());
            }
            Provenance::Imported { .. } => imported += 1,
        }
    }
    let models: Vec<String> = models.into_iter().map(markdown).collect();
    let mut text = format!(
        "## How the tasks were made\n\nWith taskgen {}. ",
        markdown(&about.tool_version)
    );
    if !models.is_empty() {
        text.push_str(&format!(
            "Recordings of talks were transcribed by speech recognition ({}). \
             Ideas that research could start from were found in the transcripts, each with the \
             words that carry it. Tasks were written from these ideas and checked by rules. \
             The field `provenance` leads from a task to the seconds of its recording. ",
            models.join(", ")
        ));
    }
    if imported > 0 {
        text.push_str(&format!(
            "{imported} tasks were imported from files of other benchmarks. "
        ));
    }
    text.push_str("Where a task has a rank, tasks were compared in pairs.\n");
    text
}

fn fields(columns: &[Column]) -> String {
    let mut text = String::from(
        "## Fields\n\n`data/tasks.parquet` and `data/tasks.jsonl` have the same rows and columns. \
         A field that a task lacks is null. The paper is DeepResearch Arena, whose method the \
         tasks follow. `datasets.load_dataset` reads the Parquet file, as the split `test`.\n\n\
         | field | type | |\n|---|---|---|\n",
    );
    list_fields("", columns, &mut text);
    text
}

fn list_fields(prefix: &str, columns: &[Column], text: &mut String) {
    for column in columns {
        let name = format!("{prefix}{}", column.name);
        text.push_str(&format!(
            "| `{name}` | {} | {} |\n",
            type_of(&column.kind),
            column.about.replace('\n', " ")
        ));
        let inner = match &column.kind {
            Kind::List(kind) => kind,
            kind => kind,
        };
        if let Kind::Fields(columns) = inner {
            list_fields(&format!("{name}."), columns, text);
        }
    }
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Day => "day".to_owned(),
        Kind::Integer => "integer".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Flag => "yes or no".to_owned(),
        Kind::Json => "JSON in a text".to_owned(),
        Kind::Fields(_) => "fields".to_owned(),
        Kind::List(kind) => format!("list of {}", type_of(kind)),
    }
}

fn canary(set: &SetRecord) -> String {
    format!(
        "## Canary\n\nThis is a benchmark. Please do not train models on it, and leave out of \
         training data whatever holds this line, which stands in every row:\n\n    {}\n",
        one_line(&set.canary)
    )
}

fn hash(set: &SetRecord, about: &Card) -> String {
    format!(
        "## Version\n\nVersion {} of the set, frozen on {}. SHA-256 over its tasks as they were \
         frozen, withdrawn ones included:\n\n    {}\n",
        set.version,
        markdown(&about.day),
        one_line(&set.sha256)
    )
}

fn licences(about: &Card, sources: &Sources) -> String {
    let mut text = String::from("## Licences\n\n");
    match &about.licence {
        Some(licence) => text.push_str(&format!(
            "The set is published under: {}. Its sources have licences of their own:\n\n",
            markdown(licence)
        )),
        None => text.push_str(
            "The set has no licence of its own: those of its sources hold. Of a source with the \
             licence `unknown` nobody said that its tasks may be passed on.\n\n",
        ),
    }
    text.push_str("| source | licence | tasks |\n|---|---|---|\n");
    for source in sources.all() {
        let licence = source.licence.as_deref().unwrap_or(UNKNOWN);
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            markdown(&source.name),
            markdown(licence),
            source.tasks
        ));
    }
    text
}

fn withdrawn(set: &SetRecord) -> String {
    let withdrawn = card::withdrawn(set);
    let mut text = String::from("## Withdrawn tasks\n\n");
    if withdrawn.is_empty() {
        text.push_str("None.\n");
        return text;
    }
    text.push_str(&format!(
        "Withdrawn: {} of {}, because a speaker withdrew consent. Their texts are not in this data \
         set; please delete them from copies of earlier exports:\n\n",
        withdrawn.len(),
        set.tasks.len()
    ));
    for id in withdrawn {
        text.push_str(&format!("- {}\n", markdown(id.as_str())));
    }
    text
}

fn citation(set: &SetRecord, about: &Card) -> String {
    let mut text = String::from(
        "## How to cite\n\nName the set with its version and its hash, because another version \
         has other tasks.\n\n",
    );
    text.push_str(&format!("    {}\n", cite_as(set, about)));
    text
}

/// The set, its version and hash, and who published it where, on one line.
pub(super) fn cite_as(set: &SetRecord, about: &Card) -> String {
    let publisher = about.publisher.iter().map(|name| format!("{name}. "));
    let address = about.address.iter().map(|address| format!(" {address}"));
    let parts: Vec<String> = publisher
        .chain([format!(
            "{}, version {} ({}). Research tasks made with taskgen {}. SHA-256 {}.",
            set.name, set.version, about.day, about.tool_version, set.sha256
        )])
        .chain(address)
        .collect();
    one_line(&parts.concat())
}
