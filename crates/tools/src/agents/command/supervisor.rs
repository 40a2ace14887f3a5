//! The process between us and an agent's program, which sees that nothing of the program is left:
//! not when it ends, not when its time is over, not when we are killed. All that the program starts
//! stays a descendant of this process, in whatever session or group it hides.

use std::{
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
    process::{
        Pid, Signal, WaitOptions, getpid, getppid, kill_process, set_child_subreaper,
        set_dumpable_behavior,
    },
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};
use serde::{Deserialize, Serialize};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::sleep,
};

use super::{Sandbox, descendants, killing::kill_seen, leftovers, sandbox::enforce};
use crate::files;

/// Pause between two looks at the program and at who started us.
const PAUSE: Duration = Duration::from_millis(10);
/// How long programs may tidy up after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How long SIGKILL may take after that. What is still there is not ours to kill: a program of
/// another user, or one that hangs in the kernel.
const KILLING: Duration = Duration::from_secs(3);
/// How long an agent of an earlier run is waited for in the same folder.
const LOCKED: Duration = Duration::from_secs(10);
/// Exit code of a supervisor that did not get the folder.
pub const BUSY: u8 = 75;

/// How the program ended: what a supervisor leaves in the folder's file. It is there as soon as the
/// program has ended, before its descendants have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The system did not start it, for this reason.
    NotStarted(String),
    /// It ran for so many seconds.
    Ran {
        /// As the system has it.
        wait_status: i32,
        /// From its start to its own end.
        seconds: f64,
    },
}

impl Ended {
    /// What the supervisor that this process has started for `folder` has left there, if anything.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = fs_err::read_to_string(lock_file(folder)).ok()?;
        // One of an earlier run may be there still.
        let (parent, ended) = text.split_once(' ')?;
        if parent.parse() != Ok(std::process::id()) {
            return None;
        }
        serde_json::from_str(ended).ok()
    }
}

/// Runs a program, and ends when it and everything that it started has ended. Ends them all on
/// SIGTERM, and when `parent`, who started this process, is gone. The program has this process's
/// folder, environment and pipes; a sandbox holds for all that it starts, and not for this process.
/// How it ended is in the folder's file ([`Ended`]); the exit code is
/// this process's own: 0, or 75 where an agent of an earlier run will not leave the folder.
///
/// # Errors
/// The kernel lacks what is needed, or the folder's file cannot be written.
pub fn supervise(parent: i32, argv: &[String], sandbox: Option<&Sandbox>) -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    hide_memory()?;
    // Without it, who is to be ended could not be told.
    descendants::all()?;
    let Some(lock) = lock(&std::env::current_dir()?, parent)? else {
        return Ok(BUSY);
    };
    // A supervisor that was killed has let go of the folder, and its agent may be at work there.
    leftovers::end(&std::env::current_dir()?)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run(parent, argv, sandbox, lock))?;
    Ok(0)
}

/// Keeps other programs of the same user from reading this process's memory and environment.
pub fn hide_memory() -> io::Result<()> {
    Ok(set_dumpable_behavior(
        rustix::process::DumpableBehavior::NotDumpable,
    )?)
}

