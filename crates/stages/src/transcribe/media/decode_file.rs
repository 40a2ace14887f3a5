//! Decoding a file in this process: the work of the process that [`super::Decoder`] starts.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use symphonia::core::formats::{FormatReader, Track, TrackType};

use super::{
    container::{self, ReadingEnd},
    decoded::{DecodeSummary, Sink},
    edit_list,
    error::MediaError,
    track_decoder::TrackDecoder,
    wav,
};
use crate::isolation;

/// Decodes the whole file: all channels mixed, or only `channel`, counted from 1.
pub fn decode_file(
    path: &Path,
    channel: Option<usize>,
    sink: Sink<'_>,
) -> Result<DecodeSummary, MediaError> {
    catch_panic(path, || decode_audio_track(path, channel, sink))
}

/// The length in seconds that the container states; none where that would be a guess.
pub fn stated_seconds(path: &Path) -> Result<Option<f64>, MediaError> {
    catch_panic(path, || {
        let (reader, kind) = container::open(path)?;
        let track = audio_track(reader.as_ref())?;
        container::stated_seconds(path, reader.as_ref(), &track, kind, ReadingEnd::Clean)
    })
}

/// A panic of a decoder is the file's error, not the program's.
fn catch_panic<T>(
    path: &Path,
    work: impl FnOnce() -> Result<T, MediaError>,
) -> Result<T, MediaError> {
    container::check_first_bytes(path)?;
    isolation::quiet_panics(|| catch_unwind(AssertUnwindSafe(work)))
        .unwrap_or_else(|_| Err(MediaError::damaged("its decoder gave up")))
}

fn decode_audio_track(
    path: &Path,
    channel: Option<usize>,
    sink: Sink<'_>,
) -> Result<DecodeSummary, MediaError> {
    let (mut reader, kind) = container::open(path)?;
    let track = audio_track(reader.as_ref())?;
    let mut codec = container::codec_of(path, &track, kind)?;
    let mut decoder = TrackDecoder::new(&track, kind, channel, sink);
    if kind == "isomp4" {
        decoder.apply_edit(edit_list::of_track(path, track.id)?)?;
    }
    let end = decoder.decode_all(reader.as_mut(), codec.as_mut(), &track)?;
    let unfinished = end == ReadingEnd::CutOff
        || kind == "ogg" && !container::ends_with_ogg_mark(path)?
        || wav::RepairedWav::open(path)?.had_unknown_length();
    let stated = container::stated_seconds(path, reader.as_ref(), &track, kind, end)?;
    decoder.finish(stated, unfinished)
}

fn audio_track(reader: &dyn FormatReader) -> Result<Track, MediaError> {
    reader
        .default_track(TrackType::Audio)
        .cloned()
        .ok_or(MediaError::NoAudioTrack)
}
