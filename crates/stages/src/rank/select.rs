//! Selection of the benchmark from the ranked tasks: near-duplicates are dropped, then the most
//! probable members of the k best are taken, within quotas. Hides how minima and caps are kept.
//! What the quotas cost, and whom, is part of the result.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, Serialize};

use super::quota::{Bound, Facet, Quota};
use crate::similarity::{Copies, Likeness, Link, Meaning};

/// Memberships from here on are in, below `DOUBTFUL` out, between them borderline.
const CERTAIN: f64 = 0.75;
const DOUBTFUL: f64 = 0.25;

/// How many of each value of each facet.
pub type Counts = BTreeMap<Facet, BTreeMap<String, u64>>;

/// What to select.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// How many tasks: the k of the k best.
    pub top: usize,
    /// Texts this alike are copies: Jaccard index of their shingles, above 0; above 1 looks for
    /// none.
    pub near: f64,
    /// Caps and minima, in any order.
    pub quotas: Vec<Quota>,
    /// Names of candidates that are chosen whatever their place, their likeness and the quotas.
    pub pinned: BTreeSet<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            top: 100,
            near: 0.7,
            quotas: Vec::new(),
            pinned: BTreeSet::new(),
        }
    }
}

/// A ranked task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name; no two have the same.
    pub id: String,
    /// What an agent is asked to do.
    pub text: String,
    /// Its facets for quotas; a missing facet is not counted.
    pub facets: BTreeMap<Facet, String>,
    /// Probability to be among the k best, 0 to 1; what is not a number is taken for 0.
    pub membership: f64,
    /// Its Elo rating, where the ranking is the paper's: then this orders the candidates, not the
    /// membership.
    pub elo: Option<f64>,
    /// Its strength in the ranking; decides between equal memberships.
    pub strength: f64,
    /// Lower end of the strength's interval.
    pub low: f64,
    /// Upper end of the strength's interval.
    pub high: f64,
}

/// How sure it is that a task is among the k best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MembershipClass {
    /// A membership of .75 or more.
    In,
    /// Between.
    Borderline,
    /// A membership below .25.
    Out,
}

impl MembershipClass {
    /// The word for people, which is also its class in a page's styles.
    pub fn word(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Borderline => "borderline",
            Self::Out => "out",
        }
    }
}

/// The standing of a membership.
pub fn classify(membership: f64) -> MembershipClass {
    match membership {
        m if m >= CERTAIN => MembershipClass::In,
        m if m >= DOUBTFUL => MembershipClass::Borderline,
        _ => MembershipClass::Out,
    }
}

/// The benchmark, and the reasons of the choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// What was chosen, best first.
    pub chosen: Vec<Placed>,
    /// Those that people should look at, the most doubtful first, chosen or not.
    pub borderline: Vec<Placed>,
    /// Copies, which took no part, by what they are copies of.
    pub duplicates: Vec<Duplicate>,
    /// Among the first k without quotas, but not chosen; best first.
    pub pushed_out: Vec<Placed>,
    /// Chosen, but not among the first k without quotas; best first.
    pub came_in: Vec<Placed>,
    /// Minima that were not reached.
    pub unfilled: Vec<Unfilled>,
    /// Expected share of the k best that was chosen: the sum of memberships over k. None where k is
    /// 0.
    pub expected_recall: Option<f64>,
    /// Expected number of the k best that the quotas cost: the sum of memberships of the first k
    /// minus that of the chosen.
    pub given_up: f64,
    /// What was chosen, by facet and value.
    pub counts: Counts,
}

/// A candidate's place, and whether it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// From 1, in the order of candidates, copies aside: the place without quotas.
    pub place: usize,
    /// Its name.
    pub id: String,
    /// Probability to be among the k best, 0 to 1.
    pub membership: f64,
    /// How sure that is.
    pub standing: MembershipClass,
    /// Its strength, as it was given.
    pub strength: f64,
    /// Lower end of the strength's interval.
    pub low: f64,
    /// Upper end of the strength's interval.
    pub high: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Whether it was to be chosen in any case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Chosen: the minima that would miss it. Not chosen: the caps that bar it, or else the minima
    /// that took its place among the first k.
    pub by: Vec<Quota>,
}

/// A near-copy of a better task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its name.
    pub id: String,
    /// The best of its group, which stays.
    pub copy_of: String,
    /// What links the two.
    pub by: Link,
    /// Jaccard index of their shingles. Below the threshold where other copies, or vectors, link
    /// the two.
    pub likeness: f64,
    /// Cosine of their vectors, from who has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// Its own probability to be among the k best, 0 to 1.
    pub membership: f64,
}

