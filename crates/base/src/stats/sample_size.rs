//! How many items, and how many people, a study needs: for an interval of a wanted width around an
//! agreement, or to tell two agents apart. Formulas are planning figures for large samples; each
//! names its source. All intervals are of 95 %, all tests two-sided.

use super::normal::{Z95, quantile};

/// More items than anybody plans.
const MOST: u64 = 1_000_000_000;

/// Items for a 95 % interval of a share, such as the share of items with one verdict, that is at
/// most `width` wide where the share is `share`: the smallest n whose interval by Wilson (J. Am.
/// Stat. Assoc. 22, 1927) is. None unless both are above 0 and below 1, or at a share of 0 or 1.
pub fn for_share(share: f64, width: f64) -> Option<u64> {
    if !(0.0..=1.0).contains(&share) || !is_between(width) {
        return None;
    }
    let wide = |n: u64| {
        let (n, z2) = (n as f64, Z95 * Z95);
        let spread = share * (1.0 - share) / n + z2 / (4.0 * n * n);
        2.0 * Z95 * spread.sqrt() / (1.0 + z2 / n)
    };
    smallest(|n| wide(n) <= width)
}

/// Items for a 95 % interval of Cohen's κ, at most `width` wide, of two people who decide between
/// two answers, one of which is right for a share `prevalence` of the items: n = 4 z² V / w² with V
/// = (1 − κ)((1 − κ)(1 − 2κ) + κ(2 − κ) / (2π(1 − π))) (Bloch and Kraemer, Biometrics 45, 1989;
/// Donner and Eliasziw, Stat. Med. 11, 1992).
pub fn for_kappa(kappa: f64, prevalence: f64, width: f64) -> Option<u64> {
    if !(0.0..1.0).contains(&kappa) || !is_between(prevalence) || !is_positive(width) {
        return None;
    }
    let answers = 2.0 * prevalence * (1.0 - prevalence);
    let chance = (1.0 - kappa) * (1.0 - 2.0 * kappa) + kappa * (2.0 - kappa) / answers;
    rounded_up(4.0 * Z95 * Z95 * (1.0 - kappa) * chance / (width * width))
}

/// Items for a 95 % interval, at most `width` wide, of the reliability of scores (the intraclass
/// correlation of one person) that `people` give to each: n = 8 z² (1 − ρ)² (1 + (k − 1) ρ)² / (k
/// (k − 1) w²) + 1, and 5ρ more for two people where ρ is .7 or more (Bonett, Stat. Med. 21, 2002).
/// None of fewer than two people.
pub fn for_reliability(reliability: f64, people: u64, width: f64) -> Option<u64> {
    if !(0.0..1.0).contains(&reliability) || people < 2 || !is_positive(width) {
        return None;
    }
    let k = people as f64;
    let spread = (1.0 - reliability) * (1.0 + (k - 1.0) * reliability);
    let n = 8.0 * (Z95 * spread).powi(2) / (k * (k - 1.0) * width * width) + 1.0;
    let small = if people == 2 && reliability >= 0.7 {
        5.0 * reliability
    } else {
        0.0
    };
    rounded_up(n + small)
}

/// The standard deviation of the differences between two agents' scores where each is the mean over
/// `people`, from that of one person's and the share of its variance that no person's noise makes
/// (Spearman, Brit. J. Psychology 3, 1910; Brown, the same).
pub fn deviation_with(deviation: f64, reliability: f64, people: u64) -> Option<f64> {
    let known = is_positive(deviation) && (0.0..=1.0).contains(&reliability) && people > 0;
    known.then(|| deviation * (reliability + (1.0 - reliability) / people as f64).sqrt())
}

/// Tasks on which a true mean difference is found with probability `power` at α = .05, from the
/// standard deviation of the paired differences: (`z_.975` + `z_power`)² s² / δ² + `z_.975`² / 2
/// (Guenther, Am. Stat. 35, 1981).
pub fn for_difference(difference: f64, deviation: f64, power: f64) -> Option<u64> {
    if !is_positive(difference) || !is_positive(deviation) || !(0.5..1.0).contains(&power) {
        return None;
    }
    let z = Z95 + quantile(power)?;
    rounded_up((z * deviation / difference).powi(2) + Z95 * Z95 / 2.0)
}

/// Pairs of reports of which an agent must be preferred in a share `preferred`, so that a test of
/// signs finds the preference with probability `power` at α = .05: (`z_.975` + `z_power`)² / (4 (p
/// − ½)²) (Noether, J. Am. Stat. Assoc. 82, 1987). None for a share of one half.
pub fn for_preference(preferred: f64, power: f64) -> Option<u64> {
    let from_half = (preferred - 0.5).abs();
    if !(0.0..=1.0).contains(&preferred) || from_half < 1e-9 || !(0.5..1.0).contains(&power) {
        return None;
    }
    let z = Z95 + quantile(power)?;
    rounded_up((z / (2.0 * from_half)).powi(2))
}

fn is_between(share: f64) -> bool {
    share > 0.0 && share < 1.0
}

