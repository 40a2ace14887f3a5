//! The mel filter bank of Whisper: Slaney's scale and area normalisation, as librosa computes it
//! (400-point Fourier transform, 16 kHz): everything in double precision, each weight rounded to
//! single before it is normalised.

/// Bins of the spectrum.
pub const BINS: usize = 201;
/// Half of the sampling rate.
const NYQUIST: f64 = 8000.0;
/// Slaney's scale: linear below this frequency, logarithmic above.
const BREAK_HZ: f64 = 1000.0;
const HZ_PER_MEL: f64 = 200.0 / 3.0;

/// Weights of `bands` filters, band by band.
pub fn filters(bands: usize) -> Vec<f32> {
    let log_step = 6.4f64.ln() / 27.0;
    let break_mel = BREAK_HZ / HZ_PER_MEL;
    let top = break_mel + (NYQUIST / BREAK_HZ).ln() / log_step;
    let step = top / (bands + 1) as f64;
    let edges: Vec<f64> = (0..bands + 2)
        .map(|i| {
            // The last edge exactly, as NumPy's `linspace` sets it.
            let mel = if i == bands + 1 { top } else { i as f64 * step };
            if mel >= break_mel {
                BREAK_HZ * (log_step * (mel - break_mel)).exp()
            } else {
                HZ_PER_MEL * mel
            }
        })
        .collect();
    let mut weights = Vec::with_capacity(bands * BINS);
    for band in edges.windows(3) {
        let area = 2.0 / (band[2] - band[0]);
        for bin in 0..BINS {
            let hz = bin as f64 * (NYQUIST / (BINS - 1) as f64);
            let (rise, fall) = (
                (hz - band[0]) / (band[1] - band[0]),
                (band[2] - hz) / (band[2] - band[1]),
            );
            // Rounded to single precision before the area, as librosa does, so that the bytes are
            // the same.
            let weight = rise.min(fall).max(0.0) as f32;
            weights.push((f64::from(weight) * area) as f32);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use sha2::Digest as _;

    use super::*;

    /// The arrays `mel_80` and `mel_128` that Whisper's authors ship with their program, as
    /// little-endian single-precision numbers. Today's arrays begin with -0.0 where whisper.cpp's
    /// files, and ours, have 0.0.
    const PUBLISHED: [(usize, &str); 2] = [
        (
            80,
            "85818f156f7e189453901a515e4726d270d307f976e161cf9403e8caab405498",
        ),
        (
            128,
            "e399c2d72d2f7375e503c296d8453cefcc0c1e47a9c1a0a09e0d70f59c820f20",
        ),
    ];

    #[test]
    fn the_filters_are_the_published_ones_bit_by_bit() {
        for (bands, published) in PUBLISHED {
            let bytes: Vec<u8> = filters(bands)
                .iter()
                .flat_map(|weight| weight.to_le_bytes())
                .collect();
            assert_eq!(
                data_encoding::HEXLOWER.encode(&sha2::Sha256::digest(&bytes)),
                published,
                "{bands} bands"
            );
        }
    }

    #[test]
    fn every_band_has_the_same_area() {
        let hz_per_bin = NYQUIST / (BINS - 1) as f64;
        for bands in [80, 128] {
            let weights = filters(bands);
            // The lowest bands are narrower than a few bins; from 1 kHz on the sum approximates the
            // area of one.
            for band in bands / 2..bands {
                let sum: f64 = weights[band * BINS..(band + 1) * BINS]
                    .iter()
                    .map(|w| f64::from(*w))
                    .sum();
                assert!(
                    (sum * hz_per_bin - 1.0).abs() < 0.15,
                    "{bands} bands, {band}: {}",
                    sum * hz_per_bin
                );
            }
        }
    }
}
