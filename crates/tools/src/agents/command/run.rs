//! One run of a program: started, fed, read and ended, with nothing of it left. Hides pipes, limits
//! and how an exit status becomes a state.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    pin::pin,
    process::{ExitStatus, Stdio},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::{
    CommandAgent, Supervisor, environment,
    group::{self, Group},
    question_json,
    result::{Fault, RunResult, TooLong},
    stderr::{self, StderrLog},
    trace::Trace,
};
#[cfg(target_os = "linux")]
use super::{leftovers, supervisor};
use crate::{
    agents::{
        Query,
        report_text::{self, MOST_BYTES},
    },
    data::State,
};

/// Exit code of a command that declines its task; 77 is what test suites use for a test that was
/// not run.
const REFUSED: i32 = 77;

/// How long output is awaited after the command ended and its group is gone: only a descendant that
/// left the group can still hold the pipe, and what the command itself wrote is there already.
const LAST_OUTPUT: Duration = Duration::from_millis(100);

/// How a run came to its end.
enum Ending {
    Exited(ExitStatus),
    TooLong,
    OutOfTime,
    NotStarted(String),
    NotSupervised(String),
    Lost(io::Error),
}

impl Ending {
    fn new(status: io::Result<ExitStatus>) -> Self {
        status.map_or_else(Self::Lost, Self::Exited)
    }
}

/// Runs the command once in the query's folder, which is made where it is missing. Dropping the
/// future ends the whole process group, which blocks for up to two seconds where a process ignores
/// SIGTERM: afterwards nothing is left that costs money.
pub(super) async fn run(agent: &CommandAgent, query: &Query<'_>) -> RunResult {
    let started = Instant::now();
    let mut result = match start(agent, query) {
        Ok((group, told)) => attend(group, told, agent, query).await,
        Err((fault, message)) => RunResult::error(fault, message),
    };
    let seconds = started.elapsed().as_secs_f64();
    result.cost.seconds.get_or_insert(seconds);
    result
}

/// The reading end of descriptor 3; none where there are no such numbers.
#[cfg(unix)]
type Told = tokio::net::unix::pipe::Receiver;
#[cfg(not(unix))]
type Told = tokio::io::Empty;

