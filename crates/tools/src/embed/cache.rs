//! The cache of vectors: a file keeps them by the hashes of model and text, and may be deleted at
//! any time. Hides its layout, what a killed process left half written, and a second process that
//! writes.

use std::{
    collections::HashMap,
    fs::File,
    io::{Seek as _, SeekFrom, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result, anyhow};
use sha2::{Digest as _, Sha256};

use super::encoder::{Encoder, WIDTH};
use crate::files;

/// The file's magic, before the model's hash: to be raised when vectors change.
const MAGIC: &[u8; 16] = b"taskgen-vectors1";
const HASH: usize = 32;
const HEADER: usize = MAGIC.len() + HASH;
const RECORD: usize = HASH + 4 * WIDTH;
/// Texts that are encoded before their vectors are written.
const BATCH: usize = 250;
const THREADS: usize = 2;

type Hash = [u8; HASH];

/// The vectors of `texts` by the model in the file `model` with this sha256. Those that `cache`
/// does not know are computed and added to it; a cache that cannot be written, or is being written
/// by another process, is done without. `progress` hears how many of how many are done.
pub fn vectors(
    model: &Path,
    sha256: &str,
    texts: &[&str],
    cache: &Path,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<Vec<f32>>> {
    let mut header = MAGIC.to_vec();
    header.extend(
        data_encoding::HEXLOWER_PERMISSIVE
            .decode(sha256.as_bytes())
            .context("the model's hash")?,
    );
    let mut known = read(&stored(cache).unwrap_or_default(), &header);
    let hashes: Vec<Hash> = texts
        .iter()
        .map(|text| Sha256::digest(text).into())
        .collect();
    let mut missing: Vec<(Hash, &str)> =
        hashes.iter().copied().zip(texts.iter().copied()).collect();
    missing.retain(|(hash, _)| !known.contains_key(hash));
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        let encoder = Encoder::load(model)?;
        let mut file = open(cache, &header);
        for (done, batch) in missing.chunks(BATCH).enumerate() {
            progress(done * BATCH, missing.len());
            let new = encode(&encoder, batch)?;
            let bytes: Vec<u8> = new
                .iter()
                .flat_map(|(hash, vector)| record(hash, vector))
                .collect();
            // What cannot be kept is computed again next time.
            file = file.filter(|mut file| file.write_all(&bytes).is_ok());
            known.extend(new);
        }
    }
    Ok(hashes.iter().map(|hash| known[hash].clone()).collect())
}

fn encode_in_turn(encoder: &Encoder, texts: &[(Hash, &str)]) -> Vec<(Hash, Vec<f32>)> {
    texts
        .iter()
        .map(|(hash, text)| (*hash, encoder.encode(text)))
        .collect()
}

/// The vectors of a batch, computed on two threads.
fn encode(encoder: &Encoder, batch: &[(Hash, &str)]) -> Result<Vec<(Hash, Vec<f32>)>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = batch
            .chunks(batch.len().div_ceil(THREADS).max(1))
            .map(|texts| scope.spawn(move || encode_in_turn(encoder, texts)))
            .collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(
                thread
                    .join()
                    .map_err(|_| anyhow!("a text could not be encoded"))?,
            );
        }
        Ok(all)
    })
}

fn record(hash: &Hash, vector: &[f32]) -> Vec<u8> {
    hash.iter()
        .copied()
        .chain(vector.iter().flat_map(|x| x.to_le_bytes()))
        .collect()
}

/// The whole records of a file with this header; none of any other. What is no vector of unit
/// length is left out.
fn read(bytes: &[u8], header: &[u8]) -> HashMap<Hash, Vec<f32>> {
    let records = bytes.strip_prefix(header).unwrap_or_default();
    let (records, _) = records.as_chunks::<RECORD>();
    let read = records.iter().filter_map(|record| {
        let (hash, numbers) = record.split_first_chunk::<HASH>()?;
        let (numbers, _) = numbers.as_chunks::<4>();
        let vector: Vec<f32> = numbers
            .iter()
            .map(|number| f32::from_le_bytes(*number))
            .collect();
        let length: f32 = vector.iter().map(|x| x * x).sum();
        ((length - 1.0).abs() < 1e-3).then_some((*hash, vector))
    });
    read.collect()
}

/// The bytes of a cache that is a file: a project from elsewhere may have a link to a device there.
fn stored(path: &Path) -> Option<Vec<u8>> {
    files::refuse_link(path).ok()?;
    path.is_file().then(|| fs_err::read(path).ok()).flatten()
}

/// The file opened and locked for appending, without a foreign or broken rest; none where that
/// fails.
fn open(path: &Path, header: &[u8]) -> Option<File> {
    fs_err::create_dir_all(path.parent()?).ok()?;
    let (mut file, _) = files::open_own(path).ok()?.into_parts();
    // Another process writes, or may do so unseen: this one computes without adding, which costs
    // time and nothing else.
    if files::locking(file.try_lock()).ok()? != files::Locking::Taken {
        return None;
    }
    let bytes = stored(path)?;
    if let Some(records) = bytes.strip_prefix(header) {
        // A killed process may have left half a record at the end.
        file.set_len((HEADER + records.len() / RECORD * RECORD) as u64)
            .ok()?;
        file.seek(SeekFrom::End(0)).ok()?;
    } else {
        file.set_len(0).ok()?;
        file.write_all(header).ok()?;
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(model: u8) -> Vec<u8> {
        [MAGIC.as_slice(), &[model; HASH]].concat()
    }

    fn unit(at: usize) -> Vec<f32> {
        (0..WIDTH).map(|i| f32::from(i == at)).collect()
    }

    #[test]
    fn what_was_written_is_read_and_a_broken_end_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tasks/vectors.bin");
        let mut file = open(&path, &header(1)).expect("writable");
        file.write_all(&record(&[1; HASH], &unit(3)))
            .expect("writable");
        file.write_all(&record(&[2; HASH], &unit(4))[..RECORD - 1])
            .expect("writable");
        drop(file);
        let bytes = std::fs::read(&path).expect("readable");
        let known = read(&bytes, &header(1));
        assert_eq!((known.len(), &known[&[1; HASH]]), (1, &unit(3)));
        let mut file = open(&path, &header(1)).expect("writable");
        assert!(
            open(&path, &header(1)).is_none(),
            "two do not write at once"
        );
        file.write_all(&record(&[3; HASH], &unit(5)))
            .expect("writable");
        drop(file);
        let known = read(&std::fs::read(&path).expect("readable"), &header(1));
        assert_eq!((known.len(), &known[&[3; HASH]]), (2, &unit(5)));
    }

    #[test]
    fn another_model_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vectors.bin");
        let mut file = open(&path, &header(1)).expect("writable");
        file.write_all(&record(&[1; HASH], &unit(3)))
            .expect("writable");
        drop(file);
        assert!(read(&std::fs::read(&path).expect("readable"), &header(2)).is_empty());
        drop(open(&path, &header(2)).expect("writable"));
        assert_eq!(std::fs::read(&path).expect("readable"), header(2));
    }

    #[test]
    fn what_is_no_vector_is_left_out() {
        let long = vec![1.0; WIDTH];
        let nan = vec![f32::NAN; WIDTH];
        let bytes = [
            header(1),
            record(&[1; HASH], &long),
            record(&[2; HASH], &nan),
            record(&[3; HASH], &unit(0)),
        ]
        .concat();
        assert_eq!(
            read(&bytes, &header(1)).into_keys().collect::<Vec<_>>(),
            [[3; HASH]]
        );
        assert!(read(b"short", &header(1)).is_empty());
    }
}
