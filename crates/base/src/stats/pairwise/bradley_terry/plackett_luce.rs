//! Likelihood of an order of several items under Plackett and Luce's model (Luce 1959, Plackett
//! 1975): the best of those that are left is chosen, again and again, each with the chance e^u / Σ
//! e^u, where u = a (θ + b e) and e tells how early it was shown. With two items that is Bradley
//! and Terry's. Hides how an order becomes weighted pairs.

use super::Model;

/// An order of several items that were shown together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedList {
    /// The items as they were shown, at least two.
    pub shown: Vec<u32>,
    /// The place of each, the best first; numbers may be missing, none twice.
    pub places: Vec<usize>,
    /// The judge, from 0.
    pub judge: u32,
}

/// A list in the order that the judge gave it.
#[derive(Clone, Debug)]
pub(super) struct SortedList {
    /// The judge, from 0.
    pub judge: usize,
    /// The logarithm of the probability of a random order, 1 / k!.
    pub log_chance: f64,
    /// The best first.
    items: Vec<u32>,
    /// How early each was shown: 1/2 the first, −1/2 the last, evenly spaced between. Two differ by
    /// 1, as in a pair.
    early: Vec<f64>,
}

/// One item of a list before another: who won, who lost, and how much earlier the winner was shown.
pub(super) type Pair = (u32, u32, f64);

impl SortedList {
    pub fn new(list: &RankedList) -> Self {
        let size = list.shown.len();
        // A list of one has no steps; it must not divide by zero.
        let steps = size.saturating_sub(1).max(1) as f64;
        let mut slots: Vec<usize> = (0..size).collect();
        slots.sort_unstable_by_key(|slot| list.places[*slot]);
        Self {
            judge: list.judge as usize,
            log_chance: -(2..=size).map(|k| (k as f64).ln()).sum::<f64>(),
            items: slots.iter().map(|slot| list.shown[*slot]).collect(),
            early: slots
                .iter()
                .map(|slot| 0.5 - *slot as f64 / steps)
                .collect(),
        }
    }

    /// All pairs, winner first, by the winner's place and then the loser's.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let to = self.items.len();
        let pairs = (0..to).flat_map(move |won| (won + 1..to).map(move |lost| (won, lost)));
        pairs.map(|(won, lost)| {
            (
                self.items[won],
                self.items[lost],
                self.early[won] - self.early[lost],
            )
        })
    }

    /// u of each item, from strengths followed by intercepts.
    fn utilities(&self, model: &Model, x: &[f64]) -> Vec<f64> {
        let preference = x[x.len() - model.discrimination.len() + self.judge];
        self.items
            .iter()
            .zip(&self.early)
            .map(|(item, early)| {
                model.discrimination[self.judge] * (x[*item as usize] + early * preference)
            })
            .collect()
    }

    /// ln Σ e^u over each item and all behind it.
    fn left(utilities: &[f64]) -> Vec<f64> {
        let mut left = utilities.to_vec();
        for at in (0..left.len().saturating_sub(1)).rev() {
            let (one, rest) = (utilities[at], left[at + 1]);
            left[at] = one.max(rest) + (-(one - rest).abs()).exp().ln_1p();
        }
        left
    }

    /// The logarithm of the order's probability where the judge was attentive.
    pub fn log_likelihood(&self, model: &Model, x: &[f64]) -> f64 {
        let utilities = self.utilities(model, x);
        utilities
            .iter()
            .zip(Self::left(&utilities))
            .map(|(u, left)| u - left)
            .sum()
    }

    /// What each pair counts for, in their order, where the judge was attentive: of a choice that i
    /// won, the pair with j has the weight pᵢ + pⱼ, the probability that the choice falls on one of
    /// the two. With these weights the pairs' slopes add up to those of Plackett and Luce's
    /// likelihood, Σ (pᵢ + pⱼ) σ(uⱼ − uᵢ) = 1 − pᵢ. Their information is the same in expectation:
    /// one of the two is chosen with probability pᵢ + pⱼ, and (pᵢ + pⱼ)² σ (1 − σ) = pᵢ pⱼ. Where
    /// all are equal the weight is 2 / m with m left, and it is 1 where all others are far below
    /// the two.
    pub fn weights(&self, model: &Model, x: &[f64], weights: &mut Vec<f64>) {
        let utilities = self.utilities(model, x);
        for (won, left) in Self::left(&utilities).into_iter().enumerate() {
            let p = |u: f64| (u - left).exp();
            weights.extend(
                utilities[won + 1..]
                    .iter()
                    .map(|lost| p(utilities[won]) + p(*lost)),
            );
        }
    }
}
