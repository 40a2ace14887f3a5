//! The files of a project that hold words of a talk. No link is followed but the project's own
//! folders; recordings in their folder, their side files and the database itself are left out.

use std::{
    collections::BTreeSet,
    fs::FileType,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use super::{
    content::{self, Holds, Wanted},
    removed_reports,
};
use crate::{
    cli::{
        project::Project,
        ui::{exit::Usage, log},
    },
    transcribe::{EXTENSIONS, is_recording},
};

/// The folders that taskgen writes to, wherever they are.
const FOLDERS: [&str; 3] = ["seminars", "transcripts", "tasks"];

/// The project's own settings, which are not ours to delete.
const SETTINGS: [&str; 2] = ["taskgen.toml", "prices.toml"];

/// A file that goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Going {
    /// Its path in the project.
    pub path: String,
    /// Why it goes.
    pub why: Why,
    /// Where it is; a name may not be a text.
    #[serde(skip)]
    pub place: PathBuf,
}

/// Why a file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was made of the recording, and has its name.
    Transcript,
    /// It holds words of the talk.
    Words,
    /// It is a copy of the database from before an update.
    Backup,
    /// It keeps vectors of texts, and is made again.
    Vectors,
    /// It is a log that names the recording.
    Log,
}

impl Why {
    /// The reason, for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Transcript => "made of the recording",
            Self::Words => "holds words of it",
            Self::Backup => "a copy of the database from before an update",
            Self::Vectors => "vectors of texts, made again when they are needed",
            Self::Log => "a log that names it",
        }
    }
}

/// A file that stays and should be looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Left {
    /// Its path in the project.
    pub path: String,
    /// Why it stays.
    pub reason: String,
}

/// What was found.
#[derive(Default)]
pub struct Found {
    /// Files that go, by path.
    pub going: Vec<Going>,
    /// Files that stay and should be looked at.
    pub left: Vec<Left>,
    /// Folders of Git repositories.
    pub repositories: Vec<String>,
    /// Which of those to be kept are.
    kept: BTreeSet<usize>,
}

/// Looks through the project's folder.
pub fn find(project: &Project, wanted: &Wanted<'_>) -> Result<Found> {
    let root = fs_err::canonicalize(&project.root)?;
    let folders = own_folders(&root);
    let mut open: Vec<PathBuf> = folders
        .iter()
        .map(|(folder, _)| folder.clone())
        .filter(|folder| !folder.starts_with(&root))
        .collect();
    open.push(root.clone());
    let search = Search {
        root: &root,
        skipped: own_files(&root),
        folders,
        wanted,
        keep: wanted
            .keep
            .iter()
            .map(|path| places(project, path))
            .collect(),
    };
    let mut found = Found::default();
    while let Some(folder) = open.pop() {
        search.folder(&folder, &mut open, &mut found);
    }
    let unused = (0..wanted.keep.len()).find(|at| !found.kept.contains(at));
    if let Some(unused) = unused {
        return Err(Usage(format!(
            "--keep names no file that goes: `{}`\nhint: name one as the plan shows it (without --yes and --keep), or a folder of such files",
            wanted.keep[unused].display()
        ))
        .into());
    }
    found.going.sort();
    found.left.sort();
    found.repositories.sort();
    Ok(found)
}

/// Where a file is that is to be kept: its path is meant in this folder, or in the project, as the
/// plan shows it.
fn places(project: &Project, path: &Path) -> Vec<PathBuf> {
    vec![real(path), real(&project.root.join(path))]
}

/// The project's folders that are links, with their names: they may lie on another disk.
fn own_folders(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let links = FOLDERS.iter().filter(|name| root.join(name).is_symlink());
    links.map(|name| (real(&root.join(name)), *name)).collect()
}

