//! The files below a folder, what is wrong in a benchmark's file, and folders that are written, for
//! commands that take whole folders.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};

use crate::{benchmarks::problem::Problem as FileProblem, cli::ui::output::Problem, files};

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

/// A folder that is written: which files were, and whether others lie there.
pub struct WrittenFolder {
    root: PathBuf,
    written: RefCell<BTreeSet<PathBuf>>,
}

impl WrittenFolder {
    /// Nothing is written yet.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            written: RefCell::default(),
        }
    }

    /// A place below it.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file whole, with the folders above it. One that was written already is refused.
    pub fn write(&self, path: &Path, text: &str) -> Result<()> {
        self.write_bytes(path, text.as_bytes())
    }

    /// The same for any bytes.
    pub fn write_bytes(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        ensure!(
            !self.written.borrow().contains(path),
            "two files of the export have one name: `{}`",
            path.display()
        );
        files::write_whole(path, bytes)
            .context("cannot write the export\nhint: choose another folder")?;
        self.written.borrow_mut().insert(path.to_owned());
        Ok(())
    }

    /// How many other files lie there: of an earlier export perhaps, which readers would take for
    /// a part of this one.
    pub fn others(&self) -> Result<usize> {
        let written = self.written.borrow();
        let files = files_below(&self.root)?;
        Ok(files.iter().filter(|file| !written.contains(*file)).count())
    }
}

/// What is said of other files in a folder; nothing where there are none.
pub fn told_of_others(others: usize) -> String {
    match others {
        0 => String::new(),
        n => format!(
            "other files in the folder: {n}; of an earlier export perhaps, and readers take them for a part of this one\n"
        ),
    }
}

/// A problem of a benchmark's file, with its hint.
pub fn problem(of: &FileProblem) -> Problem {
    Problem {
        place: format!("{}: {}", of.file, of.spot),
        problem: format!("{}; {}", of.why, of.hint),
    }
}
