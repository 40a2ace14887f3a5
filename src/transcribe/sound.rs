//! A recording's sound: 16 kHz, one channel, on disk and not in memory, so that ten hours take no
//! more room than one. The file has no name: it is gone when nobody reads it any more, however the
//! program ends.

use std::{
    fs::File,
    io::{BufWriter, Read as _, Result, Seek as _, SeekFrom, Write as _},
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::data::Ms;

/// Samples a second that Whisper and the voice detector expect.
pub const RATE: usize = 16_000;

/// Full scale of a stored sample.
const SCALE: f32 = 32_767.0;
/// Bytes of a stored sample.
const WIDTH: usize = 2;

/// A decoded recording.
#[derive(Debug)]
pub struct Sound {
    file: Mutex<File>,
    length: usize,
    /// Packets that could not be decoded; silence stands in for them.
    pub broken_packets: usize,
    /// Whether reading ended in the middle of something, or without the mark that ends a complete
    /// recording.
    pub unfinished: bool,
}

impl Sound {
    /// Samples in all.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Length in seconds.
    pub fn seconds(&self) -> f64 {
        self.length as f64 / RATE as f64
    }

    /// The samples of `range`, between -1 and 1.
    pub fn read(&self, range: &Range<usize>) -> Result<Vec<f32>> {
        let mut bytes = vec![0; range.len() * WIDTH];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start((range.start * WIDTH) as u64))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes
            .chunks_exact(WIDTH)
            .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / SCALE)
            .collect())
    }

    /// The whole sound, so many samples at a time; the last part may be shorter.
    pub fn parts(&self, size: usize) -> impl Iterator<Item = Result<Vec<f32>>> {
        (0..self.length)
            .step_by(size)
            .map(move |from| self.read(&(from..(from + size).min(self.length))))
    }
}

/// Sound that is still being decoded.
pub struct Spool {
    out: BufWriter<File>,
    length: usize,
}

impl Spool {
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

    /// Adds samples as they are stored: 16 bits each, little-endian.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() / WIDTH;
        self.out.write_all(bytes)
    }

    /// Adds samples between -1 and 1.
    #[cfg(test)]
    pub fn add(&mut self, samples: &[f32]) -> Result<()> {
        self.add_bytes(&stored(samples))
    }

    /// The sound, complete.
    pub fn finish(self, broken_packets: usize, unfinished: bool) -> Result<Sound> {
        let file = self
            .out
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        Ok(Sound {
            file: Mutex::new(file),
            length: self.length,
            broken_packets,
            unfinished,
        })
    }
}

/// When a sample is heard.
pub fn at(sample: usize) -> Ms {
    Ms(((sample * 1000 + RATE / 2) / RATE) as u64)
}

/// Samples between -1 and 1 as they are stored.
pub fn stored(samples: &[f32]) -> Vec<u8> {
    samples
        .iter()
        .flat_map(|s| ((s * SCALE).round() as i16).to_le_bytes())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_in_any_parts() {
        let mut spool = Spool::new().expect("a temporary file");
        let samples: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0 - 0.5).collect();
        samples
            .chunks(7)
            .for_each(|part| spool.add(part).expect("written"));
        let sound = spool.finish(0, false).expect("flushed");
        let parts: Vec<f32> = sound
            .parts(333)
            .flat_map(|part| part.expect("read"))
            .collect();
        assert_eq!(parts, sound.read(&(0..1000)).expect("read"));
        assert!(
            parts
                .iter()
                .zip(&samples)
                .all(|(a, b)| (a - b).abs() < 0.5 / SCALE + 1e-6)
        );
        assert_eq!(stored(&[-1.0, 1.0]), [1, 128, 255, 127]);
    }
}
