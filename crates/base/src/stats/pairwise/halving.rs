//! Adaptive choice of pairs: every item once; then batch after batch goes to the items with the
//! least certain membership of the best, among a third as many in each stage (sequential halving:
//! Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013,
//! here by thirds). Hides stages and pairing. The same items, verdicts and seed give
//! the same pairs.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use crate::stats::{
    normal,
    pairwise::bradley_terry::{self, Fit, Posterior, PosteriorSummary, Preference},
};

/// Each stage has a third of the items of the one before. In simulation thirds find more than
/// halves or quarters.
const SHRINK: usize = 3;
/// The last stage has this many times as many items as are wanted.
const LAST_STAGE: usize = 2;
/// Neighbours in which a partner is searched that an item was not compared with yet.
const NEIGHBOURS: usize = 12;
/// Sweeps between two batches, which keep up what all items share.
const SWEEPS: usize = 2;
/// Draws of the final summary, and the sweeps before them that are not counted.
const DRAWS: usize = 400;
const WARM_UP: usize = 100;
/// Checks of the expected recall, evenly spread over the calls, and the draws of each.
const CHECKS: usize = 20;
const DRAWS_OF_A_CHECK: usize = 50;

/// Tolerance of the strength at the cutoff of the best, in logits.
const CUTOFF_TOLERANCE: f64 = 1e-6;

/// Settings of a ranking.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of the best items to find.
    pub top: usize,
    /// Most questions.
    pub calls: usize,
    /// Number of judges; the judge of lists is another one than the judge of pairs.
    pub judges: usize,
    /// Expected recall at which the ranking ends early.
    pub target_recall: Option<f64>,
    /// Items that are shown at a time; in the last stage always two.
    pub group: usize,
    /// Seed of groups, sides and draws.
    pub seed: u64,
}

/// A stage: the number of items in it, of questions, and of items that each question shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    size: usize,
    calls: usize,
    group: usize,
}

/// A ranking under way.
pub struct Halving {
    items: usize,
    settings: Settings,
    stages: Vec<Stage>,
    batches: usize,
    asked: usize,
    checks: usize,
    /// Whether the target is reached.
    reached: bool,
    /// Pairs that are not asked (again), the lower number first.
    compared: HashSet<(u32, u32)>,
    /// Lists that are not asked again, sorted.
    listed: HashSet<Vec<u32>>,
    /// Items that were shown.
    seen: HashSet<u32>,
    verdicts: Vec<Preference>,
    fit: Option<Fit>,
    posterior: Posterior,
    rng: ChaCha8Rng,
}

/// The number of the best to find among `items`: `top`, or a third where there are no more than
/// that.
pub fn effective_top(items: usize, top: usize) -> usize {
    if top < items {
        top.max(1)
    } else {
        items.div_ceil(3).max(1)
    }
}

/// Number of items without any verdict.
pub fn count_unseen(items: usize, verdicts: &[Preference]) -> usize {
    items
        - verdicts
            .iter()
            .flat_map(Preference::items)
            .collect::<HashSet<u32>>()
            .len()
}

/// Strengths and memberships from verdicts, in any order.
pub fn summarize(items: usize, verdicts: &[Preference], settings: &Settings) -> PosteriorSummary {
    Posterior::new(items, settings.judges, verdicts, true, settings.seed).summarize(
        settings.top,
        WARM_UP,
        DRAWS,
    )
}

impl Halving {
    /// Begins with the verdicts that are `known` from before; nothing is asked yet. The pairs of
    /// these verdicts may be asked again: [`Self::exclude_pairs`] says which may not.
    pub fn new(items: usize, known: &[Preference], settings: Settings) -> Self {
        let seen: HashSet<u32> = known.iter().flat_map(Preference::items).collect();
        let mut stages = stages(items, items - seen.len(), &settings);
        // Stages are taken from the end.
        stages.reverse();
        Self {
            items,
            settings,
            stages,
            batches: 0,
            asked: 0,
            checks: 0,
            reached: false,
            compared: HashSet::new(),
            listed: HashSet::new(),
            seen,
            verdicts: known.to_vec(),
            fit: None,
            posterior: Posterior::new(items, settings.judges, known, true, settings.seed),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
        }
    }

    /// Excludes pairs as if they had been compared.
    pub fn exclude_pairs(&mut self, pairs: &[(u32, u32)]) {
        self.compared
            .extend(pairs.iter().map(|&(a, b)| unordered(a, b)));
    }

    /// Whether the ranking ended because the target recall is expected.
    pub fn target_reached(&self) -> bool {
        self.reached
    }

