//! How hard items are, by the results that some agents had on them: a model with one parameter an
//! item. Hides the fit, and who is left out.
//!
//! The model of Rasch ("Probabilistic models for some intelligence and attainment tests", 1960),
//! for results between 0 and 1 in place of right and wrong: the expected result of an agent of
//! ability θ on an item of difficulty b is 1 / (1 + e^(b − θ)). It is fitted by quasi-likelihood
//! (Papke and Wooldridge, "Econometric methods for fractional response variables", J. Appl. Econ.
//! 11, 1996), which asks of the scatter only that it is φ p (1 − p); φ follows from the residuals.
//! Difficulties have a normal prior whose variance follows from the data, too, so that one odd
//! result makes no extreme item.

use serde::Serialize;

use super::normal::Z95;

/// Fewest agents with a result on an item, and fewest items, that say how hard one is.
pub const FEWEST: usize = 2;
/// Rounds of the fit, at most; it converges in some dozens.
const ROUNDS: usize = 500;
/// The largest step of the last round.
const STEP: f64 = 1e-9;
/// Variance of the prior of abilities, in squared logits: wide, so that only who never fails, or
/// always does, is held.
const ABILITIES: f64 = 25.0;
/// The least variance of difficulties, and the least scatter: data without any would have intervals
/// without width.
const LEAST: f64 = 1e-3;

/// The difficulty of an item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ItemDifficulty {
    /// In logits; 0 is the mean item, and above it are the harder ones.
    pub value: f64,
    /// Lower end of its 95 % interval, the agents being these.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Agents with a result.
    pub agents: u64,
}

/// The difficulties of items by their results, items × agents, from 0 to 1; none of an item with
/// results of fewer than [`FEWEST`] agents, and of all where fewer than [`FEWEST`] items are left.
/// Results that are no shares count as missing.
pub fn difficulties(results: &[Vec<Option<f64>>]) -> Vec<Option<ItemDifficulty>> {
    let known = |result: &Option<f64>| result.filter(|y| (0.0..=1.0).contains(y));
    let rows: Vec<(usize, Vec<(usize, f64)>)> = results
        .iter()
        .enumerate()
        .map(|(item, row)| {
            let row = row.iter().enumerate();
            let row = row.filter_map(|(agent, y)| Some((agent, known(y)?)));
            (item, row.collect::<Vec<_>>())
        })
        .filter(|(_, row)| row.len() >= FEWEST)
        .collect();
    let mut all = vec![None; results.len()];
    if rows.len() < FEWEST {
        return all;
    }
    let agents = results.iter().map(Vec::len).max().unwrap_or(0);
    let items: Vec<&[(usize, f64)]> = rows.iter().map(|(_, row)| &row[..]).collect();
    let fit = Fit::of(&items, agents);
    for (at, (item, row)) in rows.iter().enumerate() {
        let half = Z95 * fit.variance(row, fit.difficulties[at]).sqrt();
        let value = fit.difficulties[at];
        all[*item] = Some(ItemDifficulty {
            value,
            low: value - half,
            high: value + half,
            agents: row.len() as u64,
        });
    }
    all
}

struct Fit {
    difficulties: Vec<f64>,
    abilities: Vec<f64>,
    /// Variance of the prior of difficulties.
    spread: f64,
    /// Scatter of results, as a multiple of that of right and wrong.
    scatter: f64,
}

impl Fit {
    fn of(items: &[&[(usize, f64)]], agents: usize) -> Self {
        let mut fit = Self {
            difficulties: vec![0.0; items.len()],
            abilities: vec![0.0; agents],
            spread: 1.0,
            scatter: 1.0,
        };
        for _ in 0..ROUNDS {
            let step = fit.step(items);
            fit.update(items);
            if step < STEP {
                break;
            }
        }
        fit
    }

    /// One step of Newton for each ability, then for each difficulty; returns the largest.
    fn step(&mut self, items: &[&[(usize, f64)]]) -> f64 {
        let mut sums = vec![(0.0, 0.0); self.abilities.len()];
        for (item, row) in items.iter().enumerate() {
            for (agent, y) in *row {
                let p = expected(self.abilities[*agent] - self.difficulties[item]);
                sums[*agent].0 += y - p;
                sums[*agent].1 += p * (1.0 - p);
            }
        }
        let mut largest: f64 = 0.0;
        for (ability, (gradient, weight)) in self.abilities.iter_mut().zip(sums) {
            let prior = self.scatter / ABILITIES;
            let by = ((gradient - prior * *ability) / (weight + prior)).clamp(-1.0, 1.0);
            *ability += by;
            largest = largest.max(by.abs());
        }
        let prior = self.scatter / self.spread;
        for (item, row) in items.iter().enumerate() {
            let (mut gradient, mut weight) = (0.0, 0.0);
            for (agent, y) in *row {
                let p = expected(self.abilities[*agent] - self.difficulties[item]);
                gradient += p - y;
                weight += p * (1.0 - p);
            }
            let own = &mut self.difficulties[item];
            let by = ((gradient - prior * *own) / (weight + prior)).clamp(-1.0, 1.0);
            *own += by;
            largest = largest.max(by.abs());
        }
        // Only differences are known: 0 is the mean item.
        let mean = self.difficulties.iter().sum::<f64>() / self.difficulties.len() as f64;
        for of in self.difficulties.iter_mut().chain(&mut self.abilities) {
            *of -= mean;
        }
        largest
    }

