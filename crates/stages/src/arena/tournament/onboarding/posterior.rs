//! The posterior of a new agent's strength, on a grid, with the uncertainty of each opponent.

use super::Known;

/// Points of the grid of strengths, over so many deviations to each side.
const GRID: usize = 121;
const REACH: f64 = 5.0;
/// Points of the grid of an opponent's strength.
const OPPONENT_GRID: usize = 21;

/// The newcomer's strength on a grid, with each opponent's own.
pub(in crate::arena::tournament) struct Posterior {
    grid: Vec<f64>,
    prior: Vec<f64>,
    opponents: Vec<Opponent>,
}

/// An opponent's strength on a grid, and the likelihood of its matches there.
struct Opponent {
    strength: Vec<f64>,
    /// For each strength of the newcomer the joint probability of the opponent's strengths and of
    /// the results so far.
    joint: Vec<Vec<f64>>,
}

fn sigma(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Points around a mean and their normal weights, which sum to 1.
fn normal_grid(mean: f64, deviation: f64, points: usize) -> (Vec<f64>, Vec<f64>) {
    let z = |at: usize| REACH * (2.0 * at as f64 / (points - 1) as f64 - 1.0);
    let weights: Vec<f64> = (0..points).map(|at| (-z(at) * z(at) / 2.0).exp()).collect();
    let sum: f64 = weights.iter().sum();
    (
        (0..points).map(|at| mean + deviation * z(at)).collect(),
        weights.iter().map(|weight| weight / sum).collect(),
    )
}

/// Nats of a coin's uncertainty.
fn entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    term(p) + term(1.0 - p)
}

impl Posterior {
    pub fn new(board: &[Known], prior_deviation: f64) -> Self {
        let mean = board.iter().map(|of| of.strength).sum::<f64>() / board.len() as f64;
        let (grid, prior) = normal_grid(mean, prior_deviation, GRID);
        let opponents = board.iter().map(|of| {
            let (strength, weights) = normal_grid(of.strength, of.deviation, OPPONENT_GRID);
            Opponent {
                joint: vec![weights; GRID],
                strength,
            }
        });
        Self {
            opponents: opponents.collect(),
            grid,
            prior,
        }
    }

    /// Takes the newcomer's score against an opponent.
    pub fn add(&mut self, opponent: usize, score: f64) {
        let of = &mut self.opponents[opponent];
        for (own, joint) in self.grid.iter().zip(&mut of.joint) {
            for (other, joint) in of.strength.iter().zip(joint) {
                let p = sigma(own - other);
                // One half is half a win and half a loss, as in the ratings.
                *joint *= p.powf(score) * (1.0 - p).powf(1.0 - score);
            }
        }
        // A common factor means nothing, and a thousand results would leave only zeros.
        let largest = of
            .joint
            .iter()
            .flatten()
            .copied()
            .fold(f64::MIN_POSITIVE, f64::max);
        of.joint
            .iter_mut()
            .flatten()
            .for_each(|joint| *joint /= largest);
    }

    /// The probability of each point of the grid.
    fn weights(&self) -> Vec<f64> {
        let logarithm = |at: usize| {
            let of = |opponent: &Opponent| opponent.joint[at].iter().sum::<f64>().ln();
            self.prior[at].ln() + self.opponents.iter().map(of).sum::<f64>()
        };
        let logarithms: Vec<f64> = (0..GRID).map(logarithm).collect();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logarithms.iter().map(|of| (of - largest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// Mean and standard deviation.
    pub fn moments(&self) -> (f64, f64) {
        let weights = self.weights();
        let mean: f64 = weights.iter().zip(&self.grid).map(|(p, x)| p * x).sum();
        let square: f64 = weights
            .iter()
            .zip(&self.grid)
            .map(|(p, x)| p * (x - mean).powi(2))
            .sum();
        (mean, square.sqrt())
    }

    /// The opponent that tells most for its price; of equals the first by name.
    pub fn choose(&self, board: &[Known], affordable: impl Fn(&Known) -> bool) -> Option<usize> {
        let weights = self.weights();
        let mut best: Option<(usize, f64)> = None;
        for (at, of) in board.iter().enumerate().filter(|(_, of)| affordable(of)) {
            let value = self.information(&weights, at) / of.cost_usd;
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((at, value));
            }
        }
        best.map(|(at, _)| at)
    }

    /// Nats that one more match against an opponent is expected to tell about the strength.
    fn information(&self, weights: &[f64], opponent: usize) -> f64 {
        let of = &self.opponents[opponent];
        let (mut wins, mut certain) = (0.0, 0.0);
        for ((own, joint), weight) in self.grid.iter().zip(&of.joint).zip(weights) {
            let all: f64 = joint.iter().sum();
            let won: f64 = joint
                .iter()
                .zip(&of.strength)
                .map(|(joint, other)| joint * sigma(own - other))
                .sum();
            // Far from the results so far the joint probability may vanish: nothing is there.
            let p = if all > 0.0 { won / all } else { 0.5 };
            wins += weight * p;
            certain += weight * entropy(p);
        }
        entropy(wins) - certain
    }
}
