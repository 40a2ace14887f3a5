//! The judges of an audit: each judge's figures, computed again from all its files of a folder, and
//! the files that are held against them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::files::{File, Kind};
use crate::benchmarks::live_research_bench::{
    Criterion,
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
    /// The files that were joined.
    pub files: Vec<PathBuf>,
    /// The figures.
    pub recomputed: Recomputed,
}

/// What tells judges apart: folder, provider, name. A file that names no judge is one by itself.
type Key<'a> = (&'a Path, &'a str, &'a str, Option<&'a Path>);

/// A judge's files in the order in which they were written.
#[derive(Default)]
struct Graded<'a> {
    reports: Vec<(&'a File, &'a ReportsFile)>,
    lines: Vec<(&'a File, (Criterion, Incremental))>,
}

/// The judges by folder and name. A judge's files of graded reports are joined, a later grade in
/// place of an earlier one; lines of results count where there is no such file.
pub fn judges(files: &[File]) -> Vec<JudgeFigures> {
    let mut graded: BTreeMap<Key<'_>, Graded<'_>> = BTreeMap::new();
    for file in files {
        match &file.kind {
            Kind::Reports(reports) => {
                let of = graded.entry(key(file, reports.judge())).or_default();
                of.reports.push((file, reports));
            }
            Kind::Lines(criterion, lines) => {
                let judge = lines
                    .lines
                    .iter()
                    .find_map(|(_, line)| line.block(*criterion).judge());
                let (provider, model) = judge.unwrap_or_default();
                let of = graded
                    .entry((file.folder(), provider, model, None))
                    .or_default();
                of.lines.push((file, (*criterion, lines.clone())));
            }
            Kind::Summary(_) => {}
        }
    }
    let judges = graded.into_iter();
    judges
        .filter_map(|((folder, provider, model, _), of)| figures(folder, [provider, model], &of))
        .collect()
}

fn key<'a>(file: &'a File, judge: Option<(&'a str, &'a str)>) -> Key<'a> {
    match judge {
        Some((provider, model)) => (file.folder(), provider, model, None),
        None => (file.folder(), "", "", Some(&file.path)),
    }
}

/// None where nothing is graded.
fn figures(folder: &Path, [provider, model]: [&str; 2], of: &Graded<'_>) -> Option<JudgeFigures> {
    let (files, reports) = of.joined()?;
    let recomputed = recompute(&reports, &Known::default());
    let has_figures = recomputed
        .models
        .iter()
        .any(|of| !of.means.is_empty() || of.depth.is_some());
    let place = match files.as_slice() {
        [only] => only.clone(),
        _ => folder.to_owned(),
    };
    has_figures.then(|| JudgeFigures {
        judge: JudgeName {
            provider: provider.to_owned(),
            model: model.to_owned(),
            file: place.display().to_string(),
        },
        files,
        recomputed,
    })
}

impl Graded<'_> {
    fn joined(&self) -> Option<(Vec<PathBuf>, ReportsFile)> {
        let paths = |files: &mut dyn Iterator<Item = &File>| -> Vec<PathBuf> {
            files.map(|file| file.path.clone()).collect()
        };
        match self.reports.as_slice() {
            [] if self.lines.is_empty() => None,
            [] => {
                let lines: Vec<_> = self.lines.iter().map(|(_, lines)| lines.clone()).collect();
                let files = paths(&mut self.lines.iter().map(|(file, _)| *file));
                Some((files, Incremental::joined(&lines)))
            }
            [(file, reports)] => Some((vec![file.path.clone()], (*reports).clone())),
            several => {
                // By criterion, so that a later file's grades come after an earlier one's.
                let joined = Criterion::ALL.map(|criterion| {
                    let of = several.iter();
                    let lines = of
                        .flat_map(|(_, reports)| Incremental::of_reports(criterion, reports).lines);
                    let lines = lines.collect();
                    (criterion, Incremental { lines })
                });
                let files = paths(&mut several.iter().map(|(file, _)| *file));
                Some((files, Incremental::joined(&joined)))
            }
        }
    }
}

