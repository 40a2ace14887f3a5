//! Verdicts on statements as a result file of Wiki Live Challenge.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::{IN_GOLD, IN_REPORT, ReportStatements, gather::GoldStatements};
use crate::{
    benchmarks::wiki_live_challenge::{
        files::VerifiabilityFile,
        made::{self, StatementFact},
    },
    data::{Instrument, ReportId},
    evidence::support::Stance,
    store::{PanelJudgements, StoredJudgement},
};

/// A verdict with what is kept of it.
#[derive(Clone)]
pub struct Verdict {
    /// What the other text says.
    pub stance: Stance,
    /// Its words that decide; empty where it is silent.
    pub quote: String,
    /// The judge's reason.
    pub reason: String,
}

/// A stored verdict.
pub fn verdict(stored: &StoredJudgement<'_>) -> Result<Verdict> {
    #[derive(Deserialize)]
    struct Payload {
        #[serde(default)]
        reason: String,
        #[serde(default)]
        quote: String,
    }
    let Payload { reason, quote } = stored.payload()?;
    Ok(Verdict {
        stance: stored.label()?,
        quote,
        reason,
    })
}

/// What a judge says of the statements of a report and of its gold article; none where it says
/// nothing.
pub fn facts_by(
    judgements: &PanelJudgements<'_>,
    own: &ReportStatements<'_>,
    (report, text): (&ReportId, &str),
    gold: &GoldStatements,
    title: &str,
    judge: &str,
) -> Result<Option<VerifiabilityFile>> {
    let said = |instrument: Instrument| -> Result<BTreeMap<String, Verdict>> {
        judgements.said_by(instrument, report.as_str(), judge, verdict)
    };
    let (in_report, in_gold) = (said(IN_REPORT)?, said(IN_GOLD)?);
    if in_report.is_empty() && in_gold.is_empty() {
        return Ok(None);
    }
    let agent = facts(gold.of_report(own.of(report, text)?), in_gold);
    let wiki = facts(gold.statements.clone(), in_report);
    Ok(Some(VerifiabilityFile::of_verdicts(title, &agent, &wiki)))
}

fn facts(
    statements: Vec<(String, String)>,
    mut said: BTreeMap<String, Verdict>,
) -> Vec<StatementFact> {
    let facts = statements.into_iter().map(|(id, text)| {
        let verdict = said.remove(&id);
        let word = verdict.as_ref().map(|of| match of.stance {
            Stance::Supports => made::Verdict::Supported,
            Stance::Contradicts => made::Verdict::Contradicted,
            Stance::Silent => made::Verdict::NotSupported,
        });
        let (quote, reason) = verdict.map(|of| (of.quote, of.reason)).unwrap_or_default();
        StatementFact {
            text,
            verdict: word,
            quote,
            reason,
        }
    });
    facts.collect()
}
