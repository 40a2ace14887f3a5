//! Position bias and consistency of a judge: whether its verdicts depend on the side on which an
//! item is shown, and whether it gives the same answer twice. Hides which verdicts belong together.
//! Each function takes the verdicts of one judge.

use std::collections::BTreeMap;

use serde::Serialize;

use super::PairVerdict;
use crate::stats::binomial::{self, Share};

/// Share won by the side shown first. Sides are drawn at random, so that a fair judge has one half
/// whatever the items.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PositionBias {
    /// Verdicts; questions asked again on the same sides are left out.
    pub n: u64,
    /// Ties among them.
    pub ties: u64,
    /// Share won by the first side, a tie as one half, with Wilson's interval.
    pub share: Share,
    /// Two-sided p-value of one half: the exact sign test, in which ties do not count.
    pub p: f64,
    /// Whether `p` is below α.
    pub flagged: bool,
}

/// Agreement of a judge with itself: share of questions with the same winner twice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RepeatAgreement {
    /// Questions that were decided both times.
    pub n: u64,
    /// Questions with a tie in either answer; they do not count.
    pub ties: u64,
    /// Share of the `n` with the same winner, with Wilson's interval.
    pub share: Option<Share>,
}

/// Tests whether the side shown first wins too often or too seldom.
pub fn position_bias(seen: &[PairVerdict], alpha: f64) -> Option<PositionBias> {
    let (mut wins, mut losses, mut ties) = (0, 0, 0);
    for verdict in seen.iter().filter(|verdict| verdict.sample == 0) {
        match verdict.first_won() {
            Some(true) => wins += 1,
            Some(false) => losses += 1,
            None => ties += 1,
        }
    }
    let n = wins + losses + ties;
    let share = binomial::wilson(wins as f64 + ties as f64 / 2.0, n)?;
    // The sign test is exact for decided verdicts; a tie is no throw of the coin.
    let p = binomial::fair_coin_p(wins, wins + losses);
    Some(PositionBias {
        n,
        ties,
        share,
        p,
        flagged: p < alpha,
    })
}

/// Agreement on pairs that were shown in both orders.
pub fn position_consistency(seen: &[PairVerdict]) -> Option<RepeatAgreement> {
    let answers = answers(seen.iter().filter(|verdict| verdict.sample == 0));
    let once = answers.iter().filter(|((first, second), _)| first < second);
    agreement(once.filter_map(|(&(first, second), &won)| {
        let swapped = answers.get(&(second, first))?;
        Some((won, swapped.map(|first_won| !first_won)))
    }))
}

/// Agreement on questions that were asked again on the same sides; of several repetitions the first
/// counts.
pub fn repetition(seen: &[PairVerdict]) -> Option<RepeatAgreement> {
    let answered = answers(seen.iter().filter(|verdict| verdict.sample == 0));
    let again = answers(seen.iter().filter(|verdict| verdict.sample > 0));
    agreement(
        again
            .iter()
            .filter_map(|(question, &won)| Some((*answered.get(question)?, won))),
    )
}

/// The first answer to each question: whether its first side won, none for a tie.
fn answers<'a>(seen: impl Iterator<Item = &'a PairVerdict>) -> BTreeMap<(u32, u32), Option<bool>> {
    let mut answers = BTreeMap::new();
    for verdict in seen {
        answers
            .entry((verdict.first, verdict.second))
            .or_insert(verdict.first_won());
    }
    answers
}

fn agreement(both: impl Iterator<Item = (Option<bool>, Option<bool>)>) -> Option<RepeatAgreement> {
    let (mut same, mut n, mut ties) = (0, 0, 0);
    for answers in both {
        match answers {
            (Some(one), Some(other)) => {
                n += 1;
                same += u64::from(one == other);
            }
            _ => ties += 1,
        }
    }
    (n + ties > 0).then(|| RepeatAgreement {
        n,
        ties,
        share: binomial::wilson(same as f64, n),
    })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::{super::verdict, *};

    /// How many of 400 judges are flagged who name the first side with probability `p` in 500
    /// verdicts.
    fn flagged(p: f64) -> usize {
        let judge = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let verdicts: Vec<PairVerdict> = (0..500)
                .map(|i| verdict(i, i + 1, f64::from(u8::from(rng.random_bool(p)))))
                .collect();
            position_bias(&verdicts, 0.01).unwrap().flagged
        };
        (0..400).filter(|&seed| judge(seed)).count()
    }

    #[test]
    fn a_preference_for_a_side_is_flagged_and_a_fair_judge_is_not() {
        assert!(flagged(0.7) >= 396);
        assert!(flagged(0.3) >= 396);
        assert!(flagged(0.5) <= 12);
    }

    #[test]
    fn ties_are_half_of_the_share_and_nothing_to_the_test() {
        let verdicts = [
            verdict(0, 1, 1.0),
            verdict(1, 2, 0.5),
            verdict(2, 3, 1.0),
            PairVerdict {
                sample: 1,
                ..verdict(0, 1, 0.0)
            },
        ];
        let sides = position_bias(&verdicts, 0.01).unwrap();
        assert_eq!(
            (sides.n, sides.ties, sides.p, sides.flagged),
            (3, 1, 0.5, false)
        );
        assert!((sides.share.value - 2.5 / 3.0).abs() < 1e-12);
        assert_eq!(position_bias(&[], 0.01), None);
    }

    #[test]
    fn exchanged_sides_should_keep_the_winner() {
        let verdicts = [
            // The same winner, twice; the same side; a tie; shown in one order only; a repetition,
            // which is no exchange.
            verdict(5, 2, 1.0),
            verdict(2, 5, 0.0),
            verdict(2, 6, 1.0),
            verdict(6, 2, 0.0),
            verdict(0, 1, 1.0),
            verdict(1, 0, 1.0),
            verdict(3, 4, 0.5),
            verdict(4, 3, 1.0),
            verdict(6, 7, 1.0),
            PairVerdict {
                sample: 1,
                ..verdict(7, 6, 1.0)
            },
        ];
        let consistency = position_consistency(&verdicts).unwrap();
        assert_eq!((consistency.n, consistency.ties), (3, 1));
        assert!((consistency.share.unwrap().value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(position_consistency(&verdicts[8..]), None);
    }

    #[test]
    fn the_first_repetition_counts() {
        let again = |sample, first, second, score| PairVerdict {
            sample,
            ..verdict(first, second, score)
        };
        let verdicts = [
            verdict(0, 1, 1.0),
            again(1, 0, 1, 1.0),
            again(2, 0, 1, 0.0),
            verdict(2, 1, 0.0),
            again(1, 2, 1, 0.5),
            again(1, 8, 9, 1.0),
        ];
        let repetition = repetition(&verdicts).unwrap();
        assert_eq!(
            (
                repetition.n,
                repetition.ties,
                repetition.share.unwrap().value
            ),
            (1, 1, 1.0)
        );
    }
}
