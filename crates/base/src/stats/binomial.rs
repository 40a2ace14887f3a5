//! Binomial shares: Wilson intervals, and the exact test of a fair coin. Hides the tail sum, which
//! is exact for every n and needs no gamma function.

use serde::Serialize;

use super::normal::Z95;

/// A share with its 95 % interval, all from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Successes divided by trials.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The share of `successes` in `n` trials, with Wilson's score interval (Wilson 1927); a tie may be
/// half a success.
pub fn wilson(successes: f64, n: u64) -> Option<Share> {
    if n == 0 || !(0.0..=n as f64).contains(&successes) {
        return None;
    }
    let (n, z2) = (n as f64, Z95 * Z95);
    let centre = (successes + z2 / 2.0) / (n + z2);
    let half = Z95 * (successes * (n - successes) / n + z2 / 4.0).sqrt() / (n + z2);
    Some(Share {
        value: successes / n,
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    })
}

/// The exact two-sided binomial test: probability that a fair coin is at least as one-sided as
/// `heads` in `n` throws.
///
/// Binomial weights are summed from the middle outwards, each from the one before, until they
/// vanish: some 20 √n steps.
pub fn fair_coin_p(heads: u64, n: u64) -> f64 {
    let fewer = heads.min(n.saturating_sub(heads));
    let (mut weight, mut tail, mut half) = (1.0, 0.0, 0.0);
    for k in (0..=n / 2).rev() {
        // Of an even number of throws the middle belongs to both halves.
        half += if 2 * k == n { weight / 2.0 } else { weight };
        tail += if k <= fewer { weight } else { 0.0 };
        weight *= k as f64 / (n - k + 1) as f64;
        if weight == 0.0 {
            break;
        }
    }
    f64::min(tail / half, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_equal_those_of_scipy() {
        let golden = [
            (0.0, 10, 0.0, 0.277_532_799_862_889_26),
            (7.0, 10, 0.396_778_147_461_145_26, 0.892_208_732_593_699),
            (350.0, 500, 0.658_432_195_956_077_3, 0.738_518_067_859_301_7),
            (1.0, 1, 0.206_549_314_377_237_45, 1.0),
        ];
        for (successes, n, low, high) in golden {
            let share = wilson(successes, n).unwrap();
            assert!(
                (share.low - low).abs() < 1e-12 && (share.high - high).abs() < 1e-12,
                "{successes} of {n}"
            );
        }
    }

    #[test]
    fn what_is_no_share_has_no_interval() {
        assert_eq!(
            (wilson(0.0, 0), wilson(3.0, 2), wilson(f64::NAN, 2)),
            (None, None, None)
        );
    }

    #[test]
    fn coins_equal_those_of_scipy() {
        let golden = [
            (0, 0, 1.0),
            (0, 1, 1.0),
            (3, 10, 0.343_75),
            (10, 10, 0.001_953_125),
            (50, 100, 1.0),
            (40, 100, 0.056_887_933_640_980_89),
            (7, 15, 1.0),
            (278, 500, 0.013_825_966_302_776_325),
            (498_000, 1_000_000, 6.360_933_750_078_8e-5),
            (499_500, 1_000_000, 0.317_794_691_363_329_7),
        ];
        for (heads, n, p) in golden {
            assert!(
                (fair_coin_p(heads, n) / p - 1.0).abs() < 1e-9,
                "{heads} of {n}: {}",
                fair_coin_p(heads, n)
            );
        }
        assert!(fair_coin_p(0, 1_000_000) == 0.0);
    }
}
