//! The bytes of a stream within a document, as long as they are not too many.

use hayro_syntax::object::Stream;

/// Bytes of a map or a font program that are looked at.
const LONGEST: usize = 4_000_000;

/// The bytes of a map or a font program; none where they are too many.
pub fn decoded(stream: &Stream) -> Vec<u8> {
    let short = stream.raw_data().len() <= LONGEST;
    short
        .then(|| stream.decoded_data().ok())
        .flatten()
        .unwrap_or_default()
        .into_owned()
}
