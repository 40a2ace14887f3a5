//! What is to be checked of a report, as a program counts it: the ids of its statements, the words
//! of them that are shown, and the plan on record.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Case, Options, evaluator::Work, options::MOST_URLS};
use crate::{
    data::{DecidedBy, Decision, Instrument, Statement, id::sha256_hex},
    judging::{self, DecisionOfCode},
    text::words,
};

/// Characters of a statement that are shown; a table's row may be as long as a page.
const LONGEST: usize = 1_500;

/// The program that counts, by what it takes of a report.
pub fn program(name: &str, options: &Options) -> String {
    match options.most_urls {
        MOST_URLS => name.to_owned(),
        most => format!("{name} of the first {most} URLs"),
    }
}

/// The settings that decide which statements there are.
pub fn settings(options: &Options) -> Value {
    match options.most_urls {
        MOST_URLS => json!({}),
        most => json!({ "most_urls": most }),
    }
}

/// The id of a statement that is held against a page or several: with another one it is another
/// question.
pub fn id(statement: &Statement, pages: impl Serialize) -> String {
    short_hash(&json!([statement.text, pages]))
}

/// The words of a statement as judges see them.
pub fn shown(statement: &Statement) -> String {
    let line = words::one_line(&statement.text);
    line.chars().take(LONGEST).collect()
}

/// Puts the plan of a report on record, with a number that sums it up.
pub fn save(
    work: &Work<'_>,
    case: &Case<'_>,
    instrument: Instrument,
    program: &str,
    value: f64,
    plan: &impl Serialize,
) -> Result<()> {
    let payload = json!(plan);
    judging::decide_by_code(
        work.ctx,
        DecisionOfCode {
            instrument,
            subject: case.report.id.as_str(),
            other: None,
            sample: 0,
            decided_by: DecidedBy::Code(program),
            saw: &case.report.text,
            decision: Decision {
                value: Some(value),
                // Another plan is another decision, though the number may be the same.
                label: short_hash(&payload),
                confidence: None,
            },
            payload,
        },
    )?;
    Ok(())
}

fn short_hash(value: &Value) -> String {
    sha256_hex(value.to_string().as_bytes())[..16].to_owned()
}
