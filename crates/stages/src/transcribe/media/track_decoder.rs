//! Packets become audio in order: gaps in their time stamps are filled with silence, broken packets
//! counted, endless files stopped.

use std::io;

use symphonia::core::{
    codecs::audio::AudioDecoder,
    errors::Error as SymphoniaError,
    formats::{FormatReader, Track},
    packet::Packet,
    units::Duration,
};

use super::{
    container::{ReadingEnd, is_mpeg},
    decoded::{DecodeSummary, Sink},
    edit_list::Edit,
    error::MediaError,
    resample::ToMono16k,
};
use crate::transcribe::audio::SAMPLE_RATE;

/// Longest recording that is accepted: 1.4 GB of decoded audio.
pub const MAX_HOURS: u64 = 12;
/// Seconds that may be missing at the end: rounding and encoder padding.
const MAX_MISSING_SECONDS: f64 = 1.0;
/// Seconds that may be missing at the end, as a share of the stated length.
const MAX_MISSING_SHARE: f64 = 0.001;
/// Shortest gap between packets that is filled; shorter ones are rounding.
const MIN_GAP_SECONDS: f64 = 0.25;
/// Longest pause of a recorder; longer gaps are broken time stamps.
const MAX_GAP_SECONDS: f64 = 1800.0;
/// Latest first packet of a video container that means silence at the start, in seconds.
const MAX_OFFSET_SECONDS: f64 = 60.0;
/// Most packets that may be broken in any file, however short.
const MAX_BROKEN_PACKETS: usize = 2;
/// Share of broken packets above which a file is damaged.
const MAX_BROKEN_SHARE: f64 = 0.02;
/// Most packets in a row without audio; a reader that goes on like this never ends.
const MAX_BARREN_PACKETS: usize = 500_000;
/// Most errors of the reader; after so many it gives nothing more.
const MAX_READER_ERRORS: usize = 100;

/// The decoding of one track, with the audio so far and its time stamps.
pub struct TrackDecoder<'a> {
    out: ToMono16k,
    sink: Sink<'a>,
    /// The samples of the current packet.
    interleaved: Vec<f32>,
    /// The only channel to keep, from 1.
    channel: Option<usize>,
    seconds_per_tick: f64,
    /// The time stamp that counts as the recording's start; known from the first packet on.
    origin: Option<f64>,
    /// Whether a first packet later than 0 means silence at the start (video containers).
    keeps_offset: bool,
    /// Whether the end that the container states is ignored: for MP3 files that were joined it is
    /// that of the first.
    ignores_end: bool,
    /// Seconds at the beginning that are still to be left out.
    skip: f64,
    /// Seconds by which the packets' times are earlier than the recording's.
    lead: f64,
    packets: usize,
    broken: usize,
    last_error: String,
}

