//! What the sentences of a talk are, and how good a choice each is for an idea of a type.

use std::ops::RangeInclusive;

use super::{
    Numbered,
    classifier::{Reading, read},
    passage::passage,
};
use crate::{data::InspirationType, embed::Encoder};

/// Probability from which a sentence is a good choice: that it is of the type, and that a
/// researcher could start from what is quoted. docs/tasks.md says how often that is right.
pub const ENOUGH: f64 = 0.5;
/// Probability from which it is one at all.
const LEAST: f64 = 0.3;

/// What more sentences must add to being worth it, so that they are quoted, too.
const WORTH_MORE: f64 = 0.05;

/// The readings of a talk.
pub struct Readings(Vec<OfSentence>);

/// What is quoted for a sentence, by number, and how it reads.
type Quoted = (RangeInclusive<usize>, Reading);

/// The readings of one sentence.
struct OfSentence {
    itself: Reading,
    /// Where it gives a link to another field, and where it gives another idea.
    as_link: Quoted,
    as_other: Quoted,
}

impl Readings {
    /// Reads each sentence, and each passage that would be quoted for it.
    pub fn new(encoder: Option<&Encoder>, numbered: &Numbered) -> Self {
        let of = |number| {
            let itself = read(encoder, &numbered.text(number));
            let quoted = |passage: RangeInclusive<usize>| {
                if passage == (number..=number) {
                    return (passage, itself);
                }
                let together = read(encoder, &numbered.joined(&passage));
                if together.worth >= itself.worth + WORTH_MORE {
                    (passage, together)
                } else {
                    (number..=number, itself)
                }
            };
            let of_link = passage(numbered, number, InspirationType::Transdisciplinary);
            let of_other = passage(numbered, number, InspirationType::Limitation);
            // Mostly the same, and reading one takes the encoder long.
            let apart = (of_link != of_other).then(|| quoted(of_link));
            let as_other = quoted(of_other);
            OfSentence {
                itself,
                as_link: apart.unwrap_or_else(|| as_other.clone()),
                as_other,
            }
        };
        Self((1..=numbered.count()).map(of).collect())
    }

    /// How probable it is that a sentence carries an idea of `kind` from which one can start, and
    /// what is quoted for it; none where it is hardly probable, or where another type is more so.
    pub fn quotable(
        &self,
        number: usize,
        kind: InspirationType,
    ) -> Option<(f64, RangeInclusive<usize>)> {
        let of = self.0.get(number.checked_sub(1)?)?;
        let (sentence, (passage, quoted)) = match kind {
            // Where a link comes from is often said a sentence before.
            InspirationType::Transdisciplinary => (&of.as_link.1, &of.as_link),
            _ => (&of.itself, &of.as_other),
        };
        let probability = sentence.is(kind) * quoted.worth;
        let is_it = sentence.best() == kind && probability >= LEAST;
        is_it.then(|| (probability, passage.clone()))
    }
}
