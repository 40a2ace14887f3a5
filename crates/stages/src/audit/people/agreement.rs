//! How people agree on what they decided: each two of them, and one with all others.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::stats::agreement::{Weights, cohen, percent};

/// What people said of one thing: whether each accepts it.
pub type Votes = BTreeMap<String, bool>;

/// How two people agree on whether to accept.
#[derive(Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The two.
    pub people: [String; 2],
    /// Things that both have judged.
    pub n: usize,
    /// Share with the same verdict.
    pub share: Option<f64>,
    /// Cohen's κ; none where both always say the same.
    pub kappa: Option<f64>,
}

/// The agreement of each two people who judged something both.
pub fn agreement<'a>(of_each: impl Iterator<Item = &'a Votes> + Clone) -> Vec<Pair> {
    let people: BTreeSet<&String> = of_each.clone().flat_map(BTreeMap::keys).collect();
    let people: Vec<&String> = people.into_iter().collect();
    let mut pairs = Vec::new();
    for (at, one) in people.iter().enumerate() {
        for other in &people[at + 1..] {
            let label = |accepts: &bool| Some(f64::from(*accepts));
            let both: Vec<[Option<f64>; 2]> = of_each
                .clone()
                .filter_map(|votes| Some([label(votes.get(*one)?), label(votes.get(*other)?)]))
                .collect();
            if !both.is_empty() {
                pairs.push(Pair {
                    people: [(*one).clone(), (*other).clone()],
                    n: both.len(),
                    share: percent(&both),
                    kappa: cohen(&both, [0, 1], Weights::Identity),
                });
            }
        }
    }
    pairs
}

/// How one person agrees with all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WithOthers {
    /// Things that the person and another have judged, once for each other.
    pub n: usize,
    /// Share with the same label.
    pub share: Option<f64>,
    /// Cohen's κ; none where both always say the same.
    pub kappa: Option<f64>,
}

/// The agreement of `person` with all others on things that each has given a label.
pub fn with_others<'a>(
    person: &str,
    of_each: impl Iterator<Item = &'a BTreeMap<String, f64>>,
    weights: Weights,
) -> WithOthers {
    let mut both = Vec::new();
    for labels in of_each {
        let Some(own) = labels.get(person) else {
            continue;
        };
        let others = labels.iter().filter(|(name, _)| *name != person);
        both.extend(others.map(|(_, label)| [Some(*own), Some(*label)]));
    }
    WithOthers {
        n: both.len(),
        share: percent(&both),
        kappa: cohen(&both, [0, 1], weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by hand: ana and ben agree on 3 of 4; by chance they would on .5 · .75 + .5 · .25 =
    /// .5, so that κ is (.75 − .5) / (1 − .5) = .5.
    #[test]
    fn two_people_agree_as_counted_by_hand() {
        let votes = |of: &[(&str, bool)]| -> Votes {
            of.iter()
                .map(|(name, yes)| ((*name).to_owned(), *yes))
                .collect()
        };
        let all = [
            votes(&[("ana", true), ("ben", true)]),
            votes(&[("ana", true), ("ben", true), ("eva", false)]),
            votes(&[("ana", false), ("ben", true)]),
            votes(&[("ana", false), ("ben", false)]),
            votes(&[("ana", true)]),
        ];
        let pairs = agreement(all.iter());
        assert_eq!(pairs.len(), 3);
        assert_eq!(pairs[0].people, ["ana", "ben"]);
        assert_eq!(
            (pairs[0].n, pairs[0].share, pairs[0].kappa),
            (4, Some(0.75), Some(0.5))
        );
        assert_eq!((pairs[1].n, pairs[1].share), (1, Some(0.0)));
    }
}
