//! Decoding as users have it, in a process of its own: the same take in every container, and files
//! that are broken.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use taskgen::transcribe::{Decoder, MediaError, SAMPLE_RATE, TranscribeError};

pub use crate::support::sound::wav;

/// Media of all kinds, in `tests/data/media`.
pub const SEEDS: [&str; 15] = [
    "speech.aac",
    "speech.flac",
    "speech.m4a",
    "speech.mkv",
    "speech.mov",
    "speech.mp3",
    "speech.mp4",
    "speech.ogg",
    "speech.opus",
    "speech.wav",
    "speech.webm",
    "fragmented.mp4",
    "live.webm",
    "alac.m4a",
    "late.mp4",
];

/// Measurements, for `--nocapture`.
#[expect(clippy::print_stderr, reason = "what a test measured is for people")]
pub fn show(text: &str) {
    eprintln!("{text}");
}

pub fn media(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/media")
        .join(name)
}

/// What users have: the program decodes, in a process of its own.
pub fn decoder() -> Decoder {
    Decoder {
        program: env!("CARGO_BIN_EXE_taskgen").into(),
    }
}

pub fn decode(path: &Path) -> Result<Vec<f32>, TranscribeError> {
    let sound = decoder().decode(path, None)?;
    Ok(sound.read(&(0..sound.length()))?)
}

/// Milliseconds by which `b` is later than `a`, where they are most alike: roughly first, then to
/// the sample.
fn lag(a: &[f32], b: &[f32]) -> f64 {
    const STEP: usize = 4;
    const MOST: isize = (SAMPLE_RATE * 3 / 5 / STEP) as isize;
    let coarse = |s: &[f32]| -> Vec<f32> { s.chunks(STEP).map(|c| c.iter().sum()).collect() };
    let rough = likest(&coarse(a), &coarse(b), -MOST..=MOST) * STEP as isize;
    likest(a, b, rough - 8..=rough + 8) as f64 * 1000.0 / SAMPLE_RATE as f64
}

fn likest(a: &[f32], b: &[f32], lags: std::ops::RangeInclusive<isize>) -> isize {
    let product = |lag: isize| -> f64 {
        let (from, to) = (0.max(-lag), (a.len() as isize).min(b.len() as isize - lag));
        (from..to)
            .map(|i| f64::from(a[i as usize]) * f64::from(b[(i + lag) as usize]))
            .sum()
    };
    lags.map(|lag| (lag, product(lag)))
        .max_by(|x, y| x.1.total_cmp(&y.1))
        .map_or(0, |best| best.0)
}

#[test]
fn the_same_take_is_at_the_same_time_in_every_container() -> Result<()> {
    let reference = decode(&media("speech.wav"))?;
    for name in SEEDS {
        let sound = decode(&media(name))?;
        let lag = lag(&reference, &sound);
        show(&format!(
            "{name}: {lag:.2} ms late, {:.3} s",
            sound.len() as f64 / SAMPLE_RATE as f64
        ));
        let offset = if name == "late.mp4" { 500.0 } else { 0.0 };
        // A stream of AAC frames, and fragments without an edit list, say nothing of the encoder's
        // delay.
        let silent = matches!(name, "speech.aac" | "fragmented.mp4");
        ensure!(
            (lag - offset).abs() <= if silent { 70.0 } else { 10.0 },
            "{name} is {lag} ms late"
        );
    }
    Ok(())
}

/// Of joined files the header tells the length of the first.
#[test]
fn joined_mp3_files_are_heard_to_their_end() -> Result<()> {
    let one = fs_err::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("seminars/soil.mp3"))?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("joined.mp3");
    fs_err::write(&path, [&one[..], &one[..]].concat())?;
    let sound = decode(&path)?;
    let loudness = |part: &[f32]| part.iter().map(|s| f64::from(s * s)).sum::<f64>();
    let (first, second) = sound.split_at(sound.len() / 2);
    assert!(
        (sound.len() as f64 / SAMPLE_RATE as f64 - 2.0 * 192.9).abs() < 0.2,
        "{} samples",
        sound.len()
    );
    assert!((loudness(first) / loudness(second) - 1.0).abs() < 0.01);
    Ok(())
}

/// What is left by a recorder that was killed, or that wrote into a pipe.
#[test]
fn a_wav_that_does_not_know_its_length_is_heard_to_its_end() -> Result<()> {
    let whole = fs_err::read(media("speech.wav"))?;
    let at = whole
        .windows(4)
        .position(|w| w == b"data")
        .expect("a chunk of sound")
        + 4;
    let folder = tempfile::tempdir()?;
    for (name, length) in [
        ("killed.wav", 0u32),
        ("pipe.wav", u32::MAX),
        ("alsa.wav", 0x7fff_ffff),
    ] {
        let mut open = whole.clone();
        open[at..at + 4].copy_from_slice(&length.to_le_bytes());
        open[4..8].copy_from_slice(&length.to_le_bytes());
        let path = folder.path().join(name);
        fs_err::write(&path, open)?;
        let sound = decoder().decode(&path, None)?;
        assert!(sound.unfinished, "{name}: nobody knows whether that is all");
        assert_eq!(
            sound.read(&(0..sound.length()))?,
            decode(&media("speech.wav"))?,
            "{name}"
        );
    }
    assert!(!decoder().decode(&media("speech.wav"), None)?.unfinished);
    // A known length that is not there is a loss, and a chunk of words is no sound.
    let cause = |length: u32, rest: &[u8]| -> Result<&'static str> {
        let path = folder.path().join("other.wav");
        fs_err::write(&path, [&whole[..at], &length.to_le_bytes(), rest].concat())?;
        Ok(decoder()
            .decode(&path, None)
            .err()
            .context("no recording")?
            .cause())
    };
    assert!(matches!(
        cause(3_000_000_000, &whole[at + 4..])?,
        "truncated" | "damaged"
    ));
    assert_eq!(cause(0, b"LIST\x08\0\0\0INFOwords")?, "too_short");
    Ok(())
}

