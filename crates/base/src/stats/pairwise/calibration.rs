//! Calibration of a judge: its stated confidence against agreement with the ranking. Hides the
//! grouping by confidence. There is no truth to compare with: a ranking that
//! errs makes a sound judge look too sure, and one that was fitted to the same verdicts makes a
//! poor judge look right.

use std::{collections::BTreeMap, f64::consts::PI};

use serde::Serialize;

use super::Predicted;

/// Stated confidence against agreement with the ranking, over decided verdicts on which the ranking
/// has a preference. A judge that means what it says agrees in 80 % of the verdicts that it gives
/// with a confidence of 0.8.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Verdicts; ties, repetitions and those without a prediction other than 0.5 are left out.
    pub n: u64,
    /// Brier score (Brier 1950): mean of (confidence − agreement)², agreement being 1 or 0; 0.25
    /// for always saying 0.5.
    pub brier: f64,
    /// Expected calibration error (Naeini et al. 2015): mean over verdicts of |confidence −
    /// agreement of the level|.
    pub ece: f64,
    /// The `ece` of a perfectly calibrated judge with so few verdicts; at each level about the mean
    /// deviation of a normal distribution, √(2 c (1 − c) / (π n)).
    pub ece_by_chance: f64,
    /// The levels of confidence that occurred, lowest first.
    pub levels: Vec<ConfidenceLevel>,
}

/// The verdicts given with one confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceLevel {
    /// Stated confidence, in steps of 0.05.
    pub confidence: f64,
    /// Verdicts.
    pub n: u64,
    /// Share in which the named winner is the item that the ranking prefers (its predicted
    /// probability is above 0.5).
    pub agreement: f64,
    /// Mean predicted probability of the named winner.
    pub predicted: f64,
}

/// The calibration of one judge.
pub fn calibration(verdicts: &[Predicted]) -> Option<Calibration> {
    let mut levels: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut brier = 0.0;
    for (seen, predicted) in verdicts
        .iter()
        // At one half the ranking prefers neither, and agreement has no meaning.
        .filter(|(seen, p)| seen.sample == 0 && *p != Some(0.5))
    {
        let (Some(first_won), Some(p), Some(confidence)) =
            (seen.first_won(), predicted, seen.confidence)
        else {
            continue;
        };
        let winner = if first_won { *p } else { 1.0 - p };
        brier += (confidence - agrees(winner)).powi(2);
        levels
            // Steps of 0.05, the ones that judges are offered.
            .entry((confidence * 20.0).round() as u32)
            .or_default()
            .push(winner);
    }
    let levels: Vec<ConfidenceLevel> = levels
        .into_iter()
        .map(|(twentieths, winners)| level(twentieths, &winners))
        .collect();
    let n: u64 = levels.iter().map(|level| level.n).sum();
    if n == 0 {
        return None;
    }
    let mean = |of: fn(&ConfidenceLevel) -> f64| {
        levels
            .iter()
            .map(|level| level.n as f64 * of(level))
            .sum::<f64>()
            / n as f64
    };
    let ece = mean(|level| (level.confidence - level.agreement).abs());
    let ece_by_chance =
        mean(|l| (2.0 * l.confidence * (1.0 - l.confidence) / (PI * l.n as f64)).sqrt());
    Some(Calibration {
        n,
        brier: brier / n as f64,
        ece,
        ece_by_chance,
        levels,
    })
}

fn level(twentieths: u32, winners: &[f64]) -> ConfidenceLevel {
    let n = winners.len() as f64;
    ConfidenceLevel {
        confidence: f64::from(twentieths) / 20.0,
        n: winners.len() as u64,
        agreement: winners.iter().map(|p| agrees(*p)).sum::<f64>() / n,
        predicted: winners.iter().sum::<f64>() / n,
    }
}

fn agrees(winner: f64) -> f64 {
    f64::from(u8::from(winner > 0.5))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

    use super::{
        super::{PairVerdict, verdict},
        *,
    };

    #[test]
    fn a_few_verdicts_by_hand() {
        let sure = |score, confidence| PairVerdict {
            confidence: Some(confidence),
            ..verdict(0, 1, score)
        };
        let verdicts = [
            (sure(1.0, 0.8), Some(0.7)),
            (sure(0.0, 0.8), Some(0.9)),
            (sure(0.0, 1.0), Some(0.4)),
            // Without effect: a tie, no preference, no prediction, a repetition.
            (sure(0.5, 0.5), Some(0.7)),
            (sure(1.0, 0.8), Some(0.5)),
            (sure(1.0, 0.8), None),
            (
                PairVerdict {
                    sample: 1,
                    ..sure(1.0, 0.8)
                },
                Some(0.7),
            ),
        ];
        let card = calibration(&verdicts).unwrap();
        let rows: Vec<_> = card
            .levels
            .iter()
            .map(|l| (l.confidence, l.n, l.agreement))
            .collect();
        assert_eq!((card.n, rows), (3, vec![(0.8, 2, 0.5), (1.0, 1, 1.0)]));
        assert!((card.levels[0].predicted - 0.4).abs() < 1e-12);
        assert!((card.brier - (0.04 + 0.64 + 0.0) / 3.0).abs() < 1e-12);
        assert!((card.ece - 2.0 / 3.0 * 0.3).abs() < 1e-12);
        assert!((card.ece_by_chance - 2.0 / 3.0 * (0.16 / PI).sqrt()).abs() < 1e-12);
        assert_eq!(calibration(&verdicts[3..]), None);
    }

    /// Judges who agree with the ranking in `confidence + surplus` of the verdicts: mean error, and
    /// that by chance.
    fn errors(surplus: f64) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut total = (0.0, 0.0);
        for _ in 0..200 {
            let verdicts: Vec<Predicted> = (0..300)
                .map(|_| {
                    let confidence = 0.55 + 0.05 * f64::from(rng.random_range(0..8_u8));
                    let agrees = rng.random_bool((confidence + surplus).min(1.0));
                    (
                        PairVerdict {
                            confidence: Some(confidence),
                            ..verdict(0, 1, 1.0)
                        },
                        Some(if agrees { 0.8 } else { 0.2 }),
                    )
                })
                .collect();
            let card = calibration(&verdicts).unwrap();
            total = (
                total.0 + card.ece / 200.0,
                total.1 + card.ece_by_chance / 200.0,
            );
        }
        total
    }

    #[test]
    fn an_honest_judge_errs_as_much_as_chance_does_and_a_boaster_more() {
        let (honest, by_chance) = errors(0.0);
        assert!(
            (honest / by_chance - 1.0).abs() < 0.05,
            "{honest} and not {by_chance}"
        );
        let (boaster, _) = errors(-0.2);
        assert!((boaster - 0.2).abs() < 0.02, "{boaster}");
    }
}
