//! The mel filter bank of Whisper: Slaney's scale and area normalisation, as librosa computes it (80 bands, 400-point
//! Fourier transform, 16 kHz): everything in double precision, each weight rounded to single before it is normalised.

/// Bands.
pub const BANDS: usize = 80;
/// Bins of the spectrum.
pub const BINS: usize = 201;
/// Half of the sampling rate.
const NYQUIST: f64 = 8000.0;
/// Slaney's scale: linear below this frequency, logarithmic above.
const BREAK_HZ: f64 = 1000.0;
const HZ_PER_MEL: f64 = 200.0 / 3.0;

/// Weights, band by band.
pub fn filters() -> Vec<f32> {
    let log_step = 6.4f64.ln() / 27.0;
    let break_mel = BREAK_HZ / HZ_PER_MEL;
    let top = break_mel + (NYQUIST / BREAK_HZ).ln() / log_step;
    let step = top / (BANDS + 1) as f64;
    let edges: Vec<f64> = (0..BANDS + 2)
        .map(|i| {
            let mel = if i == BANDS + 1 { top } else { i as f64 * step };
            if mel >= break_mel { BREAK_HZ * (log_step * (mel - break_mel)).exp() } else { HZ_PER_MEL * mel }
        })
        .collect();
    let mut weights = Vec::with_capacity(BANDS * BINS);
    for band in edges.windows(3) {
        let area = 2.0 / (band[2] - band[0]);
        for bin in 0..BINS {
            let hz = bin as f64 * (NYQUIST / (BINS - 1) as f64);
            let (rise, fall) = ((hz - band[0]) / (band[1] - band[0]), (band[2] - hz) / (band[2] - band[1]));
            let weight = rise.min(fall).max(0.0) as f32;
            weights.push((f64::from(weight) * area) as f32);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_band_has_the_same_area() {
        let weights = filters();
        let hz_per_bin = NYQUIST / (BINS - 1) as f64;
        // The lowest bands are narrower than a few bins; from 1 kHz on the sum approximates the area of one.
        for band in 40..BANDS {
            let sum: f64 = weights[band * BINS..(band + 1) * BINS].iter().map(|w| f64::from(*w)).sum();
            assert!((sum * hz_per_bin - 1.0).abs() < 0.1, "band {band}: {}", sum * hz_per_bin);
        }
        assert_eq!(weights.iter().filter(|w| **w != 0.0).count(), 391);
    }
}
