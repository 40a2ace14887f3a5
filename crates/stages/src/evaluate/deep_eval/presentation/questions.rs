//! The questions that a model is asked about the form of a report.

use serde_json::{Value, json};

use crate::lint::{presentation::Item, writing};

/// Slips that are shown with the question about language.
const MOST_MARKED: usize = 20;

/// What only a reader can say, by the number of the item.
const OF_READERS: [(&str, &str); 3] = [
    (
        "p1",
        "Has the report a clear and logical structure that leads from the question to its answer?",
    ),
    (
        "p2",
        "Is the report free of errors of spelling, grammar and punctuation?",
    ),
    (
        "p7",
        "Does each citation stand at the end of the clause or sentence that it belongs to, and not in the middle of a phrase or in a heap at the end of a paragraph? A report without citations passes.",
    ),
];

/// The names of the items that only a reader can decide.
pub fn of_readers() -> [String; 3] {
    OF_READERS.map(|(name, _)| name.to_owned())
}

/// The question of an item that only a reader can decide.
pub fn question(item: &str) -> Option<&'static str> {
    let found = OF_READERS.iter().find(|(name, _)| *name == item)?;
    Some(found.1)
}

/// The questions about a report: those for readers, and all where the model is compared with code.
pub fn for_a_model(report: &str, all: bool) -> Vec<(String, Value)> {
    let mut questions: Vec<(String, Value)> = OF_READERS
        .iter()
        .map(|(name, question)| {
            let marked = if *name == "p2" { slips(report) } else { None };
            (
                (*name).to_owned(),
                json!({ "question": question, "marked": marked }),
            )
        })
        .collect();
    if all {
        let of_code = Item::ALL.iter();
        questions.extend(of_code.map(|item| {
            let question = json!({ "question": item.question(), "marked": null });
            (item.key().to_owned(), question)
        }));
    }
    questions
}

/// The slips of the pen that code found, a line each; none where there are none.
fn slips(report: &str) -> Option<String> {
    let found = writing::check(report).into_iter().take(MOST_MARKED);
    let shown: Vec<String> = found.map(|finding| finding.what).collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}
