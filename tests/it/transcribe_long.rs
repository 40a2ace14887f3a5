//! What hours and noise do to a transcript: words, times and memory, measured.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use taskgen::{data::Transcript, text::error_rate::word_errors, transcribe::load};

use crate::{
    media::{self, show},
    support::taskgen,
};

/// Seconds of a copy of `soil.mp3`, by its frames: 7,385 with sound, of 1,152 samples at 44,100 a
/// second.
const PERIOD: f64 = 7_385.0 * 1_152.0 / 44_100.0;
/// Bytes of its tag, which stands before the first copy alone.
const TAG: usize = 74;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seminars/soil.mp3")
}

/// A transcript that was written.
pub fn transcript(path: &Path) -> Transcript {
    load(path).expect("readable").expect("a transcript")
}

/// `samples` under a noise as of a fan, so many decibels below them. The level of the speech is
/// that of its louder half.
fn noisy(samples: &[f32], decibels: f64) -> Vec<i16> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut last = 0.0;
    let noise: Vec<f64> = samples
        .iter()
        .map(|_| {
            last = 0.9 * last + rng.random_range(-1.0..1.0);
            last
        })
        .collect();
    let power = |values: &mut dyn Iterator<Item = f64>| {
        let squares: Vec<f64> = values.map(|value| value * value).collect();
        squares.iter().sum::<f64>() / squares.len() as f64
    };
    let mut frames: Vec<f64> = samples
        .chunks(400)
        .map(|frame| power(&mut frame.iter().map(|s| f64::from(*s))))
        .collect();
    frames.sort_by(f64::total_cmp);
    let half = frames.len() / 2;
    let speech = frames[half..].iter().sum::<f64>() / (frames.len() - half) as f64;
    let gain = (speech / power(&mut noise.iter().copied()) / 10f64.powf(decibels / 10.0)).sqrt();
    let mixed = samples
        .iter()
        .zip(&noise)
        .map(|(s, n)| (f64::from(*s) + n * gain) * 0.5);
    mixed
        .map(|value| (value.clamp(-1.0, 1.0) * 32_000.0) as i16)
        .collect()
}

#[test]
fn real_speech_in_noise_keeps_its_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = media::decode(&sample()).expect("a sample");
    for (name, decibels) in [
        ("clean.wav", 90.0),
        ("noise10.wav", 10.0),
        ("noise5.wav", 5.0),
    ] {
        std::fs::write(
            folder.path().join(name),
            media::wav(1, &noisy(&samples, decibels)),
        )
        .expect("written");
    }
    for model in ["tiny.en", "base"] {
        let args = [
            "transcribe",
            ".",
            "--model",
            model,
            "--language",
            "en",
            "--offline",
            "--force",
        ];
        let (code, _, said) = taskgen(folder.path(), &args);
        assert_eq!(code, Some(0), "{said}");
        let text = |name: &str| transcript(&folder.path().join(format!("{name}.json"))).text();
        let clean = text("clean.wav");
        for (name, decibels) in [("noise10.wav", 10), ("noise5.wav", 5)] {
            let errors = word_errors(&clean, &text(name));
            let share = |words: usize| 100.0 * words as f64 / errors.reference as f64;
            let (missing, others) = (share(errors.deletions), share(errors.substitutions));
            let words = errors.reference;
            show(&format!(
                "{model}, {decibels} dB: of {words} words {missing:.1} % missing, {others:.1} % others"
            ));
            assert!(words > 400, "{clean}");
            // What is missing was taken for noise; what is misheard in much noise is the model's.
            assert!(missing <= 3.0, "{model}, {decibels} dB: {errors:?}");
            assert!(
                decibels < 10 || missing + others <= 3.0,
                "{model}, {decibels} dB: {errors:?}"
            );
        }
    }
}

/// `TASKGEN_HOURS` says how long the recording is.
#[test]
fn real_hours_neither_drift_nor_fill_the_memory() {
    let hours: f64 = std::env::var("TASKGEN_HOURS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0.15);
    let copies = (hours * 3600.0 / PERIOD).ceil().max(3.0) as usize;
    let folder = tempfile::tempdir().expect("a folder");
    let sample = std::fs::read(sample()).expect("a sample");
    let talk = [&sample[..TAG], &sample[TAG..].repeat(copies)].concat();
    std::fs::write(folder.path().join("talk.mp3"), talk).expect("written");
    let begun = Instant::now();
    let peak = peak_memory(folder.path());
    let took = begun.elapsed().as_secs_f64();
    let transcript = transcript(&folder.path().join("talk.mp3.json"));
    let segments: Vec<f64> = transcript
        .segments
        .iter()
        .map(|segment| segment.start.seconds())
        .collect();
    // Where the first sentence of each copy begins in it. Only the first copy has its delay told
    // and cut off.
    let first_word = |copy: usize| {
        let from = copy as f64 * PERIOD;
        segments
            .iter()
            .find(|start| (from..from + PERIOD).contains(*start))
            .map(|start| 1000.0 * (start - from))
    };
    let starts: Vec<f64> = (1..copies)
        .map(|copy| first_word(copy).expect("words in each copy"))
        .collect();
    let median = |part: &[f64]| {
        let mut sorted = part.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let third = starts.len().div_ceil(3);
    let (early, late) = (
        median(&starts[..third]),
        median(&starts[starts.len() - third..]),
    );
    let weights = std::env::var("TASKGEN_MODELS")
        .map(PathBuf::from)
        .expect("set TASKGEN_MODELS")
        .join("ggml-tiny.en.bin");
    let weights = std::fs::metadata(weights).expect("weights").len() as f64 / 1e6;
    show(&format!(
        "{copies} copies, {:.2} h, {took:.0} s: first words at {early:.0} ms in the first third of the copies and at {late:.0} ms in the last; {peak:.0} MB at most, weights {weights:.0} MB",
        transcript.duration.seconds() / 3600.0
    ));
    assert!((transcript.duration.seconds() - copies as f64 * PERIOD).abs() < 1.0);
    assert!((early - late).abs() <= 40.0, "{starts:?}");
    // Two states take some 300 MB, whatever the length; where speech is, and what was said, 7 MB an
    // hour.
    assert!(
        peak > weights && peak < weights + 330.0 + 8.0 * hours,
        "{peak} MB"
    );
}

/// Transcribes the folder's recording and says how many megabytes the program held at most.
fn peak_memory(folder: &Path) -> f64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_taskgen"))
        .args([
            "transcribe",
            "talk.mp3",
            "--model",
            "tiny.en",
            "--language",
            "en",
            "--offline",
            "--jobs",
            "2",
        ])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line
            .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or(0.0);
        peak = peak.max(kilobytes * 1024.0 / 1e6);
        if let Some(ended) = child.try_wait().expect("a child") {
            assert!(ended.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
