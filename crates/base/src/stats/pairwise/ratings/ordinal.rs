//! The proportional-odds model of graded verdicts (`McCullagh`, "Regression models for ordinal
//! data", J. R. Stat. Soc. B 42, 1980, section 2): the first of two gets at most grade k with
//! probability σ(cₖ − η), where η is θ₁ − θ₂ plus the seat term and the cuts c are −t₂, −t₁, t₁,
//! t₂. They are symmetric, so that exchanged seats and verdicts are the same data but for the seat
//! term. Hides the scoring method.

use std::collections::BTreeMap;

use super::{
    Grade, GradedGame, Options,
    fitted::{Fitted, precision, seat_precision},
};
use crate::stats::Inverse;

/// Largest slope of the log posterior that is left.
const SLOPE: f64 = 1e-8;
const MOST_STEPS: usize = 200;

/// Precision of the logarithms of the steps of the thresholds, around 0: without it a grade that
/// never occurs would have no threshold.
const STEP_PRECISION: f64 = 0.25;

/// How often each pair got each grade.
type Cells = BTreeMap<(u32, u32), [f64; 5]>;

/// The log posterior with its slopes and its expected curvature.
struct Point {
    value: f64,
    slopes: Vec<f64>,
    information: Vec<Vec<f64>>,
}

/// The fit of some rounds, by Fisher's method of scoring.
pub(super) fn fit(
    agents: usize,
    rounds: &[GradedGame],
    options: &Options,
    start: Option<&Fitted>,
) -> Fitted {
    let mut cells = Cells::new();
    for round in rounds {
        cells.entry((round.first, round.second)).or_default()[round.grade as usize] += 1.0;
    }
    let mut x = start.map_or_else(
        || vec![0.0; agents + 3],
        |start| {
            let steps = start.steps.unwrap_or_default();
            [&start.strength[..], &[start.seat], &steps].concat()
        },
    );
    let mut point = evaluate(agents, &cells, options, &x);
    for _ in 0..MOST_STEPS {
        if point.slopes.iter().all(|slope| slope.abs() <= SLOPE) {
            break;
        }
        let way = Inverse::of(point.information.clone()).solve(&point.slopes);
        let mut length = 1.0;
        loop {
            let there: Vec<f64> = x
                .iter()
                .zip(&way)
                .map(|(x, way)| x + length * way)
                .collect();
            let next = evaluate(agents, &cells, options, &there);
            // Rounding may hide the last gains: the slope tells.
            if next.value >= point.value - 1e-9 * point.value.abs().max(1.0) || length < 1e-4 {
                (x, point) = (there, next);
                break;
            }
            length /= 2.0;
        }
    }
    Fitted {
        strength: x[..agents].to_vec(),
        seat: x[agents],
        steps: Some([x[agents + 1], x[agents + 2]]),
        information: point.information,
    }
}

fn evaluate(agents: usize, cells: &Cells, options: &Options, x: &[f64]) -> Point {
    let unknowns = agents + 3;
    let mut precisions = vec![precision(options); agents];
    precisions.extend([seat_precision(options), STEP_PRECISION, STEP_PRECISION]);
    let mut point = Point {
        value: 0.0,
        slopes: vec![0.0; unknowns],
        information: vec![vec![0.0; unknowns]; unknowns],
    };
    for (at, precision) in precisions.iter().enumerate() {
        point.value -= precision * x[at] * x[at] / 2.0;
        point.slopes[at] = -precision * x[at];
        point.information[at][at] = *precision;
    }
    for (&(first, second), counts) in cells {
        let pair = [first as usize, second as usize];
        let eta = x[pair[0]] - x[pair[1]] + x[agents];
        let shares = Shares::new(eta, x[agents + 1], x[agents + 2]);
        point.add(pair, counts, &shares);
    }
    point
}

impl Point {
    /// Adds the rounds of a pair.
    fn add(&mut self, [first, second]: [usize; 2], counts: &[f64; 5], shares: &Shares) {
        let agents = self.slopes.len() - 3;
        // Each unknown, which of the three changes is its own, and with which sign.
        let direction = [
            (first, 0, 1.0),
            (second, 0, -1.0),
            (agents, 0, 1.0),
            (agents + 1, 1, 1.0),
            (agents + 2, 2, 1.0),
        ];
        let rounds: f64 = counts.iter().sum();
        for ((count, p), change) in counts.iter().zip(shares.p).zip(shares.change) {
            self.value += count * p.ln();
            for (row, of, sign) in direction {
                self.slopes[row] += sign * count * change[of] / p;
                for (column, other, and) in direction {
                    // Expected, not observed, so that it is never negative.
                    self.information[row][column] +=
                        sign * and * rounds * change[of] * change[other] / p;
                }
            }
        }
    }
}

/// The probability of each grade, and its changes with η and with the two steps.
struct Shares {
    p: [f64; 5],
    change: [[f64; 3]; 5],
}

impl Shares {
    fn new(eta: f64, first_step: f64, second_step: f64) -> Self {
        let (near, step) = (first_step.exp(), second_step.exp());
        let far = near + step;
        // Each cut with its changes with the two steps.
        let cuts = [
            (-far, [-near, -step]),
            (-near, [-near, 0.0]),
            (near, [near, 0.0]),
            (far, [near, step]),
        ];
        let mut below = [[0.0; 4]; 6];
        below[5][0] = 1.0;
        for (cut, below) in cuts.iter().zip(&mut below[1..]) {
            let share = 1.0 / (1.0 + (eta - cut.0).exp());
            let density = share * (1.0 - share);
            *below = [share, -density, density * cut.1[0], density * cut.1[1]];
        }
        let mut shares = Self {
            p: [0.0; 5],
            change: [[0.0; 3]; 5],
        };
        for grade in 0..5 {
            let between = |of: usize| below[grade + 1][of] - below[grade][of];
            // A share that rounding takes for 0 must not be divided by.
            shares.p[grade] = between(0).max(1e-300);
            shares.change[grade] = [between(1), between(2), between(3)];
        }
        shares
    }
}

/// The probability of each grade, where η is the difference in logits and t₁ and t₂ are the
/// thresholds.
pub fn probabilities(difference: f64, better: f64, much_better: f64) -> [(Grade, f64); 5] {
    let shares = Shares::new(difference, better.ln(), (much_better - better).ln());
    let mut grades = Grade::ALL.into_iter().zip(shares.p);
    std::array::from_fn(|_| grades.next().unwrap_or((Grade::Tie, 0.0)))
}
