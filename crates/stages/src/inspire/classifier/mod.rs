//! Here is a sentence: of which type of inspiration is it, and could somebody start from it who was
//! not there? Logistic regressions on its words, its length and, where the encoder is there, its
//! vector, fitted on labelled talks (`tests/data/judging/fit.py`). Hides features and weights.

mod features;

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{data::InspirationType, embed::Encoder};
use features::Features;

/// What is read of a sentence: its types in the order of [`InspirationType::ALL`], that it is of
/// none, and that it is worth to start from.
const OUTPUTS: usize = 6;
const NONE: usize = 4;
const WORTH: usize = 5;

/// What a sentence is, each as a probability.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// That it is of a type, in the order of [`InspirationType::ALL`]; what lacks to 1 is that it
    /// is of none.
    pub types: [f64; 4],
    /// That a researcher elsewhere could start from it, quoted alone, if it is of a type.
    pub worth: f64,
}

impl Reading {
    /// The type that it is of most probably.
    pub fn best(&self) -> InspirationType {
        let all = InspirationType::ALL.into_iter().zip(self.types);
        let best = all.max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(InspirationType::Limitation, |(kind, _)| kind)
    }

    /// How probable it is that it is of this type.
    pub fn is(&self, kind: InspirationType) -> f64 {
        let at = InspirationType::ALL.iter().position(|of| *of == kind);
        at.map_or(0.0, |at| self.types[at])
    }
}

/// Reads a sentence: by its meaning, too, where the encoder is there.
pub fn read(encoder: Option<&Encoder>, text: &str) -> Reading {
    let fitted = match encoder {
        Some(_) => &FITTED.with_meaning,
        None => &FITTED.words_alone,
    };
    let vector = encoder.map(|encoder| encoder.encode(text));
    let logits = fitted.applied(&Features::new(text), vector.as_deref().unwrap_or_default());
    let shares: Vec<f64> = logits[..=NONE].iter().map(|logit| logit.exp()).collect();
    let all: f64 = shares.iter().sum();
    Reading {
        types: std::array::from_fn(|at| shares[at] / all),
        worth: 1.0 / (1.0 + (-logits[WORTH]).exp()),
    }
}

static FITTED: LazyLock<Fitted> = LazyLock::new(|| {
    serde_json::from_str(include_str!("weights.json")).expect("weights of this program")
});

#[derive(Deserialize)]
struct Fitted {
    with_meaning: Weights,
    words_alone: Weights,
}

/// What each feature adds to the logit of each output.
#[derive(Deserialize)]
struct Weights {
    constant: [f64; OUTPUTS],
    length: [[f64; OUTPUTS]; features::LENGTHS],
    words: BTreeMap<String, [f64; OUTPUTS]>,
    /// One row for each number of the vector; none where it is not read.
    vector: Vec<[f64; OUTPUTS]>,
}

impl Weights {
    fn applied(&self, features: &Features, vector: &[f32]) -> [f64; OUTPUTS] {
        let words = features
            .words
            .iter()
            .filter_map(|word| self.words.get(word));
        let words = words.map(|weights| (features.of_a_word, weights));
        let length = features.length.into_iter().zip(&self.length);
        let vector = vector.iter().map(|x| f64::from(*x)).zip(&self.vector);
        let mut logits = self.constant;
        for (value, weights) in words.chain(length).chain(vector) {
            for (logit, weight) in logits.iter_mut().zip(weights) {
                *logit += value * weight;
            }
        }
        logits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::WIDTH;

    #[test]
    fn the_weights_are_whole() {
        assert_eq!(FITTED.with_meaning.vector.len(), WIDTH);
        assert!(FITTED.words_alone.vector.is_empty());
        for fitted in [&FITTED.with_meaning, &FITTED.words_alone] {
            assert!(fitted.words.len() > 1000, "{}", fitted.words.len());
        }
    }

    #[test]
    fn ideas_are_told_by_their_words_alone() {
        use InspirationType::{Hypothesis, Limitation, Methodology};
        let ideas = [
            (
                Limitation,
                "What nobody knows is how the gravel moves under the ice in the winter.",
            ),
            (
                Hypothesis,
                "My guess is that the owls hunt more where the snow is thin and the crust is soft.",
            ),
            (
                Methodology,
                "We measured the thickness of the varnish with ultrasound at forty points of each violin.",
            ),
            (
                Limitation,
                "到现在也没有一个办法能在床边可靠地判断老人有没有误吸。",
            ),
        ];
        for (kind, text) in ideas {
            let reading = read(None, text);
            assert_eq!(reading.best(), kind, "{text}: {reading:?}");
        }
        for none in [
            "Thank you all very much for coming.",
            "谢谢大家，下面吃饭去。",
        ] {
            let reading = read(None, none);
            assert!(
                reading.types.iter().sum::<f64>() < 0.3,
                "{none}: {reading:?}"
            );
        }
    }
}