/// A minimum, or the selection itself, that was not reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfilled {
    /// The minimum; none for the selection itself.
    pub quota: Option<Quota>,
    /// How many were asked for.
    pub wanted: u64,
    /// How many were chosen.
    pub found: u64,
    /// Why there are no more.
    pub cause: Shortage,
    /// The caps that bar the rest.
    pub by: Vec<Quota>,
}

/// Why something is unfilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shortage {
    /// There are not that many candidates, copies aside.
    TooFew,
    /// Caps bar the rest.
    Capped,
    /// There are not places enough for all minima.
    NoRoom,
}

/// Selects `options.top` of the candidates; their order makes no difference.
///
/// 1. Of candidates with nearly the same text the best one stays. `meaning` tells which others say
///    the same, as numbers of candidates. What is pinned stays, and is taken first.
/// 2. Minima: items that count for a minimum that is not reached yet are taken, the best first, and
///    counts for all of its minima.
/// 3. The remaining places go to the best of the rest.
/// 4. Exchanges, as long as there are any: a chosen task gives way to one that brings the minima
///    nearer on the whole, or to a better one that leaves them where they are. So overlapping
///    minima come to share their tasks where places are scarce, and a minimum's best does not stand
///    in the way of something better where its second best would not.
///
/// Caps hold throughout, against minima too. One exchange at a time does not find everything: where
/// caps on several facets cross, another choice may in rare cases fill more or give up less.
pub fn select(candidates: &[Candidate], meaning: Option<&Meaning>, options: &Options) -> Selection {
    let (order, duplicates) = without_copies(candidates, meaning, options);
    let quotas: Vec<Quota> = options
        .quotas
        .iter()
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut filling = PartialSelection {
        order: &order,
        quotas: &quotas,
        top: options.top,
        taken: BTreeSet::new(),
        counts: Counts::new(),
        pinned: &options.pinned,
    };
    filling.take_pinned();
    // Minima first: a place that the best would take may be the last for a minimum.
    filling.fill(true);
    filling.fill(false);
    while filling.exchange() {
        filling.fill(false);
    }
    let first = order.len().min(options.top);
    let expected = filling.expected(filling.taken.iter().copied());
    let doubtful = (0..order.len())
        .filter(|at| classify(membership(order[*at])) == MembershipClass::Borderline);
    let mut borderline: Vec<Placed> = doubtful.map(|at| filling.placed(at)).collect();
    borderline.sort_by(|x, y| {
        (x.membership - 0.5)
            .abs()
            .total_cmp(&(y.membership - 0.5).abs())
    });
    Selection {
        chosen: filling.taken.iter().map(|at| filling.placed(*at)).collect(),
        borderline,
        duplicates,
        pushed_out: (0..first)
            .map(|at| filling.placed(at))
            .filter(|placed| !placed.chosen)
            .collect(),
        came_in: filling
            .taken
            .range(first..)
            .map(|at| filling.placed(*at))
            .collect(),
        unfilled: filling.unfilled(),
        expected_recall: (options.top > 0).then(|| expected / options.top as f64),
        given_up: (filling.expected(0..first) - expected).max(0.0),
        counts: filling.counts,
    }
}

/// The candidates best first without copies, and the copies.
fn without_copies<'c>(
    candidates: &'c [Candidate],
    meaning: Option<&Meaning>,
    options: &Options,
) -> (Vec<&'c Candidate>, Vec<Duplicate>) {
    let texts: Vec<&str> = candidates
        .iter()
        .map(|candidate| candidate.text.as_str())
        .collect();
    let copies = Copies::find(&texts, options.near, meaning);
    let is_pinned = |at: usize| options.pinned.contains(&candidates[at].id);
    let mut kept: BTreeSet<usize> = (0..candidates.len()).collect();
    let mut duplicates = Vec::new();
    for group in &copies.groups {
        let mut group = group.clone();
        // Groups are in the order of the candidates, which need not be best first.
        group.sort_by(|x, y| {
            let pinned_first = is_pinned(*y).cmp(&is_pinned(*x));
            pinned_first.then_with(|| best_first(&candidates[*x], &candidates[*y]))
        });
        let best = group.remove(0);
        for at in group.into_iter().filter(|at| !is_pinned(*at)) {
            // A copy takes no place and fills no quota.
            kept.remove(&at);
            let likeness = copies.likeness(at, best);
            duplicates.push(duplicate(&candidates[at], &candidates[best], likeness));
        }
    }
    duplicates.sort_by(|x, y| (&x.copy_of, &x.id).cmp(&(&y.copy_of, &y.id)));
    let mut order: Vec<&Candidate> = kept.into_iter().map(|at| &candidates[at]).collect();
    order.sort_by(|x, y| best_first(x, y));
    (order, duplicates)
}

