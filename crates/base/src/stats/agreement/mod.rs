//! Inter-rater agreement: chance-corrected coefficients for any number of raters, with missing
//! ratings. Hides how ratings become labels; a rating that is not a finite number counts as
//! missing.
//!
//! Every function takes items × raters. For an interval, pass the function to
//! [`bootstrap::statistic`](super::bootstrap::statistic). Where most ratings are the same, κ and α
//! fall towards 0 however well raters agree (Feinstein and Cicchetti, J. Clin. Epidemiol. 43,
//! 1990): show [`percent`], [`constant`] and [`gwet`] beside them.

mod gwet;
mod kappa;
mod krippendorff;

pub use gwet::gwet;
pub use kappa::{cohen, fleiss};
pub use krippendorff::{Level, krippendorff};

/// Partial agreement of two different labels by their distance as numbers; the ends of the scale
/// have distance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Not at all.
    Identity,
    /// 1 − distance.
    Linear,
    /// 1 − distance².
    Quadratic,
}

/// How often two ratings of an item are the same, 0 to 1: the mean over the items with at least two
/// ratings. None if there are no such items.
pub fn percent(items: &[impl AsRef<[Option<f64>]>]) -> Option<f64> {
    let table = Table::new(items);
    Some(1.0 - table.observed(|a, b| f64::from(a != b))?)
}

/// Share of the most frequent label among all ratings: how often a rater who always says the same
/// could agree with these. None if there are no ratings. To judge one rater by the others, hand in
/// the ratings of the others only.
pub fn constant(items: &[impl AsRef<[Option<f64>]>]) -> Option<f64> {
    let counts = Table::new(items).counts();
    let most = counts.iter().copied().fold(0.0, f64::max);
    (most > 0.0).then(|| most / counts.iter().sum::<f64>())
}

/// The items that have ratings, each rating as an index into the labels.
struct Table {
    labels: Vec<f64>,
    items: Vec<Vec<usize>>,
}

impl Table {
    /// The table of these ratings, with the labels that occur.
    fn new(items: &[impl AsRef<[Option<f64>]>]) -> Self {
        let labels = distinct(items.iter().flat_map(|item| given(item.as_ref())));
        let items = items
            .iter()
            .map(|item| {
                given(item.as_ref())
                    .filter_map(|rating| index(&labels, rating))
                    .collect()
            })
            .filter(|codes: &Vec<usize>| !codes.is_empty())
            .collect();
        Self { labels, items }
    }

    /// Ratings with each label.
    fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.labels.len()];
        self.items
            .iter()
            .flatten()
            .for_each(|&label| counts[label] += 1.0);
        counts
    }

    /// Share of each label, where every item counts the same.
    fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.labels.len()];
        for item in &self.items {
            for &label in item {
                shares[label] += 1.0 / (item.len() * self.items.len()) as f64;
            }
        }
        shares
    }

    /// Mean distance of two ratings of an item, where every item with at least two counts the same.
    fn observed(&self, apart: impl Fn(usize, usize) -> f64) -> Option<f64> {
        let items: Vec<_> = self.items.iter().filter(|item| item.len() > 1).collect();
        let sum: f64 = items.iter().map(|item| within(item, &apart)).sum();
        (!items.is_empty()).then(|| sum / items.len() as f64)
    }
}

/// Mean distance of two of the ratings of an item.
fn within(item: &[usize], apart: impl Fn(usize, usize) -> f64) -> f64 {
    let one = |(i, &a): (usize, &usize)| item[..i].iter().map(|&b| apart(a, b)).sum::<f64>();
    item.iter().enumerate().map(one).sum::<f64>() / (item.len() * (item.len() - 1) / 2) as f64
}

/// Mean distance of two labels that are drawn apart, with these shares.
fn by_chance(first: &[f64], second: &[f64], apart: impl Fn(usize, usize) -> f64) -> f64 {
    let rows = first.iter().enumerate().map(|(a, share)| {
        let distances = second.iter().enumerate().map(|(b, p)| p * apart(a, b));
        share * distances.sum::<f64>()
    });
    rows.sum()
}

/// The coefficient that is 1 without disagreement, and 0 with as much as by chance.
fn beyond_chance(observed: f64, by_chance: f64) -> Option<f64> {
    Some(1.0 - observed / by_chance).filter(|value| by_chance > 0.0 && value.is_finite())
}

/// The distance of two of the sorted labels: 1 minus the weight.
fn apart(weights: Weights, labels: &[f64]) -> impl Fn(usize, usize) -> f64 {
    let range = labels.last().unwrap_or(&0.0) - labels.first().unwrap_or(&0.0);
    move |a, b| match weights {
        _ if a == b => 0.0,
        Weights::Identity => 1.0,
        Weights::Linear => (labels[a] - labels[b]).abs() / range,
        Weights::Quadratic => ((labels[a] - labels[b]) / range).powi(2),
    }
}

