//! WAV files with an unknown length: a recorder that was killed, or one that wrote into a pipe,
//! leaves a length of zero or of the largest number in the header. They are read to their end.

use std::{
    fs::File,
    io::{Read, Result, Seek, SeekFrom},
    ops::RangeInclusive,
    path::Path,
};

use symphonia::core::io::MediaSource;

/// Lengths that recorders write while they do not know the real one, beside 0: about the largest
/// number, signed or not.
const UNKNOWN: [RangeInclusive<u32>; 2] = [0x7fff_f000..=0x8000_0000, 0xffff_f000..=u32::MAX];
/// Most chunks before the audio that are read.
const MAX_CHUNKS: usize = 64;

/// A file that is read as if its header had the right lengths.
pub struct RepairedWav {
    file: File,
    at: u64,
    length: u64,
    /// Bytes in place of the file's own, by their position.
    repairs: Vec<(u64, [u8; 4])>,
}

impl RepairedWav {
    /// The file at `path`; a file of any other kind is read as it is.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = fs_err::File::open(path)?.into_file();
        let length = file.metadata()?.len();
        let repairs = match unknown_length(&mut file, length) {
            Ok(Some(at)) => vec![
                (4, length_bytes(length - 8)),
                (at, length_bytes(length - at - 4)),
            ],
            // Whether a file is a recording at all is found out later.
            Ok(None) | Err(_) => Vec::new(),
        };
        file.seek(SeekFrom::Start(0))?;
        Ok(Self {
            file,
            at: 0,
            length,
            repairs,
        })
    }

    /// Whether the header had no length.
    pub fn had_unknown_length(&self) -> bool {
        !self.repairs.is_empty()
    }
}

/// A length as the header has it; no WAV can state more than 4 GB.
fn length_bytes(length: u64) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// The position of the audio's length in the header of a WAV, if that length is unknown.
fn unknown_length(file: &mut File, length: u64) -> Result<Option<u64>> {
    let mut head = [0; 12];
    file.read_exact(&mut head)?;
    if !head.starts_with(b"RIFF") || !head.ends_with(b"WAVE") {
        return Ok(None);
    }
    let mut at = 12;
    for _ in 0..MAX_CHUNKS {
        let mut chunk = [0; 8];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut chunk)?;
        let [a, b, c, d, size @ ..] = chunk;
        let (size, left) = (u32::from_le_bytes(size), length.saturating_sub(at + 8));
        if &[a, b, c, d] == b"data" {
            let too_long =
                u64::from(size) > left && UNKNOWN.iter().any(|sizes| sizes.contains(&size));
            // A length of 0 is real where one more chunk follows: an empty recording with metadata.
            let is_unknown = too_long || size == 0 && left > 0 && !is_last_chunk(file, left)?;
            return Ok(is_unknown.then_some(at + 4));
        }
        // Chunks are padded to an even length, which their size does not count.
        at += 8 + u64::from(size).next_multiple_of(2);
    }
    Ok(None)
}

/// Whether the rest of the file is one more chunk, and no audio.
fn is_last_chunk(file: &mut File, left: u64) -> Result<bool> {
    let mut chunk = Vec::new();
    file.take(8).read_to_end(&mut chunk)?;
    let [.., a, b, c, d] = chunk[..] else {
        return Ok(false);
    };
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    Ok(chunk.len() == 8 && (left.saturating_sub(9)..=left.saturating_sub(8)).contains(&size))
}

impl Read for RepairedWav {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let got = self.file.read(out)?;
        for (place, bytes) in &self.repairs {
            for (i, byte) in (*place..).zip(bytes) {
                if (self.at..self.at + got as u64).contains(&i) {
                    out[(i - self.at) as usize] = *byte;
                }
            }
        }
        self.at += got as u64;
        Ok(got)
    }
}

impl Seek for RepairedWav {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

impl MediaSource for RepairedWav {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.length)
    }
}