fn duplicate(copy: &Candidate, of: &Candidate, likeness: Likeness) -> Duplicate {
    Duplicate {
        id: copy.id.clone(),
        copy_of: of.id.clone(),
        by: likeness.by,
        likeness: likeness.words,
        cosine: likeness.cosine,
        membership: membership(copy),
    }
}

/// The order of candidates: by Elo rating where they have one, membership, strength and id.
pub fn best_first(x: &Candidate, y: &Candidate) -> Ordering {
    let elo = |candidate: &Candidate| candidate.elo.unwrap_or(f64::NEG_INFINITY);
    // The larger of a number and what is not one is the number.
    let strength = |candidate: &Candidate| candidate.strength.max(f64::NEG_INFINITY);
    let strength_ratings = || strength(y).total_cmp(&strength(x));
    let by_elo = elo(y).total_cmp(&elo(x));
    by_elo
        .then(membership(y).total_cmp(&membership(x)))
        .then_with(strength_ratings)
        .then_with(|| x.id.cmp(&y.id))
}

fn membership(candidate: &Candidate) -> f64 {
    if candidate.membership.is_nan() {
        0.0
    } else {
        candidate.membership.clamp(0.0, 1.0)
    }
}

/// A selection that is being filled.
struct PartialSelection<'a> {
    order: &'a [&'a Candidate],
    quotas: &'a [Quota],
    top: usize,
    /// Positions in the order.
    taken: BTreeSet<usize>,
    counts: Counts,
    pinned: &'a BTreeSet<String>,
}

impl<'a> PartialSelection<'a> {
    /// Takes what is pinned.
    fn take_pinned(&mut self) {
        for at in 0..self.order.len() {
            if self.is_pinned(at) {
                self.take(at);
            }
        }
    }

    fn is_pinned(&self, at: usize) -> bool {
        self.pinned.contains(&self.order[at].id)
    }

    /// Takes what caps allow, the best first; `for_minima` only what a minimum needs.
    fn fill(&mut self, for_minima: bool) {
        for at in 0..self.order.len() {
            let open = self.taken.len() < self.top && !self.taken.contains(&at);
            if open
                && (!for_minima || !self.needed_by(at).is_empty())
                && self.barred_by(at).is_empty()
            {
                self.take(at);
            }
        }
    }

    /// Exchanges once through the order, against the worst that can be spared; whether anything
    /// changed.
    fn exchange(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.order.len() {
            let spared = if self.taken.contains(&at) {
                None
            } else {
                self.spared_for(at)
            };
            if let Some(worse) = spared {
                self.give_back(worse);
                self.take(at);
                changed = true;
            }
        }
        changed
    }

    fn spared_for(&self, at: usize) -> Option<usize> {
        let (caps, gained) = (self.barred_by(at), self.needed_by(at));
        for &worse in self.taken.iter().rev() {
            // Without a minimum to fill, only a worse one may make room for a better.
            if worse <= at && gained.is_empty() {
                return None;
            }
            if self.is_pinned(worse) {
                continue;
            }
            if caps
                .iter()
                .any(|cap| self.value(cap, worse) != self.value(cap, at))
            {
                continue;
            }
            let gain = self.n_uncounted(&gained, worse);
            let loss = self.n_uncounted(&self.held_by(worse), at);
            if gain > loss || gain == loss && worse > at {
                return Some(worse);
            }
        }
        None
    }

    /// How many of the quotas do not count this.
    fn n_uncounted(&self, quotas: &[&Quota], at: usize) -> usize {
        quotas
            .iter()
            .filter(|quota| self.value(quota, at).is_none())
            .count()
    }

    fn take(&mut self, at: usize) {
        for (facet, value) in &self.order[at].facets {
            *self
                .counts
                .entry(*facet)
                .or_default()
                .entry(value.clone())
                .or_default() += 1;
        }
        self.taken.insert(at);
    }

