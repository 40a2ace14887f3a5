//! One writer at a time: a lock file beside the database that the kernel releases when its holder
//! dies.

use std::{
    fs::{File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result};

use crate::files;

/// The held lock.
pub struct WriteLock {
    file: File,
}

/// Another process holds the lock.
#[derive(Debug, thiserror::Error)]
#[error(
    "another taskgen is writing to this project: {holder}\nhint: wait for it to end, or pass --wait"
)]
pub struct Locked {
    /// Process and command of the holder, as it wrote them.
    pub holder: String,
}

impl WriteLock {
    /// Takes the lock at `path`, noting `holder` in it. Fails with [`Locked`] if another process
    /// has it and `wait` is false.
    pub fn take(path: &Path, holder: &str, wait: bool) -> Result<Self> {
        let mut file = files::open_own(path)
            .context("cannot lock the project\nhint: the folder `tasks` must be writable")?;
        if wait {
            file.file()
                .lock()
                .with_context(|| format!("cannot lock: `{}`", path.display()))?;
        } else {
            match file.file().try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // The holder may be about to write its name; an empty one is no reason to fail
                    // differently.
                    let _ = file.read_to_string(&mut holder);
                    return Err(Locked {
                        holder: holder.trim().to_owned(),
                    }
                    .into());
                }
                Err(TryLockError::Error(e)) => {
                    return Err(e).with_context(|| format!("cannot lock: `{}`", path.display()));
                }
            }
        }
        file.file().set_len(0)?;
        file.rewind()?;
        file.write_all(holder.as_bytes())?;
        Ok(Self {
            file: file.into_file(),
        })
    }
}

impl Drop for WriteLock {
    /// The command is named in it only while it runs: it may name a recording.
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
    }
}
