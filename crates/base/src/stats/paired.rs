//! Paired differences between agents over the tasks that both have, with intervals, p-values and
//! Holm's correction for comparing every pair. Hides permutations and which tasks are shared.

use rand::{Rng, RngExt as _};
use serde::Serialize;

use super::{
    bootstrap::{self, RESAMPLES},
    normal::Z95,
};

/// Random flips of signs where not all can be tried; a p-value is then 1/10,001 at least.
pub const FLIPS: usize = 10_000;

/// Up to so many differences all flips of signs are tried: 4,096.
const EXACT: usize = 12;

/// The 80 % quantile of the standard normal distribution.
const Z80: f64 = 0.841_621_233_572_914_2;

/// Two agents on the tasks that both have a score on, each task counting the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Index of one agent.
    pub first: usize,
    /// Index of the other, which is larger.
    pub second: usize,
    /// Tasks that both have a score on.
    pub tasks: u64,
    /// Mean of the first's scores minus the second's.
    pub value: f64,
    /// 95 % interval of the value, by resampling tasks; not corrected for the number of pairs.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value of no difference: the sign-flip permutation test.
    pub p: f64,
    /// The p-value with Holm's correction over all pairs: rejecting those below α makes any error
    /// with probability α at most.
    pub adjusted: f64,
    /// The smallest true difference that this number of tasks would detect with 80 % power; see
    /// [`detectable`].
    pub detectable: Option<f64>,
}

/// Every pair of agents that share a task. `scores` are tasks × agents. Takes a time that grows
/// with tasks × pairs.
pub fn differences(scores: &[Vec<Option<f64>>], rng: &mut impl Rng) -> Vec<Difference> {
    let agents = scores.iter().map(Vec::len).max().unwrap_or(0);
    let every =
        (0..agents).flat_map(|first| (first + 1..agents).map(move |second| (first, second)));
    let (pairs, columns): (Vec<_>, Vec<_>) = every
        .map(|pair| {
            (
                pair,
                scores
                    .iter()
                    .map(|task| difference(task, pair))
                    .collect::<Vec<_>>(),
            )
        })
        .filter(|(_, column)| column.iter().any(Option::is_some))
        .unzip();
    let part = |difference: Option<f64>| difference.map_or((0.0, 0.0), |value| (value, 1.0));
    let rows: Vec<Vec<_>> = (0..scores.len())
        .map(|task| columns.iter().map(|column| part(column[task])).collect())
        .collect();
    // All pairs on the same resamples: intervals of pairs can then be read beside each other.
    let means = bootstrap::ratios(&rows, RESAMPLES, rng);
    let p = sign_flip(&columns, rng);
    // Over all pairs of the measure, asked for or shown or not: the reader looks for the smallest.
    let adjusted = holm(&p);
    let mut differences = Vec::new();
    for (i, &(first, second)) in pairs.iter().enumerate() {
        let Some(mean) = means.estimate(i) else {
            continue;
        };
        let known: Vec<f64> = columns[i].iter().flatten().copied().collect();
        let tasks = known.len() as u64;
        differences.push(Difference {
            first,
            second,
            tasks,
            value: mean.value,
            interval: mean.interval,
            p: p[i],
            adjusted: adjusted[i],
            detectable: deviation(&known).and_then(|deviation| detectable(deviation, tasks)),
        });
    }
    differences
}

