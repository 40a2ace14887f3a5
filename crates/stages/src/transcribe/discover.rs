//! Which files are recordings: by extension, sorted, hidden and half-copied ones left out and
//! counted.

use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;

/// Extensions that are taken for recordings.
pub const EXTENSIONS: [&str; 12] = [
    "m4a", "mp4", "mp3", "flac", "wav", "ogg", "oga", "opus", "webm", "mkv", "mov", "aac",
];

/// The same for people, without rare spellings.
pub const FORMATS: &str = "m4a, mp4, mp3, flac, wav, ogg, opus, webm, mkv, mov or aac";

/// A recording by its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recording {
    /// Path under the seminars folder, `/` between parts.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Recordings, sorted by name.
    pub recordings: Vec<Recording>,
    /// Hidden and temporary files that would be recordings by their extension.
    pub skipped: Vec<PathBuf>,
    /// Folders that could not be looked into.
    pub unreadable: Vec<PathBuf>,
}

/// The recordings under `paths`, or under `root` where none are given. A file that is named is
/// taken whatever it is called; a folder is searched through all its levels.
pub fn discover(root: &Path, paths: &[PathBuf]) -> anyhow::Result<Discovered> {
    let mut found = Discovered::default();
    let whole = [root.to_path_buf()];
    for path in if paths.is_empty() { &whole } else { paths } {
        let metadata = fs_err::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => anyhow::anyhow!(
                "no such file or folder: `{}`\nhint: check the path; `taskgen init` makes the folder `seminars/`",
                path.display()
            ),
            _ => error.into(),
        })?;
        if metadata.is_dir() {
            search(root, path, &mut found)?;
        } else if !path.is_file() {
            // A pipe or a device may never end.
            anyhow::bail!(
                "neither a file nor a folder: `{}`\nhint: save the recording as a file",
                path.display()
            );
        } else {
            found.recordings.push(recording(root, path)?);
        }
    }
    found.recordings.sort();
    found.recordings.dedup();
    found.skipped.sort();
    if let Some(pair) = found
        .recordings
        .windows(2)
        .find(|pair| pair[0].name == pair[1].name)
    {
        anyhow::bail!(
            "two recordings would share the transcript `{}`: `{}` and `{}`",
            pair[0].name,
            pair[0].path.display(),
            pair[1].path.display()
        );
    }
    Ok(found)
}

fn search(root: &Path, folder: &Path, found: &mut Discovered) -> anyhow::Result<()> {
    let Ok(entries) = fs_err::read_dir(folder) else {
        found.unreadable.push(folder.to_path_buf());
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let hidden = name.starts_with('.');
        // A link may be broken or go in circles: files through links are read, folders through
        // links are not.
        let Ok(kind) = fs_err::symlink_metadata(&path) else {
            continue;
        };
        if kind.is_dir() {
            if !hidden {
                search(root, &path, found)?;
            }
        } else if is_recording(&path) && path.is_file() {
            if hidden || is_temporary(&name) {
                found.skipped.push(path);
            } else {
                found.recordings.push(recording(root, &path)?);
            }
        }
    }
    Ok(())
}

/// Whether a file is a recording by its name.
pub fn is_recording(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    extension.is_some_and(|e| EXTENSIONS.contains(&e.as_str()))
}

fn is_temporary(name: &str) -> bool {
    let name = name.to_lowercase();
    name.starts_with('~')
        || name.ends_with('~')
        || [".tmp.", ".part.", ".temp.", ".crdownload."]
            .iter()
            .any(|p| name.contains(p))
}

fn recording(root: &Path, path: &Path) -> anyhow::Result<Recording> {
    let real = |p: &Path| fs_err::canonicalize(p).unwrap_or_else(|_| p.to_path_buf());
    let inside = path.strip_prefix(root).map(Path::to_path_buf);
    let inside = inside.or_else(|_| real(path).strip_prefix(real(root)).map(Path::to_path_buf));
    let inside = inside
        .ok()
        .filter(|p| p.components().all(|c| matches!(c, Component::Normal(_))));
    // Named by its file alone, it could take the place of another recording.
    let name = inside.with_context(|| {
        format!(
            "not below `{}`: `{}`\nhint: copy or link it there",
            root.display(),
            path.display()
        )
    })?;
    let parts: Vec<String> = name
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    Ok(Recording {
        name: parts.join("/"),
        path: path.to_path_buf(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_may_never_end_is_no_recording() {
        let zero = PathBuf::from("/dev/zero");
        let error = discover(Path::new("/dev"), &[zero]).expect_err("a device");
        assert!(error.to_string().contains("neither a file nor a folder"));
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe.wav"))
            .status();
        assert!(made.is_ok_and(|status| status.success()));
        std::os::unix::fs::symlink("/dev/zero", at("zero.wav")).expect("a link");
        for name in ["pipe.wav", "zero.wav"] {
            let error = discover(folder.path(), &[at(name)]).expect_err(name);
            assert!(
                error.to_string().contains("hint: save the recording"),
                "{error}"
            );
        }
        let found = discover(folder.path(), &[]).expect("a folder");
        assert!(found.recordings.is_empty());
    }

    #[test]
    fn finds_recordings_and_counts_what_it_leaves() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        fs_err::create_dir_all(root.join("b/.hidden"))?;
        for name in [
            "b/talk.M4A",
            "a.mp3",
            "notes.txt",
            ".x.mp3",
            "c.part.wav",
            "b/.hidden/z.wav",
            "a.reference.json",
        ] {
            fs_err::write(root.join(name), "x")?;
        }
        let found = discover(root, &[])?;
        let names: Vec<&str> = found.recordings.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["a.mp3", "b/talk.M4A"]);
        assert_eq!(found.skipped.len(), 2);
        let one = discover(root, &[root.join("b"), root.join("b/talk.M4A")])?;
        assert_eq!(one.recordings.len(), 1);
        assert_eq!(one.recordings[0].name, "b/talk.M4A");
        assert!(discover(root, &[root.join("missing.mp3")]).is_err());
        Ok(())
    }
}
