//! The process between us and an agent's program, which sees that nothing of the program is left:
//! not when it ends, not when its time is over, not when we are killed. All that the program starts
//! stays a descendant of this process, in whatever session or group it hides.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, ErrorKind},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    process::{
        Pid, Signal, getpid, getppid, kill_process, set_child_subreaper, set_dumpable_behavior,
    },
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::sleep,
};

/// Pause between two looks at the program and at who started us.
const PAUSE: Duration = Duration::from_millis(10);
/// How long programs may tidy up after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How long an agent of an earlier run is waited for in the same folder.
const LOCKED: Duration = Duration::from_secs(10);
/// Added to the number of a signal that ended the program, as shells do.
const SIGNALLED: i32 = 128;

/// Runs a program and ends with its exit code, or with 128 and its signal's number, after
/// everything that it started has ended. Ends them all on SIGTERM, and when `parent`, who started
/// this process, is gone. The program has this process's folder, environment and pipes.
///
/// # Errors
/// The program does not start; an agent of an earlier run will not leave the folder; the kernel
/// lacks what is needed.
pub fn supervise(parent: i32, argv: &[String]) -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    hide_memory()?;
    let _lock = lock(&std::env::current_dir()?)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let status = runtime.block_on(run(parent, argv))?;
    let code = match status {
        Some(status) => status
            .code()
            .unwrap_or_else(|| SIGNALLED + status.signal().unwrap_or_default()),
        // Nobody is interested in how it would have ended.
        None => SIGNALLED,
    };
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// How the program ended, from how its supervisor did.
pub fn reported(status: ExitStatus) -> ExitStatus {
    match status.code() {
        Some(code) if code > SIGNALLED => ExitStatus::from_raw(code - SIGNALLED),
        _ => status,
    }
}

/// Keeps other programs of the same user from reading this process's memory and environment.
pub fn hide_memory() -> io::Result<()> {
    Ok(set_dumpable_behavior(
        rustix::process::DumpableBehavior::NotDumpable,
    )?)
}

/// One agent a folder: the file beside it is locked until this process ends, however it ends.
fn lock(folder: &Path) -> io::Result<File> {
    let file = fs_err::File::create(folder.with_extension("lock"))?
        .into_parts()
        .0;
    let begun = Instant::now();
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if begun.elapsed() > LOCKED {
            return Err(io::Error::new(
                ErrorKind::ResourceBusy,
                "an agent of an earlier run is still at work in this folder",
            ));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(file)
}

/// How the program ended; none where it was ended.
async fn run(parent: i32, argv: &[String]) -> io::Result<Option<ExitStatus>> {
    let mut asked_to_end = signal(SignalKind::terminate())?;
    let (program, arguments) = argv.split_first().ok_or(ErrorKind::InvalidInput)?;
    let mut child = Command::new(program).args(arguments).spawn()?;
    leave_pipes()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Pid::as_raw(getppid()) != parent {
            break None;
        }
        tokio::select! {
            _ = asked_to_end.recv() => break None,
            () = sleep(PAUSE) => {}
        }
    };
    end_descendants(&mut child).await;
    Ok(status)
}

/// Who reads what the program writes shall see its end, not ours.
fn leave_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    Ok(dup2_stderr(&nothing)?)
}

/// Ends all descendants: SIGTERM, and SIGKILL after two seconds.
async fn end_descendants(child: &mut Child) {
    let mut told = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < GRACE {
        let living = descendants();
        if living.is_empty() {
            return;
        }
        for pid in living {
            if !told.contains(&pid) {
                kill_process(pid, Signal::TERM).unwrap_or_default();
                told.push(pid);
            }
        }
        sleep(PAUSE).await;
        child.try_wait().unwrap_or_default();
    }
    // Stopped first: what is stopped starts nothing, so that no start is missed between two looks.
    let mut stopped = Vec::new();
    loop {
        let running: Vec<Pid> = descendants()
            .into_iter()
            .filter(|pid| !stopped.contains(pid))
            .collect();
        if running.is_empty() {
            break;
        }
        for pid in running {
            kill_process(pid, Signal::STOP).unwrap_or_default();
            stopped.push(pid);
        }
    }
    for pid in stopped {
        kill_process(pid, Signal::KILL).unwrap_or_default();
    }
    while !descendants().is_empty() {
        sleep(PAUSE).await;
        child.try_wait().unwrap_or_default();
    }
}

/// All living descendants of this process, as `/proc` has them.
fn descendants() -> Vec<Pid> {
    let Ok(processes) = fs_err::read_dir("/proc") else {
        return Vec::new();
    };
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in processes.flatten() {
        let stat = fs_err::read_to_string(process.path().join("stat")).unwrap_or_default();
        if let Some((pid, parent)) = living(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = next.pop() {
        for pid in children.remove(&parent).unwrap_or_default() {
            next.push(pid);
            found.extend(Pid::from_raw(pid));
        }
    }
    found
}

/// A living process and its parent, from its line in `/proc`. The name in brackets may hold
/// anything.
fn living(stat: &str) -> Option<(i32, i32)> {
    let (before, after) = stat.rsplit_once(") ")?;
    let pid = before.split(' ').next()?.parse().ok()?;
    let mut fields = after.split(' ');
    // A dead process that nobody has asked about has no children any more.
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    Some((pid, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_behind_any_name() {
        assert_eq!(living("812 (a) R 1 2) S 7 640 640 0"), Some((812, 7)));
        assert_eq!(living("812 (a) Z 7 640 640 0"), None);
        assert_eq!(living(""), None);
    }
}
