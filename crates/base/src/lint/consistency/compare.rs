//! Statements of the same thing that cannot both be right. One pass over an index by key: no pair
//! of statements is looked at that is not of the same thing.

use std::collections::BTreeMap;

use super::{
    Conflict, Kind,
    document::Document,
    place,
    statements::{Source, Statement, Value},
    token::{Amount, Hedge},
    units::Dimension,
};

/// How far a rounded figure may be off.
const ROUNDED: f64 = 0.05;
/// How far "about" may be off, and by how many of its last places.
const ABOUT: f64 = 0.1;
const ABOUT_STEPS: f64 = 2.5;
/// A thing with more values than this is no one thing.
const MOST_VALUES: usize = 2;

/// Numbers, dates and units that disagree.
pub(super) fn conflicts(document: &Document, statements: &[Statement]) -> Vec<Conflict> {
    let mut groups: BTreeMap<&str, Vec<&Statement>> = BTreeMap::new();
    for statement in statements {
        groups.entry(&statement.key).or_default().push(statement);
    }
    let agreement = TableAgreement::of(&groups);
    let found = groups.values().filter_map(|group| {
        let (first, second) = disagreeing(group)?;
        (comparable(first, second) && !agreement.differ(first, second)).then_some((first, second))
    });
    found
        .map(|(first, second)| conflict(document, first, second))
        .collect()
}

/// The first two statements of a group that disagree, if it has no more than two values.
fn disagreeing<'a>(group: &[&'a Statement]) -> Option<(&'a Statement, &'a Statement)> {
    let mut values: Vec<&Statement> = Vec::new();
    for statement in group {
        let known = values.iter().any(|value| agree(value, statement));
        if !known {
            values.push(statement);
        }
        if values.len() > MOST_VALUES {
            return None;
        }
    }
    match values[..] {
        [first, second] => Some((first, second)),
        _ => None,
    }
}

fn agree(a: &Statement, b: &Statement) -> bool {
    match (a.value, b.value) {
        (Value::Date(a), Value::Date(b)) => a.agrees(&b),
        (Value::Amount(a), Value::Amount(b)) => amounts_agree(&a, &b),
        _ => true,
    }
}

/// Whether two amounts may be the same one: they are equal after rounding, or cannot be compared.
pub(in crate::lint) fn amounts_agree(a: &Amount, b: &Amount) -> bool {
    if a.unit.dimension != b.unit.dimension {
        return true;
    }
    let one_unit = a.unit.name == b.unit.name;
    let same_figure = a.figure.to_bits() == b.figure.to_bits();
    match a.unit.dimension {
        Dimension::Percent if !one_unit => return !same_figure,
        // Rates of exchange are not known, and may leave a single figure as it is.
        Dimension::Money if !one_unit => return !same_figure || is_one_figure(a),
        _ if !one_unit && same_figure => return a.value().to_bits() == b.value().to_bits(),
        _ => {}
    }
    let (x, y) = (a.value(), b.value());
    (x - y).abs() <= tolerance(a, b, x.abs().max(y.abs())) * (1.0 + 1e-9)
}

/// Whether an amount has but one figure before its noughts.
fn is_one_figure(amount: &Amount) -> bool {
    amount.value().abs() < 10.0 * amount.round
}

fn tolerance(a: &Amount, b: &Amount, size: f64) -> f64 {
    let mut tolerance = a.step.max(b.step) / 2.0;
    let round = a.round.max(b.round);
    if a.round > a.step || b.round > b.step {
        tolerance = tolerance.max((round / 2.0).min(ROUNDED * size));
    }
    // A value that was converted is rounded in the other unit.
    if a.unit.name != b.unit.name {
        tolerance = tolerance.max(ROUNDED * size);
    }
    if a.hedge == Hedge::About || b.hedge == Hedge::About {
        tolerance = tolerance.max((ABOUT_STEPS * round).min(ABOUT * size));
    }
    tolerance
}

/// Whether two statements with one key are of the same thing wherever they stand.
fn comparable(first: &Statement, second: &Statement) -> bool {
    if first.source == second.source {
        return false;
    }
    let scopes = first.scope == second.scope || first.scope.is_empty() || second.scope.is_empty();
    let apart = first.scope != second.scope || first.scope.is_empty();
    (first.named && second.named) || (scopes && apart)
}

/// How often the cells of two tables agree: tables that mostly disagree are of two things.
struct TableAgreement {
    pairs: BTreeMap<(usize, usize), (usize, usize)>,
}

impl TableAgreement {
    fn of(groups: &BTreeMap<&str, Vec<&Statement>>) -> Self {
        let mut pairs: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        for group in groups.values() {
            // Neighbours are enough: all others would be a square.
            for pair in group.windows(2) {
                if let Some(tables) = tables(pair[0], pair[1]) {
                    let count = pairs.entry(tables).or_default();
                    let same = agree(pair[0], pair[1]);
                    count.0 += usize::from(same);
                    count.1 += usize::from(!same);
                }
            }
        }
        Self { pairs }
    }

    fn differ(&self, first: &Statement, second: &Statement) -> bool {
        let counts = tables(first, second).and_then(|tables| self.pairs.get(&tables));
        counts.is_some_and(|(same, other)| other >= same && *other > 1)
    }
}

fn tables(first: &Statement, second: &Statement) -> Option<(usize, usize)> {
    match (first.source, second.source) {
        (Source::Table(a), Source::Table(b)) if a != b => Some((a.min(b), a.max(b))),
        _ => None,
    }
}

fn conflict(document: &Document, first: &Statement, second: &Statement) -> Conflict {
    let (first, second) = if first.written.start <= second.written.start {
        (first, second)
    } else {
        (second, first)
    };
    let kind = match (first.value, second.value) {
        (Value::Amount(a), Value::Amount(b)) if a.figure.to_bits() == b.figure.to_bits() => {
            Kind::Unit
        }
        (Value::Amount(_), _) => Kind::Number,
        (Value::Date(_), _) => Kind::Date,
    };
    let written = |statement: &Statement| document.text(statement.written.clone());
    let line = |statement: &Statement| document.line(statement.written.start);
    Conflict {
        kind,
        what: format!(
            "`{}`: {} on line {}, {} on line {}",
            crate::text::words::one_line(&first.label),
            written(first),
            line(first),
            written(second),
            line(second)
        ),
        first: place(document, first.quote.clone(), first.written.start),
        second: place(document, second.quote.clone(), second.written.start),
    }
}