impl<'a> TrackDecoder<'a> {
    /// A decoder for a track of a container of this kind, which passes its audio to `sink`.
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
            ignores_end: is_mpeg(kind),
            skip: 0.0,
            lead: 0.0,
            packets: 0,
            broken: 0,
            last_error: String::new(),
        }
    }

    /// Starts as an edit list says: with silence, and without the track's beginning.
    pub fn apply_edit(&mut self, edit: Edit) -> Result<(), MediaError> {
        self.skip = edit.skip;
        self.add_silence(edit.pause)?;
        // The packets' own time begins after both.
        self.lead = edit.pause - edit.skip;
        Ok(())
    }

    /// Decodes every packet of `track`.
    pub fn decode_all(
        &mut self,
        reader: &mut dyn FormatReader,
        codec: &mut dyn AudioDecoder,
        track: &Track,
    ) -> Result<ReadingEnd, MediaError> {
        let mut barren = 0;
        let mut reader_errors = 0;
        loop {
            let packet = match reader.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(ReadingEnd::Clean),
                // Not an error yet: whether too much is missing is decided by the stated length.
                Err(SymphoniaError::IoError(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(ReadingEnd::CutOff);
                }
                Err(SymphoniaError::IoError(e)) => return Err(e.into()),
                Err(SymphoniaError::ResetRequired) => {
                    return Err(MediaError::Unsupported(
                        "several streams one after the other".into(),
                    ));
                }
                // A reader finds its place again after a damaged frame.
                Err(_) if reader_errors < MAX_READER_ERRORS => {
                    reader_errors += 1;
                    continue;
                }
                Err(e) => return Err(MediaError::damaged(&e.to_string())),
            };
            let before = self.out.len();
            if packet.track_id == track.id {
                self.add(codec, packet)?;
            }
            // Counted over all tracks: a broken reader may give packets of others for ever.
            barren = if self.out.len() > before {
                0
            } else {
                barren + 1
            };
            if barren > MAX_BARREN_PACKETS {
                return Err(MediaError::damaged("it goes on without any sound"));
            }
        }
    }

    fn add(&mut self, codec: &mut dyn AudioDecoder, mut packet: Packet) -> Result<(), MediaError> {
        if self.ignores_end {
            packet.trim_end = Duration::ZERO;
        }
        self.packets += 1;
        self.fill_gap(&packet)?;
        match codec.decode(&packet) {
            Ok(buffer) => {
                let rate = buffer.spec().rate() as usize;
                let channels = buffer.spec().channels().count();
                buffer.copy_to_vec_interleaved(&mut self.interleaved);
                self.skip_beginning(channels, rate);
                self.resample(channels, rate)?;
            }
            Err(e) => {
                self.broken += 1;
                // No audio for it: the gap before the next packet becomes silence, so that times
                // stay right.
                self.last_error = e.to_string();
            }
        }
        self.hand_on()
    }

    /// Removes the part of the current packet that is still to be left out.
    fn skip_beginning(&mut self, channels: usize, rate: usize) {
        if self.skip <= 0.0 {
            return;
        }
        let wanted = (self.skip * rate as f64).round() as usize;
        let now = wanted.min(self.interleaved.len() / channels.max(1));
        self.interleaved.drain(..now * channels);
        // Below half a sample nothing is left, whatever rounding says.
        self.skip = if now < wanted {
            self.skip - now as f64 / rate.max(1) as f64
        } else {
            0.0
        };
    }

    /// Adds the current packet, mixed, or only the wanted channel of it.
    fn resample(&mut self, channels: usize, rate: usize) -> Result<(), MediaError> {
        let Some(wanted) = self.channel else {
            return self
                .out
                .push(&self.interleaved, channels, rate)
                .map_err(MediaError::Unsupported);
        };
        if !(1..=channels).contains(&wanted) {
            return Err(MediaError::NoChannel { wanted, channels });
        }
        let channel: Vec<f32> = self
            .interleaved
            .iter()
            .skip(wanted - 1)
            .step_by(channels)
            .copied()
            .collect();
        self.out
            .push(&channel, 1, rate)
            .map_err(MediaError::Unsupported)
    }

    /// Adds silence where the recorder paused or a packet could not be decoded, so that times stay
    /// right.
    fn fill_gap(&mut self, packet: &Packet) -> Result<(), MediaError> {
        let at = packet.pts.get() as f64 * self.seconds_per_tick;
        // Before 0 is the encoder's delay, which the codec leaves out.
        let starts_at_zero = at < 0.0 || self.keeps_offset && at < MAX_OFFSET_SECONDS;
        let origin = *self
            .origin
            .get_or_insert(if starts_at_zero { 0.0 } else { at });
        let gap = at - origin + self.lead - self.out.seconds();
        if (MIN_GAP_SECONDS..MAX_GAP_SECONDS).contains(&gap) {
            self.add_silence(gap)?;
        }
        Ok(())
    }

    fn add_silence(&mut self, seconds: f64) -> Result<(), MediaError> {
        // A second at a time, so that a long pause is never in memory as a whole.
        let mut left = seconds;
        while left > 0.0 {
            self.out.push_silence(left.min(1.0));
            self.hand_on()?;
            left -= 1.0;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), MediaError> {
        if self.out.len() as u64 > MAX_HOURS * 3600 * SAMPLE_RATE as u64 {
            return Err(MediaError::TooLong { hours: MAX_HOURS });
        }
        Ok((self.sink)(&self.out.take())?)
    }

    /// Hands on the rest and returns the summary; an error if too much is broken or missing.
    pub fn finish(
        self,
        stated_seconds: Option<f64>,
        unfinished: bool,
    ) -> Result<DecodeSummary, MediaError> {
        let share = self.broken as f64 / self.packets.max(1) as f64;
        if self.broken > MAX_BROKEN_PACKETS && share > MAX_BROKEN_SHARE
            // A file with nothing but broken packets is damaged, however few they are.
            || self.broken > 0 && self.out.len() == 0
        {
            return Err(MediaError::damaged(&format!(
                "{} of {} packets cannot be decoded: {}",
                self.broken, self.packets, self.last_error
            )));
        }
        let before = self.out.len();
        let rest = self.out.finish().map_err(MediaError::Unsupported)?;
        (self.sink)(&rest)?;
        let found = (before + rest.len()) as f64 / SAMPLE_RATE as f64;
        if let Some(stated) = stated_seconds
            && stated - found > MAX_MISSING_SECONDS.max(stated * MAX_MISSING_SHARE)
        {
            return Err(MediaError::Truncated { found, stated });
        }
        Ok(DecodeSummary {
            broken_packets: self.broken,
            unfinished,
        })
    }
}
