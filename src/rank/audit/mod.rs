//! How far can the judge of a ranking be believed? One card of checks, computed from the verdicts
//! alone. Hides which verdicts a check may use and the statistics behind it; a check with nothing
//! to compute from is `None`.

mod calibration;
mod chance;
mod cycles;
mod panel;
mod sides;

use std::collections::BTreeMap;

use rand::Rng;
use serde::Serialize;

pub use calibration::{Calibration, Level};
pub use chance::{Chance, chance, standing_doubt};
pub use cycles::Cycles;
pub use panel::PanelAgreement;
pub use sides::{Agreement, FirstSide};

use crate::stats::correlation::{self, Correlation};

/// A verdict as the audit sees it. Items are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The item shown first.
    pub first: u32,
    /// The item shown second.
    pub second: u32,
    /// Who judged.
    pub judge: u32,
    /// Repetition of the same question on the same sides; 0 where it was asked first.
    pub sample: u32,
    /// 1 where the first side won, 0 where the second did, 0.5 for a tie.
    pub score: f64,
    /// How sure the judge said it was, 0.5 to 1, if it was asked.
    pub confidence: Option<f64>,
}

impl Seen {
    /// Whether the first side won; none for a tie.
    fn first_won(&self) -> Option<bool> {
        ((self.score - 0.5).abs() > 1e-9).then_some(self.score > 0.5)
    }

    /// The two items, whichever was shown first.
    fn pair(&self) -> (u32, u32) {
        (self.first.min(self.second), self.first.max(self.second))
    }
}

/// A verdict with a predicted probability that its first side wins, if there is one.
type Predicted = (Seen, Option<f64>);

/// What an audit is made from.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The verdicts in the order in which they were asked.
    pub verdicts: &'a [Seen],
    /// For each verdict the probability that its first side wins, by a model of the ranking; NaN
    /// where there is none. Predictions of a fit that has seen the verdict itself flatter the
    /// judge; a fit to the other verdicts does not.
    pub predicted: &'a [f64],
    /// The same without the judge's preference for a side: which item the ranking holds for the
    /// better one. Else a judge that always names one side would agree with itself.
    pub preferred: &'a [f64],
    /// The ranking's score of each item.
    pub scores: &'a [f64],
    /// The length of each item's text, in any unit.
    pub lengths: &'a [f64],
}

/// From where on a check speaks up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// A preference for one side is flagged when a fair judge shows one as strong less often than
    /// this.
    pub side_alpha: f64,
    /// A judge is told from chance when chance does as well less often than this.
    pub chance_alpha: f64,
    /// Most triples of items that are searched for cycles.
    pub triples: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            side_alpha: 0.01,
            chance_alpha: 0.001,
            triples: 100_000,
        }
    }
}

/// The audit card of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// Each member of the panel, by number. Members see the same pairs on the same sides, so their
    /// verdicts are not independent, and one that guesses would hide behind the others: each is
    /// audited alone.
    pub judges: Vec<JudgeAudit>,
    /// Whether its members decide alike.
    pub panel: Option<PanelAgreement>,
    /// Whether verdicts contradict each other in circles.
    pub cycles: Option<Cycles>,
    /// Spearman correlation of the ranking's scores with the lengths of the texts.
    pub length: Option<Correlation>,
    /// How many games the items had.
    pub coverage: Option<Coverage>,
    /// Verdicts left out, because they name no two items or hold a number out of range.
    pub ignored: u64,
}

/// What is known of one judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeAudit {
    /// Which judge.
    pub judge: u32,
    /// Whether it prefers the side shown first, or the other.
    pub first_side: Option<FirstSide>,
    /// Whether it names the same winner when the sides are exchanged.
    pub position_consistency: Option<Agreement>,
    /// Whether it names the same winner when asked again.
    pub repetition: Option<Agreement>,
    /// Whether its stated confidence can be taken at its word.
    pub calibration: Option<Calibration>,
    /// Whether it can be told from chance.
    pub chance: Option<Chance>,
}

