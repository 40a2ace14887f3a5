//! One run of an agent that is a program: the task as JSON on its standard input, the report as
//! Markdown on its standard output, its diagnostics on standard error. Hides the process, its
//! descendants and every way in which they may hang.
//!
//! The program gets a folder, a process group and an environment of its own. Exit code 0 with text
//! is a report, 0 without text is empty, 77 is a refusal, everything else is an error. Its last
//! line on standard error may say what it spent: `taskgen-usage: {"input_tokens": 812,
//! "output_tokens": 2040, "cost_usd": 0.03}`, each field optional. Nothing that it writes is ever
//! executed.

mod group;
mod shell_words;
mod stderr;
#[cfg(all(test, unix))]
mod tests;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
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

use super::attempt::{MOST_BYTES, text_of};
use crate::{
    answer::command::stderr::Said,
    data::{Spent, State},
};
use group::Group;

pub use crate::answer::command::shell_words::split;

/// Exit code of a command that declines its task; 77 is what test suites use for a test that was
/// not run.
pub const REFUSED: i32 = 77;

/// How long output is awaited after the command ended and its group is gone: only a descendant that
/// left the group can still hold the pipe, and what the command itself wrote is there already.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A program that answers tasks.
#[derive(Clone, Debug)]
pub struct CommandAgent {
    /// Program and arguments, handed on as they are: no shell reads them. The program is looked up
    /// in `PATH`; a path must be absolute, because the program runs in a folder of its own.
    pub argv: Vec<String>,
    /// `PATH`, `LANG` and the variables that the user named, with their values. What is not in here
    /// does not reach the program, except for `HOME` and `TMPDIR`, which are in its own folder
    /// unless they are named, and a plain `LANG`.
    pub environment: BTreeMap<String, OsString>,
    /// How long it may take, wall time.
    pub limit: Duration,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub state: State,
    /// What went wrong, where the state is an error.
    pub fault: Option<Fault>,
    /// The report, or what was written with a refusal; without the values of named keys and tokens.
    pub text: String,
    /// What the command says it spent, and the time it took.
    pub spent: Spent,
    /// Why there is no report, or what is wrong with the line on usage: one line, and a hint where
    /// there is one.
    pub message: Option<String>,
    /// The end of standard error, at most 4 kB, without the values of named keys and tokens.
    pub stderr: String,
}

/// What can go wrong with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no such program.
    NotFound,
    /// The program or its folder cannot be used.
    NotStarted,
    /// It ended with this exit code.
    Exit(i32),
    /// It was ended by this signal.
    Signal(i32),
    /// It wrote more than a report may have.
    TooLong,
    /// What it wrote is not UTF-8, or holds a NUL.
    NotText,
    /// The system does not tell how it ended.
    Lost,
}

impl Fault {
    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::NotStarted => "not_started",
            Self::Exit(_) => "exit",
            Self::Signal(_) => "signal",
            Self::TooLong => "too_long",
            Self::NotText => "not_text",
            Self::Lost => "lost",
        }
    }
}

/// How a run came to its end.
enum End {
    Exited(ExitStatus),
    TooLong,
    OutOfTime,
    Lost(io::Error),
}

/// Runs the command once in `folder`, which is made where it is missing. Dropping the future ends
/// the whole process group, which blocks for up to two seconds where a process ignores SIGTERM:
/// afterwards nothing is left that costs money.
pub async fn run(agent: &CommandAgent, task_json: &str, folder: &Path) -> Ran {
    let started = Instant::now();
    let mut ran = match start(agent, folder) {
        Ok(group) => attend(group, agent, task_json).await,
        Err((fault, message)) => Ran::failed(State::Error, Some(fault), message),
    };
    ran.spent.seconds = Some(started.elapsed().as_secs_f64());
    ran
}

impl Ran {
    fn new(state: State, text: String) -> Self {
        Self {
            state,
            fault: None,
            text,
            spent: Spent::default(),
            message: None,
            stderr: String::new(),
        }
    }

    fn failed(state: State, fault: Option<Fault>, message: String) -> Self {
        Self {
            fault,
            message: Some(message),
            ..Self::new(state, String::new())
        }
    }
}

