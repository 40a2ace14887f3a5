//! What makes tasks hard: the mean score of each task against its attributes, such as how often a
//! page is read or how long it is. Hides which tasks have both, and the resampling of tasks.

use std::collections::BTreeMap;

use rand::{Rng, RngExt as _};
use serde::Serialize;

use super::{
    bootstrap::{self, Estimate, RESAMPLES},
    correlation::{kendall, mid_ranks, spearman},
    paired,
};

/// Random arrangements of the attribute's values; a p-value is 1/10,001 at least.
pub const SHUFFLES: usize = 10_000;

/// How the mean scores of tasks go with one attribute of theirs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The attribute's name.
    pub attribute: String,
    /// Tasks that have a score and a value.
    pub tasks: u64,
    /// Spearman's ρ, with a 95 % interval by resampling tasks. None if one side has no two
    /// different numbers.
    pub spearman: Option<Estimate>,
    /// Kendall's τ-b, from the same resamples.
    pub kendall: Option<Estimate>,
    /// How probable a ρ at least as far from 0 is if each value might as well have been another
    /// task's: the share of [`SHUFFLES`] random arrangements, as (1 + b) / (1 + m).
    pub p: Option<f64>,
    /// The p-value with Holm's correction over all attributes that have one.
    pub adjusted: Option<f64>,
}

/// A row for each attribute, in the order of their names. `scores` has the mean score of each task
/// by the task's name, and `attributes` has for each attribute's name its values, again by the
/// names of tasks.
pub fn difficulty(
    scores: &BTreeMap<String, f64>,
    attributes: &BTreeMap<String, BTreeMap<String, f64>>,
    rng: &mut impl Rng,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (attribute, values) in attributes {
        let pairs = pairs(scores, values);
        let coefficients = coefficients(&pairs, rng);
        rows.push(Row {
            attribute: attribute.clone(),
            tasks: pairs.len() as u64,
            spearman: coefficients[0],
            kendall: coefficients[1],
            p: shuffled(&pairs, rng),
            adjusted: None,
        });
    }
    let known: Vec<f64> = rows.iter().filter_map(|row| row.p).collect();
    let mut adjusted = paired::holm(&known).into_iter();
    for row in rows.iter_mut().filter(|row| row.p.is_some()) {
        row.adjusted = adjusted.next();
    }
    rows
}

/// Score and value of the tasks that have both.
fn pairs(scores: &BTreeMap<String, f64>, values: &BTreeMap<String, f64>) -> Vec<(f64, f64)> {
    let both = scores
        .iter()
        .filter_map(|(task, score)| Some((*score, *values.get(task)?)));
    both.filter(|(score, value)| score.is_finite() && value.is_finite())
        .collect()
}

fn coefficients(pairs: &[(f64, f64)], rng: &mut impl Rng) -> [Option<Estimate>; 2] {
    let clusters: Vec<Vec<(f64, f64)>> = pairs.iter().map(|pair| vec![*pair]).collect();
    let both = |items: &[&(f64, f64)]| {
        let (x, y): (Vec<f64>, Vec<f64>) = items.iter().map(|pair| **pair).unzip();
        vec![spearman(&x, &y).map(|rho| rho.value), kendall(&x, &y)]
    };
    let found = bootstrap::statistics(&clusters, RESAMPLES, rng, both);
    [0, 1].map(|at| found.get(at).copied().flatten())
}

