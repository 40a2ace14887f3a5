//! Contradictions of a report with itself that its figures show: the same amount or date given
//! twice with values that disagree, units that cannot both be right, sums that do not add up. Hides
//! how statements are told apart; a false alarm is worse than a miss, so whatever may be of two
//! things is left alone.

mod arithmetic;
pub(super) mod compare;
pub(super) mod dates;
pub(super) mod document;
mod hedges;
pub(super) mod lex;
mod segments;
mod statements;
mod subject;
pub(super) mod token;
mod totals;
pub(super) mod units;
mod vocabulary;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use document::Document;

use crate::text::steps;

/// Most conflicts that are given for one report.
const MOST: usize = 500;

/// The kind of a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An amount with two values.
    Number,
    /// An event with two dates.
    Date,
    /// A figure with two units.
    Unit,
    /// A total, a share or a change that its parts do not make.
    Sum,
}

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Where it begins in the report, in Unicode scalar values.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its line, from 1.
    pub line: usize,
    /// The characters of the report between the two.
    pub quote: String,
}

/// Two places of a report that cannot both be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// What disagrees.
    pub kind: Kind,
    /// The earlier place.
    pub first: Place,
    /// The later place.
    pub second: Place,
    /// The contradiction in one clause.
    pub what: String,
}

/// The contradictions of a report in Markdown, in the order of their first places; 500 at most.
pub fn check(report: &str) -> Vec<Conflict> {
    let document = Document::read(report);
    let sentences = document::sentences(&document);
    let names = subject::Names::read(&document, &sentences);
    let mut found = Vec::new();
    let mut stated = Vec::new();
    for sentence in &sentences {
        let has_figure = |c: &char| c.is_ascii_digit();
        if !document.chars[sentence.range.clone()]
            .iter()
            .any(has_figure)
        {
            continue;
        }
        let tokens = lex::tokens(&document.chars, sentence.range.clone(), None);
        stated.extend(statements::of_sentence(
            &document, &names, sentence, &tokens,
        ));
        found.extend(arithmetic::conflicts(&document, &sentence.range, &tokens));
    }
    for (number, table) in document.tables.iter().enumerate() {
        stated.extend(statements::of_table(&document, &names, number, table));
        found.extend(totals::conflicts(&document, table));
    }
    found.extend(compare::conflicts(&document, &stated));
    finish(report, found)
}

/// In order, each pair of places once, with the report's own characters as quotes.
fn finish(report: &str, mut found: Vec<Conflict>) -> Vec<Conflict> {
    for conflict in &mut found {
        if conflict.second.start < conflict.first.start {
            std::mem::swap(&mut conflict.first, &mut conflict.second);
        }
    }
    found.sort_by_key(|conflict| (conflict.first.start, conflict.second.start, conflict.kind));
    found.dedup_by_key(|conflict| (conflict.first.start, conflict.second.start));
    found.truncate(MOST);
    let chars: Vec<char> = report.chars().collect();
    for conflict in &mut found {
        for place in [&mut conflict.first, &mut conflict.second] {
            place.quote = chars[place.start..place.end].iter().collect();
        }
    }
    found
}

/// A place whose line is that of its value.
fn place(document: &Document, range: Range<usize>, value: usize) -> Place {
    Place {
        start: range.start,
        end: range.end,
        line: document.line(value),
        // The document's characters are not the report's: quotes are filled in at the end.
        quote: String::new(),
    }
}

#[cfg(test)]
mod tests;
