//! The peer that we are built on: one sequential pass of whisper.cpp over a whole recording, as its
//! own command line does it, in the very version that is compiled into `taskgen`. `make
//! bench-transcribe` runs it beside us.
//!
//! Arguments: the model's file, the recording, a language or `auto`, and how to decode. `beam` is
//! whisper.cpp's own way: beam 5, and fallback by temperature (with one candidate, where its
//! command line has five: whisper-rs cannot set both). `greedy` has one candidate and no fallback.
//! Prints one JSON value: the seconds of the pass alone, without loading, and what was heard.
#![expect(clippy::print_stdout, reason = "the result is what it is for")]

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState,
};

fn main() -> Result<()> {
    whisper_rs::install_logging_hooks();
    // Cargo adds `--bench` where it runs a bench itself.
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let [model, recording, language, decoding] = &args[..] else {
        bail!("arguments: MODEL RECORDING LANGUAGE beam|greedy");
    };
    let context = WhisperContext::new_with_params(model, WhisperContextParameters::default())?;
    let settings = settings(language, decoding)?;
    let began = Instant::now();
    let mut state = context.create_state()?;
    state.full(settings, &samples(recording)?)?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "seconds": seconds, "segments": segments(&state)? })
    );
    Ok(())
}

/// The bench's own recordings only: 16 kHz, mono, 16 bits, behind a head of 44 bytes.
fn samples(recording: &str) -> Result<Vec<f32>> {
    let bytes = fs_err::read(recording)?;
    let sound = bytes.get(44..).context("not a recording")?;
    Ok(sound
        .chunks_exact(2)
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32768.0)
        .collect())
}

fn settings<'a>(language: &'a str, decoding: &str) -> Result<FullParams<'a, 'a>> {
    let strategy = match decoding {
        "beam" => SamplingStrategy::BeamSearch {
            beam_size: 5,
            patience: -1.0,
        },
        "greedy" => SamplingStrategy::Greedy { best_of: 1 },
        other => bail!("neither `beam` nor `greedy`: `{other}`"),
    };
    let mut settings = FullParams::new(strategy);
    if decoding == "greedy" {
        settings.set_temperature_inc(0.0);
    }
    let cores = std::thread::available_parallelism().context("the number of cores is unknown")?;
    settings.set_n_threads(cores.get() as i32);
    settings.set_language(Some(language));
    settings.set_print_progress(false);
    settings.set_print_realtime(false);
    settings.set_print_timestamps(false);
    Ok(settings)
}

fn segments(state: &WhisperState) -> Result<Vec<Value>> {
    let segment = |segment: whisper_rs::WhisperSegment| {
        let seconds = |centiseconds: i64| centiseconds as f64 / 100.0;
        let text = segment.to_str_lossy()?;
        Ok(json!({
            "start": seconds(segment.start_timestamp()),
            "end": seconds(segment.end_timestamp()),
            "text": text,
        }))
    };
    state.as_iter().map(segment).collect()
}
