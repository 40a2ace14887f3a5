//! Where we hear speech in a recording, for `vad.py`, which compares it with what was said and with
//! Silero's ear.
//!
//! Arguments: the program that decodes, and the recording. Prints one JSON value: the seconds that
//! hearing takes, and the stretches that would be transcribed, as pairs of seconds.
#![expect(clippy::print_stdout, reason = "the result is what it is for")]

use std::{path::Path, time::Instant};

use anyhow::{Result, bail};
use serde_json::json;
use taskgen::transcribe::{Decoder, SAMPLE_RATE, SpeechActivity};

fn main() -> Result<()> {
    // Cargo adds `--bench` where it runs a bench itself.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let [program, recording] = &args[..] else {
        bail!("arguments: TASKGEN RECORDING")
    };
    let sound = Decoder {
        program: program.into(),
    }
    .decode(Path::new(recording), None)?;
    let began = Instant::now();
    let spans = SpeechActivity::detect(&sound)?.spans();
    let seconds = began.elapsed().as_secs_f64();
    let at = |sample: usize| sample as f64 / SAMPLE_RATE as f64;
    let spans: Vec<[f64; 2]> = spans
        .iter()
        .map(|span| [at(span.range.start), at(span.range.end)])
        .collect();
    println!("{}", json!({ "seconds": seconds, "spans": spans }));
    Ok(())
}
