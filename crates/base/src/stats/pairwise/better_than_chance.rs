//! Test of whether a judge is better than chance: its verdicts are predicted, one after the other,
//! from those before. Hides the prediction and the power of the test, which stays valid when pairs
//! are chosen by earlier verdicts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::PairVerdict;
use crate::stats::normal;

/// The judge that the test should not miss names the better item of 72 % of random pairs (strengths
/// normal with standard deviation 0.96, logistic noise); two of its verdicts on one item correlate
/// by 1 / 8 (simulated: 0.128).
const CORRELATION: f64 = 1.0 / 8.0;
/// An item's results are shrunk towards 0 as by so many games without result: 1 / correlation − 1.
const SHRINKAGE: f64 = 7.0;
/// Pseudo-verdicts in the estimate of a judge's position bias, half of them for each side.
const PRIOR_VERDICTS: f64 = 20.0;
/// Distance of the expected z from the critical value at which a test counts as powerful: the judge
/// named above is then missed in fewer than about 1 % of rankings.
const MARGIN: f64 = 2.6;

/// A prequential test (Dawid, "Statistical theory: the prequential
/// approach", JRSS A 147, 1984) of whether verdicts
/// depend on the items.
///
/// Each verdict's score minus the judge's mean for the first side, x, is predicted by M, the
/// difference of the items' strengths, both from earlier verdicts only. If verdicts do not depend
/// on the items, the sum of x M is a martingale: which of the two comes first was drawn at random,
/// so that the sign of M says nothing about x, even while the mean is rough. z is that sum divided
/// by the root of the sum of x² M². Only the first verdict on each pair counts, since a judge may
/// agree with itself about a pair and still decide at random.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BetterThanChance {
    /// Verdicts, one for each pair.
    pub n: u64,
    /// The statistic: about standard normal for a judge at chance, large for a good one; none if
    /// nothing was predicted.
    pub z: Option<f64>,
    /// One-sided p-value of `z`.
    pub p: Option<f64>,
    /// The z to be expected of a judge that names the better item of 72 % of random pairs.
    pub expected_z: f64,
    /// Whether the test has the power to detect such a judge with these pairs.
    pub has_power: bool,
    /// Whether `p` is below α.
    pub significant: bool,
}

impl BetterThanChance {
    /// Whether the test had power and still found no difference from chance.
    pub fn no_better(&self) -> bool {
        self.has_power && !self.significant
    }
}

#[derive(Clone, Copy, Default)]
struct Item {
    games: f64,
    strength: f64,
}

/// One verdict: the centred score and its prediction.
struct Step {
    x: f64,
    predicted: f64,
    /// Variance of the prediction by noise alone, and the part that a judge better than chance adds
    /// if pairs are random; both in units of the variance of x.
    noise: f64,
    signal: f64,
}

/// Tests the verdicts of one judge, in the order in which they were asked.
pub fn better_than_chance(seen: &[PairVerdict], alpha: f64) -> Option<BetterThanChance> {
    let steps = steps(seen);
    let sum = |of: fn(&Step) -> f64| steps.iter().map(of).sum::<f64>();
    let variance = sum(|step| (step.x * step.predicted).powi(2));
    let z = (variance > 0.0).then(|| sum(|step| step.x * step.predicted) / variance.sqrt());
    let p = z.map(normal::upper_tail);
    let expected_z = expected_z(&steps);
    (!steps.is_empty()).then(|| BetterThanChance {
        n: steps.len() as u64,
        z,
        p,
        expected_z,
        has_power: normal::upper_tail(expected_z - MARGIN) < alpha,
        significant: p.is_some_and(|p| p < alpha),
    })
}

/// The test on all verdicts, if the judge fails it there and failed it on the first half of them,
/// both times with power.
///
/// A run tests after each batch, and a judge of 72 % would fail one test or another sooner or
/// later. Between two tests so far apart the z that it should reach grows by half, so that its sum
/// would have to stay down all the way. Nothing is remembered between tests: stored verdicts
/// decide.
pub fn no_better_twice(seen: &[PairVerdict], alpha: f64) -> Option<BetterThanChance> {
    let failed = failed_test(seen, alpha)?;
    failed_test(&seen[..seen.len() / 2], alpha)?;
    Some(failed)
}

fn failed_test(seen: &[PairVerdict], alpha: f64) -> Option<BetterThanChance> {
    better_than_chance(seen, alpha).filter(BetterThanChance::no_better)
}

