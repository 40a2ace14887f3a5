//! The adaptive checklist (ACE): validation of weighted criteria, and the score from their ratings.
//! Hides the comparison of criteria, and the tolerance of the weights' sum.
//!
//! DeepResearch Arena (arXiv 2509.01396), section on the adaptively-generated checklist: 3 to 6
//! criteria, weights that sum to about 1, a rating of 0 to 10 each, and the score Σ weight ×
//! rating. The bound on the sum is ours.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::words::tokens;

/// Number of criteria of a checklist.
const CRITERIA: std::ops::RangeInclusive<usize> = 3..=6;

/// Largest difference of the weights' sum from 1.
const SLACK: f64 = 0.05;

/// One thing that a report is rated on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// A few words.
    pub title: String,
    /// Its share of the score, above 0 and up to 1.
    pub weight: f64,
    /// What a good report does.
    pub description: String,
}

/// Why a checklist cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Invalid {
    /// Too few or too many.
    #[error("3 to 6 criteria are needed, not `{0}`")]
    Number(usize),
    /// A weight is no share.
    #[error("the weight of `{0}` is not above 0 and at most 1")]
    Weight(String),
    /// The weights are not those of a whole.
    #[error("the weights sum to `{0:.3}` and not to 1 within .05")]
    Sum(f64),
    /// A criterion without words, counted from 1.
    #[error("title or description is empty in criterion `{0}`")]
    Empty(usize),
    /// Two criteria have a title in common.
    #[error("two criteria have the title `{0}`")]
    Title(String),
    /// Two criteria are described in the same words, in whatever order.
    #[error("`{0}` says in the same words what another criterion says")]
    Repeats(String),
}

/// The weights of a valid checklist, divided by their sum.
pub fn check(criteria: &[Criterion]) -> Result<Vec<f64>, Invalid> {
    if !CRITERIA.contains(&criteria.len()) {
        return Err(Invalid::Number(criteria.len()));
    }
    check_words(criteria)?;
    if let Some(wrong) = criteria
        .iter()
        .find(|criterion| !(criterion.weight > 0.0 && criterion.weight <= 1.0))
    {
        return Err(Invalid::Weight(wrong.title.clone()));
    }
    let sum: f64 = criteria.iter().map(|criterion| criterion.weight).sum();
    // .45 + .30 + .15 + .05 is .95 but for the last binary digit.
    if (sum - 1.0).abs() > SLACK + 1e-9 {
        return Err(Invalid::Sum(sum));
    }
    Ok(criteria
        .iter()
        .map(|criterion| criterion.weight / sum)
        .collect())
}

/// The mean of the ratings (0 to 10), weighted. None unless every criterion has a rating.
pub fn score(weights: &[f64], ratings: &[Option<f64>]) -> Option<f64> {
    let whole: f64 = weights.iter().sum();
    if weights.len() != ratings.len() || whole.is_nan() || whole <= 0.0 {
        return None;
    }
    let sum: Option<f64> = weights
        .iter()
        .zip(ratings)
        .map(|(weight, rating)| Some(weight * valid(*rating)?))
        .sum();
    sum.map(|sum| sum / whole)
}

fn valid(rating: Option<f64>) -> Option<f64> {
    rating.filter(|rating| (0.0..=10.0).contains(rating))
}