/// Games per item. Questions asked again on the same sides are no new games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// Items.
    pub n: u64,
    /// Share of the items with at least one game, 0 to 1.
    pub judged: f64,
    /// Mean number of games.
    pub mean: f64,
    /// Fewest games of an item.
    pub min: u64,
    /// Most games of an item.
    pub max: u64,
}

/// Audits a ranking. The random source is asked only where there are more triples than the limit.
pub fn audit(evidence: &Evidence, limits: &Limits, rng: &mut impl Rng) -> Audit {
    let verdicts = usable(evidence, evidence.predicted);
    let mut by_judge: BTreeMap<u32, Vec<Predicted>> = BTreeMap::new();
    for verdict in &usable(evidence, evidence.preferred) {
        by_judge.entry(verdict.0.judge).or_default().push(*verdict);
    }
    let aligned = evidence.scores.len() == evidence.lengths.len();
    Audit {
        judges: by_judge
            .into_iter()
            .map(|(judge, verdicts)| judge_audit(judge, &verdicts, limits))
            .collect(),
        panel: panel::agreement(&verdicts),
        cycles: cycles::cycles(&verdicts, limits.triples, rng),
        length: if aligned && !verdicts.is_empty() {
            correlation::spearman(evidence.scores, evidence.lengths)
        } else {
            None
        },
        coverage: coverage(&verdicts, evidence.scores.len()),
        ignored: (evidence.verdicts.len() - verdicts.len()) as u64,
    }
}

fn judge_audit(judge: u32, verdicts: &[Predicted], limits: &Limits) -> JudgeAudit {
    let seen: Vec<Seen> = verdicts.iter().map(|(seen, _)| *seen).collect();
    JudgeAudit {
        judge,
        first_side: sides::first_side(&seen, limits.side_alpha),
        position_consistency: sides::position_consistency(&seen),
        repetition: sides::repetition(&seen),
        calibration: calibration::calibration(verdicts),
        chance: chance(&seen, limits.chance_alpha),
    }
}

fn usable(evidence: &Evidence, predicted: &[f64]) -> Vec<Predicted> {
    let known = |item: u32| (item as usize) < evidence.scores.len();
    let sound = |seen: &Seen| {
        known(seen.first)
            && known(seen.second)
            && seen.first != seen.second
            && (0.0..=1.0).contains(&seen.score)
            && seen
                .confidence
                .is_none_or(|confidence| (0.5..=1.0).contains(&confidence))
    };
    let predicted = predicted
        .iter()
        .map(|p| (0.0..=1.0).contains(p).then_some(*p));
    let verdicts = evidence
        .verdicts
        .iter()
        .copied()
        .zip(predicted.chain(std::iter::repeat(None)));
    verdicts.filter(|(seen, _)| sound(seen)).collect()
}

