//! The process that reads one page, and both ends of the pipe to it: an untrusted page must neither
//! take the memory of this program nor run for ever. The pipe carries the question as a line of
//! JSON and then the page's bytes; back come the line `ready` and the decision as JSON. A process
//! that is stopped ends without one.

use std::{
    io::{self, BufRead as _, BufReader, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::{ExitStatus, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Resource, Signal};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
    sync::Semaphore,
    time::timeout,
};

use super::read::{self, PageLink};
use crate::{isolation, store::Extract};

/// Most bytes that the process may write to: several times what the largest page needs. The pages
/// of the program itself, which all its processes share, come on top.
const MAX_MEMORY: u64 = 448 << 20;
/// Seconds of computing that any page may take. This also ends a process whose parent was killed.
const MAX_SECONDS: u64 = 60;
/// The same by the clock, on a machine with other work.
const MAX_WAIT: Duration = Duration::from_secs(4 * MAX_SECONDS);
/// Attempts at a page if other programs end its process.
const TRIES: usize = 2;
/// Longest decision in bytes; a longer one does not come from our own program.
const MAX_REPLY: u64 = 64 << 20;
/// Most bytes of the process's last words.
const MAX_LAST_WORDS: u64 = 4 << 10;

/// The line that the process sends before it reads the page.
const READY: &[u8] = b"ready\n";

/// The question about a page, without its bytes.
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
    /// Whether its links are wanted, and not its text.
    #[serde(default)]
    pub links: bool,
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
    /// The links, where they were wanted and could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<PageLink>>,
}

/// Decides from the bytes whether they are a page, in this process.
fn decide(question: &PageQuestion, bytes: &[u8]) -> PageDecision {
    if question.links {
        let links = || read::links(bytes, question.content_type.as_deref(), &question.last);
        return PageDecision {
            links: isolation::quiet_panics(|| catch_unwind(AssertUnwindSafe(links))).ok(),
            ..PageDecision::default()
        };
    }
    let read = match read::read(bytes, question.content_type.as_deref(), &question.last) {
        Ok(read) => read,
        Err(error) => {
            return PageDecision {
                cause: Some(error.cause().to_owned()),
                message: Some(error.to_string()),
                ..PageDecision::default()
            };
        }
    };
    let (cause, message) =
        match read::detect_stub(question.status, &read, &question.asked, &question.last) {
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
            published: read.published,
            text: read.text,
        }),
        links: None,
    }
}

/// Reads a question and the page's bytes behind limits of the kernel, and writes the decision. This
/// is the body of the process that [`PageReader`] starts.
pub fn serve(input: &mut impl io::Read, out: &mut impl Write) -> io::Result<()> {
    isolation::limit(Resource::Data, MAX_MEMORY, MAX_MEMORY)?;
    isolation::limit(Resource::Cpu, MAX_SECONDS, MAX_SECONDS + 5)?;
    // A process that gives up leaves no image of a stranger's page on the disk.
    isolation::limit(Resource::Core, 0, 0)?;
    // What goes wrong from here on is the page's doing.
    out.write_all(READY)?;
    out.flush()?;
    let mut input = BufReader::new(input);
    let mut question = String::new();
    input.read_line(&mut question)?;
    let question: PageQuestion = serde_json::from_str(&question)?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut input, &mut bytes)?;
    serde_json::to_writer(&mut *out, &decide(&question, &bytes))?;
    out.flush()
}

/// Reads pages in processes with limits of time and memory, as many at once as there are cores.
pub struct PageReader {
    /// This program; its command `read-page` is the process.
    program: PathBuf,
    at_once: Semaphore,
}

impl PageReader {
    /// A reader that starts this program for each page.
    pub fn new(program: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            program,
            at_once: Semaphore::new(cores),
        }
    }

    /// Decides from its bytes whether something is a page. None where others ended the process or the
    /// machine was busy, twice: that says nothing of the page.
    ///
    /// # Errors
    /// The program does not start, or cannot work on this machine.
    pub async fn decide(
        &self,
        question: &PageQuestion,
        bytes: &[u8],
    ) -> Result<Option<PageDecision>> {
        let _turn = self.at_once.acquire().await?;
        for _ in 0..TRIES {
            if let Some(decision) = self.try_to_decide(question, bytes).await? {
                return Ok(Some(decision));
            }
        }
        Ok(None)
    }

    async fn try_to_decide(
        &self,
        question: &PageQuestion,
        bytes: &[u8],
    ) -> Result<Option<PageDecision>> {
        let mut child = Command::from(isolation::process(&self.program, "read-page"))
            // Ctrl-C is for us; what it leaves unread is read by the next run.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the process that reads pages does not start")?;
        let head = serde_json::to_string(question)? + "\n";
        // The limit of computing comes first, unless it was the machine that had no time.
        let Ok(ended) = timeout(MAX_WAIT, converse(&mut child, &head, bytes)).await else {
            return Ok(None);
        };
        let Ended {
            reply,
            last_words,
            status,
        } = ended?;
        let reply = reply.strip_prefix(READY);
        if let Some(Ok(decision)) = reply.map(serde_json::from_slice) {
            return Ok(Some(decision));
        }
        if reply.is_none() && status.code().is_some() {
            bail!("the process that reads pages does not work: {status}: {last_words}");
        }
        Ok(fault_of_page(status, &last_words).map(|why| stopped(&why)))
    }
}

/// The end of a process and its output.
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
    let listen = async {
        let _ = stderr.read_to_end(&mut last_words).await;
        // A full pipe would hold the process up.
        let _ = tokio::io::copy(stderr.get_mut(), &mut tokio::io::sink()).await;
    };
    let ((), received, ()) = tokio::join!(send, stdout.read_to_end(&mut reply), listen);
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
        ..PageDecision::default()
    }
}

/// Why a page ended the process that read it; none where nothing shows that the page did. What the
/// allocator says is the only sign of memory.
fn fault_of_page(status: ExitStatus, last_words: &str) -> Option<String> {
    use std::os::unix::process::ExitStatusExt as _;
    /// What a panic exits with.
    const PANIC: i32 = 101;
    if last_words.contains("memory allocation") {
        return Some(format!(
            "it needs more than {} MB of memory",
            MAX_MEMORY >> 20
        ));
    }
    match status.signal().and_then(Signal::from_named_raw) {
        Some(Signal::XCPU) => Some(format!(
            "it took more than {MAX_SECONDS} seconds of computing"
        )),
        Some(Signal::ABORT | Signal::SEGV | Signal::BUS | Signal::ILL) => {
            Some(format!("its process ended with {status}"))
        }
        // SIGKILL, SIGTERM and the like come from outside.
        Some(_) => None,
        None => (status.code() == Some(PANIC)).then(|| format!("its process ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    /// What others do to the process is never kept as the page's doing.
    #[test]
    fn only_what_shows_the_page_s_doing_is_its_fault() {
        let ended = |raw, words| fault_of_page(ExitStatus::from_raw(raw), words);
        let signal = |signal: Signal| ended(signal.as_raw(), "");
        for outside in [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP] {
            assert_eq!(signal(outside), None, "{outside:?}");
        }
        assert_eq!(ended(1 << 8, ""), None, "exit code 1");
        for own in [Signal::XCPU, Signal::SEGV, Signal::ABORT] {
            assert!(signal(own).is_some(), "{own:?}");
        }
        assert!(ended(101 << 8, "").is_some(), "a panic");
        let words = "memory allocation of 9 bytes failed";
        assert!(ended(Signal::ABORT.as_raw(), words).is_some_and(|why| why.contains("448 MB")));
    }
}
