//! Do two orders agree? Rank correlations of paired numbers, ties included.
//! Hides mid-ranks; pairs that hold something that is not a number are left out.

use serde::Serialize;

use super::normal::Z95;

/// A correlation, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Correlation {
    /// Pairs of numbers that it was computed from.
    pub n: u64,
    /// The coefficient.
    pub value: f64,
    /// Its 95 % interval; none for fewer than four pairs, or where the orders are the same or opposite.
    pub interval: Option<(f64, f64)>,
}

/// Spearman's ρ: Pearson's r of mid-ranks. None if one side has no two different numbers.
///
/// The interval is Fisher's, with the variance (1 + ρ²/2) / (n − 3) of Bonett and Wright (2000).
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let pairs = numbers(x, y);
    let column = |of: fn(&(f64, f64)) -> f64| mid_ranks(&pairs.iter().map(of).collect::<Vec<_>>());
    let value = pearson(&column(|pair| pair.0), &column(|pair| pair.1))?;
    let n = pairs.len() as f64;
    let half = Z95 * ((1.0 + value * value / 2.0) / (n - 3.0)).sqrt();
    let ends = || ((value.atanh() - half).tanh(), (value.atanh() + half).tanh());
    Some(Correlation { n: pairs.len() as u64, value, interval: (n > 3.0 && value.abs() < 1.0).then(ends) })
}

/// Kendall's τ-b (Kendall 1945): concordant less discordant pairs, corrected for ties. None if one side has no two
/// different numbers. Takes a time that grows with n²: seconds for some ten thousands.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let pairs = numbers(x, y);
    let (mut both, mut in_x, mut in_y) = (0_i64, 0_i64, 0_i64);
    for (i, a) in pairs.iter().enumerate() {
        for b in &pairs[..i] {
            let (dx, dy) = (order(a.0, b.0), order(a.1, b.1));
            both += dx * dy;
            in_x += dx * dx;
            in_y += dy * dy;
        }
    }
    (in_x > 0 && in_y > 0).then(|| both as f64 / (in_x as f64 * in_y as f64).sqrt())
}

fn numbers(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    x.iter().copied().zip(y.iter().copied()).filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
}

fn order(a: f64, b: f64) -> i64 {
    i64::from(a > b) - i64::from(a < b)
}

/// Ranks from 1; equal numbers share the mean of the ranks that they take up.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
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

fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xy += (x - mean_x) * (y - mean_y);
        xx += (x - mean_x).powi(2);
        yy += (y - mean_y).powi(2);
    }
    (xx > 0.0 && yy > 0.0).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
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

    #[test]
    fn equal_numbers_share_their_ranks() {
        assert_eq!(mid_ranks(&[3.0, 1.0, 3.0, -0.0, 0.0]), [4.5, 3.0, 4.5, 1.5, 1.5]);
    }

    #[test]
    fn the_interval_is_that_of_bonett_and_wright() {
        let (low, high) = spearman(&X, &Y).unwrap().interval.unwrap();
        // tanh(.978358 ± 1.96 √(1.283019 / 7))
        assert!((low - 0.138_361_756_783_928_48).abs() < 1e-12 && (high - 0.948_584_762_630_967).abs() < 1e-12);
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
        assert_eq!(kendall(&[1.0], &[1.0]), None);
    }
}
