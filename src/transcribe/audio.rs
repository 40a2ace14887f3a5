//! A file becomes sound: 16 kHz, one channel, as long as the container says it is.
//! Hides containers, codecs, resampling and what broken files do to decoders.

use std::{
    io::{Read, Seek, SeekFrom},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::OnceLock,
};

use symphonia::core::{
    codecs::{audio::AudioDecoder, audio::AudioDecoderOptions, registry::CodecRegistry},
    errors::Error as MediaError,
    formats::{FormatOptions, FormatReader, Track, TrackType, probe::Hint},
    io::{MediaSourceStream, MediaSourceStreamOptions},
    meta::MetadataOptions,
    packet::Packet,
};

use super::{error::TranscribeError, resample::ToMono16k};
use crate::panics;

/// Samples a second that Whisper and the voice detector expect.
pub const RATE: usize = 16_000;

/// Longest recording that is decoded into memory (230 MB an hour).
const MAX_HOURS: u64 = 12;
/// Shortest recording that can hold a word.
const MIN_SECONDS: f64 = 0.2;
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

/// A decoded recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Sound {
    /// Mono samples at [`RATE`].
    pub samples: Vec<f32>,
    /// Packets that could not be decoded; silence stands in for them.
    pub broken_packets: usize,
    /// Whether reading ended in the middle of something, or without the mark that ends a complete recording.
    pub unfinished: bool,
}

impl Sound {
    /// Length in seconds.
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 / RATE as f64
    }
}

/// Decodes `path`: all channels mixed, or only `channel`, counted from 1. A panic of a decoder is the file's error, not
/// the program's.
pub fn decode(path: &Path, channel: Option<usize>) -> Result<Sound, TranscribeError> {
    look_at_first_bytes(path)?;
    let sound = panics::quiet(|| catch_unwind(AssertUnwindSafe(|| read_all(path, channel))))
        .unwrap_or_else(|_| Err(damaged(path, "its decoder gave up")))?;
    if sound.seconds() < MIN_SECONDS {
        return Err(TranscribeError::TooShort { path: path.into(), seconds: sound.seconds() });
    }
    Ok(sound)
}

/// Names what symphonia would only call "unsupported": no bytes, text, web pages.
fn look_at_first_bytes(path: &Path) -> Result<(), TranscribeError> {
    let mut head = Vec::new();
    fs_err::File::open(path)?.take(4096).read_to_end(&mut head)?;
    if head.is_empty() {
        return Err(TranscribeError::Empty { path: path.into() });
    }
    if head.iter().all(|&b| b == 0) {
        return Err(not_a_recording(path, "it starts with nothing but zeros"));
    }
    let text = match std::str::from_utf8(&head) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && e.valid_up_to() + 4 > head.len(),
    };
    if text && !head.contains(&0) {
        return Err(not_a_recording(path, "the content is text"));
    }
    Ok(())
}

fn read_all(path: &Path, channel: Option<usize>) -> Result<Sound, TranscribeError> {
    let (mut reader, kind) = open(path)?;
    let track = reader.default_track(TrackType::Audio).cloned();
    let track = track.ok_or_else(|| TranscribeError::NoAudioTrack { path: path.into() })?;
    let mut decoder = decoder_of(path, &track, kind)?;
    let mut tape = Tape::new(&track, kind, channel);
    let end = pull(path, reader.as_mut(), decoder.as_mut(), &track, &mut tape)?;
    let unfinished = end == End::CutOff || kind == "ogg" && !ends_with_ogg_mark(path)?;
    let promised = promised_seconds(path, reader.as_ref(), &track, kind, end)?;
    tape.finish(path, promised, unfinished)
}

/// The reader of the container, and its short name.
fn open(path: &Path) -> Result<(Box<dyn FormatReader>, &'static str), TranscribeError> {
    let file = fs_err::File::open(path)?.into_file();
    let stream = MediaSourceStream::new(Box::new(file), MediaSourceStreamOptions::default());
    let mut hint = Hint::new();
    if let Some(extension) = path.extension().and_then(|e| e.to_str()) {
        hint.with_extension(extension);
    }
    let reader = symphonia::default::get_probe()
        .probe(&hint, stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|e| unreadable(path, &e))?;
    let kind = reader.format_info().short_name;
    Ok((reader, kind))
}

/// A file that begins like a recording but cannot be opened has lost its index or its end.
fn unreadable(path: &Path, error: &MediaError) -> TranscribeError {
    let container = match looks_like(path) {
        Ok(container) => container,
        Err(e) => return e,
    };
    match (error, container) {
        (MediaError::Unsupported(_), None) => not_a_recording(path, "no known audio or video format"),
        (_, Some(container)) => damaged(path, &format!("{container} without a readable index, as if it was cut off")),
        (other, None) => damaged(path, &other.to_string()),
    }
}

