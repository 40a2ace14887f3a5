//! The audit of a ranking's judges: one card of checks, computed from the verdicts alone. Hides
//! which verdicts a check may use; a check with nothing to compute from is `None`. The statistics
//! behind the checks are in `stats::pairwise`.

use std::collections::BTreeMap;

use rand::Rng;
use serde::Serialize;

use crate::stats::{
    correlation::{self, Correlation},
    pairwise::{
        PairVerdict, Predicted,
        better_than_chance::{BetterThanChance, better_than_chance},
        calibration::{Calibration, calibration},
        panel_agreement::{PanelAgreement, panel_agreement},
        position_bias::{
            PositionBias, RepeatAgreement, position_bias, position_consistency, repetition,
        },
        transitivity::{Intransitivity, intransitivity},
    },
};

/// What an audit is made from.
#[derive(Clone, Copy, Debug)]
pub struct AuditInput<'a> {
    /// The verdicts in the order in which they were asked.
    pub verdicts: &'a [PairVerdict],
    /// For each verdict the probability that its first side wins, by a model of the ranking; NaN
    /// where there is none. Predictions of a fit that has seen the verdict itself flatter the
    /// judge; a fit to the other verdicts does not.
    pub predicted: &'a [f64],
    /// The same without the judge's position bias: which item the ranking prefers. Else a judge
    /// that always names one side would agree with itself.
    pub preferred: &'a [f64],
    /// The ranking's score of each item.
    pub scores: &'a [f64],
    /// The length of each item's text, in any unit.
    pub lengths: &'a [f64],
}

/// Thresholds of the checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// A preference for one side is flagged when a fair judge shows one as strong less often than
    /// this.
    pub side_alpha: f64,
    /// A judge is better than chance when chance does as well with a smaller probability than this.
    pub chance_alpha: f64,
    /// Most triples of items that are searched for intransitivity.
    pub triples: usize,
}

impl Default for Thresholds {
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
    /// Whether verdicts are intransitive.
    pub intransitivity: Option<Intransitivity>,
    /// Spearman correlation of the ranking's scores with the lengths of the texts.
    pub length: Option<Correlation>,
    /// How many games the items had.
    pub coverage: Option<Coverage>,
    /// Verdicts left out, because they name no two items or hold a number out of range.
    pub ignored: u64,
}

/// The audit of one judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeAudit {
    /// Which judge.
    pub judge: u32,
    /// Whether it prefers the side shown first, or the other.
    pub position_bias: Option<PositionBias>,
    /// Whether it names the same winner when the sides are exchanged.
    pub position_consistency: Option<RepeatAgreement>,
    /// Whether it names the same winner when asked again.
    pub repetition: Option<RepeatAgreement>,
    /// The calibration of its stated confidence.
    pub calibration: Option<Calibration>,
    /// Whether it is better than chance.
    pub better_than_chance: Option<BetterThanChance>,
}

