//! Decoding in a process of its own, and both ends of the pipe to it. The pipe carries blocks of
//! samples, each after its length, then an empty block, then the outcome as JSON. A process that
//! dies or is stopped ends without the outcome.

use std::{
    io::{self, Read, Write},
    path::Path,
    process::{Child, ExitStatus, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    time::Duration,
};

use rustix::process::Resource;

use super::{decode_file, decoded::DecodeSummary, error::MediaError, track_decoder::MAX_HOURS};
use crate::{
    isolation,
    transcribe::audio::{AudioWriter, SAMPLE_RATE, pcm16},
};

/// Most bytes of address space of the process: many times what any whole file needs.
const MAX_MEMORY: u64 = 2 << 30;
/// Seconds that any file may take.
const BASE_SECONDS: u64 = 60;
/// Bytes of a file for each further second that it may take.
const BYTES_PER_SECOND: u64 = 250_000;
/// Largest block in bytes; a larger one does not come from our own program.
const MAX_BLOCK: usize = 1 << 26;

/// The result of decoding a file, or its error.
type Outcome = Result<DecodeSummary, MediaError>;

/// Seconds that decoding a file of this size may take.
fn time_limit(bytes: u64) -> u64 {
    BASE_SECONDS + bytes / BYTES_PER_SECOND
}

/// Decodes `path` behind limits of the kernel, and writes its samples and the outcome to `out`.
/// This is the body of the process that [`super::Decoder`] starts.
pub fn serve(path: &Path, channel: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    set_limits(path)?;
    let mut send = |samples: &[f32]| write_block(out, &pcm16(samples));
    let outcome = decode_file::decode_file(path, channel, &mut send);
    out.write_all(&[0; 4])?;
    serde_json::to_writer(&mut *out, &outcome)?;
    out.flush()
}

/// The same for the length that the container states: writes only that, as JSON.
pub fn serve_length(path: &Path, out: &mut impl Write) -> io::Result<()> {
    set_limits(path)?;
    serde_json::to_writer(&mut *out, &decode_file::stated_seconds(path))?;
    out.flush()
}

fn set_limits(path: &Path) -> io::Result<()> {
    let bytes = fs_err::metadata(path)?.len();
    isolation::limit(Resource::As, MAX_MEMORY, MAX_MEMORY)?;
    // This also ends a process in an endless loop that its parent, killed itself, cannot stop.
    let seconds = time_limit(bytes);
    isolation::limit(Resource::Cpu, seconds, seconds)
}

fn write_block(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    // An empty block would mean the end.
    if bytes.is_empty() {
        return Ok(());
    }
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(bytes)
}

/// Has `program` decode the file into `writer`. The outer error is ours: the program does not
/// start, or the disk is full.
pub fn decode(
    program: &Path,
    path: &Path,
    channel: Option<usize>,
    writer: &mut AudioWriter,
) -> io::Result<Outcome> {
    let seconds = time_limit(fs_err::metadata(path)?.len());
    let mut child = isolation::process(program, "decode")
        .args(channel.map(|channel| format!("--channel={channel}")))
        .arg("--")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let Some(mut pipe) = child.stdout.take() else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let child = Mutex::new(child);
    let (received, out_of_time) = with_time_limit(&child, seconds, || receive(&mut pipe, writer));
    let mut child = child.into_inner().unwrap_or_else(PoisonError::into_inner);
    // After an error of ours it may still be writing.
    child.kill().unwrap_or_default();
    let status = child.wait()?;
    match received? {
        Some(outcome) => Ok(outcome),
        None => Ok(Err(MediaError::Stopped(reason(
            status,
            out_of_time,
            seconds,
        )))),
    }
}

/// Has `program` find the length that the container states.
pub fn stated_seconds(program: &Path, path: &Path) -> io::Result<Result<Option<f64>, MediaError>> {
    let output = isolation::process(program, "decode")
        .args(["--length", "--"])
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    match serde_json::from_slice(&output.stdout) {
        Ok(outcome) => Ok(outcome),
        Err(_) => Ok(Err(MediaError::Stopped(format!(
            "its process ended with {}",
            output.status
        )))),
    }
}

/// Does `work`, and kills the process if it takes more than its time. Also returns whether it did.
fn with_time_limit<T>(child: &Mutex<Child>, seconds: u64, work: impl FnOnce() -> T) -> (T, bool) {
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watchdog = scope.spawn(move || {
            // Nothing is sent: the end of the work closes the channel.
            let is_late = is_done.recv_timeout(Duration::from_secs(seconds))
                == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
                child.kill().unwrap_or_default();
            }
            is_late
        });
        let result = work();
        drop(done);
        (result, watchdog.join().unwrap_or(false))
    })
}

/// Receives blocks up to the outcome; none if it never comes.
fn receive(pipe: &mut impl Read, writer: &mut AudioWriter) -> io::Result<Option<Outcome>> {
    let mut bytes = Vec::new();
    loop {
        let mut length = [0; 4];
        if pipe.read_exact(&mut length).is_err() {
            return Ok(None);
        }
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 {
            return Ok(serde_json::from_reader(pipe).ok());
        }
        bytes.resize(length.min(MAX_BLOCK), 0);
        if length > MAX_BLOCK || pipe.read_exact(&mut bytes).is_err() {
            return Ok(None);
        }
        writer.write_pcm16(&bytes)?;
        // The process has this limit, too; here it holds whatever a broken process does.
        if writer.length() as u64 > (MAX_HOURS + 1) * 3600 * SAMPLE_RATE as u64 {
            return Ok(Some(Err(MediaError::TooLong { hours: MAX_HOURS })));
        }
    }
}

fn reason(status: ExitStatus, out_of_time: bool, seconds: u64) -> String {
    if out_of_time {
        format!("it took more than {seconds} seconds")
    } else {
        format!("its process ended with {status}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(bytes: &[u8]) -> (Option<Result<DecodeSummary, MediaError>>, usize) {
        let mut writer = AudioWriter::new().expect("a temporary file");
        let ended = receive(&mut &bytes[..], &mut writer).expect("the disk is not full");
        (ended, writer.length())
    }

    #[test]
    fn only_a_last_word_counts_as_an_end() {
        let mut said = Vec::new();
        write_block(&mut said, &pcm16(&[0.5; 100])).expect("written");
        assert_eq!(received(&said), (None, 100), "it died");
        said.extend([0; 4]);
        said.extend(br#"{"Ok":{"broken_packets":3,"unfinished":true}}"#);
        assert_eq!(
            received(&said),
            (
                Some(Ok(DecodeSummary {
                    broken_packets: 3,
                    unfinished: true
                })),
                100
            )
        );
        assert_eq!(
            received(&said[..said.len() - 1]),
            (None, 100),
            "it died while it said it"
        );
        assert_eq!(
            received(&[
                0, 0, 0, 0, b'{', b'"', b'E', b'r', b'r', b'"', b':', b'"', b'e', b'm', b'p', b't',
                b'y', b'"', b'}'
            ]),
            (Some(Err(MediaError::Empty)), 0)
        );
        assert_eq!(
            received(&[255, 255, 255, 255, 1]),
            (None, 0),
            "no write_block of ours is that large"
        );
    }
}
