//! Whole files: their hash, their size and time, atomic writing, and locks where a file system has
//! none.

use std::{
    fs::TryLockError,
    io::{Error, ErrorKind, Read as _, Result, Write as _},
    path::Path,
    time::UNIX_EPOCH,
};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use rustix::{fs::OFlags, io::Errno};
use sha2::{Digest as _, Sha256};

/// The outcome of an attempt to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// The lock is ours.
    Taken,
    /// Another process has it.
    Held,
    /// The file system has no locks.
    Absent,
}

/// The outcome of an attempt to lock a file. File systems that several machines share may have no
/// locks (NFS without its lock daemon, Lustre that was mounted without them): that is no error here,
/// because some of those who lock can go on without.
pub fn locking(tried: std::result::Result<(), TryLockError>) -> Result<Locking> {
    match tried {
        Ok(()) => Ok(Locking::Taken),
        Err(TryLockError::WouldBlock) => Ok(Locking::Held),
        Err(TryLockError::Error(error)) => match Errno::from_io_error(&error) {
            Some(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(Locking::Absent),
            _ => Err(error),
        },
    }
}

/// SHA-256 of a file's bytes, hexadecimal.
pub fn sha256_of(path: &Path) -> Result<String> {
    let mut file = fs_err::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(data_encoding::HEXLOWER.encode(&hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// Size, and time of the last change in nanoseconds since 1970: as long as both stay, so does the
/// content.
pub fn stamp(path: &Path) -> Result<(u64, i128)> {
    let metadata = fs_err::metadata(path)?;
    let ns = match metadata.modified()?.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    };
    Ok((metadata.len(), ns))
}

/// Whether a file lies in `folder` or below it, wherever links lead.
pub fn is_inside(folder: &Path, path: &Path) -> Result<bool> {
    // A path without a folder in it names one in the working folder.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    Ok(fs_err::canonicalize(path)?.starts_with(fs_err::canonicalize(folder)?))
}

/// The whole file or none of it: written beside, flushed to the disk, renamed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    // One name, so that what a killed run left behind is overwritten; two runs at once are the
    // caller's to prevent.
    name.push(".tmp");
    let beside = path.with_file_name(name);
    let written = write_new(&beside, bytes)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs_err::rename(&beside, path));
    if written.is_err() {
        // The error that counts is the first one; a full disk may refuse this too.
        fs_err::remove_file(&beside).unwrap_or_default();
    }
    written
}

/// Deletes a file, if it is there, and has the disk know it before anything follows.
pub fn delete(path: &Path) -> Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Some(folder) = path.parent() {
        fs_err::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// A new file with these bytes. What had its name is removed; a link is, too, and not what it leads
/// to.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<fs_err::File> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = create_new(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// A new and empty file where nothing has its name, not even a link that leads nowhere.
pub fn create_new(path: &Path) -> Result<fs_err::File> {
    fs_err::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
}

/// A file that the program keeps for itself, opened for reading and writing, or a new and empty one.
/// A link in its place is refused, because a project from elsewhere may lead it to any file of the
/// user's; so is what is no file.
pub fn open_own(path: &Path) -> Result<fs_err::File> {
    // Without NONBLOCK a pipe would be waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = fs_err::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(flags.bits() as i32)
        .open(path);
    match opened {
        Err(_) if path.is_symlink() => Err(no_own_file(path)),
        Ok(file) if !file.metadata()?.is_file() => Err(no_own_file(path)),
        opened => opened,
    }
}

/// A folder that the program keeps for itself, made where it is missing. A link in its place is
/// refused.
pub fn create_own_folder(path: &Path) -> Result<()> {
    refuse_link(path)?;
    fs_err::create_dir_all(path)
}

/// Refuses a link where the program keeps a file of its own and does not open it itself.
pub fn refuse_link(path: &Path) -> Result<()> {
    if path.is_symlink() {
        return Err(no_own_file(path));
    }
    Ok(())
}

fn no_own_file(path: &Path) -> Error {
    Error::other(format!(
        "a link or a device where taskgen keeps its own: `{}`\nhint: look where it leads, and remove it",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_system_without_locks_is_told_from_a_held_lock() {
        let failed = |errno: Errno| locking(Err(TryLockError::Error(errno.into())));
        for absent in [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP] {
            assert_eq!(failed(absent).expect("no error"), Locking::Absent);
        }
        assert_eq!(
            failed(Errno::IO).expect_err("a broken disk").raw_os_error(),
            Some(5)
        );
        let folder = tempfile::tempdir().expect("a folder");
        let open = || fs_err::File::create(folder.path().join("lock")).expect("a file");
        let (first, second) = (open(), open());
        let lock = |file: &fs_err::File| locking(file.file().try_lock()).expect("locks");
        assert_eq!(
            (lock(&first), lock(&second)),
            (Locking::Taken, Locking::Held)
        );
    }

    #[test]
    fn no_link_is_followed_where_files_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("others"), "theirs").expect("writable");
        for name in ["page.html.tmp", "own", "new"] {
            symlink(at("others"), at(name)).expect("a link");
        }
        symlink(at("nowhere"), at("dangling")).expect("a link");
        write_whole(&at("page.html"), b"ours").expect("written");
        write_new(&at("new"), b"ours").expect("written");
        assert!(create_new(&at("dangling")).is_err() && open_own(&at("dangling")).is_err());
        let error = open_own(&at("own")).expect_err("a link").to_string();
        assert!(error.contains("hint: ") && create_own_folder(&at("own")).is_err());
        assert_eq!(std::fs::read(at("page.html")).expect("a file"), b"ours");
        assert_eq!(std::fs::read(at("others")).expect("a file"), b"theirs");
        assert!(!at("nowhere").exists());
        open_own(&at("fresh")).expect("a new file");
        assert!(open_own(folder.path()).is_err(), "a folder is no file");
    }
}