impl JudgeAudit {
    /// Leaves out what is said of sides, where it would be no result.
    pub(super) fn forget_sides(&mut self) {
        self.position_bias = None;
        self.position_consistency = None;
    }
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
pub fn audit(input: &AuditInput, thresholds: &Thresholds, rng: &mut impl Rng) -> Audit {
    let verdicts = usable(input, input.predicted);
    let mut by_judge: BTreeMap<u32, Vec<Predicted>> = BTreeMap::new();
    // By what the ranking prefers, without the judge's own side: see the field.
    for verdict in &usable(input, input.preferred) {
        by_judge.entry(verdict.0.judge).or_default().push(*verdict);
    }
    // Lengths are optional; of another number they cannot be matched to items.
    let aligned = input.scores.len() == input.lengths.len();
    Audit {
        judges: by_judge
            .into_iter()
            .map(|(judge, verdicts)| judge_audit(judge, &verdicts, thresholds))
            .collect(),
        panel: panel_agreement(&verdicts),
        intransitivity: intransitivity(&verdicts, thresholds.triples, rng),
        length: if aligned && !verdicts.is_empty() {
            correlation::spearman(input.scores, input.lengths)
        } else {
            None
        },
        coverage: coverage(&verdicts, input.scores.len()),
        ignored: (input.verdicts.len() - verdicts.len()) as u64,
    }
}

fn judge_audit(judge: u32, verdicts: &[Predicted], thresholds: &Thresholds) -> JudgeAudit {
    let seen: Vec<PairVerdict> = verdicts.iter().map(|(seen, _)| *seen).collect();
    JudgeAudit {
        judge,
        position_bias: position_bias(&seen, thresholds.side_alpha),
        position_consistency: position_consistency(&seen),
        repetition: repetition(&seen),
        calibration: calibration(verdicts),
        better_than_chance: better_than_chance(&seen, thresholds.chance_alpha),
    }
}

fn usable(input: &AuditInput, predicted: &[f64]) -> Vec<Predicted> {
    let predicted = predicted
        .iter()
        // NaN is in no range, so that what is not known falls out here.
        .map(|p| (0.0..=1.0).contains(p).then_some(*p));
    let verdicts = input
        .verdicts
        .iter()
        .copied()
        // Too few predictions leave the rest without one; the verdicts still count.
        .zip(predicted.chain(std::iter::repeat(None)));
    let n_items = input.scores.len();
    verdicts
        .filter(|(seen, _)| is_sound(seen, n_items))
        .collect()
}

fn is_sound(seen: &PairVerdict, n_items: usize) -> bool {
    let known = |item: u32| (item as usize) < n_items;
    known(seen.first)
        && known(seen.second)
        // An item against itself tells nothing and would pass for a circle of one.
        && seen.first != seen.second
        && (0.0..=1.0).contains(&seen.score)
        && seen
            .confidence
            .is_none_or(|confidence| (0.5..=1.0).contains(&confidence))
}

fn coverage(verdicts: &[Predicted], items: usize) -> Option<Coverage> {
    let mut games = vec![0_u64; items];
    // Repetitions of a question are no further games.
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
    use proptest::prelude::*;
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    /// The first verdict of judge 0 on a pair, with confidence 0.8.
    fn verdict(first: u32, second: u32, score: f64) -> PairVerdict {
        PairVerdict {
            first,
            second,
            judge: 0,
            sample: 0,
            score,
            confidence: Some(0.8),
        }
    }

    fn audited(verdicts: &[PairVerdict], items: usize) -> Audit {
        let (predicted, scores) = (
            vec![0.6; verdicts.len()],
            (0..items).map(|i| i as f64).collect::<Vec<_>>(),
        );
        let input = AuditInput {
            verdicts,
            predicted: &predicted,
            preferred: &predicted,
            scores: &scores,
            lengths: &scores,
        };
        audit(
            &input,
            &Thresholds::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        )
    }

    #[test]
    fn nothing_is_audited_without_panic_or_number() {
        let nothing = Audit {
            judges: Vec::new(),
            panel: None,
            intransitivity: None,
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
        let good = verdict(0, 1, 1.0);
        let odd = [
            PairVerdict { first: 9, ..good },
            PairVerdict { second: 0, ..good },
            PairVerdict {
                score: f64::NAN,
                ..good
            },
            PairVerdict { score: 1.5, ..good },
            PairVerdict {
                confidence: Some(f64::NAN),
                ..good
            },
            good,
        ];
        let card = audited(&odd, 3);
        assert_eq!(
            (card.ignored, card.judges[0].position_bias.unwrap().n),
            (5, 1)
        );
    }

    #[test]
    fn coverage_counts_games_and_not_repetitions() {
        let again = PairVerdict {
            sample: 1,
            ..verdict(0, 1, 1.0)
        };
        let coverage = audited(&[verdict(0, 1, 1.0), again, verdict(2, 0, 0.5)], 4)
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
        let other = PairVerdict {
            judge: 7,
            ..verdict(0, 1, 0.0)
        };
        let card = audited(&[other, verdict(0, 1, 1.0), verdict(1, 2, 1.0)], 3);
        let shares: Vec<_> = card
            .judges
            .iter()
            .map(|j| (j.judge, j.position_bias.unwrap().share.value))
            .collect();
        assert_eq!(shares, [(0, 1.0), (7, 0.0)]);
    }

    #[test]
    fn predictions_may_be_missing() {
        let verdicts = [verdict(0, 1, 1.0), verdict(1, 2, 1.0), verdict(2, 0, 1.0)];
        let input = AuditInput {
            verdicts: &verdicts,
            predicted: &[0.6, f64::NAN],
            preferred: &[0.6],
            scores: &[0.0; 3],
            lengths: &[],
        };
        let card = audit(
            &input,
            &Thresholds::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        );
        assert_eq!(
            (
                card.judges[0].calibration.as_ref().unwrap().n,
                card.intransitivity,
                card.length
            ),
            (1, None, None)
        );
        assert_eq!(card.judges[0].position_bias.unwrap().n, 3);
    }

    /// A judge that always names the second one agrees with what is expected of it, and not with
    /// the ranking.
    #[test]
    fn agreement_is_with_the_ranking_and_not_with_a_habit() {
        let verdicts = [verdict(0, 1, 0.0), verdict(1, 0, 0.0)];
        let input = AuditInput {
            verdicts: &verdicts,
            predicted: &[0.01, 0.02],
            preferred: &[0.7, 0.3],
            scores: &[1.0, 0.0],
            lengths: &[],
        };
        let card = audit(
            &input,
            &Thresholds::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        );
        let level = card.judges[0].calibration.as_ref().unwrap().levels[0];
        assert!((level.agreement - 0.5).abs() < 1e-12, "{level:?}");
    }

    #[test]
    fn what_cannot_be_computed_is_null() {
        let text =
            serde_json::to_string(&audited(&[verdict(0, 1, 1.0), verdict(1, 0, 0.5)], 2)).unwrap();
        assert!(
            text.contains(r#""position_consistency":{"n":0,"ties":1,"share":null}"#),
            "{text}"
        );
    }

    /// A verdict of one of two judges on two of seven items, and a prediction.
    fn any_verdict() -> impl Strategy<Value = (PairVerdict, f64)> {
        (0..7_u32, 1..7_u32, 0..2_u32, 0..2_u32, 0..3_u8, 0..20_u8).prop_map(
            |(first, step, judge, sample, half_points, twentieths)| {
                let second = (first + step) % 7;
                let score = f64::from(half_points) / 2.0;
                let verdict = PairVerdict {
                    judge,
                    sample,
                    ..verdict(first, second, score)
                };
                (verdict, (f64::from(twentieths) + 0.5) / 20.0)
            },
        )
    }

    fn audit_of(rows: &[(PairVerdict, f64)]) -> Audit {
        let verdicts: Vec<PairVerdict> = rows.iter().map(|row| row.0).collect();
        let predicted: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let scores: Vec<f64> = (0..7).map(|i| f64::from(i * i % 7)).collect();
        let input = AuditInput {
            verdicts: &verdicts,
            predicted: &predicted,
            preferred: &predicted,
            scores: &scores,
            lengths: &scores,
        };
        audit(
            &input,
            &Thresholds::default(),
            &mut ChaCha8Rng::seed_from_u64(0),
        )
    }

    fn close(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-9
    }

    fn both_close(x: Option<f64>, y: Option<f64>) -> bool {
        x.is_some() == y.is_some() && x.zip(y).is_none_or(|(x, y)| close(x, y))
    }

    fn assert_mirrored(bias: Option<PositionBias>, swapped: Option<PositionBias>) {
        let (Some(bias), Some(swapped)) = (bias, swapped) else {
            assert_eq!(bias, swapped);
            return;
        };
        assert_eq!((bias.n, bias.ties), (swapped.n, swapped.ties));
        assert_eq!(bias.flagged, swapped.flagged);
        assert!(close(bias.p, swapped.p));
        assert!(close(bias.share.value, 1.0 - swapped.share.value));
        assert!(close(bias.share.low, 1.0 - swapped.share.high));
    }

    fn assert_same_test(test: Option<BetterThanChance>, swapped: Option<BetterThanChance>) {
        let (Some(test), Some(swapped)) = (test, swapped) else {
            assert_eq!(test, swapped);
            return;
        };
        assert!(both_close(test.z, swapped.z));
        assert!(close(test.expected_z, swapped.expected_z));
        assert_eq!(
            (test.n, test.has_power, test.significant),
            (swapped.n, swapped.has_power, swapped.significant)
        );
    }

    fn assert_same_calibration(x: Option<&Calibration>, y: Option<&Calibration>) {
        let (Some(x), Some(y)) = (x, y) else {
            assert_eq!(x, y);
            return;
        };
        assert_eq!(x.n, y.n);
        assert!(close(x.brier, y.brier) && close(x.ece, y.ece));
    }

    /// The same verdict with the two sides swapped, and the winner's letter, too.
    fn swap_sides(verdict: &PairVerdict) -> PairVerdict {
        PairVerdict {
            first: verdict.second,
            second: verdict.first,
            score: 1.0 - verdict.score,
            ..*verdict
        }
    }

    proptest! {
        /// Sides are an accident of the draw: only the position bias knows of them, and it mirrors.
        #[test]
        fn swapped_sides_change_no_aggregate(rows in proptest::collection::vec(any_verdict(), 1..150)) {
            let swapped: Vec<(PairVerdict, f64)> =
                rows.iter().map(|(verdict, p)| (swap_sides(verdict), 1.0 - p)).collect();
            let (before, after) = (audit_of(&rows), audit_of(&swapped));
            prop_assert_eq!(before.coverage, after.coverage);
            prop_assert_eq!(before.length, after.length);
            prop_assert_eq!(before.ignored, after.ignored);
            prop_assert_eq!(before.panel.is_some(), after.panel.is_some());
            if let (Some(x), Some(y)) = (before.panel, after.panel) {
                prop_assert_eq!(x.n, y.n);
                prop_assert!(both_close(x.share, y.share) && both_close(x.alpha, y.alpha));
            }
            prop_assert_eq!(before.intransitivity.is_some(), after.intransitivity.is_some());
            if let (Some(x), Some(y)) = (before.intransitivity, after.intransitivity) {
                prop_assert_eq!((x.n, x.sampled), (y.n, y.sampled));
                prop_assert!(close(x.share, y.share) && close(x.expected, y.expected));
                prop_assert!(close(x.standard_error, y.standard_error));
            }
            prop_assert_eq!(before.judges.len(), after.judges.len());
            for (x, y) in before.judges.iter().zip(&after.judges) {
                assert_mirrored(x.position_bias, y.position_bias);
                assert_same_test(x.better_than_chance, y.better_than_chance);
                assert_same_calibration(x.calibration.as_ref(), y.calibration.as_ref());
                prop_assert_eq!(x.position_consistency, y.position_consistency);
                prop_assert_eq!(x.repetition, y.repetition);
            }
        }
    }
}
