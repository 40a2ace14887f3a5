//! Results as they come in: `incremental/<criterion>_results.jsonl`, one report a line. Taking them
//! into a file of reports again goes by model and query, so that no grade reaches another model.

use std::collections::{BTreeMap, btree_map::Entry};

use super::{
    FileRead, KIND_HINT, Problem, Spot,
    field::{Field, FieldPath, Shape},
    reports::{Report, ReportsFile},
};
use crate::{
    benchmarks::live_research_bench::{Criterion, facts},
    text::records,
};

/// Lines of incremental results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incremental {
    /// Each line that is an object, with its number from 1.
    pub lines: Vec<(usize, Report)>,
}

/// How lines were taken into a file of reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// Reports that have a block from a line now.
    pub attached: usize,
    /// Numbers of lines that a later line on the same report stands for.
    pub superseded: Vec<usize>,
    /// Numbers of lines with a model and a query that the file does not have.
    pub unmatched: Vec<usize>,
    /// Reports of the file that no line is about.
    pub ungraded: usize,
}

impl Incremental {
    /// Reads the lines of a file; broken ones are problems and lose no others.
    pub fn read(file: &str, bytes: &[u8]) -> FileRead<Self> {
        let mut lines = Vec::new();
        let mut problems = Vec::new();
        let mut problem = |spot, why, hint| {
            problems.push(Problem {
                file: file.to_owned(),
                spot,
                why,
                hint,
            });
        };
        for (line, record) in records::read(bytes) {
            let report = record.and_then(|object| {
                Report::from_json(object.into()).map_err(|_| "not an object".to_owned())
            });
            match report {
                Ok(report) => {
                    let mut faults = Vec::new();
                    report.faults(&mut FieldPath::default(), &mut faults);
                    for fault in faults {
                        let spot = Spot::LineField(line, fault.path.clone());
                        problem(spot, fault.to_string(), KIND_HINT);
                    }
                    lines.push((line, report));
                }
                Err(why) => problem(
                    Spot::Line(line),
                    why,
                    "the line is left out; a last line that is cut off was being written",
                ),
            }
        }
        let value = Self { lines };
        FileRead { value, problems }
    }

    /// Text of the file: a JSON object a line.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for (_, report) in &self.lines {
            // Keys are texts and numbers are finite: there is nothing that cannot be written.
            text.push_str(&serde_json::to_string(report).unwrap_or_default());
            text.push('\n');
        }
        text
    }

    /// The reports that the lines of several criteria are about, each once with all its blocks.
    pub fn joined(of: &[(Criterion, Self)]) -> ReportsFile {
        let mut reports: BTreeMap<(String, String), Report> = BTreeMap::new();
        for (_, report) in of.iter().flat_map(|(_, lines)| &lines.lines) {
            if let Some((model, query)) = report.key() {
                let key = (model.to_owned(), query);
                reports
                    .entry(key)
                    .or_insert_with(|| report.without_blocks());
            }
        }
        let reports = reports
            .into_values()
            .map(|report| Field::Read(Box::new(report)));
        let mut file = ReportsFile {
            reports: reports.collect::<Vec<_>>().into(),
            ..ReportsFile::default()
        };
        for (criterion, lines) in of {
            lines.attach(*criterion, &mut file);
        }
        file
    }

    /// The lines of a criterion: each report with that block alone.
    pub fn of_reports(criterion: Criterion, file: &ReportsFile) -> Self {
        let graded = file
            .reports()
            .filter(|(_, report)| !report.block(criterion).is_absent());
        let lines = graded.map(|(_, report)| {
            let mut line = report.without_blocks();
            line.query = Field::Absent;
            line.take_block(criterion, report.clone());
            line
        });
        Self {
            lines: (1..).zip(lines).collect(),
        }
    }

    /// The lines as a file of reports, so that it can be audited.
    pub fn into_reports(self) -> ReportsFile {
        let lines = self.lines.into_iter();
        let reports = lines.map(|(_, report)| Field::Read(Box::new(report)));
        ReportsFile {
            reports: reports.collect::<Vec<_>>().into(),
            ..ReportsFile::default()
        }
    }

    /// Gives each report of a file its own block of a criterion.
    ///
    /// Of several lines on one report the last one counts, because a file grows at its end; but a
    /// line that holds no usable grade does not supersede one that does.
    pub fn attach(&self, criterion: Criterion, file: &mut ReportsFile) -> Attached {
        let mut result = Attached::default();
        let mut best = self.best_lines(criterion, &mut result);
        let Field::Read(reports) = &mut file.reports else {
            return result;
        };
        for field in reports {
            let Field::Read(report) = field else { continue };
            let key = report.key().map(|(model, query)| (model.to_owned(), query));
            match key.and_then(|key| best.get_mut(&key)) {
                Some(line) => {
                    report.take_block(criterion, line.report.clone());
                    line.used = true;
                    result.attached += 1;
                }
                None => result.ungraded += 1,
            }
        }
        let unused = best.values().filter(|line| !line.used);
        result.unmatched.extend(unused.map(|line| line.number));
        result.unmatched.sort_unstable();
        result
    }

    /// The line that counts for each model and query.
    fn best_lines(
        &self,
        criterion: Criterion,
        result: &mut Attached,
    ) -> BTreeMap<(String, String), Line<'_>> {
        let mut best: BTreeMap<_, Line<'_>> = BTreeMap::new();
        for (number, report) in &self.lines {
            if report.block(criterion).is_absent() {
                continue;
            }
            let Some((model, query)) = report.key() else {
                result.unmatched.push(*number);
                continue;
            };
            let line = Line {
                number: *number,
                report,
                usable: facts::usable(report, criterion),
                used: false,
            };
            match best.entry((model.to_owned(), query)) {
                Entry::Vacant(vacant) => {
                    vacant.insert(line);
                }
                Entry::Occupied(earlier) if earlier.get().usable && !line.usable => {
                    result.superseded.push(line.number);
                }
                Entry::Occupied(mut earlier) => {
                    result.superseded.push(earlier.insert(line).number);
                }
            }
        }
        best
    }
}

/// A line with a block.
struct Line<'a> {
    number: usize,
    report: &'a Report,
    /// Whether its block scores.
    usable: bool,
    /// Whether a report took it.
    used: bool,
}