fn steps(seen: &[PairVerdict]) -> Vec<Step> {
    let mut items: BTreeMap<u32, Item> = BTreeMap::new();
    let mut asked = BTreeSet::new();
    let (mut total, mut count) = (PRIOR_VERDICTS / 2.0, PRIOR_VERDICTS);
    let mut steps = Vec::new();
    for verdict in seen
        .iter()
        // A repetition would be predicted by the first answer, whatever the items are worth.
        .filter(|verdict| verdict.sample == 0 && asked.insert(verdict.pair()))
    {
        // Predicted before the verdict is taken in: only so is the test valid for pairs chosen by
        // earlier verdicts.
        let [a, b] = [verdict.first, verdict.second]
            .map(|item| items.get(&item).copied().unwrap_or_default());
        let step = step(verdict.score - total / count, a, b);
        let surprise = step.x - step.predicted;
        items.insert(verdict.first, after(a, surprise));
        items.insert(verdict.second, after(b, -surprise));
        total += verdict.score;
        count += 1.0;
        steps.push(step);
    }
    steps
}

fn step(x: f64, a: Item, b: Item) -> Step {
    let noise = |item: Item| item.games / (item.games + SHRINKAGE).powi(2);
    let signal = |item: Item| noise(item) * (item.games - 1.0).max(0.0) * CORRELATION;
    Step {
        x,
        predicted: a.strength - b.strength,
        noise: noise(a) + noise(b),
        signal: signal(a) + signal(b),
    }
}

/// An item after one more verdict: an Elo step with a factor that falls with the number of games,
/// so that a strong opponent counts for more.
fn after(item: Item, surprise: f64) -> Item {
    let strength = item.strength + surprise / (item.games + SHRINKAGE + 1.0);
    Item {
        games: item.games + 1.0,
        strength,
    }
}

