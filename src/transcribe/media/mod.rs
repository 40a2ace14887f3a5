//! A file becomes sound: 16 kHz, one channel, as long as the container says it is. Hides
//! containers, codecs, resampling, and the process of its own in which hostile files are decoded.

mod child;
mod container;
mod edits;
mod fault;
mod resample;
mod tape;
mod wav;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use symphonia::core::formats::TrackType;

pub use child::{serve, serve_length};
pub use fault::Fault;

use super::{
    error::TranscribeError,
    sound::{Sound, Spool},
};
use crate::panics;
use tape::{End, Tape};

/// Shortest recording that can hold a word.
const MIN_SECONDS: f64 = 0.2;

/// Takes decoded sound: mono samples at [`RATE`](super::RATE), in order.
type Sink<'a> = &'a mut dyn FnMut(&[f32]) -> io::Result<()>;

/// Decodes in processes of their own, behind limits of time and memory: no file can take the run
/// down.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// This program, whose command `decode` does it.
    pub program: PathBuf,
}

/// How decoding ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ending {
    broken_packets: usize,
    unfinished: bool,
}

impl Decoder {
    /// Decodes `path`: all channels mixed, or only `channel`, counted from 1.
    pub fn decode(&self, path: &Path, channel: Option<usize>) -> Result<Sound, TranscribeError> {
        let mut spool = Spool::new()?;
        let ended = child::decode(&self.program, path, channel, &mut spool)?;
        let fault = |fault| TranscribeError::Media {
            path: path.into(),
            fault,
        };
        let ending = ended.map_err(fault)?;
        let sound = spool.finish(ending.broken_packets, ending.unfinished)?;
        if sound.seconds() < MIN_SECONDS {
            return Err(fault(Fault::TooShort {
                seconds: sound.seconds(),
            }));
        }
        Ok(sound)
    }

    /// How many seconds the container says that it holds, without decoding; nothing where that
    /// would be a guess.
    pub fn promised(&self, path: &Path) -> Result<Option<f64>, TranscribeError> {
        let promised = child::promised(&self.program, path)?;
        promised.map_err(|fault| TranscribeError::Media {
            path: path.into(),
            fault,
        })
    }
}

fn promised(path: &Path) -> Result<Option<f64>, Fault> {
    guarded(path, || {
        let (reader, kind) = container::open(path)?;
        let track = reader
            .default_track(TrackType::Audio)
            .cloned()
            .ok_or(Fault::NoAudioTrack)?;
        container::promised_seconds(path, reader.as_ref(), &track, kind, End::Clean)
    })
}

/// Decodes the whole file.
fn read_all(path: &Path, channel: Option<usize>, sink: Sink<'_>) -> Result<Ending, Fault> {
    guarded(path, || read_track(path, channel, sink))
}

/// A panic of a decoder is the file's error, not the program's.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    container::look_at_first_bytes(path)?;
    panics::quiet(|| catch_unwind(AssertUnwindSafe(work)))
        .unwrap_or_else(|_| Err(container::damaged("its decoder gave up")))
}

fn read_track(path: &Path, channel: Option<usize>, sink: Sink<'_>) -> Result<Ending, Fault> {
    let (mut reader, kind) = container::open(path)?;
    let track = reader
        .default_track(TrackType::Audio)
        .cloned()
        .ok_or(Fault::NoAudioTrack)?;
    let mut decoder = container::decoder_of(path, &track, kind)?;
    let mut tape = Tape::new(&track, kind, channel, sink);
    if kind == "isomp4" {
        tape.begin(edits::of(path, track.id)?)?;
    }
    let end = tape.pull(reader.as_mut(), decoder.as_mut(), &track)?;
    let unfinished = end == End::CutOff
        || kind == "ogg" && !container::ends_with_ogg_mark(path)?
        || wav::Mended::open(path)?.is_open_ended();
    let promised = container::promised_seconds(path, reader.as_ref(), &track, kind, end)?;
    tape.finish(promised, unfinished)
}
