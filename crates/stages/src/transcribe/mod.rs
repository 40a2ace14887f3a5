//! Recording → Transcript. A file is decoded, the stretches of speech are packed into windows,
//! Whisper recognises them on every core, doubtful ones in several ways, and invented text is
//! dropped.

mod audio;
mod batch;
mod discover;
mod error;
pub mod existing;
pub mod formats;
mod journal;
mod language;
mod media;
mod options;
mod output;
mod parallel;
mod phrase;
mod quality;
mod recognition;
mod sentences;
mod shard;
mod sidecar;
mod speech;
mod survey;
mod transcribe_file;

pub use audio::{Audio, SAMPLE_RATE};
pub use batch::{Batch, BatchItem, RecordingFolder, forgotten_note};
pub use discover::{Discovered, EXTENSIONS, FORMATS, Recording, discover, is_recording};
pub use error::TranscribeError;
pub use language::{span::LanguageSpan, tag::Language};
pub use media::{Decoder, MediaError, serve as serve_decoding, serve_length};
pub use options::{AUTO_ON_CARD, ModelChoice, ON_CARD, Options};
pub use output::{
    TranscriptMeta, TranscriptStatus, check_writable, journal_path, load, meta_path,
    recording_sha256, save_existing, transcript_path, transcript_status, transcripts_in,
};
pub use quality::diagnostics::{Diagnostics, DoubtfulSpan, QualityIssue};
pub use recognition::{
    bench::Sample,
    device_check::{memory as memory_of_device, serve as serve_device_check},
    devices::{self, Device, DeviceError},
    engine::{Engine, Resolver},
};
pub use shard::Shard;
pub use sidecar::{Sidecar, SidecarError};
pub use speech::{
    activity::{SpeechActivity, SpeechSpan},
    windows::Window,
};
pub use transcribe_file::{Transcribed, transcribe_file};
