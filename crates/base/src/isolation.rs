//! Isolation of the readers of strangers' files: a process of this program without the environment,
//! under limits of the kernel, in which a decoder's panic becomes the file's error.

use std::{
    cell::Cell, io, os::unix::process::CommandExt as _, panic, path::Path, process::Command,
    sync::Once,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// A process of `program`, which is this program, for its command `verb`. Nothing of the environment
/// is handed on: keys are there.
pub fn process(program: &Path, verb: &str) -> Command {
    let mut command = Command::new(program);
    command.arg0("taskgen").arg(verb).env_clear();
    command
}

/// Limits what this process may take. At the `soft` limit of computing time a signal of its own ends
/// it, so that this is told from a `kill`. The host may allow less already.
pub fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    // A limit of the host is never raised.
    let host = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let limits = Rlimit {
        current: Some(soft.min(host)),
        maximum: Some(hard.min(host)),
    };
    Ok(setrlimit(resource, limits)?)
}

/// Runs `work` with the panic message of this thread switched off: it becomes the file's error, and
/// one line is enough. The panic itself is the caller's to catch.
pub fn quiet_panics<T>(work: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.with(Cell::get) {
                usual(info);
            }
        }));
    });
    QUIET.with(|q| q.set(true));
    let result = work();
    QUIET.with(|q| q.set(false));
    result
}
