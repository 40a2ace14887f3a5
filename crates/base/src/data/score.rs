//! Scores of reports by people.

use serde::{Deserialize, Serialize};

use super::ReportId;

/// A score that a person gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonScore {
    /// The report.
    pub report: ReportId,
    /// A criterion of its task's checklist by name; none is the whole report.
    pub criterion: Option<String>,
    /// Who gave it.
    pub rater: String,
    /// 0 to 10.
    pub value: f64,
}
