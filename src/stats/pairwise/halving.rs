//! Which pairs are worth asking? First every task once; then batch after batch goes to those whose
//! place at the edge of the best is least certain, among a third as many in each stage (sequential
//! halving, Karnin et al. 2013, by thirds). Hides stages and pairing. The same items, verdicts and
//! seed give the same pairs.

use std::collections::HashSet;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};

use crate::stats::{
    normal,
    pairwise::bradley_terry::{self, Fit, Posterior, PosteriorSummary, Preference},
};

/// Each stage has a third of the items of the one before. In simulation thirds find more than
/// halves or quarters.
const SHRINK: usize = 3;
/// The last stage has this many times as many items as are to be found.
const LAST_STAGE: usize = 2;
/// Neighbours that are looked at for one that was not compared yet.
const NEIGHBOURS: usize = 12;
/// Draws between two batches, which keep up what all items share.
const SWEEPS: usize = 2;
/// Draws of the end, and those before them that are not looked at.
const DRAWS: usize = 400;
const WARM_UP: usize = 100;
/// The expected recall is looked at after each such share of the calls, with so many draws.
const CHECKS: usize = 20;
const DRAWS_OF_A_CHECK: usize = 50;

/// Exactness of the strength at the edge of the best, in logits.
const CUTOFF_TOLERANCE: f64 = 1e-6;

/// How to rank.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many are to be found.
    pub top: usize,
    /// Questions that may be asked.
    pub calls: usize,
    /// How many judges there are; who orders lists is another one than who decides duels.
    pub judges: usize,
    /// Ends earlier when so large a share of the best is expected to be found.
    pub target_recall: Option<f64>,
    /// How many are shown at a time until the last stage, in which it is two.
    pub group: usize,
    /// Seed of groups, sides and draws.
    pub seed: u64,
}

/// A stage: among how many, how many questions, and how many items each of them shows.
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
    compared: HashSet<(u32, u32)>,
    listed: HashSet<Vec<u32>>,
    seen: HashSet<u32>,
    verdicts: Vec<Preference>,
    fit: Option<Fit>,
    posterior: Posterior,
    rng: ChaCha8Rng,
}

/// How many are to be found among `items`: `top`, or a third where there are no more than that.
pub fn effective_top(items: usize, top: usize) -> usize {
    if top < items {
        top.max(1)
    } else {
        items.div_ceil(3).max(1)
    }
}

/// How many of the items no verdict is about.
pub fn count_unseen(items: usize, verdicts: &[Preference]) -> usize {
    items
        - verdicts
            .iter()
            .flat_map(Preference::items)
            .collect::<HashSet<u32>>()
            .len()
}

/// Strengths and memberships from verdicts, whatever asked for them. Neither order nor threads
/// matter.
pub fn summarize(items: usize, verdicts: &[Preference], settings: &Settings) -> PosteriorSummary {
    Posterior::new(items, settings.judges, verdicts, true, settings.seed).summarize(
        settings.top,
        WARM_UP,
        DRAWS,
    )
}

impl Halving {
    /// Begins with the verdicts that are `known` from before; nothing is asked yet.
    pub fn new(items: usize, known: &[Preference], settings: Settings) -> Self {
        // Two that stood in a list may meet.
        let pair = |verdict: &Preference| match verdict {
            Preference::Pair(game) => Some(unordered(game.first, game.second)),
            Preference::List(_) => None,
        };
        let compared: HashSet<(u32, u32)> = known.iter().filter_map(pair).collect();
        let seen: HashSet<u32> = known.iter().flat_map(Preference::items).collect();
        let mut stages = stages(items, items - seen.len(), &settings);
        stages.reverse();
        Self {
            items,
            settings,
            stages,
            batches: 0,
            asked: 0,
            checks: 0,
            reached: false,
            compared,
            listed: HashSet::new(),
            seen,
            verdicts: known.to_vec(),
            fit: None,
            posterior: Posterior::new(items, settings.judges, known, true, settings.seed),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
        }
    }

    /// Pairs that are as good as compared.
    pub fn exclude_pairs(&mut self, pairs: &[(u32, u32)]) {
        self.compared
            .extend(pairs.iter().map(|&(a, b)| unordered(a, b)));
    }

    /// Whether it ended because enough of the best are expected to be found.
    pub fn target_reached(&self) -> bool {
        self.reached
    }