/// Of an arrangement only the sum of products of ranks is new: ρ rises with it.
fn shuffled(pairs: &[(f64, f64)], rng: &mut impl Rng) -> Option<f64> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    spearman(&x, &y)?;
    let centred = |values: &[f64]| {
        let middle = (values.len() + 1) as f64 / 2.0;
        let ranks = mid_ranks(values).into_iter();
        ranks.map(|rank| rank - middle).collect::<Vec<f64>>()
    };
    let (x, mut y) = (centred(&x), centred(&y));
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // Products of mid-ranks are exact in quarters, so that equal sums are equal.
    let limit = product(&x, &y).abs();
    let mut beyond = 1_u32;
    for _ in 0..SHUFFLES {
        for last in (1..y.len()).rev() {
            y.swap(last, rng.random_range(0..=last));
        }
        beyond += u32::from(product(&x, &y).abs() >= limit);
    }
    // The data are one of the arrangements, so that no p-value is ever 0.
    Some(f64::from(beyond) / (SHUFFLES + 1) as f64)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn by_task(values: impl IntoIterator<Item = f64>) -> BTreeMap<String, f64> {
        let named = values.into_iter().enumerate();
        named
            .map(|(task, value)| (format!("task {task:03}"), value))
            .collect()
    }

    fn attributes<const N: usize>(
        of: [(&str, BTreeMap<String, f64>); N],
    ) -> BTreeMap<String, BTreeMap<String, f64>> {
        of.map(|(name, values)| (name.to_owned(), values)).into()
    }

    /// Five tasks whose order one exchange of neighbours differs: ρ = 1 − 6 · 2 / 120, τ = 8/10. Of
    /// the 120 arrangements ten are as far from 0: the same order, its four exchanges of
    /// neighbours, and the opposites.
    #[test]
    fn a_small_example_by_hand() {
        let scores = by_task([0.1, 0.2, 0.3, 0.4, 0.5]);
        let views = by_task([10.0, 20.0, 40.0, 30.0, 500.0]);
        let rows = difficulty(&scores, &attributes([("views", views)]), &mut rng(1));
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.attribute.as_str(), row.tasks), ("views", 5));
        assert!((row.spearman.unwrap().value - 0.9).abs() < 1e-12);
        assert!((row.kendall.unwrap().value - 0.8).abs() < 1e-12);
        assert!((row.p.unwrap() - 10.0 / 120.0).abs() < 0.01, "{row:?}");
        assert_eq!(row.adjusted, row.p);
    }

    /// Of four attributes one decides the scores, and one is constant.
    #[test]
    fn the_attribute_that_matters_is_found() {
        let mut rng = rng(2);
        let views: Vec<f64> = (0..100).map(|_| normal::draw(&mut rng).exp()).collect();
        let scores = views
            .iter()
            .map(|of| of.ln() + 1.5 * normal::draw(&mut rng));
        let scores = by_task(scores.collect::<Vec<_>>());
        let other =
            |rng: &mut ChaCha8Rng| by_task((0..100).map(|_| normal::draw(rng)).collect::<Vec<_>>());
        let all = attributes([
            ("length", other(&mut rng)),
            ("links", other(&mut rng)),
            ("views", by_task(views)),
            ("year", by_task(vec![2025.0; 100])),
        ]);
        let rows = difficulty(&scores, &all, &mut rng);
        let names: Vec<&str> = rows.iter().map(|row| row.attribute.as_str()).collect();
        assert_eq!(names, ["length", "links", "views", "year"]);
        let below = |row: &Row| row.adjusted.is_some_and(|p| p < 0.01);
        assert_eq!(
            rows.iter().map(below).collect::<Vec<_>>(),
            [false, false, true, false]
        );
        let (low, high) = rows[2].spearman.unwrap().interval.unwrap();
        assert!(0.2 < low && high < 0.8, "{:?}", rows[2]);
        // Holm: three attributes have a p-value, and the smallest counts three times.
        assert_eq!(rows[2].adjusted, rows[2].p.map(|p| 3.0 * p));
        assert_eq!(
            (rows[3].spearman, rows[3].p, rows[3].adjusted),
            (None, None, None)
        );
        assert_eq!(rows[3].tasks, 100);
    }

    #[test]
    fn only_tasks_that_have_both_count() {
        let mut scores = by_task([1.0, 2.0, f64::NAN, 4.0]);
        scores.insert("without a value".to_owned(), 3.0);
        let mut links = by_task([5.0, 6.0, 7.0, f64::INFINITY]);
        links.insert("without a score".to_owned(), 8.0);
        let rows = difficulty(&scores, &attributes([("links", links)]), &mut rng(1));
        assert_eq!((rows[0].tasks, rows[0].p), (2, Some(1.0)));
        assert!(difficulty(&scores, &BTreeMap::new(), &mut rng(1)).is_empty());
        let none = attributes([("none", BTreeMap::new())]);
        assert_eq!(difficulty(&scores, &none, &mut rng(1))[0].tasks, 0);
    }

    #[test]
    fn a_seed_gives_one_result() {
        let scores = by_task((0..30).map(|i| f64::from(i * 7 % 11)));
        let all = attributes([("length", by_task((0..30).map(|i| f64::from(i * 5 % 13))))]);
        let found = |seed| difficulty(&scores, &all, &mut rng(seed));
        assert_eq!(found(3), found(3));
        assert_ne!(found(3), found(4));
    }

    /// The interval of ρ holds its true value, of normal numbers 6/π asin(r/2), in most of 100
    /// samples of 60 tasks.
    #[test]
    fn intervals_hold_the_truth() {
        let mut rng = rng(5);
        let truth = 6.0 / std::f64::consts::PI * (0.4_f64 / 2.0).asin();
        let mut held = 0;
        for _ in 0..100 {
            let pairs: Vec<(f64, f64)> = (0..60)
                .map(|_| {
                    let x = normal::draw(&mut rng);
                    (x, 0.4 * x + 0.84_f64.sqrt() * normal::draw(&mut rng))
                })
                .collect();
            let [rho, _] = coefficients(&pairs, &mut rng);
            let (low, high) = rho.unwrap().interval.unwrap();
            held += u32::from(low < truth && truth < high);
        }
        assert!((89..=99).contains(&held), "{held} of 100");
    }
}
