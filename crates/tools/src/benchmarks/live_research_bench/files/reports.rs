//! Reports with their grading blocks: `reports_<stamp>.json` before grading and
//! `detailed_results_<time>.json` after it are one format.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    FileRead, Problem,
    blocks::{ChecklistBlock, DepthBlock, IssueBlock},
    field::{Fault, Field, FieldPath, Object, QueryId, Shape, bare_id, record},
    read_object, write_object,
};
use crate::benchmarks::live_research_bench::Criterion;

record! {
    /// File of reports, graded or not.
    ReportsFile {
        /// What was read, and when.
        metadata: Metadata,
        /// The reports.
        reports: Vec<Field<Box<Report>>>,
    }
}

record! {
    /// Metadata of a file of reports. The times of gradings, `<provider>_grading_completed_at`, are
    /// in `rest`.
    Metadata {
        /// When the file was made.
        timestamp: String,
        /// Number of reports.
        total_reports: u64,
        /// Number of models.
        total_models: u64,
        /// Folder of the reports.
        base_path: String,
        /// Whether dates in questions are the day's.
        use_realtime: bool,
    }
}

impl Metadata {
    /// When a provider's grading was complete.
    pub fn completed_at(&self, provider: &str) -> Option<&str> {
        let name = format!("{provider}_grading_completed_at");
        self.rest.get(&name).and_then(Value::as_str)
    }
}

record! {
    /// Report with its grading blocks: an entry of a file of reports, or a line of incremental
    /// results.
    Report {
        /// Model that wrote it.
        model_name: String,
        /// Id of the query, with or without the prefix `qid_`.
        query_id: QueryId,
        /// The query; incremental results do without.
        query: String,
        /// File of the report.
        report_file_path: String,
        /// When the line was written; only incremental results have it.
        graded_at: String,
        /// Block of presentation.
        presentation ("presentation_grading_results"): Box<ChecklistBlock>,
        /// Block of coverage.
        coverage ("coverage_grading_results"): Box<ChecklistBlock>,
        /// Block of consistency.
        consistency ("consistency_grading_results"): Box<IssueBlock>,
        /// Block of citation association.
        citation ("citation_grading_results"): Box<IssueBlock>,
        /// Block of depth.
        depth ("depth_grading_results"): Box<DepthBlock>,
    }
}

/// Grading block of a report.
#[derive(Clone, Copy, Debug)]
pub enum Block<'a> {
    /// None.
    Absent,
    /// A value that is no block.
    Broken(&'a Value),
    /// Presentation, coverage.
    Checklist(&'a ChecklistBlock),
    /// Consistency, citation.
    Issues(&'a IssueBlock),
    /// Depth.
    Depth(&'a DepthBlock),
}

impl<'a> Block<'a> {
    fn of<T>(field: &'a Field<Box<T>>, typed: impl FnOnce(&'a T) -> Self) -> Self {
        match field {
            Field::Absent | Field::Other(Value::Null) => Self::Absent,
            Field::Other(value) => Self::Broken(value),
            Field::Read(block) => typed(block),
        }
    }

    /// Whether there is none.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The block as JSON.
    pub fn value(&self) -> Value {
        let value = match self {
            Self::Absent => Ok(Value::Null),
            Self::Broken(value) => Ok((*value).clone()),
            Self::Checklist(block) => serde_json::to_value(block),
            Self::Issues(block) => serde_json::to_value(block),
            Self::Depth(block) => serde_json::to_value(block),
        };
        value.unwrap_or_default()
    }

    /// When it was graded.
    pub fn graded_at(&self) -> Option<&'a str> {
        let graded_at = match self {
            Self::Absent | Self::Broken(_) => None,
            Self::Checklist(block) => block.graded_at.get(),
            Self::Issues(block) => block.graded_at.get(),
            Self::Depth(block) => block.graded_at.get(),
        };
        graded_at.map(String::as_str)
    }

    /// The judge: its provider and its name.
    pub fn judge(&self) -> Option<(&'a str, &'a str)> {
        let (provider, model) = match self {
            Self::Absent | Self::Broken(_) => return None,
            Self::Checklist(block) => (block.provider.get(), block.model.get()),
            Self::Issues(block) => (block.provider.get(), block.model.get()),
            Self::Depth(block) => (block.provider.get(), block.model.get()),
        };
        Some((provider?, model?))
    }

    /// Why the grader says that it graded nothing.
    pub fn error(&self) -> Option<&'a str> {
        let error = match self {
            Self::Absent | Self::Broken(_) => None,
            Self::Checklist(block) => block.error.get(),
            Self::Issues(block) => block.error.get(),
            Self::Depth(block) => block.error.get(),
        };
        error.map(String::as_str)
    }
}

