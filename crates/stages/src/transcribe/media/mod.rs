//! A file becomes audio: 16 kHz, one channel, as long as the container says it is. Hides
//! containers, codecs, resampling, and the process of its own in which hostile files are decoded.

mod container;
mod decode_file;
mod decoded;
mod decoder;
mod edit_list;
mod error;
mod process;
mod resample;
mod track_decoder;
mod wav;

pub use decoder::Decoder;
pub use error::MediaError;
pub use process::{serve, serve_length};
