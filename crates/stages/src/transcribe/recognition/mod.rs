//! Speech recognition: windows become phrases. Hides Whisper, the workers that run it, and the
//! fallback to other ways of decoding where a result is doubtful.

pub mod attempt;
pub mod bench;
pub mod device_check;
pub mod devices;
pub mod engine;
pub mod fallback;
pub mod language_detection;
pub mod mel;
pub mod placement;
pub mod pool;
pub mod recognize;
pub mod whisper;
pub mod whisper_callbacks;
pub mod word_times;
pub mod worker;
