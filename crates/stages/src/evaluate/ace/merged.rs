//! One checklist out of those that several models wrote: which criteria ask for the same, which
//! cannot be used, and what each weighs. Pure: a majority of the reviews decides, and the weights
//! are the writers' own.

use std::{cmp::Reverse, collections::BTreeMap};

use super::criteria::{self, Criterion, Invalid};
use crate::text::words::tokens;

/// Criteria of a merged checklist, at most.
const MOST: usize = 6;

/// What one reviewer says of one proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Why it cannot be used, in one word; none where it can.
    pub fault: Option<&'static str>,
    /// The place of an earlier proposal that asks for the same.
    pub same_as: Option<usize>,
}

/// A criterion that a model proposed.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Which of the writers, from 0.
    pub writer: usize,
    /// The criterion; its weight is a share of its writer's checklist.
    pub criterion: Criterion,
}

/// A merged checklist, and what became of the proposals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// The criteria, the heaviest first.
    pub criteria: Vec<Criterion>,
    /// Proposals that cannot be used, by fault.
    pub faults: BTreeMap<&'static str, u64>,
    /// Criteria that were left out because there are too many.
    pub beyond: u64,
    /// The share of all weight that is on what every writer asks for, 0 to 1.
    pub shared: f64,
}

/// The proposals of several writers, in the order of the writers and of their checklists.
pub fn proposals(drafts: Vec<Vec<Criterion>>) -> Vec<Proposal> {
    let mut all = Vec::new();
    for (writer, draft) in drafts.into_iter().enumerate() {
        let whole: f64 = draft.iter().map(|criterion| criterion.weight).sum();
        all.extend(draft.into_iter().map(|criterion| Proposal {
            writer,
            criterion: Criterion {
                weight: criterion.weight / whole,
                ..criterion
            },
        }));
    }
    all
}

/// Merges proposals. `reviews` has one list for each reviewer, with a review for each proposal, in
/// the same order. A proposal cannot be used, and two ask for the same, if more than half of the
/// reviewers say so. What is merged weighs the mean over all writers of what they gave it.
///
/// # Errors
///
/// If what is left is no checklist.
pub fn merge(proposals: &[Proposal], reviews: &[Vec<Review>]) -> Result<Merged, Invalid> {
    let writers = proposals.iter().map(|of| of.writer + 1).max().unwrap_or(1);
    let mut merged = Merged::default();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, leader) in same(proposals, reviews).into_iter().enumerate() {
        match fault(at, reviews) {
            Some(fault) => *merged.faults.entry(fault).or_default() += 1,
            None => groups.entry(leader).or_default().push(at),
        }
    }
    let mut criteria: Vec<(usize, Criterion)> = Vec::new();
    for group in groups.into_values() {
        let of_group = || group.iter().map(|at| &proposals[*at]);
        let weight: f64 = of_group().map(|of| of.criterion.weight).sum();
        if (0..writers).all(|writer| of_group().any(|of| of.writer == writer)) {
            merged.shared += weight / writers as f64;
        }
        // In the words of whoever gave it most, the earlier one of equals.
        let heaviest = group.iter().copied().min_by(|a, b| {
            let weight = |at: usize| proposals[at].criterion.weight;
            weight(*b).total_cmp(&weight(*a)).then(a.cmp(b))
        });
        if let Some(at) = heaviest {
            let criterion = Criterion {
                weight: weight / writers as f64,
                ..proposals[at].criterion.clone()
            };
            criteria.push((at, criterion));
        }
    }
    criteria
        .sort_by(|(a, first), (b, second)| second.weight.total_cmp(&first.weight).then(a.cmp(b)));
    merged.beyond = criteria.len().saturating_sub(MOST) as u64;
    criteria.truncate(MOST);
    let whole: f64 = criteria.iter().map(|(_, of)| of.weight).sum();
    merged.criteria = criteria
        .into_iter()
        .map(|(_, of)| Criterion {
            weight: of.weight / whole,
            ..of
        })
        .collect();
    criteria::check(&merged.criteria)?;
    Ok(merged)
}

