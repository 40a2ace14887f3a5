//! Different figures of the same thing. Hides which figures can be compared.

use super::{
    Difference, Kind,
    context::Sentence,
    matching::{Candidate, matched},
    reading::{Figure, What},
};
use crate::lint::consistency::{
    compare::amounts_agree,
    token::{Amount, Hedge},
    units::Dimension,
};

/// Most figures of a sentence that are compared.
const MOST: usize = 64;
/// How many words after a figure may be what it counts.
const NOUNS: usize = 3;
/// How far a figure may be from one that is only a bound.
const BOUND: f64 = 1.5;
/// How sure it must be that two places in an order are of the same thing.
const SURE: f64 = 0.6;

/// Figures of the same unit or noun that disagree, where neither sentence has the other's.
pub(super) fn differences(first: &Sentence, second: &Sentence) -> Vec<Difference> {
    let (here, there) = (counted(first), counted(second));
    let lonely = |one: &&Counted, others: &[Counted]| {
        !others
            .iter()
            .any(|other| says_same(one.figure, other.figure))
    };
    let mut candidates = Vec::new();
    for one in here.iter().filter(|one| lonely(one, &there)) {
        for other in there.iter().filter(|other| lonely(other, &here)) {
            if !one.comparable(other) {
                continue;
            }
            let same = first.sameness(one.at, second, other.at);
            // A first and a second half are two things more often than one.
            let least = if one.figure.ordinal { SURE } else { 0.0 };
            candidates.extend(
                same.filter(|same| *same >= least)
                    .map(|strength| Candidate {
                        first: one.at,
                        second: other.at,
                        strength,
                    }),
            );
        }
    }
    matched(Kind::Number, first, second, candidates)
}

/// A figure with what it counts.
struct Counted<'a> {
    at: usize,
    figure: &'a Figure,
    nouns: Vec<&'a str>,
}

impl Counted<'_> {
    fn comparable(&self, other: &Self) -> bool {
        let (one, two) = (self.figure, other.figure);
        let dimension = |figure: &Figure| figure.amounts.last().map(|of| of.unit.dimension);
        let counts = dimension(one) == Some(Dimension::Count);
        let same_noun = || self.nouns.iter().any(|noun| other.nouns.contains(noun));
        one.ordinal == two.ordinal
            && one.amounts.len() == two.amounts.len()
            && dimension(one) == dimension(two)
            // The result of a match needs no noun.
            && (!counts || one.amounts.len() > 1 || same_noun())
    }
}

fn counted(sentence: &Sentence) -> Vec<Counted<'_>> {
    let figures = sentence.items.iter().enumerate();
    let figures = figures.filter_map(|(at, item)| match &item.what {
        What::Figure(figure) => Some(Counted {
            at,
            figure,
            nouns: nouns(sentence, at),
        }),
        _ => None,
    });
    figures.take(MOST).collect()
}

/// The words after a figure up to a mark or a word of grammar, and the one before it.
fn nouns(sentence: &Sentence, at: usize) -> Vec<&str> {
    let key = |place: usize| sentence.keys.get(place)?.as_deref();
    let after = (at + 1..=at + NOUNS).map_while(key);
    let before = at.checked_sub(1).and_then(key);
    after.chain(before).collect()
}

/// Whether a sentence has a figure.
pub(super) fn has(sentence: &Sentence, figure: &Figure) -> bool {
    let mut all = sentence.items.iter();
    all.any(|item| matches!(&item.what, What::Figure(other) if says_same(figure, other)))
}

/// Whether two figures may be the same one.
fn says_same(one: &Figure, other: &Figure) -> bool {
    if one.ordinal != other.ordinal {
        return false;
    }
    let equal = |a: &Amount, b: &Amount| {
        a.unit.dimension == b.unit.dimension && (amounts_agree(a, b) || bounds(a, b))
    };
    let (a, b) = (&one.amounts, &other.amounts);
    match (a.len(), b.len()) {
        (1, 2) => is_within(&a[0], b),
        (2, 1) => is_within(&b[0], a),
        _ => {
            let in_order = a.iter().zip(b).all(|(a, b)| equal(a, b));
            // A result is told from either side.
            a.len() == b.len()
                && (in_order || a.iter().zip(b.iter().rev()).all(|(a, b)| equal(a, b)))
        }
    }
}

/// "4 km" and "3–5 km"; a count and the result of a match are two things.
fn is_within(amount: &Amount, ends: &[Amount]) -> bool {
    let last = ends.last().map(|end| end.unit);
    let same = last.is_some_and(|unit| unit.dimension == amount.unit.dimension);
    let one = last.is_some_and(|unit| unit.name == amount.unit.name);
    let figures = ends.iter().map(|end| end.figure * end.scale);
    let low = figures.clone().fold(f64::INFINITY, f64::min);
    let high = figures.fold(f64::NEG_INFINITY, f64::max);
    let counts = amount.unit.dimension == Dimension::Count;
    same && one && !counts && (low..=high).contains(&(amount.figure * amount.scale))
}

/// "More than 500" and 600.
fn bounds(a: &Amount, b: &Amount) -> bool {
    let bound = a.hedge == Hedge::Bound || b.hedge == Hedge::Bound;
    let (a, b) = (a.value().abs(), b.value().abs());
    bound && a.max(b) <= BOUND * a.min(b)
}