fn given(item: &[Option<f64>]) -> impl Iterator<Item = f64> {
    item.iter()
        .flatten()
        .copied()
        .filter(|rating| rating.is_finite())
}

fn distinct(ratings: impl Iterator<Item = f64>) -> Vec<f64> {
    // Adding 0 makes 0 of -0, which is the same rating.
    let mut labels: Vec<f64> = ratings.map(|rating| rating + 0.0).collect();
    labels.sort_unstable_by(f64::total_cmp);
    labels.dedup();
    labels
}

fn index(labels: &[f64], rating: f64) -> Option<usize> {
    labels
        .binary_search_by(|label| label.total_cmp(&(rating + 0.0)))
        .ok()
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::bootstrap;

    #[test]
    fn items_count_the_same_however_many_rated_them() {
        let items = [
            vec![Some(1.0), Some(1.0), Some(2.0)],
            vec![Some(2.0), None, Some(2.0)],
            vec![None, Some(3.0), None],
        ];
        // One pair of three, one of one, and no pair.
        assert!((percent(&items).unwrap() - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(constant(&items), Some(0.5));
    }

    #[test]
    fn what_is_no_number_is_no_rating() {
        let odd = [[Some(f64::NAN), Some(1.0)], [None, Some(f64::INFINITY)]];
        assert_eq!((percent(&odd), constant(&odd)), (None, Some(1.0)));
        let none: [Vec<Option<f64>>; 0] = [];
        assert_eq!((percent(&none), constant(&none)), (None, None));
        assert_eq!(percent(&[[Some(0.0), Some(-0.0)]]), Some(1.0));
    }

    /// Two tasks with twenty reports each and three with ten; raters see every third report
    /// differently.
    #[test]
    fn intervals_come_from_resampled_tasks() {
        let report = |i: u32| {
            vec![
                Some(f64::from(i % 4)),
                Some(f64::from((i + u32::from(i.is_multiple_of(3))) % 4)),
            ]
        };
        let tasks: Vec<Vec<_>> = [20, 20, 10, 10, 10]
            .map(|n| (0..n).map(report).collect())
            .to_vec();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let kappa = |reports: &[&Vec<Option<f64>>]| cohen(reports, [0, 1], Weights::Linear);
        let estimate = bootstrap::statistic(&tasks, 200, &mut rng, kappa).unwrap();
        let (low, high) = estimate.interval.unwrap();
        assert_eq!(
            Some(estimate.value),
            cohen(&tasks.concat(), [0, 1], Weights::Linear)
        );
        assert!(
            0.0 < low && low < estimate.value && estimate.value < high && high < 1.0,
            "{estimate:?}"
        );
    }

    /// Undefined coefficients are none: no items, one rating each, one label.
    #[test]
    fn coefficients_of_nothing_are_none() {
        let (empty, single, same) = (
            vec![],
            vec![vec![Some(1.0)], vec![Some(2.0), None]],
            vec![vec![Some(1.0); 2]; 5],
        );
        for items in [empty, single, same] {
            assert_eq!(fleiss(&items), None);
            assert_eq!(gwet(&items, Weights::Identity, &[1.0]), None);
            for weights in [Weights::Identity, Weights::Linear, Weights::Quadratic] {
                assert_eq!(cohen(&items, [0, 1], weights), None);
            }
            for level in [Level::Nominal, Level::Ordinal, Level::Interval] {
                assert_eq!(krippendorff(&items, level), None);
            }
        }
    }

    /// Without missing ratings, neither names nor order of raters, items and (nominal) labels
    /// matter.
    #[test]
    fn coefficients_do_not_depend_on_order() {
        let items: Vec<Vec<Option<f64>>> = (0..40u32)
            .map(|i| {
                (0..3)
                    .map(|r| Some(f64::from((i * i + r * (i % 4)) % 5)))
                    .collect()
            })
            .collect();
        let mut turned = items.clone();
        turned.reverse();
        for item in &mut turned {
            item.reverse();
        }
        let renamed: Vec<Vec<_>> = items
            .iter()
            .map(|item| {
                item.iter()
                    .map(|rating| rating.map(|x| (x + 2.0) % 5.0))
                    .collect()
            })
            .collect();
        let scale = [0.0, 1.0, 2.0, 3.0, 4.0];
        for other in [turned, renamed] {
            assert!((fleiss(&items).unwrap() - fleiss(&other).unwrap()).abs() < 1e-12);
            let ac1 = |items| gwet(items, Weights::Identity, &scale).unwrap();
            assert!((ac1(&items) - ac1(&other)).abs() < 1e-12);
            let alpha = |items| krippendorff(items, Level::Nominal).unwrap();
            assert!((alpha(&items) - alpha(&other)).abs() < 1e-12);
        }
    }
}
