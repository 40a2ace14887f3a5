//! The user's own settings: what belongs to the machine and not to a project. They lie in
//! `taskgen/config.toml` in the user's folder of configurations, and hold where a project leaves the
//! number of workers and the devices to the machine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::{cli::ui::exit::Usage, files, text::toml_error};

const HINT: &str =
    "the user's file has `device` and `jobs` of `[transcribe]`; all else is the project's";

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
    toml::from_str(&text)
        .map_err(|error| Usage(toml_error::explain(path, &text, &error, &[], HINT)).into())
}

/// Writes the number of workers into the file, and leaves the rest of it.
pub fn set_jobs(path: &Path, jobs: usize) -> Result<()> {
    let mut kept = read(path)?;
    kept.transcribe.jobs = Some(jobs);
    let mut text = String::from(
        "# Settings of this machine, written by `taskgen doctor --bench`; a project's `taskgen.toml` wins.\n[transcribe]\n",
    );
    if let Some(device) = &kept.transcribe.device {
        text.push_str(&format!(
            "device = {}\n",
            toml::Value::from(device.as_str())
        ));
    }
    text.push_str(&format!(
        "jobs = {jobs} # workers; the fastest of those that were tried\n"
    ));
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    Ok(files::write_whole(path, text.as_bytes())?)
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
        fs_err::write(&file, "[transcribe]\ndevice = \"cuda:1\"\n").expect("written");
        set_jobs(&file, 5).expect("written");
        let wanted = OfMachine {
            device: Some("cuda:1".into()),
            jobs: Some(5),
        };
        assert_eq!(read(&file).expect("read").transcribe, wanted);
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
