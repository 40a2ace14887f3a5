//! The journal of a transcription: what is known so far of a recording, beside its
//! transcript-to-be. Each step adds a line when it is done, and a run that was killed goes on from
//! there. The file is removed when the transcript is saved.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    data::id::sha256_hex,
    files::{self, Locking},
};

/// Time between two synchronisations with the disk: the work that a machine without power may lose.
/// A program that is killed loses none.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// Hexadecimal digits of a line's checksum.
const CHECKSUM_DIGITS: usize = 8;

/// A step and its result.
#[derive(Serialize, Deserialize)]
struct Entry<K, V> {
    step: K,
    // The name that journals of earlier versions use.
    #[serde(rename = "gave")]
    result: V,
}

/// An open journal.
pub struct Journal {
    path: PathBuf,
    file: fs_err::File,
    known: BTreeMap<String, Value>,
    synced: Instant,
}

impl Journal {
    /// Opens the journal at `path`. It starts anew if it belongs to another `subject`: recording,
    /// model, language or parameters. A last line that was cut off is removed. The file stays
    /// locked while it is open: another program, here or on another machine, gets
    /// [`std::io::ErrorKind::WouldBlock`].
    pub fn open(path: &Path, subject: &Value) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = files::open_own(path)?;
        // Where the file system has no locks we go without: two who work on the same recording do
        // so twice, each line has its checksum, and both write the same transcript.
        if files::locking(file.file().try_lock())? == Locking::Held {
            return Err(ErrorKind::WouldBlock.into());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let head = line(&subject.to_string());
        let (known, valid) = if bytes.starts_with(head.as_bytes()) {
            read(&bytes, head.len())
        } else {
            (BTreeMap::new(), 0)
        };
        file.set_len(valid as u64)?;
        file.seek(SeekFrom::Start(valid as u64))?;
        if valid == 0 {
            file.write_all(head.as_bytes())?;
        }
        Ok(Self {
            path: path.into(),
            file,
            known,
            synced: Instant::now(),
        })
    }

    /// The result of a step that an earlier run finished.
    pub fn get<V: DeserializeOwned>(&self, step: &str) -> Option<V> {
        self.known
            .get(step)
            .and_then(|result| V::deserialize(result).ok())
    }

    /// Writes the result of a step.
    pub fn add<V: Serialize>(&mut self, step: &str, result: &V) -> Result<()> {
        let text = serde_json::to_string(&Entry { step, result }).map_err(std::io::Error::other)?;
        // One write, so that a kill leaves a whole line or a part of the last one.
        self.file.write_all(line(&text).as_bytes())?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Removes the file, once the transcript is saved.
    pub fn remove(self) -> Result<()> {
        fs_err::remove_file(self.path)
    }
}

/// A line of the journal: a checksum and a text.
fn line(text: &str) -> String {
    format!(
        "{} {text}\n",
        &sha256_hex(text.as_bytes())[..CHECKSUM_DIGITS]
    )
}

/// The results in all valid lines from byte `head` on, and the byte where the last of them ends.
fn read(bytes: &[u8], head: usize) -> (BTreeMap<String, Value>, usize) {
    let mut known = BTreeMap::new();
    let mut valid = head;
    for line in bytes[head..].split_inclusive(|b| *b == b'\n') {
        let Some(entry) = parse(line) else { break };
        known.insert(entry.step, entry.result);
        valid += line.len();
    }
    (known, valid)
}

/// An entry; none where the line is cut off or damaged.
fn parse(line: &[u8]) -> Option<Entry<String, Value>> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (checksum, text) = text.split_at_checked(CHECKSUM_DIGITS)?;
    let text = text.strip_prefix(' ')?;
    if checksum != &sha256_hex(text.as_bytes())[..CHECKSUM_DIGITS] {
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
        for (step, result) in &steps {
            journal.add(step, result).expect("kept");
        }
        assert_eq!(
            open(1).err().expect("held by the first").kind(),
            ErrorKind::WouldBlock
        );
        drop(journal);
        let whole = std::fs::read(&path).expect("there");
        let recalled = |journal: &Journal, step: &str| journal.get::<(String, f64)>(step);
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let mut journal = open(1).expect("opened");
            let there = steps
                .iter()
                .filter(|(step, _)| recalled(&journal, step).is_some())
                .count();
            let lines = String::from_utf8_lossy(&whole[..cut]).matches('\n').count();
            assert_eq!(there, lines.saturating_sub(1), "cut at {cut}");
            for (step, result) in steps.iter().skip(there) {
                journal.add(step, result).expect("kept");
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
