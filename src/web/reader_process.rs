//! Reading a page in a process of its own, and both ends of the pipe to it: a page is a stranger's,
//! and however it is made, it must not take the memory of this program or never end. The pipe
//! carries the question as a line of JSON and then the page's bytes; back comes the decision as
//! JSON. A process that is stopped ends without one.

use std::{
    io::{self, BufRead as _, BufReader, Write},
    path::PathBuf,
    process::{ExitStatus, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
    sync::Semaphore,
    time::timeout,
};

use super::read;
use crate::store::Extract;

/// Most bytes that the process may write to: several times what the largest page needs, and with
/// the program itself less than 512 MB.
const MAX_MEMORY: u64 = 448 << 20;
/// Seconds of computing that any page may take. This also ends a process whose parent was killed.
const MAX_SECONDS: u64 = 60;
/// The same by the clock, on a machine with other work.
const MAX_WAIT: Duration = Duration::from_secs(4 * MAX_SECONDS);
/// Longest decision in bytes; a longer one does not come from our own program.
const MAX_REPLY: u64 = 64 << 20;
/// Most of what the process says of its end.
const MAX_LAST_WORDS: u64 = 4 << 10;

/// What is to be decided of a page, its bytes apart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageQuestion {
    /// The status that the server answered with.
    pub status: u16,
    /// The address that was asked for.
    pub asked: String,
    /// The address that the page came from in the end.
    pub last: String,
    /// The server's header.
    pub content_type: Option<String>,
}

/// Whether bytes are a page, and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDecision {
    /// Why they are none, in one word.
    pub cause: Option<String>,
    /// The same for people.
    pub message: Option<String>,
    /// The text that was read, if any.
    pub extract: Option<Extract>,
}

/// Decides from its bytes whether something is a page, in this process.
fn decide(question: &PageQuestion, bytes: &[u8]) -> PageDecision {
    let read = match read::read(bytes, question.content_type.as_deref(), &question.last) {
        Ok(read) => read,
        Err(error) => {
            return PageDecision {
                cause: Some(error.cause().to_owned()),
                message: Some(error.to_string()),
                extract: None,
            };
        }
    };
    let (cause, message) =
        match read::suspect(question.status, &read, &question.asked, &question.last) {
            Some(suspicion) => (Some(suspicion.stub.word()), Some(suspicion.message())),
            None if read.text.trim().is_empty() => (Some("no_text"), None),
            None => (None, None),
        };
    PageDecision {
        cause: cause.map(str::to_owned),
        message,
        extract: Some(Extract {
            extractor: read.extractor.to_owned(),
            version: read.version.to_owned(),
            title: read.title,
            text: read.text,
        }),
    }
}

/// Reads a question and the page's bytes behind limits of the kernel, and writes the decision. This
/// is the body of the process that [`PageReader`] starts.
pub fn serve(input: &mut impl io::Read, out: &mut impl Write) -> io::Result<()> {
    limit(Resource::Data, MAX_MEMORY)?;
    limit(Resource::Cpu, MAX_SECONDS)?;
    // A process that gives up leaves no image of a stranger's page on the disk.
    limit(Resource::Core, 0)?;
    let mut input = BufReader::new(input);
    let mut question = String::new();
    input.read_line(&mut question)?;
    let question: PageQuestion = serde_json::from_str(&question)?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut input, &mut bytes)?;
    serde_json::to_writer(&mut *out, &decide(&question, &bytes))?;
    out.flush()
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = Some(most);
    Ok(setrlimit(
        resource,
        Rlimit {
            current: most,
            maximum: most,
        },
    )?)
}

/// Reads pages in processes with limits of time and memory, as many at once as there are cores.
pub struct PageReader {
    /// This program; its command `read-page` is the process.
    program: PathBuf,
    at_once: Semaphore,
}

impl PageReader {
    /// A reader whose processes are this program.
    pub fn new(program: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            program,
            at_once: Semaphore::new(cores),
        }
    }

    /// Decides from its bytes whether something is a page. The error is ours: the program does not
    /// start.
    pub async fn decide(&self, question: &PageQuestion, bytes: &[u8]) -> Result<PageDecision> {
        let _turn = self.at_once.acquire().await?;
        let mut child = Command::new(&self.program)
            .arg("read-page")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the process that reads pages does not start")?;
        let head = serde_json::to_string(question)? + "\n";
        let Ok(ended) = timeout(MAX_WAIT, converse(&mut child, &head, bytes)).await else {
            let seconds = MAX_WAIT.as_secs();
            return Ok(stopped(&format!("it took more than {seconds} seconds")));
        };
        let Ended {
            reply,
            last_words,
            status,
        } = ended?;
        match serde_json::from_slice(&reply) {
            Ok(decision) => Ok(decision),
            Err(_) => Ok(stopped(&reason(status, &last_words))),
        }
    }
}

/// What a process left.
struct Ended {
    reply: Vec<u8>,
    last_words: String,
    status: ExitStatus,
}

/// Sends the page while it receives the decision: a process that is stopped reads no further, and
/// that is no error of ours.
async fn converse(child: &mut Child, head: &str, bytes: &[u8]) -> io::Result<Ended> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let (mut reply, mut last_words) = (Vec::new(), Vec::new());
    let send = async {
        let _ = stdin.write_all(head.as_bytes()).await;
        let _ = stdin.write_all(bytes).await;
        drop(stdin);
    };
    let (mut stdout, mut stderr) = (stdout.take(MAX_REPLY), stderr.take(MAX_LAST_WORDS));
    let ((), received, _) = tokio::join!(
        send,
        stdout.read_to_end(&mut reply),
        stderr.read_to_end(&mut last_words),
    );
    received?;
    // One that says more than it may is still writing.
    child.start_kill().unwrap_or_default();
    Ok(Ended {
        reply,
        last_words: String::from_utf8_lossy(&last_words).into_owned(),
        status: child.wait().await?,
    })
}

fn stopped(why: &str) -> PageDecision {
    PageDecision {
        cause: Some("stopped".to_owned()),
        message: Some(format!("reading it was stopped: {why}")),
        extract: None,
    }
}

/// Why a process ended without a decision. What the allocator says is the only sign of memory.
fn reason(status: ExitStatus, last_words: &str) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    const KILLED: i32 = 9;
    if last_words.contains("memory allocation") {
        return format!("it needs more than {} MB of memory", MAX_MEMORY >> 20);
    }
    if status.signal() == Some(KILLED) {
        return format!("it took more than {MAX_SECONDS} seconds of computing");
    }
    format!("its process ended with {status}")
}