fn check_words(criteria: &[Criterion]) -> Result<(), Invalid> {
    let (mut titles, mut descriptions) = (BTreeSet::new(), BTreeSet::new());
    for (at, criterion) in criteria.iter().enumerate() {
        let title = tokens(&criterion.title);
        let mut description = tokens(&criterion.description);
        // Sorted words: the same description in another order repeats a criterion.
        description.sort_unstable();
        if title.is_empty() || description.is_empty() {
            return Err(Invalid::Empty(at + 1));
        }
        if !titles.insert(title) {
            return Err(Invalid::Title(criterion.title.clone()));
        }
        if !descriptions.insert(description) {
            return Err(Invalid::Repeats(criterion.title.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria(weights: &[f64]) -> Vec<Criterion> {
        let criterion = |(at, &weight): (usize, &f64)| Criterion {
            title: format!("Title {at}"),
            weight,
            description: format!("The report does thing {at} well."),
        };
        weights.iter().enumerate().map(criterion).collect()
    }

    fn near(found: &[f64], expected: &[f64]) -> bool {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn the_published_weights_stay_as_they_are() {
        let weights = check(&criteria(&[0.45, 0.30, 0.15, 0.10])).unwrap();
        assert!(
            near(&weights, &[0.45, 0.30, 0.15, 0.10])
                && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-15
        );
        // .45 × 5 + .3 × 4 + .15 × 4 + .1 × 3 = 2.25 + 1.2 + .6 + .3
        let score = score(&weights, &[5.0, 4.0, 4.0, 3.0].map(Some)).unwrap();
        assert!((score - 4.35).abs() < 1e-12, "{score}");
    }

    #[test]
    fn weights_are_divided_by_their_sum() {
        assert!(near(
            &check(&criteria(&[0.5, 0.25, 0.2])).unwrap(),
            &[0.5 / 0.95, 0.25 / 0.95, 0.2 / 0.95]
        ));
        assert!(near(
            &check(&criteria(&[0.5, 0.3, 0.25])).unwrap(),
            &[0.5 / 1.05, 0.3 / 1.05, 0.25 / 1.05]
        ));
        assert!(
            matches!(check(&criteria(&[0.5, 0.3, 0.14])), Err(Invalid::Sum(sum)) if (sum - 0.94).abs() < 1e-12)
        );
        assert!(matches!(
            check(&criteria(&[0.5, 0.3, 0.26])),
            Err(Invalid::Sum(_))
        ));
    }

    #[test]
    fn weights_are_shares() {
        for wrong in [0.0, -0.1, 1.01, f64::NAN, f64::INFINITY] {
            assert_eq!(
                check(&criteria(&[0.5, wrong, 0.5])),
                Err(Invalid::Weight("Title 1".into())),
                "{wrong}"
            );
        }
    }

    #[test]
    fn there_are_three_to_six() {
        for n in 0..9 {
            let found = check(&criteria(&vec![1.0 / f64::from(n); n as usize]));
            assert_eq!(found.is_ok(), (3..=6).contains(&n), "{n}");
            assert!(found.is_ok() || found == Err(Invalid::Number(n as usize)));
        }
    }

    #[test]
    fn no_two_are_the_same() {
        let mut list = criteria(&[0.4, 0.3, 0.3]);
        list[2].title = "TITLE　１！".into();
        assert_eq!(check(&list), Err(Invalid::Title("TITLE　１！".into())));
        list[2].title = "…".into();
        assert_eq!(check(&list), Err(Invalid::Empty(3)));
        list[2].title = "数据".into();
        list[2].description = "well the report, does 0 THING".into();
        assert_eq!(check(&list), Err(Invalid::Repeats("数据".into())));
        list[2].description = " \n".into();
        assert_eq!(check(&list), Err(Invalid::Empty(3)));
        list[2].description = "数据来源可靠。".into();
        assert!(check(&list).is_ok());
    }

    #[test]
    fn a_missing_rating_is_no_zero() {
        let weights = [0.5, 0.5];
        assert_eq!(score(&weights, &[Some(4.0), Some(0.0)]), Some(2.0));
        for odd in [None, Some(f64::NAN), Some(-1.0), Some(10.1)] {
            assert_eq!(score(&weights, &[Some(4.0), odd]), None);
        }
        assert_eq!(
            (
                score(&weights, &[Some(4.0)]),
                score(&[], &[]),
                score(&[0.0], &[Some(1.0)])
            ),
            (None, None, None)
        );
    }
}
