//! A look at each recording before any is transcribed: what is done, what is another machine's, and
//! how long the others are, so that the longest are begun first and the time left is known.

use std::cmp::Reverse;

use super::{
    batch::{Batch, BatchItem},
    error::TranscribeError,
    options::Options,
    output::{self, TranscriptStatus},
    parallel::for_each_in_order,
    sidecar::{Sidecar, SidecarError},
};
use crate::{data::SeminarId, files};

/// Bytes a second of a recording that does not state its length: a guess for the order alone.
const USUAL_BYTES: f64 = 16_000.0;

/// What is to be done with a recording.
pub enum Found {
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

impl Found {
    /// The length of the sound that is to be transcribed.
    pub fn seconds(&self) -> f64 {
        match self {
            Self::Todo(todo) => todo.seconds,
            _ => 0.0,
        }
    }
}

/// Looks at each of the recordings.
pub fn survey(batch: &Batch<'_>, items: &[BatchItem<'_>]) -> anyhow::Result<Vec<Found>> {
    let begin: Vec<usize> = (0..items.len()).collect();
    let mut all = Vec::new();
    let look = |item: &BatchItem<'_>| look(batch, item).unwrap_or_else(Found::Failed);
    let keep = |_: &BatchItem<'_>, found| {
        all.push(found);
        Ok(())
    };
    for_each_in_order(
        items,
        &begin,
        batch.engine.pool.size() + 1,
        look,
        |_| false,
        keep,
    )?;
    Ok(all)
}

/// The places of the recordings, those to be transcribed last and the longest of them first: at the
/// end no worker waits for a long one that was begun late.
pub fn longest_first(found: &[Found]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..found.len()).collect();
    places.sort_by_key(|&place| match &found[place] {
        Found::Todo(todo) => (1, Reverse((todo.seconds * 1000.0) as u64)),
        _ => (0, Reverse(0)),
    });
    places
}

fn look(batch: &Batch<'_>, item: &BatchItem<'_>) -> Result<Found, TranscribeError> {
    if let Some(seminar) = batch.forgotten_id(item)? {
        return Ok(Found::Forgotten(seminar));
    }
    if let Some(shard) = batch.shard
        && !shard.holds(&output::recording_sha256(item.transcripts, item.recording)?)
    {
        return Ok(Found::OtherShard);
    }
    let options = match Sidecar::read(item.recording) {
        Ok(sidecar) => sidecar.options(&batch.options),
        Err(error) => return Ok(Found::BadSidecar(error)),
    };
    let reason = match batch.status(item, &options)? {
        TranscriptStatus::Current(_) => return Ok(Found::Before),
        TranscriptStatus::Needed(reason) => reason,
    };
    // What is wrong with the file is found, and said, when it is decoded.
    let stated = batch.engine.decoder.stated_seconds(&item.recording.path);
    let seconds = match stated.ok().flatten() {
        Some(seconds) => seconds,
        None => files::stamp(&item.recording.path)?.0 as f64 / USUAL_BYTES,
    };
    Ok(Found::Todo(Box::new(Todo {
        options,
        reason,
        seconds,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_begun_first() {
        let todo = |seconds| {
            let (options, reason) = (Options::default(), "no transcript yet");
            Found::Todo(Box::new(Todo {
                options,
                reason,
                seconds,
            }))
        };
        let found = [
            todo(3.0),
            Found::Before,
            todo(60.5),
            todo(60.6),
            Found::OtherShard,
        ];
        assert_eq!(longest_first(&found), [1, 4, 3, 2, 0]);
    }
}
