//! A look at each recording before any is transcribed: what is done, what is another machine's, and
//! how long the others are, so that the longest are begun first and the time left is known.

use std::{cmp::Reverse, path::Path};

use super::{error::TranscribeError, media::Decoder, options::Options, sidecar::SidecarError};
use crate::{data::SeminarId, files};

/// Bytes a second of a recording that does not state its length: a guess for the order alone.
const USUAL_BYTES: f64 = 16_000.0;
/// Bytes from which on a recording is asked for its length. Of a smaller one the guess is near
/// enough: the process that reads the length takes as long as the one that decodes it.
const ASKED_FROM: u64 = 1 << 20;

/// What is to be done with a recording.
pub enum Surveyed {
    /// Nothing: its transcript is there.
    Before,
    /// Nothing: it belongs to another shard.
    OtherShard,
    /// Nothing: it was forgotten, and is not taken in again.
    Forgotten(SeminarId),
    /// Nothing can be done.
    Failed(TranscribeError),
    /// Its sidecar cannot be used.
    BadSidecar(SidecarError),
    /// It is transcribed.
    Todo(Box<Todo>),
}

/// A recording that is transcribed.
pub struct Todo {
    /// The options, with those of its sidecar.
    pub options: Options,
    /// Why.
    pub reason: &'static str,
    /// Its length, as far as it is known without decoding.
    pub seconds: f64,
}

impl Surveyed {
    /// The length of the sound that is to be transcribed.
    pub fn seconds(&self) -> f64 {
        match self {
            Self::Todo(todo) => todo.seconds,
            _ => 0.0,
        }
    }
}

/// The places of the recordings, those to be transcribed last and the longest of them first: at the
/// end no worker waits for a long one that was begun late.
pub fn longest_first(found: &[Surveyed]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..found.len()).collect();
    places.sort_by_key(|&place| match &found[place] {
        Surveyed::Todo(todo) => (1, Reverse((todo.seconds * 1000.0) as u64)),
        _ => (0, Reverse(0)),
    });
    places
}

/// The length of a recording in seconds, as far as it is known without decoding.
pub fn seconds(decoder: &Decoder, path: &Path) -> Result<f64, TranscribeError> {
    let (bytes, _) = files::stamp(path)?;
    let guess = bytes as f64 / USUAL_BYTES;
    if bytes < ASKED_FROM {
        return Ok(guess);
    }
    // What is wrong with the file is found, and said, when it is decoded.
    let stated = decoder.stated_seconds(path);
    Ok(stated.ok().flatten().unwrap_or(guess))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_begun_first() {
        let todo = |seconds| {
            let (options, reason) = (Options::default(), "no transcript yet");
            Surveyed::Todo(Box::new(Todo {
                options,
                reason,
                seconds,
            }))
        };
        let found = [
            todo(3.0),
            Surveyed::Before,
            todo(60.5),
            todo(60.6),
            Surveyed::OtherShard,
        ];
        assert_eq!(longest_first(&found), [1, 4, 3, 2, 0]);
    }
}
