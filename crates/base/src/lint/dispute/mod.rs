//! Here are two sentences that are said to contradict each other: what differs, and where? Figures
//! of the same thing, dates, names in the same place, and a negation or an opposite in one of them.
//! Hides how sentences are read; it does not decide whether they do contradict each other, and what
//! code cannot see (a different cause, a stronger claim) is [`Kind::Other`].

mod context;
mod dates;
mod figures;
mod han;
mod matching;
mod names;
mod polarity;
mod reading;
mod vocabulary;

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};

use context::Sentence;
use reading::What;

/// Most differences that are given for two sentences.
const MOST: usize = 20;
/// What is left of a difference's strength if another passage says the same as the statement, and
/// how much of it must be left.
const SAID: f64 = 0.6;
const LEAST: f64 = 0.25;

/// What two sentences differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Different figures with the same unit or noun.
    Number,
    /// Different years, months, days or days of the week.
    Date,
    /// Different proper names in the same place.
    Entity,
    /// A negation, or the opposite of a word, in one of them.
    Polarity,
    /// Nothing that code can see.
    Other,
}

/// A part of a sentence, in Unicode scalar values. Where nothing stands, it is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// One thing that two sentences differ in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// What differs; never [`Kind::Other`].
    pub kind: Kind,
    /// Its words in the first sentence.
    pub first: Place,
    /// Its words in the second.
    pub second: Place,
    /// How sure it is that both are of the same thing, from 0 to 1.
    pub strength: f64,
}

/// What two sentences differ in, the surest first; twenty at most. Of a text that is far longer
/// than a sentence only the beginning is read.
pub fn differences(first: &str, second: &str) -> Vec<Difference> {
    between(&Sentence::read(first), &Sentence::read(second))
}

/// The kind of a conflict: that of its surest difference.
pub fn kind(differences: &[Difference]) -> Kind {
    differences.first().map_or(Kind::Other, |first| first.kind)
}

/// Of several passages the one with the surest difference, by its index, and all its differences.
/// None where no passage has any.
pub fn among<S: AsRef<str>>(statement: &str, passages: &[S]) -> Option<(usize, Vec<Difference>)> {
    let statement = Sentence::read(statement);
    let read = passages
        .iter()
        .map(|passage| Sentence::read(passage.as_ref()));
    let read: Vec<Sentence> = read.collect();
    // Each place of the statement is looked up once, however many passages there are.
    let mut said: BTreeMap<(Kind, usize), bool> = BTreeMap::new();
    let mut best: Option<(f64, usize, Vec<Difference>)> = None;
    for (at, passage) in read.iter().enumerate() {
        let mut found = between(&statement, passage);
        for difference in &mut found {
            let key = (difference.kind, difference.first.start);
            let mut look = || is_said(&statement, difference, &read);
            // What another passage says, too, is hardly what they are about.
            if *said.entry(key).or_insert_with(&mut look) {
                difference.strength *= SAID;
            }
        }
        found.retain(|difference| difference.strength >= LEAST);
        sort(&mut found);
        let Some(surest) = found.first() else {
            continue;
        };
        // A passage of the same thing says more than one that has a figure of the same noun.
        let sure = surest.strength + statement.likeness(passage);
        if best.as_ref().is_none_or(|(most, ..)| sure > *most) {
            best = Some((sure, at, found));
        }
    }
    best.map(|(_, at, found)| (at, found))
}

fn between(first: &Sentence, second: &Sentence) -> Vec<Difference> {
    let mut found = figures::differences(first, second);
    found.extend(dates::differences(first, second));
    found.extend(names::differences(first, second));
    found.extend(polarity::differences(first, second));
    sort(&mut found);
    found.truncate(MOST);
    found
}

fn sort(found: &mut [Difference]) {
    found.sort_by(|a, b| {
        let places = |of: &Difference| (of.kind, of.first.start, of.second.start);
        let sure = b.strength.total_cmp(&a.strength);
        sure.then_with(|| places(a).cmp(&places(b)))
    });
}

/// Whether one of the passages has the figure, date or name of the statement.
fn is_said(statement: &Sentence, difference: &Difference, passages: &[Sentence]) -> bool {
    let Some(item) = statement.item_at(difference.first.start) else {
        return false;
    };
    passages.iter().any(|passage| match &item.what {
        What::Figure(figure) => figures::has(passage, figure),
        What::Date(date) => dates::has(passage, date),
        What::Word { text, .. } if difference.kind == Kind::Entity => {
            passage.items.iter().any(|other| other.word() == Some(text))
        }
        _ => false,
    })
}

fn place(range: &Range<usize>) -> Place {
    Place {
        start: range.start,
        end: range.end,
    }
}

#[cfg(test)]
mod tests;
