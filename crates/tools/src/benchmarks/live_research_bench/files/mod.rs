//! LiveResearchBench's files, typed: reports with their grading blocks, results as they come in,
//! summaries, averages. Reading and writing again gives the same JSON value; unknown fields and
//! fields of another kind are kept, and the latter are reported.

mod blocks;
mod field;
mod incremental;
mod made;
mod reports;
mod summary;

use serde::Serialize;
use serde_json::error::Category;

pub use crate::benchmarks::problem::{FileRead, Problem, Spot};
pub use blocks::{
    ChecklistBlock, ChecklistSummary, Comparison, DepthBlock, DimensionScores, IssueBlock, Item,
    Order, Side, SideFlaws, SideScores, Winner,
};
pub use field::{Fault, Field, FieldPath, Named, Object, QueryId, Shape, bare_id, excerpt};
pub use incremental::{Attached, Incremental};
pub use made::{ComparisonFact, ItemFact};
pub use reports::{Block, Metadata, Removed, Report, ReportsFile};
pub use summary::{
    AveragedFrom, ByJudge, CriterionFigures, DepthFigures, JudgeGames, PointwiseFigures,
    SummaryFile, SummaryMetadata, figure,
};

const KIND_HINT: &str = "the field is left out of every figure; grade this report again";

/// Reads a file that is one JSON object.
fn read_object<T: Shape>(
    file: &str,
    bytes: &[u8],
    needed: &[&str],
) -> Result<FileRead<T>, Problem> {
    let problem = |spot, why, hint| Problem {
        file: file.to_owned(),
        spot,
        why,
        hint,
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let object: Object = serde_json::from_slice(bytes).map_err(|e| {
        let why = format!("not a JSON object: {e}");
        problem(Spot::Line(e.line()), why, json_hint(&e))
    })?;
    if let Some(missing) = needed.iter().find(|name| !object.contains_key(**name)) {
        let why = format!("no field `{missing}`");
        let hint = "is this the right file? the names of its fields are in the benchmark's guide";
        return Err(problem(Spot::Field((*missing).to_owned()), why, hint));
    }
    let value = T::from_json(object.into()).map_err(|_| {
        let why = format!("not {}", T::KIND);
        problem(Spot::Line(1), why, "is this the right file?")
    })?;
    let mut faults = Vec::new();
    value.faults(&mut FieldPath::default(), &mut faults);
    let problems = faults
        .into_iter()
        .map(|fault| {
            problem(
                Spot::Field(fault.path.clone()),
                fault.to_string(),
                KIND_HINT,
            )
        })
        .collect();
    Ok(FileRead { value, problems })
}

fn json_hint(error: &serde_json::Error) -> &'static str {
    match error.classify() {
        Category::Eof => "the file ends too early: was its writer stopped? write it again",
        Category::Syntax => "mend that line; NaN and Infinity are not JSON: write null",
        _ => "is this the right file?",
    }
}

/// Text of a file: JSON with two spaces, as the benchmark writes it.
fn write_object(value: &impl Serialize) -> String {
    // Keys are texts and numbers are finite, so that nothing here cannot be written.
    serde_json::to_string_pretty(value).unwrap_or_default()
}