/// Where a path leads; a file that is not there is nowhere.
fn real(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The database with what SQLite keeps beside it, the locks, the log of this run, and the file of
/// removed reports, which is looked through by its lines.
fn own_files(root: &Path) -> BTreeSet<PathBuf> {
    let tasks = real(&root.join("tasks"));
    let names = [
        "taskgen.db",
        "taskgen.db-wal",
        "taskgen.db-shm",
        "taskgen.db-journal",
        "taskgen.lock",
        "beside.lock",
        removed_reports::FILE,
    ];
    let mut own: BTreeSet<PathBuf> = names.iter().map(|name| tasks.join(name)).collect();
    own.extend(log::file().map(real));
    own
}

struct Search<'a> {
    root: &'a Path,
    /// Own folders that are links: where they lead, and their names.
    folders: Vec<(PathBuf, &'static str)>,
    wanted: &'a Wanted<'a>,
    skipped: BTreeSet<PathBuf>,
    /// Where each of those to be kept may be.
    keep: Vec<Vec<PathBuf>>,
}

impl Search<'_> {
    fn name(&self, path: &Path) -> String {
        for (folder, name) in &self.folders {
            if let Ok(inside) = path.strip_prefix(folder) {
                return format!("{name}/{}", inside.display());
            }
        }
        let inside = path.strip_prefix(self.root).unwrap_or(path);
        inside.display().to_string()
    }

    fn folder(&self, folder: &Path, open: &mut Vec<PathBuf>, found: &mut Found) {
        let entries = match fs_err::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unread(folder, &error, found),
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Err(error) => self.unread(&path, &error, found),
                Ok(_) if path.file_name().is_some_and(|name| name == ".git") => {
                    found.repositories.push(self.name(folder));
                }
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) => self.entry(&path, kind, found),
            }
        }
    }

    fn unread(&self, path: &Path, error: &std::io::Error, found: &mut Found) {
        // What is gone by now holds nothing.
        if error.kind() != ErrorKind::NotFound {
            let reason = format!("cannot be read ({})", error.kind());
            self.leave(path, &reason, found);
        }
    }

    fn leave(&self, path: &Path, reason: &str, found: &mut Found) {
        found.left.push(Left {
            path: self.name(path),
            reason: reason.to_owned(),
        });
    }

    fn entry(&self, path: &Path, kind: FileType, found: &mut Found) {
        let name = self.name(path);
        let is_own_recording = is_recording(path) && name.starts_with("seminars/");
        if self.skipped.contains(path) || is_own_recording || self.is_side_file(path, &name) {
            return;
        }
        if kind.is_symlink() {
            let is_own = FOLDERS.contains(&name.as_str());
            if !is_own && !real(path).starts_with(self.root) {
                self.leave(path, "a link out of the folder, not followed", found);
            }
            return;
        }
        if !kind.is_file() {
            return;
        }
        match self.reason(path, &name) {
            Ok(Verdict::Goes(_)) if self.is_kept(path, found) => {
                self.leave(path, "holds words of it, and is kept (--keep)", found);
            }
            Ok(Verdict::Goes(Why::Words))
                if longest_stem(&name, self.wanted.all_paths).is_some() =>
            {
                let reason = "the transcript of another recording that holds words of it";
                self.leave(path, reason, found);
            }
            Ok(Verdict::Goes(_)) if self.is_setting(&name) => {
                self.leave(path, "holds words of it: edit it", found);
            }
            Ok(Verdict::Goes(why)) => found.going.push(Going {
                path: name,
                why,
                place: path.to_owned(),
            }),
            Ok(Verdict::Packed) => {
                self.leave(path, "packed: words in it are not found", found);
            }
            Ok(Verdict::Stays) if is_recording(path) => {
                self.leave(path, "a recording: what is said in it is not known", found);
            }
            Ok(Verdict::Stays) => {}
            Err(error) => self.unread(path, &error, found),
        }
    }

    fn reason(&self, path: &Path, name: &str) -> std::io::Result<Verdict> {
        if self.is_of_recording(name) {
            return Ok(Verdict::Goes(Why::Transcript));
        }
        Ok(
            match (
                content::holds(self.wanted, path, is_log(name))?,
                is_backup(name),
            ) {
                (Holds::Name, _) => Verdict::Goes(Why::Log),
                (Holds::Words | Holds::Id, true) => Verdict::Goes(Why::Backup),
                (Holds::Words, false) => Verdict::Goes(Why::Words),
                (Holds::Vectors, _) => Verdict::Goes(Why::Vectors),
                (Holds::Packed, _) => Verdict::Packed,
                (Holds::Id | Holds::Nothing, _) => Verdict::Stays,
            },
        )
    }

    /// Whether a file that goes is to be kept.
    fn is_kept(&self, path: &Path, found: &mut Found) -> bool {
        let by: Vec<usize> = self
            .keep
            .iter()
            .enumerate()
            .filter(|(_, places)| places.iter().any(|kept| path.starts_with(kept)))
            .map(|(at, _)| at)
            .collect();
        found.kept.extend(&by);
        !by.is_empty()
    }

    /// Whether a file was made of the recording by its name: `transcripts/NAME.json` and the like.
    fn is_of_recording(&self, name: &str) -> bool {
        let own = longest_stem(name, self.wanted.paths);
        own.is_some() && own >= longest_stem(name, self.wanted.all_paths)
    }

    /// Whether a file is the side file of a recording, of this or another one.
    fn is_side_file(&self, path: &Path, name: &str) -> bool {
        name.starts_with("seminars/")
            && path.extension().is_some_and(|ending| ending == "toml")
            && EXTENSIONS
                .iter()
                .any(|ending| path.with_extension(ending).exists())
    }

    fn is_setting(&self, name: &str) -> bool {
        SETTINGS.contains(&name) || name.starts_with("prompts/")
    }
}

/// The length of the longest of some recordings' paths that a transcript's name begins with.
fn longest_stem(name: &str, paths: &[String]) -> Option<usize> {
    let name = name.strip_prefix("transcripts/")?;
    let begins = |path: &&String| {
        name.strip_prefix(path.as_str())
            .is_some_and(|rest| rest.starts_with('.'))
    };
    paths.iter().filter(begins).map(String::len).max()
}

enum Verdict {
    Goes(Why),
    Packed,
    Stays,
}

/// Whether a file is a log of a run.
fn is_log(name: &str) -> bool {
    name.starts_with("tasks/logs/") || name.starts_with("tasks/cluster/")
}

/// Whether a file is a copy of the database from before an update, or what SQLite kept beside it.
fn is_backup(name: &str) -> bool {
    let Some((_, rest)) = name
        .strip_prefix("tasks/")
        .and_then(|name| name.split_once(".schema-"))
    else {
        return false;
    };
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    number.len() < rest.len() && number.starts_with(".db")
}