    fn give_back(&mut self, at: usize) {
        for (facet, value) in &self.order[at].facets {
            if let Some(count) = self
                .counts
                .get_mut(facet)
                .and_then(|values| values.get_mut(value))
            {
                *count -= 1;
            }
        }
        self.counts.retain(|_, values| {
            values.retain(|_, count| *count > 0);
            !values.is_empty()
        });
        self.taken.remove(&at);
    }

    /// The caps that one more like this would exceed.
    fn barred_by(&self, at: usize) -> Vec<&'a Quota> {
        self.those(Bound::Most, at, |count, cap| count >= cap)
    }

    /// The minima that this would bring nearer.
    fn needed_by(&self, at: usize) -> Vec<&'a Quota> {
        self.those(Bound::Least, at, |count, minimum| count < minimum)
    }

    /// The minima that would miss this one, which is taken.
    fn held_by(&self, at: usize) -> Vec<&'a Quota> {
        self.those(Bound::Least, at, |count, minimum| count <= minimum)
    }

    /// The quotas that count this one and have this relation to the number already taken.
    fn those(&self, bound: Bound, at: usize, stands: fn(u64, u64) -> bool) -> Vec<&'a Quota> {
        self.quotas
            .iter()
            .filter(|quota| quota.bound == bound)
            .filter(|quota| {
                self.n_alike(quota, at)
                    .is_some_and(|n| stands(n, u64::from(quota.number)))
            })
            .collect()
    }

    /// How many of what is taken a quota counts together with this.
    fn n_alike(&self, quota: &Quota, at: usize) -> Option<u64> {
        let value = self.value(quota, at)?;
        let counts = self.counts.get(&quota.facet);
        Some(counts.and_then(|of| of.get(value)).copied().unwrap_or(0))
    }

    fn value(&self, quota: &Quota, at: usize) -> Option<&'a String> {
        quota.counted(&self.order[at].facets)
    }

    fn expected(&self, places: impl Iterator<Item = usize>) -> f64 {
        places.fold(0.0, |sum, at| sum + membership(self.order[at]))
    }

    fn placed(&self, at: usize) -> Placed {
        let &Candidate {
            ref id,
            strength,
            low,
            high,
            ..
        } = self.order[at];
        let membership = membership(self.order[at]);
        let chosen = self.taken.contains(&at);
        let by = if chosen {
            self.held_by(at)
        } else {
            self.kept_out_by(at)
        };
        let (by, standing) = (by.into_iter().cloned().collect(), classify(membership));
        Placed {
            place: at + 1,
            id: id.clone(),
            membership,
            standing,
            strength,
            low,
            high,
            chosen,
            pinned: self.is_pinned(at),
            by,
        }
    }

    fn kept_out_by(&self, at: usize) -> Vec<&'a Quota> {
        let caps = self.barred_by(at);
        if !caps.is_empty() || at >= self.top {
            return caps;
        }
        let minima: BTreeSet<&Quota> = self
            .taken
            .range(self.top..)
            .flat_map(|late| self.held_by(*late))
            .collect();
        minima.into_iter().collect()
    }

    fn unfilled(&self) -> Vec<Unfilled> {
        let minima = self
            .quotas
            .iter()
            .filter(|quota| quota.bound == Bound::Least);
        std::iter::once(None)
            .chain(minima.map(Some))
            .filter_map(|quota| self.shortage(quota))
            .collect()
    }

    fn shortage(&self, quota: Option<&Quota>) -> Option<Unfilled> {
        let counted = |at: &usize| quota.is_none_or(|quota| self.value(quota, *at).is_some());
        let wanted = quota.map_or(self.top as u64, |quota| u64::from(quota.number));
        let (taken, open): (Vec<usize>, Vec<usize>) = (0..self.order.len())
            .filter(counted)
            .partition(|at| self.taken.contains(at));
        if taken.len() as u64 >= wanted {
            return None;
        }
        let barred: Vec<Vec<&Quota>> = open.iter().map(|at| self.barred_by(*at)).collect();
        let cause = if ((taken.len() + open.len()) as u64) < wanted {
            Shortage::TooFew
        } else if barred.iter().any(Vec::is_empty) {
            Shortage::NoRoom
        } else {
            Shortage::Capped
        };
        let by: BTreeSet<&Quota> = barred.into_iter().flatten().collect();
        let by = by.into_iter().cloned().collect();
        Some(Unfilled {
            quota: quota.cloned(),
            wanted,
            found: taken.len() as u64,
            cause,
            by,
        })
    }
}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
