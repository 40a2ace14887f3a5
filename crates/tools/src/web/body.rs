//! A response's body, unpacked as a stream up to a limit, so that neither an endless page nor a
//! decompression bomb fills the memory.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use reqwest::{
    Response,
    header::{self, HeaderValue},
};

use super::{FetchError, error::quoted};

/// Bytes that a body may unpack into at any ratio: short repetitive pages are no attack.
const INNOCENT: usize = 1 << 20;
/// Largest ratio above that. Deflate reaches 1032, HTML some 10.
const RATIO: usize = 100;

/// Reads the body to its end, at most `limit` unpacked bytes. What was read is in `bytes` after a
/// failure, too.
pub async fn read(
    mut response: Response,
    limit: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), FetchError> {
    let packed = is_packed(&response)?;
    let mut body = Body::new(
        packed,
        Limited {
            bytes,
            received: 0,
            limit,
        },
    );
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| FetchError::lost(&error))?
    {
        body.take(&piece).map_err(damage)?;
    }
    body.end().map_err(damage)
}

/// Whether the body is gzip, the one encoding that is asked for.
fn is_packed(response: &Response) -> Result<bool, FetchError> {
    let named = response.headers().get_all(header::CONTENT_ENCODING).iter();
    let named: Vec<_> = named.map(HeaderValue::as_bytes).collect();
    match named.join(&b", "[..]).to_ascii_lowercase().as_slice() {
        b"" | b"identity" => Ok(false),
        b"gzip" | b"x-gzip" => Ok(true),
        other => Err(FetchError::Encoding {
            what: quoted(&String::from_utf8_lossy(other)),
        }),
    }
}

enum Body<'a> {
    Plain(Limited<'a>),
    Gzip(Box<MultiGzDecoder<Limited<'a>>>),
}

impl<'a> Body<'a> {
    fn new(packed: bool, into: Limited<'a>) -> Self {
        if packed {
            Self::Gzip(Box::new(MultiGzDecoder::new(into)))
        } else {
            Self::Plain(into)
        }
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.unpacked().received += piece.len();
        match self {
            Self::Plain(into) => into.write_all(piece),
            Self::Gzip(decoder) => decoder.write_all(piece),
        }?;
        // A body may be endless and unpack into nothing.
        let into = self.unpacked();
        if into.received > into.limit {
            Err(into.too_large())
        } else {
            Ok(())
        }
    }

    fn unpacked(&mut self) -> &mut Limited<'a> {
        match self {
            Self::Plain(into) => into,
            Self::Gzip(decoder) => decoder.get_mut(),
        }
    }

    fn end(self) -> io::Result<()> {
        match self {
            // Some servers call a body packed that is not there.
            Self::Gzip(decoder) if decoder.get_ref().received > 0 => decoder.finish().map(drop),
            _ => Ok(()),
        }
    }
}

/// A writer of unpacked bytes that refuses too many.
struct Limited<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bytes before unpacking.
    received: usize,
    limit: usize,
}

impl Limited<'_> {
    fn too_large(&self) -> io::Error {
        io::Error::other(FetchError::TooLarge { limit: self.limit })
    }
}

impl Write for Limited<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let unpacked = self.bytes.len() + piece.len();
        if unpacked > INNOCENT && unpacked > self.received.saturating_mul(RATIO) {
            return Err(io::Error::other(FetchError::Bomb {
                received: self.received,
                unpacked,
            }));
        }
        let room = self.limit - self.bytes.len();
        self.bytes
            .extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            Err(self.too_large())
        } else {
            Ok(piece.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Our own refusal comes back out of the decoder; anything else is about the data.
fn damage(error: io::Error) -> FetchError {
    error
        .downcast::<FetchError>()
        .unwrap_or_else(|error| FetchError::Encoding {
            what: quoted(&error.to_string()),
        })
}
