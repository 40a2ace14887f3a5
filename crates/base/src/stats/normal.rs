//! The standard normal distribution, as far as tests and intervals need it.

use std::f64::consts::FRAC_1_SQRT_2;

use rand::Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Half the width of a 95 % interval, in standard errors.
pub const Z95: f64 = 1.959_963_984_540_054;

/// A draw from the standard normal distribution.
pub fn draw(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The share of the distribution below `x`.
pub fn below(x: f64) -> f64 {
    libm::erfc(-x * FRAC_1_SQRT_2) / 2.0
}

/// P(Z > z), the one-sided p-value of `z`.
pub fn upper_tail(z: f64) -> f64 {
    below(-z)
}

/// The number below which a share `p` of the distribution lies; none unless 0 < p < 1.
pub fn quantile(p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    // Halving: 200 steps are exact to the last digit, and nobody asks for it in a loop.
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_the_tails_read_backwards() {
        for (p, z) in [
            (0.975, Z95),
            (0.8, 0.841_621_233_572_914_2),
            (0.5, 0.0),
            (0.005, -2.575_829_303_548_901),
        ] {
            assert!((quantile(p).unwrap() - z).abs() < 1e-12, "{p}");
        }
        assert_eq!(
            (quantile(0.0), quantile(1.0), quantile(f64::NAN)),
            (None, None, None)
        );
    }

    #[test]
    fn tails_equal_those_of_scipy() {
        let golden = [
            (-6.0, 0.999_999_999_013_412_3),
            (-1.5, 0.933_192_798_731_141_9),
            (0.0, 0.5),
            (0.3, 0.382_088_577_811_047_4),
            (2.9, 0.001_865_813_300_384_037_5),
            (3.1, 0.000_967_603_213_218_356_3),
            (5.0, 2.866_515_718_791_933e-7),
            (20.0, 2.753_624_118_606_155_6e-89),
        ];
        for (z, tail) in golden {
            assert!(
                (upper_tail(z) / tail - 1.0).abs() < 1e-11,
                "{z}: {} and not {tail}",
                upper_tail(z)
            );
        }
        assert!((upper_tail(Z95) - 0.025).abs() < 1e-14);
    }
}
