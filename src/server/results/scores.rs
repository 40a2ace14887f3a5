//! The scores of reports on one task, measure by measure, as a table shows them.

use anyhow::Result;
use serde::Serialize;

use crate::{
    data::{MeasureDef, ReportHead, Task},
    evaluate::{self, measures, scorecard::ReportScores},
    store::Store,
};

/// A measure, and what each report has by it.
#[derive(Serialize)]
pub struct Line {
    label: &'static str,
    meaning: &'static str,
    unit: &'static str,
    cells: Vec<Cell>,
}

/// A value of a report.
#[derive(Serialize)]
struct Cell {
    /// As people read it; a dash where there is none.
    value: String,
    /// Why there is none, or how many judgements it leaves out.
    why: String,
}

/// The measures that any of the reports has a value by, with the values of each.
pub fn lines(store: &Store, task: &Task, reports: &[ReportHead]) -> Result<Vec<Line>> {
    let mut scored = evaluate::scored(store, std::slice::from_ref(task), reports)?;
    // In the order in which they were asked for.
    scored.sort_by_key(|of| {
        reports
            .iter()
            .position(|head| head.id.as_str() == of.report)
    });
    let has = |measure: &&MeasureDef| scored.iter().any(|of| of.value(measure.key).is_some());
    let line = |measure: &MeasureDef| Line {
        label: measure.label,
        meaning: measure.meaning,
        unit: measure.unit.sign(),
        cells: scored.iter().map(|of| cell(measure, of)).collect(),
    };
    Ok(measures().filter(has).map(line).collect())
}

fn cell(measure: &MeasureDef, of: &ReportScores) -> Cell {
    let Some(score) = of.score(measure.key) else {
        let why = if of.is_ok() {
            "not evaluated".to_owned()
        } else {
            of.state.clone()
        };
        return Cell {
            value: measure.print(None),
            why,
        };
    };
    let why = match &score.outcome {
        Err(cause) => cause.replace('_', " "),
        Ok(_) if score.unscored > 0 => format!("{} without a verdict", score.unscored),
        Ok(_) => String::new(),
    };
    Cell {
        value: measure.print(score.value()),
        why,
    }
}
