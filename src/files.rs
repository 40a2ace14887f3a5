//! Whole files: their hash, their size and time, and atomic writing.

use std::{
    io::{Read as _, Result, Write as _},
    path::Path,
    time::UNIX_EPOCH,
};

use sha2::{Digest as _, Sha256};

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
    let written = write_and_sync(&beside, bytes).and_then(|()| fs_err::rename(&beside, path));
    if written.is_err() {
        // The error that counts is the first one; a full disk may refuse this too.
        fs_err::remove_file(&beside).unwrap_or_default();
    }
    written
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = fs_err::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
