//! `taskgen reports check`: faults of reports that code finds, with their lines: of form, of
//! writing, and statements that contradict each other. Asks no model, and needs no project for
//! files.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        project::Project,
        ui::{
            exit::{self, Usage},
            output::{Printer, on_one_line},
        },
    },
    lint::{
        Finding,
        consistency::{self, Conflict},
        presentation::{self, Presentation},
        writing,
    },
};

/// Characters of a line that are shown.
const LONGEST: usize = 100;

/// The faults of a report.
#[derive(Serialize)]
struct Checked {
    report: String,
    presentation: Presentation,
    writing: Vec<Finding>,
    consistency: Vec<Conflict>,
    #[serde(skip)]
    lines: Vec<String>,
}

/// Runs the command.
pub fn run(global: &Global, names: &[String], printer: &Printer) -> Result<u8> {
    let mut checked = Vec::new();
    for name in names {
        checked.push(of_text(name, &text_of(global, name)?));
    }
    printer.show(&checked, |checked| {
        checked.iter().map(text).collect::<Vec<_>>().join("\n\n")
    })?;
    Ok(exit::DONE)
}

/// The text of a file, or of a stored report by its id or the beginning of one.
fn text_of(global: &Global, name: &str) -> Result<String> {
    let path = PathBuf::from(name);
    if path.is_file() {
        let bytes = fs_err::read(&path).map_err(|error| Usage(error.to_string()))?;
        return String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() + 1;
            Usage(format!(
                "`{name}` is not UTF-8 from byte {at}\nhint: save it as UTF-8"
            ))
            .into()
        });
    }
    let store = Project::find(global)?.read_or_hint()?;
    let reports = store.report_heads()?;
    let mut found = reports
        .iter()
        .filter(|report| report.id.as_str().starts_with(name));
    match (found.next(), found.next()) {
        (Some(report), None) => store.report_text(&report.id),
        (Some(_), Some(_)) => Err(Usage(format!(
            "several reports begin with `{name}`\nhint: `taskgen reports list`"
        ))
        .into()),
        (None, _) => Err(Usage(format!(
            "neither a file nor a report: `{name}`\nhint: `taskgen reports list`"
        ))
        .into()),
    }
}

fn of_text(name: &str, text: &str) -> Checked {
    Checked {
        report: name.to_owned(),
        presentation: presentation::check(text),
        writing: writing::check(text),
        consistency: consistency::check(text),
        lines: text.lines().map(plain).collect(),
    }
}

/// The beginning of a line.
fn plain(line: &str) -> String {
    let beginning: String = line.trim().chars().take(LONGEST).collect();
    on_one_line(&beginning)
}

fn text(of: &Checked) -> String {
    let mut out = vec![plain(&of.report)];
    for (item, outcome) in &of.presentation.items {
        let said = match (outcome.passes(), outcome.findings().len()) {
            (true, _) if matches!(outcome, presentation::Outcome::NothingToCheck) => {
                "passed: nothing to check".to_owned()
            }
            (true, _) => "passed".to_owned(),
            (false, 1) => "1 fault".to_owned(),
            (false, n) => format!("{n} faults"),
        };
        out.push(format!("{:<4} {} {said}", item.key(), item.question()));
        out.extend(outcome.findings().iter().map(|finding| place(of, finding)));
    }
    out.push(format!("writing: {} places to look at", of.writing.len()));
    out.extend(of.writing.iter().map(|finding| place(of, finding)));
    out.push(format!(
        "consistency: {} pairs that disagree",
        of.consistency.len()
    ));
    for conflict in &of.consistency {
        out.push(format!("     {}", plain(&conflict.what)));
        for side in [&conflict.first, &conflict.second] {
            out.push(format!("       line {}: {}", side.line, plain(&side.quote)));
        }
    }
    out.join("\n")
}

fn place(of: &Checked, finding: &Finding) -> String {
    let line = of.lines.get(finding.line - 1).map_or("", String::as_str);
    format!(
        "     line {}: {}: {line}",
        finding.line,
        plain(&finding.what)
    )
}
