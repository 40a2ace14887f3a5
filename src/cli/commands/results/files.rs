//! The files of an audit: which there are, and what each is.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{
    benchmarks::live_research_bench::{
        Criterion,
        files::{FileRead, Incremental, Problem as FileProblem, ReportsFile, SummaryFile},
    },
    cli::{
        commands::folder::{self, files_below},
        ui::{exit::Usage, output::Problem},
    },
};

/// What a file is.
pub enum Kind {
    /// Reports, graded or not.
    Reports(Box<ReportsFile>),
    /// Results of one criterion as they came in.
    Lines(Criterion, Incremental),
    /// A summary of one judge, or the averages of two.
    Summary(Box<SummaryFile>),
}

/// A file, and the fields and lines of it that could not be read.
pub struct File {
    pub path: PathBuf,
    pub kind: Kind,
    pub problems: Vec<Problem>,
}

impl File {
    /// Reads a file; the error says what it should have been.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs_err::read(path).map_err(|error| {
            Usage(format!(
                "{error}\nhint: a file that LiveResearchBench's grading wrote, or a folder of them"
            ))
        })?;
        let name = path.to_string_lossy();
        let file = |kind, problems: Vec<FileProblem>| Self {
            path: path.to_owned(),
            kind,
            problems: problems.iter().map(folder::problem).collect(),
        };
        if let Some(criterion) = Criterion::of_incremental(&name) {
            let FileRead { value, problems } = Incremental::read(&name, &bytes);
            return Ok(file(Kind::Lines(criterion, value), problems));
        }
        let why = match ReportsFile::read(&name, &bytes) {
            Ok(FileRead { value, problems }) => {
                return Ok(file(Kind::Reports(Box::new(value)), problems));
            }
            Err(why) => why,
        };
        match SummaryFile::read(&name, &bytes) {
            Ok(FileRead { value, problems }) => Ok(file(Kind::Summary(Box::new(value)), problems)),
            Err(_) => Err(Usage(why.to_string()).into()),
        }
    }

    /// The name without folders.
    pub fn name(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }

    /// The folder of the judge: incremental results stand in one of their own inside it.
    pub fn folder(&self) -> &Path {
        let parent = self.path.parent().unwrap_or(Path::new(""));
        if parent.file_name().is_some_and(|name| name == "incremental") {
            parent.parent().unwrap_or(parent)
        } else {
            parent
        }
    }
}

/// The files that paths name; a folder stands for the JSON files in and under it, by name. What is
/// wrong with a file of a folder is a problem, and the others go on.
pub fn read(paths: &[PathBuf]) -> Result<(Vec<File>, Vec<Problem>)> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            files.push(File::read(path)?);
            continue;
        }
        let before = files.len();
        for path in files_below(path)? {
            if !path
                .extension()
                .is_some_and(|e| e == "json" || e == "jsonl")
            {
                continue;
            }
            match File::read(&path) {
                Ok(file) => files.push(file),
                Err(why) => problems.push(Problem {
                    place: path.display().to_string(),
                    problem: format!("not read: {why}"),
                }),
            }
        }
        if files.len() == before {
            let folder = path.display();
            return Err(Usage(format!(
                "`{folder}` has no result file\nhint: `detailed_results_….json` or \
                 `…_results.jsonl`, in the folder or below it"
            ))
            .into());
        }
    }
    Ok((files, problems))
}
