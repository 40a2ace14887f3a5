//! Removing a model's files.

use std::{
    fs::TryLockError,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;

use super::{Model, ModelFileError, Quantization, files::beside, target::length};

/// What is kept beside a model's file: its hash, what a fetch that broke off left, and the lock of
/// a fetch, which goes last.
const BESIDE: [&str; 3] = ["checked", "part", "lock"];

/// A model that was removed.
#[derive(Debug, Serialize)]
pub struct Removed {
    /// Its name.
    pub name: String,
    /// The files that went; empty where none was here.
    pub files: Vec<PathBuf>,
    /// Bytes that they took.
    pub bytes: u64,
}

/// Removes a model's file from `folder` with all that was made of it there: its smaller forms, or
/// only those of one `form`. Fails while it is being fetched.
pub fn remove(model: &Model, form: Option<Quantization>, folder: &Path) -> Result<Removed> {
    let whole = folder.join(&model.file);
    refuse_while_fetched(&whole, &model.name)?;
    let mut gone: Vec<PathBuf> = smaller(model, form, folder);
    if form.is_none() {
        gone.push(whole);
    }
    let kept = gone
        .iter()
        .flat_map(|file| BESIDE.map(|end| beside(file, end)));
    let all: Vec<PathBuf> = gone.iter().cloned().chain(kept).collect();
    let name = match form {
        Some(form) => format!("{}-{}", model.name, form.name()),
        None => model.name.clone(),
    };
    let mut removed = Removed {
        name,
        files: Vec::new(),
        bytes: 0,
    };
    for file in all {
        if file.is_file() {
            removed.bytes += length(&file);
            fs_err::remove_file(&file)?;
            removed.files.push(file);
        }
    }
    Ok(removed)
}

/// The smaller forms of a model that are in `folder`, by name.
fn smaller(model: &Model, form: Option<Quantization>, folder: &Path) -> Vec<PathBuf> {
    let begins: Vec<String> = Quantization::ALL
        .into_iter()
        .filter(|each| form.is_none_or(|form| form == *each))
        .map(|form| format!("ggml-{}-{}-", model.name, form.name()))
        .collect();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".bin") && begins.iter().any(|begin| name.starts_with(begin))
        })
        .collect();
    found.sort();
    found
}

fn refuse_while_fetched(whole: &Path, name: &str) -> Result<()> {
    let Ok(lock) = std::fs::File::open(beside(whole, "lock")) else {
        return Ok(());
    };
    if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(ModelFileError(format!(
            "another taskgen fetches this model: `{name}`\nhint: wait for it to end"
        ))
        .into());
    }
    Ok(())
}
