//! Packets become sound in order: gaps in their time stamps are filled, broken ones counted,
//! endless ones stopped.

use std::io;

use symphonia::core::{
    codecs::audio::AudioDecoder,
    errors::Error as MediaError,
    formats::{FormatReader, Track},
    packet::Packet,
    units::Duration,
};

use super::{
    Ending, Fault, Sink,
    container::{damaged, is_mpeg},
    edits::Edit,
    resample::ToMono16k,
};
use crate::transcribe::sound::RATE;

/// Longest recording that is taken: 1.4 GB of decoded sound.
pub const MAX_HOURS: u64 = 12;
/// Missing sound below this is a matter of rounding and encoder padding.
const SLACK_SECONDS: f64 = 1.0;
/// Gaps between packets shorter than this are rounding.
const MIN_GAP_SECONDS: f64 = 0.25;
/// Longer gaps are broken time stamps rather than pauses of the recorder.
const MAX_GAP_SECONDS: f64 = 1800.0;
/// More undecodable packets than this share mean that the file is damaged.
const MAX_BROKEN_SHARE: f64 = 0.02;
/// Packets in a row that add no sound; a reader that goes on like this will never end.
const MAX_BARREN_PACKETS: usize = 500_000;
/// Complaints of the reader after which nothing good will follow.
const MAX_READER_ERRORS: usize = 100;

/// How reading the packets ended.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    /// As it should.
    Clean,
    /// In the middle of something.
    CutOff,
}

/// The sound so far, and what its time stamps say.
pub struct Tape<'a> {
    out: ToMono16k,
    sink: Sink<'a>,
    interleaved: Vec<f32>,
    /// The only channel to keep, from 1.
    channel: Option<usize>,
    seconds_per_tick: f64,
    /// Time stamp of the first packet that counts as the recording's start.
    origin: Option<f64>,
    /// Whether a first packet later than 0 means silence at the start (video containers).
    keeps_offset: bool,
    /// Whether the end that the container states is a guess: of MP3 files that were joined it is
    /// that of the first.
    goes_on: bool,
    /// Seconds of the first sound that are still to be left out.
    skip: f64,
    /// Seconds by which the packets' times are earlier than the recording's.
    lead: f64,
    packets: usize,
    broken: usize,
    last_error: String,
}

impl<'a> Tape<'a> {
    /// An empty tape for a track of a container of this kind, which hands its sound to `sink`.
    pub fn new(track: &Track, kind: &str, channel: Option<usize>, sink: Sink<'a>) -> Self {
        let base = track.time_base;
        Self {
            out: ToMono16k::default(),
            sink,
            interleaved: Vec::new(),
            channel,
            seconds_per_tick: base
                .map_or(0.0, |b| f64::from(b.numer.get()) / f64::from(b.denom.get())),
            origin: None,
            keeps_offset: kind == "matroska",
            goes_on: is_mpeg(kind),
            skip: 0.0,
            lead: 0.0,
            packets: 0,
            broken: 0,
            last_error: String::new(),
        }
    }

    /// Begins as an edit list says: with silence, and without the track's first sound.
    pub fn begin(&mut self, edit: Edit) -> Result<(), Fault> {
        self.skip = edit.skip;
        self.silence(edit.pause)?;
        // The packets' own time begins after both.
        self.lead = edit.pause - edit.skip;
        Ok(())
    }