    /// The next batch: pairs or lists of items in the order in which they are shown; empty when the
    /// ranking is over.
    pub fn next_batch(&mut self) -> Vec<Vec<u32>> {
        if self.is_enough() {
            return Vec::new();
        }
        while let Some(stage) = self.stages.pop() {
            let mut groups = self.groups(stage, NEIGHBOURS);
            if groups.is_empty() && self.stages.is_empty() && stage.size >= self.items {
                // All neighbours have been compared: before the ranking ends, all unplayed pairs
                // become eligible.
                groups = self.groups(stage, self.items);
            }
            groups.truncate(stage.calls);
            let left = stage.calls - groups.len();
            if !groups.is_empty() {
                self.stages.push(Stage {
                    calls: left,
                    ..stage
                });
                self.asked += groups.len();
                self.note_batch(&groups);
                return groups;
            }
            // A stage without new pairs passes its calls on: to the next stage, or, from the last
            // one, to a stage of twice as many items.
            match self.stages.last_mut() {
                Some(next) => next.calls += left,
                None if stage.size < self.items => {
                    self.stages.push(Stage {
                        size: (2 * stage.size).min(self.items),
                        calls: left,
                        ..stage
                    });
                }
                None => {}
            }
        }
        Vec::new()
    }

    fn note_batch(&mut self, groups: &[Vec<u32>]) {
        for group in groups {
            self.seen.extend(group);
            if let &[a, b] = group.as_slice() {
                self.compared.insert(unordered(a, b));
            } else {
                self.listed.insert(sorted(group));
            }
        }
    }

    /// Takes in the verdicts of a batch. A pair without a verdict is not asked again.
    pub fn add_verdicts(&mut self, verdicts: Vec<Preference>) {
        self.verdicts.extend(verdicts);
        self.posterior.set_verdicts(&self.verdicts);
        (0..SWEEPS).for_each(|_| self.posterior.sweep());
    }

    /// Every verdict so far, with those that were known.
    pub fn verdicts(&self) -> &[Preference] {
        &self.verdicts
    }

    /// Whether the target recall is expected, as of the latest check.
    fn is_enough(&mut self) -> bool {
        let Some(target) = self.settings.target_recall else {
            return false;
        };
        let checks = self.asked * CHECKS / self.settings.calls.max(1);
        // An expectation means nothing before every item was shown.
        if checks <= self.checks
            || self
                .stages
                .last()
                .is_none_or(|stage| stage.size >= self.items)
        {
            return false;
        }
        self.checks = checks;
        self.reached = self
            .posterior
            .summarize(self.settings.top, 0, DRAWS_OF_A_CHECK)
            .expected_recall
            >= target;
        self.reached
    }

    /// Groups of the items with the least certain membership; items that were never shown first.
    fn groups(&mut self, stage: Stage, reach: usize) -> Vec<Vec<u32>> {
        let order = if self.seen.len() < self.items {
            self.unseen(stage.group)
        } else {
            self.active(stage.size)
        };
        if stage.group > 2 {
            self.lists(&order, stage.group)
        } else {
            self.neighbours(&order, reach)
        }
    }

    /// The items that were never shown, in a random order, filled up with others to whole groups.
    fn unseen(&mut self, group: usize) -> Vec<usize> {
        let is_seen = |item: &usize| self.seen.contains(&(*item as u32));
        let (mut others, mut order): (Vec<usize>, Vec<usize>) = (0..self.items).partition(is_seen);
        order.shuffle(&mut self.rng);
        let missing = order.len().next_multiple_of(group) - order.len();
        others.shuffle(&mut self.rng);
        order.extend(others.into_iter().take(missing));
        order
    }

    /// The `size` items with the least certain membership: in every other batch in the order of
    /// strength, else at random.
    fn active(&mut self, size: usize) -> Vec<usize> {
        let fit = bradley_terry::fit(
            self.items,
            &self.verdicts,
            self.posterior.model(),
            self.fit.as_ref(),
        );
        let mut active = least_certain(&fit, self.settings.top, size);
        self.batches += 1;
        // Neighbours in strength tell which of two equals is better, but their verdicts are nearly
        // coin tosses and say little about the scale: random pairs tell how far apart items are.
        if self.batches % 2 == 1 {
            active.shuffle(&mut self.rng);
        } else {
            active.sort_unstable_by(|&a, &b| {
                fit.strength[b].total_cmp(&fit.strength[a]).then(a.cmp(&b))
            });
        }
        self.fit = Some(fit);
        active
    }

    /// Neighbours as lists, each in a random order, without those that were listed together before.
    fn lists(&mut self, order: &[usize], group: usize) -> Vec<Vec<u32>> {
        let mut lists: Vec<Vec<u32>> = order
            .chunks(group)
            .filter(|chunk| chunk.len() > 1)
            .map(|items| items.iter().map(|item| *item as u32).collect())
            .collect();
        // A list that was asked before would be answered from the record and tell nothing new.
        lists.retain(|list| !self.listed.contains(&sorted(list)));
        for list in &mut lists {
            list.shuffle(&mut self.rng);
        }
        lists
    }