/// For each column of differences, how probable sums at least as far from 0 are if each difference
/// might as well have had the other sign (Fisher, "The Design of Experiments", 1935, section 21). A
/// column without differences has 1. Exact where at most 12 are not 0; else from [`FLIPS`] random
/// flips, the same for all columns, as (1 + b) / (1 + m) (Phipson and Smyth, Stat. Appl. Genet.
/// Mol. Biol. 9, 2010).
pub fn sign_flip(columns: &[Vec<Option<f64>>], rng: &mut impl Rng) -> Vec<f64> {
    // What is missing adds nothing with either sign.
    let number = |value: &Option<f64>| value.filter(|value| value.is_finite()).unwrap_or(0.0);
    let columns: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| column.iter().map(number).collect())
        .collect();
    let exact: Vec<Option<f64>> = columns
        .iter()
        .map(|column| {
            let nonzero = column.iter().copied().filter(|value| *value != 0.0);
            let nonzero: Vec<f64> = nonzero.collect();
            // A zero is the same with either sign and doubles the flips for nothing.
            (nonzero.len() <= EXACT).then(|| exact(&nonzero))
        })
        .collect();
    let long: Vec<&[f64]> = columns
        .iter()
        .zip(&exact)
        .filter(|(_, p)| p.is_none())
        .map(|(column, _)| &column[..])
        .collect();
    let mut drawn = random(&long, rng).into_iter();
    exact
        .into_iter()
        .filter_map(|p| p.or_else(|| drawn.next()))
        .collect()
}

/// Holm's step-down adjustment of p-values (Scand. J. Stat. 6, 1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let (mut adjusted, mut largest) = (vec![0.0; p.len()], 0.0);
    for (before, i) in order.into_iter().enumerate() {
        // Never below the one before: a larger p-value must not become the smaller one.
        largest = f64::min(1.0, p[i] * (p.len() - before) as f64).max(largest);
        adjusted[i] = largest;
    }
    adjusted
}

/// The smallest true mean difference that a two-sided test at α = .05 over `n` tasks finds with 80
/// % power, from the standard deviation of the paired differences: (`z_.975` + `z_.8`) s / √n,
/// which is 2.80 standard errors (Bloom, "Minimum detectable effects", Evaluation Review 19, 1995).
/// None without tasks or without a deviation.
pub fn detectable(deviation: f64, n: u64) -> Option<f64> {
    (n > 0 && deviation > 0.0 && deviation.is_finite())
        .then(|| (Z95 + Z80) * deviation / (n as f64).sqrt())
}

fn difference(task: &[Option<f64>], (first, second): (usize, usize)) -> Option<f64> {
    let score = |agent: usize| task.get(agent).copied().flatten();
    Some(score(first)? - score(second)?).filter(|value| value.is_finite())
}

/// The standard deviation, of the sample; none where all numbers are the same.
pub fn deviation(values: &[f64]) -> Option<f64> {
    values
        .iter()
        .find(|value| (**value - values[0]).abs() > 0.0)?;
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (n - 1.0)).sqrt())
}

/// From where on a sum is as far from 0 as the observed one; sums of the same numbers differ by
/// rounding.
fn limit(differences: &[f64]) -> f64 {
    differences.iter().sum::<f64>().abs()
        - 1e-12 * differences.iter().map(|value| value.abs()).sum::<f64>()
}

fn exact(differences: &[f64]) -> f64 {
    let (flips, limit) = (1_u32 << differences.len(), limit(differences));
    f64::from(
        (0..flips)
            .map(|flip| u32::from(flipped_sum(differences, flip).abs() >= limit))
            .sum::<u32>(),
    ) / f64::from(flips)
}

/// The sum where each difference that has its bit in `flip` has the other sign.
fn flipped_sum(differences: &[f64], flip: u32) -> f64 {
    differences
        .iter()
        .enumerate()
        .map(|(i, x)| if flip >> i & 1 == 0 { *x } else { -x })
        .sum()
}

fn random(columns: &[&[f64]], rng: &mut impl Rng) -> Vec<f64> {
    if columns.is_empty() {
        return vec![];
    }
    let limits: Vec<f64> = columns.iter().map(|column| limit(column)).collect();
    let tasks = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    let value = |column: &&[f64], task: usize| column.get(task).copied().unwrap_or(0.0);
    let rows: Vec<f64> = (0..tasks)
        .flat_map(|task| columns.iter().map(move |column| value(column, task)))
        .collect();
    // The data are one of the arrangements, so that no p-value is ever 0.
    let mut beyond = vec![1_u32; columns.len()];
    for _ in 0..FLIPS {
        let sums = flipped(&rows, columns.len(), rng);
        for ((beyond, sum), limit) in beyond.iter_mut().zip(sums).zip(&limits) {
            *beyond += u32::from(sum.abs() >= *limit);
        }
    }
    beyond
        .into_iter()
        .map(|beyond| f64::from(beyond) / (FLIPS + 1) as f64)
        .collect()
}

