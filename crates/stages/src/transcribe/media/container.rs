//! Containers and codecs: which one a file has, and how long it says it is. Hides symphonia's
//! registry, and what broken files do to their readers.

use std::{
    io::{Read, Seek, SeekFrom},
    path::Path,
    sync::OnceLock,
};

use symphonia::core::{
    codecs::{audio::AudioDecoder, audio::AudioDecoderOptions, registry::CodecRegistry},
    errors::Error as SymphoniaError,
    formats::{FormatOptions, FormatReader, Track, probe::Hint},
    io::{MediaSourceStream, MediaSourceStreamOptions},
    meta::MetadataOptions,
    units::{Duration, TimeBase},
};

use super::{error::MediaError, wav::RepairedWav};

/// Bytes at a file's end that hold the last page of an Ogg file.
const OGG_TAIL: u64 = 131_072;

/// How reading the packets of a file ended.
#[derive(Clone, Copy, PartialEq)]
pub enum ReadingEnd {
    /// At the end of the file.
    Clean,
    /// In the middle of something.
    CutOff,
}

/// Refuses what symphonia would only call "unsupported": empty files, text, web pages.
pub fn check_first_bytes(path: &Path) -> Result<(), MediaError> {
    let head = read_head(path, 4096)?;
    if head.is_empty() {
        return Err(MediaError::Empty);
    }
    if head.iter().all(|&b| b == 0) {
        return Err(not_a_recording("it starts with nothing but zeros"));
    }
    if is_text(&head) {
        return Err(not_a_recording("the content is text"));
    }
    Ok(())
}

fn is_text(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that is cut off at the end.
        Err(e) => e.error_len().is_none() && e.valid_up_to() + 4 > head.len(),
    }
}

/// The reader of the container, and the container's short name.
pub fn open(path: &Path) -> Result<(Box<dyn FormatReader>, &'static str), MediaError> {
    let stream = MediaSourceStream::new(
        Box::new(RepairedWav::open(path)?),
        MediaSourceStreamOptions::default(),
    );
    // Only a hint: symphonia goes by the content, so that a wrong extension is no error.
    let mut hint = Hint::new();
    if let Some(extension) = path.extension().and_then(|e| e.to_str()) {
        hint.with_extension(extension);
    }
    let reader = symphonia::default::get_probe()
        .probe(
            &hint,
            stream,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|e| unreadable(path, &e))?;
    let kind = reader.format_info().short_name;
    Ok((reader, kind))
}

/// The error of a file that cannot be opened. One that begins like a recording has lost its index
/// or its end.
fn unreadable(path: &Path, error: &SymphoniaError) -> MediaError {
    let container = match container_by_magic(path) {
        Ok(container) => container,
        Err(e) => return e,
    };
    match (error, container) {
        (SymphoniaError::Unsupported(_), None) => not_a_recording("no known audio or video format"),
        (_, Some(container)) => MediaError::damaged(&format!(
            "{container} without a readable index, as if it was cut off"
        )),
        (other, None) => MediaError::damaged(&other.to_string()),
    }
}

/// The container by a file's first bytes.
fn container_by_magic(path: &Path) -> Result<Option<&'static str>, MediaError> {
    Ok(match &read_head(path, 12)?[..] {
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("MP4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("Matroska or WebM"),
        [b'R', b'I', b'F', b'F', ..] => Some("WAV"),
        [b'f', b'L', b'a', b'C', ..] => Some("FLAC"),
        [b'O', b'g', b'g', b'S', ..] => Some("Ogg"),
        _ => None,
    })
}

fn read_head(path: &Path, most: u64) -> Result<Vec<u8>, MediaError> {
    let mut head = Vec::new();
    fs_err::File::open(path)?
        .take(most)
        .read_to_end(&mut head)?;
    Ok(head)
}

/// The decoder of a track's codec.
pub fn codec_of(
    path: &Path,
    track: &Track,
    kind: &str,
) -> Result<Box<dyn AudioDecoder>, MediaError> {
    let parameters = track
        .codec_params
        .as_ref()
        .and_then(|p| p.audio())
        .ok_or_else(|| MediaError::Unsupported("its audio track names no codec".into()))?;
    // For an MP3 without a tag symphonia guesses the length from the bit rate, and cuts the audio
    // there. With a tag it knows the encoder's delay.
    let is_exact = !is_mpeg(kind) || mp3_states_its_length(path)?;
    let options = AudioDecoderOptions::default().gapless(is_exact);
    codecs()
        .make_audio_decoder(parameters, &options)
        .map_err(|e| unsupported(&e))
}

fn unsupported(error: &SymphoniaError) -> MediaError {
    let text = error.to_string();
    MediaError::Unsupported(text.trim_start_matches("unsupported feature: ").to_owned())
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

/// The length in seconds that the container states; none where that would be a guess.
pub fn stated_seconds(
    path: &Path,
    reader: &dyn FormatReader,
    track: &Track,
    kind: &str,
    end: ReadingEnd,
) -> Result<Option<f64>, MediaError> {
    if is_mpeg(kind) && !mp3_states_its_length(path)? || kind == "aac" || kind == "adts" {
        return Ok(None);
    }
    if let Some(seconds) = in_seconds(track.time_base, track.duration) {
        return Ok(Some(seconds));
    }
    // The file's own length may be that of a longer picture: it counts only where reading broke
    // off.
    if end == ReadingEnd::Clean {
        return Ok(None);
    }
    let info = reader.media_info();
    Ok(in_seconds(info.time_base, info.duration))
}

fn in_seconds(base: Option<TimeBase>, duration: Option<Duration>) -> Option<f64> {
    Some(base?.calc_duration_saturating(duration?).as_secs_f64())
}

/// Whether a container is one of MPEG audio, such as MP3.
pub fn is_mpeg(kind: &str) -> bool {
    matches!(kind, "mp1" | "mp2" | "mp3")
}

/// Whether a Xing, Info or VBRI tag counts the frames; otherwise the length is a guess from the bit
/// rate.
fn mp3_states_its_length(path: &Path) -> Result<bool, MediaError> {
    let mut file = fs_err::File::open(path)?;
    let mut head = [0u8; 10];
    let got = file.read(&mut head)?;
    let start = if got == 10 && head.starts_with(b"ID3") {
        10 + id3_length(&head[6..10])
    } else {
        0
    };
    file.seek(SeekFrom::Start(start))?;
    let mut frame = Vec::new();
    // The tag is in the first frame, which is shorter than this at any bit rate.
    file.take(8192).read_to_end(&mut frame)?;
    Ok(frame
        .windows(4)
        .any(|w| matches!(w, b"Xing" | b"Info" | b"VBRI")))
}

/// The length in an ID3 header: seven bits of each byte.
fn id3_length(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |length, &b| length << 7 | u64::from(b & 0x7f))
}

/// Whether the last Ogg page has the end-of-stream mark that a recorder writes when it closes the
/// file.
pub fn ends_with_ogg_mark(path: &Path) -> Result<bool, MediaError> {
    let mut file = fs_err::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(OGG_TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let last_page = tail
        .windows(6)
        .rposition(|w| w.starts_with(b"OggS") && w[4] == 0);
    Ok(last_page.is_some_and(|at| tail[at + 5] & 4 != 0))
}

fn not_a_recording(what: &str) -> MediaError {
    MediaError::NotARecording(what.into())
}