    /// Disjoint pairs of items that were never compared, at most `reach` places apart, on random
    /// sides. The batch is disjoint because all its questions are asked at once: a second question
    /// about an item would be chosen without the answer to the first.
    fn neighbours(&mut self, order: &[usize], reach: usize) -> Vec<Vec<u32>> {
        let mut paired = vec![false; order.len()];
        let mut pairs = Vec::new();
        for place in 0..order.len() {
            if paired[place] {
                continue;
            }
            let a = order[place] as u32;
            let within = place + 1..order.len().min(place + 1 + reach);
            let Some(partner) = within
                .filter(|other| !paired[*other])
                .find(|other| self.is_new_pair(a, order[*other] as u32))
            else {
                continue;
            };
            paired[place] = true;
            paired[partner] = true;
            let b = order[partner] as u32;
            // Random sides: a position bias then cancels out over an item's verdicts.
            pairs.push(if self.rng.random() {
                vec![a, b]
            } else {
                vec![b, a]
            });
        }
        pairs
    }

    fn is_new_pair(&self, a: u32, b: u32) -> bool {
        a != b && !self.compared.contains(&unordered(a, b))
    }
}

fn sorted(group: &[u32]) -> Vec<u32> {
    let mut sorted = group.to_vec();
    sorted.sort_unstable();
    sorted
}

