//! Folders of Markdown: the layout by the names of files, and each file's agent and task. Hides the
//! search, which leaves hidden files and links to elsewhere alone.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::Map;

use super::{Agents, Incoming, Layout, Problem, Read, bytes_of};
use crate::{
    agents::report_text::{self, MOST_BYTES},
    data::{AttemptCost, State},
};

/// Names on a path that are looked at: one more than the deepest layout has.
const DEEPEST: usize = 4;
/// Endings of half-written files, also before another extension.
const TEMPORARY: [&str; 5] = [".tmp", ".temp", ".part", ".crdownload", ".swp"];

/// Reads a folder. A layout with names of its own goes before the one that takes any name;
/// `README.md` is no report.
pub fn read(path: &Path, agents: &mut Agents) -> Result<Read> {
    let mut search = Search {
        root: fs_err::canonicalize(path)?,
        files: Vec::new(),
        problems: Vec::new(),
        hidden: 0,
    };
    search.folder(path, &[])?;
    // The order of a directory differs between file systems; the import must not.
    search.files.sort();
    let layout = layout(path, &search.files)?;
    let Search {
        files,
        problems,
        hidden,
        ..
    } = search;
    let mut read = Read {
        layout,
        reports: Vec::new(),
        problems,
        repeated: 0,
        skipped_hidden: hidden,
    };
    for (parts, path) in files {
        let Some(place) = place(layout, &parts) else {
            let message = format!("it has no place in this layout: {}", layout.shape());
            read.problems.push(Problem {
                source: path.display().to_string(),
                message,
            });
            continue;
        };
        if agents.want(place.agent) {
            match report(&path, &place, agents.name(place.agent)) {
                Ok(report) => read.reports.push(report),
                Err(message) => read.problems.push(Problem {
                    source: path.display().to_string(),
                    message,
                }),
            }
        }
    }
    read.problems.sort();
    Ok(read)
}

fn report(path: &Path, place: &Place, agent: Option<String>) -> Result<Incoming, String> {
    if !path.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let bytes = bytes_of(path, MOST_BYTES).map_err(|e| format!("{e:#}"))?;
    let text = report_text::from_bytes(&bytes)?;
    let state = if text.trim().is_empty() {
        State::Empty
    } else {
        State::Ok
    };
    Ok(Incoming {
        source: path.display().to_string(),
        key: place.key.to_owned(),
        prompt: None,
        agent,
        attempt: place.attempt,
        text,
        state,
        spent: AttemptCost::default(),
        more: Map::new(),
    })
}

/// A file's agent and task.
struct Place<'a> {
    agent: Option<&'a str>,
    key: &'a str,
    attempt: u32,
}

fn layout(path: &Path, files: &[(Vec<String>, PathBuf)]) -> Result<Layout> {
    let found: Vec<Layout> = Layout::FOLDERS
        .into_iter()
        // Any Markdown fits the plain folder, so that it counts only where no other layout does.
        .filter(|of| *of != Layout::Folder && fits(*of, files))
        .collect();
    match found.as_slice() {
        [] if fits(Layout::Folder, files) => Ok(Layout::Folder),
        [] => bail!("no reports in the folder `{}`", path.display()),
        [one] => Ok(*one),
        several => {
            let shapes: Vec<&str> = several.iter().map(|layout| layout.shape()).collect();
            bail!(
                "the folder `{}` holds several layouts: {}",
                path.display(),
                shapes.join(" and ")
            )
        }
    }
}

/// Whether any of the files has a place in the layout.
fn fits(layout: Layout, files: &[(Vec<String>, PathBuf)]) -> bool {
    files
        .iter()
        .any(|(parts, _)| place(layout, parts).is_some())
}

/// The place of a file in a layout, by the names of its folders and its own.
fn place(layout: Layout, parts: &[String]) -> Option<Place<'_>> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (file, folders) = parts.split_last()?;
    let name = stem(file)?;
    let (key, attempt, above) = match (layout, folders) {
        (Layout::LiveResearchBench, above) => (
            name.strip_prefix("qid_")?.strip_suffix("_report")?,
            1,
            above,
        ),
        (Layout::Mind2Web2, [above @ .., task]) => (*task, attempt(name)?, above),
        (Layout::WikiLiveChallenge, [above @ .., "md_data"]) | (Layout::Folder, above) => {
            (name, 1, above)
        }
        _ => return None,
    };
    match above {
        _ if key.is_empty() => None,
        [] => Some(Place {
            agent: None,
            key,
            attempt,
        }),
        [agent] => Some(Place {
            agent: Some(agent),
            key,
            attempt,
        }),
        _ => None,
    }
}

/// The name of a Markdown file without its extension.
fn stem(file: &str) -> Option<&str> {
    let (stem, extension) = file.rsplit_once('.')?;
    (extension.eq_ignore_ascii_case("md") && !stem.is_empty()).then_some(stem)
}

/// From 1, without leading zeros: each attempt has one name.
fn attempt(name: &str) -> Option<u32> {
    let number = name.strip_prefix("answer_")?;
    number
        .parse()
        .ok()
        .filter(|n: &u32| *n > 0 && n.to_string() == number)
}

/// Markdown files with the names on their paths.
struct Search {
    root: PathBuf,
    files: Vec<(Vec<String>, PathBuf)>,
    problems: Vec<Problem>,
    hidden: usize,
}

impl Search {
    fn folder(&mut self, folder: &Path, above: &[String]) -> Result<()> {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if is_hidden(&name) {
                self.hidden += usize::from(name.to_lowercase().contains(".md"));
                continue;
            }
            // A README describes the folder and is no report.
            let markdown = stem(&name).is_some_and(|stem| !stem.eq_ignore_ascii_case("readme"));
            let is_folder = path.is_dir();
            let within = is_folder && above.len() + 1 < DEEPEST;
            if (within || markdown && !is_folder)
                && let Err(message) = self.entry(&path, above, name, is_folder)
            {
                self.problems.push(Problem {
                    source: path.display().to_string(),
                    message,
                });
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        path: &Path,
        above: &[String],
        name: String,
        is_folder: bool,
    ) -> Result<(), String> {
        let real = fs_err::canonicalize(path).map_err(|_| "it is a link to nothing".to_owned())?;
        // A link could lead to any file of the user, or in a circle.
        if path.is_symlink() && (is_folder || !real.starts_with(&self.root)) {
            return Err("a link to a folder or out of this one is not followed".to_owned());
        }
        if path.file_name().and_then(|name| name.to_str()).is_none() {
            return Err("its name is not UTF-8".to_owned());
        }
        let parts = [above, &[name]].concat();
        if is_folder {
            return self.folder(path, &parts).map_err(|e| format!("{e:#}"));
        }
        self.files.push((parts, path.to_owned()));
        Ok(())
    }
}

fn is_hidden(name: &str) -> bool {
    let name = name.to_lowercase();
    let temporary = TEMPORARY
        .iter()
        .any(|end| name.ends_with(end) || name.contains(&format!("{end}.")));
    temporary || name.starts_with(['.', '~', '#']) || name.ends_with('~')
}
