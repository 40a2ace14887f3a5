//! Decoding in a process of its own. Both ends of the pipe between them: blocks of samples, each
//! after its length, then an empty block, then how it ended as JSON. A process that dies or is
//! stopped ends without that last word.

use std::{
    io::{self, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    time::Duration,
};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{Ending, Fault, read_all, tape::MAX_HOURS};
use crate::transcribe::sound::{RATE, Spool, stored};

/// Most address space of the process that decodes: many times what any whole file needs.
const MEMORY: u64 = 2 << 30;
/// Seconds that every file may take, and bytes that must be got through in each further second.
const SECONDS: u64 = 60;
const BYTES_A_SECOND: u64 = 250_000;
/// Largest block, in bytes; a larger one does not come from our own program.
const LARGEST: usize = 1 << 26;

/// Seconds that decoding a file of so many bytes may take.
fn limit(bytes: u64) -> u64 {
    SECONDS + bytes / BYTES_A_SECOND
}

/// Decodes `path` behind limits that the kernel holds, and writes its sound and how it ended to
/// `out`. This is the body of the process that [`super::Decoder`] starts.
pub fn serve(path: &Path, channel: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    hold_limits(path)?;
    let ended = read_all(path, channel, &mut |samples| block(out, &stored(samples)));
    out.write_all(&[0; 4])?;
    serde_json::to_writer(&mut *out, &ended)?;
    out.flush()
}

/// The same for how long the container says that it is, with nothing but that as JSON.
pub fn serve_length(path: &Path, out: &mut impl Write) -> io::Result<()> {
    hold_limits(path)?;
    serde_json::to_writer(&mut *out, &super::promised(path))?;
    out.flush()
}

fn hold_limits(path: &Path) -> io::Result<()> {
    let bytes = fs_err::metadata(path)?.len();
    let at_most = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(Resource::As, at_most(MEMORY))?;
    // Also ends a process whose parent was killed while it turns in circles.
    Ok(setrlimit(Resource::Cpu, at_most(limit(bytes)))?)
}

fn block(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)
}

/// Has `program` decode the file. The outer error is ours: the program does not start, or the disk
/// is full.
pub fn decode(
    program: &Path,
    path: &Path,
    channel: Option<usize>,
    spool: &mut Spool,
) -> io::Result<Result<Ending, Fault>> {
    let seconds = limit(fs_err::metadata(path)?.len());
    let mut command = Command::new(program);
    command
        .arg("decode")
        .args(channel.map(|channel| format!("--channel={channel}")))
        .arg("--")
        .arg(path);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let Some(mut sound) = child.stdout.take() else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let child = Mutex::new(child);
    let (read, out_of_time) = watched(&child, seconds, || receive(&mut sound, spool));
    let mut child = child.into_inner().unwrap_or_else(PoisonError::into_inner);
    // After an error of ours it may still be writing.
    child.kill().unwrap_or_default();
    let status = child.wait()?;
    Ok(read?.unwrap_or_else(|| Err(Fault::Stopped(why(status, out_of_time, seconds)))))
}

/// Has `program` look how long the file says that it is.
pub fn promised(program: &Path, path: &Path) -> io::Result<Result<Option<f64>, Fault>> {
    let mut command = Command::new(program);
    let said = command
        .args(["decode", "--length", "--"])
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    let stopped = || {
        Err(Fault::Stopped(format!(
            "its process ended with {}",
            said.status
        )))
    };
    Ok(serde_json::from_slice(&said.stdout).unwrap_or_else(|_| stopped()))
}

/// Does `work`, and kills the process where it takes longer than it may. Also says whether it did.
fn watched<T>(child: &Mutex<Child>, seconds: u64, work: impl FnOnce() -> T) -> (T, bool) {
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let late = is_done.recv_timeout(Duration::from_secs(seconds))
                == Err(mpsc::RecvTimeoutError::Timeout);
            if late {
                child
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .kill()
                    .unwrap_or_default();
            }
            late
        });
        let result = work();
        drop(done);
        (result, watch.join().unwrap_or(false))
    })
}

/// Blocks until the last word; nothing where it never comes.
fn receive(from: &mut impl Read, spool: &mut Spool) -> io::Result<Option<Result<Ending, Fault>>> {
    let mut bytes = Vec::new();
    loop {
        let mut length = [0; 4];
        if from.read_exact(&mut length).is_err() {
            return Ok(None);
        }
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 {
            return Ok(serde_json::from_reader(from).ok());
        }
        bytes.resize(length.min(LARGEST), 0);
        if length > LARGEST || from.read_exact(&mut bytes).is_err() {
            return Ok(None);
        }
        spool.add_bytes(&bytes)?;
        if spool.length() as u64 > (MAX_HOURS + 1) * 3600 * RATE as u64 {
            return Ok(Some(Err(Fault::TooLong { hours: MAX_HOURS })));
        }
    }
}

fn why(status: ExitStatus, out_of_time: bool, seconds: u64) -> String {
    if out_of_time {
        format!("it took more than {seconds} seconds")
    } else {
        format!("its process ended with {status}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(bytes: &[u8]) -> (Option<Result<Ending, Fault>>, usize) {
        let mut spool = Spool::new().expect("a temporary file");
        let ended = receive(&mut &bytes[..], &mut spool).expect("the disk is not full");
        (ended, spool.length())
    }

    #[test]
    fn only_a_last_word_counts_as_an_end() {
        let mut said = Vec::new();
        block(&mut said, &stored(&[0.5; 100])).expect("written");
        assert_eq!(heard(&said), (None, 100), "it died");
        said.extend([0; 4]);
        said.extend(br#"{"Ok":{"broken_packets":3,"unfinished":true}}"#);
        assert_eq!(
            heard(&said),
            (
                Some(Ok(Ending {
                    broken_packets: 3,
                    unfinished: true
                })),
                100
            )
        );
        assert_eq!(
            heard(&said[..said.len() - 1]),
            (None, 100),
            "it died while it said it"
        );
        assert_eq!(
            heard(&[
                0, 0, 0, 0, b'{', b'"', b'E', b'r', b'r', b'"', b':', b'"', b'e', b'm', b'p', b't',
                b'y', b'"', b'}'
            ]),
            (Some(Err(Fault::Empty)), 0)
        );
        assert_eq!(
            heard(&[255, 255, 255, 255, 1]),
            (None, 0),
            "no block of ours is that large"
        );
    }
}