fn coverage(verdicts: &[Predicted], items: usize) -> Option<Coverage> {
    let mut games = vec![0_u64; items];
    for (seen, _) in verdicts.iter().filter(|(seen, _)| seen.sample == 0) {
        games[seen.first as usize] += 1;
        games[seen.second as usize] += 1;
    }
    let judged = games.iter().filter(|games| **games > 0).count();
    Some(Coverage {
        n: items as u64,
        judged: judged as f64 / items as f64,
        mean: games.iter().sum::<u64>() as f64 / items as f64,
        min: *games.iter().min()?,
        max: *games.iter().max()?,
    })
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    /// The first verdict of judge 0 on a pair, with confidence 0.8.
    pub(super) fn seen(first: u32, second: u32, score: f64) -> Seen {
        Seen {
            first,
            second,
            judge: 0,
            sample: 0,
            score,
            confidence: Some(0.8),
        }
    }

    fn audited(verdicts: &[Seen], items: usize) -> Audit {
        let (predicted, scores) = (
            vec![0.6; verdicts.len()],
            (0..items).map(|i| i as f64).collect::<Vec<_>>(),
        );
        let evidence = Evidence {
            verdicts,
            predicted: &predicted,
            preferred: &predicted,
            scores: &scores,
            lengths: &scores,
        };
        audit(
            &evidence,
            &Limits::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        )
    }

    #[test]
    fn nothing_is_audited_without_panic_or_number() {
        let nothing = Audit {
            judges: Vec::new(),
            panel: None,
            cycles: None,
            length: None,
            coverage: None,
            ignored: 0,
        };
        assert_eq!(audited(&[], 0), nothing);
        let idle = audited(&[], 1).coverage.unwrap();
        assert_eq!(
            idle,
            Coverage {
                n: 1,
                judged: 0.0,
                mean: 0.0,
                min: 0,
                max: 0
            }
        );
    }

    #[test]
    fn verdicts_that_say_nothing_are_counted_and_left_out() {
        let good = seen(0, 1, 1.0);
        let odd = [
            Seen { first: 9, ..good },
            Seen { second: 0, ..good },
            Seen {
                score: f64::NAN,
                ..good
            },
            Seen { score: 1.5, ..good },
            Seen {
                confidence: Some(f64::NAN),
                ..good
            },
            good,
        ];
        let card = audited(&odd, 3);
        assert_eq!((card.ignored, card.judges[0].first_side.unwrap().n), (5, 1));
    }

    #[test]
    fn coverage_counts_games_and_not_repetitions() {
        let again = Seen {
            sample: 1,
            ..seen(0, 1, 1.0)
        };
        let coverage = audited(&[seen(0, 1, 1.0), again, seen(2, 0, 0.5)], 4)
            .coverage
            .unwrap();
        assert_eq!(
            coverage,
            Coverage {
                n: 4,
                judged: 0.75,
                mean: 1.0,
                min: 0,
                max: 2
            }
        );
    }

    #[test]
    fn each_judge_has_a_card_of_its_own() {
        let other = Seen {
            judge: 7,
            ..seen(0, 1, 0.0)
        };
        let card = audited(&[other, seen(0, 1, 1.0), seen(1, 2, 1.0)], 3);
        let shares: Vec<_> = card
            .judges
            .iter()
            .map(|j| (j.judge, j.first_side.unwrap().share.value))
            .collect();
        assert_eq!(shares, [(0, 1.0), (7, 0.0)]);
    }

    #[test]
    fn predictions_may_be_missing() {
        let verdicts = [seen(0, 1, 1.0), seen(1, 2, 1.0), seen(2, 0, 1.0)];
        let evidence = Evidence {
            verdicts: &verdicts,
            predicted: &[0.6, f64::NAN],
            preferred: &[0.6],
            scores: &[0.0; 3],
            lengths: &[],
        };
        let card = audit(
            &evidence,
            &Limits::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        );
        assert_eq!(
            (
                card.judges[0].calibration.as_ref().unwrap().n,
                card.cycles,
                card.length
            ),
            (1, None, None)
        );
        assert_eq!(card.judges[0].first_side.unwrap().n, 3);
    }

    /// A judge that always names the second one agrees with what is expected of it, and not with
    /// the ranking.
    #[test]
    fn agreement_is_with_the_ranking_and_not_with_a_habit() {
        let verdicts = [seen(0, 1, 0.0), seen(1, 0, 0.0)];
        let evidence = Evidence {
            verdicts: &verdicts,
            predicted: &[0.01, 0.02],
            preferred: &[0.7, 0.3],
            scores: &[1.0, 0.0],
            lengths: &[],
        };
        let card = audit(
            &evidence,
            &Limits::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        );
        let level = card.judges[0].calibration.as_ref().unwrap().levels[0];
        assert!((level.agreement - 0.5).abs() < 1e-12, "{level:?}");
    }

    #[test]
    fn what_cannot_be_computed_is_null() {
        let text = serde_json::to_string(&audited(&[seen(0, 1, 1.0), seen(1, 0, 0.5)], 2)).unwrap();
        assert!(
            text.contains(r#""position_consistency":{"n":0,"ties":1,"share":null}"#),
            "{text}"
        );
    }
}
