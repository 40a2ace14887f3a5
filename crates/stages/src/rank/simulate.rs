//! Simulation of rankings: made-up tasks of known quality, a made-up judge, and the real methods.
//! Hides the scenarios. A judge is deterministic: asked the same pair in the same order, it says
//! the same again.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

use super::Method;
use crate::stats::{
    correlation::kendall,
    largest, normal,
    pairwise::{
        bradley_terry::{Game, PosteriorSummary, Preference, RankedList},
        elo,
        halving::{self, Halving, Settings},
    },
};

/// The distribution of qualities and verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    /// Qualities N(0, 1), Bradley–Terry verdicts: 72.5 % of random pairs are judged rightly.
    Bt1,
    /// Qualities N(0, 4), Bradley–Terry verdicts: 82.7 %.
    Bt2,
    /// Qualities N(0, 1.2²), verdicts with normal noise of 1.6 and a preference of 0.3 for the
    /// first side (Thurstone).
    Thur,
    /// Many good ones: Beta(6, 2) scaled to a deviation of 1.5; preference 0.4 for the first side;
    /// 8 % coin tosses.
    Skew,
    /// As bt1, and every task has a taste on a circle: 1.0 · sin of the angle between two is added;
    /// 5 % coin tosses.
    Cyc,
    /// As bt1 with 15 % coin tosses.
    Lapse,
    /// As bt1, but a fifth of the tasks are near-copies of others: the same quality within 0.05.
    Dup,
}

/// A simulated ranking.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Trial {
    /// The scenario.
    pub scenario: Scenario,
    /// The method.
    pub method: Method,
    /// Tasks.
    pub items: usize,
    /// How many of the best are wanted.
    pub top: usize,
    /// Judgements at most.
    pub calls: usize,
    /// Ends earlier when so large a share of the best is expected to be found (halving).
    pub target_recall: Option<f64>,
    /// How many are shown at a time (listwise).
    pub list_size: usize,
    /// Seed of scenario, judge and method.
    pub seed: u64,
}

/// Its outcome.
#[derive(Clone, Debug, Serialize)]
pub struct TrialResult {
    /// Judgements.
    pub calls: usize,
    /// Share of the truly best that were found.
    pub recall: f64,
    /// The share that the method itself expects.
    pub expected_recall: Option<f64>,
    /// Mean quality of those found: 0 is that of all tasks, 1 that of the truly best.
    pub quality: f64,
    /// Share of the tasks that were judged at least once.
    pub coverage: f64,
    /// Kendall's tau-b of estimated and true qualities, over all tasks.
    pub tau: Option<f64>,
    /// Share of the 95 % intervals that hold the truth, over all tasks.
    pub intervals: Option<f64>,
    /// The same over those found, which are chosen for looking good.
    pub intervals_of_found: Option<f64>,
}

/// Qualities and a judge.
pub struct SimulatedJudge {
    scenario: Scenario,
    seed: u64,
    /// True qualities.
    pub quality: Vec<f64>,
    taste: Vec<f64>,
}

