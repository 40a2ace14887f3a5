//! The judges of an audit: each judge's figures, computed again from its files, and the files that
//! are held against them.

use serde::Serialize;

use super::files::{File, Kind};
use crate::benchmarks::live_research_bench::{
    audit::{Finding, audit_average_beside, audit_summary_beside},
    averages::{Averages, Judge, JudgeName, average},
    depth::Counting,
    facts::Known,
    files::{Incremental, ReportsFile, SummaryFile},
    recompute::{Recomputed, recompute},
};

/// A judge with its figures.
#[derive(Serialize)]
pub struct JudgeFigures {
    /// Its name, and the file or folder with its grades.
    pub judge: JudgeName,
    /// The file's name alone, which pairs it with a summary.
    #[serde(skip)]
    file_name: String,
    /// The figures.
    pub recomputed: Recomputed,
}

/// The judges in the order of the files. Reports with grades are a judge's; incremental results
/// only where their folder has no such file. Of one judge's files in a folder the last counts,
/// because it was written last.
pub fn judges(files: &[File]) -> Vec<JudgeFigures> {
    let mut judges: Vec<JudgeFigures> = Vec::new();
    for file in files {
        let Kind::Reports(reports) = &file.kind else {
            continue;
        };
        let Some(figures) = figures(file, file.path.display().to_string(), reports) else {
            continue;
        };
        let is_same = |judge: &JudgeFigures| is_same_judge(&judge.judge, &figures.judge);
        match judges.iter().position(is_same) {
            Some(at) => judges[at] = figures,
            None => judges.push(figures),
        }
    }
    let has_reports = |folder| {
        files
            .iter()
            .any(|file| file.folder() == folder && is_graded(&file.kind))
    };
    let mut folders: Vec<&std::path::Path> = Vec::new();
    for file in files {
        let folder = file.folder();
        if matches!(file.kind, Kind::Lines(..))
            && !has_reports(folder)
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    judges.extend(
        folders
            .into_iter()
            .filter_map(|folder| of_lines(files, folder)),
    );
    judges
}

fn is_graded(kind: &Kind) -> bool {
    matches!(kind, Kind::Reports(reports) if reports.judge().is_some())
}

/// Whether two files are one judge's: the same name, in the same folder.
fn is_same_judge(a: &JudgeName, b: &JudgeName) -> bool {
    let folder = |judge: &JudgeName| {
        std::path::Path::new(&judge.file)
            .parent()
            .map(ToOwned::to_owned)
    };
    !a.model.is_empty()
        && (&a.provider, &a.model) == (&b.provider, &b.model)
        && folder(a) == folder(b)
}

/// None where nothing is graded.
fn figures(file: &File, place: String, reports: &ReportsFile) -> Option<JudgeFigures> {
    let recomputed = recompute(reports, &Known::default());
    let is_empty = |of: &crate::benchmarks::live_research_bench::recompute::Model| {
        of.means.is_empty() && of.depth.is_none()
    };
    if recomputed.models.iter().all(is_empty) {
        return None;
    }
    let (provider, model) = reports.judge().unwrap_or_default();
    Some(JudgeFigures {
        judge: JudgeName {
            provider: provider.to_owned(),
            model: model.to_owned(),
            file: place,
        },
        file_name: file.name().to_owned(),
        recomputed,
    })
}

fn of_lines(files: &[File], folder: &std::path::Path) -> Option<JudgeFigures> {
    let lines: Vec<(&File, _)> = files
        .iter()
        .filter(|file| file.folder() == folder)
        .filter_map(|file| match &file.kind {
            Kind::Lines(criterion, lines) => Some((file, (*criterion, lines.clone()))),
            _ => None,
        })
        .collect();
    let (first, _) = lines.first()?;
    let place = match lines.len() {
        1 => first.path.display().to_string(),
        _ => folder.display().to_string(),
    };
    let lines: Vec<_> = lines.iter().map(|(_, lines)| lines.clone()).collect();
    figures(first, place, &Incremental::joined(&lines))
}

/// The averages, of two judges or more.
pub fn averages(judges: &[JudgeFigures]) -> Option<Averages> {
    let judges: Vec<Judge> = judges
        .iter()
        .map(|of| Judge::from_recomputed(of.judge.clone(), &of.recomputed, Counting::CountBoth))
        .collect();
    (judges.len() > 1).then(|| average(&judges))
}

/// What is wrong in a summary or an average beside the files that it was made of, where those are
/// there.
pub fn beside(
    file: &File,
    summary: &SummaryFile,
    files: &[File],
    judges: &[JudgeFigures],
) -> Vec<Finding> {
    if summary.averaged_from().is_some() {
        return match averaged_summaries(summary, files) {
            Some([a, b]) => audit_average_beside(summary, a, b),
            None => Vec::new(),
        };
    }
    match graded_with(file, judges) {
        Some(judge) => audit_summary_beside(summary, &judge.recomputed),
        None => Vec::new(),
    }
}

/// The judge whose grades a summary sums up: the file of the same time, or the only one of its
/// folder.
fn graded_with<'a>(summary: &File, judges: &'a [JudgeFigures]) -> Option<&'a JudgeFigures> {
    let time = |name: &str, kind: &str| {
        let name = name.strip_prefix(kind)?;
        Some(name.strip_suffix(".json")?.to_owned())
    };
    let in_folder: Vec<&JudgeFigures> = judges
        .iter()
        .filter(|of| {
            let place = std::path::Path::new(&of.judge.file);
            place == summary.folder() || place.parent() == Some(summary.folder())
        })
        .collect();
    let of_summary = time(summary.name(), "summary_");
    let same_time = in_folder
        .iter()
        .find(|of| of_summary.is_some() && time(&of.file_name, "detailed_results_") == of_summary);
    match (same_time, in_folder.as_slice()) {
        (Some(judge), _) => Some(judge),
        (None, [only]) => Some(only),
        _ => None,
    }
}

/// The two summaries that an average names, or the only two that there are.
fn averaged_summaries<'a>(
    averaged: &SummaryFile,
    files: &'a [File],
) -> Option<[&'a SummaryFile; 2]> {
    let summaries: Vec<(&str, &SummaryFile)> = files
        .iter()
        .filter_map(|file| match &file.kind {
            Kind::Summary(summary) if summary.averaged_from().is_none() => {
                Some((file.path.to_str()?, summary))
            }
            _ => None,
        })
        .collect();
    let from = averaged.averaged_from()?;
    // By the end of the path: whoever moves a folder keeps what is inside.
    let find = |name: Option<&String>| {
        let name = std::path::Path::new(name?);
        let tail: std::path::PathBuf = name
            .components()
            .rev()
            .take(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let mut found = summaries
            .iter()
            .filter(|(path, _)| std::path::Path::new(path).ends_with(&tail));
        match (found.next(), found.next()) {
            (Some((_, only)), None) => Some(*only),
            _ => None,
        }
    };
    match (
        find(from.file_a.get()),
        find(from.file_b.get()),
        summaries.as_slice(),
    ) {
        (Some(a), Some(b), _) => Some([a, b]),
        (_, _, [(_, a), (_, b)]) => Some([a, b]),
        _ => None,
    }
}
