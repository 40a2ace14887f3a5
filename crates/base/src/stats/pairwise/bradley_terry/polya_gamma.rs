//! Draws from Pólya–Gamma distributions, which turn a logistic likelihood into a normal one
//! (Polson, Scott and Windle, "Bayesian inference for logistic models using Pólya–Gamma latent
//! variables", JASA 108, 2013).

use std::f64::consts::{FRAC_PI_2, PI};

use rand::{Rng, RngExt as _};
use rand_distr::{Distribution as _, Exp1, Gamma, StandardNormal};

use crate::stats::normal;

/// Where the two series of the density meet (Devroye 2009).
const SPLIT: f64 = 0.64;

/// A draw from PG(1, `tilt`), exactly.
pub fn draw(tilt: f64, rng: &mut impl Rng) -> f64 {
    let z = tilt.abs() / 2.0;
    let rate = PI * PI / 8.0 + z * z / 2.0;
    let right = FRAC_PI_2 / rate * (-rate * SPLIT).exp();
    let left = 2.0 * (-z).exp() * inverse_gaussian_below_split(z);
    loop {
        let x = if rng.random::<f64>() * (right + left) < right {
            let e: f64 = Exp1.sample(rng);
            SPLIT + e / rate
        } else {
            left_of_split(z, rng)
        };
        if accepted(x, rng) {
            // PG(1, z) is a quarter of the Jacobi variable that was drawn.
            return x / 4.0;
        }
    }
}

/// A draw from PG(`weight`, `tilt`): a gamma distribution of the same mean and variance, which is
/// what is needed where a verdict counts as a part of one.
pub fn draw_part(weight: f64, tilt: f64, rng: &mut impl Rng) -> f64 {
    let c = tilt.abs().max(1e-3);
    let mean = weight / (2.0 * c) * (c / 2.0).tanh();
    let cosh = (c / 2.0).cosh();
    let variance = weight / (4.0 * c * c * c) * (c.sinh() - c) / (cosh * cosh);
    // Far out the distribution is so narrow that it may stand for itself.
    match Gamma::new(mean * mean / variance, variance / mean) {
        Ok(gamma) if c < 300.0 => gamma.sample(rng),
        _ => mean,
    }
}

/// The share of the inverse Gaussian with mean 1/z and shape 1 that lies below the split.
fn inverse_gaussian_below_split(z: f64) -> f64 {
    let root = (1.0 / SPLIT).sqrt();
    let far = normal::below(-root * (SPLIT * z + 1.0));
    normal::below(root * (SPLIT * z - 1.0))
        + if far > 0.0 {
            (2.0 * z + far.ln()).exp()
        } else {
            0.0
        }
}

/// A draw from that inverse Gaussian, given that it lies below the split.
fn left_of_split(z: f64, rng: &mut impl Rng) -> f64 {
    if z * SPLIT < 1.0 {
        loop {
            let (e, other): (f64, f64) = (Exp1.sample(rng), Exp1.sample(rng));
            if e * e > 2.0 * other / SPLIT {
                continue;
            }
            let x = SPLIT / ((1.0 + SPLIT * e) * (1.0 + SPLIT * e));
            if rng.random::<f64>() <= (-z * z * x / 2.0).exp() {
                return x;
            }
        }
    }
    let mean = 1.0 / z;
    loop {
        let n: f64 = StandardNormal.sample(rng);
        let y = mean * n * n;
        let low = mean + mean / 2.0 * (y - (4.0 * y + y * y).sqrt());
        let x = if rng.random::<f64>() <= mean / (mean + low) {
            low
        } else {
            mean * mean / low
        };
        if x < SPLIT {
            return x;
        }
    }
}

/// A term of the density's alternating series, without its sign.
fn coefficient(n: f64, x: f64) -> f64 {
    let k = n + 0.5;
    if x <= SPLIT {
        let wide = 2.0 / (PI * x);
        PI * k * wide * wide.sqrt() * (-2.0 * k * k / x).exp()
    } else {
        PI * k * (-k * k * PI * PI * x / 2.0).exp()
    }
}

/// Whether a proposal is kept: the density's alternating series, taken as far as it takes to
/// decide.
fn accepted(x: f64, rng: &mut impl Rng) -> bool {
    let mut sum = coefficient(0.0, x);
    let height = rng.random::<f64>() * sum;
    // The series alternates and shrinks fast: a few terms decide; the bound is for rounding alone.
    for n in 1..200 {
        let term = coefficient(f64::from(n), x);
        if n % 2 == 1 {
            sum -= term;
            if height <= sum {
                return true;
            }
        } else {
            sum += term;
            if height > sum {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    /// Mean tanh(c/2) / 2c, variance (sinh c − c) sech²(c/2) / 4c³.
    #[test]
    fn has_the_known_mean_and_variance() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for c in [0.01f64, 0.5, 1.5, 3.0, 3.5, 8.0, 40.0] {
            let draws: Vec<f64> = (0..40_000).map(|_| draw(c, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance =
                draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / draws.len() as f64;
            let (m, v) = (
                (c / 2.0).tanh() / (2.0 * c),
                (c.sinh() - c) / (4.0 * c.powi(3) * (c / 2.0).cosh().powi(2)),
            );
            assert!((mean / m - 1.0).abs() < 0.02, "{c}: {mean} for {m}");
            assert!((variance / v - 1.0).abs() < 0.06, "{c}: {variance} for {v}");
        }
    }

    #[test]
    fn parts_have_a_part_of_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for c in [0.0f64, 1.0, 700.0] {
            let mean = (0..20_000)
                .map(|_| draw_part(0.3, c, &mut rng))
                .sum::<f64>()
                / 20_000.0;
            let expected = if c == 0.0 {
                0.3 / 4.0
            } else {
                0.3 * (c / 2.0).tanh() / (2.0 * c)
            };
            assert!(
                (mean / expected - 1.0).abs() < 0.05,
                "{c}: {mean} for {expected}"
            );
        }
    }
}
