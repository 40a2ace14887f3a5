//! Grades that were copied from one model to another: the same block, written by a judge at the
//! same moment, on reports of different models about one query.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Criterion,
    files::{Block, ReportsFile},
};

/// The fewest characters of a judge's own words in a block that can be told from another one: two
/// short blocks (no issues, nothing to say) may well be equal.
pub const LEAST_WORDS: usize = 40;

/// A grade that stands with several models.
#[derive(Clone, Debug, PartialEq)]
pub struct Copied {
    /// Bare id of the query.
    pub query: String,
    /// The criterion.
    pub criterion: Criterion,
    /// The models.
    pub models: BTreeSet<String>,
    /// Places of the reports in the file.
    pub reports: Vec<usize>,
}

/// The copied grades of a file, in the order of the file.
pub fn find(file: &ReportsFile) -> Vec<Copied> {
    let mut groups: BTreeMap<(Criterion, String, String), Copied> = BTreeMap::new();
    for (at, report) in file.reports() {
        let Some((model, query)) = report.key() else {
            continue;
        };
        for criterion in Criterion::ALL {
            let Some(words) = fingerprint(report.block(criterion)) else {
                continue;
            };
            let group = groups
                .entry((criterion, query.clone(), words))
                .or_insert_with(|| Copied {
                    query: query.clone(),
                    criterion,
                    models: BTreeSet::new(),
                    reports: Vec::new(),
                });
            group.models.insert(model.to_owned());
            group.reports.push(at);
        }
    }
    let mut copied: Vec<Copied> = groups
        .into_values()
        .filter(|c| c.models.len() > 1)
        .collect();
    copied.sort_by(|a, b| (&a.reports, a.criterion).cmp(&(&b.reports, b.criterion)));
    copied
}

/// All that a block says, whatever the order of its fields; none for one without a time and for one
/// with few words.
fn fingerprint(block: Block<'_>) -> Option<String> {
    block.graded_at()?;
    let value = block.value();
    (judge_words(&value) >= LEAST_WORDS).then(|| {
        let mut text = String::new();
        canonical(&value, &mut text);
        text
    })
}

/// Characters of the texts in a block that a judge wrote.
fn judge_words(block: &Value) -> usize {
    // Words of the format and of the grader, which are equal in many blocks of a run.
    const GRADERS: [&str; 10] = [
        "winner",
        "winner_comparison_1",
        "winner_comparison_2",
        "provider",
        "model",
        "graded_at",
        "error",
        "comparison_type",
        "reference_model",
        "evaluated_model",
    ];
    match block {
        Value::String(text) => text.trim().chars().count(),
        Value::Array(items) => items.iter().map(judge_words).sum(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !GRADERS.contains(&name.as_str()))
            .map(|(_, value)| judge_words(value))
            .sum(),
        _ => 0,
    }
}

/// JSON with sorted keys.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            text.push('{');
            for (name, value) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}
