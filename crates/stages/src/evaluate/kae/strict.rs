//! Relations under stricter rules than the paper's: a fourth answer for what a report says in part,
//! the sentence that decides is named, and several key points are asked about in one question, so
//! that the report is read once for all of them.

use std::marker::PhantomData;

use anyhow::Result;
use serde_json::json;

use super::relations::{Compared, ROLE, STRICT};
use crate::{
    context::{Context, StageReport},
    evaluate::numbered::NumberedReport,
    judging::{
        batch::{self, BatchForm, Subject},
        relate::{self, RelatedEach},
    },
};

pub const PROMPT: &str = "evaluate/relations";

/// Asks each judge about the points of each report, at most so many at once, and leaves out what is
/// decided already.
pub async fn relate(ctx: &Context, most: usize, compared: &[Compared<'_>]) -> Result<StageReport> {
    let subjects: Vec<Subject<NumberedReport<'_>>> = compared.iter().map(subject).collect();
    let form = BatchForm {
        stage: "relations",
        instrument: STRICT,
        role: ROLE,
        prompt: PROMPT,
        most,
        vars: &NumberedReport::vars,
        schema: &relate::schema_of_each,
        tokens: relate::tokens_of_each,
        check: &|reply: &RelatedEach, shown: &NumberedReport<'_>| reply.check(shown.lines().len()),
        reply: PhantomData,
    };
    batch::judge(ctx, &form, &subjects).await
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
