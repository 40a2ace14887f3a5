//! Whether a file would unpack to far more than a document holds. The reader unpacks whole streams
//! into memory, so that a few kilobytes of zeros could ask for gigabytes; this looks first, and
//! keeps nothing.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

/// Bytes that one stream may unpack to.
const LARGEST: usize = 100_000_000;
/// A stream that grows by more than this counts …
const SUSPECT_GROWTH: usize = 200;
/// … and all such streams together may have so many bytes.
const LARGEST_SUM: usize = 300_000_000;
/// Streams packed in streams that are followed.
const DEPTH: usize = 3;

/// Whether the file is a bomb.
pub fn is_one(bytes: &[u8]) -> bool {
    let mut sum = 0;
    let mut rest = bytes;
    while let Some(at) = find(rest, b"stream") {
        rest = &rest[at + b"stream".len()..];
        let line_ends = rest
            .iter()
            .take(2)
            .take_while(|b| matches!(b, b'\r' | b'\n'))
            .count();
        let Some(size) = unpacked(&rest[line_ends..], DEPTH) else {
            return true;
        };
        sum += size;
        if sum > LARGEST_SUM {
            return true;
        }
    }
    false
}

/// The bytes that a stream unpacks to if they are suspiciously many, else nothing; `None` beyond
/// the limit.
fn unpacked(packed: &[u8], depth: usize) -> Option<usize> {
    if !is_zlib(packed) || depth == 0 {
        return Some(0);
    }
    let mut decoder = ZlibDecoder::new(packed);
    let mut buffer = [0; 16_384];
    let (mut size, mut inner) = (0, Vec::new());
    // A damaged stream ends where it is damaged; the reader goes no further either.
    while let Ok(read @ 1..) = decoder.read(&mut buffer) {
        size += read;
        if is_zlib(&buffer) && size == read || !inner.is_empty() {
            inner.extend_from_slice(&buffer[..read]);
        }
        if size > LARGEST {
            return None;
        }
    }
    let grown = if size / SUSPECT_GROWTH > decoder.total_in() as usize {
        size
    } else {
        0
    };
    Some(grown + unpacked(&inner, depth - 1)?)
}

fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::ZlibEncoder};

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("into memory");
        encoder.finish().expect("into memory")
    }

    fn file(streams: &[Vec<u8>]) -> Vec<u8> {
        let wrapped = streams
            .iter()
            .map(|stream| [b"<<>> stream\r\n", stream.as_slice(), b"\nendstream "].concat());
        [b"%PDF-1.4 ".to_vec()]
            .into_iter()
            .chain(wrapped)
            .collect::<Vec<_>>()
            .concat()
    }

    #[test]
    fn one_that_grows_too_far() {
        let zeros = packed(&vec![0; LARGEST + 1]);
        assert!(is_one(&file(std::slice::from_ref(&zeros))));
        assert!(is_one(&file(&[packed(&zeros)])), "packed twice");
        assert!(
            !is_one(&file(&[zeros[..zeros.len() / 2].to_vec()])),
            "what is cut off unpacks to nothing"
        );
    }

    #[test]
    fn many_that_grow_far() {
        let zeros = packed(&vec![0; LARGEST / 2]);
        assert!(!is_one(&file(&vec![zeros.clone(); 5])));
        assert!(is_one(&file(&vec![zeros; 7])));
    }

    #[test]
    fn honest_streams() {
        let text: Vec<u8> = (0..200_000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        assert!(!is_one(&file(&[packed(&text), text, Vec::new()])));
        assert!(!is_one(b""));
    }
}