/// The container by its first bytes.
fn looks_like(path: &Path) -> Result<Option<&'static str>, TranscribeError> {
    let mut head = Vec::new();
    fs_err::File::open(path)?.take(12).read_to_end(&mut head)?;
    Ok(match &head[..] {
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("MP4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("Matroska or WebM"),
        [b'R', b'I', b'F', b'F', ..] => Some("WAV"),
        [b'f', b'L', b'a', b'C', ..] => Some("FLAC"),
        [b'O', b'g', b'g', b'S', ..] => Some("Ogg"),
        _ => None,
    })
}

fn decoder_of(path: &Path, track: &Track, kind: &str) -> Result<Box<dyn AudioDecoder>, TranscribeError> {
    let unsupported = |what: String| TranscribeError::Unsupported { path: path.into(), what };
    let parameters = track
        .codec_params
        .as_ref()
        .and_then(|p| p.audio())
        .ok_or_else(|| unsupported("its audio track names no codec".into()))?;
    // Symphonia trims an MP3 at a length that it guessed from the bit rate; keep what is there.
    let options = AudioDecoderOptions::default().gapless(!is_mpeg(kind));
    codecs()
        .make_audio_decoder(parameters, &options)
        .map_err(|e| unsupported(e.to_string().trim_start_matches("unsupported feature: ").to_owned()))
}

fn codecs() -> &'static CodecRegistry {
    static CODECS: OnceLock<CodecRegistry> = OnceLock::new();
    CODECS.get_or_init(|| {
        let mut registry = CodecRegistry::new();
        symphonia::default::register_enabled_codecs(&mut registry);
        registry.register_audio_decoder::<symphonia_adapter_libopus::OpusDecoder>();
        registry
    })
}

/// How reading the packets ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Clean,
    CutOff,
}

fn pull(
    path: &Path,
    reader: &mut dyn FormatReader,
    decoder: &mut dyn AudioDecoder,
    track: &Track,
    tape: &mut Tape,
) -> Result<End, TranscribeError> {
    let mut barren = 0;
    let mut reader_errors = 0;
    loop {
        let packet = match reader.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(End::Clean),
            Err(MediaError::IoError(e)) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(End::CutOff),
            Err(MediaError::IoError(e)) => return Err(e.into()),
            Err(MediaError::ResetRequired) => {
                let what = "several streams one after the other".into();
                return Err(TranscribeError::Unsupported { path: path.into(), what });
            }
            Err(e) => {
                reader_errors += 1;
                if reader_errors > 100 {
                    return Err(damaged(path, &e.to_string()));
                }
                continue;
            }
        };
        let before = tape.len();
        if packet.track_id == track.id {
            tape.add(path, decoder, &packet)?;
        }
        barren = if tape.len() > before { 0 } else { barren + 1 };
        if barren > MAX_BARREN_PACKETS {
            return Err(damaged(path, "it goes on without any sound"));
        }
    }
}

/// The sound so far, and what its time stamps say.
struct Tape {
    out: ToMono16k,
    interleaved: Vec<f32>,
    /// The only channel to keep, from 1.
    channel: Option<usize>,
    seconds_per_tick: f64,
    /// Time stamp of the first packet that counts as the recording's start.
    origin: Option<f64>,
    /// Whether a first packet later than 0 means silence at the start (video containers).
    keeps_offset: bool,
    packets: usize,
    broken: usize,
    last_error: String,
}

impl Tape {
    fn new(track: &Track, kind: &str, channel: Option<usize>) -> Self {
        let base = track.time_base;
        Self {
            out: ToMono16k::default(),
            interleaved: Vec::new(),
            channel,
            seconds_per_tick: base.map_or(0.0, |b| f64::from(b.numer.get()) / f64::from(b.denom.get())),
            origin: None,
            keeps_offset: kind == "matroska",
            packets: 0,
            broken: 0,
            last_error: String::new(),
        }
    }

    fn len(&self) -> usize {
        self.out.len()
    }

    fn add(&mut self, path: &Path, decoder: &mut dyn AudioDecoder, packet: &Packet) -> Result<(), TranscribeError> {
        self.packets += 1;
        self.fill_gap(packet);
        match decoder.decode(packet) {
            Ok(buffer) => {
                let rate = buffer.spec().rate() as usize;
                let channels = buffer.spec().channels().count();
                buffer.copy_to_vec_interleaved(&mut self.interleaved);
                self.keep(channels, rate).map_err(|what| TranscribeError::Unsupported { path: path.into(), what })?;
            }
            Err(e) => {
                self.broken += 1;
                self.last_error = e.to_string();
            }
        }
        if self.len() as u64 > MAX_HOURS * 3600 * RATE as u64 {
            return Err(TranscribeError::TooLong { path: path.into(), hours: MAX_HOURS });
        }
        Ok(())
    }

