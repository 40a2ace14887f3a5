//! A classifier of sentences: of which type of inspiration they are, and whether somebody who was
//! not there would understand them. Logistic regressions on the vectors of sentences, fitted on labelled
//! talks (`tests/data/judging/fit.py`).

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{Numbered, cues::strength, passage::passage};
use crate::{data::InspirationType, embed::Encoder};

/// Probability from which a sentence counts as one of a type: docs/tasks.md says how often that is
/// right.
pub const ENOUGH: f64 = 0.4;
/// What a point of a cue's weight adds to the logit of its type; set by hand, not fitted.
const OF_A_CUE: f64 = 0.5;
/// Probability to be understood below which a passage is no choice.
pub const UNDERSTOOD: f64 = 0.5;

/// What a passage is, each as a probability.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// That it is of a type, in the order of [`InspirationType::ALL`].
    pub kinds: [f64; 4],
    /// That it can be understood alone.
    pub alone: f64,
}

/// The readings of a talk.
pub(super) struct Kinds(Vec<OfSentence>);

/// The readings of one sentence.
struct OfSentence {
    itself: Reading,
    /// With what is quoted beside it where it gives a link to another field, and where it gives
    /// another idea.
    as_link: Reading,
    as_other: Reading,
}

impl Kinds {
    /// Reads each sentence, and each passage that would be quoted for it.
    pub(super) fn new(encoder: &Encoder, numbered: &Numbered) -> Self {
        let of = |number| {
            let itself = read(encoder, &numbered.text(number));
            let quoted = |kind| {
                let passage = passage(numbered, number, kind);
                if passage == (number..=number) {
                    itself
                } else {
                    read(encoder, &numbered.joined(&passage))
                }
            };
            OfSentence {
                itself,
                as_link: quoted(InspirationType::Transdisciplinary),
                as_other: quoted(InspirationType::Limitation),
            }
        };
        Self((1..=numbered.count()).map(of).collect())
    }

    /// How probable it is that a sentence carries an idea of `kind` that is understood as quoted;
    /// none where it is not probable enough, or where another type is more so.
    pub(super) fn probability(&self, number: usize, kind: InspirationType) -> Option<f64> {
        let of = self.0.get(number.checked_sub(1)?)?;
        let (sentence, quoted) = match kind {
            // Where a link comes from is often said a sentence before.
            InspirationType::Transdisciplinary => (&of.as_link, &of.as_link),
            _ => (&of.itself, &of.as_other),
        };
        let own = sentence.of(kind);
        let is_most = sentence.kinds.iter().all(|other| *other <= own);
        (own >= ENOUGH && is_most && quoted.alone >= UNDERSTOOD).then_some(own * quoted.alone)
    }
}

impl Reading {
    fn of(&self, kind: InspirationType) -> f64 {
        let at = InspirationType::ALL.iter().position(|of| *of == kind);
        at.map_or(0.0, |at| self.kinds[at])
    }
}

/// Reads a text.
pub fn read(encoder: &Encoder, text: &str) -> Reading {
    let vector = encoder.encode(text);
    let logit = |row: &str| FITTED.get(row).map_or(0.0, |row| row.applied(&vector));
    // "My hypothesis is" says more than the words that follow.
    let with_cues =
        |kind: InspirationType| logit(kind.word()) + OF_A_CUE * f64::from(strength(text, kind));
    let shares = InspirationType::ALL.map(|kind| with_cues(kind).exp());
    let all = shares.iter().sum::<f64>() + logit("none").exp();
    Reading {
        kinds: shares.map(|share| share / all),
        alone: 1.0 / (1.0 + (-logit("alone")).exp()),
    }
}

/// The regressions: one for each type and for none, and one for being understood alone.
static FITTED: LazyLock<BTreeMap<String, Row>> =
    LazyLock::new(|| serde_json::from_str(include_str!("kinds.json")).unwrap_or_default());

#[derive(Deserialize)]
struct Row {
    constant: f64,
    weights: Vec<f64>,
}

impl Row {
    fn applied(&self, vector: &[f32]) -> f64 {
        let weighted = self.weights.iter().zip(vector);
        self.constant + weighted.map(|(w, x)| w * f64::from(*x)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::WIDTH;

    #[test]
    fn each_row_of_weights_is_there() {
        let names: Vec<&str> = FITTED.keys().map(String::as_str).collect();
        let wanted = [
            "alone",
            "hypothesis",
            "limitation",
            "methodology",
            "none",
            "transdisciplinary",
        ];
        assert_eq!(names, wanted);
        assert!(FITTED.values().all(|row| row.weights.len() == WIDTH));
    }
}
