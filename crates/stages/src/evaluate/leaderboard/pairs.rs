//! Every agent against every other on a measure that is a ratio of sums over tasks, as means and
//! pooled shares are. Hides shared tasks, each task's contribution to a difference of ratios, and
//! the shortcuts for thousands of tasks.

use rand::{Rng, seq::SliceRandom as _};

use crate::stats::{
    bootstrap, normal,
    paired::{self, Difference},
};

/// Numerator and denominator.
pub type Part = (f64, f64);

/// Most tasks that are resampled one by one; more are resampled in groups.
const MOST_CLUSTERS: usize = 2_000;

/// The number of groups then.
const GROUPS: usize = 1_000;

/// Most differences that are tested by flips of signs; the sum of more is nearly normal.
const MOST_FLIPPED: usize = 1_000;

/// The cluster of each task: itself up to 2,000 tasks, else one of 1,000 groups of equal size that
/// chance deals it into.
///
/// Sums of such groups are as independent as tasks are, and the variance between them estimates
/// that of the whole as well: with 1,000 of them its standard error adds 1 / √2000, 2 % of an
/// interval's width.
pub fn clusters(tasks: usize, rng: &mut impl Rng) -> Vec<usize> {
    if tasks <= MOST_CLUSTERS {
        return (0..tasks).collect();
    }
    let mut clusters: Vec<usize> = (0..tasks).map(|task| task % GROUPS).collect();
    clusters.shuffle(rng);
    clusters
}

/// The sums of rows over each cluster.
pub fn summed(rows: impl Iterator<Item = Vec<Part>>, clusters: &[usize]) -> Vec<Vec<Part>> {
    let mut sums: Vec<Vec<Part>> = vec![vec![]; clusters.iter().max().map_or(0, |last| last + 1)];
    for (row, &cluster) in rows.zip(clusters) {
        let sum = &mut sums[cluster];
        if sum.is_empty() {
            *sum = row;
        } else {
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, part)| *sum = (sum.0 + part.0, sum.1 + part.1));
        }
    }
    sums
}

/// Every pair of agents that share a task. `parts` are tasks × agents; denominators are above 0.
///
/// The difference is that of the two ratios over the shared tasks, its interval the bootstrap's.
/// For p-value and detectable difference each task has its [`contributions`] to it.
pub fn differences(
    parts: &[Vec<Option<Part>>],
    clusters: &[usize],
    resamples: usize,
    rng: &mut impl Rng,
) -> Vec<Difference> {
    let agents = parts.first().map_or(0, Vec::len);
    let every =
        (0..agents).flat_map(|first| (first + 1..agents).map(move |second| (first, second)));
    let pairs: Vec<_> = every
        .filter(|pair| parts.iter().any(|task| shared(task, *pair).is_some()))
        .collect();
    // Two columns a pair, only on shared tasks: an agent's other tasks must not move the
    // difference.
    let rows = parts.iter().map(|task| {
        pairs
            .iter()
            .flat_map(|&pair| <[Part; 2]>::from(shared(task, pair).unwrap_or_default()))
            .collect()
    });
    let ratios = bootstrap::ratios(&summed(rows, clusters), resamples, rng);
    let columns: Vec<Vec<Option<f64>>> = pairs
        .iter()
        .map(|&pair| {
            let both: Vec<_> = parts.iter().map(|task| shared(task, pair)).collect();
            contributions(&both)
        })
        .collect();
    let p = p_values(&columns, rng);
    let adjusted = paired::holm(&p);
    let mut differences = Vec::new();
    for (i, &(first, second)) in pairs.iter().enumerate() {
        let Some(found) = ratios.difference(2 * i, 2 * i + 1) else {
            continue;
        };
        let known: Vec<f64> = columns[i].iter().flatten().copied().collect();
        differences.push(Difference {
            first,
            second,
            tasks: known.len() as u64,
            value: found.value,
            interval: found.interval,
            p: p[i],
            adjusted: adjusted[i],
            detectable: detectable(&known),
        });
    }
    differences
}

/// The values of both agents of a pair on a task.
fn shared(task: &[Option<Part>], (first, second): (usize, usize)) -> Option<(Part, Part)> {
    task[first].zip(task[second])
}

fn detectable(contributions: &[f64]) -> Option<f64> {
    let largest = contributions
        .iter()
        .fold(0.0, |most: f64, d| most.max(d.abs()));
    // What is the same on all tasks differs by rounding.
    let deviation =
        paired::deviation(contributions).filter(|deviation| *deviation > 1e-12 * largest)?;
    paired::detectable(deviation, contributions.len() as u64)
}

