//! Relations under stricter rules than the paper's: a fourth answer for what a report says in part,
//! the sentence that decides is named, and several key points are asked about in one question, so
//! that the report is read once for all of them.

use std::{marker::PhantomData, sync::OnceLock};

use anyhow::Result;
use serde_json::{Value, json};

use super::relations::{Compared, ROLE, STRICT};
use crate::{
    context::{Context, StageReport},
    evaluate::Case,
    evidence::reading,
    judging::{
        batch::{self, BatchForm, Subject},
        relate::{self, RelatedEach},
    },
};

pub const PROMPT: &str = "evaluate/relations";

/// A report as judges see it.
struct Shown<'a> {
    case: Case<'a>,
    /// Its sentences, headings, items and rows, each in a line: read when first asked about.
    lines: OnceLock<Vec<String>>,
}

impl Shown<'_> {
    fn lines(&self) -> &[String] {
        let read = || reading::lines(&self.case.report.text);
        self.lines.get_or_init(read)
    }

    fn vars(&self) -> Value {
        json!({ "task": self.case.task.text, "report": numbered(self.lines()) })
    }
}

/// Asks each judge about the points of each report, at most so many at once, and leaves out what is
/// decided already.
pub async fn relate(ctx: &Context, most: usize, compared: &[Compared<'_>]) -> Result<StageReport> {
    let subjects: Vec<Subject<Shown<'_>>> = compared.iter().map(subject).collect();
    let form = BatchForm {
        stage: "relations",
        instrument: STRICT,
        role: ROLE,
        prompt: PROMPT,
        most,
        vars: &Shown::vars,
        schema: &relate::schema_of_each,
        tokens: relate::tokens_of_each,
        check: &|reply: &RelatedEach, shown: &Shown<'_>| reply.check(shown.lines().len()),
        reply: PhantomData,
    };
    batch::judge(ctx, &form, &subjects).await
}

fn subject<'a>((case, points): &Compared<'a>) -> Subject<Shown<'a>> {
    Subject {
        id: case.report.id.to_string(),
        items: points
            .iter()
            .map(|point| (point.id.to_string(), json!(point.text)))
            .collect(),
        of: Shown {
            case: *case,
            lines: OnceLock::new(),
        },
        keep: json!({}),
    }
}

/// One text with a number before each line. A sentence holds no line break, so that no report can
/// number its own.
fn numbered(sentences: &[String]) -> Value {
    let lines = sentences.iter().zip(1..);
    let lines: Vec<String> = lines.map(|(text, n)| format!("{n} {text}")).collect();
    json!(lines.join("\n"))
}