/// The fault of a proposal, if more than half of the reviewers find any: the one that most of them
/// name, the first in the alphabet of equals.
fn fault(at: usize, reviews: &[Vec<Review>]) -> Option<&'static str> {
    let mut found: BTreeMap<&'static str, usize> = BTreeMap::new();
    for fault in reviews.iter().filter_map(|of| of[at].fault) {
        *found.entry(fault).or_default() += 1;
    }
    let all: usize = found.values().sum();
    let (fault, _) = found
        .into_iter()
        .max_by_key(|(word, n)| (*n, Reverse(*word)))?;
    (2 * all > reviews.len()).then_some(fault)
}

/// For each proposal the earliest one of its group: if two ask for the same as a third, all three
/// do.
fn same(proposals: &[Proposal], reviews: &[Vec<Review>]) -> Vec<usize> {
    let of_each: Vec<Vec<usize>> = reviews.iter().map(|of| groups_of(of)).collect();
    let mut leaders: Vec<usize> = (0..proposals.len()).collect();
    // What cannot be used joins nothing.
    let usable: Vec<usize> = (0..proposals.len())
        .filter(|at| fault(*at, reviews).is_none())
        .collect();
    for (n, &later) in usable.iter().enumerate() {
        for &earlier in &usable[..n] {
            let votes = of_each.iter().filter(|of| of[earlier] == of[later]).count();
            let alike = in_the_same_words(&proposals[earlier], &proposals[later]);
            if 2 * votes > reviews.len() || alike {
                let (from, to) = (leaders[later], leaders[earlier]);
                let (from, to) = (from.max(to), from.min(to));
                leaders
                    .iter_mut()
                    .filter(|of| **of == from)
                    .for_each(|of| *of = to);
            }
        }
    }
    leaders
}

/// The groups that one reviewer's links make: for each proposal the earliest of its group.
fn groups_of(reviews: &[Review]) -> Vec<usize> {
    let mut leaders: Vec<usize> = Vec::new();
    for (at, review) in reviews.iter().enumerate() {
        let earlier = review.same_as.and_then(|other| leaders.get(other));
        leaders.push(earlier.copied().unwrap_or(at));
    }
    leaders
}