/// The contribution of each task to the difference of two ratios Σx/Σm and Σy/Σk: (x − Rm) / m̄ −
/// (y − Rk) / k̄, R the ratio of both together. Their mean is the difference exactly, whatever R,
/// and for means (m = k = 1) they are x − y. With the R of no difference they have mean 0 where
/// there is none, and where two agents of equal denominators are exchanged on a task its sign
/// changes: flipping signs is then the exact permutation test, and else one for large samples.
fn contributions(shared: &[Option<(Part, Part)>]) -> Vec<Option<f64>> {
    let sum = |of: fn(&(Part, Part)) -> f64| shared.iter().flatten().map(of).sum::<f64>();
    let (m, k) = (sum(|both| both.0.1), sum(|both| both.1.1));
    let common = (sum(|both| both.0.0) + sum(|both| both.1.0)) / (m + k);
    let n = shared.iter().flatten().count() as f64;
    let of = |part: Part, sum: f64| (part.0 - common * part.1) * n / sum;
    shared
        .iter()
        .map(|both| both.map(|(first, second)| of(first, m) - of(second, k)))
        .collect()
}

/// p-values by flipping signs, and for more than 1,000 differences by the normal distribution,
/// which the flipped sums nearly have: variance Σd², no skewness, and a kurtosis that moves a
/// p-value by less than κ / 10n (the Edgeworth expansion's term, κ = nΣd⁴ / (Σd²)²). The smallest
/// p-value is then not 1/10,001.
fn p_values(columns: &[Vec<Option<f64>>], rng: &mut impl Rng) -> Vec<f64> {
    let many = |column: &&Vec<Option<f64>>| {
        // Zero differences do not change under a flip and count for neither.
        column.iter().flatten().filter(|d| **d != 0.0).count() > MOST_FLIPPED
    };
    let few: Vec<Vec<Option<f64>>> = columns
        .iter()
        .filter(|column| !many(column))
        .cloned()
        .collect();
    // All columns at once: the same flips for each pair, and one pass over the tasks.
    let mut flipped = paired::sign_flip(&few, rng).into_iter();
    columns
        .iter()
        .filter_map(|column| {
            if many(&column) {
                Some(by_normal(column))
            } else {
                flipped.next()
            }
        })
        .collect()
}

fn by_normal(column: &[Option<f64>]) -> f64 {
    let known = || column.iter().flatten();
    let z = known().sum::<f64>().abs() / known().map(|d| d * d).sum::<f64>().sqrt();
    (2.0 * normal::upper_tail(z)).min(1.0)
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(1)
    }

    /// 2/4 and 3/4 against 1/1 and 1/5: 5/8 − 2/6, from a common 7/14.
    #[test]
    fn contributions_have_the_difference_as_their_mean() {
        let shared = [
            Some(((2.0, 4.0), (1.0, 1.0))),
            None,
            Some(((3.0, 4.0), (1.0, 5.0))),
        ];
        let found: Vec<f64> = contributions(&shared).into_iter().flatten().collect();
        // (2 − 2) / 4 − (1 − .5) / 3 and (3 − 2) / 4 − (1 − 2.5) / 3
        assert!(
            (found[0] + 0.5 / 3.0).abs() < 1e-12 && (found[1] - 0.75).abs() < 1e-12,
            "{found:?}"
        );
        assert!((found.iter().sum::<f64>() / 2.0 - (5.0 / 8.0 - 2.0 / 6.0)).abs() < 1e-12);
        assert!(contributions(&[None]) == [None]);
    }

    #[test]
    fn the_normal_distribution_is_as_good_as_flips() {
        let mut rng = rng();
        for lead in [0.0, 0.02, 0.05] {
            let column: Vec<Option<f64>> = (0..1500)
                .map(|_| Some(lead + normal::draw(&mut rng)))
                .collect();
            let (flips, normal) = (
                paired::sign_flip(std::slice::from_ref(&column), &mut rng)[0],
                by_normal(&column),
            );
            assert!((flips - normal).abs() < 0.02, "{lead}: {flips} {normal}");
            assert!((p_values(std::slice::from_ref(&column), &mut rng)[0] - normal).abs() < 1e-15);
            assert!(
                (p_values(&[column[..1000].to_vec()], &mut rng)[0] - by_normal(&column[..1000]))
                    .abs()
                    > 0.0
            );
        }
    }

    #[test]
    fn thousands_of_tasks_are_dealt_evenly() {
        assert_eq!(clusters(2000, &mut rng()), (0..2000).collect::<Vec<_>>());
        let found = clusters(2001, &mut rng());
        let sums = summed((0..2001).map(|_| vec![(1.0, 2.0)]), &found);
        assert_eq!(sums.len(), 1000);
        assert!(sums.iter().all(|sum| sum[0].0 >= 2.0
            && sum[0].0 <= 3.0
            && (sum[0].1 - 2.0 * sum[0].0).abs() < 1e-12));
        assert!(found[..100] != (0..100).collect::<Vec<_>>());
    }
}