    /// The scatter by the residuals, and the spread by difficulties and their variances.
    fn update(&mut self, items: &[&[(usize, f64)]]) {
        let (mut squares, mut n) = (0.0, 0.0);
        let mut shrunk = 0.0;
        for (item, row) in items.iter().enumerate() {
            for (agent, y) in *row {
                let p = expected(self.abilities[*agent] - self.difficulties[item]);
                squares += (y - p).powi(2) / (p * (1.0 - p)).max(LEAST);
                n += 1.0;
            }
            shrunk += 1.0 - self.variance(row, self.difficulties[item]) / self.spread;
        }
        // What difficulties and abilities took of the scatter is not in the residuals.
        let free = (n - shrunk - self.abilities.len() as f64).max(1.0);
        self.scatter = (squares / free).clamp(LEAST, 1.0);
        let second: f64 = (items.iter().zip(&self.difficulties))
            .map(|(row, own)| own * own + self.variance(row, *own))
            .sum();
        self.spread = (second / items.len() as f64).max(LEAST);
    }

    fn variance(&self, row: &[(usize, f64)], difficulty: f64) -> f64 {
        let weight: f64 = row
            .iter()
            .map(|(agent, _)| expected(self.abilities[*agent] - difficulty))
            .map(|p| p * (1.0 - p))
            .sum();
        1.0 / (weight / self.scatter + 1.0 / self.spread)
    }
}

fn expected(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
    use rand_distr::{Beta, Distribution as _};

    use super::*;
    use crate::stats::normal;

    /// Results of agents of abilities −1 to 1 on items whose difficulties scatter by .8; some are
    /// missing.
    fn planted(
        seed: u64,
        items: usize,
        agents: usize,
        precision: f64,
    ) -> (Vec<f64>, Vec<Vec<Option<f64>>>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut truth: Vec<f64> = (0..items).map(|_| 0.8 * normal::draw(&mut rng)).collect();
        let mean = truth.iter().sum::<f64>() / items as f64;
        for of in &mut truth {
            *of -= mean;
        }
        let results = truth.iter().map(|difficulty| {
            let of = |agent: usize| {
                let ability = 2.0 * agent as f64 / (agents - 1) as f64 - 1.0;
                let p = expected(ability - difficulty);
                let beta = Beta::new(precision * p, precision * (1.0 - p)).unwrap();
                let y = beta.sample(&mut rng);
                (rng.random::<f64>() > 0.1).then_some(y)
            };
            (0..agents).map(of).collect()
        });
        let results: Vec<Vec<Option<f64>>> = results.collect();
        (truth, results)
    }

    /// The interval holds the true difficulty in most of the items of 40 samples, with much scatter
    /// and little, with few agents and many.
    #[test]
    fn intervals_hold_the_truth() {
        for (items, agents, precision) in [(30, 3, 8.0), (30, 6, 4.0), (60, 10, 20.0)] {
            let (mut held, mut all) = (0.0, 0.0);
            for seed in 0..40 {
                let (truth, results) = planted(seed, items, agents, precision);
                for (truth, found) in truth.iter().zip(difficulties(&results)) {
                    let Some(found) = found else { continue };
                    all += 1.0;
                    held += f64::from(u8::from(found.low <= *truth && *truth <= found.high));
                }
            }
            let share = held / all;
            assert!(
                (0.88..=0.99).contains(&share),
                "{items} {agents} {precision}: {share}"
            );
        }
    }

    #[test]
    fn harder_items_are_found_harder() {
        let (truth, results) = planted(7, 60, 8, 20.0);
        let found = difficulties(&results);
        let pairs: Vec<(f64, f64)> = truth
            .iter()
            .zip(&found)
            .filter_map(|(truth, found)| Some((*truth, found.as_ref()?.value)))
            .collect();
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let rho = crate::stats::correlation::spearman(&x, &y).unwrap().value;
        assert!(rho > 0.9, "{rho}");
    }

    /// An agent that is good on the easy half only makes nothing easier: a weak agent alone on an
    /// item does not make it hard.
    #[test]
    fn who_answered_does_not_decide() {
        let strong = |y: f64| vec![Some(y), Some(y - 0.05), None, None];
        let weak = |y: f64| vec![None, None, Some(y), Some(y - 0.05)];
        let all = |y: f64| vec![Some(y), Some(y - 0.05), Some(y - 0.4), Some(y - 0.45)];
        let results = [all(0.8), all(0.7), all(0.75), strong(0.75), weak(0.35)];
        let found: Vec<f64> = difficulties(&results)
            .iter()
            .map(|of| of.unwrap().value)
            .collect();
        assert!((found[3] - found[4]).abs() < 0.15, "{found:?}");
    }

    #[test]
    fn too_little_says_nothing() {
        let none = difficulties(&[vec![Some(0.5), None], vec![Some(0.4), Some(0.6)]]);
        assert_eq!(none, [None, None]);
        assert!(difficulties(&[]).is_empty());
        let odd = vec![Some(f64::NAN), Some(0.5), Some(7.0)];
        let some = difficulties(&[odd, vec![Some(0.5); 3], vec![Some(0.2); 3]]);
        assert!(some[0].is_none() && some[1].is_some() && some[2].is_some());
        // All right and all wrong have ends all the same.
        let ends = difficulties(&[vec![Some(1.0); 3], vec![Some(0.0); 3], vec![Some(0.5); 3]]);
        let ends: Vec<ItemDifficulty> = ends.into_iter().flatten().collect();
        assert!(
            ends.iter()
                .all(|of| of.low.is_finite() && of.high.is_finite())
        );
        assert!(ends[0].value < ends[2].value && ends[2].value < ends[1].value);
        assert_eq!(ends[0].agents, 3);
    }
}
