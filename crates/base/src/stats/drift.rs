//! Does a level change in the course of a sequence? One change point is looked for at every place,
//! and the largest jump is held against those that the same numbers show in a random order, so that
//! looking at many places is paid for. Hides binning and the shuffles.
//!
//! The statistic is the largest standardised difference of the means before and after a place
//! (Hinkley, Biometrika 57, 1970), its null distribution that of permutations (Antoch and Hušková,
//! Statistics & Probability Letters 53, 2001), with p = (1 + b) / (1 + m) (Phipson and Smyth, Stat.
//! Appl. Genet. Mol. Biol. 9, 2010). It holds where the numbers may as well have come in any order.

use rand::{Rng, seq::SliceRandom as _};
use serde::Serialize;

/// Shuffles of the numbers; a p-value is then 1/1,000 at least.
const SHUFFLES: usize = 999;
/// Fewest numbers before and after a change.
const FEWEST: usize = 5;
/// More numbers than this are averaged in as many stretches of the same size.
const STRETCHES: usize = 1000;

/// The likeliest change in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Numbers in the sequence.
    pub n: u64,
    /// How many come before the change.
    pub after: u64,
    /// Their mean.
    pub before_mean: f64,
    /// The mean of the others.
    pub after_mean: f64,
    /// Probability of a jump as large somewhere, if nothing changes.
    pub p: f64,
}

/// Looks for a change. None of fewer than ten numbers, or where all are the same.
pub fn change(values: &[f64], rng: &mut impl Rng) -> Option<Change> {
    let n = values.len();
    if n < 2 * FEWEST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let size = n.div_ceil(STRETCHES);
    let mut stretches: Vec<f64> = values.chunks_exact(size).map(mean).collect();
    let average = mean(&stretches);
    for value in &mut stretches {
        *value -= average;
    }
    let spread = stretches.iter().map(|value| value * value).sum::<f64>();
    if spread <= 1e-18 * (1.0 + average * average) * stretches.len() as f64 {
        return None;
    }
    let (at, found) = largest_jump(&stretches);
    let after = at * size;
    let limit = found - 1e-9 * found.abs();
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        stretches.shuffle(rng);
        as_large += u32::from(largest_jump(&stretches).1 >= limit);
    }
    Some(Change {
        n: n as u64,
        after: after as u64,
        before_mean: mean(&values[..after]),
        after_mean: mean(&values[after..]),
        p: f64::from(1 + as_large) / (1 + SHUFFLES) as f64,
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The place of the largest jump, and its size: the squared sum before it over k (n − k) / n, for
/// numbers with the mean 0.
fn largest_jump(values: &[f64]) -> (usize, f64) {
    let n = values.len();
    let (mut sum, mut best) = (0.0, (FEWEST, f64::NEG_INFINITY));
    for (at, value) in values.iter().enumerate() {
        sum += value;
        let before = at + 1;
        if before < FEWEST || n - before < FEWEST {
            continue;
        }
        let weight = (before * (n - before)) as f64 / n as f64;
        let jump = sum * sum / weight;
        if jump > best.1 {
            best = (before, jump);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    #[test]
    fn a_plain_step_is_found_where_it_is() {
        let values: Vec<f64> = (0..40)
            .map(|n| if n < 25 { 0.0 } else { 2.0 } + 0.01 * f64::from(n % 3))
            .collect();
        let found = change(&values, &mut rng(1)).expect("a change");
        assert_eq!((found.after, found.n), (25, 40));
        assert!(found.p <= 0.001 + 1e-12 && found.after_mean > found.before_mean + 1.9);
    }

    #[test]
    fn too_few_or_equal_numbers_say_nothing() {
        assert_eq!(change(&[1.0; 9], &mut rng(1)), None);
        assert_eq!(change(&[0.1; 500], &mut rng(1)), None);
        assert_eq!(change(&[f64::NAN; 50], &mut rng(1)), None);
    }

    /// The p-value is below α as often as α says, also for thousands of numbers.
    #[test]
    fn without_a_change_p_values_are_even() {
        for n in [30, 3000] {
            let small = (0..200)
                .filter(|seed| {
                    let mut rng = rng(*seed);
                    let values: Vec<f64> = (0..n).map(|_| normal::draw(&mut rng)).collect();
                    change(&values, &mut rng).is_some_and(|found| found.p <= 0.1)
                })
                .count();
            assert!((8..=36).contains(&small), "{small} of 200 with {n} numbers");
        }
    }

    #[test]
    fn answers_that_are_right_or_wrong_can_change_too() {
        let mut rng = rng(3);
        let values: Vec<f64> = (0..200)
            .map(|n| f64::from(rng.random::<f64>() < if n < 100 { 0.97 } else { 0.6 }))
            .collect();
        let found = change(&values, &mut rng).expect("a change");
        assert!(
            found.p < 0.01 && (80..=120).contains(&found.after),
            "{found:?}"
        );
    }
}