    /// What to show next, two items or a list of more at a time, in the order in which they are
    /// shown; none when it is over.
    pub fn next_batch(&mut self) -> Vec<Vec<u32>> {
        if self.is_enough() {
            return Vec::new();
        }
        while let Some(stage) = self.stages.pop() {
            let mut groups = self.groups(stage, NEIGHBOURS);
            if groups.is_empty() && self.stages.is_empty() && stage.size >= self.items {
                // Neighbours have all compared; before all ends, whoever is left may meet.
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
            // Where so few have all compared, the calls are for more of them.
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

    /// Takes in what came of it. What has no verdict is left out and not asked again.
    pub fn add_verdicts(&mut self, verdicts: Vec<Preference>) {
        self.verdicts.extend(verdicts);
        self.posterior.set_verdicts(&self.verdicts);
        (0..SWEEPS).for_each(|_| self.posterior.sweep());
    }

    /// Every verdict so far, with those that were known.
    pub fn verdicts(&self) -> &[Preference] {
        &self.verdicts
    }

    /// Whether the target is reached, as far as is looked.
    fn is_enough(&mut self) -> bool {
        let Some(target) = self.settings.target_recall else {
            return false;
        };
        let checks = self.asked * CHECKS / self.settings.calls.max(1);
        // Not before everybody was seen.
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

    /// Groups of those whose membership of the best is least certain; those who were never seen
    /// first.
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

    /// Those who were never seen, in a random order; where they fill no whole number of groups,
    /// others who were.
    fn unseen(&mut self, group: usize) -> Vec<usize> {
        let is_seen = |item: &usize| self.seen.contains(&(*item as u32));
        let (mut others, mut order): (Vec<usize>, Vec<usize>) = (0..self.items).partition(is_seen);
        order.shuffle(&mut self.rng);
        let missing = order.len().next_multiple_of(group) - order.len();
        others.shuffle(&mut self.rng);
        order.extend(others.into_iter().take(missing));
        order
    }

    /// The `size` items whose membership of the best is least certain. By strength, equals meet,
    /// which orders them; at random, which every other batch is, they find out how far apart they
    /// are.
    fn active(&mut self, size: usize) -> Vec<usize> {
        let fit = bradley_terry::fit(
            self.items,
            &self.verdicts,
            self.posterior.model(),
            self.fit.as_ref(),
        );
        let mut active = least_certain(&fit, self.settings.top, size);
        self.batches += 1;
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

    /// Neighbours as lists, each in a random order, but for those that were listed together before.
    fn lists(&mut self, order: &[usize], group: usize) -> Vec<Vec<u32>> {
        let list = |items: &[usize]| items.iter().map(|item| *item as u32).collect::<Vec<u32>>();
        let mut lists: Vec<Vec<u32>> = order
            .chunks(group)
            .filter(|chunk| chunk.len() > 1)
            .map(list)
            .collect();
        lists.retain(|list| !self.listed.contains(&sorted(list)));
        for list in &mut lists {
            list.shuffle(&mut self.rng);
        }
        lists
    }

    /// Disjoint pairs of neighbours who never compared, at most so far apart, on random sides.
    fn neighbours(&mut self, order: &[usize], reach: usize) -> Vec<Vec<u32>> {
        let mut paired = vec![false; order.len()];
        let mut pairs = Vec::new();
        for place in 0..order.len() {
            let a = order[place] as u32;
            let is_free = |other: &usize| {
                let b = order[*other] as u32;
                a != b && !paired[*other] && !self.compared.contains(&unordered(a, b))
            };
            let partner = (place + 1..order.len().min(place + 1 + reach))
                .find(is_free)
                .filter(|_| !paired[place]);
            let Some(partner) = partner else { continue };
            paired[place] = true;
            paired[partner] = true;
            let b = order[partner] as u32;
            pairs.push(if self.rng.random() {
                vec![a, b]
            } else {
                vec![b, a]
            });
        }
        pairs
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

/// The `size` items of which it is least certain whether they are among the best `top`: far from
/// the edge in units of their own uncertainty, |z| orders as P (1 − P) does.
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
        items.select_nth_unstable_by(size - 1, |&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
        items.truncate(size);
        items.sort_unstable();
    }
    items
}

/// The strength above which `top` items are expected.
fn cutoff(strength: &[f64], deviation: &[f64], top: usize) -> f64 {
    let expected = |edge: f64| -> f64 {
        strength
            .iter()
            .zip(deviation)
            .map(|(mean, deviation)| normal::below((mean - edge) / deviation))
            .sum()
    };
    let (mut low, mut high) = (-30.0, 30.0);
    while high - low > CUTOFF_TOLERANCE {
        let middle = f64::midpoint(low, high);
        if expected(middle) > top as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// A third as many each time, down to twice the top. The first stage sees everybody who was not
/// seen yet, and the stages share the calls otherwise. The last one is by duels.
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
