//! Hidden probes: questions with known answers that judges are asked among the others. They are
//! judgements under instruments of their own, so that nothing that counts verdicts reads them.

use serde::{Deserialize, Serialize};

use super::{Decision, Instrument, Judge, SubjectKind};

/// The better one of a task and a version of it that code has spoiled.
pub const HIDDEN_PAIR: Instrument = Instrument {
    id: "hidden/pair/1",
    family: "hidden",
    criterion: "pair",
    scale: "a task and a spoiled version of it",
    subject: SubjectKind::Task,
    letter: 'm',
};

/// The relation of a key point to a version of a report that states it word for word, or has
/// nothing of it.
pub const HIDDEN_RELATION: Instrument = Instrument {
    id: "hidden/relation/1",
    criterion: "relation",
    scale: "supports, omits or contradicts",
    subject: SubjectKind::Report,
    ..HIDDEN_PAIR
};

/// The rating of a report whose words are in no order.
pub const HIDDEN_RATING: Instrument = Instrument {
    id: "hidden/rating/1",
    criterion: "rating",
    scale: "whole number, 0 to 10",
    subject: SubjectKind::Report,
    ..HIDDEN_PAIR
};

/// The known answer to a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// This side wins; a tie, at a confidence of one half, is a wrong answer.
    Winner(String),
    /// This word of the scale.
    Label(String),
    /// A number that is not larger.
    AtMost(f64),
}

impl Expected {
    /// Whether a judge's decision is right.
    pub fn is_met(&self, decision: &Decision) -> bool {
        match self {
            Self::Winner(side) => {
                decision.label == *side && decision.confidence.is_none_or(|sure| sure > 0.5)
            }
            Self::Label(word) => decision.label == *word,
            Self::AtMost(most) => decision.value.is_some_and(|value| value <= *most),
        }
    }
}

/// An answer to a probe, as it is on record.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenAnswer {
    /// The judge.
    pub judge: Judge,
    /// Whether it was right; none where there is no verdict.
    pub right: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_and_another_word_are_wrong() {
        let said = |label: &str, value, confidence| Decision {
            value,
            label: label.to_owned(),
            confidence,
        };
        let winner = Expected::Winner("A".into());
        assert!(winner.is_met(&said("A", None, Some(0.8))));
        assert!(!winner.is_met(&said("A", None, Some(0.5))));
        assert!(!winner.is_met(&said("B", None, Some(0.9))));
        let label = Expected::Label("OMITS".into());
        assert!(label.is_met(&said("OMITS", None, Some(0.1))));
        assert!(!label.is_met(&said("SUPPORTS", None, Some(1.0))));
        let most = Expected::AtMost(3.0);
        assert!(most.is_met(&said("3", Some(3.0), None)));
        assert!(!most.is_met(&said("4", Some(4.0), None)) && !most.is_met(&said("", None, None)));
    }
}
