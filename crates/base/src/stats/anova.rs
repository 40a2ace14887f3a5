//! One-way analysis of variance: do groups differ in their means by more than their values scatter
//! (Fisher, "Statistical Methods for Research Workers", 1925)? Beside the p-value of the F
//! distribution stands one by shuffling, which needs no normal values. Hides sums of squares.

use rand::{Rng, RngExt as _};
use serde::Serialize;
use thiserror::Error;

use super::{beta, categories, paired};

/// Random arrangements of the values; a p-value by shuffling is 1/10,001 at least.
pub const SHUFFLES: usize = 10_000;

/// How far two sums of the same numbers may differ by rounding, as a share of them.
const ROUNDING: f64 = 1e-12;

/// An analysis of variance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Anova {
    /// Groups with a value.
    pub groups: u64,
    /// Values of all groups.
    pub values: u64,
    /// The mean square between the groups over the one within them, with groups − 1 and values −
    /// groups degrees of freedom.
    pub f: f64,
    /// Degrees of freedom between the groups.
    pub between: u64,
    /// Degrees of freedom within the groups.
    pub within: u64,
    /// How probable an F at least as large is if all values are of one normal distribution.
    pub p: f64,
    /// How probable an F at least as large is if each value might as well have been in another
    /// group: the share of [`SHUFFLES`] random arrangements, as (1 + b) / (1 + m).
    pub shuffled_p: f64,
    /// η²: the part of the squares that lies between the groups, from 0 to 1. Of k groups of n
    /// values without any difference it is (k − 1) / (n − 1) on average, and not 0.
    pub eta_squared: f64,
}

/// Why there is no analysis of variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// There is nothing to compare.
    #[error("fewer than two groups have a value")]
    FewerThanTwoGroups,
    /// Nothing says how much values of one group differ.
    #[error("no group has two values")]
    OneValueEach,
    /// All values are equal.
    #[error("all values are equal")]
    NoSpread,
    /// The groups differ, and the values within each are equal: F is beyond all numbers.
    #[error("the values within each group are equal")]
    NoSpreadWithin,
}

/// The analysis of groups of values; what is no finite number is left out. Takes a time that grows
/// with the number of values, [`SHUFFLES`] times.
pub fn one_way(groups: &[Vec<f64>], rng: &mut impl Rng) -> Result<Anova, Undefined> {
    let (mut values, sizes) = together(groups);
    if sizes.len() < 2 {
        return Err(Undefined::FewerThanTwoGroups);
    }
    if values.len() == sizes.len() {
        return Err(Undefined::OneValueEach);
    }
    let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    centre(&mut values);
    let total: f64 = values.iter().map(|x| x * x).sum();
    // What is left of equal numbers once their mean is taken off.
    let nothing = values.len() as f64 * (size * ROUNDING).powi(2);
    if !total.is_normal() || total <= nothing {
        return Err(Undefined::NoSpread);
    }
    let within = squares_within(&values, &sizes);
    if within <= nothing {
        return Err(Undefined::NoSpreadWithin);
    }
    let between = squares_between(&values, &sizes);
    let freedom = (sizes.len() - 1, values.len() - sizes.len());
    let f = between / freedom.0 as f64 / (within / freedom.1 as f64);
    Ok(Anova {
        groups: sizes.len() as u64,
        values: values.len() as u64,
        f,
        between: freedom.0 as u64,
        within: freedom.1 as u64,
        p: beta::f_upper_tail(f, freedom.0 as f64, freedom.1 as f64).unwrap_or(1.0),
        shuffled_p: shuffled(&mut values, &sizes, between, rng),
        eta_squared: (between / total).clamp(0.0, 1.0),
    })
}

/// The numbers of all groups, one group after the other, and how many each group has.
fn together(groups: &[Vec<f64>]) -> (Vec<f64>, Vec<usize>) {
    let (mut values, mut sizes) = (Vec::new(), Vec::new());
    for group in groups {
        let before = values.len();
        values.extend(group.iter().copied().filter(|value| value.is_finite()));
        if values.len() > before {
            sizes.push(values.len() - before);
        }
    }
    (values, sizes)
}

fn centre(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    for value in values {
        *value -= mean;
    }
}

