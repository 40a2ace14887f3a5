//! Correlations of paired numbers and of their ranks, ties included. Hides mid-ranks and the
//! counting of pairs; pairs with a value that is not a number are left out.

use serde::Serialize;

use super::normal::Z95;

/// A correlation, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Correlation {
    /// Pairs of numbers that it was computed from.
    pub n: u64,
    /// The coefficient.
    pub value: f64,
    /// Its 95 % interval; none for fewer than four pairs, or where the orders are the same or
    /// opposite.
    pub interval: Option<(f64, f64)>,
}

/// Pearson's r. None if one side has no two different numbers.
///
/// The interval is Fisher's (1921), with the variance 1 / (n − 3).
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let (x, y): (Vec<_>, Vec<_>) = numbers(x, y).into_iter().unzip();
    let value = product_moment(&x, &y)?;
    Some(correlation(value, x.len(), 1.0))
}

/// Spearman's ρ: Pearson's r of mid-ranks. None if one side has no two different numbers.
///
/// The interval is Fisher's, with the variance (1 + ρ²/2) / (n − 3) of Bonett and Wright (2000).
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let (x, y): (Vec<_>, Vec<_>) = numbers(x, y).into_iter().unzip();
    let value = product_moment(&mid_ranks(&x), &mid_ranks(&y))?;
    Some(correlation(value, x.len(), 1.0 + value * value / 2.0))
}

/// Kendall's τ-b (Kendall 1945): concordant minus discordant pairs, corrected for ties. None if one
/// side has no two different numbers.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let pairs = Pairs::count(numbers(x, y));
    let (in_x, in_y) = (pairs.all - pairs.tied_x, pairs.all - pairs.tied_y);
    (in_x > 0 && in_y > 0).then(|| pairs.balance as f64 / (in_x as f64 * in_y as f64).sqrt())
}

/// [`kendall`] with its interval: Fisher's, with the variance .437 / (n − 4) of Fieller, Hartley
/// and Pearson (1957), as Bonett and Wright (2000) use it; none for fewer than five pairs.
pub fn kendall_with_interval(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let n = numbers(x, y).len();
    let value = kendall(x, y)?;
    let half = Z95 * (0.437 / (n as f64 - 4.0)).sqrt();
    let ends = || ((value.atanh() - half).tanh(), (value.atanh() + half).tanh());
    Some(Correlation {
        n: n as u64,
        value,
        interval: (n > 4 && value.abs() < 1.0).then(ends),
    })
}

/// Kendall's τ-a (Kendall 1938): concordant minus discordant pairs as a share of all pairs, so that
/// ties draw it towards 0. None for fewer than two pairs of numbers.
pub fn kendall_a(x: &[f64], y: &[f64]) -> Option<f64> {
    let pairs = Pairs::count(numbers(x, y));
    (pairs.all > 0).then(|| pairs.balance as f64 / pairs.all as f64)
}

fn correlation(value: f64, n: usize, spread: f64) -> Correlation {
    let half = Z95 * (spread / (n as f64 - 3.0)).sqrt();
    let ends = || ((value.atanh() - half).tanh(), (value.atanh() + half).tanh());
    Correlation {
        n: n as u64,
        value,
        interval: (n > 3 && value.abs() < 1.0).then(ends),
    }
}

fn numbers(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    // Adding 0 makes 0 of -0, which would be sorted before it.
    let pairs = x.iter().zip(y).map(|(x, y)| (x + 0.0, y + 0.0));
    pairs
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect()
}

/// Counts of pairs of observations.
struct Pairs {
    all: i64,
    tied_x: i64,
    tied_y: i64,
    /// Concordant minus discordant pairs.
    balance: i64,
}

impl Pairs {
    /// The counts in n log n steps: once x is sorted, each exchange that sorts y is a discordant
    /// pair (Knight 1966).
    fn count(mut numbers: Vec<(f64, f64)>) -> Self {
        numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let all = choose_2(numbers.len());
        let tied_x: i64 = numbers
            .chunk_by(|a, b| a.0 >= b.0)
            .map(|equal| choose_2(equal.len()))
            .sum();
        let tied_both: i64 = numbers
            .chunk_by(|a, b| a == b)
            .map(|equal| choose_2(equal.len()))
            .sum();
        let mut y: Vec<f64> = numbers.into_iter().map(|pair| pair.1).collect();
        let discordant = exchanges(&mut y);
        let tied_y: i64 = y
            .chunk_by(|a, b| a >= b)
            .map(|equal| choose_2(equal.len()))
            .sum();
        Self {
            all,
            tied_x,
            tied_y,
            balance: all - tied_x - tied_y + tied_both - 2 * discordant,
        }
    }
}

fn choose_2(n: usize) -> i64 {
    let n = n as i64;
    n * (n - 1) / 2
}

/// Sorts the values and counts the pairs in the wrong order.
fn exchanges(values: &mut [f64]) -> i64 {
    if values.len() < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut wrong = exchanges(left) + exchanges(right);
    let mut passed = 0;
    for value in right {
        passed += left[passed..]
            .iter()
            .take_while(|other| *other <= value)
            .count();
        wrong += (left.len() - passed) as i64;
    }
    // The stable sort finds the two sorted halves and merges them.
    values.sort_by(f64::total_cmp);
    wrong
}