    /// Takes in every packet of `track`.
    pub fn pull(
        &mut self,
        reader: &mut dyn FormatReader,
        decoder: &mut dyn AudioDecoder,
        track: &Track,
    ) -> Result<End, Fault> {
        let mut barren = 0;
        let mut reader_errors = 0;
        loop {
            let packet = match reader.next_packet() {
                Ok(Some(mut packet)) => {
                    if self.goes_on {
                        packet.trim_end = Duration::ZERO;
                    }
                    packet
                }
                Ok(None) => return Ok(End::Clean),
                Err(MediaError::IoError(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(End::CutOff);
                }
                Err(MediaError::IoError(e)) => return Err(e.into()),
                Err(MediaError::ResetRequired) => {
                    return Err(Fault::Unsupported(
                        "several streams one after the other".into(),
                    ));
                }
                Err(_) if reader_errors < MAX_READER_ERRORS => {
                    reader_errors += 1;
                    continue;
                }
                Err(e) => return Err(damaged(&e.to_string())),
            };
            let before = self.out.len();
            if packet.track_id == track.id {
                self.add(decoder, &packet)?;
            }
            barren = if self.out.len() > before {
                0
            } else {
                barren + 1
            };
            if barren > MAX_BARREN_PACKETS {
                return Err(damaged("it goes on without any sound"));
            }
        }
    }

    fn add(&mut self, decoder: &mut dyn AudioDecoder, packet: &Packet) -> Result<(), Fault> {
        self.packets += 1;
        self.fill_gap(packet)?;
        match decoder.decode(packet) {
            Ok(buffer) => {
                let rate = buffer.spec().rate() as usize;
                let channels = buffer.spec().channels().count();
                buffer.copy_to_vec_interleaved(&mut self.interleaved);
                self.leave_out(channels, rate);
                self.keep(channels, rate).map_err(Fault::Unsupported)?;
            }
            Err(e) => {
                self.broken += 1;
                self.last_error = e.to_string();
            }
        }
        self.hand_on()
    }

    /// Removes what is still to be left out.
    fn leave_out(&mut self, channels: usize, rate: usize) {
        if self.skip <= 0.0 {
            return;
        }
        let frames = (self.skip * rate as f64).round() as usize;
        let now = frames.min(self.interleaved.len() / channels.max(1));
        self.interleaved.drain(..now * channels);
        // Below half a sample nothing is left, whatever rounding says.
        self.skip = if now < frames {
            self.skip - now as f64 / rate.max(1) as f64
        } else {
            0.0
        };
    }

    /// Adds what was decoded, mixed, or the one channel that is wanted.
    fn keep(&mut self, channels: usize, rate: usize) -> Result<(), String> {
        let Some(wanted) = self.channel else {
            return self.out.push(&self.interleaved, channels, rate);
        };
        if !(1..=channels).contains(&wanted) {
            return Err(format!("channel {wanted} of {channels}"));
        }
        let one: Vec<f32> = self
            .interleaved
            .iter()
            .skip(wanted - 1)
            .step_by(channels)
            .copied()
            .collect();
        self.out.push(&one, 1, rate)
    }

    /// Puts silence where the recorder paused or a packet could not be decoded, so that times stay
    /// true.
    fn fill_gap(&mut self, packet: &Packet) -> Result<(), Fault> {
        let at = packet.pts.get() as f64 * self.seconds_per_tick;
        // Before 0 lies the encoder's delay, which the decoder leaves out.
        let first = if at < 0.0 || self.keeps_offset && at < 60.0 {
            0.0
        } else {
            at
        };
        let origin = *self.origin.get_or_insert(first);
        let gap = at - origin + self.lead - self.out.seconds();
        if (MIN_GAP_SECONDS..MAX_GAP_SECONDS).contains(&gap) {
            self.silence(gap)?;
        }
        Ok(())
    }

    fn silence(&mut self, seconds: f64) -> Result<(), Fault> {
        // A second at a time, so that a long pause is never in memory as a whole.
        let mut left = seconds;
        while left > 0.0 {
            self.out.push_silence(left.min(1.0));
            self.hand_on()?;
            left -= 1.0;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), Fault> {
        if self.out.len() as u64 > MAX_HOURS * 3600 * RATE as u64 {
            return Err(Fault::TooLong { hours: MAX_HOURS });
        }
        Ok((self.sink)(&self.out.take())?)
    }

    /// Hands on the rest and says how it went; an error where too much is broken or missing.
    pub fn finish(self, promised: Option<f64>, unfinished: bool) -> Result<Ending, Fault> {
        let share = self.broken as f64 / self.packets.max(1) as f64;
        if self.broken > 2 && share > MAX_BROKEN_SHARE || self.broken > 0 && self.out.len() == 0 {
            let what = format!(
                "{} of {} packets cannot be decoded: {}",
                self.broken, self.packets, self.last_error
            );
            return Err(damaged(&what));
        }
        let before = self.out.len();
        let rest = self.out.finish().map_err(Fault::Unsupported)?;
        (self.sink)(&rest)?;
        let found = (before + rest.len()) as f64 / RATE as f64;
        match promised {
            Some(promised) if promised - found > SLACK_SECONDS.max(promised * 0.001) => {
                Err(Fault::Truncated { found, promised })
            }
            _ => Ok(Ending {
                broken_packets: self.broken,
                unfinished,
            }),
        }
    }
}
