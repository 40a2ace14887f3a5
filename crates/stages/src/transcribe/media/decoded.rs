//! What decoding a file gives: its audio, piece by piece, and what was missing.

use std::io;

use serde::{Deserialize, Serialize};

/// Takes decoded audio: mono samples at [`SAMPLE_RATE`](crate::transcribe::SAMPLE_RATE), in order.
pub type Sink<'a> = &'a mut dyn FnMut(&[f32]) -> io::Result<()>;

/// What was missing in a file that could be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecodeSummary {
    /// Packets that could not be decoded.
    pub broken_packets: usize,
    /// Whether the file lacks its end.
    pub unfinished: bool,
}
