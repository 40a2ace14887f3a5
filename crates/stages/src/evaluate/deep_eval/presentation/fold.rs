//! From stored verdicts on the ten items to the presentation of a report.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{FORM, ITEM, ITEMS, KEY, questions};
use crate::{
    data::{Score, Task},
    evaluate::{
        deep_eval::items,
        evaluator::{Fold, Folded, Record, Reported},
        scorecard::CriterionScore,
    },
    lint::presentation::Item,
    store::Evaluation,
};

/// Scores reports by the items that they pass.
pub struct PresentationFold {
    /// Judges in force; none where nobody was asked.
    panel: usize,
}

impl PresentationFold {
    pub fn new(evaluation: &Evaluation) -> Self {
        Self {
            panel: evaluation.in_force(ITEM).panel.len(),
        }
    }
}

impl Fold for PresentationFold {
    fn score(&self, record: &Record<'_>, _task: &Task, report: Reported<'_>) -> Result<Folded> {
        let mut folded = Folded::default();
        if self.panel == 0 {
            return Ok(folded);
        }
        let id = report.id.as_str();
        let of_code = Item::ALL.map(|item| item.key().to_owned());
        let by_code = items::verdicts(&record.judgements, FORM, id)?;
        let by_code = items::passed(&by_code, &of_code, 1);
        let of_readers = questions::of_readers();
        let by_readers = items::verdicts(&record.judgements, ITEM, id)?;
        let by_readers = items::passed(&by_readers, &of_readers, self.panel);

        let decided = by_code.decided + by_readers.decided;
        let score = match decided {
            0 => Score::missing("unscored"),
            _ => Score::ratio(by_code.passed + by_readers.passed, decided as f64),
        };
        for of in [&by_code, &by_readers] {
            for (cause, n) in &of.unscored {
                *folded.unscored.entry(cause.clone()).or_default() += n;
            }
        }
        let unscored = folded.unscored.values().sum();
        folded.scores.insert(KEY, Score { unscored, ..score });
        let both: BTreeMap<String, Result<f64, String>> =
            by_code.items.into_iter().chain(by_readers.items).collect();
        let criteria = both.iter().map(|(name, outcome)| CriterionScore {
            name: name.as_str().into(),
            weight: 1.0 / ITEMS.len() as f64,
            value: outcome.as_ref().ok().copied(),
            ends: None,
        });
        folded.criteria.insert(KEY, criteria.collect());
        for (name, outcome) in both {
            let key = ITEMS.iter().find(|key| key.ends_with(&format!("_{name}")));
            if let Some(key) = key {
                let score = outcome.map_or_else(Score::missing, |share| Score::ratio(share, 1.0));
                folded.scores.insert(key, score);
            }
        }
        if self.panel > 1 {
            let whole = |(judge, passed): (String, f64)| {
                (judge, (by_code.passed + passed) / ITEMS.len() as f64)
            };
            let by_judge = by_readers.by_judge.into_iter().map(whole).collect();
            folded.by_judge.insert(KEY, by_judge);
        }
        Ok(folded)
    }
}