fn start(
    agent: &CommandAgent,
    query: &Query<'_>,
) -> Result<(Group, Option<Told>), (Fault, String)> {
    let Some((program, arguments)) = agent.argv.split_first() else {
        return Err((Fault::NotStarted, "the command is empty".to_owned()));
    };
    let environment = environment(agent, query).map_err(|e| (Fault::NotStarted, e.to_string()))?;
    let mut command = if let Some(supervisor) = &agent.supervisor {
        // Whether there is such a program is told apart from how it ends.
        let path = environment.get("PATH").map(AsRef::as_ref);
        find(program, path).map_err(|e| not_started(program, &e))?;
        let mut command = supervised(supervisor);
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .args(arguments)
        .current_dir(query.folder)
        .env_clear()
        .envs(environment)
        // A supervisor that is killed ends nobody.
        .kill_on_drop(agent.supervisor.is_none());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let is_supervised = agent.supervisor.is_some();
    #[cfg(unix)]
    let traced = super::descriptor::trace(&mut command)
        .map_err(|error| (Fault::NotSupervised, error.to_string()))?;
    let group = Group::start(command, is_supervised).map_err(|error| {
        if is_supervised {
            let message = format!("the process that looks after agents does not start: {error}");
            return (Fault::NotSupervised, message);
        }
        not_started(program, &error)
    })?;
    #[cfg(unix)]
    let told = Some(traced.reader);
    #[cfg(not(unix))]
    let told = None;
    Ok((group, told))
}

/// The supervisor's command, up to the program that it starts.
fn supervised(supervisor: &Supervisor) -> Command {
    let mut command = Command::new(&supervisor.program);
    let parent = std::process::id().to_string();
    #[cfg(unix)]
    command.arg0("taskgen");
    command.args(["supervise", "--parent", &parent]);
    if let Some(sandbox) = &supervisor.sandbox {
        command.arg("--sandboxed");
        for path in &sandbox.readable {
            command.arg("--readable").arg(path);
        }
        for path in &sandbox.writable {
            command.arg("--writable").arg(path);
        }
    }
    command.arg("--");
    command
}

/// Finds an executable file as the system would.
pub(super) fn find(program: &str, path: Option<&OsStr>) -> io::Result<PathBuf> {
    let candidates: Vec<PathBuf> = if program.contains('/') {
        vec![program.into()]
    } else {
        let folders = path.into_iter().flat_map(std::env::split_paths);
        folders.map(|folder| folder.join(program)).collect()
    };
    let Some(file) = candidates.into_iter().find(|candidate| candidate.is_file()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    rustix::fs::access(&file, rustix::fs::Access::EXEC_OK)?;
    Ok(file)
}

fn not_started(program: &str, error: &io::Error) -> (Fault, String) {
    let hint =
        "hint: without a `/` the program is looked up in PATH; otherwise write the whole path";
    match error.kind() {
        io::ErrorKind::NotFound => (
            Fault::NotFound,
            format!("no such program: `{program}`\n{hint}"),
        ),
        _ => (
            Fault::NotStarted,
            format!("cannot start `{program}`: {error}"),
        ),
    }
}

/// Feeds and reads a running command to its end, and sees that nothing of it is left.
async fn attend(
    mut group: Group,
    told: Option<Told>,
    agent: &CommandAgent,
    query: &Query<'_>,
) -> RunResult {
    let question = &question_json(query);
    let secrets = stderr::secrets(&agent.environment, &agent.secrets);
    let (stdin, stdout, stderr) = (
        group.child.stdin.take(),
        group.child.stdout.take(),
        group.child.stderr.take(),
    );
    let mut out = Vec::with_capacity(1 << 16);
    let mut log = StderrLog::new(&secrets);
    let mut trace = Trace::new();
    let (ending, seconds) = {
        // All three at once: a command that fills one pipe while another is waited for would hang.
        let streams = async {
            tokio::try_join!(
                write_question(stdin, question),
                read_report(stdout, &mut out),
                log.read(stderr),
                trace.read(told)
            )
        };
        let mut streams = pin!(streams);
        let mut is_open = true;
        let ended = timeout(agent.time_limit, async {
            tokio::select! {
                status = group.wait() => Ending::new(status),
                read = &mut streams => {
                    is_open = false;
                    if read.is_err() { return Ending::TooLong }
                    Ending::new(group.wait().await)
                }
            }
        });
        let ended = ended.await.unwrap_or(Ending::OutOfTime);
        // Descendants that outlive the command hold its pipes, so the group ends before the last
        // output is read.
        group.end().await;
        #[cfg(target_os = "linux")]
        let (ended, seconds) = match agent.supervisor {
            Some(_) => {
                end_leftovers(&ended, query.folder).await;
                told_by_supervisor(ended, query.folder, agent.time_limit)
            }
            None => (ended, None),
        };
        #[cfg(not(target_os = "linux"))]
        let seconds = None;
        let ended = match ended {
            Ending::Exited(status) if is_open => match timeout(LAST_OUTPUT, streams).await {
                Ok(Err(TooLong)) => Ending::TooLong,
                _ => Ending::Exited(status),
            },
            ended => ended,
        };
        (ended, seconds)
    };
    let trajectory = trace.finish(&log);
    let mut result = log.complete(result_of(ending, &out, agent.time_limit));
    result.cost.seconds = seconds;
    result.trajectory = trajectory;
    result
}

/// Where the supervisor was killed, nobody else ends what it looked after.
#[cfg(target_os = "linux")]
async fn end_leftovers(ending: &Ending, folder: &Path) {
    if matches!(ending, Ending::Exited(status) if status.code().is_some()) {
        return;
    }
    let folder = folder.to_owned();
    let ended = tokio::task::spawn_blocking(move || leftovers::end(&folder)).await;
    // It looks, and says nothing where it cannot: the attempt's own end is what counts.
    let _ = ended;
}

/// How the program ended, and after how long, where its supervisor knows: its own end may be later,
/// because it sees to what the program has left.
#[cfg(target_os = "linux")]
fn told_by_supervisor(ending: Ending, folder: &Path, limit: Duration) -> (Ending, Option<f64>) {
    use std::os::unix::process::ExitStatusExt as _;
    let told = supervisor::Ended::read(folder);
    match (ending, told) {
        (Ending::Exited(status), _) if status.code() == Some(supervisor::BUSY.into()) => {
            let message = "an agent of an earlier run is still at work in this folder";
            (Ending::NotSupervised(message.to_owned()), None)
        }
        // One that ended by itself had nothing to tell.
        (Ending::Exited(status), _) if !status.success() => {
            let message = format!("the process that looks after agents ended with {status}");
            match status.code() {
                Some(_) => (Ending::NotSupervised(message), None),
                None => (Ending::Lost(io::Error::other(message)), None),
            }
        }
        (Ending::Exited(_), None) => {
            let message = "its supervisor did not say how";
            (Ending::Lost(io::Error::other(message)), None)
        }
        (Ending::Exited(_), Some(supervisor::Ended::NotStarted(why))) => {
            (Ending::NotStarted(why), None)
        }
        (
            Ending::Exited(_) | Ending::OutOfTime,
            Some(supervisor::Ended::Ran {
                wait_status,
                seconds,
            }),
        ) if seconds <= limit.as_secs_f64() => (
            Ending::Exited(ExitStatus::from_raw(wait_status)),
            Some(seconds),
        ),
        (Ending::Exited(_), Some(supervisor::Ended::Ran { seconds, .. })) => {
            (Ending::OutOfTime, Some(seconds))
        }
        (ending, _) => (ending, None),
    }
}

/// Hands the question over. A command may leave it unread: a broken pipe is no failure.
async fn write_question(stdin: Option<ChildStdin>, question: &str) -> Result<(), TooLong> {
    if let Some(mut stdin) = stdin {
        stdin
            .write_all(question.as_bytes())
            .await
            .unwrap_or_default();
    }
    Ok(())
}

async fn read_report(stdout: Option<ChildStdout>, out: &mut Vec<u8>) -> Result<(), TooLong> {
    let Some(mut stdout) = stdout else {
        return Ok(());
    };
    while stdout.read_buf(out).await.unwrap_or_default() > 0 {
        if out.len() > MOST_BYTES {
            return Err(TooLong);
        }
    }
    Ok(())
}

fn result_of(ending: Ending, out: &[u8], time_limit: Duration) -> RunResult {
    match ending {
        Ending::Exited(status) => result_of_exit(status, report_text::from_bytes(out)),
        Ending::TooLong => RunResult::error(
            Fault::TooLong,
            format!("it wrote more than {} MB", MOST_BYTES / 1_000_000),
        ),
        Ending::OutOfTime => RunResult::without_report(
            State::Timeout,
            format!("it did not end in {} s", time_limit.as_secs_f64()),
        ),
        Ending::NotStarted(why) => {
            RunResult::error(Fault::NotStarted, format!("it cannot be started: {why}"))
        }
        Ending::NotSupervised(why) => RunResult::error(Fault::NotSupervised, why),
        Ending::Lost(e) => RunResult::error(Fault::Lost, format!("its end was not seen: {e}")),
    }
}

fn result_of_exit(status: ExitStatus, text: Result<String, String>) -> RunResult {
    match (status.code(), text) {
        (Some(0), Ok(text)) if text.trim().is_empty() => {
            RunResult::without_report(State::Empty, "it wrote nothing".into())
        }
        (Some(0), Ok(text)) => RunResult::new(State::Ok, text),
        (Some(0), Err(why)) => {
            RunResult::error(Fault::NotText, format!("its output is not text: {why}"))
        }
        (Some(REFUSED), text) => RunResult {
            message: Some(format!("it declined (exit code {REFUSED})")),
            ..RunResult::new(State::Refused, text.unwrap_or_default())
        },
        (Some(code), _) => {
            RunResult::error(Fault::Exit(code), format!("it ended with exit code {code}"))
        }
        (None, _) => {
            let signal = group::signal_of(status);
            RunResult::error(
                Fault::Signal(signal),
                format!("it was ended by signal {signal}"),
            )
        }
    }
}
