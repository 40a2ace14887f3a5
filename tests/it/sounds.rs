//! Sound in which nobody speaks, made from a seed: silence, noise, tones, music, keys that are
//! struck.

use std::f64::consts::TAU;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use taskgen::transcribe::SAMPLE_RATE;

/// Seconds of one sound before the next.
const EACH: usize = 15;

/// So many minutes of every kind of sound, one after the other, with silence between them.
pub fn without_speech(minutes: usize, seed: u64) -> Vec<i16> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sound = Vec::new();
    let length = minutes * 60 * SAMPLE_RATE;
    for kind in 0.. {
        if sound.len() >= length {
            break;
        }
        sound.extend(match kind % 6 {
            0 => vec![0.0; EACH * SAMPLE_RATE],
            1 => noise(&mut rng),
            2 => tones(&mut rng),
            3 => music(&mut rng),
            4 => keys(&mut rng),
            _ => hum(&mut rng),
        });
        sound.extend(vec![0.0; rng.random_range(0..2 * SAMPLE_RATE)]);
    }
    sound.truncate(length);
    sound
        .iter()
        .map(|s: &f64| (s.clamp(-1.0, 1.0) * 32_000.0) as i16)
        .collect()
}

fn white(rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(-1.0..1.0)
}

/// White noise, darkened more or less, as of a fan or of rain.
fn noise(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let (level, dark) = (rng.random_range(0.01..0.3), rng.random_range(0.0..0.97));
    let mut last = 0.0;
    (0..EACH * SAMPLE_RATE)
        .map(|_| {
            last = dark * last + (1.0 - dark) * white(rng);
            last * level / (1.0f64 - dark).sqrt()
        })
        .collect()
}

/// Single tones that begin and end, some of which glide.
fn tones(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut sound = Vec::new();
    while sound.len() < EACH * SAMPLE_RATE {
        let (from, to) = (
            rng.random_range(80.0..3000.0),
            rng.random_range(80.0..3000.0f64),
        );
        let to = if rng.random_bool(0.5) { from } else { to };
        let (length, level) = (
            rng.random_range(SAMPLE_RATE / 5..3 * SAMPLE_RATE),
            rng.random_range(0.05..0.4),
        );
        let mut phase = 0.0;
        sound.extend((0..length).map(|i| {
            phase += TAU * (from + (to - from) * i as f64 / length as f64) / SAMPLE_RATE as f64;
            phase.sin() * level
        }));
        sound.extend(vec![0.0; rng.random_range(0..SAMPLE_RATE)]);
    }
    sound.truncate(EACH * SAMPLE_RATE);
    sound
}

/// Chords of a scale with overtones that die away, a bass, and a drum.
fn music(rng: &mut ChaCha8Rng) -> Vec<f64> {
    const SCALE: [i32; 7] = [0, 2, 4, 5, 7, 9, 11];
    let beat = rng.random_range(SAMPLE_RATE * 2 / 5..SAMPLE_RATE * 4 / 5);
    let root = rng.random_range(110.0..260.0);
    let pitch =
        |step: usize| root * 2f64.powf(f64::from(SCALE[step % 7] + 12 * (step / 7) as i32) / 12.0);
    let mut sound = vec![0.0; EACH * SAMPLE_RATE];
    for start in (0..EACH * SAMPLE_RATE).step_by(beat) {
        let chord = rng.random_range(0..7);
        let mut notes: Vec<f64> = [chord, chord + 2, chord + 4].map(pitch).to_vec();
        notes.push(pitch(chord) / 2.0);
        notes.push(pitch(rng.random_range(7..14)));
        for i in 0..(2 * beat).min(sound.len() - start) {
            let t = i as f64 / SAMPLE_RATE as f64;
            let tone = |f: &f64| {
                (1..5)
                    .map(|k| (TAU * f * f64::from(k) * t).sin() / f64::from(k * k))
                    .sum::<f64>()
            };
            let drum = white(rng) * (-t * 40.0).exp();
            sound[start + i] +=
                notes.iter().map(tone).sum::<f64>() * 0.06 * (-t * 2.0).exp() + drum * 0.1;
        }
    }
    sound
}

/// Short clicks at the pace of somebody who types.
fn keys(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut sound = vec![0.0; EACH * SAMPLE_RATE];
    let mut at = 0;
    while at + SAMPLE_RATE / 20 < sound.len() {
        let level = rng.random_range(0.05..0.4);
        (0..SAMPLE_RATE / 50)
            .for_each(|i| sound[at + i] += white(rng) * level * (-(i as f64) / 60.0).exp());
        at += rng.random_range(SAMPLE_RATE / 12..SAMPLE_RATE / 2);
    }
    sound
}

/// Mains hum with its overtones, under a little noise.
fn hum(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let level = rng.random_range(0.02..0.2);
    (0..EACH * SAMPLE_RATE)
        .map(|i| {
            let tone = |k: i32| {
                (TAU * 50.0 * f64::from(k * i as i32) / SAMPLE_RATE as f64).sin() / f64::from(k)
            };
            (1..6).map(tone).sum::<f64>() * level + white(rng) * 0.005
        })
        .collect()
}