/// Squares of the groups' means, each as often as the group has values; the values have mean 0.
fn squares_between(values: &[f64], sizes: &[usize]) -> f64 {
    let mut rest = values;
    let mut sum = 0.0;
    for &size in sizes {
        let (group, after) = rest.split_at(size);
        sum += group.iter().sum::<f64>().powi(2) / size as f64;
        rest = after;
    }
    sum
}

fn squares_within(values: &[f64], sizes: &[usize]) -> f64 {
    let mut rest = values;
    let mut sum = 0.0;
    for &size in sizes {
        let (group, after) = rest.split_at(size);
        let mean = group.iter().sum::<f64>() / size as f64;
        sum += group
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        rest = after;
    }
    sum
}

/// F grows with the squares between the groups, since all squares together stay the same.
fn shuffled(values: &mut [f64], sizes: &[usize], observed: f64, rng: &mut impl Rng) -> f64 {
    let limit = observed * (1.0 - ROUNDING);
    let mut beyond = 1_u32;
    for _ in 0..SHUFFLES {
        for last in (1..values.len()).rev() {
            values.swap(last, rng.random_range(0..=last));
        }
        beyond += u32::from(squares_between(values, sizes) >= limit);
    }
    // The data are one of the arrangements, so that no p-value is ever 0.
    f64::from(beyond) / (SHUFFLES + 1) as f64
}

/// What a score is compared with before an agent's scores are compared across categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The mean over agents of their means in the task's category, as Wiki Live Challenge has it.
    Category,
    /// The mean over the agents that have a score on the same task: how hard the task is drops out,
    /// and what is left scatters less.
    Task,
}

/// Whether one agent does better or worse in some categories than the others do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByCategory {
    /// Index of the agent.
    pub agent: usize,
    /// Mean deviation from the reference in each category that it has a score in, by name.
    pub means: Vec<(String, f64)>,
    /// The analysis of the deviations, grouped by category.
    pub anova: Result<Anova, Undefined>,
    /// Its p-value by shuffling with Holm's correction over all agents that have one.
    pub adjusted: Option<f64>,
}

/// One analysis an agent. `scores` are tasks × agents, and `categories` names the category of each
/// task; a task without one is left out.
pub fn by_category<S: AsRef<str>>(
    scores: &[Vec<Option<f64>>],
    categories: &[S],
    reference: Reference,
    rng: &mut impl Rng,
) -> Vec<ByCategory> {
    let agents = scores.iter().map(Vec::len).max().unwrap_or(0);
    let (names, categories) = categories::numbered(categories);
    let references = match reference {
        Reference::Category => of_categories(scores, &categories, agents, names.len()),
        Reference::Task => scores.iter().map(|task| mean(finite(task))).collect(),
    };
    let mut analyses: Vec<ByCategory> = Vec::new();
    for agent in 0..agents {
        let mut deviations = vec![Vec::new(); names.len()];
        for ((task, &category), reference) in scores.iter().zip(&categories).zip(&references) {
            let score = number(task.get(agent));
            let deviation = score.zip(*reference).map(|(score, mean)| score - mean);
            deviations[category].extend(deviation);
        }
        let means = names.iter().zip(&deviations);
        let means = means.filter_map(|(name, of)| Some((name.clone(), mean(of.iter().copied())?)));
        analyses.push(ByCategory {
            agent,
            means: means.collect(),
            anova: one_way(&deviations, rng),
            adjusted: None,
        });
    }
    adjust(&mut analyses);
    analyses
}

/// For each task the mean over agents of their means in its category: an agent that lacks some of
/// its tasks counts as much as the others.
fn of_categories(
    scores: &[Vec<Option<f64>>],
    categories: &[usize],
    agents: usize,
    groups: usize,
) -> Vec<Option<f64>> {
    let mut cells = vec![vec![(0.0, 0.0); agents]; groups];
    for (task, &category) in scores.iter().zip(categories) {
        for (cell, score) in cells[category].iter_mut().zip(task) {
            if let Some(score) = number(Some(score)) {
                *cell = (cell.0 + score, cell.1 + 1.0);
            }
        }
    }
    let of_agents = |row: &Vec<(f64, f64)>| {
        let filled = row.iter().filter(|cell| cell.1 > 0.0);
        mean(filled.map(|cell| cell.0 / cell.1))
    };
    let means: Vec<Option<f64>> = cells.iter().map(of_agents).collect();
    let tasks = scores.iter().zip(categories);
    tasks.map(|(_, &category)| means[category]).collect()
}

