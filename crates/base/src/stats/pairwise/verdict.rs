//! A verdict on two items, with all that the checks of a judge need.

use super::bradley_terry::{Game, Preference};

/// A judge's verdict on two items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairVerdict {
    /// The item shown first.
    pub first: u32,
    /// The item shown second.
    pub second: u32,
    /// The judge.
    pub judge: u32,
    /// Repetition of the same question on the same sides; 0 where it was asked first.
    pub sample: u32,
    /// Score of the item shown first: 1 for a win, 0 for a loss, 0.5 for a tie.
    pub score: f64,
    /// The judge's stated confidence, 0.5 to 1, if it was asked for one.
    pub confidence: Option<f64>,
}

/// A verdict with a predicted probability that the item shown first wins, if there is one.
pub type Predicted = (PairVerdict, Option<f64>);

impl PairVerdict {
    /// Whether the item shown first won; none for a tie.
    pub fn first_won(&self) -> Option<bool> {
        ((self.score - 0.5).abs() > 1e-9).then_some(self.score > 0.5)
    }

    /// The two items, the lower number first, whichever was shown first.
    pub fn pair(&self) -> (u32, u32) {
        (self.first.min(self.second), self.first.max(self.second))
    }

    /// The verdict as data for a fit: the winner has won, whatever the stated confidence.
    pub fn preference(&self) -> Preference {
        Preference::Pair(Game {
            first: self.first,
            second: self.second,
            judge: self.judge,
            score: self.score,
        })
    }
}

/// The first verdict of judge 0 on a pair, with confidence 0.8.
#[cfg(test)]
pub(crate) fn verdict(first: u32, second: u32, score: f64) -> PairVerdict {
    PairVerdict {
        first,
        second,
        judge: 0,
        sample: 0,
        score,
        confidence: Some(0.8),
    }
}
