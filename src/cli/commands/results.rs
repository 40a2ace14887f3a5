//! `taskgen audit results`: what is wrong in result files of `LiveResearchBench`, and each model's
//! figures computed again from what its judges listed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    benchmarks::live_research_bench::{
        Criterion,
        audit::{Finding, audit, audit_summary, counts},
        averages::{Averages, Basis, Judge, JudgeName, average},
        depth::Counting,
        facts::Known,
        files::{FileRead, Incremental, Problem as FileProblem, ReportsFile, SummaryFile},
        recompute::{Model, Recomputed, recompute},
    },
    cli::ui::{
        exit::{self, Usage},
        output::{Printer, Problem, counted, listed, on_one_line, table},
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
    /// The figures of a file of graded reports; none of a summary.
    recomputed: Option<Recomputed>,
}

/// All files, and the averages of those that hold graded reports.
#[derive(Serialize)]
struct Summary {
    files: Vec<Audited>,
    /// Of two judges or more, each with a file.
    averages: Option<Averages>,
}

/// Runs the command.
pub fn run(paths: &[PathBuf], printer: &Printer) -> Result<u8> {
    let files = paths.iter().map(|path| of_file(path));
    let files = files.collect::<Result<Vec<_>>>()?;
    let judges: Vec<Judge> = files.iter().filter_map(judge).collect();
    let summary = Summary {
        averages: (judges.len() > 1).then(|| average(&judges)),
        files,
    };
    printer.show(&summary, text)?;
    let is_clean = |of: &Audited| of.findings.is_empty() && of.problems.is_empty();
    if summary.files.iter().all(is_clean) {
        Ok(exit::DONE)
    } else {
        Ok(exit::SOME_FAILED)
    }
}

fn of_file(path: &Path) -> Result<Audited> {
    let bytes = fs_err::read(path).map_err(|error| {
        Usage(format!(
            "{error}\nhint: a file that LiveResearchBench's grading wrote"
        ))
    })?;
    let name = path.to_string_lossy();
    let known = Known::default();
    if let Some(criterion) = Criterion::of_incremental(&name) {
        let read = Incremental::read(&name, &bytes);
        let known = Known {
            criteria: vec![criterion],
            ..known
        };
        return Ok(graded(
            path,
            read.value.into_reports(),
            &read.problems,
            &known,
        ));
    }
    match ReportsFile::read(&name, &bytes) {
        Ok(FileRead { value, problems }) => Ok(graded(path, value, &problems, &known)),
        Err(why) => match SummaryFile::read(&name, &bytes) {
            Ok(FileRead { value, problems }) => Ok(Audited {
                file: path.to_owned(),
                problems: shown(&problems),
                findings: audit_summary(&value),
                recomputed: None,
            }),
            Err(_) => Err(Usage(why.to_string()).into()),
        },
    }
}

fn graded(path: &Path, file: ReportsFile, problems: &[FileProblem], known: &Known) -> Audited {
    Audited {
        file: path.to_owned(),
        problems: shown(problems),
        findings: audit(&file, known),
        recomputed: Some(recompute(&file, known)),
    }
}

fn shown(problems: &[FileProblem]) -> Vec<Problem> {
    let of = |problem: &FileProblem| Problem {
        place: format!("{}: {}", problem.file, problem.spot),
        problem: format!("{}; {}", problem.why, problem.hint),
    };
    problems.iter().map(of).collect()
}

fn judge(of: &Audited) -> Option<Judge> {
    let name = JudgeName {
        file: of.file.to_string_lossy().into_owned(),
        ..JudgeName::default()
    };
    // One criterion of a judge is not a judge.
    if Criterion::of_incremental(&of.file.to_string_lossy()).is_some() {
        return None;
    }
    let recomputed = of.recomputed.as_ref()?;
    Some(Judge::from_recomputed(
        name,
        recomputed,
        Counting::CountBoth,
    ))
}

fn text(summary: &Summary) -> String {
    let mut out = String::new();
    for of in &summary.files {
        out.push_str(&format!("{}\n", of.file.display()));
        out.push_str(&listed(&of.problems));
        if of.findings.is_empty() {
            out.push_str("nothing is wrong in it\n");
        } else {
            let kinds: BTreeMap<&str, usize> = counts(&of.findings);
            out.push_str(&format!("findings: {}\n", counted(&kinds, "")));
            for finding in of.findings.iter().take(SHOWN) {
                out.push_str(&format!("  {}\n", on_one_line(&finding.to_string())));
            }
            if of.findings.len() > SHOWN {
                let more = of.findings.len() - SHOWN;
                out.push_str(&format!("  and {more} more: --json has all\n"));
            }
        }
        if let Some(recomputed) = &of.recomputed {
            out.push_str(&format!("{}\n", figures(recomputed)));
        }
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
        .map(|(judge, n)| format!("judge {n}: {}", judge.file))
        .collect();
    format!("{rows}\n{}\n", judges.join("\n"))
}
