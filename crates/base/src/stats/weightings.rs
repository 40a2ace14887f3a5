//! How far an order of agents depends on the weights of the criteria that their scores are made of.
//! Hides the draws of weights, and the algebra of changing one.

use rand::{Rng, RngExt as _};
use serde::Serialize;

/// A task with its criteria, and what each agent was rated on it.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedTask {
    /// The number of each criterion's name, and its weight; weights sum to 1. Criteria of several
    /// tasks with one name are weighed alike.
    pub criteria: Vec<(usize, f64)>,
    /// Agents × criteria.
    pub ratings: Vec<Vec<f64>>,
}

impl RatedTask {
    /// The score of an agent with other weights, which need not sum to 1.
    fn score(&self, agent: usize, weights: &[f64]) -> f64 {
        let of = self.ratings[agent].iter().zip(weights);
        of.map(|(rating, weight)| rating * weight).sum::<f64>() / weights.iter().sum::<f64>()
    }

    fn weights(&self) -> Vec<f64> {
        self.criteria.iter().map(|(_, weight)| *weight).collect()
    }
}

/// The smallest change of one criterion's weight that makes two agents equal; beyond it they change
/// places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Swap {
    /// The number of the criterion's name.
    pub criterion: usize,
    /// Its mean weight over the tasks that have it, of 1.
    pub weight: f64,
    /// What is added to it on each of them; the others give or take in proportion.
    pub change: f64,
}

/// The mean scores of agents over tasks, by the weights that the tasks have.
pub fn scores(tasks: &[RatedTask], agents: usize) -> Vec<f64> {
    mean_scores(tasks, agents, RatedTask::weights)
}

fn mean_scores(
    tasks: &[RatedTask],
    agents: usize,
    weights: impl Fn(&RatedTask) -> Vec<f64>,
) -> Vec<f64> {
    let mut sums = vec![0.0; agents];
    for task in tasks {
        let weights = weights(task);
        for (agent, sum) in sums.iter_mut().enumerate() {
            *sum += task.score(agent, &weights);
        }
    }
    sums.iter().map(|sum| sum / tasks.len() as f64).collect()
}

/// For each pair the share of random weightings in which the first one's mean score is the higher
/// one; equal ones count half. All weightings are as likely: one of a task with n criteria is drawn
/// from Dirichlet(1, …, 1), as n exponential draws over their sum, one for each name. None without
/// tasks or draws.
pub fn kept(
    tasks: &[RatedTask],
    pairs: &[(usize, usize)],
    draws: usize,
    rng: &mut impl Rng,
) -> Vec<Option<f64>> {
    let names = tasks.iter().flat_map(|task| &task.criteria);
    let names = names.map(|(name, _)| name + 1).max().unwrap_or(0);
    let agents = pairs.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(0);
    let mut kept = vec![0.0; pairs.len()];
    for _ in 0..draws {
        let shares: Vec<f64> = (0..names)
            // Of 0 there is no logarithm.
            .map(|_| -(1.0 - rng.random::<f64>()).ln() + f64::MIN_POSITIVE)
            .collect();
        let scores = mean_scores(tasks, agents, |task| {
            task.criteria
                .iter()
                .map(|(name, _)| shares[*name])
                .collect()
        });
        for (kept, (first, second)) in kept.iter_mut().zip(pairs) {
            *kept += half_or_more(scores[*first], scores[*second]);
        }
    }
    let is_known = !tasks.is_empty() && draws > 0;
    kept.into_iter()
        .map(|sum| is_known.then(|| sum / draws as f64))
        .collect()
}

fn half_or_more(first: f64, second: f64) -> f64 {
    // Sums of equal numbers differ by rounding.
    if (first - second).abs() < 1e-12 * first.abs().max(second.abs()) {
        0.5
    } else {
        f64::from(u8::from(first > second))
    }
}

/// The smallest change of the weight of one name that makes two agents equal; none where no change
/// of a single one does, with all weights from 0 to 1.
///
/// With weight w of a criterion rated r, and R the mean of the others by their weights, a task's
/// score is w r + (1 − w) R: the difference of two agents is linear in w.
pub fn smallest_swap(tasks: &[RatedTask], first: usize, second: usize) -> Option<Swap> {
    let n = tasks.len() as f64;
    let of_task = |task: &RatedTask| {
        let weights = task.weights();
        task.score(first, &weights) - task.score(second, &weights)
    };
    let lead = tasks.iter().map(of_task).sum::<f64>() / n;
    let mut smallest: Option<Swap> = None;
    for (criterion, lever) in levers(tasks, first, second).into_iter().enumerate() {
        let change = -lead / (lever.slope / n);
        let reaches = change.is_finite() && lever.range.0 <= change && change <= lever.range.1;
        if lever.tasks > 0.0
            && reaches
            && smallest.is_none_or(|known| change.abs() < known.change.abs())
        {
            let weight = lever.weight / lever.tasks;
            smallest = Some(Swap {
                criterion,
                weight,
                change,
            });
        }
    }
    smallest
}