    /// Adds what was decoded, mixed, or the one channel that is wanted.
    fn keep(&mut self, channels: usize, rate: usize) -> Result<(), String> {
        let Some(wanted) = self.channel else { return self.out.push(&self.interleaved, channels, rate) };
        if !(1..=channels).contains(&wanted) {
            return Err(format!("channel {wanted} of {channels}"));
        }
        let one: Vec<f32> = self.interleaved.iter().skip(wanted - 1).step_by(channels).copied().collect();
        self.out.push(&one, 1, rate)
    }

    /// Puts silence where the recorder paused or a packet could not be decoded, so that times stay true.
    fn fill_gap(&mut self, packet: &Packet) {
        let at = packet.pts.get() as f64 * self.seconds_per_tick;
        let first = if self.keeps_offset && (0.0..60.0).contains(&at) { 0.0 } else { at };
        let origin = *self.origin.get_or_insert(first);
        let gap = at - origin - self.out.seconds();
        if (MIN_GAP_SECONDS..MAX_GAP_SECONDS).contains(&gap) {
            self.out.push_silence(gap);
        }
    }

    fn finish(self, path: &Path, promised: Option<f64>, unfinished: bool) -> Result<Sound, TranscribeError> {
        let share = self.broken as f64 / self.packets.max(1) as f64;
        if self.broken > 2 && share > MAX_BROKEN_SHARE || self.broken > 0 && self.len() == 0 {
            let what = format!("{} of {} packets cannot be decoded: {}", self.broken, self.packets, self.last_error);
            return Err(damaged(path, &what));
        }
        let samples = self.out.finish().map_err(|what| TranscribeError::Unsupported { path: path.into(), what })?;
        let sound = Sound { samples, broken_packets: self.broken, unfinished };
        match promised {
            Some(promised) if promised - sound.seconds() > SLACK_SECONDS.max(promised * 0.001) => {
                Err(TranscribeError::Truncated { path: path.into(), found: sound.seconds(), promised })
            }
            _ => Ok(sound),
        }
    }
}

/// How long the container says the sound is; nothing where that would be a guess.
fn promised_seconds(
    path: &Path,
    reader: &dyn FormatReader,
    track: &Track,
    kind: &str,
    end: End,
) -> Result<Option<f64>, TranscribeError> {
    if is_mpeg(kind) && !mp3_states_its_length(path)? || kind == "aac" || kind == "adts" {
        return Ok(None);
    }
    let of_track = track.time_base.zip(track.duration).map(|(base, duration)| base.calc_duration_saturating(duration));
    let info = reader.media_info();
    let of_file = info.time_base.zip(info.duration).map(|(base, duration)| base.calc_duration_saturating(duration));
    // The file's own length may be that of a longer picture: it counts only where reading broke off.
    let promised = of_track.or(if end == End::CutOff { of_file } else { None });
    Ok(promised.map(|time| time.as_secs_f64()))
}

fn is_mpeg(kind: &str) -> bool {
    matches!(kind, "mp1" | "mp2" | "mp3")
}

/// Whether a Xing, Info or VBRI tag counts the frames; otherwise the length is estimated from the bit rate.
fn mp3_states_its_length(path: &Path) -> Result<bool, TranscribeError> {
    let mut file = fs_err::File::open(path)?;
    let mut head = [0u8; 10];
    let got = file.read(&mut head)?;
    let start = if got == 10 && head.starts_with(b"ID3") {
        10 + head[6..10].iter().fold(0u64, |size, &b| size << 7 | u64::from(b & 0x7f))
    } else {
        0
    };
    file.seek(SeekFrom::Start(start))?;
    let mut frame = Vec::new();
    file.take(8192).read_to_end(&mut frame)?;
    Ok(frame.windows(4).any(|w| matches!(w, b"Xing" | b"Info" | b"VBRI")))
}

/// Whether the last Ogg page carries the end-of-stream mark that a recorder writes when it closes the file.
fn ends_with_ogg_mark(path: &Path) -> Result<bool, TranscribeError> {
    let mut file = fs_err::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(131_072)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let last = tail.windows(6).rposition(|w| w.starts_with(b"OggS") && w[4] == 0);
    Ok(last.is_some_and(|at| tail[at + 5] & 4 != 0))
}

fn damaged(path: &Path, what: &str) -> TranscribeError {
    TranscribeError::Damaged { path: path.into(), what: what.into() }
}

fn not_a_recording(path: &Path, what: &str) -> TranscribeError {
    TranscribeError::NotARecording { path: path.into(), what: what.into() }
}
