//! The user's own settings: what belongs to the machine and not to a project. They lie in
//! `taskgen/config.toml` in the user's folder of configurations, and hold where a project leaves the
//! number of workers and the devices to the machine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::{cli::ui::exit::Usage, files, text::toml_error};

const HINT: &str =
    "the user's file has `device` and `jobs` of `[transcribe]`; all else is the project's";

const SECTION: &str = "[transcribe]";
/// The beginning of a new file.
const HEAD: &str = "# Settings of this machine, written by `taskgen doctor --bench`; a project's `taskgen.toml` wins.\n";

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserConfig {
    /// How this machine transcribes.
    pub transcribe: OfMachine,
}

/// The keys of `[transcribe]` that belong to a machine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OfMachine {
    /// Its devices.
    pub device: Option<String>,
    /// Its workers.
    pub jobs: Option<usize>,
}

/// The path in a variable of the environment; an empty one is none.
pub fn path_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Where the file is, or would be; nothing for a user without a home.
pub fn path() -> Option<PathBuf> {
    let configurations =
        path_in("XDG_CONFIG_HOME").or_else(|| Some(path_in("HOME")?.join(".config")))?;
    Some(configurations.join("taskgen/config.toml"))
}

/// Reads the file; nothing where there is none.
pub fn read(path: &Path) -> Result<UserConfig> {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    let text = match fs_err::read_to_string(path) {
        // A job may run where the user's folder is not, or is another's.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => {
            return Ok(UserConfig::default());
        }
        read => read.map_err(|error| Usage(error.to_string()))?,
    };
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<UserConfig> {
    toml::from_str(text)
        .map_err(|error| Usage(toml_error::explain(path, text, &error, &[], HINT)).into())
}

/// Writes the number of workers into the file, and leaves the rest of it as it is.
pub fn set_jobs(path: &Path, jobs: usize) -> Result<()> {
    // A link leads to where the user keeps the file.
    let file = match fs_err::canonicalize(path) {
        Ok(file) => file,
        Err(error) if path.is_symlink() => return Err(Usage(error.to_string()).into()),
        Err(_) => path.to_owned(),
    };
    let before = match fs_err::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        read => read.map_err(|error| Usage(error.to_string()))?,
    };
    // What cannot be read must not be written to.
    parse(&file, &before)?;
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let text = with_jobs(&before, jobs);
    // TOML can say the same in other ways than line by line.
    let read_back = toml::from_str::<UserConfig>(&text);
    if read_back.ok().and_then(|of| of.transcribe.jobs) != Some(jobs) {
        let file = file.display();
        return Err(Usage(format!(
            "cannot write `jobs` into `{file}`\nhint: write `jobs = {jobs}` into its `[transcribe]` yourself"
        ))
        .into());
    }
    Ok(files::write_whole(&file, text.as_bytes())?)
}

/// The text of the file with this number of workers, where each key is on a line of its own.
fn with_jobs(before: &str, jobs: usize) -> String {
    let ours = format!("jobs = {jobs} # workers; the fastest of those that were tried");
    let is_jobs = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        key == "jobs" && line.contains('=')
    };
    let is_section = |line: &str| line.trim_start().starts_with(SECTION);
    let mut lines: Vec<&str> = before.lines().collect();
    if let Some(place) = lines.iter().position(|line| is_jobs(line)) {
        lines[place] = &ours;
    } else if let Some(place) = lines.iter().position(|line| is_section(line)) {
        lines.insert(place + 1, &ours);
    } else {
        lines.extend([SECTION, &ours]);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_written_and_the_device_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("deep/config.toml");
        assert_eq!(read(&file).expect("no file"), UserConfig::default());
        set_jobs(&file, 3).expect("written");
        assert_eq!(read(&file).expect("read").transcribe.jobs, Some(3));
        let mine = "# mine\n[transcribe]\ndevice = \"cuda:1\" # the big one\n";
        let kept = folder.path().join("dotfiles.toml");
        fs_err::write(&kept, mine).expect("written");
        fs_err::remove_file(&file).expect("removed");
        std::os::unix::fs::symlink(&kept, &file).expect("a link");
        set_jobs(&file, 4).expect("written");
        set_jobs(&file, 5).expect("written");
        let text = fs_err::read_to_string(&kept).expect("the file behind the link");
        assert!(text.contains("# mine") && text.contains("# the big one"));
        assert_eq!(text.matches("jobs").count(), 1, "{text}");
        let wanted = OfMachine {
            device: Some("cuda:1".into()),
            jobs: Some(5),
        };
        assert_eq!(read(&file).expect("read").transcribe, wanted);
    }

    #[test]
    fn a_file_in_another_form_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.toml");
        for text in [
            "transcribe.device = \"cuda:1\"\n",
            "transcribe = { device = \"cpu\" }\n",
            "[ transcribe ]\n\"jobs\" = 3\n",
            "transcribe.jobs = 2\n",
        ] {
            fs_err::write(&file, text).expect("written");
            let refused = set_jobs(&file, 4).expect_err(text).to_string();
            assert!(refused.contains("jobs = 4"), "{refused}");
            assert_eq!(fs_err::read_to_string(&file).expect("there"), text);
        }
    }

    #[test]
    fn what_belongs_to_a_project_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.toml");
        fs_err::write(&file, "[transcribe]\nlanguage = \"en\"\n").expect("written");
        let refused = read(&file)
            .expect_err("no setting of a machine")
            .to_string();
        assert!(refused.contains("line 2"), "{refused}");
    }
}
