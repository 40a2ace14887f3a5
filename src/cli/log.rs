//! Diagnostics: to stderr as much as was asked for, and, while a command writes to a project, to a file of that run.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{OnceLock, PoisonError, RwLock},
};

use anyhow::Result;
use tracing_subscriber::{EnvFilter, Layer as _, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Logs that are kept.
const KEPT: usize = 10;

static RUN: OnceLock<(PathBuf, RwLock<File>)> = OnceLock::new();

/// Starts logging to stderr: errors and our own warnings, more with `-v`, or as `TASKGEN_LOG` says.
pub fn start(verbose: u8) {
    let level = match verbose {
        0 => "error,taskgen=warn",
        1 => "taskgen=info",
        2 => "taskgen=debug",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("TASKGEN_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let terminal = tracing_subscriber::fmt::layer().with_writer(io::stderr).without_time().with_filter(filter);
    let file = tracing_subscriber::fmt::layer()
        .with_writer(|| RunLog)
        .with_ansi(false)
        .with_filter(EnvFilter::new("error,taskgen=debug"));
    tracing_subscriber::registry().with(terminal).with(file).init();
}

/// From now on everything goes to a file in `folder` as well; the oldest logs go.
pub fn to_file_in(folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    let mut logs: Vec<PathBuf> = fs_err::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    logs.retain(|path| path.extension().is_some_and(|e| e == "log"));
    logs.sort();
    for old in logs.iter().take(logs.len().saturating_sub(KEPT - 1)) {
        fs_err::remove_file(old)?;
    }
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S%.3fZ").to_string();
    let path = folder.join(format!("{now}.log"));
    let file = fs_err::File::create(&path)?.into_file();
    // A process writes to one project only.
    RUN.get_or_init(|| (path, RwLock::new(file)));
    Ok(())
}

/// The file of this run, if it has one.
pub fn file() -> Option<&'static Path> {
    RUN.get().map(|(path, _)| path.as_path())
}

/// Where the file's layer writes; nowhere before there is a file.
struct RunLog;

impl Write for RunLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match RUN.get() {
            Some((_, file)) => file.write().unwrap_or_else(PoisonError::into_inner).write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