fn adjust(analyses: &mut [ByCategory]) {
    let known: Vec<f64> = analyses
        .iter()
        .filter_map(|of| Some(of.anova.ok()?.shuffled_p))
        .collect();
    let mut adjusted = paired::holm(&known).into_iter();
    for analysis in analyses.iter_mut().filter(|of| of.anova.is_ok()) {
        analysis.adjusted = adjusted.next();
    }
}

fn number(score: Option<&Option<f64>>) -> Option<f64> {
    score.copied().flatten().filter(|score| score.is_finite())
}

fn finite(task: &[Option<f64>]) -> impl Iterator<Item = f64> {
    task.iter().filter_map(|score| number(Some(score)))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance * expected.abs(),
            "{found:e} and not {expected:e}"
        );
    }

    /// Resistance of silicon measured by five instruments: the certified values of data set
    /// `SiRstv` of NIST's statistical reference data.
    #[test]
    fn certified_values_are_found() {
        let groups = [
            vec![196.3052, 196.1240, 196.1890, 196.2569, 196.3403],
            vec![196.3042, 196.3825, 196.1669, 196.3257, 196.0422],
            vec![196.1303, 196.2005, 196.2889, 196.0343, 196.1811],
            vec![196.2795, 196.1748, 196.1494, 196.1485, 195.9885],
            vec![196.2119, 196.1051, 196.1850, 196.0052, 196.2090],
        ];
        let anova = one_way(&groups, &mut rng(1)).unwrap();
        near(anova.f, 1.180_462_374_402_55, 1e-9);
        near(anova.eta_squared, 0.190_999_039_051_129, 1e-9);
        near(anova.p, 0.349_447_493_402_235_2, 1e-9);
        assert_eq!((anova.between, anova.within, anova.values), (4, 20, 25));
        // 10,000 arrangements say the share to ± .01.
        assert!((anova.shuffled_p - anova.p).abs() < 0.03, "{anova:?}");
    }

    /// 1 2 3 | 2 3 4 | 6 7 8: means 2, 3 and 7 about 4, so that 42 lies between and 6 within.
    #[test]
    fn a_small_example_by_hand() {
        let groups = [
            vec![1.0, 2.0, 3.0],
            vec![],
            vec![2.0, f64::NAN, 3.0, 4.0],
            vec![6.0, 7.0, 8.0],
        ];
        let anova = one_way(&groups, &mut rng(1)).unwrap();
        assert_eq!((anova.groups, anova.between, anova.within), (3, 2, 6));
        near(anova.f, 21.0, 1e-12);
        near(anova.eta_squared, 0.875, 1e-12);
        // With two degrees above the line: (1 + 2 · 21 / 6)^−3.
        near(anova.p, 1.0 / 512.0, 1e-12);
    }

    /// Of the 20 ways to put 1 to 6 into two threes, two are as far apart as 1 2 3 and 4 5 6.
    #[test]
    fn shuffling_comes_close_to_all_arrangements() {
        let groups = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
        let anova = one_way(&groups, &mut rng(3)).unwrap();
        assert!((anova.shuffled_p - 0.1).abs() < 0.01, "{anova:?}");
        assert_eq!(Ok(anova), one_way(&groups, &mut rng(3)));
    }

    /// Two groups: F is the square of t, here 3 / √(2/3) of 1 2 3 and 4 5 6.
    #[test]
    fn two_groups_are_a_t_test() {
        let anova = one_way(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]], &mut rng(1)).unwrap();
        near(anova.f, 13.5, 1e-12);
        near(anova.p, 0.021_311_641_128_756_713, 1e-9);
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let check = |groups: &[Vec<f64>], expected| {
            assert_eq!(one_way(groups, &mut rng(1)), Err(expected), "{groups:?}");
        };
        check(&[], Undefined::FewerThanTwoGroups);
        check(
            &[vec![1.0, 2.0], vec![f64::NAN]],
            Undefined::FewerThanTwoGroups,
        );
        check(&[vec![1.0], vec![2.0]], Undefined::OneValueEach);
        check(&[vec![0.1; 3], vec![0.1; 7]], Undefined::NoSpread);
        check(&[vec![0.1; 3], vec![0.3; 7]], Undefined::NoSpreadWithin);
        check(&[vec![1e300, 2e300], vec![1.0]], Undefined::NoSpread);
    }

    /// Values far from 0 lose no figures: the same numbers, and a billion more.
    #[test]
    fn a_constant_changes_nothing() {
        let groups = |by: f64| [vec![1.0 + by, 2.0 + by], vec![4.0 + by, 8.0 + by]];
        let (near_0, far) = (groups(0.0), groups(1e9));
        let f = |groups: &[Vec<f64>]| one_way(groups, &mut rng(1)).unwrap().f;
        near(f(&far), f(&near_0), 1e-6);
    }

    /// Groups of one distribution: both p-values are below .05 in about one sample in twenty, for
    /// bounded and skewed scores as well.
    #[test]
    fn without_a_difference_few_are_significant() {
        let mut rng = rng(5);
        let mut found = [0; 2];
        for _ in 0..200 {
            let groups: Vec<Vec<f64>> = [2, 3, 5, 9, 12]
                .map(|n| {
                    (0..n)
                        .map(|_| normal::draw(&mut rng).exp().min(4.0))
                        .collect()
                })
                .to_vec();
            let anova = one_way(&groups, &mut rng).unwrap();
            found[0] += u32::from(anova.p < 0.05);
            found[1] += u32::from(anova.shuffled_p < 0.05);
        }
        assert!(found.iter().all(|n| (2..=20).contains(n)), "{found:?}");
    }

    /// Four agents on 60 tasks of three categories; the second is worse by 1 in the category `b`.
    #[test]
    fn the_agent_that_is_weak_in_one_category_is_found() {
        let mut rng = rng(7);
        let names: Vec<&str> = (0..60).map(|task| ["a", "b", "c"][task % 3]).collect();
        let scores: Vec<Vec<Option<f64>>> = names
            .iter()
            .map(|name| {
                let task = 2.0 * normal::draw(&mut rng) + if *name == "c" { 5.0 } else { 0.0 };
                let weak = |agent| f64::from(u8::from(agent == 1 && *name == "b"));
                (0..4)
                    .map(|agent| Some(task - weak(agent) + 0.3 * normal::draw(&mut rng)))
                    .collect()
            })
            .collect();
        let by_task = by_category(&scores, &names, Reference::Task, &mut rng);
        let below = |of: &ByCategory| of.adjusted.unwrap() < 0.01;
        assert!(below(&by_task[1]), "{by_task:?}");
        let weakest = by_task[1].means.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!(weakest.map(|of| of.0.as_str()), Some("b"));
        // Three quarters of what it lacks: it is one of the four in the mean.
        near(by_task[1].means[1].1 - by_task[1].means[0].1, -0.75, 0.25);
        // How much the tasks differ hides it from the comparison with the category.
        let by_category = by_category(&scores, &names, Reference::Category, &mut rng);
        let f = |of: &[ByCategory]| of[1].anova.unwrap().f;
        assert!(f(&by_category) < f(&by_task) / 10.0, "{by_category:?}");
    }

    /// One category is no comparison, and an agent without scores is not compared.
    #[test]
    fn missing_scores_are_left_out() {
        let scores = [
            vec![Some(1.0), None, Some(f64::NAN)],
            vec![Some(3.0), Some(2.0)],
            vec![Some(4.0), Some(3.0)],
            vec![Some(9.0), Some(9.0)],
        ];
        let found = by_category(&scores, &["x", "x", "y"], Reference::Category, &mut rng(1));
        // In x the agents' means are 2 and 2, in y 4 and 3: the last task has no category.
        let means = |name: &str, mean| (name.to_owned(), mean);
        assert_eq!(found[0].means, [means("x", 0.0), means("y", 0.5)]);
        assert_eq!(found[1].means, [means("x", 0.0), means("y", -0.5)]);
        assert_eq!(found[0].anova.unwrap().within, 1);
        assert_eq!(found[1].anova, Err(Undefined::OneValueEach));
        assert_eq!(found[2].anova, Err(Undefined::FewerThanTwoGroups));
        assert_eq!((found[2].adjusted, found.len()), (None, 3));
        assert!(by_category(&[], &["x"], Reference::Task, &mut rng(1)).is_empty());
    }
}