/// Whether raters could not tell two criteria apart.
fn in_the_same_words(a: &Proposal, b: &Proposal) -> bool {
    let sorted = |text: &str| {
        let mut words = tokens(text);
        words.sort_unstable();
        words
    };
    let (a, b) = (&a.criterion, &b.criterion);
    tokens(&a.title) == tokens(&b.title) || sorted(&a.description) == sorted(&b.description)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 8] = [
        "figures",
        "method",
        "limits",
        "stakeholders",
        "costs",
        "history",
        "risks",
        "models",
    ];

    fn draft(criteria: &[(&str, f64)]) -> Vec<Criterion> {
        criteria
            .iter()
            .map(|(title, weight)| Criterion {
                title: (*title).to_owned(),
                weight: *weight,
                description: format!("An excellent answer shows its {title}."),
            })
            .collect()
    }

    fn fine(same_as: Option<usize>) -> Review {
        Review {
            fault: None,
            same_as,
        }
    }

    fn faulty(fault: &'static str) -> Review {
        Review {
            fault: Some(fault),
            same_as: None,
        }
    }

    fn shown(merged: &Merged) -> Vec<(&str, f64)> {
        let criteria = merged.criteria.iter();
        criteria
            .map(|of| (of.title.as_str(), (of.weight * 1000.0).round() / 1000.0))
            .collect()
    }

    /// .5 and .3 on the figures are .4; each other criterion has half of what one writer gave it.
    #[test]
    fn what_both_ask_for_weighs_what_both_gave() {
        let all = proposals(vec![
            draft(&[("figures", 0.5), ("method", 0.3), ("limits", 0.2)]),
            draft(&[("numbers", 0.3), ("costs", 0.3), ("risks", 0.4)]),
        ]);
        let review = vec![
            fine(None),
            fine(None),
            fine(None),
            fine(Some(0)),
            fine(None),
            fine(None),
        ];
        let merged = merge(&all, &[review.clone(), review]).unwrap();
        let expected = [
            ("figures", 0.4),
            ("risks", 0.2),
            ("method", 0.15),
            ("costs", 0.15),
            ("limits", 0.1),
        ];
        assert_eq!(shown(&merged), expected);
        assert!((merged.shared - 0.4).abs() < 1e-12);
        assert_eq!((merged.beyond, merged.faults.len()), (0, 0));
    }

    /// Of two reviewers both have to say it; of three, two.
    #[test]
    fn a_majority_decides() {
        let all = proposals(vec![
            draft(&[("figures", 0.4), ("method", 0.3), ("limits", 0.3)]),
            draft(&[("numbers", 0.4), ("costs", 0.3), ("risks", 0.3)]),
        ]);
        let keeps = || (0..6).map(|_| fine(None)).collect::<Vec<_>>();
        let mut strict = keeps();
        strict[2] = faulty("unseen");
        strict[3] = fine(Some(0));
        let merged = merge(&all, &[strict.clone(), keeps()]).unwrap();
        assert_eq!((merged.criteria.len(), merged.faults.len()), (6, 0));
        let merged = merge(&all, &[strict.clone(), keeps(), strict]).unwrap();
        assert_eq!(merged.faults, BTreeMap::from([("unseen", 1)]));
        assert_eq!(merged.criteria.len(), 4);
    }

    #[test]
    fn at_most_six_are_kept_and_weigh_one_together() {
        let all = proposals(vec![
            draft(&[
                (NAMES[0], 0.4),
                (NAMES[1], 0.3),
                (NAMES[2], 0.2),
                (NAMES[3], 0.1),
            ]),
            draft(&[
                (NAMES[4], 0.4),
                (NAMES[5], 0.3),
                (NAMES[6], 0.2),
                (NAMES[7], 0.1),
            ]),
        ]);
        let review = all.iter().map(|_| fine(None)).collect();
        let merged = merge(&all, &[review]).unwrap();
        let titles: Vec<&str> = merged.criteria.iter().map(|of| of.title.as_str()).collect();
        assert_eq!(
            titles,
            ["figures", "costs", "method", "history", "limits", "risks"]
        );
        assert_eq!((merged.beyond, merged.shared), (2, 0.0));
        let whole: f64 = merged.criteria.iter().map(|of| of.weight).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn criteria_in_the_same_words_are_one_whatever_reviewers_say() {
        let all = proposals(vec![
            draft(&[("figures", 0.4), ("method", 0.3), ("limits", 0.3)]),
            draft(&[("Figures", 0.4), ("costs", 0.3), ("risks", 0.3)]),
        ]);
        let merged = merge(&all, &[(0..6).map(|_| fine(None)).collect()]).unwrap();
        assert_eq!(shown(&merged)[0], ("figures", 0.4));
        assert_eq!(merged.criteria.len(), 5);
    }

    #[test]
    fn too_few_that_can_be_used_are_no_checklist() {
        let all = proposals(vec![draft(&[
            ("figures", 0.4),
            ("method", 0.3),
            ("limits", 0.3),
        ])]);
        let review = vec![fine(None), faulty("form"), fine(None)];
        assert_eq!(merge(&all, &[review]), Err(Invalid::Number(2)));
    }

    proptest! {
        /// Whatever reviewers say, a merged checklist is a checklist, and says each thing once.
        #[test]
        fn what_is_merged_is_valid(
            links in proptest::collection::vec((0_usize..9, any::<bool>()), 16),
            weights in proptest::collection::vec(1_u32..9, 8),
        ) {
            let drafts = NAMES.iter().zip(&weights).map(|(name, w)| (*name, f64::from(*w)));
            let drafts: Vec<(&str, f64)> = drafts.collect();
            let all = proposals(vec![draft(&drafts[..4]), draft(&drafts[4..])]);
            let review = |part: &[(usize, bool)]| -> Vec<Review> {
                part.iter().enumerate().map(|(at, (same, bad))| Review {
                    fault: (*bad && at % 3 == 0).then_some("vague"),
                    same_as: (*same < at).then_some(*same),
                }).collect()
            };
            if let Ok(merged) = merge(&all, &[review(&links[..8]), review(&links[8..])]) {
                prop_assert!(criteria::check(&merged.criteria).is_ok());
                prop_assert!(merged.shared <= 1.0 + 1e-12);
            }
        }
    }
}
