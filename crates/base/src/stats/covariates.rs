//! What goes with the scores of reports on the same task by the same agent: for instance their
//! length, or how many sources they cite. Hides the elimination of tasks and agents, and of the
//! covariates from each other.
//!
//! Least squares with an effect of each task and of each agent (Frisch and Waugh, Econometrica 1,
//! 1933: what is left of a covariate once everything else is taken out of it tells its slope). So
//! neither a good agent that writes long reports nor a task with much to say passes for a bias.
//! Intervals resample tasks; p-values flip the signs of the tasks' scores under no effect of the
//! covariate (the score form of the wild cluster bootstrap: Kline and Santos, J. Econometric
//! Methods 1, 2012).

use rand::Rng;
use serde::Serialize;

use super::{
    bootstrap::{self, Estimate, RESAMPLES},
    paired,
};

/// Rounds of taking means off in turn, at most.
const ROUNDS: usize = 500;
/// A covariate of which less than this share of its variance is left cannot be told apart.
const LEFT: f64 = 1e-6;

/// A report's score with its covariates.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// Number of the task.
    pub task: usize,
    /// Number of the agent.
    pub agent: usize,
    /// The score.
    pub score: f64,
    /// The covariates, as many for each report.
    pub covariates: Vec<f64>,
}

/// The effect of one covariate, the others being equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// Points for one more of it, with the 95 % interval by resampling tasks.
    pub estimate: Estimate,
    /// Two-sided p-value of no effect.
    pub p: f64,
}

/// The slope of each covariate; none where tasks, agents and the other covariates leave nothing of
/// it. Takes a time that grows with the number of reports.
pub fn slopes(reports: &[Scored], rng: &mut impl Rng) -> Vec<Option<Slope>> {
    let covariates = reports.iter().map(|of| of.covariates.len()).max();
    let sizes = Sizes::of(reports);
    let scores = sizes.within(reports.iter().map(|of| of.score).collect());
    let columns: Vec<Vec<f64>> = (0..covariates.unwrap_or(0))
        .map(|at| {
            let value = |of: &Scored| of.covariates.get(at).copied().unwrap_or(f64::NAN);
            reports.iter().map(value).collect()
        })
        .map(|column| sizes.within(column))
        .collect();
    let slope = |at: usize, rng: &mut _| -> Option<Slope> {
        let others: Vec<&Vec<f64>> = columns
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, column)| column)
            .collect();
        let own = without(&columns[at], &others);
        let all = squares(&columns[at]);
        if !squares(&own).is_finite() || squares(&own) <= LEFT * all.max(f64::MIN_POSITIVE) {
            return None;
        }
        // Under no effect of this one: only the others are taken out of the scores.
        let rest = without(&scores, &others);
        let mut rows = vec![vec![(0.0, 0.0)]; sizes.tasks];
        for ((report, own), rest) in reports.iter().zip(&own).zip(&rest) {
            let part = &mut rows[report.task][0];
            *part = (part.0 + own * rest, part.1 + own * own);
        }
        let flipped: Vec<Option<f64>> = rows.iter().map(|row| Some(row[0].0)).collect();
        Some(Slope {
            estimate: bootstrap::ratios(&rows, RESAMPLES, rng).estimate(0)?,
            p: paired::sign_flip(&[flipped], rng).pop()?,
        })
    };
    (0..columns.len()).map(|at| slope(at, rng)).collect()
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What is left of a column once others are taken out of it, one after the other, each without
/// those before it.
fn without(column: &[f64], others: &[&Vec<f64>]) -> Vec<f64> {
    let mut rest = column.to_vec();
    let mut bases: Vec<Vec<f64>> = Vec::new();
    for other in others {
        let mut base = (*other).clone();
        let size = squares(&base);
        for before in &bases {
            take_off(&mut base, before);
        }
        if squares(&base) > LEFT * size {
            take_off(&mut rest, &base);
            bases.push(base);
        }
    }
    rest
}

