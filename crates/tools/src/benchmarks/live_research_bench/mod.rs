//! Here is a result file of LiveResearchBench: what does it say, and is that true? Reads and writes
//! the benchmark's files, finds what is wrong in them, and computes each model's figures again from
//! what the judges listed instead of from the stored numbers.
//!
//! Files: reports before and after grading ([`files::ReportsFile`]), results as they come in
//! ([`files::Incremental`]), summaries and averages ([`files::SummaryFile`]). A score that is not
//! there is unscored with a cause, never zero; a grade of one model is never another's.

pub mod audit;
pub mod averages;
pub mod copies;
pub mod depth;
pub mod facts;
pub mod files;
pub mod recompute;
pub mod rubric;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

/// Criterion of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Ten yes-or-no questions on form.
    Presentation,
    /// The query's own checklist.
    Coverage,
    /// Number of contradictions.
    Consistency,
    /// Number of major claims without a citation.
    Citation,
    /// Comparison with a reference report in both orders.
    Depth,
}

impl Criterion {
    /// All five, in the order of the benchmark's files.
    pub const ALL: [Self; 5] = [
        Self::Presentation,
        Self::Coverage,
        Self::Consistency,
        Self::Citation,
        Self::Depth,
    ];

    /// The four that have scores; depth has games.
    pub const SCORED: [Self; 4] = [
        Self::Presentation,
        Self::Coverage,
        Self::Consistency,
        Self::Citation,
    ];

    /// The name in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Presentation => "presentation",
            Self::Coverage => "coverage",
            Self::Consistency => "consistency",
            Self::Citation => "citation",
            Self::Depth => "depth",
        }
    }

    /// Name of the field with the grading block.
    pub fn block_name(self) -> &'static str {
        match self {
            Self::Presentation => "presentation_grading_results",
            Self::Coverage => "coverage_grading_results",
            Self::Consistency => "consistency_grading_results",
            Self::Citation => "citation_grading_results",
            Self::Depth => "depth_grading_results",
        }
    }

    /// The criterion of a file of incremental results by its name, with folders or without.
    pub fn of_incremental(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next()?;
        let word = file.strip_suffix("_results.jsonl")?;
        Self::ALL
            .into_iter()
            .find(|criterion| criterion.word() == word)
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
