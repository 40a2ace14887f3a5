//! Who may write at a time: lock files beside the database that the kernel releases when their
//! holders die.

use std::{
    fs::{File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result};

use crate::files::{self, Locking};

/// A held lock, with those that were taken along.
pub struct WriteLock {
    held: Vec<Held>,
}

/// Another process holds the lock.
#[derive(Debug, thiserror::Error)]
#[error(
    "another taskgen is writing to this project: {holder}\nhint: wait for it to end, or pass --wait"
)]
pub struct Locked {
    /// Process and command of the holder, as it wrote them; of a shared lock, who may hold it.
    pub holder: String,
}

/// The project is on a file system without locks.
#[derive(Debug, thiserror::Error)]
#[error(
    "the file system has no locks, so that two commands could write at once: `{path}`\nhint: move the project to a disk of one machine, or to a mount with locks; `transcribe --shard` needs none"
)]
pub struct NoLocks {
    /// The file that cannot be locked.
    pub path: String,
}

impl WriteLock {
    /// Takes the lock at `path`, noting `holder` in it. Fails with [`Locked`] if another process
    /// has it and `wait` is false.
    pub fn take(path: &Path, holder: &str, wait: bool) -> Result<Self> {
        let mut file = files::open_own(path).context(CANNOT_LOCK)?;
        if !acquire(file.file(), path, Share::No, wait)? {
            let mut holder = String::new();
            // The holder may be about to write its name; an empty one is no reason to fail
            // differently.
            let _ = file.read_to_string(&mut holder);
            return Err(locked(holder.trim()));
        }
        file.file().set_len(0)?;
        file.rewind()?;
        file.write_all(holder.as_bytes())?;
        Ok(Self::of(file.into_file(), true))
    }

    /// Takes a share of the lock at `path`, as others may at the same time. Fails with [`Locked`]
    /// and the name `others` if another process has it for itself and `wait` is false.
    pub fn share(path: &Path, others: &str, wait: bool) -> Result<Self> {
        Self::unnamed(path, Share::Yes, others, wait)
    }

    /// Takes the lock at `path` for itself, where others take shares. Fails with [`Locked`] and the
    /// name `others` if another process has a share and `wait` is false.
    pub fn exclude(path: &Path, others: &str, wait: bool) -> Result<Self> {
        Self::unnamed(path, Share::No, others, wait)
    }

    fn unnamed(path: &Path, share: Share, others: &str, wait: bool) -> Result<Self> {
        let file = files::open_own(path).context(CANNOT_LOCK)?;
        if !acquire(file.file(), path, share, wait)? {
            return Err(locked(others));
        }
        Ok(Self::of(file.into_file(), false))
    }

    fn of(file: File, is_named: bool) -> Self {
        Self {
            held: vec![Held { file, is_named }],
        }
    }

    /// Holds `other` as long as this one.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.held.extend(other.held);
        self
    }
}

const CANNOT_LOCK: &str = "cannot lock the project\nhint: the folder `tasks` must be writable";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Yes,
    No,
}

/// Whether the lock was taken; false where another process has it and `wait` is false.
fn acquire(file: &File, path: &Path, share: Share, wait: bool) -> Result<bool> {
    let taken = match (share, wait) {
        (Share::Yes, true) => file.lock_shared().map_err(TryLockError::Error),
        (Share::Yes, false) => file.try_lock_shared(),
        (Share::No, true) => file.lock().map_err(TryLockError::Error),
        (Share::No, false) => file.try_lock(),
    };
    taken_from(taken, path)
}

fn taken_from(tried: Result<(), TryLockError>, path: &Path) -> Result<bool> {
    let locking =
        files::locking(tried).with_context(|| format!("cannot lock: `{}`", path.display()))?;
    match locking {
        Locking::Taken => Ok(true),
        Locking::Held => Ok(false),
        Locking::Absent => {
            let path = path.display().to_string();
            Err(NoLocks { path }.into())
        }
    }
}

fn locked(holder: &str) -> anyhow::Error {
    let holder = holder.to_owned();
    Locked { holder }.into()
}

struct Held {
    file: File,
    /// Whether the holder's name is in it.
    is_named: bool,
}

impl Drop for Held {
    /// The command is named in it only while it runs: it may name a recording.
    fn drop(&mut self) {
        if self.is_named {
            let _ = self.file.set_len(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_locks_nobody_is_let_in() {
        // What flock(2) answers on Lustre without `flock`, ENOSYS.
        let absent = TryLockError::Error(std::io::Error::from_raw_os_error(38));
        let error = taken_from(Err(absent), Path::new("tasks/taskgen.lock")).expect_err("no locks");
        assert!(error.is::<NoLocks>() && error.to_string().contains("hint: move the project"));
        assert!(!taken_from(Err(TryLockError::WouldBlock), Path::new("x")).expect("held"));
    }
}
