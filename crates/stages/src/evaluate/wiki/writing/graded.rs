//! Verdicts by criteria as result files of Wiki Live Challenge, one for each order.

use anyhow::Result;
use serde::Deserialize as _;

use super::{CRITERION, Settings, ask::Order, fold::Preferred, terms};
use crate::{
    benchmarks::wiki_live_challenge::{
        files::{Winner, WritingFile},
        made::CriterionFact,
    },
    data::{GoldArticle, ReportId},
    evaluate::wiki::criteria,
    store::{Evaluation, PanelJudgements, StoredJudgement},
};

/// A judge's verdicts on a report beside its gold article, with the report first and with the gold
/// article first; none where it gave none in that order.
pub fn writing_by(
    judgements: &PanelJudgements<'_>,
    evaluation: &Evaluation,
    report: &ReportId,
    gold: &GoldArticle,
    judge: &str,
) -> Result<[Option<WritingFile>; 2]> {
    let settings = Settings::deserialize(&evaluation.in_force(CRITERION).settings);
    let settings = settings.unwrap_or_default();
    let terms = terms(gold, settings);
    let preferred =
        |stored: &StoredJudgement<'_>| Ok((stored.label::<Preferred>()?, stored.reason()?));
    let said = judgements.said_by(CRITERION, report.as_str(), judge, preferred)?;
    let files = Order::BOTH.map(|order| {
        let verdicts: Vec<CriterionFact> = criteria::built_in()
            .criteria
            .iter()
            .filter_map(|criterion| {
                let about = order.about(&criterion.id, &terms);
                let (preferred, reason) = said.get(&about)?;
                Some(CriterionFact {
                    id: criterion.id.clone(),
                    index: criterion.index as u64,
                    text: criterion.text.clone(),
                    winner: preferred.winner(order),
                    reason: reason.clone(),
                })
            })
            .collect();
        let first = match order {
            Order::ReportFirst => Winner::Gen,
            Order::GoldFirst => Winner::Gt,
        };
        let made = || WritingFile::of_verdicts(&gold.title, first, settings.ties, &verdicts);
        (!verdicts.is_empty()).then(made)
    });
    Ok(files)
}
