//! How often a model says what code says of the items that code decides.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{FORM, ITEM, Presentation};
use crate::{
    evaluate::{
        deep_eval::{items, panel},
        evaluator::{Evaluator as _, Work, about},
    },
    lint::presentation::Item,
    store::Evaluation,
};

/// A sentence for each item: of how many reports both say the same, and how they differ.
pub fn with_code(evaluator: &Presentation, work: &Work<'_>) -> Result<Vec<String>> {
    let instruments = evaluator.in_force(work.ctx, work.options)?;
    let evaluation = Evaluation { instruments };
    let judgements = work.ctx.store.panel_judgements(&evaluation)?;
    let mut counts: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for case in work.judged {
        let report = case.report.id.as_str();
        let by_code = items::verdicts(&judgements, FORM, report)?;
        let by_model = items::verdicts(&judgements, ITEM, report)?;
        for item in Item::ALL {
            let says = |verdicts| panel::mean(about(verdicts, item.key())).mean;
            let (Some(code), Some(model)) = (says(&by_code), says(&by_model)) else {
                continue;
            };
            let place = usize::from(code < 0.5) * 2 + usize::from(model < 0.5);
            counts.entry(item.key()).or_default()[place] += 1;
        }
    }
    let sentence = |(item, [passed, only_code, only_model, failed]): (&str, [u64; 4])| {
        let all = passed + only_code + only_model + failed;
        format!(
            "{item}: the model and code agree on {} of {all} reports; {only_code} pass by code alone, {only_model} by the model alone",
            passed + failed
        )
    };
    Ok(counts.into_iter().map(sentence).collect())
}
