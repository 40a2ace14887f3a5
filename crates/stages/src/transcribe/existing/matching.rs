//! Which recording a file belongs to: the one whose name it has.

use std::path::{Path, PathBuf};

use super::super::{discover::Recording, language::tag::Language};

const EXTENSIONS: [&str; 3] = ["srt", "vtt", "json"];

/// The recording of a file, or why there is none.
#[derive(Debug, PartialEq)]
pub enum Match<'a> {
    /// The one, and the language that the file's name says.
    One(&'a Recording, Option<Language>),
    /// None has its name.
    None,
    /// Several have it.
    Several(Vec<&'a str>),
}

/// The transcripts under `path`, which is a file or a folder, sorted.
pub fn find(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        std::fs::metadata(path)?;
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            // A link to a folder may lead round in a circle.
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if has_known_extension(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn has_known_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.iter().any(|known| extension == *known)
}

/// The recording that the file `name` (a path under the folder that was named) belongs to:
/// `talk.srt`, `talk.m4a.srt` and `talk.en.srt` are of `talk.m4a`, wherever that lies if there is
/// only one.
pub fn recording_of<'a>(name: &Path, recordings: &'a [Recording]) -> Match<'a> {
    let whole = name.with_extension("");
    for (stem, language) in stems(&whole) {
        let fitting = |same: &dyn Fn(&Path) -> bool| -> Vec<&'a Recording> {
            let fits = |recording: &&Recording| {
                let path = Path::new(&recording.name);
                same(path) || same(&path.with_extension(""))
            };
            recordings.iter().filter(fits).collect()
        };
        let by_path = fitting(&|path| path == stem);
        let found = if by_path.is_empty() {
            fitting(&|path| path.file_name() == stem.file_name())
        } else {
            by_path
        };
        match found.as_slice() {
            [] => {}
            [one] => return Match::One(one, language),
            several => {
                return Match::Several(several.iter().map(|of| of.name.as_str()).collect());
            }
        }
    }
    Match::None
}

/// A file's name without its extension, and also without the language at its end.
fn stems(whole: &Path) -> Vec<(PathBuf, Option<Language>)> {
    let mut stems = vec![(whole.to_owned(), None)];
    let tag = whole.extension().and_then(|tag| tag.to_str());
    if let Some(language) = tag.and_then(|tag| Language::parse(tag).ok()) {
        stems.push((whole.with_extension(""), Some(language)));
    }
    stems
}
