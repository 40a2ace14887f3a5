//! Gwet's AC1 and AC2: agreement of any number of raters that stays meaningful where one label
//! dominates. Hides the assumption that raters guess on hard items only.

use super::{Table, Weights, apart, beyond_chance, distinct, given, index};

/// Gwet's AC1 (Brit. J. Math. Stat. Psychol. 61, 2008), and AC2 if weighted (Gwet, "Handbook of
/// Inter-Rater Reliability", 4th ed. 2014), from -1 to 1. Missing ratings count as in
/// [`fleiss`](super::fleiss).
///
/// `scale` holds every label that raters could choose, used or not, and changes the result. None if
/// it has fewer than two, if it lacks one that occurs, or if no item has two ratings.
pub fn gwet(items: &[impl AsRef<[Option<f64>]>], weights: Weights, scale: &[f64]) -> Option<f64> {
    let labels = distinct(given(&scale.iter().copied().map(Some).collect::<Vec<_>>()));
    let table = Table::new(items);
    if labels.len() < 2
        || table
            .labels
            .iter()
            .any(|&label| index(&labels, label).is_none())
    {
        return None;
    }
    let all = 0..labels.len();
    let distance = apart(weights, &labels);
    let at: Vec<usize> = table
        .labels
        .iter()
        .filter_map(|&label| index(&labels, label))
        .collect();
    let observed = table.observed(|a, b| distance(at[a], at[b]))?;
    let alike: f64 = all
        .clone()
        .map(|a| all.clone().map(|b| 1.0 - distance(a, b)).sum::<f64>())
        .sum();
    // Chance is at work on hard items only: π (1 − π) is largest where labels are mixed.
    let hard: f64 = table
        .shares()
        .iter()
        .map(|share| share * (1.0 - share))
        .sum();
    beyond_chance(
        observed,
        1.0 - alike * hard / (labels.len() * (labels.len() - 1)) as f64,
    )
}

#[cfg(test)]
mod tests {
    use super::super::{cohen, constant, percent};
    use super::*;

    /// The paradox of κ: of 125 items both say yes to 118 and differ on 7.
    #[test]
    fn where_one_label_dominates_kappa_falls_and_ac1_does_not() {
        let cells = [(1.0, 1.0, 118), (1.0, 0.0, 5), (0.0, 1.0, 2)];
        let items: Vec<_> = cells
            .iter()
            .flat_map(|&(a, b, n)| vec![[Some(a), Some(b)]; n])
            .collect();
        assert!(
            (percent(&items).unwrap() - 0.944).abs() < 1e-12
                && (constant(&items).unwrap() - 0.972).abs() < 1e-12
        );
        assert!(cohen(&items, [0, 1], Weights::Identity).unwrap() < 0.0);
        // By chance 2 × .972 × .028.
        let ac1 = gwet(&items, Weights::Identity, &[0.0, 1.0]).unwrap();
        assert!((ac1 - (0.944 - 0.054_432) / (1.0 - 0.054_432)).abs() < 1e-12);
    }

    /// Ratings 1 1 and 1 2 on 1, 2, 3: shares 3/4 and 1/4, so that 3/8 is hard. Weights sum to 3, 5
    /// and 6; the pair apart counts 1/2 with linear weights and 3/4 with quadratic ones.
    #[test]
    fn by_hand() {
        let items = [[Some(1.0), Some(1.0)], [Some(1.0), Some(2.0)]];
        let cases = [
            (Weights::Identity, 0.5, 3.0),
            (Weights::Linear, 0.75, 5.0),
            (Weights::Quadratic, 0.875, 6.0),
        ];
        for (weights, agreed, sum) in cases {
            let by_chance = sum / 6.0 * 0.375;
            let value = gwet(&items, weights, &[3.0, 1.0, 2.0, 2.0]).unwrap();
            assert!(
                (value - (agreed - by_chance) / (1.0 - by_chance)).abs() < 1e-12,
                "{weights:?}: {value}"
            );
        }
    }

    #[test]
    fn the_scale_is_the_callers() {
        let items = [[Some(1.0), Some(1.0)], [Some(1.0), Some(1.0)]];
        assert_eq!(gwet(&items, Weights::Linear, &[1.0, 2.0]), Some(1.0));
        assert_eq!(gwet(&items, Weights::Linear, &[1.0]), None);
        assert_eq!(gwet(&items, Weights::Linear, &[2.0, 3.0]), None);
        assert_eq!(gwet(&items, Weights::Linear, &[1.0, f64::NAN]), None);
    }
}