/// The averages, of two judges or more.
pub fn averages(judges: &[JudgeFigures]) -> Option<Averages> {
    let judges: Vec<Judge> = judges
        .iter()
        .map(|of| Judge::from_recomputed(of.judge.clone(), &of.recomputed, Counting::CountBoth))
        .collect();
    (judges.len() > 1).then(|| average(&judges))
}

/// What is wrong in a summary or an average beside the files that it was made of; none where those
/// are not there.
pub fn beside(
    file: &File,
    summary: &SummaryFile,
    files: &[File],
    judges: &[JudgeFigures],
) -> Option<Vec<Finding>> {
    if summary.averaged_from().is_some() {
        let [a, b] = averaged_summaries(summary, files)?;
        return Some(audit_average_beside(summary, a, b));
    }
    let own = |judge: Option<(&str, &str)>| is_of(summary, judge);
    let graded: Vec<(&File, &ReportsFile)> = files
        .iter()
        .filter(|of| of.folder() == file.folder())
        .filter_map(|of| match &of.kind {
            Kind::Reports(reports) if own(reports.judge()) => Some((of, &**reports)),
            _ => None,
        })
        .collect();
    let time = |file: &File, kind: &str| {
        let name = file.name().strip_prefix(kind)?;
        Some(name.strip_suffix(".json")?.to_owned())
    };
    let of_summary = time(file, "summary_");
    let same_time = graded
        .iter()
        .find(|(of, _)| of_summary.is_some() && time(of, "detailed_results_") == of_summary);
    let facts = match (same_time, graded.as_slice()) {
        (Some((_, reports)), _) | (None, [(_, reports)]) => recompute(reports, &Known::default()),
        (None, []) => {
            let mut own = judges.iter().filter(|of| {
                let name = (of.judge.provider.as_str(), of.judge.model.as_str());
                of.files.iter().any(|path| path.starts_with(file.folder()))
                    && is_of(summary, Some(name))
            });
            own.next()?.recomputed.clone()
        }
        _ => return None,
    };
    Some(audit_summary_beside(summary, &facts))
}

/// Whether a summary names a judge, or none.
fn is_of(summary: &SummaryFile, judge: Option<(&str, &str)>) -> bool {
    let Some(metadata) = summary.metadata.get() else {
        return true;
    };
    match (metadata.provider.get(), metadata.model.get(), judge) {
        (Some(provider), Some(model), Some(judge)) => judge == (provider, model),
        (Some(_), Some(_), None) => false,
        _ => true,
    }
}

/// The two summaries that an average names, or the only two that there are.
fn averaged_summaries<'a>(
    averaged: &SummaryFile,
    files: &'a [File],
) -> Option<[&'a SummaryFile; 2]> {
    let summaries: Vec<(&Path, &SummaryFile)> = files
        .iter()
        .filter_map(|file| match &file.kind {
            Kind::Summary(summary) if summary.averaged_from().is_none() => {
                Some((file.path.as_path(), &**summary))
            }
            _ => None,
        })
        .collect();
    let from = averaged.averaged_from()?;
    let find = |name: Option<&String>| {
        let tail = tail(Path::new(name?));
        let mut found = summaries.iter().filter(|(path, _)| path.ends_with(&tail));
        match (found.next(), found.next()) {
            (Some((_, only)), None) => Some(*only),
            _ => None,
        }
    };
    let named = [find(from.file_a.get()), find(from.file_b.get())];
    match (named, summaries.as_slice()) {
        ([Some(a), Some(b)], _) => Some([a, b]),
        (_, [(_, a), (_, b)]) => Some([a, b]),
        _ => None,
    }
}

/// The file's name with its folder: whoever moves the files keeps what is inside.
fn tail(path: &Path) -> PathBuf {
    let parts: Vec<_> = path.components().collect();
    parts[parts.len().saturating_sub(2)..].iter().collect()
}
