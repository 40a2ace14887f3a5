//! Sound as Whisper takes it: its power in 80 or 128 bands of the mel scale, a hundred times a
//! second, logarithmic and clipped eight decades below the loudest (Radford et al., "Robust Speech
//! Recognition via Large-Scale Weak Supervision", section 2.2). whisper.cpp's own way to it takes a
//! twentieth of all time; this one a tenth of that.

use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};

use super::sound::RATE;
use crate::models::mel::{BINS, filters};

/// Samples of a frame's Fourier transform, and from one frame to the next.
const WIDTH: usize = 400;
const HOP: usize = RATE / 100;
/// Frames of silence behind the sound: half a minute, as Whisper was trained.
const BEHIND: usize = 3000;
/// Least power that is told from none.
const LEAST: f64 = 1e-10;
/// What is so many decades below the loudest is as good as that.
const DECADES: f64 = 8.0;

/// How sound becomes a spectrogram, prepared once for a model.
pub struct Mel {
    transform: Arc<dyn RealToComplex<f32>>,
    /// Hann's.
    window: Vec<f32>,
    filters: Vec<Filter>,
}

/// A band's weights, from its first bin on that has one.
struct Filter {
    first: usize,
    weights: Vec<f32>,
}

/// A window's sound as a model takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Bands.
    pub bands: usize,
    /// Hundredths of a second, with the silence behind the sound.
    pub frames: usize,
    /// Hundredths of a second of the sound.
    pub sounding: usize,
    /// Frames of the first band, then of the next.
    pub values: Vec<f32>,
}

impl Mel {
    /// For a model that takes so many bands.
    pub fn new(bands: usize) -> Self {
        let window =
            |i| (0.5 - 0.5 * (std::f64::consts::TAU * f64::from(i) / WIDTH as f64).cos()) as f32;
        let filter = |weights: &[f32]| {
            let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
            let end = weights
                .iter()
                .rposition(|w| *w > 0.0)
                .map_or(first, |last| last + 1);
            Filter {
                first,
                weights: weights[first..end].to_vec(),
            }
        };
        Self {
            transform: RealFftPlanner::new().plan_fft_forward(WIDTH),
            window: (0..WIDTH as u32).map(window).collect(),
            filters: filters(bands).chunks_exact(BINS).map(filter).collect(),
        }
    }

    /// The spectrogram of `samples`, mirrored before their start and silent behind their end.
    pub fn of(&self, samples: &[f32]) -> Spectrogram {
        let half = WIDTH / 2;
        let mirror = (1..=half)
            .rev()
            .map(|i| samples.get(i).copied().unwrap_or(0.0));
        let mut padded: Vec<f32> = mirror.chain(samples.iter().copied()).collect();
        let (heard, frames) = (padded.len() / HOP + 1, samples.len() / HOP + BEHIND);
        padded.resize(padded.len() + WIDTH, 0.0);
        let bands = self.filters.len();
        let mut values = vec![LEAST.log10() as f32; bands * frames];
        let (mut frame, mut spectrum) = (
            self.transform.make_input_vec(),
            self.transform.make_output_vec(),
        );
        let mut scratch = self.transform.make_scratch_vec();
        let mut power = [0.0f32; BINS];
        for at in 0..heard.min(frames) {
            for ((slot, sample), weight) in
                frame.iter_mut().zip(&padded[at * HOP..]).zip(&self.window)
            {
                *slot = sample * weight;
            }
            // The buffers are the transform's own: it has nothing to refuse.
            self.transform
                .process_with_scratch(&mut frame, &mut spectrum, &mut scratch)
                .unwrap_or_default();
            for (power, bin) in power.iter_mut().zip(&spectrum) {
                *power = bin.norm_sqr();
            }
            for (band, filter) in self.filters.iter().enumerate() {
                let bins = power[filter.first..].iter().zip(&filter.weights);
                let sum: f64 = bins.map(|(power, weight)| f64::from(power * weight)).sum();
                values[band * frames + at] = sum.max(LEAST).log10() as f32;
            }
        }
        let loudest = values.iter().copied().fold(f32::MIN, f32::max);
        let least = (f64::from(loudest) - DECADES) as f32;
        for value in &mut values {
            *value = (value.max(least) + 4.0) / 4.0;
        }
        Spectrogram {
            bands,
            frames,
            sounding: (samples.len() + HOP).saturating_sub(half) / HOP,
            values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hz: f64, seconds: f64) -> Vec<f32> {
        let at =
            |i: usize| (0.3 * (std::f64::consts::TAU * hz * i as f64 / RATE as f64).sin()) as f32;
        (0..(seconds * RATE as f64) as usize).map(at).collect()
    }

    /// One value by the definition, in double precision.
    fn by_definition(samples: &[f32], bands: usize, band: usize, frame: usize) -> f64 {
        use std::f64::consts::TAU;
        let sample = |i: i64| {
            f64::from(
                samples
                    .get(i.unsigned_abs() as usize)
                    .copied()
                    .unwrap_or(0.0),
            )
        };
        let weights = &filters(bands)[band * BINS..][..BINS];
        let power = |bin: usize| {
            let (mut re, mut im) = (0.0, 0.0);
            for i in 0..WIDTH {
                let hann = 0.5 - 0.5 * (TAU * i as f64 / WIDTH as f64).cos();
                let value = hann * sample((frame * HOP + i) as i64 - WIDTH as i64 / 2);
                let angle = TAU * (bin * i) as f64 / WIDTH as f64;
                (re, im) = (re + value * angle.cos(), im + value * angle.sin());
            }
            re * re + im * im
        };
        (0..BINS)
            .map(|bin| power(bin) * f64::from(weights[bin]))
            .sum::<f64>()
            .max(LEAST)
            .log10()
    }

    #[test]
    fn each_value_is_that_of_the_definition() {
        let samples: Vec<f32> = tone(440.0, 0.5)
            .into_iter()
            .zip(tone(3_100.0, 0.5))
            .map(|(a, b)| a + 0.1 * b)
            .collect();
        for bands in [80, 128] {
            let found = Mel::new(bands).of(&samples);
            assert_eq!(
                (found.bands, found.frames, found.sounding),
                (bands, 3050, 49)
            );
            let raw = |band: usize, frame: usize| {
                f64::from(found.values[band * found.frames + frame]) * 4.0 - 4.0
            };
            let loudest = (0..bands)
                .map(|band| raw(band, 20))
                .fold(f64::MIN, f64::max);
            for (band, frame) in [
                (3, 0),
                (8, 1),
                (12, 25),
                (30, 48),
                (52, 49),
                (bands - 1, 50),
                (7, 51),
                (40, 3049),
            ] {
                let wanted = by_definition(&samples, bands, band, frame).max(loudest - DECADES);
                let got = raw(band, frame);
                assert!(
                    (got - wanted).abs() < 0.02,
                    "{bands} bands, {band} at {frame}: {got} for {wanted}"
                );
            }
        }
    }

    #[test]
    fn silence_and_next_to_nothing_have_a_spectrogram() {
        let silent = Mel::new(80).of(&[0.0; 4000]);
        assert!(silent.values.iter().all(|value| (value + 1.5).abs() < 1e-6));
        assert_eq!(Mel::new(80).of(&[0.1; 3]).frames, BEHIND);
    }
}
