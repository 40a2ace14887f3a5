//! Resampling: any rate and number of channels become 16 kHz mono, chunk by chunk. Hides rubato's
//! fixed chunk sizes and its delay, so that sample N is at N / 16000 seconds.

use rubato::{Fft, FixedSync, Indexing, Resampler, audioadapter_buffers::direct::SequentialSlice};

use crate::transcribe::audio::SAMPLE_RATE;

/// Samples that are converted at once.
const CHUNK: usize = 2048;
/// Rates of real recordings; others are broken headers.
const RATES: std::ops::RangeInclusive<usize> = 4_000..=384_000;

/// Converts audio to [`SAMPLE_RATE`].
#[derive(Default)]
pub struct ToMono16k {
    done: Vec<f32>,
    /// Output samples that were handed on.
    taken: usize,
    converter: Option<Converter>,
    /// Seconds of input so far, with those that the converter still holds.
    seconds: f64,
}

struct Converter {
    rate: usize,
    fft: Fft<f32>,
    waiting: Vec<f32>,
    /// Output samples that are still to be left out: the filter's delay.
    skip: usize,
    /// Output samples that the input so far should give.
    owed: f64,
    given: usize,
}

impl ToMono16k {
    /// Number of finished output samples.
    pub fn len(&self) -> usize {
        self.taken + self.done.len()
    }

    /// The finished samples that were not taken before.
    pub fn take(&mut self) -> Vec<f32> {
        self.taken += self.done.len();
        std::mem::take(&mut self.done)
    }

    /// Seconds of input so far.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Adds interleaved samples; the output is the mean of the channels.
    pub fn push(
        &mut self,
        interleaved: &[f32],
        channels: usize,
        rate: usize,
    ) -> Result<(), String> {
        if channels == 0 || !RATES.contains(&rate) {
            return Err(format!("{channels} channels at {rate} samples a second"));
        }
        let scale = 1.0 / channels as f32;
        let mono = interleaved
            .chunks_exact(channels)
            .map(|frame| clean(frame.iter().sum::<f32>() * scale));
        self.seconds += (interleaved.len() / channels) as f64 / rate as f64;
        if self.converter.as_ref().is_some_and(|c| c.rate != rate) {
            self.flush()?;
        }
        if rate == SAMPLE_RATE {
            self.done.extend(mono);
            return Ok(());
        }
        let converter = match &mut self.converter {
            Some(converter) => converter,
            none => none.insert(Converter::new(rate)?),
        };
        converter.waiting.extend(mono);
        converter.owed += (interleaved.len() / channels) as f64 * SAMPLE_RATE as f64 / rate as f64;
        converter.run(&mut self.done)
    }

    /// Adds silence at the rate of the audio around it.
    pub fn push_silence(&mut self, seconds: f64) {
        let rate = self.converter.as_ref().map_or(SAMPLE_RATE, |c| c.rate);
        let second = vec![0.0; rate];
        let mut left = (seconds * rate as f64).round() as usize;
        while left > 0 {
            let now = left.min(rate);
            // The rate was accepted before, so that this cannot fail.
            self.push(&second[..now], 1, rate).unwrap_or_default();
            left -= now;
        }
    }

    /// The remaining samples, after the last input.
    pub fn finish(mut self) -> Result<Vec<f32>, String> {
        self.flush()?;
        Ok(self.done)
    }

    fn flush(&mut self) -> Result<(), String> {
        match self.converter.take() {
            Some(converter) => converter.finish(&mut self.done),
            None => Ok(()),
        }
    }
}

impl Converter {
    fn new(rate: usize) -> Result<Self, String> {
        let fft = Fft::<f32>::new(rate, SAMPLE_RATE, CHUNK, 1, FixedSync::Input)
            .map_err(|e| e.to_string())?;
        let skip = fft.output_delay();
        Ok(Self {
            rate,
            fft,
            waiting: Vec::new(),
            skip,
            owed: 0.0,
            given: 0,
        })
    }

    fn run(&mut self, out: &mut Vec<f32>) -> Result<(), String> {
        let mut used = 0;
        while self.waiting.len() - used >= self.fft.input_frames_next() {
            let take = self.fft.input_frames_next();
            let block = self.block(used, take, None)?;
            used += take;
            self.give(&block, out);
        }
        self.waiting.drain(..used);
        Ok(())
    }

    fn block(
        &mut self,
        from: usize,
        frames: usize,
        partial: Option<usize>,
    ) -> Result<Vec<f32>, String> {
        let mut output = vec![0.0; self.fft.output_frames_next()];
        let size = output.len();
        let input = SequentialSlice::new(&self.waiting[from..from + frames], 1, frames)
            .map_err(|e| e.to_string())?;
        let mut target =
            SequentialSlice::new_mut(&mut output, 1, size).map_err(|e| e.to_string())?;
        let indexing = partial.map(|frames| Indexing::new().partial_len(frames));
        let (_, written) = self
            .fft
            .process_into_buffer(&input, &mut target, indexing.as_ref())
            .map_err(|e| e.to_string())?;
        output.truncate(written);
        Ok(output)
    }

    fn give(&mut self, block: &[f32], out: &mut Vec<f32>) {
        let skipped = self.skip.min(block.len());
        self.skip -= skipped;
        out.extend(block[skipped..].iter().map(|&s| clean(s)));
        self.given += block.len() - skipped;
    }

    fn finish(mut self, out: &mut Vec<f32>) -> Result<(), String> {
        let owed = self.owed.round() as usize;
        let rest = self.waiting.len();
        let block = self.block(0, rest, Some(rest))?;
        self.give(&block, out);
        self.waiting.clear();
        while self.given < owed {
            let block = self.block(0, 0, Some(0))?;
            self.give(&block, out);
        }
        // Samples too many came with the last block, which was not taken yet.
        out.truncate(out.len() - (self.given - owed).min(out.len()));
        Ok(())
    }
}

/// Decoders may overshoot or, on broken files, yield no numbers at all.
fn clean(sample: f32) -> f32 {
    if sample.is_finite() {
        sample.clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_stays_where_it_was() {
        for rate in [8_000, 22_050, 44_100, 48_000] {
            let mut input = vec![0.0f32; rate * 2];
            for sample in &mut input[rate..rate + rate / 100] {
                *sample = 0.8;
            }
            let mut out = ToMono16k::default();
            let mut sound = Vec::new();
            for chunk in input.chunks(1152) {
                out.push(chunk, 1, rate).expect("a usual rate");
                sound.extend(out.take());
            }
            sound.extend(out.finish().expect("a usual rate"));
            assert_eq!(sound.len(), 2 * SAMPLE_RATE, "{rate}");
            let from = sound.iter().position(|s| s.abs() > 0.4).expect("the click");
            assert!(from.abs_diff(SAMPLE_RATE) < 16, "{rate}: {from}");
        }
    }

    #[test]
    fn channels_are_averaged_and_bad_numbers_silenced() {
        let mut out = ToMono16k::default();
        out.push(&[1.0, 0.0, f32::NAN, 0.0], 2, SAMPLE_RATE)
            .expect("a usual rate");
        assert_eq!(out.finish().expect("a usual rate"), [0.5, 0.0]);
    }
}
