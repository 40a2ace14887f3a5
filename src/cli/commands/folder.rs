//! The files below a folder, and what is wrong in a benchmark's file, for commands that take whole
//! folders.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{benchmarks::problem::Problem as FileProblem, cli::ui::output::Problem};

/// The files in and under a folder, by name. Hidden ones are left out, and links are not followed,
/// so that no folder is entered twice.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(folder, &mut files)?;
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs_err::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut entries: Vec<(PathBuf, std::fs::FileType)> = entries
        .into_iter()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| Ok((entry.path(), entry.file_type()?)))
        .collect::<std::io::Result<_>>()?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (path, kind) in entries {
        if kind.is_dir() {
            walk(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// A problem of a benchmark's file, with its hint.
pub fn problem(of: &FileProblem) -> Problem {
    Problem {
        place: format!("{}: {}", of.file, of.spot),
        problem: format!("{}; {}", of.why, of.hint),
    }
}
