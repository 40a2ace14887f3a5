//! What the reviews of inspirations and of tasks share: the reviewer's name, which of all things a
//! reviewer is shown, and how people agree.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{args::Reviewing, ui::exit::Usage},
    data::Standing,
    stats::agreement::{Weights, cohen, percent},
    text::words::one_line,
};

/// The reviewer's name: the given one, else the user's.
pub fn name(given: Option<&str>) -> Result<String> {
    let name = given
        .map(str::to_owned)
        .or_else(user)
        .unwrap_or_else(|| "somebody".to_owned());
    let name = one_line(&name);
    if name.is_empty() {
        return Err(Usage("a reviewer needs a name\nhint: --reviewer NAME".into()).into());
    }
    Ok(name)
}

fn user() -> Option<String> {
    ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()))
}

/// What people said of one thing: whether each accepts it.
pub type Votes = BTreeMap<String, bool>;

/// Whether a reviewer is shown a thing that people said this of.
pub fn is_shown(args: &Reviewing, reviewer: &str, votes: &Votes, standing: Standing) -> bool {
    if args.disputed {
        return standing == Standing::Disputed;
    }
    let is_judged = votes.contains_key(reviewer);
    let others = votes.len() - usize::from(is_judged);
    (args.again || !is_judged) && (!args.second || others > 0)
}

/// Why a reviewer is shown nothing.
pub fn nothing_to_review(args: &Reviewing, reviewer: &str) -> String {
    if args.disputed {
        "reviewers disagree on none".to_owned()
    } else if args.second {
        format!("there is nothing that another has judged and {reviewer} has not")
    } else {
        format!("{reviewer} has judged all of them\nhint: --again shows them once more")
    }
}

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

/// A line for each two people.
pub fn agreement_text(pairs: &[Pair]) -> String {
    let mut out = String::new();
    for pair in pairs {
        let [one, other] = &pair.people;
        let agreed = agreed(pair.n, pair.share, pair.kappa);
        out.push_str(&format!("\n{one} and {other}: {agreed}"));
    }
    out
}

/// Share and κ for people.
pub fn agreed(n: usize, share: Option<f64>, kappa: Option<f64>) -> String {
    let share = share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let kappa = kappa.map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.2}"));
    format!("{share} of {n}, Cohen's kappa {kappa}")
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