/// Ranks from 1; equal numbers share the mean of their ranks.
pub(super) fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] >= values[b]) {
        for &i in equal {
            ranks[i] = before as f64 + (equal.len() + 1) as f64 / 2.0;
        }
        before += equal.len();
    }
    ranks
}

fn product_moment(x: &[f64], y: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xy += (x - mean_x) * (y - mean_y);
        xx += (x - mean_x).powi(2);
        yy += (y - mean_y).powi(2);
    }
    // Equal numbers may differ from their mean by rounding, and squares may leave the range of
    // numbers.
    let varies = |values: &[f64]| values.iter().any(|value| (value - values[0]).abs() > 0.0);
    ((xx * yy).is_normal() && varies(x) && varies(y))
        .then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 10] = [1.0, 2.0, 2.0, 3.0, 5.0, 5.0, 5.0, 8.0, 9.0, 10.0];
    const Y: [f64; 10] = [2.0, 1.0, 4.0, 4.0, 3.0, 7.0, 9.0, 6.0, 8.0, 8.0];

    #[test]
    fn ties_count_as_in_scipy() {
        assert!((spearman(&X, &Y).unwrap().value - 0.752_354_433_263_693_8).abs() < 1e-12);
        assert!((kendall(&X, &Y).unwrap() - 0.595_406_885_286_926_2).abs() < 1e-12);
    }

    /// By the definition, pair by pair.
    #[test]
    fn pairs_are_counted_as_in_the_definition() {
        let order = |a: f64, b: f64| i64::from(a > b) - i64::from(a < b);
        for n in 0..60_u32 {
            let column = |a: u32, b: u32| {
                (0..n)
                    .map(|i| f64::from(i * i * a % b) - 3.0)
                    .collect::<Vec<_>>()
            };
            let (x, y) = (column(7, 11), column(5, 13));
            let (mut both, mut in_x, mut in_y) = (0, 0, 0);
            for (i, j) in (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let (dx, dy) = (order(x[i], x[j]), order(y[i], y[j]));
                (both, in_x, in_y) = (both + dx * dy, in_x + dx * dx, in_y + dy * dy);
            }
            let pairs = Pairs::count(numbers(&x, &y));
            assert_eq!(
                (
                    pairs.balance,
                    pairs.all - pairs.tied_x,
                    pairs.all - pairs.tied_y
                ),
                (both, in_x, in_y),
                "{n}"
            );
        }
    }

    /// Four concordant pairs, none discordant and two tied of six.
    #[test]
    fn ties_draw_tau_a_towards_zero() {
        let (x, y) = ([1.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 3.0]);
        assert_eq!(kendall_a(&x, &y), Some(4.0 / 6.0));
        assert_eq!(kendall(&x, &y), Some(4.0 / 5.0));
        assert_eq!(kendall_a(&[-0.0, 0.0], &[1.0, 2.0]), Some(0.0));
    }

    #[test]
    fn pearson_by_hand() {
        assert!((pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap().value - 0.5).abs() < 1e-15);
        // r = .8 of four pairs: atanh(.8) = ln 3, so that the ends are tanh(ln 3 ± 1.96).
        let (low, high) = pearson(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0])
            .unwrap()
            .interval
            .unwrap();
        assert!(
            (low - (3f64.ln() - Z95).tanh()).abs() < 1e-12
                && (high - (3f64.ln() + Z95).tanh()).abs() < 1e-12
        );
    }

    #[test]
    fn equal_numbers_share_their_ranks() {
        assert_eq!(
            mid_ranks(&[3.0, 1.0, 3.0, -0.0, 0.0]),
            [4.5, 3.0, 4.5, 1.5, 1.5]
        );
    }

    #[test]
    fn the_interval_is_that_of_bonett_and_wright() {
        let (low, high) = spearman(&X, &Y).unwrap().interval.unwrap();
        // tanh(.978358 ± 1.96 √(1.283019 / 7))
        assert!(
            (low - 0.138_361_756_783_928_48).abs() < 1e-12
                && (high - 0.948_584_762_630_967).abs() < 1e-12
        );
    }

    #[test]
    fn the_same_and_the_opposite_order_have_no_interval() {
        let falling: Vec<f64> = (0..10).map(|i| f64::from(-i)).collect();
        let rising: Vec<f64> = (0..10).map(|i| f64::from(i).exp()).collect();
        let rho = spearman(&falling, &rising).unwrap();
        assert_eq!((rho.value, rho.interval), (-1.0, None));
        assert_eq!(kendall(&falling, &rising), Some(-1.0));
    }

    #[test]
    fn nothing_to_compare_is_no_correlation() {
        assert_eq!(spearman(&[], &[]), None);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, f64::NAN], &[1.0, 2.0]), None);
        assert_eq!(
            (kendall(&[1.0], &[1.0]), kendall_a(&[1.0], &[1.0])),
            (None, None)
        );
        assert_eq!(pearson(&[0.1; 3], &[1.0, 2.0, 4.0]), None);
        assert_eq!(pearson(&[1e200, -1e200], &[1.0, 2.0]), None);
    }
}