impl Report {
    /// The grading block of a criterion.
    pub fn block(&self, criterion: Criterion) -> Block<'_> {
        match criterion {
            Criterion::Presentation => Block::of(&self.presentation, Block::Checklist),
            Criterion::Coverage => Block::of(&self.coverage, Block::Checklist),
            Criterion::Consistency => Block::of(&self.consistency, Block::Issues),
            Criterion::Citation => Block::of(&self.citation, Block::Issues),
            Criterion::Depth => Block::of(&self.depth, Block::Depth),
        }
    }

    /// Takes over the block of a criterion from another report.
    pub fn take_block(&mut self, criterion: Criterion, from: Report) {
        match criterion {
            Criterion::Presentation => self.presentation = from.presentation,
            Criterion::Coverage => self.coverage = from.coverage,
            Criterion::Consistency => self.consistency = from.consistency,
            Criterion::Citation => self.citation = from.citation,
            Criterion::Depth => self.depth = from.depth,
        }
    }

    /// The report without its grades.
    #[must_use]
    pub fn without_blocks(&self) -> Self {
        let mut bare = self.clone();
        for criterion in Criterion::ALL {
            bare.take_block(criterion, Self::default());
        }
        bare
    }

    /// The model and the bare id of the query, which together name a report.
    pub fn key(&self) -> Option<(&str, String)> {
        let model = self.model_name.get().filter(|name| !name.is_empty())?;
        Some((model, self.query_id.get()?.bare()))
    }
}

/// A report that was removed because an earlier one has its model and query.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// The report.
    pub report: Box<Report>,
    /// Whether it says the same as the one that stays, but for the prefix of the id.
    pub same: bool,
}

impl ReportsFile {
    /// Reads a file.
    pub fn read(file: &str, bytes: &[u8]) -> Result<FileRead<Self>, Problem> {
        let read: FileRead<Self> = read_object(file, bytes, &["reports"])?;
        match read.value.reports {
            Field::Read(_) => Ok(read),
            _ => Err(Problem {
                file: file.to_owned(),
                spot: super::Spot::Field("reports".to_owned()),
                why: "not a list".to_owned(),
                hint: "is this the right file? a file of reports lists them in `reports`",
            }),
        }
    }

    /// Text of the file.
    pub fn write(&self) -> String {
        write_object(self)
    }

    /// The reports that are objects, each with its place in the list.
    pub fn reports(&self) -> impl Iterator<Item = (usize, &Report)> {
        let listed = self.reports.get().into_iter().flatten().enumerate();
        listed.filter_map(|(at, report)| Some((at, &**report.get()?)))
    }

    /// The judge that the first block names: its provider and its name.
    pub fn judge(&self) -> Option<(&str, &str)> {
        self.reports().find_map(|(_, report)| {
            Criterion::ALL
                .into_iter()
                .find_map(|criterion| report.block(criterion).judge())
        })
    }

    /// The report of a model on a query; the id may have the prefix `qid_` or not.
    pub fn find(&self, model: &str, query_id: &str) -> Option<&Report> {
        let query_id = bare_id(query_id);
        self.reports().map(|(_, report)| report).find(|report| {
            report
                .key()
                .is_some_and(|(m, q)| m == model && q == query_id)
        })
    }

    /// Removes all but the first report of each model and query, and returns what was removed.
    pub fn remove_duplicates(&mut self) -> Vec<Removed> {
        let mut kept: BTreeMap<(String, String), Box<Report>> = BTreeMap::new();
        let mut removed = Vec::new();
        let Field::Read(reports) = &mut self.reports else {
            return removed;
        };
        reports.retain(|field| {
            let Some((report, (model, query))) =
                field.get().and_then(|report| Some((report, report.key()?)))
            else {
                return true;
            };
            let mut report = report.clone();
            let key = (model.to_owned(), query);
            match kept.get(&key) {
                None => {
                    kept.insert(key, report);
                    true
                }
                Some(first) => {
                    let own_id = std::mem::replace(&mut report.query_id, first.query_id.clone());
                    let same = report == *first;
                    report.query_id = own_id;
                    removed.push(Removed { report, same });
                    false
                }
            }
        });
        removed
    }
}