fn start(agent: &CommandAgent, folder: &Path) -> Result<Group, (Fault, String)> {
    let Some((program, arguments)) = agent.argv.split_first() else {
        return Err((Fault::NotStarted, "the command is empty".to_owned()));
    };
    let environment = environment(agent, folder).map_err(|e| (Fault::NotStarted, e.to_string()))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment)
        .kill_on_drop(true);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Group::start(command).map_err(|e| not_started(program, &e))
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

/// The variables of the program, whose folders are made.
fn environment(agent: &CommandAgent, folder: &Path) -> io::Result<BTreeMap<String, OsString>> {
    let home: PathBuf = std::path::absolute(folder)?;
    let temporary = home.join("tmp");
    fs_err::create_dir_all(&temporary)?;
    let own = [
        ("HOME", home.as_os_str()),
        ("TMPDIR", temporary.as_os_str()),
        ("LANG", OsStr::new("C.UTF-8")),
    ];
    let mut all: BTreeMap<String, OsString> = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    all.extend(agent.environment.clone());
    Ok(all)
}

/// Feeds and reads a running command to its end, and sees that nothing of it is left.
async fn attend(mut group: Group, agent: &CommandAgent, task_json: &str) -> Ran {
    let secrets = stderr::secrets(&agent.environment);
    let (stdin, stdout, stderr) = (
        group.child.stdin.take(),
        group.child.stdout.take(),
        group.child.stderr.take(),
    );
    let mut out = Vec::with_capacity(1 << 16);
    let mut said = Said::new(&secrets);
    let end = {
        let streams = async {
            tokio::try_join!(
                feed(stdin, task_json),
                hear(stdout, &mut out),
                said.listen(stderr)
            )
        };
        let mut streams = pin!(streams);
        let mut open = true;
        let ended = timeout(agent.limit, async {
            tokio::select! {
                status = group.child.wait() => status.map_or_else(End::Lost, End::Exited),
                heard = &mut streams => {
                    open = false;
                    if heard.is_err() { return End::TooLong }
                    group.child.wait().await.map_or_else(End::Lost, End::Exited)
                }
            }
        });
        let ended = ended.await.unwrap_or(End::OutOfTime);
        group.end().await;
        match ended {
            End::Exited(status) if open => match timeout(LAST_WORDS, streams).await {
                Ok(Err(TooLong)) => End::TooLong,
                _ => End::Exited(status),
            },
            ended => ended,
        }
    };
    said.complete(told(end, &out, agent.limit))
}

/// More was written than a report may have.
struct TooLong;

/// Hands the task over. A command that does not read it is its own affair.
async fn feed(stdin: Option<ChildStdin>, task_json: &str) -> Result<(), TooLong> {
    if let Some(mut stdin) = stdin {
        stdin
            .write_all(task_json.as_bytes())
            .await
            .unwrap_or_default();
    }
    Ok(())
}

async fn hear(stdout: Option<ChildStdout>, out: &mut Vec<u8>) -> Result<(), TooLong> {
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

fn told(end: End, out: &[u8], limit: Duration) -> Ran {
    let error = |fault, message| Ran::failed(State::Error, Some(fault), message);
    match end {
        End::Exited(status) => exited(status, text_of(out)),
        End::TooLong => error(
            Fault::TooLong,
            format!("it wrote more than {} MB", MOST_BYTES / 1_000_000),
        ),
        End::OutOfTime => Ran::failed(
            State::Timeout,
            None,
            format!("it did not end in {} s", limit.as_secs_f64()),
        ),
        End::Lost(e) => error(Fault::Lost, format!("its end was not seen: {e}")),
    }
}

fn exited(status: ExitStatus, text: Result<String, String>) -> Ran {
    let error = |fault, message| Ran::failed(State::Error, Some(fault), message);
    match (status.code(), text) {
        (Some(0), Ok(text)) if text.trim().is_empty() => {
            Ran::failed(State::Empty, None, "it wrote nothing".into())
        }
        (Some(0), Ok(text)) => Ran::new(State::Ok, text),
        (Some(0), Err(why)) => error(Fault::NotText, format!("what it wrote is no text: {why}")),
        (Some(REFUSED), text) => Ran {
            message: Some(format!("it declined (exit code {REFUSED})")),
            ..Ran::new(State::Refused, text.unwrap_or_default())
        },
        (Some(code), _) => error(Fault::Exit(code), format!("it ended with exit code {code}")),
        (None, _) => {
            let signal = group::signal_of(status);
            error(
                Fault::Signal(signal),
                format!("it was ended by signal {signal}"),
            )
        }
    }
}
