//! Processes of an agent that outlived their supervisor, because somebody killed it: each has the
//! folder in its environment, and is ended. One that hides its environment is not found.

use std::{
    ffi::OsStr,
    io,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, getpid};

use super::killing::kill_seen;

/// The variable with the agent's folder; the supervisor itself does not have it.
pub const FOLDER: &str = "TASKGEN_AGENT_FOLDER";
/// How long they may take to end: what is still there is not ours to kill.
const ENDING: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(10);

/// Ends what is left of agents in a folder, by SIGKILL: they had their time.
///
/// # Errors
/// There is no `/proc`, or no such folder.
pub fn end(folder: &Path) -> io::Result<()> {
    let folder = fs_err::canonicalize(folder)?;
    let until = Instant::now() + ENDING;
    while Instant::now() < until && !of(&folder)?.is_empty() {
        kill_seen(|| of(&folder), until)?;
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// The living processes that were started in a folder.
fn of(folder: &Path) -> io::Result<Vec<Pid>> {
    let mut wanted = format!("{FOLDER}=").into_bytes();
    wanted.extend(folder.as_os_str().as_bytes());
    let mut found = Vec::new();
    for process in fs_err::read_dir("/proc")?.flatten() {
        let name = process.file_name();
        let Some(pid) = number(&name).filter(|pid| *pid != getpid()) else {
            continue;
        };
        // Of the dead it is empty, and that of other users is closed.
        let environment = fs_err::read(process.path().join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == wanted)
        {
            found.push(pid);
        }
    }
    Ok(found)
}

fn number(name: &OsStr) -> Option<Pid> {
    Pid::from_raw(name.to_str()?.parse().ok()?)
}