impl SimulatedJudge {
    /// A scenario of `items` tasks.
    pub fn new(scenario: Scenario, items: usize, seed: u64) -> Self {
        // A stream of its own ("world" in ASCII): qualities must not depend on the method's draws.
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x0077_6f72_6c64);
        let scale = match scenario {
            Scenario::Bt2 => 2.0,
            Scenario::Thur => 1.2,
            _ => 1.0,
        };
        let mut quality: Vec<f64> = (0..items)
            .map(|_| {
                if scenario == Scenario::Skew {
                    skewed(&mut rng)
                } else {
                    scale * normal::draw(&mut rng)
                }
            })
            .collect();
        if scenario == Scenario::Dup {
            let copies = items / 5;
            for at in items - copies..items {
                quality[at] = quality[at - copies] + 0.05 * normal::draw(&mut rng);
            }
        }
        let taste = (0..items)
            .map(|_| rng.random::<f64>() * std::f64::consts::TAU)
            .collect();
        Self {
            scenario,
            seed,
            quality,
            taste,
        }
    }

    /// 1 if the first one wins, else 0.
    pub fn verdict(&self, first: u32, second: u32) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x6a75_6467_6500);
        // A verdict depends on the pair alone, as a deterministic judge's does, whenever it is
        // asked.
        rng.set_stream(u64::from(first) << 32 | u64::from(second));
        let (a, b) = (first as usize, second as usize);
        let difference = self.quality[a] - self.quality[b];
        let mut logistic =
            |difference: f64| rng.random::<f64>() < 1.0 / (1.0 + (-difference).exp());
        let wins = match self.scenario {
            Scenario::Bt1 | Scenario::Bt2 | Scenario::Dup => logistic(difference),
            Scenario::Thur => difference + 0.3 + 1.6 * normal::draw(&mut rng) > 0.0,
            Scenario::Skew => coin_or(0.08, logistic(difference + 0.4), &mut rng),
            Scenario::Lapse => coin_or(0.15, logistic(difference), &mut rng),
            Scenario::Cyc => {
                let taste = (self.taste[a] - self.taste[b]).sin();
                coin_or(0.05, logistic(difference + taste), &mut rng)
            }
        };
        f64::from(u8::from(wins))
    }

    /// The place of each of a list that is shown together, 0 the best. Reading many at once is
    /// noisier than two: the same scenarios with noise 1.3 times as large, each item with its own
    /// (Plackett and Luce's model, where verdicts are Bradley and Terry's).
    pub fn places(&self, shown: &[u32]) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x006c_6973_7400);
        let key = |hash: u64, item: &u32| (hash ^ u64::from(*item)).wrapping_mul(0x0100_0000_01b3);
        rng.set_stream(shown.iter().fold(0xcbf2_9ce4_8422_2325, key));
        let all_coins = match self.scenario {
            Scenario::Skew => rng.random::<f64>() < 0.08,
            Scenario::Cyc => rng.random::<f64>() < 0.05,
            Scenario::Lapse => rng.random::<f64>() < 0.15,
            _ => false,
        };
        let mut seems: Vec<f64> = Vec::with_capacity(shown.len());
        for slot in 0..shown.len() {
            let own = self.apparent_quality(shown, slot, &mut rng);
            seems.push(if all_coins { rng.random() } else { own });
        }
        let mut order: Vec<usize> = (0..shown.len()).collect();
        order.sort_unstable_by(|&a, &b| seems[b].total_cmp(&seems[a]).then(a.cmp(&b)));
        let mut places = vec![0; shown.len()];
        order
            .into_iter()
            .enumerate()
            .for_each(|(place, at)| places[at] = place);
        places
    }

    /// How good one of a list seems: its quality, what the judge likes, and noise.
    fn apparent_quality(&self, shown: &[u32], slot: usize, rng: &mut ChaCha8Rng) -> f64 {
        let at = shown[slot] as usize;
        let middle = (shown.len() as f64 - 1.0) / 2.0;
        let early = (middle - slot as f64) / middle.max(0.5) / 2.0;
        match self.scenario {
            Scenario::Thur => {
                self.quality[at] + 0.3 * early + 1.6 / 2f64.sqrt() * LIST_NOISE * normal::draw(rng)
            }
            Scenario::Bt1 | Scenario::Bt2 | Scenario::Dup | Scenario::Lapse => {
                self.quality[at] + gumbel(rng)
            }
            Scenario::Skew => self.quality[at] + 0.4 * early + gumbel(rng),
            Scenario::Cyc => {
                let taste = |other: &u32| (self.taste[at] - self.taste[*other as usize]).sin();
                self.quality[at]
                    + shown.iter().map(taste).sum::<f64>() / shown.len() as f64
                    + gumbel(rng)
            }
        }
    }
}

/// Noise of a list in units of a duel's.
const LIST_NOISE: f64 = 1.3;

/// Noise (Gumbel) with a logistic difference between two draws.
fn gumbel(rng: &mut ChaCha8Rng) -> f64 {
    -LIST_NOISE * (-(1.0 - rng.random::<f64>()).ln()).ln()
}

fn coin_or(share: f64, verdict: bool, rng: &mut ChaCha8Rng) -> bool {
    if rng.random::<f64>() < share {
        rng.random()
    } else {
        verdict
    }
}

/// Beta(6, 2), which is the second largest of seven uniform draws, with mean 0 and a deviation of
/// 1.5.
fn skewed(rng: &mut ChaCha8Rng) -> f64 {
    let mut draws: [f64; 7] = std::array::from_fn(|_| rng.random());
    draws.sort_unstable_by(f64::total_cmp);
    let deviation = (6.0 * 2.0 / (8.0f64 * 8.0 * 9.0)).sqrt();
    (draws[5] - 0.75) / deviation * 1.5
}