/// Sums of the columns, in which each row has a random sign.
fn flipped(rows: &[f64], columns: usize, rng: &mut impl Rng) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    for rows in rows.chunks(64 * columns) {
        // One draw of the generator gives 64 signs.
        let mut bits: u64 = rng.random();
        for row in rows.chunks_exact(columns) {
            let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, value)| *sum += sign * value);
            bits >>= 1;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn p(differences: &[f64], rng: &mut ChaCha8Rng) -> f64 {
        sign_flip(&[differences.iter().copied().map(Some).collect()], rng)[0]
    }

    fn check(differences: &[f64], expected: f64) {
        let p = p(differences, &mut rng(1));
        assert!((p - expected).abs() < 1e-15, "{differences:?}: {p}");
    }

    /// Of the 8 sums of ±1 ±2 ±3 two are as large as 6, and four (±6, ±4) as large as 4.
    #[test]
    fn few_differences_are_tried_in_full() {
        check(&[1.0, 2.0, 3.0], 0.25);
        check(&[-1.0, 2.0, 3.0], 0.5);
        check(&[0.1, 0.2, -0.3], 1.0);
        check(&[], 1.0);
        check(&[0.0; 40], 1.0);
        check(
            &[vec![1.0; 10], vec![0.0; 90], vec![f64::NAN]].concat(),
            2.0 / 1024.0,
        );
    }

    /// All of 13 have one sign in 2 of 8,192 flips; all of 40 in none that will be drawn.
    #[test]
    fn many_are_drawn() {
        assert!((p(&[1.0; 13], &mut rng(1)) - 2.0 / 8192.0).abs() < 0.0005);
        check(&[1.0; 40], 1.0 / 10_001.0);
        check(&[vec![1.0; 13], vec![-1.0; 12]].concat(), 1.0);
        // Three columns at once, two of them by the full count.
        let columns = [
            vec![Some(1.0), Some(1.0), None],
            vec![Some(1.0); 40],
            vec![None; 3],
        ];
        assert_eq!(sign_flip(&columns, &mut rng(1)), [0.5, 1.0 / 10_001.0, 1.0]);
    }

    /// Of a hundred differences the sums are as good as normal, with the sum of squares as their
    /// variance.
    #[test]
    fn drawn_ones_are_close_to_the_normal_distribution() {
        let column = |by: u32| {
            (0..100)
                .map(|i| f64::from(i * i * by % 101) - 45.0)
                .collect::<Vec<_>>()
        };
        let columns = [column(3), column(1), vec![1.0; 5]];
        let p = sign_flip(
            &columns
                .clone()
                .map(|column| column.into_iter().map(Some).collect()),
            &mut rng(1),
        );
        for (column, p) in columns.iter().zip(&p).take(2) {
            let z =
                column.iter().sum::<f64>().abs() / column.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!((p - 2.0 * normal::upper_tail(z)).abs() < 0.02, "{p} {z}");
        }
        // Company changes nothing.
        assert_eq!(
            p[..1],
            sign_flip(
                &[columns[0].iter().copied().map(Some).collect()],
                &mut rng(1)
            )
        );
    }

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        assert!(
            adjusted
                .iter()
                .zip([0.03, 0.06, 0.06, 0.02])
                .all(|(a, b)| (a - b).abs() < 1e-15),
            "{adjusted:?}"
        );
        assert_eq!((holm(&[]), holm(&[0.6, 0.7])), (vec![], vec![1.0, 1.0]));
    }

    #[test]
    fn only_shared_tasks_count() {
        let scores = [
            vec![Some(1.0), Some(0.5), None, None],
            vec![Some(3.0), Some(1.5), None],
            vec![None, Some(9.0), Some(f64::NAN)],
            vec![None, None, None, Some(4.0)],
        ];
        let found = differences(&scores, &mut rng(1));
        let [pair] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (
                pair.first,
                pair.second,
                pair.tasks,
                pair.value,
                pair.p,
                pair.adjusted
            ),
            (0, 1, 2, 1.0, 0.5, 0.5)
        );
        // s = √.5 and n = 2
        assert!((pair.detectable.unwrap() - 2.801_585_218_112_969 * 0.5).abs() < 1e-12);
        assert!(differences(&[], &mut rng(1)).is_empty());
        let same = differences(&vec![vec![Some(0.3), Some(0.1)]; 20], &mut rng(1));
        assert!((same[0].value - 0.2).abs() < 1e-12 && same[0].p < 0.001);
        assert_eq!((same[0].interval, same[0].detectable), (None, None));
        assert_eq!(
            (
                detectable(0.0, 5),
                detectable(1.0, 0),
                detectable(f64::NAN, 5)
            ),
            (None, None, None)
        );
    }

    /// Two agents of the same strength, whose labels are shuffled task by task: p-values are
    /// uniform.
    #[test]
    fn without_a_difference_p_is_uniform() {
        let mut rng = rng(11);
        let tasks: Vec<[f64; 2]> = (0..30)
            .map(|_| [normal::draw(&mut rng).exp(), 1.0 + normal::draw(&mut rng)])
            .collect();
        let shuffled = |rng: &mut ChaCha8Rng| {
            let differences: Vec<f64> = tasks
                .iter()
                .map(|[a, b]| if rng.random() { a - b } else { b - a })
                .collect();
            p(&differences, rng)
        };
        let mut seen: Vec<f64> = (0..200).map(|_| shuffled(&mut rng)).collect();
        seen.sort_by(f64::total_cmp);
        let gap = |(i, p): (usize, &f64)| {
            (p - i as f64 / 200.0)
                .abs()
                .max((p - (i + 1) as f64 / 200.0).abs())
        };
        let distance = seen.iter().enumerate().map(gap).fold(0.0, f64::max);
        // Kolmogorov's critical value at 1 % is 1.628 / √n.
        assert!(distance < 1.628 / 200f64.sqrt(), "{distance}");
    }

    /// A true difference of the detectable size is found in about 80 of 100 samples, and one of no
    /// size in about 5.
    #[test]
    fn a_planted_difference_is_found_as_often_as_promised() {
        let mut rng = rng(12);
        for (planted, expected, tolerance) in
            [(detectable(2.0, 40).unwrap(), 0.8, 0.1), (0.0, 0.05, 0.05)]
        {
            let sample = |rng: &mut ChaCha8Rng| {
                (0..40)
                    .map(|_| planted + 2.0 * normal::draw(rng))
                    .collect::<Vec<_>>()
            };
            let found = (0..120)
                .filter(|_| p(&sample(&mut rng), &mut rng) < 0.05)
                .count();
            assert!(
                (found as f64 / 120.0 - expected).abs() < tolerance,
                "{planted}: {found} of 120"
            );
        }
    }

    /// Strengths 1, 0 and 0, in 40 samples of 60 tasks that differ more than the agents do.
    #[test]
    fn the_better_agent_is_told_from_its_equals() {
        let mut rng = rng(13);
        let task = |rng: &mut ChaCha8Rng| {
            let level = 2.0 * normal::draw(rng);
            [1.0, 0.0, 0.0]
                .map(|strength| Some(level + strength + normal::draw(rng)))
                .to_vec()
        };
        let mut significant = [0; 3];
        for _ in 0..40 {
            let scores: Vec<_> = (0..60).map(|_| task(&mut rng)).collect();
            for (i, pair) in differences(&scores, &mut rng).into_iter().enumerate() {
                let (low, high) = pair.interval.unwrap();
                assert!(
                    low < pair.value
                        && pair.value < high
                        && pair.adjusted >= pair.p
                        && pair.tasks == 60
                );
                significant[i] += u32::from(pair.adjusted < 0.05);
            }
        }
        assert!(
            significant[0] >= 38 && significant[1] >= 38 && significant[2] <= 6,
            "{significant:?}"
        );
    }
}
