//! How far a running command is, for others to read: a file for each in `tasks/progress/`, which
//! the command holds locked. The kernel releases the lock when the command ends, however it ends;
//! who reads the file then removes it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// A file is written this often at most.
const EVERY: Duration = Duration::from_millis(250);
/// Characters of an item's name that are kept.
const ITEM: usize = 120;
/// Bytes of a file that are read.
const MOST: u64 = 8 * 1024;

/// How far a command is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The stage in hand, such as `rank`.
    pub stage: String,
    /// Units that are finished.
    pub done: u64,
    /// All units of the stage.
    pub total: u64,
    /// The unit in hand.
    pub item: String,
    /// Seconds since the stage began.
    pub seconds: f64,
}

/// A command that says how far it is.
pub struct Teller {
    file: File,
    path: PathBuf,
    progress: Progress,
    begun: Instant,
    told: Option<Instant>,
}

impl Teller {
    /// A file in `folder` for this process, which works on `stage`. None where none
    /// can be written: the command goes on without.
    pub fn begin(folder: &Path, stage: &str, total: u64) -> Option<Self> {
        std::fs::create_dir_all(folder).ok()?;
        let path = folder.join(format!("{}.json", std::process::id()));
        // Under another name until it is locked: who finds an unlocked one removes it.
        let begun = path.with_extension("begun");
        let file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .open(&begun)
            .ok()?;
        file.try_lock().ok()?;
        std::fs::rename(&begun, &path).ok()?;
        let mut teller = Self {
            file,
            path,
            progress: Progress {
                stage: stage.to_owned(),
                done: 0,
                total,
                item: String::new(),
                seconds: 0.0,
            },
            begun: Instant::now(),
            told: None,
        };
        teller.tell();
        Some(teller)
    }

    /// The unit in hand.
    pub fn working(&mut self, item: &str) {
        self.progress.item = item.chars().take(ITEM).collect();
        self.tell();
    }

    /// Units were finished.
    pub fn advance(&mut self, units: u64) {
        self.progress.done += units;
        self.tell();
    }

    fn tell(&mut self) {
        let is_last = self.progress.done >= self.progress.total;
        if !is_last && self.told.is_some_and(|told| told.elapsed() < EVERY) {
            return;
        }
        self.told = Some(Instant::now());
        self.progress.seconds = self.begun.elapsed().as_secs_f64();
        // What cannot be written is not worth an error: the command says the same itself.
        let _ = self.write();
    }

    fn write(&mut self) -> std::io::Result<()> {
        let text = serde_json::to_vec(&self.progress)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&text)?;
        self.file.set_len(text.len() as u64)
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The running commands, those that have begun their stage last come first.
pub fn running(folder: &Path) -> Result<Vec<Progress>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut running = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|of| of == "json") {
            running.extend(read(&path));
        }
    }
    running.sort_by(|a: &Progress, b| a.seconds.total_cmp(&b.seconds));
    Ok(running)
}

/// What a command says; none of one that has ended.
fn read(path: &Path) -> Option<Progress> {
    let file = File::open(path).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        // Its command is gone.
        let _ = std::fs::remove_file(path);
        return None;
    }
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_seen_while_it_runs_and_no_longer() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut teller = Teller::begin(folder.path(), "rank", 3).expect("a file");
        teller.advance(3);
        let seen = running(folder.path()).expect("a folder");
        assert_eq!((seen.len(), seen[0].done, seen[0].total), (1, 3, 3));
        drop(teller);
        assert!(running(folder.path()).expect("a folder").is_empty());
        // One that was killed left its file, and no lock.
        let left = folder.path().join("1.json");
        std::fs::write(&left, "{}").expect("writable");
        assert!(running(folder.path()).expect("a folder").is_empty() && !left.exists());
    }
}
