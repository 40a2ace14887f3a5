//! A recording's audio: 16 kHz, one channel, on disk and not in memory, so that ten hours take no
//! more memory than one. The file has no name: the system removes it when nobody reads it any more,
//! however the program ends.

use std::{
    fs::File,
    io::{BufWriter, Read as _, Result, Seek as _, SeekFrom, Write as _},
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::data::Ms;

/// Samples per second that Whisper and the voice detector expect.
pub const SAMPLE_RATE: usize = 16_000;

/// Full scale of a 16-bit sample.
const FULL_SCALE: f32 = 32_767.0;
/// Bytes of a 16-bit sample.
const SAMPLE_BYTES: usize = 2;

/// The decoded audio of a recording.
#[derive(Debug)]
pub struct Audio {
    file: Mutex<File>,
    length: usize,
    /// Packets that could not be decoded; silence stands in for them.
    pub broken_packets: usize,
    /// Whether the file ended in the middle of something, or without the mark that ends a complete
    /// recording.
    pub unfinished: bool,
}

impl Audio {
    /// Length in samples.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Length in seconds.
    pub fn seconds(&self) -> f64 {
        self.length as f64 / SAMPLE_RATE as f64
    }

    /// The samples of `range`, between -1 and 1.
    pub fn read(&self, range: &Range<usize>) -> Result<Vec<f32>> {
        let mut bytes = vec![0; range.len() * SAMPLE_BYTES];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start((range.start * SAMPLE_BYTES) as u64))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes
            .chunks_exact(SAMPLE_BYTES)
            .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / FULL_SCALE)
            .collect())
    }

    /// All samples in chunks of `size`; the last chunk may be shorter.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = Result<Vec<f32>>> {
        (0..self.length)
            .step_by(size)
            .map(move |from| self.read(&(from..(from + size).min(self.length))))
    }
}

/// Audio that is still being decoded.
pub struct AudioWriter {
    out: BufWriter<File>,
    length: usize,
}

impl AudioWriter {
    /// An empty one, in the system's folder for temporary files.
    pub fn new() -> Result<Self> {
        Ok(Self {
            out: BufWriter::with_capacity(1 << 16, tempfile::tempfile()?),
            length: 0,
        })
    }

    /// Samples so far.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Adds samples of 16 bits each, little-endian.
    pub fn write_pcm16(&mut self, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() / SAMPLE_BYTES;
        self.out.write_all(bytes)
    }

    /// Adds samples between -1 and 1.
    #[cfg(test)]
    pub fn write(&mut self, samples: &[f32]) -> Result<()> {
        self.write_pcm16(&pcm16(samples))
    }

    /// The complete audio.
    pub fn finish(self, broken_packets: usize, unfinished: bool) -> Result<Audio> {
        let file = self
            .out
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        Ok(Audio {
            file: Mutex::new(file),
            length: self.length,
            broken_packets,
            unfinished,
        })
    }
}

/// The time of a sample in the recording, rounded to milliseconds.
pub fn time_of(sample: usize) -> Ms {
    Ms(((sample * 1000 + SAMPLE_RATE / 2) / SAMPLE_RATE) as u64)
}

/// Samples between -1 and 1 as 16 bits each, little-endian.
pub fn pcm16(samples: &[f32]) -> Vec<u8> {
    samples
        .iter()
        .flat_map(|s| ((s * FULL_SCALE).round() as i16).to_le_bytes())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_back_in_chunks_of_any_size() {
        let mut writer = AudioWriter::new().expect("a temporary file");
        let samples: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0 - 0.5).collect();
        samples
            .chunks(7)
            .for_each(|part| writer.write(part).expect("written"));
        let audio = writer.finish(0, false).expect("flushed");
        let parts: Vec<f32> = audio
            .chunks(333)
            .flat_map(|part| part.expect("read"))
            .collect();
        assert_eq!(parts, audio.read(&(0..1000)).expect("read"));
        assert!(
            parts
                .iter()
                .zip(&samples)
                .all(|(a, b)| (a - b).abs() < 0.5 / FULL_SCALE + 1e-6)
        );
        assert_eq!(pcm16(&[-1.0, 1.0]), [1, 128, 255, 127]);
    }
}