/// Runs one trial.
pub fn run(trial: &Trial) -> TrialResult {
    let judge = SimulatedJudge::new(trial.scenario, trial.items, trial.seed);
    match trial.method {
        Method::Elo => run_elo(trial, &judge),
        Method::Halving => run_halving(trial, &judge, 2),
        Method::Listwise => run_halving(trial, &judge, trial.list_size),
    }
}

fn run_elo(trial: &Trial, judge: &SimulatedJudge) -> TrialResult {
    let mut rng = ChaCha8Rng::seed_from_u64(trial.seed);
    let mut rating = vec![elo::START; trial.items];
    let mut met = vec![false; trial.items];
    let mut order: Vec<u32> = (0..trial.items as u32).collect();
    let mut calls = 0;
    while calls < trial.calls && trial.items > 1 {
        order.shuffle(&mut rng);
        for two in order.chunks_exact(2).take(trial.calls - calls) {
            let (a, b) = (two[0] as usize, two[1] as usize);
            let gain = elo::gain(rating[a], rating[b], judge.verdict(two[0], two[1]), 32.0);
            rating[a] += gain;
            rating[b] -= gain;
            (met[a], met[b]) = (true, true);
            calls += 1;
        }
    }
    let covered = met.iter().filter(|met| **met).count();
    TrialResult {
        tau: kendall(&rating, &judge.quality),
        ..result(judge, &largest(&rating, trial.top), calls, covered)
    }
}

fn run_halving(trial: &Trial, judge: &SimulatedJudge, group: usize) -> TrialResult {
    let Trial {
        items,
        top,
        calls,
        seed,
        target_recall,
        ..
    } = *trial;
    let settings = Settings {
        top,
        calls,
        // The judge of lists is a judge of its own in the fit.
        judges: if group > 2 { 2 } else { 1 },
        target_recall,
        group,
        seed,
    };
    let mut halving = Halving::new(items, &[], settings);
    let mut asked = 0;
    loop {
        let groups = halving.next_batch();
        if groups.is_empty() {
            break;
        }
        asked += groups.len();
        let verdicts = groups.into_iter().map(|shown| match *shown.as_slice() {
            [first, second] => Preference::Pair(Game {
                first,
                second,
                judge: 0,
                score: judge.verdict(first, second),
            }),
            _ => Preference::List(RankedList {
                places: judge.places(&shown),
                shown,
                judge: 1,
            }),
        });
        halving.add_verdicts(verdicts.collect());
    }
    let draws = halving::summarize(items, halving.verdicts(), &settings);
    let covered: HashSet<u32> = halving
        .verdicts()
        .iter()
        .flat_map(Preference::items)
        .collect();
    let found = largest(&draws.membership, top);
    TrialResult {
        expected_recall: Some(draws.expected_recall),
        intervals: Some(held(judge, &draws, &(0..items).collect::<Vec<_>>())),
        intervals_of_found: Some(held(judge, &draws, &found)),
        tau: kendall(&draws.strength, &judge.quality),
        ..result(judge, &found, asked, covered.len())
    }
}

/// Share of the 95 % intervals that hold the true quality, both with the mean of all at 0.
fn held(judge: &SimulatedJudge, draws: &PosteriorSummary, of: &[usize]) -> f64 {
    let middle = judge.quality.iter().sum::<f64>() / judge.quality.len().max(1) as f64;
    let holds = |item: &&usize| {
        let (low, high) = draws.interval[**item];
        (low..=high).contains(&(judge.quality[**item] - middle))
    };
    of.iter().filter(holds).count() as f64 / of.len().max(1) as f64
}

fn result(judge: &SimulatedJudge, found: &[usize], calls: usize, covered: usize) -> TrialResult {
    let items = judge.quality.len();
    let truth = largest(&judge.quality, found.len());
    let best: HashSet<usize> = truth.iter().copied().collect();
    let mean =
        |of: &[usize]| of.iter().map(|at| judge.quality[*at]).sum::<f64>() / of.len().max(1) as f64;
    let all = judge.quality.iter().sum::<f64>() / items.max(1) as f64;
    TrialResult {
        calls,
        recall: found.iter().filter(|item| best.contains(item)).count() as f64
            / found.len().max(1) as f64,
        expected_recall: None,
        quality: (mean(found) - all) / (mean(&truth) - all),
        coverage: covered as f64 / items.max(1) as f64,
        tau: None,
        intervals: None,
        intervals_of_found: None,
    }
}