/// The z of the judge that should not be missed. Its x is M plus noise, so that z² is the sum of M²
/// over the variance of x: a part by noise, and one by signal that grows with the games. Pairs
/// chosen to be even have a smaller M than random ones. The noise is then smaller by the ratio that
/// is seen, and the signal by its square, because the better a judge, the more even the pairs
/// chosen from its verdicts. In simulations this came within 0.4 of the z reached: with random
/// pairs, Swiss pairs from the first round or the fifth, and random pairs among the better items.
fn expected_z(steps: &[Step]) -> f64 {
    let sum = |of: fn(&Step) -> f64| steps.iter().map(of).sum::<f64>();
    let variance = sum(|step| step.x * step.x) / steps.len() as f64;
    let (noise, signal) = (sum(|step| step.noise), sum(|step| step.signal));
    let random = noise * variance;
    // Verdicts that are all the same have no variance: nothing says how even the pairs are.
    let ratio = if random > 0.0 {
        (sum(|step| step.predicted * step.predicted) / random).min(1.0)
    } else {
        1.0
    };
    (ratio * (noise + ratio * signal)).sqrt()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

    use super::{super::verdict, *};

    const ALPHA: f64 = 0.001;

    /// Verdicts of a judge who names the first of two strengths with probability `p`. `swiss`:
    /// those meet who have won about as often; else pairs are random.
    fn verdicts(
        items: usize,
        rounds: usize,
        swiss: bool,
        p: impl Fn(f64, f64) -> f64,
        seed: u64,
    ) -> Vec<PairVerdict> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // The sum of twelve uniform numbers is as good as normal.
        let strengths: Vec<f64> = (0..items)
            .map(|_| (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0)
            .collect();
        let (mut order, mut wins) = ((0..items).collect::<Vec<_>>(), vec![0; items]);
        let (mut verdicts, mut asked) = (Vec::new(), BTreeSet::new());
        for _ in 0..rounds {
            order.shuffle(&mut rng);
            if swiss {
                order.sort_by_key(|&item| wins[item]);
            }
            for two in order.chunks_exact(2) {
                let (a, b) = if rng.random::<bool>() {
                    (two[0], two[1])
                } else {
                    (two[1], two[0])
                };
                if !asked.insert((a.min(b), a.max(b))) {
                    continue;
                }
                let won = rng.random_bool(p(strengths[a], strengths[b]));
                wins[a] += if won { 1 } else { -1 };
                wins[b] -= if won { 1 } else { -1 };
                verdicts.push(verdict(a as u32, b as u32, f64::from(u8::from(won))));
            }
        }
        verdicts
    }

    fn sense(a: f64, b: f64) -> f64 {
        1.0 / (1.0 + (b - a).exp())
    }

    /// The judge of 72 %.
    fn least_sense(a: f64, b: f64) -> f64 {
        sense(0.96 * a, 0.96 * b)
    }

    #[test]
    fn the_first_predictions_by_hand() {
        // x is 1 − 10/20, then 0 − 11/21, then 1 − 11/22. After the first verdict the items are at
        // ±.5/8; in the second, item 0 meets the new item 2, which rises by an eighth of the
        // surprise.
        let verdicts = [
            verdict(0, 1, 1.0),
            verdict(0, 2, 0.0),
            verdict(1, 2, 1.0),
            verdict(2, 1, 0.0),
        ];
        let second = (-11.0 / 21.0) * 0.0625;
        let third = 0.5 * (-0.0625 - (11.0 / 21.0 + 0.0625) / 8.0);
        let card = better_than_chance(&verdicts, ALPHA).unwrap();
        assert!((card.z.unwrap() - (second + third) / f64::hypot(second, third)).abs() < 1e-12);
        assert_eq!(
            (card.n, card.has_power, card.significant),
            (3, false, false)
        );
    }

    #[test]
    fn judges_without_sense_are_not_told_from_chance() {
        for (swiss, p) in [(false, 0.5), (true, 0.5), (false, 0.7), (false, 1.0)] {
            let cards: Vec<BetterThanChance> = (0..300)
                .filter_map(|seed| {
                    better_than_chance(&verdicts(60, 20, swiss, |_, _| p, seed), ALPHA)
                })
                .collect();
            assert!(
                cards.iter().filter(|card| card.significant).count() <= 3,
                "{p} {swiss}"
            );
            assert!(
                swiss || cards.iter().filter(|card| card.no_better()).count() >= 297,
                "{p}"
            );
        }
    }

    #[test]
    fn a_judge_with_sense_is_told_from_chance() {
        assert!((0..100).all(|seed| {
            better_than_chance(&verdicts(60, 20, false, sense, seed), ALPHA)
                .unwrap()
                .significant
        }));
    }

    /// Around the number of verdicts that is just enough, where a miss is likeliest.
    #[test]
    fn a_judge_of_72_percent_is_hardly_ever_called_no_better() {
        for (items, rounds, swiss, seeds) in [
            (40, 18, false, 400),
            (60, 13, false, 400),
            (200, 31, true, 200),
        ] {
            let wrong = |seed| {
                better_than_chance(&verdicts(items, rounds, swiss, least_sense, seed), ALPHA)
                    .unwrap()
                    .no_better()
            };
            assert!(
                (0..seeds).filter(|seed| wrong(*seed)).count() <= seeds as usize / 100,
                "{items} {rounds} {swiss}"
            );
        }
    }

    #[test]
    fn the_expected_z_is_that_of_a_judge_of_72_percent() {
        for (rounds, swiss, off) in [(10, false, 0.4), (31, true, 0.4)] {
            let mean = |p: fn(f64, f64) -> f64, of: fn(&BetterThanChance) -> f64| {
                let cards = (0..150).filter_map(|seed| {
                    better_than_chance(&verdicts(120, rounds, swiss, p, seed), ALPHA)
                });
                cards.map(|card| of(&card)).sum::<f64>() / 150.0
            };
            let expected = mean(|_, _| 0.5, |card| card.expected_z);
            let reached = mean(least_sense, |card| card.z.unwrap_or_default());
            assert!(
                (expected - reached).abs() < off,
                "{expected} and not {reached}"
            );
        }
    }

    /// Looked at after every few verdicts, as a run does.
    #[test]
    fn looking_often_ends_a_guessing_judge_and_hardly_ever_one_of_72_percent() {
        let ended = |p: fn(f64, f64) -> f64, seed| {
            let all = verdicts(80, 40, false, p, seed);
            (300..all.len())
                .step_by(80)
                .any(|n| no_better_twice(&all[..n], ALPHA).is_some())
        };
        assert!((0..100).filter(|seed| ended(least_sense, *seed)).count() <= 1);
        assert!((0..50).all(|seed| ended(|_, _| 0.5, seed)));
    }

    #[test]
    fn less_than_200_verdicts_are_never_enough() {
        let card = better_than_chance(&verdicts(20, 400, false, |_, _| 0.5, 0), ALPHA).unwrap();
        assert!(card.n == 190 && !card.has_power, "{card:?}");
    }

    #[test]
    fn a_judge_who_is_of_one_mind_about_a_pair_has_no_sense_yet() {
        let same: Vec<PairVerdict> = (0..500)
            .map(|i| {
                if i % 2 == 0 {
                    verdict(0, 1, 1.0)
                } else {
                    verdict(1, 0, 0.0)
                }
            })
            .collect();
        let card = better_than_chance(&same, ALPHA).unwrap();
        assert_eq!((card.n, card.z, card.has_power), (1, None, false));
    }

    #[test]
    fn a_judge_who_never_decides_is_no_better_than_chance() {
        let ties: Vec<PairVerdict> = verdicts(60, 20, false, sense, 0)
            .iter()
            .map(|verdict| PairVerdict {
                score: 0.5,
                ..*verdict
            })
            .collect();
        let card = better_than_chance(&ties, ALPHA).unwrap();
        assert_eq!((card.z, card.no_better()), (None, true));
        assert_eq!(better_than_chance(&[], ALPHA), None);
    }
}
