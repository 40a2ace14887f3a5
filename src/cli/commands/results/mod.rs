//! `taskgen audit results`: what is wrong in result files of `LiveResearchBench`, and each model's
//! figures computed again from what its judges listed.

mod files;
mod judges;

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Result;
use serde::Serialize;

use self::{
    files::{File, Kind},
    judges::JudgeFigures,
};
use crate::{
    benchmarks::live_research_bench::{
        Criterion,
        audit::{Finding, audit, audit_summary, counts},
        averages::{Averages, Basis},
        facts::Known,
        recompute::{Model, Recomputed},
    },
    cli::ui::{
        exit,
        output::{Printer, Problem, counted, first_of, listed, on_one_line, table},
    },
};

/// Findings that are listed; `--json` has all.
const SHOWN: usize = 20;

/// A file and what was found in it.
#[derive(Serialize)]
struct Audited {
    file: PathBuf,
    /// Fields and lines that could not be read.
    problems: Vec<Problem>,
    findings: Vec<Finding>,
    /// Of a summary or an average: whether what it sums up was there.
    held_against_its_files: Option<bool>,
}

/// All files, each judge's figures, and their averages.
#[derive(Serialize)]
struct Summary {
    files: Vec<Audited>,
    /// Files of the folders that are no result files or cannot be read.
    unread: Vec<Problem>,
    judges: Vec<JudgeFigures>,
    /// Of two judges or more.
    averages: Option<Averages>,
}

/// Runs the command.
pub fn run(paths: &[PathBuf], printer: &Printer) -> Result<u8> {
    let (files, unread) = files::read(paths)?;
    let judges = judges::judges(&files);
    let checked: Vec<(Vec<Finding>, Option<bool>)> = files
        .iter()
        .map(|file| check(file, &files, &judges))
        .collect();
    let audited = files.into_iter().zip(checked);
    let audited = audited.map(|(file, (findings, held_against_its_files))| Audited {
        file: file.path,
        problems: file.problems,
        findings,
        held_against_its_files,
    });
    let summary = Summary {
        files: audited.collect(),
        unread,
        averages: judges::averages(&judges),
        judges,
    };
    printer.show(&summary, text)?;
    let is_clean = |of: &Audited| of.findings.is_empty() && of.problems.is_empty();
    if summary.unread.is_empty() && summary.files.iter().all(is_clean) {
        Ok(exit::DONE)
    } else {
        Ok(exit::SOME_FAILED)
    }
}

/// The findings in a file, and for a sum whether it was held against what it sums up.
fn check(file: &File, files: &[File], judges: &[JudgeFigures]) -> (Vec<Finding>, Option<bool>) {
    match &file.kind {
        Kind::Reports(reports) => (audit(reports, &Known::default()), None),
        Kind::Lines(criterion, lines) => {
            let known = Known {
                criteria: vec![*criterion],
                ..Known::default()
            };
            (audit(&lines.clone().into_reports(), &known), None)
        }
        Kind::Summary(summary) => {
            let mut findings = audit_summary(summary);
            let beside = judges::beside(file, summary, files, judges);
            let was_held = beside.is_some();
            findings.extend(beside.unwrap_or_default());
            (findings, Some(was_held))
        }
    }
}

fn text(summary: &Summary) -> String {
    let mut out = listed(&summary.unread);
    for of in &summary.files {
        out.push_str(&format!("{}\n", on_one_line(&of.file.to_string_lossy())));
        out.push_str(&listed(&of.problems));
        if of.findings.is_empty() {
            out.push_str(match of.held_against_its_files {
                Some(false) => "nothing is wrong in it by itself; what it sums up is not here\n",
                _ => "nothing is wrong in it\n",
            });
        } else {
            let kinds: BTreeMap<&str, usize> = counts(&of.findings);
            out.push_str(&format!("findings: {}\n", counted(&kinds, "")));
            out.push_str(&first_of(&of.findings, SHOWN));
        }
    }
    for of in &summary.judges {
        let judge = &of.judge;
        let name = if judge.model.is_empty() {
            String::new()
        } else {
            format!("{}/{}, ", judge.provider, judge.model)
        };
        out.push_str(&format!(
            "\nrecomputed: {}{}\n{}\n",
            on_one_line(&name),
            on_one_line(&judge.file),
            figures(&of.recomputed)
        ));
    }
    if let Some(averages) = &summary.averages {
        out.push_str(&averaged(averages));
    }
    out.push_str("scores from the issues, items and dimensions that judges listed; (n of N): of how many reports");
    out
}

/// The figures of each model, in percent.
fn figures(of: &Recomputed) -> String {
    let mut rows = table(&[
        "model",
        "presentation",
        "consistency",
        "coverage",
        "association",
        "average",
        "depth wins",
    ]);
    for model in &of.models {
        let mut cells = vec![on_one_line(&model.name)];
        cells.extend(
            [
                Criterion::Presentation,
                Criterion::Consistency,
                Criterion::Coverage,
                Criterion::Citation,
            ]
            .map(|criterion| mean(model, criterion)),
        );
        cells.push(one_decimal(model.overall()));
        let depth = model.depth.as_ref();
        let rate = depth.and_then(|depth| depth.count_both.win_rate());
        cells.push(one_decimal(rate));
        rows.add_row(cells);
    }
    rows.to_string()
}

fn mean(model: &Model, criterion: Criterion) -> String {
    let Some(mean) = model.means.get(&criterion) else {
        return "–".to_owned();
    };
    let value = one_decimal(mean.mean);
    if mean.scored == model.reports {
        return value;
    }
    format!("{value} ({} of {})", mean.scored, model.reports)
}

fn one_decimal(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

/// The averages of several judges, with what each rests on.
fn averaged(of: &Averages) -> String {
    let mut rows = table(&["model", "criterion", "average", "by judge", "of"]);
    for (model, averages) in &of.models {
        for (criterion, average) in averages {
            let by_judge = average
                .judges
                .iter()
                .map(|judge| one_decimal(judge.as_ref().and_then(|judge| judge.mean)));
            let by_judge: Vec<String> = by_judge.collect();
            let basis = match average.basis {
                Basis::AllJudges => "all judges".to_owned(),
                Basis::SomeJudges(n) => format!("{n} judges"),
                Basis::OneJudge(at) => format!("judge {} alone", at + 1),
                Basis::Nobody => "nobody".to_owned(),
            };
            rows.add_row([
                on_one_line(model),
                criterion.to_string(),
                one_decimal(average.mean),
                by_judge.join(" | "),
                basis,
            ]);
        }
    }
    let judges = of.judges.iter().zip(1..);
    let judges: Vec<String> = judges
        .map(|(judge, n)| format!("judge {n}: {}", on_one_line(&judge.file)))
        .collect();
    format!("{rows}\n{}\n", judges.join("\n"))
}