/// The file beside a folder that is locked while an agent works in it.
fn lock_file(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// One agent a folder: the file beside it is locked until this process ends, however it ends. None
/// where another one does not let go of it.
fn lock(folder: &Path, parent: i32) -> io::Result<Option<File>> {
    // Not emptied yet: it may be another one's.
    let (file, _) = files::open_own(&lock_file(folder))?.into_parts();
    let begun = Instant::now();
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => break,
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if begun.elapsed() > LOCKED || is_orphaned(parent) {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
    file.set_len(0)?;
    Ok(Some(file))
}

fn is_orphaned(parent: i32) -> bool {
    Pid::as_raw(getppid()) != parent
}

async fn run(
    parent: i32,
    argv: &[String],
    sandbox: Option<&Sandbox>,
    lock: File,
) -> io::Result<()> {
    let mut asked_to_end = signal(SignalKind::terminate())?;
    let _others = unheeded_signals()?;
    // An agent may cost money: it is not started for nobody.
    if is_orphaned(parent) {
        return Ok(());
    }
    let (program, arguments) = argv.split_first().ok_or(ErrorKind::InvalidInput)?;
    let started = Instant::now();
    // In a group of its own: a program that signals its whole group does not mean us.
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.env(leftovers::FOLDER, std::env::current_dir()?);
    let child = match start(command, sandbox)? {
        Ok(child) => child,
        Err(error) => return leave(&lock, parent, &Ended::NotStarted(error.to_string())),
    };
    leave_pipes()?;
    let program = Pid::from_child(&child);
    loop {
        // Orphans are reaped, too: nobody else does, and a long run may leave thousands.
        if let Reaped::Program(status) = reap(program)? {
            let seconds = started.elapsed().as_secs_f64();
            let wait_status = status.into_raw();
            let ended = Ended::Ran {
                wait_status,
                seconds,
            };
            leave(&lock, parent, &ended)?;
            break;
        }
        if is_orphaned(parent) {
            break;
        }
        tokio::select! {
            _ = asked_to_end.recv() => break,
            () = sleep(PAUSE) => {}
        }
    }
    end_descendants(program).await
}

/// Starts the program. The outer error is the sandbox's: without it, nothing is started.
fn start(mut command: Command, sandbox: Option<&Sandbox>) -> io::Result<io::Result<Child>> {
    let Some(sandbox) = sandbox else {
        return Ok(command.spawn());
    };
    // The kernel holds a thread to its rules, and what that starts; this thread has others to end.
    let start = move || enforce(sandbox).map(|()| command.spawn());
    let started = thread::scope(|scope| scope.spawn(start).join());
    started.unwrap_or_else(|_| Err(io::Error::other("the sandbox is not set up")))
}

/// Signals that would stop or end this process, and are meant for others.
fn unheeded_signals() -> io::Result<Vec<tokio::signal::unix::Signal>> {
    let stops = [Signal::TSTP, Signal::TTIN, Signal::TTOU].map(Signal::as_raw);
    let kinds = [
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ];
    // A handler and not "ignore", which the program would inherit.
    kinds
        .into_iter()
        .chain(stops.map(SignalKind::from_raw))
        .map(signal)
        .collect()
}

fn leave(mut file: &File, parent: i32, ended: &Ended) -> io::Result<()> {
    // In one write: who reads it meanwhile finds all or nothing.
    let text = format!("{parent} {}", serde_json::to_string(ended)?);
    file.write_all(text.as_bytes())
}

/// Who reads what the program writes shall see its end, not ours.
fn leave_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    Ok(dup2_stderr(&nothing)?)
}

/// What asking for dead children gave.
enum Reaped {
    /// There are children, and the program is among them or has been told before.
    Others,
    /// The program has ended.
    Program(ExitStatus),
    /// There are no children, dead or alive, and thus no descendants: orphans are children of ours.
    Nobody,
}

/// Takes note of all dead children.
fn reap(program: Pid) -> io::Result<Reaped> {
    let mut ended = None;
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == program => ended = Some(status.as_raw()),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Err(Errno::CHILD) if ended.is_none() => return Ok(Reaped::Nobody),
            Ok(None) | Err(Errno::CHILD) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ended.map_or(Reaped::Others, |status| {
        Reaped::Program(ExitStatus::from_raw(status))
    }))
}

/// Ends all descendants: SIGTERM, and SIGKILL after two seconds. Whether any are left is what the
/// kernel says of children, never what a look at `/proc` gave: a chain of processes that each start
/// the next one and end is in no such look.
async fn end_descendants(program: Pid) -> io::Result<()> {
    let begun = Instant::now();
    let mut told = Vec::new();
    while !matches!(reap(program)?, Reaped::Nobody) {
        let time = begun.elapsed();
        if time > GRACE + KILLING {
            break;
        }
        if time > GRACE {
            kill_descendants(begun + GRACE + KILLING)?;
            continue;
        }
        for pid in descendants::all()? {
            if !told.contains(&pid) {
                kill_process(pid, Signal::TERM).unwrap_or_default();
                told.push(pid);
            }
        }
        sleep(PAUSE).await;
    }
    Ok(())
}

/// Kills what there is, by `until`.
fn kill_descendants(until: Instant) -> io::Result<()> {
    kill_seen(descendants::all, until)?;
    // A chain goes from one process to the next faster than all of `/proc` is read.
    for _ in 0..DIRECT_LOOKS {
        for pid in descendants::children()? {
            kill_process(pid, Signal::KILL).unwrap_or_default();
        }
    }
    Ok(())
}

/// Looks at the direct children between two looks at all descendants.
const DIRECT_LOOKS: usize = 50;