fn unordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The `size` items with the least certain membership of the best `top`: those nearest to the
/// cutoff in units of their own uncertainty, because |z| orders as P (1 − P) does.
fn least_certain(fit: &Fit, top: usize, size: usize) -> Vec<usize> {
    let deviation: Vec<f64> = fit.variance.iter().map(|v| v.sqrt()).collect();
    let edge = cutoff(&fit.strength, &deviation, top);
    let z: Vec<f64> = fit
        .strength
        .iter()
        .zip(&deviation)
        .map(|(x, deviation)| ((x - edge) / deviation).abs())
        .collect();
    let mut items: Vec<usize> = (0..z.len()).collect();
    if (1..items.len()).contains(&size) {
        // Ties by number, so that the same fit always chooses the same items.
        items.select_nth_unstable_by(size - 1, |&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
        items.truncate(size);
        items.sort_unstable();
    }
    items
}

/// How many items are expected above a strength.
fn expected_above(edge: f64, strength: &[f64], deviation: &[f64]) -> f64 {
    strength
        .iter()
        .zip(deviation)
        .map(|(mean, deviation)| normal::below((mean - edge) / deviation))
        .sum()
}

/// The strength above which `top` items are expected.
fn cutoff(strength: &[f64], deviation: &[f64], top: usize) -> f64 {
    // At 30 logits a win is certain to thirteen digits: no strength lies outside.
    let (mut low, mut high) = (-30.0, 30.0);
    while high - low > CUTOFF_TOLERANCE {
        let middle = f64::midpoint(low, high);
        if expected_above(middle, strength, deviation) > top as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The stages: a third as many items each time, down to twice the top. The first stage shows every
/// item that was not shown yet; otherwise the stages share the calls. The last one asks for pairs.
fn stages(items: usize, unseen: usize, settings: &Settings) -> Vec<Stage> {
    let Settings {
        top, calls, group, ..
    } = *settings;
    let floor = (LAST_STAGE * top).min(items);
    let mut sizes = vec![items];
    while sizes.last().is_some_and(|size| size / SHRINK > floor) {
        sizes.push(sizes[sizes.len() - 1] / SHRINK);
    }
    sizes.push(floor);
    // A ranking that continues has shown its items already and spends on the later stages.
    let fair = if unseen == items {
        calls / sizes.len()
    } else {
        0
    };
    let first = unseen.div_ceil(group).max(fair).min(calls);
    let (rest, others) = (calls - first, sizes.len() - 1);
    let share = |at: usize| rest * at / others;
    let later = sizes[1..].iter().enumerate().map(|(at, &size)| Stage {
        size,
        // Differences of running shares add up to the rest exactly.
        calls: share(at + 1) - share(at),
        group: if at + 1 == others { 2 } else { group },
    });
    [Stage {
        size: items,
        calls: first,
        group,
    }]
    .into_iter()
    .chain(later)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::pairwise::bradley_terry::{Game, RankedList};

    fn settings(top: usize, calls: usize) -> Settings {
        Settings {
            top,
            calls,
            judges: 1,
            target_recall: None,
            group: 2,
            seed: 7,
        }
    }

    /// The item with the larger number wins.
    fn play(halving: &mut Halving) -> Vec<Vec<u32>> {
        let mut asked = Vec::new();
        loop {
            let groups = halving.next_batch();
            if groups.is_empty() {
                return asked;
            }
            let verdicts = groups.iter().map(|group| match group.as_slice() {
                &[first, second] => Preference::Pair(Game {
                    first,
                    second,
                    judge: 0,
                    score: f64::from(u8::from(first > second)),
                }),
                list => {
                    let place = |item: &u32| list.iter().filter(|other| *other > item).count();
                    Preference::List(RankedList {
                        shown: list.to_vec(),
                        places: list.iter().map(place).collect(),
                        judge: 1,
                    })
                }
            });
            halving.add_verdicts(verdicts.collect());
            asked.extend(groups);
        }
    }

    #[test]
    fn stages_shrink_and_spend_all() {
        let of = stages(10_000, 10_000, &settings(100, 20_000));
        assert_eq!(
            of.iter().map(|s| s.size).collect::<Vec<_>>(),
            [10_000, 3333, 1111, 370, 200]
        );
        assert_eq!(of.iter().map(|s| s.calls).sum::<usize>(), 20_000);
        assert_eq!(of[0].calls, 5000);
        assert_eq!(
            stages(18, 18, &settings(6, 40))
                .iter()
                .map(|s| s.calls)
                .sum::<usize>(),
            40
        );
        assert_eq!(stages(18, 1, &settings(6, 40))[0].calls, 1);
    }

    #[test]
    fn everybody_is_seen_nobody_twice_and_the_best_are_found() {
        let mut halving = Halving::new(101, &[], settings(10, 400));
        let asked = play(&mut halving);
        assert_eq!(asked.len(), 400);
        let pairs: HashSet<_> = asked.iter().map(|group| sorted(group)).collect();
        assert_eq!(pairs.len(), 400, "no pair twice");
        let seen: HashSet<_> = asked.iter().flatten().collect();
        assert_eq!(seen.len(), 101);
        let membership = summarize(101, halving.verdicts(), &settings(10, 400)).membership;
        assert!(
            membership[91..].iter().sum::<f64>() > 9.0,
            "{:?}",
            &membership[80..]
        );
    }

    #[test]
    fn lists_screen_and_duels_decide() {
        let lists = Settings {
            group: 8,
            judges: 2,
            ..settings(10, 120)
        };
        let mut halving = Halving::new(200, &[], lists);
        let asked = play(&mut halving);
        assert_eq!(asked.len(), 120);
        assert_eq!(asked.iter().flatten().collect::<HashSet<_>>().len(), 200);
        assert!(
            asked[..25].iter().all(|group| group.len() == 8)
                && asked[90..].iter().all(|group| group.len() == 2)
        );
        let distinct: HashSet<_> = asked.iter().map(|group| sorted(group)).collect();
        assert_eq!(distinct.len(), 120, "nothing twice");
        let membership = summarize(200, halving.verdicts(), &lists).membership;
        assert!(
            membership[190..].iter().sum::<f64>() > 8.0,
            "{:?}",
            &membership[180..]
        );
    }

    #[test]
    fn new_items_join_without_asking_again() {
        let mut first = Halving::new(60, &[], settings(10, 200));
        let before: HashSet<_> = play(&mut first).iter().map(|group| sorted(group)).collect();
        let mut second = Halving::new(65, first.verdicts(), settings(10, 40));
        let asked_before: Vec<_> = before.iter().map(|pair| (pair[0], pair[1])).collect();
        second.exclude_pairs(&asked_before);
        let asked = play(&mut second);
        assert!(asked.iter().all(|group| !before.contains(&sorted(group))));
        assert!(
            asked[..3].iter().all(|group| sorted(group)[1] >= 60),
            "the new ones first: {asked:?}"
        );
        let membership = summarize(65, second.verdicts(), &settings(10, 40)).membership;
        assert!(
            membership[60..].iter().sum::<f64>() > 4.0,
            "{:?}",
            &membership[50..]
        );
    }

    #[test]
    fn ends_when_the_target_is_expected() {
        let target = Settings {
            target_recall: Some(0.8),
            ..settings(10, 2000)
        };
        let mut halving = Halving::new(100, &[], target);
        let asked = play(&mut halving).len();
        assert!((50..1500).contains(&asked), "{asked}");
    }

    #[test]
    fn it_ends_only_when_all_have_met() {
        let asked = play(&mut Halving::new(40, &[], settings(10, 2000)));
        assert_eq!(asked.len(), 40 * 39 / 2);
        let mut avoiding = Halving::new(6, &[], settings(2, 100));
        avoiding.exclude_pairs(&[(0, 1), (5, 2)]);
        assert_eq!(play(&mut avoiding).len(), 13);
    }

    #[test]
    fn a_single_item_and_none_ask_nothing() {
        for items in 0..2 {
            assert!(play(&mut Halving::new(items, &[], settings(1, 10))).is_empty());
        }
    }
}