fn is_positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

/// Two items are the fewest that anything can be computed from.
fn rounded_up(n: f64) -> Option<u64> {
    // A number that is whole but for rounding is not one more.
    let n = (n - 1e-9).ceil();
    (n.is_finite() && n <= MOST as f64).then_some((n.max(2.0)) as u64)
}

fn smallest(is_enough: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (1, 2);
    while !is_enough(high) {
        (low, high) = (high, high * 2);
        if high > MOST {
            return None;
        }
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::{binomial::wilson, normal};

    /// From the formulas by hand, and from their papers where they print one.
    #[test]
    fn planned_numbers_are_those_of_the_formulas() {
        // Wilson at one half has z / √(n + z²) as its half width: n = z² (1 / w² − 1).
        assert_eq!(for_share(0.5, 0.1), Some(381));
        assert_eq!(for_kappa(0.0, 0.5, 0.2), Some(385));
        // .4 · (.4 · −.2 + .6 · 1.4 / .5) is .64.
        assert_eq!(for_kappa(0.6, 0.5, 0.2), Some(246));
        // 8 · 3.8415 · .09 · (2.4)² / (6 · .04) + 1 is 67.4.
        assert_eq!(for_reliability(0.7, 3, 0.2), Some(68));
        assert_eq!(for_reliability(0.7, 2, 0.2), Some(105));
        // 7.849 · 4 + 1.92
        assert_eq!(for_difference(0.5, 1.0, 0.8), Some(34));
        assert_eq!(for_preference(0.6, 0.8), Some(197));
        let one = deviation_with(2.0, 0.5, 1).unwrap();
        let four = deviation_with(2.0, 0.5, 4).unwrap();
        assert!((one - 2.0).abs() < 1e-12 && (four - 2.0 * 0.625_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_sense_has_no_plan() {
        assert_eq!(for_share(0.5, 0.0), None);
        assert_eq!(for_share(f64::NAN, 0.1), None);
        assert_eq!(for_kappa(1.0, 0.5, 0.1), None);
        assert_eq!(for_kappa(0.5, 0.0, 0.1), None);
        assert_eq!(for_reliability(0.5, 1, 0.1), None);
        assert_eq!(for_difference(0.0, 1.0, 0.8), None);
        assert_eq!(for_preference(0.5, 0.8), None);
        assert_eq!(for_difference(1e-9, 1e9, 0.8), None);
    }

    /// A planned interval is as wide as wanted, and one item fewer makes it too wide.
    #[test]
    fn shares_have_intervals_of_the_wanted_width() {
        for (share, width) in [(0.8, 0.1), (0.5, 0.2), (0.95, 0.05)] {
            let n = for_share(share, width).unwrap();
            let wide = |n: u64| {
                let found = wilson(share * n as f64, n).unwrap();
                found.high - found.low
            };
            assert!(
                wide(n) <= width + 1e-9 && wide(n - 1) > width,
                "{share} {width}"
            );
        }
    }

    /// Studies of the planned size: κ of two people lies within half the width of the truth in
    /// about 95 %, and a difference is found in about 80 %.
    #[test]
    fn studies_of_the_planned_size_do_what_was_planned() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (kappa, prevalence, width) = (0.6, 0.3, 0.2);
        let n = for_kappa(kappa, prevalence, width).unwrap();
        let near = (0..400)
            .filter(|_| {
                (sampled_kappa(n, kappa, prevalence, &mut rng) - kappa).abs() <= width / 2.0
            })
            .count();
        let (difference, deviation) = (0.4, 1.5);
        let tasks = for_difference(difference, deviation, 0.8).unwrap();
        let found = (0..400)
            .filter(|_| {
                let draw = |_| difference + deviation * normal::draw(&mut rng);
                let values: Vec<f64> = (0..tasks).map(draw).collect();
                let mean = values.iter().sum::<f64>() / tasks as f64;
                let spread = crate::stats::paired::deviation(&values).unwrap();
                (mean / (spread / (tasks as f64).sqrt())).abs() > 1.98
            })
            .count();
        assert!((368..=396).contains(&near), "{near} of 400, n = {n}");
        assert!((292..=348).contains(&found), "{found} of 400, n = {tasks}");
    }

    /// κ of two people whose answers agree beyond chance by the common correlation model.
    fn sampled_kappa(n: u64, kappa: f64, prevalence: f64, rng: &mut ChaCha8Rng) -> f64 {
        let [mut both, mut first, mut second] = [0.0; 3];
        for _ in 0..n {
            let yes = |rng: &mut ChaCha8Rng| rng.random::<f64>() < prevalence;
            let one = yes(rng);
            let two = if rng.random::<f64>() < kappa {
                one
            } else {
                yes(rng)
            };
            both += f64::from(one == two);
            first += f64::from(one);
            second += f64::from(two);
        }
        let (n, agreed) = (n as f64, both / n as f64);
        let chance = first * second / (n * n) + (n - first) * (n - second) / (n * n);
        (agreed - chance) / (1.0 - chance)
    }
}
