//! Relations under stricter rules than the paper's: a fourth answer for what a report says in part,
//! the sentence that decides is named, and several key points are asked about in one question, so
//! that the report is read once for all of them.

use std::marker::PhantomData;

use anyhow::Result;
use serde_json::json;

use super::{
    hidden,
    question::{Compared, ROLE},
    relations::STRICT,
};
use crate::{
    context::{Context, StageReport},
    data::{HIDDEN_RELATION, Instrument},
    evaluate::{Case, numbered::NumberedReport},
    judging::{
        batch::{self, BatchForm, Subject},
        relate::{self, RelatedEach},
    },
};

pub const PROMPT: &str = "evaluate/relations";

/// Stretches of the reports, between which points with a known relation are asked about: few enough
/// that waiting at their ends costs little.
const STRETCHES: usize = 4;

/// Asks each judge about the points of each report, at most so many at once, and leaves out what is
/// decided already. Points with a known relation stand between stretches of the reports.
pub async fn relate(ctx: &Context, most: usize, compared: &[Compared<'_>]) -> Result<StageReport> {
    let hidden = hidden::Stretches::begin(ctx, PROMPT, compared)?;
    let mut report = StageReport::new("relations");
    let wanted = if hidden.is_empty() { 1 } else { STRETCHES };
    let length = compared.len().div_ceil(wanted).max(1);
    let stretches = compared.len().div_ceil(length).max(1);
    for stretch in 0..stretches {
        let versions = hidden.of(stretch, stretches);
        let probes: Vec<Subject<NumberedReport<'_>>> = versions.iter().map(probe).collect();
        batch::judge(ctx, &form(HIDDEN_RELATION, most), &probes).await?;
        hidden.check(ctx)?;
        let (from, to) = (
            stretch * length,
            ((stretch + 1) * length).min(compared.len()),
        );
        let subjects: Vec<Subject<NumberedReport<'_>>> =
            compared[from..to].iter().map(subject).collect();
        report.absorb(batch::judge(ctx, &form(STRICT, most), &subjects).await?);
    }
    hidden.report(ctx, &mut report)?;
    Ok(report)
}

fn form<'a>(instrument: Instrument, most: usize) -> BatchForm<'a, NumberedReport<'a>, RelatedEach> {
    BatchForm {
        stage: "relations",
        instrument,
        role: ROLE,
        prompt: PROMPT,
        most,
        vars: &NumberedReport::vars,
        schema: &relate::schema_of_each,
        tokens: relate::tokens_of_each,
        check: &|reply: &RelatedEach, shown: &NumberedReport<'_>| reply.check(shown.lines().len()),
        reply: PhantomData,
    }
}

fn probe<'a>(version: &'a hidden::Version<'_>) -> Subject<NumberedReport<'a>> {
    Subject {
        id: version.report.id.to_string(),
        items: vec![version.item.clone()],
        of: NumberedReport::new(Case {
            task: version.task,
            report: &version.report,
        }),
        keep: version.keep.clone(),
    }
}

fn subject<'a>((case, points): &Compared<'a>) -> Subject<NumberedReport<'a>> {
    Subject {
        id: case.report.id.to_string(),
        items: points
            .iter()
            .map(|point| (point.id.to_string(), json!(point.text)))
            .collect(),
        of: NumberedReport::new(*case),
        keep: json!({}),
    }
}
