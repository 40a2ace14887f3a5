//! What a panel says of each statement of a report.

use std::collections::BTreeMap;

use anyhow::Result;

use super::decide;
use crate::{
    data::{Cause, Instrument, Judgement},
    evidence::support::Stance,
    store::{PanelJudgements, StoredJudgement},
};

/// By the statement's id what the panel decides, or why it has no verdict.
pub type Stances = BTreeMap<String, Result<Stance, String>>;

/// The panel's stances on the statements of a report.
pub fn panel(
    judgements: &PanelJudgements<'_>,
    instrument: Instrument,
    report: &str,
) -> Result<Stances> {
    Ok(of_panel(&by_judge(judgements, instrument, report)?))
}

/// Each judge's stance on each statement.
pub fn by_judge(
    judgements: &PanelJudgements<'_>,
    instrument: Instrument,
    report: &str,
) -> Result<Vec<Judgement<Stance, Cause>>> {
    let label = |stored: &StoredJudgement<'_>| stored.label::<Stance>();
    judgements.read_bare(instrument, report, label)
}

/// The panel's stance on each.
pub fn of_panel(all: &[Judgement<Stance, Cause>]) -> Stances {
    let by_statement = all.chunk_by(|a, b| a.about == b.about);
    by_statement
        .map(|of| {
            let outcomes = of.iter().map(|judgement| judgement.outcome);
            (of[0].about.clone(), decide(outcomes))
        })
        .collect()
}
