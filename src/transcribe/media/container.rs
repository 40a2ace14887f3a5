//! What kind of file is it, which decoder does it want, and how long does it say it is?
//! Hides containers and codecs, and what broken files do to those who read them.

use std::{
    io::{Read, Seek, SeekFrom},
    path::Path,
    sync::OnceLock,
};

use symphonia::core::{
    codecs::{audio::AudioDecoder, audio::AudioDecoderOptions, registry::CodecRegistry},
    errors::Error as MediaError,
    formats::{FormatOptions, FormatReader, Track, probe::Hint},
    io::{MediaSourceStream, MediaSourceStreamOptions},
    meta::MetadataOptions,
};

use super::{Fault, tape::End, wav::Mended};

/// Names what symphonia would only call "unsupported": no bytes, text, web pages.
pub fn look_at_first_bytes(path: &Path) -> Result<(), Fault> {
    let mut head = Vec::new();
    fs_err::File::open(path)?
        .take(4096)
        .read_to_end(&mut head)?;
    if head.is_empty() {
        return Err(Fault::Empty);
    }
    if head.iter().all(|&b| b == 0) {
        return Err(not_a_recording("it starts with nothing but zeros"));
    }
    let text = match std::str::from_utf8(&head) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && e.valid_up_to() + 4 > head.len(),
    };
    if text && !head.contains(&0) {
        return Err(not_a_recording("the content is text"));
    }
    Ok(())
}

/// The reader of the container, and its short name.
pub fn open(path: &Path) -> Result<(Box<dyn FormatReader>, &'static str), Fault> {
    let stream = MediaSourceStream::new(
        Box::new(Mended::open(path)?),
        MediaSourceStreamOptions::default(),
    );
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

/// A file that begins like a recording but cannot be opened has lost its index or its end.
fn unreadable(path: &Path, error: &MediaError) -> Fault {
    let container = match looks_like(path) {
        Ok(container) => container,
        Err(e) => return e,
    };
    match (error, container) {
        (MediaError::Unsupported(_), None) => not_a_recording("no known audio or video format"),
        (_, Some(container)) => damaged(&format!(
            "{container} without a readable index, as if it was cut off"
        )),
        (other, None) => damaged(&other.to_string()),
    }
}

/// The container by its first bytes.
fn looks_like(path: &Path) -> Result<Option<&'static str>, Fault> {
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

pub fn decoder_of(path: &Path, track: &Track, kind: &str) -> Result<Box<dyn AudioDecoder>, Fault> {
    let parameters = track
        .codec_params
        .as_ref()
        .and_then(|p| p.audio())
        .ok_or_else(|| Fault::Unsupported("its audio track names no codec".into()))?;
    // Symphonia trims an MP3 without a tag at a length that it guessed from the bit rate; keep what
    // is there. With a tag it knows the encoder's delay.
    let is_exact = !is_mpeg(kind) || mp3_states_its_length(path)?;
    let options = AudioDecoderOptions::default().gapless(is_exact);
    codecs()
        .make_audio_decoder(parameters, &options)
        .map_err(|e| {
            Fault::Unsupported(
                e.to_string()
                    .trim_start_matches("unsupported feature: ")
                    .to_owned(),
            )
        })
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

/// How long the container says the sound is; nothing where that would be a guess.
pub fn promised_seconds(
    path: &Path,
    reader: &dyn FormatReader,
    track: &Track,
    kind: &str,
    end: End,
) -> Result<Option<f64>, Fault> {
    if is_mpeg(kind) && !mp3_states_its_length(path)? || kind == "aac" || kind == "adts" {
        return Ok(None);
    }
    let of_track = track
        .time_base
        .zip(track.duration)
        .map(|(base, duration)| base.calc_duration_saturating(duration));
    let info = reader.media_info();
    let of_file = info
        .time_base
        .zip(info.duration)
        .map(|(base, duration)| base.calc_duration_saturating(duration));
    // The file's own length may be that of a longer picture: it counts only where reading broke
    // off.
    let promised = of_track.or(if end == End::CutOff { of_file } else { None });
    Ok(promised.map(|time| time.as_secs_f64()))
}

pub fn is_mpeg(kind: &str) -> bool {
    matches!(kind, "mp1" | "mp2" | "mp3")
}

/// Whether a Xing, Info or VBRI tag counts the frames; otherwise the length is estimated from the
/// bit rate.
fn mp3_states_its_length(path: &Path) -> Result<bool, Fault> {
    let mut file = fs_err::File::open(path)?;
    let mut head = [0u8; 10];
    let got = file.read(&mut head)?;
    let start = if got == 10 && head.starts_with(b"ID3") {
        10 + head[6..10]
            .iter()
            .fold(0u64, |size, &b| size << 7 | u64::from(b & 0x7f))
    } else {
        0
    };
    file.seek(SeekFrom::Start(start))?;
    let mut frame = Vec::new();
    file.take(8192).read_to_end(&mut frame)?;
    Ok(frame
        .windows(4)
        .any(|w| matches!(w, b"Xing" | b"Info" | b"VBRI")))
}

/// Whether the last Ogg page carries the end-of-stream mark that a recorder writes when it closes
/// the file.
pub fn ends_with_ogg_mark(path: &Path) -> Result<bool, Fault> {
    let mut file = fs_err::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(131_072)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let last = tail
        .windows(6)
        .rposition(|w| w.starts_with(b"OggS") && w[4] == 0);
    Ok(last.is_some_and(|at| tail[at + 5] & 4 != 0))
}

pub fn damaged(what: &str) -> Fault {
    Fault::Damaged(what.into())
}

fn not_a_recording(what: &str) -> Fault {
    Fault::NotARecording(what.into())
}
