//! What is wrong in a result file: findings with their place, each for one cause. Hides which
//! stored number is checked against which facts, and which of two alarms on one cause is kept.

mod blocks;
mod finding;
mod summaries;

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Criterion, copies,
    facts::Known,
    files::{Block, Report, ReportsFile},
    recompute::{criteria, references},
};
pub use finding::{Finding, Kind, Place};
pub use summaries::{audit_average_beside, audit_summary, audit_summary_beside};

/// Numbers that differ by no more are the same, since files hold rounded ones.
const ROUNDING: f64 = 0.05;

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > ROUNDING
}

/// Findings by kind.
pub fn counts(findings: &[Finding]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.kind.word()).or_default() += 1;
    }
    counts
}

/// Audits a file of graded reports: first what concerns several reports, then report by report.
pub fn audit(file: &ReportsFile, known: &Known) -> Vec<Finding> {
    let mut findings = repeated(file);
    let copied = copies::find(file);
    let mut places: BTreeSet<(usize, Criterion)> = BTreeSet::new();
    for group in copied {
        places.extend(group.reports.iter().map(|at| (*at, group.criterion)));
        findings.push(Finding {
            place: Place {
                query: Some(group.query),
                criterion: Some(group.criterion),
                ..Place::default()
            },
            kind: Kind::CopiedGrade {
                models: group.models.into_iter().collect(),
            },
        });
    }
    let whole = Whole {
        known,
        criteria: criteria(file, known),
        references: references(file, known),
        copied: places,
    };
    let listed = file.reports.get().into_iter().flatten().enumerate();
    for (at, field) in listed {
        match field.get() {
            Some(report) => whole.report(at, report, &mut findings),
            None => findings.push(Finding {
                place: Place {
                    field: Some(format!("reports[{at}]")),
                    ..Place::default()
                },
                kind: Kind::NoReport,
            }),
        }
    }
    findings
}

fn repeated(file: &ReportsFile) -> Vec<Finding> {
    let mut seen: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let keys = file.reports().filter_map(|(_, report)| report.key());
    for key in keys {
        *seen.entry(key).or_default() += 1;
    }
    let repeated = seen.into_iter().filter(|(_, times)| *times > 1);
    let findings = repeated.map(|((model, query), times)| Finding {
        place: Place {
            model: Some(model.to_owned()),
            query: Some(query),
            ..Place::default()
        },
        kind: Kind::RepeatedReport { times },
    });
    findings.collect()
}

/// What concerns the file as a whole.
struct Whole<'a> {
    known: &'a Known,
    criteria: BTreeSet<Criterion>,
    references: BTreeSet<String>,
    copied: BTreeSet<(usize, Criterion)>,
}

impl Whole<'_> {
    fn report(&self, at: usize, report: &Report, findings: &mut Vec<Finding>) {
        let place = Place {
            model: report.model_name.get().cloned(),
            query: report.query_id.get().map(super::files::QueryId::bare),
            ..Place::default()
        };
        if report.key().is_none() {
            let place = Place {
                field: Some(format!("reports[{at}]")),
                ..place.clone()
            };
            findings.push(Finding {
                place,
                kind: Kind::NoReport,
            });
        }
        for criterion in &self.criteria {
            let place = Place {
                criterion: Some(*criterion),
                ..place.clone()
            };
            let is_copied = self.copied.contains(&(at, *criterion));
            self.block(report, *criterion, is_copied, &place, findings);
        }
    }

    fn block(
        &self,
        report: &Report,
        criterion: Criterion,
        is_copied: bool,
        place: &Place,
        findings: &mut Vec<Finding>,
    ) {
        let block = report.block(criterion);
        if let Some(error) = block.error() {
            let error = super::files::excerpt(error);
            findings.push(place.finding(None, Kind::GradingFailed { error }));
            return;
        }
        match block {
            Block::Absent => {
                let is_reference = || {
                    let model = report.model_name.get();
                    model.is_some_and(|model| self.references.contains(model))
                };
                // The reference is not compared with itself.
                if criterion != Criterion::Depth || !is_reference() {
                    findings.push(place.finding(None, Kind::Ungraded));
                }
            }
            Block::Broken(_) => findings.push(place.finding(None, Kind::BrokenBlock)),
            Block::Issues(block) => blocks::issues(block, place, findings),
            Block::Checklist(block) => {
                let of = self.known.items(criterion, report, block);
                blocks::checklist(block, criterion, of, place, findings);
            }
            Block::Depth(block) => {
                let model = report.model_name.get().filter(|_| !is_copied);
                blocks::depth(block, model, place, findings);
            }
        }
    }
}