fn take_off(from: &mut [f64], base: &[f64]) {
    let share = product(from, base) / squares(base);
    for (value, base) in from.iter_mut().zip(base) {
        *value -= share * base;
    }
}

/// What each report belongs to.
struct Sizes<'a> {
    reports: &'a [Scored],
    tasks: usize,
    agents: usize,
}

impl<'a> Sizes<'a> {
    fn of(reports: &'a [Scored]) -> Self {
        let most = |of: fn(&Scored) -> usize| reports.iter().map(|one| of(one) + 1).max();
        Self {
            reports,
            tasks: most(|one| one.task).unwrap_or(0),
            agents: most(|one| one.agent).unwrap_or(0),
        }
    }

    /// The column without the effects of tasks and agents: their means are taken off in turn until
    /// none is left.
    fn within(&self, mut column: Vec<f64>) -> Vec<f64> {
        let size = column.iter().map(|value| value.abs()).fold(0.0, f64::max);
        for _ in 0..ROUNDS {
            self.take_off(&mut column, self.tasks, |of| of.task);
            let largest = self.take_off(&mut column, self.agents, |of| of.agent);
            if largest <= 1e-12 * size {
                break;
            }
        }
        column
    }

    /// Takes the means of groups off; returns the largest of them.
    fn take_off(&self, column: &mut [f64], groups: usize, of: impl Fn(&Scored) -> usize) -> f64 {
        let mut sums = vec![(0.0, 0.0); groups];
        for (report, value) in self.reports.iter().zip(&*column) {
            let sum = &mut sums[of(report)];
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
        let mean = |(sum, n): (f64, f64)| if n > 0.0 { sum / n } else { 0.0 };
        for (report, value) in self.reports.iter().zip(column) {
            *value -= mean(sums[of(report)]);
        }
        sums.into_iter()
            .map(|sum| mean(sum).abs())
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;
    use crate::stats::normal;

    /// Exact data: score = task + 2 · agent + 0.5 · words − 0.25 · sources.
    #[test]
    fn planted_slopes_come_out_whatever_agents_and_tasks_are_like() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut reports = Vec::new();
        for task in 0..12 {
            for agent in 0..4 {
                // One report is missing, and the best agents write most.
                if (task, agent) == (3, 2) {
                    continue;
                }
                let words = 3.0 * agent as f64 + normal::draw(&mut rng);
                let sources = words + normal::draw(&mut rng);
                let score = task as f64 + 2.0 * agent as f64 + 0.5 * words - 0.25 * sources;
                reports.push(Scored {
                    task,
                    agent,
                    score,
                    covariates: vec![words, sources],
                });
            }
        }
        let found = slopes(&reports, &mut rng);
        let values: Vec<f64> = found.iter().flatten().map(|of| of.estimate.value).collect();
        assert!((values[0] - 0.5).abs() < 1e-9, "{found:?}");
        assert!((values[1] + 0.25).abs() < 1e-9, "{found:?}");
        assert!(found.iter().flatten().all(|of| of.p < 0.001), "{found:?}");
    }

    #[test]
    fn what_cannot_be_told_apart_has_no_slope() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let report = |task: usize, agent: usize, words: f64| Scored {
            task,
            agent,
            score: task as f64 + agent as f64,
            covariates: vec![words, 2.0 * words],
        };
        // Length follows from the agent alone; then both covariates are one.
        let same: Vec<Scored> = (0..20)
            .map(|n| report(n / 4, n % 4, (n % 4) as f64))
            .collect();
        assert_eq!(slopes(&same, &mut rng), vec![None, None]);
        let twice: Vec<Scored> = (0..20)
            .map(|n| report(n / 4, n % 4, (n * n % 7) as f64))
            .collect();
        assert_eq!(slopes(&twice, &mut rng), vec![None, None]);
        assert_eq!(slopes(&[], &mut rng), vec![]);
    }
}
