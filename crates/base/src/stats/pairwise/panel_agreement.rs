//! Agreement of a panel: how alike its members decide the questions that several of them were
//! asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{PairVerdict, Predicted};
use crate::stats::agreement::{self, Level};

/// Agreement of judges with each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PanelAgreement {
    /// Questions that two or more judges decided.
    pub n: u64,
    /// Share of pairs of verdicts on the same question that name the same winner.
    pub share: Option<f64>,
    /// Krippendorff's alpha, nominal: 0 is chance, 1 is perfect agreement.
    pub alpha: Option<f64>,
}

/// Agreement of the panel's first verdicts on the same question, sides included; none where no
/// question was put to two judges.
pub fn panel_agreement(verdicts: &[Predicted]) -> Option<PanelAgreement> {
    let judges: BTreeSet<u32> = verdicts.iter().map(|(seen, _)| seen.judge).collect();
    let number: BTreeMap<u32, usize> = judges.into_iter().zip(0..).collect();
    let mut questions: BTreeMap<(u32, u32), Vec<Option<f64>>> = BTreeMap::new();
    for PairVerdict {
        first,
        second,
        judge,
        score,
        ..
    } in verdicts
        .iter()
        .map(|(seen, _)| *seen)
        .filter(|s| s.sample == 0)
    {
        questions
            // By sides: the same pair the other way round is another question.
            .entry((first, second))
            .or_insert_with(|| vec![None; number.len()])[number[&judge]] = Some(score);
    }
    let mut shared: Vec<Vec<Option<f64>>> = questions.into_values().collect();
    shared.retain(|verdicts| verdicts.iter().flatten().count() > 1);
    (!shared.is_empty()).then(|| PanelAgreement {
        n: shared.len() as u64,
        share: agreement::percent(&shared),
        alpha: agreement::krippendorff(&shared, Level::Nominal),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::verdict, *};

    #[test]
    fn two_judges_by_hand() {
        let of = |judge, first, second, score| {
            (
                PairVerdict {
                    judge,
                    ..verdict(first, second, score)
                },
                None,
            )
        };
        assert_eq!(panel_agreement(&[of(0, 0, 1, 1.0), of(0, 1, 2, 1.0)]), None);
        // Three of four the same; alpha = 1 − 7 · (2 of 8 verdicts differ) / (2 · 5 · 3) = 1 − 14 /
        // 30.
        let verdicts = [
            (0, 1, 1.0, 1.0),
            (1, 2, 1.0, 1.0),
            (2, 3, 1.0, 0.0),
            (3, 4, 0.0, 0.0),
        ];
        let both: Vec<Predicted> = verdicts
            .iter()
            .flat_map(|&(a, b, one, two)| [of(0, a, b, one), of(5, a, b, two)])
            .collect();
        let found = panel_agreement(&both).expect("they share questions");
        assert_eq!((found.n, found.share), (4, Some(0.75)));
        assert!(
            (found.alpha.expect("both labels occur") - (1.0 - 14.0 / 30.0)).abs() < 1e-12,
            "{found:?}"
        );
    }
}
