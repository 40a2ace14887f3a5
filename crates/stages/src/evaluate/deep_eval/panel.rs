//! The mean of a panel: each judge with a verdict counts the same, stands by itself beside the
//! mean, and those without one are counted by cause.

use std::collections::BTreeMap;

use crate::data::{Cause, Judgement};

/// What a panel says of one question.
#[derive(Debug, Default, PartialEq)]
pub struct PanelMean {
    /// The mean over the judges with a verdict; none without any.
    pub mean: Option<f64>,
    /// By judge.
    pub by_judge: BTreeMap<String, f64>,
    /// Judges without a verdict, by cause.
    pub unscored: BTreeMap<String, u64>,
}

/// The same, with the judges who were never asked, of a panel of so many.
pub fn mean_of(size: usize, judgements: &[Judgement<f64, Cause>]) -> PanelMean {
    let mut panel = mean(judgements);
    let missing = size.saturating_sub(judgements.len());
    if missing > 0 {
        panel.unscored.insert("missing".to_owned(), missing as u64);
    }
    panel
}

/// The mean of one value per judge.
pub fn mean(judgements: &[Judgement<f64, Cause>]) -> PanelMean {
    let mut panel = PanelMean::default();
    for judgement in judgements {
        match judgement.outcome {
            Ok(value) => {
                panel.by_judge.insert(judgement.judge.clone(), value);
            }
            Err(cause) => *panel.unscored.entry(cause.word().to_owned()).or_default() += 1,
        }
    }
    let n = panel.by_judge.len();
    panel.mean = (n > 0).then(|| panel.by_judge.values().sum::<f64>() / n as f64);
    panel
}
