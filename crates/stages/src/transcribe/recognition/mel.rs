//! The log-mel spectrogram that Whisper takes: power in 80 or 128 bands of the mel scale, a hundred
//! times per second, logarithmic and clipped eight decades below the loudest (Radford et al.,
//! "Robust Speech Recognition via Large-Scale Weak Supervision", section 2.2). whisper.cpp's own
//! code for it takes a twentieth of the whole time; this code a tenth of that.

use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};

use crate::{
    models::mel::{BINS, filters},
    transcribe::audio::SAMPLE_RATE,
};

/// Samples of a frame's Fourier transform.
const FRAME: usize = 400;
/// Samples from one frame to the next.
const HOP: usize = SAMPLE_RATE / 100;
/// Frames of silence behind the audio: half a minute, as Whisper was trained.
const SILENT_FRAMES: usize = 3000;
/// Least power; below it all counts as silence.
const MIN_POWER: f64 = 1e-10;
/// Decades below the loudest value at which values are clipped.
const MAX_DECADES: f64 = 8.0;

/// Audio to spectrogram, prepared once for a model.
pub struct MelTransform {
    transform: Arc<dyn RealToComplex<f32>>,
    /// The Hann window.
    window: Vec<f32>,
    filters: Vec<Filter>,
}

/// The weights of a band, from its first bin with a weight on.
struct Filter {
    first: usize,
    weights: Vec<f32>,
}

/// The spectrogram of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Number of bands.
    pub bands: usize,
    /// Number of frames, with the silence behind the audio.
    pub frames: usize,
    /// Number of frames of the audio.
    pub audible_frames: usize,
    /// The frames of the first band, then those of the next.
    pub values: Vec<f32>,
}

impl MelTransform {
    /// The transform for a model with this number of bands.
    pub fn new(bands: usize) -> Self {
        Self {
            transform: RealFftPlanner::new().plan_fft_forward(FRAME),
            window: (0..FRAME as u32).map(hann).collect(),
            filters: filters(bands).chunks_exact(BINS).map(Filter::new).collect(),
        }
    }

    /// The spectrogram of `samples`, mirrored before their start and silent behind their end.
    pub fn spectrogram(&self, samples: &[f32]) -> Spectrogram {
        let mut padded = mirrored(samples);
        let computed = padded.len() / HOP + 1;
        padded.resize(padded.len() + FRAME, 0.0);
        let frames = samples.len() / HOP + SILENT_FRAMES;
        let bands = self.filters.len();
        let mut values = vec![MIN_POWER.log10() as f32; bands * frames];
        let mut input = self.transform.make_input_vec();
        let mut spectrum = self.transform.make_output_vec();
        let mut scratch = self.transform.make_scratch_vec();
        let mut power = [0.0f32; BINS];
        for frame in 0..computed.min(frames) {
            let samples = &padded[frame * HOP..];
            for ((slot, sample), weight) in input.iter_mut().zip(samples).zip(&self.window) {
                *slot = sample * weight;
            }
            // The buffers are the transform's own, so that their sizes fit.
            self.transform
                .process_with_scratch(&mut input, &mut spectrum, &mut scratch)
                .unwrap_or_default();
            for (power, bin) in power.iter_mut().zip(&spectrum) {
                *power = bin.norm_sqr();
            }
            for (band, filter) in self.filters.iter().enumerate() {
                values[band * frames + frame] = filter.log_power(&power);
            }
        }
        normalize(&mut values);
        Spectrogram {
            bands,
            frames,
            audible_frames: (samples.len() + HOP).saturating_sub(FRAME / 2) / HOP,
            values,
        }
    }
}

impl Filter {
    fn new(weights: &[f32]) -> Self {
        let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
        let end = weights
            .iter()
            .rposition(|w| *w > 0.0)
            .map_or(first, |last| last + 1);
        Self {
            first,
            weights: weights[first..end].to_vec(),
        }
    }

    fn log_power(&self, power: &[f32]) -> f32 {
        let bins = power[self.first..].iter().zip(&self.weights);
        let sum: f64 = bins.map(|(power, weight)| f64::from(power * weight)).sum();
        sum.max(MIN_POWER).log10() as f32
    }
}

fn hann(i: u32) -> f32 {
    (0.5 - 0.5 * (std::f64::consts::TAU * f64::from(i) / FRAME as f64).cos()) as f32
}

/// The samples with half a frame of their beginning mirrored before them.
fn mirrored(samples: &[f32]) -> Vec<f32> {
    (1..=FRAME / 2)
        .rev()
        .map(|i| samples.get(i).copied().unwrap_or(0.0))
        .chain(samples.iter().copied())
        .collect()
}

/// Clips the values far below the loudest and brings them into Whisper's range.
fn normalize(values: &mut [f32]) {
    let loudest = values.iter().copied().fold(f32::MIN, f32::max);
    let least = (f64::from(loudest) - MAX_DECADES) as f32;
    for value in values {
        *value = (value.max(least) + 4.0) / 4.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hz: f64, seconds: f64) -> Vec<f32> {
        let at = |i: usize| {
            (0.3 * (std::f64::consts::TAU * hz * i as f64 / SAMPLE_RATE as f64).sin()) as f32
        };
        (0..(seconds * SAMPLE_RATE as f64) as usize)
            .map(at)
            .collect()
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
            for i in 0..FRAME {
                let hann = 0.5 - 0.5 * (TAU * i as f64 / FRAME as f64).cos();
                let value = hann * sample((frame * HOP + i) as i64 - FRAME as i64 / 2);
                let angle = TAU * (bin * i) as f64 / FRAME as f64;
                (re, im) = (re + value * angle.cos(), im + value * angle.sin());
            }
            re * re + im * im
        };
        (0..BINS)
            .map(|bin| power(bin) * f64::from(weights[bin]))
            .sum::<f64>()
            .max(MIN_POWER)
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
            let found = MelTransform::new(bands).spectrogram(&samples);
            assert_eq!(
                (found.bands, found.frames, found.audible_frames),
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
                let wanted = by_definition(&samples, bands, band, frame).max(loudest - MAX_DECADES);
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
        let silent = MelTransform::new(80).spectrogram(&[0.0; 4000]);
        assert!(silent.values.iter().all(|value| (value + 1.5).abs() < 1e-6));
        assert_eq!(
            MelTransform::new(80).spectrogram(&[0.1; 3]).frames,
            SILENT_FRAMES
        );
    }
}
