//! p9: headings that are headings and tables that are tables.

use super::{Finding, Outcome, Rule, material::Material};
use crate::lint::{
    headings::{self, Heading},
    tables::Broken,
};

/// p9.
pub(super) fn markdown(material: &Material) -> Outcome {
    let headings = headings::read(&material.lines);
    let tables = &material.tables;
    let mut findings: Vec<Finding> = headings
        .iter()
        .filter_map(|(line, heading)| {
            let (rule, what) = match heading {
                Heading::Real(_) => return None,
                Heading::Empty(_) => (Rule::EmptyHeading, "the heading has no text"),
                Heading::Unspaced(_) => (Rule::UnspacedHeading, "a blank is missing behind `#`"),
                Heading::TooDeep => (Rule::TooDeepHeading, "headings have six `#` at most"),
                Heading::Bold => (Rule::BoldHeading, "bold face stands in for a heading"),
            };
            Some(material.lines[*line].finding(rule, what))
        })
        .collect();
    findings.extend(skipped_levels(material, &headings));
    findings.extend(tables.broken.iter().map(|broken| told(material, *broken)));
    let any_table = !tables.tables.is_empty();
    Outcome::of(any_table || !headings.is_empty(), findings)
}

/// Headings more than one level below the one before. The first may be of any level: a title may
/// stand outside of the report.
fn skipped_levels(material: &Material, headings: &[(usize, Heading)]) -> Vec<Finding> {
    let mut before = None;
    let mut findings = Vec::new();
    for (line, heading) in headings {
        let (Heading::Real(level) | Heading::Unspaced(level) | Heading::Empty(level)) = *heading
        else {
            continue;
        };
        if let Some(above) = before.replace(level).filter(|above| level > above + 1) {
            findings.push(material.lines[*line].finding(
                Rule::SkippedLevel,
                format!("a heading of level {level} follows one of level {above}"),
            ));
        }
    }
    findings
}

fn told(material: &Material, broken: Broken) -> Finding {
    match broken {
        Broken::NoDelimiter { line, rows } => {
            let what = match rows {
                1 => "this line looks like a row and belongs to no table".to_owned(),
                _ => format!("{rows} lines look like rows and belong to no table"),
            };
            let last = &material.lines[line + rows - 1];
            let mut finding = material.lines[line].finding(Rule::NoDelimiterRow, what);
            finding.end = last.finding(Rule::NoDelimiterRow, "").end;
            finding
        }
        Broken::WrongDelimiter {
            line,
            head,
            delimiters,
        } => material.lines[line].finding(
            Rule::WrongDelimiterRow,
            format!("the delimiter row has {delimiters} cells, the head {head}"),
        ),
    }
}