/// `TASKGEN_MEDIA` says how many.
#[test]
fn mutated_media_are_a_sound_or_one_error_each() -> Result<()> {
    let number = |name: &str, otherwise| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(otherwise)
    };
    let (files, seed) = (
        number("TASKGEN_MEDIA", 120),
        number("TASKGEN_ACCEPT_SEED", 1),
    );
    let seeds: Vec<(&str, Vec<u8>)> = SEEDS
        .iter()
        .map(|name| Ok((*name, fs_err::read(media(name))?)))
        .collect::<Result<_>>()?;
    let folder = tempfile::tempdir()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut outcomes = BTreeMap::<&str, BTreeMap<&str, usize>>::new();
    let mut slowest = (Duration::ZERO, String::new());
    for number in 0..files as usize {
        let (name, seed) = &seeds[number % seeds.len()];
        let (_, other) = &seeds[rng.random_range(0..seeds.len())];
        let (kind, bytes) = mutated(number / seeds.len(), seed, other, &mut rng);
        let path = folder.path().join(format!("{number}-{name}"));
        fs_err::write(&path, bytes)?;
        let begun = Instant::now();
        let outcome = match decode(&path) {
            Ok(_) => "decoded",
            Err(TranscribeError::Media { error, .. }) => {
                ensure!(
                    !matches!(error, MediaError::Unreadable(_))
                        && !error.to_string().contains('\n'),
                    "{error:?}"
                );
                error.cause()
            }
            Err(other) => anyhow::bail!("{number}-{name}: {other}"),
        };
        if begun.elapsed() > slowest.0 {
            slowest = (begun.elapsed(), format!("{number}-{name}: {outcome}"));
        }
        *outcomes
            .entry(kind)
            .or_default()
            .entry(outcome)
            .or_default() += 1;
        fs_err::remove_file(&path)?;
    }
    show(&format!(
        "seed {seed}, {files} files of {} seeds; the slowest: {slowest:?}",
        seeds.len()
    ));
    for (kind, outcomes) in &outcomes {
        show(&format!("{kind}: {outcomes:?}"));
    }
    // Ten seconds more than the program itself allows a small file.
    ensure!(slowest.0 < Duration::from_secs(70), "{slowest:?}");
    let decoded = outcomes
        .values()
        .filter_map(|of| of.get("decoded"))
        .sum::<usize>();
    ensure!(
        decoded > 0 && decoded < files as usize,
        "{decoded} of {files} decode: the mutations prove nothing"
    );
    Ok(())
}

/// A third in numbers, a third cut or spliced, a third in any bytes.
fn mutated(
    round: usize,
    seed: &[u8],
    other: &[u8],
    rng: &mut ChaCha8Rng,
) -> (&'static str, Vec<u8>) {
    let mut bytes = seed.to_vec();
    match round % 3 {
        0 => {
            (0..rng.random_range(1..=3)).for_each(|_| a_number(&mut bytes, rng));
            ("numbers", bytes)
        }
        1 => ("pieces", in_pieces(bytes, other, rng)),
        _ => {
            any_bytes(&mut bytes, rng);
            ("bytes", bytes)
        }
    }
}

/// Another value for what looks like a length or a count: four bytes that begin with zero, or
/// follow a name.
fn a_number(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let is_name = |b: &[u8]| b.iter().all(|c| c.is_ascii_alphanumeric() || *c == b' ');
    let likely = |at: &usize| {
        bytes[*at] == 0 && bytes[at + 3] != 0 || *at >= 4 && is_name(&bytes[at - 4..*at])
    };
    let places: Vec<usize> = (0..bytes.len() - 8).filter(likely).collect();
    let at = places[rng.random_range(0..places.len())];
    let old = u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let any = rng.random();
    let values = [
        0,
        1,
        old.wrapping_add(1),
        old.wrapping_mul(2),
        old / 2,
        0x7fff_ffff,
        u32::MAX,
        0x1000_0000,
        any,
    ];
    let value = values[rng.random_range(0..values.len())];
    let value = if rng.random_bool(0.25) {
        value.to_le_bytes()
    } else {
        value.to_be_bytes()
    };
    bytes[at..at + 4].copy_from_slice(&value);
}

fn in_pieces(mut bytes: Vec<u8>, other: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let from = rng.random_range(0..bytes.len());
    let to = rng.random_range(from..bytes.len());
    match rng.random_range(0..4) {
        0 => bytes.truncate(from),
        1 => drop(bytes.drain(from..to)),
        2 => bytes = [&bytes[..to], &bytes[from..]].concat(),
        _ => bytes = [&bytes[..from], &other[rng.random_range(0..other.len())..]].concat(),
    }
    bytes
}

fn any_bytes(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let most = if rng.random_bool(0.5) {
        bytes.len().min(800)
    } else {
        bytes.len()
    };
    match rng.random_range(0..3) {
        0 => (0..rng.random_range(1..=8))
            .for_each(|_| bytes[rng.random_range(0..most)] ^= 1 << rng.random_range(0..8)),
        1 => (0..rng.random_range(1..=60))
            .for_each(|_| bytes[rng.random_range(0..most)] = rng.random()),
        _ => {
            let from = rng.random_range(0..most);
            let to = rng.random_range(from..bytes.len());
            bytes[from..to]
                .iter_mut()
                .for_each(|byte| *byte = rng.random());
        }
    }
}
