//! The regularised incomplete beta function, and the tail of the F distribution that is made of it.
//! Hides the continued fraction.

/// Steps of the continued fraction: it converges in some √(a + b), so that this is enough for tens
/// of millions of degrees of freedom.
const STEPS: u32 = 20_000;
/// What the fraction takes for 0, so that it can be divided by.
const TINY: f64 = 1e-300;

/// The share of the F distribution that lies above `f`: the p-value of an F of so many degrees of
/// freedom above and below the line. None where one of them is not positive, or f no number.
pub fn f_upper_tail(f: f64, above: f64, below: f64) -> Option<f64> {
    let known = above > 0.0 && below > 0.0 && above.is_finite() && below.is_finite();
    if !known || f.is_nan() {
        return None;
    }
    if f <= 0.0 {
        return Some(1.0);
    }
    let ratio = above * f / below;
    // Both parts of 1 are computed, so that neither is the small difference of larger numbers.
    let (x, rest) = (1.0 / (1.0 + ratio), 1.0 / (1.0 + 1.0 / ratio));
    Some(regularised(x, rest, below / 2.0, above / 2.0))
}

/// The incomplete beta function at x as a share of the complete one; `rest` is 1 − x.
fn regularised(x: f64, rest: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || rest <= 0.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let logarithm = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let front = (logarithm + a * x.ln() + b * rest.ln()).exp();
    // The fraction converges fast on this side only; the other is the rest of 1.
    let share = if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(rest, b, a) / b
    };
    share.clamp(0.0, 1.0)
}

/// The continued fraction 26.5.8 of Abramowitz and Stegun (1964), from its beginning (Lentz 1976).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut above, mut below) = (1.0, 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = below;
    for step in 1..STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            below = 1.0 / not_zero(1.0 + term * below);
            above = not_zero(1.0 + term / above);
            change = below * above;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_f_equal_those_of_scipy() {
        let golden = [
            (1.180_462, 4.0, 20.0, 0.349_447_646_240_480_1),
            (0.5, 1.0, 1.0, 0.608_173_447_969_392_8),
            (3.0, 2.0, 6.0, 0.125),
            (13.5, 1.0, 4.0, 0.021_311_641_128_756_713),
            (1.0, 14.0, 85.0, 0.460_975_058_392_897_65),
            (2.2, 14.0, 85.0, 0.013_954_564_305_534_569),
            (0.01, 5.0, 7.0, 0.999_954_556_815_016_9),
            (40.0, 3.0, 96.0, 7.371_425_419_303_178e-17),
            (5.0, 0.5, 2.5, 0.118_620_118_249_093_37),
            (1.05, 1000.0, 1000.0, 0.220_291_482_525_933_72),
            (1.3, 99.0, 9900.0, 0.024_742_855_856_949_495),
            (1.0, 100_000.0, 200_000.0, 0.499_757_211_212_601_5),
            (250.0, 14.0, 85.0, 9.791_768_367_922_56e-63),
        ];
        for (f, above, below, p) in golden {
            let found = f_upper_tail(f, above, below).unwrap();
            assert!(
                (found / p - 1.0).abs() < 1e-9,
                "{f} {above} {below}: {found:e} and not {p:e}"
            );
        }
    }

    /// The 5 % points that tables of F print.
    #[test]
    fn the_critical_values_of_the_tables_have_their_share() {
        for (f, above, below) in [
            (161.45, 1.0, 1.0),
            (4.96, 1.0, 10.0),
            (3.33, 5.0, 10.0),
            (2.54, 10.0, 15.0),
            (2.42, 4.0, 200.0),
        ] {
            let found = f_upper_tail(f, above, below).unwrap();
            assert!((found - 0.05).abs() < 5e-4, "{f} {above} {below}: {found}");
        }
    }

    /// With two degrees of freedom above the line the tail is a power: (1 + 2 f / d)^(−d/2).
    #[test]
    fn two_degrees_above_have_a_closed_form() {
        for below in [1.0, 3.0, 40.0, 1_000.0, 1e6_f64] {
            for f in [1e-6, 0.1, 1.0, 3.5, 20.0_f64] {
                let expected = (-below / 2.0 * (2.0 * f / below).ln_1p()).exp();
                let found = f_upper_tail(f, 2.0, below).unwrap();
                assert!(
                    (found / expected - 1.0).abs() < 1e-8,
                    "{f} {below}: {found:e} and not {expected:e}"
                );
            }
        }
    }

    #[test]
    fn the_ends_are_shares() {
        assert_eq!(f_upper_tail(0.0, 3.0, 4.0), Some(1.0));
        assert_eq!(f_upper_tail(-1.0, 3.0, 4.0), Some(1.0));
        assert_eq!(f_upper_tail(f64::INFINITY, 3.0, 4.0), Some(0.0));
        assert_eq!(f_upper_tail(f64::NAN, 3.0, 4.0), None);
        assert_eq!(f_upper_tail(1.0, 0.0, 4.0), None);
        assert_eq!(f_upper_tail(1.0, 1.0, f64::INFINITY), None);
    }
}
