//! Verdicts on the ten items as a block of LiveResearchBench's result files.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{FORM, ITEM, questions};
use crate::{
    benchmarks::live_research_bench::files::ItemFact,
    evaluate::deep_eval::items::{Reason, reasoned},
    lint::presentation::Item,
    store::{PanelJudgements, StoredJudgement},
};

/// The faults that code found in an item.
#[derive(Deserialize)]
struct Faults {
    faults: Vec<Fault>,
    number: usize,
}

#[derive(Deserialize)]
struct Fault {
    what: String,
    line: usize,
}

impl Faults {
    fn sentence(&self) -> String {
        let Some(first) = self.faults.first() else {
            return "decided by code: no fault".to_owned();
        };
        let more = match self.number {
            0 | 1 => String::new(),
            n => format!(" (one of {n})"),
        };
        format!("decided by code: line {}: {}{more}", first.line, first.what)
    }
}

/// What code and a judge say of the items of a report; those that neither decided are not there. None
/// where the judge decided none: what code decided alone is no judge's grade.
pub fn items_by(
    judgements: &PanelJudgements<'_>,
    report: &str,
    judge: &str,
) -> Result<Option<Vec<ItemFact>>> {
    let by_judge = judgements.said_by(ITEM, report, judge, reasoned)?;
    if by_judge.is_empty() {
        return Ok(None);
    }
    let of_code = |stored: &StoredJudgement<'_>| {
        Ok((stored.value()?, stored.payload::<Faults>()?.sentence()))
    };
    let by_code = judgements.read_bare(FORM, report, of_code)?;
    let by_code = by_code.into_iter().filter(|of| is_of_code(&of.about));
    let mut said: BTreeMap<String, Reason> = by_code
        .filter_map(|of| Some((of.about, of.outcome.ok()?)))
        .collect();
    let readers = questions::of_readers();
    said.extend(
        by_judge
            .into_iter()
            .filter(|(item, _)| readers.contains(item)),
    );
    let number = |name: &str| name.strip_prefix('p').and_then(|n| n.parse().ok());
    let mut items: Vec<ItemFact> = said
        .into_iter()
        .filter_map(|(name, (value, reason))| {
            Some(ItemFact {
                number: number(&name)?,
                passes: value > 0.5,
                reason,
            })
        })
        .collect();
    items.sort_by_key(|item| item.number);
    Ok(Some(items))
}

fn is_of_code(name: &str) -> bool {
    Item::ALL.iter().any(|item| item.key() == name)
}
