//! Logging: to stderr at the asked level, and, while a command writes to a project, to a file of
//! that run.

use std::{
    ffi::OsStr,
    fmt::Debug,
    fs::File,
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
    sync::{OnceLock, PoisonError, RwLock},
};

use anyhow::Result;
use jiff::fmt::strtime::BrokenDownTime;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer as _,
    filter::FilterExt as _,
    layer::{Context, Filter, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::files;

/// Logs that are kept.
const KEPT: usize = 10;

/// The name of a run's log: when it began.
const NAME: &str = "%Y-%m-%dT%H-%M-%S%.3fZ.log";

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
    let terminal = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .without_time()
        .with_filter(filter.and(Meant));
    let file = tracing_subscriber::fmt::layer()
        .with_writer(|| RunLog)
        .with_ansi(false)
        .with_filter(EnvFilter::new("error,taskgen=debug").and(Meant));
    tracing_subscriber::registry()
        .with(terminal)
        .with(file)
        .init();
}

/// From now on everything goes to a file in `folder` as well; the oldest logs go.
pub fn to_file_in(folder: &Path) -> Result<()> {
    files::create_own_folder(folder)?;
    let mut logs: Vec<PathBuf> = fs_err::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    logs.retain(|path| is_of_a_run(path));
    logs.sort();
    for old in logs.iter().take(logs.len().saturating_sub(KEPT - 1)) {
        // Another command may have removed it meanwhile.
        if let Err(error) = fs_err::remove_file(old)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error.into());
        }
    }
    let (path, file) = new_log(folder)?;
    // A process writes to one project only.
    RUN.get_or_init(|| (path, RwLock::new(file)));
    Ok(())
}

/// The log of this run. Another command may have begun in the same millisecond.
fn new_log(folder: &Path) -> Result<(PathBuf, File)> {
    loop {
        let now = jiff::Timestamp::now().strftime(NAME).to_string();
        let path = folder.join(now);
        match files::create_new(&path) {
            Ok(file) => return Ok((path, file.into_file())),
            Err(error) if path.exists() => {
                tracing::debug!("a log of that name is there: {error:#}");
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a file has a name that only we give; others' logs are not ours to remove.
fn is_of_a_run(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    BrokenDownTime::parse(NAME, name).is_ok()
}

/// The file of this run, if it has one.
pub fn file() -> Option<&'static Path> {
    RUN.get().map(|(path, _)| path.as_path())
}

/// Deletes the file of this run, if it has one; what is logged from now on goes nowhere. A file
/// that cannot be deleted stays.
pub fn discard() {
    if let Some(path) = file() {
        let _ = fs_err::remove_file(path);
    }
}

/// A filter for a false error of whisper.cpp: that it was stopped before a pass, as asked.
struct Meant;

impl<S: Subscriber> Filter<S> for Meant {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let mut stopped = Stopped(false);
        event.record(&mut stopped);
        !stopped.0
    }
}

/// Whether an event is that error.
struct Stopped(bool);

impl Visit for Stopped {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        self.0 |= format!("{value:?}").contains("encoder_begin_callback returned false");
    }
}

/// The writer of the file's layer; it drops events before there is a file.
struct RunLog;

impl Write for RunLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match RUN.get() {
            Some((_, file)) => file
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
