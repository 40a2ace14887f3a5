//! The kappas: agreement of two raters, each with label shares of its own (Cohen), and of any
//! number of raters with common label shares (Fleiss). Hides how disagreement by chance follows
//! from the shares.

use super::{Table, Weights, apart, beyond_chance, by_chance};

/// Cohen's κ (Educ. Psychol. Meas. 20, 1960; weighted: Psychol. Bull. 70, 1968) of two raters,
/// named by their columns, over the items that both have rated, from -1 to 1.
///
/// None if there are no such items, or if both raters always say the same label. Weights take
/// labels as numbers: on a scale with gaps they differ from weights that count labels.
pub fn cohen(
    items: &[impl AsRef<[Option<f64>]>],
    raters: [usize; 2],
    weights: Weights,
) -> Option<f64> {
    let rated: Vec<_> = items
        .iter()
        .filter_map(|item| both(item.as_ref(), raters))
        .collect();
    let table = Table::new(&rated);
    let apart = apart(weights, &table.labels);
    beyond_chance(
        table.observed(&apart)?,
        by_chance(&habits(&table, 0), &habits(&table, 1), &apart),
    )
}

/// Both ratings of an item; none if one is missing.
fn both(item: &[Option<f64>], raters: [usize; 2]) -> Option<[Option<f64>; 2]> {
    let rating = |rater: usize| item.get(rater).copied().flatten().filter(|x| x.is_finite());
    Some([Some(rating(raters[0])?), Some(rating(raters[1])?)])
}

/// The share of each label among a rater's ratings.
fn habits(table: &Table, rater: usize) -> Vec<f64> {
    let mut shares = vec![0.0; table.labels.len()];
    for item in &table.items {
        shares[item[rater]] += 1.0 / table.items.len() as f64;
    }
    shares
}

/// Fleiss' κ (Psychol. Bull. 76, 1971), from -1 to 1. Where ratings are missing, items with at
/// least two count for the agreement, and items with at least one for the shares of the labels,
/// each item the same (Gwet, "Handbook of Inter-Rater Reliability", 4th ed. 2014).
///
/// None if no item has two ratings or if all ratings are the same.
pub fn fleiss(items: &[impl AsRef<[Option<f64>]>]) -> Option<f64> {
    let table = Table::new(items);
    let apart = apart(Weights::Identity, &table.labels);
    let shares = table.shares();
    beyond_chance(table.observed(&apart)?, by_chance(&shares, &shares, &apart))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(cells: &[(f64, f64, usize)]) -> Vec<[Option<f64>; 2]> {
        cells
            .iter()
            .flat_map(|&(a, b, count)| vec![[Some(a), Some(b)]; count])
            .collect()
    }

    /// 35 of 50 agree; by chance .5 × .6 + .5 × .4 = .5 would.
    #[test]
    fn cohen_by_hand() {
        let grants = pairs(&[
            (1.0, 1.0, 20),
            (1.0, 0.0, 5),
            (0.0, 1.0, 10),
            (0.0, 0.0, 15),
        ]);
        for weights in [Weights::Identity, Weights::Linear, Weights::Quadratic] {
            assert!((cohen(&grants, [0, 1], weights).unwrap() - 0.4).abs() < 1e-12);
        }
    }

    /// Of 1–1, 2–3, 3–3, 1–2 the distances on the range 2 are 0, 1/2, 0, 1/2. Habits (2, 1, 1) and
    /// (1, 1, 2) of 4 give by chance (2·(1·½ + 2·1) + 1·(1·½ + 2·½) + 1·(1·1 + 1·½)) / 16 = 8/16
    /// and with squares (2·(¼ + 2) + (¼ + 2·¼) + (1 + ¼)) / 16 = 6.5/16.
    #[test]
    fn weights_by_hand() {
        let items = pairs(&[(1.0, 1.0, 1), (2.0, 3.0, 1), (3.0, 3.0, 1), (1.0, 2.0, 1)]);
        assert!(
            (cohen(&items, [0, 1], Weights::Linear).unwrap() - (1.0 - 0.25 / 0.5)).abs() < 1e-12
        );
        assert!(
            (cohen(&items, [0, 1], Weights::Quadratic).unwrap() - (1.0 - 0.125 * 16.0 / 6.5)).abs()
                < 1e-12
        );
        assert!((cohen(&items, [1, 0], Weights::Linear).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(cohen(&items, [0, 2], Weights::Linear), None);
    }

    /// Two raters who share no label agree never, and could not by chance either.
    #[test]
    fn no_agreement_where_none_was_to_be_expected_is_zero() {
        assert_eq!(
            cohen(&pairs(&[(1.0, 2.0, 5)]), [0, 1], Weights::Identity),
            Some(0.0)
        );
    }

    /// Four items of three raters: agreement (1 + 1 + 1/3 + 1/3) / 4 = 2/3; shares 7/12 and 5/12,
    /// by chance 74/144.
    #[test]
    fn fleiss_by_hand() {
        let items = [
            [1.0, 1.0, 1.0],
            [2.0, 2.0, 2.0],
            [1.0, 1.0, 2.0],
            [2.0, 1.0, 1.0],
        ]
        .map(|item| item.map(Some));
        assert!(
            (fleiss(&items).unwrap() - (2.0 / 3.0 - 74.0 / 144.0) / (70.0 / 144.0)).abs() < 1e-12
        );
    }
}