/// What a change of a criterion's weight does to the difference of two agents.
#[derive(Clone, Copy)]
struct Lever {
    /// Added to the sum of differences for each unit of weight.
    slope: f64,
    /// The changes that leave each weight between 0 and 1.
    range: (f64, f64),
    /// Sum of its weights.
    weight: f64,
    /// Tasks that have it beside other criteria.
    tasks: f64,
}

fn levers(tasks: &[RatedTask], first: usize, second: usize) -> Vec<Lever> {
    let names = tasks.iter().flat_map(|task| &task.criteria);
    let names = names.map(|(name, _)| name + 1).max().unwrap_or(0);
    let none = Lever {
        slope: 0.0,
        range: (-1.0, 1.0),
        weight: 0.0,
        tasks: 0.0,
    };
    let mut levers = vec![none; names];
    for task in tasks {
        let weights = task.weights();
        for (at, (name, weight)) in task.criteria.iter().enumerate() {
            let others: f64 = weights.iter().sum::<f64>() - weight;
            if others <= 1e-12 {
                continue;
            }
            let beside = |agent: usize| {
                let ratings = &task.ratings[agent];
                let all: f64 = ratings.iter().zip(&weights).map(|(r, w)| r * w).sum();
                ratings[at] - (all - weight * ratings[at]) / others
            };
            let lever = &mut levers[*name];
            lever.slope += beside(first) - beside(second);
            lever.range.0 = lever.range.0.max(-weight);
            lever.range.1 = lever.range.1.min(1.0 - weight);
            lever.weight += weight;
            lever.tasks += 1.0;
        }
    }
    levers
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    fn task(criteria: &[(usize, f64)], ratings: [&[f64]; 2]) -> RatedTask {
        RatedTask {
            criteria: criteria.to_vec(),
            ratings: ratings.map(<[f64]>::to_vec).to_vec(),
        }
    }

    /// One task, two criteria: 8 and 2 against 5 and 5. The first leads with a weight of more than
    /// one half on the first criterion: half of all weightings. With .7 its lead is 6.2 − 5, and .2
    /// less makes them equal.
    #[test]
    fn an_example_by_hand() {
        let tasks = [task(&[(0, 0.7), (1, 0.3)], [&[8.0, 2.0], &[5.0, 5.0]])];
        let found = scores(&tasks, 2);
        assert!((found[0] - 6.2).abs() < 1e-12 && (found[1] - 5.0).abs() < 1e-12);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let share = kept(&tasks, &[(0, 1)], 20_000, &mut rng)[0].unwrap();
        assert!((share - 0.5).abs() < 0.015, "{share}");
        let swap = smallest_swap(&tasks, 0, 1).unwrap();
        // Either weight says the same: .2 less of one is .2 more of the other.
        assert!((swap.change.abs() - 0.2).abs() < 1e-12, "{swap:?}");
    }

    /// With three criteria the share is that of a triangle's area: w₀ > w₁ + w₂ has a quarter.
    #[test]
    fn all_weightings_are_as_likely() {
        let criteria = [(0, 0.6), (1, 0.2), (2, 0.2)];
        let tasks = [task(&criteria, [&[1.0, 0.0, 0.0], &[0.0, 1.0, 1.0]])];
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let share = kept(&tasks, &[(0, 1)], 40_000, &mut rng)[0].unwrap();
        assert!((share - 0.25).abs() < 0.01, "{share}");
    }

    /// One name on several tasks is one lever; names of single tasks may all be too weak.
    #[test]
    fn levers_are_as_long_as_their_names_reach() {
        let shared: Vec<RatedTask> = (0..10)
            .map(|_| task(&[(0, 0.5), (1, 0.5)], [&[9.0, 3.0], &[4.0, 7.0]]))
            .collect();
        let swap = smallest_swap(&shared, 0, 1).unwrap();
        // 6 − 5.5 = .5, and a unit of weight is worth 6 + 3.
        assert!((swap.change.abs() - 0.5 / 9.0).abs() < 1e-12, "{swap:?}");
        assert!((swap.weight - 0.5).abs() < 1e-12);
        let own: Vec<RatedTask> = (0..10)
            .map(|at| {
                task(
                    &[(2 * at, 0.5), (2 * at + 1, 0.5)],
                    [&[9.0, 3.0], &[4.0, 7.0]],
                )
            })
            .collect();
        assert_eq!(smallest_swap(&own, 0, 1), None);
        // What dominates on each criterion is never passed.
        let better = [task(&[(0, 0.5), (1, 0.5)], [&[9.0, 8.0], &[4.0, 7.0]])];
        assert_eq!(smallest_swap(&better, 0, 1), None);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        assert_eq!(
            kept(&better, &[(0, 1), (1, 0)], 50, &mut rng),
            [Some(1.0), Some(0.0)]
        );
        assert_eq!(kept(&[], &[(0, 1)], 5, &mut rng), [None]);
    }
}
