//! Conversion of places in bytes to places in Unicode scalar values, many times in one text.

/// Bytes between two stored counts.
const STEP: usize = 256;

/// The counts of one text.
pub(super) struct Places<'a> {
    bytes: &'a [u8],
    /// Characters that begin before each multiple of [`STEP`].
    counts: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut counts = vec![0];
        for step in text.as_bytes().chunks(STEP) {
            counts.push(counts.last().unwrap_or(&0) + beginnings(step));
        }
        Self {
            bytes: text.as_bytes(),
            counts,
        }
    }

    /// How many characters begin before a byte of the text.
    pub(super) fn character(&self, byte: usize) -> usize {
        let step = byte / STEP;
        self.counts[step] + beginnings(&self.bytes[step * STEP..byte])
    }
}

/// Bytes that do not continue a character.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_across_steps() {
        let text = "a语é😀".repeat(100);
        let places = Places::new(&text);
        for (character, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(places.character(byte), character);
        }
        assert_eq!(places.character(text.len()), 400);
        assert_eq!(Places::new("").character(0), 0);
    }
}
