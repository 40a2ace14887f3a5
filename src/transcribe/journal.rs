//! What is known so far of a recording, beside its transcript-to-be: a line for each step, written
//! when it is done. A killed run goes on from there. The file is removed when the transcript is
//! saved.

use std::{
    collections::BTreeMap,
    fs::TryLockError,
    io::{ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::data::id::sha256_hex;

/// A machine that loses its power loses at most this much work; a killed program loses none.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// Hexadecimal digits of a line's checksum.
const DIGITS: usize = 8;

/// A step with what came of it.
#[derive(Serialize, Deserialize)]
struct Line<K, V> {
    step: K,
    gave: V,
}

/// The file, open for adding.
pub struct Journal {
    path: PathBuf,
    file: fs_err::File,
    known: BTreeMap<String, Value>,
    synced: Instant,
}

impl Journal {
    /// Opens the file at `path`, or begins it anew where it is of anything else than `what`:
    /// another recording, model, language or parameter. A last line that was cut off is removed.
    /// The file is locked as long as it is open: another program, here or on another machine, gets
    /// [`std::io::ErrorKind::WouldBlock`].
    pub fn open(path: &Path, what: &Value) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = fs_err::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.file().try_lock() {
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
            // A file system without locks goes without.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let head = line(&what.to_string());
        let (known, whole) = if bytes.starts_with(head.as_bytes()) {
            read(&bytes, head.len())
        } else {
            (BTreeMap::new(), 0)
        };
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::Start(whole as u64))?;
        if whole == 0 {
            file.write_all(head.as_bytes())?;
        }
        Ok(Self {
            path: path.into(),
            file,
            known,
            synced: Instant::now(),
        })
    }

    /// What came of `step`, if it was done.
    pub fn recall<V: DeserializeOwned>(&self, step: &str) -> Option<V> {
        self.known
            .get(step)
            .and_then(|gave| V::deserialize(gave).ok())
    }

    /// Writes down what came of `step`.
    pub fn keep<V: Serialize>(&mut self, step: &str, gave: &V) -> Result<()> {
        let text = serde_json::to_string(&Line { step, gave }).map_err(std::io::Error::other)?;
        // One write, so that a kill leaves a whole line or a part of the last one.
        self.file.write_all(line(&text).as_bytes())?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// The transcript is saved: nothing is left to go on from.
    pub fn remove(self) -> Result<()> {
        fs_err::remove_file(self.path)
    }
}

fn line(text: &str) -> String {
    format!("{} {text}\n", &sha256_hex(text.as_bytes())[..DIGITS])
}

/// The steps of all lines from `head` on that are whole, and where the last of those ends.
fn read(bytes: &[u8], head: usize) -> (BTreeMap<String, Value>, usize) {
    let mut known = BTreeMap::new();
    let mut whole = head;
    for part in bytes[head..].split_inclusive(|b| *b == b'\n') {
        let Some(parsed) = parse(part) else { break };
        known.insert(parsed.step, parsed.gave);
        whole += part.len();
    }
    (known, whole)
}

fn parse(part: &[u8]) -> Option<Line<String, Value>> {
    let text = std::str::from_utf8(part.strip_suffix(b"\n")?).ok()?;
    let (sum, text) = text.split_at_checked(DIGITS)?;
    let text = text.strip_prefix(' ')?;
    if sum != &sha256_hex(text.as_bytes())[..DIGITS] {
        return None;
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_lines_come_back_and_the_rest_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/talk.journal");
        let open = |media: u32| Journal::open(&path, &json!({ "media": media }));
        let steps: Vec<(String, (String, f64))> = (0..3)
            .map(|n| (format!("step {n}"), (format!("line\n{n}"), 0.873)))
            .collect();
        let mut journal = open(1).expect("new");
        for (step, gave) in &steps {
            journal.keep(step, gave).expect("kept");
        }
        assert_eq!(
            open(1).err().expect("held by the first").kind(),
            ErrorKind::WouldBlock
        );
        drop(journal);
        let whole = std::fs::read(&path).expect("there");
        let recalled = |journal: &Journal, step: &str| journal.recall::<(String, f64)>(step);
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let mut journal = open(1).expect("opened");
            let there = steps
                .iter()
                .filter(|(step, _)| recalled(&journal, step).is_some())
                .count();
            let lines = String::from_utf8_lossy(&whole[..cut]).matches('\n').count();
            assert_eq!(there, lines.saturating_sub(1), "cut at {cut}");
            for (step, gave) in steps.iter().skip(there) {
                journal.keep(step, gave).expect("kept");
            }
            assert_eq!(std::fs::read(&path).expect("there"), whole, "cut at {cut}");
        }
        let journal = open(1).expect("opened");
        assert_eq!(recalled(&journal, "step 2").as_ref(), Some(&steps[2].1));
        drop(journal);
        let other = open(2).expect("begun anew");
        assert_eq!(recalled(&other, "step 2"), None);
        other.remove().expect("removed");
        assert!(!path.exists());
    }
}
