//! Model files on disk: their places, their checks, and the import of a user's own file.

use std::{
    io::{BufWriter, Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{Manifest, Model, ModelFileError, ggml};
use crate::files;

/// A model that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelFile {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its hash.
    pub sha256: String,
}

/// A model of the manifest and whether it is here.
#[derive(Debug, Serialize)]
pub struct Known {
    /// What the manifest says.
    #[serde(flatten)]
    pub model: Model,
    /// Where its file is, if it is here and was checked.
    pub path: Option<PathBuf>,
}

/// An imported model file.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// The file and the name to use.
    #[serde(flatten)]
    pub file: ModelFile,
    /// Whether it was converted from CTranslate2 form.
    pub converted: bool,
    /// Whether its hash is the publisher's.
    pub published: bool,
}

/// What the check of a file found, kept beside it so that it is not read again while it stays as it
/// is.
#[derive(Serialize, Deserialize)]
struct Stamp {
    size: u64,
    modified_ns: i128,
    sha256: String,
}

/// The models of the manifest and where they are.
pub fn list(folder: &Path) -> Result<Vec<Known>> {
    let mut known = Vec::new();
    for model in Manifest::embedded().models() {
        // A wrong file is no file here; using it says what is wrong with it.
        let path = checked(folder, model).ok().flatten().map(|file| file.path);
        known.push(Known {
            model: model.clone(),
            path,
        });
    }
    Ok(known)
}

/// The file of `model` in `folder`, if it is there. A file with another hash is an error that names
/// both.
pub fn checked(folder: &Path, model: &Model) -> Result<Option<ModelFile>> {
    let path = folder.join(&model.file);
    if !path.is_file() {
        return Ok(None);
    }
    let sha256 = sha256_once(&path)?;
    if model.sha256 == sha256 {
        return Ok(Some(ModelFile {
            name: model.name.clone(),
            path,
            sha256,
        }));
    }
    Err(wrong_hash(&path, &model.sha256, &sha256).into())
}

/// The error for a file with the wrong hash.
pub fn wrong_hash(path: &Path, wanted: &str, found: &str) -> ModelFileError {
    ModelFileError(format!(
        "wrong model file: `{}` has sha256 `{found}`, expected `{wanted}`\nhint: it was not used; remove the file and run `taskgen models pull` again",
        path.display()
    ))
}

/// The error for a folder that models cannot be written to.
#[expect(clippy::needless_pass_by_value, reason = "what `map_err` wants")]
pub fn unusable(error: std::io::Error) -> ModelFileError {
    ModelFileError(format!(
        "{error}\nhint: name another folder with --models-dir or TASKGEN_MODELS"
    ))
}

/// The hash of a file, read again only if its size or time changed.
pub fn sha256_once(path: &Path) -> Result<String> {
    let (size, modified_ns) = files::stamp(path)?;
    let stamp = fs_err::read_to_string(stamp_path(path)).ok();
    let stamp: Option<Stamp> = stamp.and_then(|text| serde_json::from_str(&text).ok());
    if let Some(stamp) = stamp.filter(|s| (s.size, s.modified_ns) == (size, modified_ns)) {
        return Ok(stamp.sha256);
    }
    let sha256 = files::sha256_of(path)?;
    remember(path, &sha256);
    Ok(sha256)
}

/// Keeps the hash of a file that was just read or written, as long as the file stays as it is.
pub fn remember(path: &Path, sha256: &str) {
    let Ok((size, modified_ns)) = files::stamp(path) else {
        return;
    };
    let stamp = Stamp {
        size,
        modified_ns,
        sha256: sha256.to_owned(),
    };
    // In a folder that cannot be written the file is read again next time.
    let _ = serde_json::to_string(&stamp).map(|text| fs_err::write(stamp_path(path), text));
}

fn stamp_path(path: &Path) -> PathBuf {
    beside(path, "checked")
}

/// What is kept beside a model's file: its path with a further extension.
pub fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Takes in a ggml or GGUF file, any file of the manifest, or a folder with a Whisper model in
/// CTranslate2 form, which is converted. A file of the manifest lands under its own name; any other
/// keeps its file name, and its path is its name.
pub fn import(source: &Path, folder: &Path) -> Result<Imported> {
    fs_err::create_dir_all(folder).map_err(unusable)?;
    let converted = source.is_dir();
    let part = folder.join(format!("import-{}.part", std::process::id()));
    let taken = if converted {
        convert_folder(source, &part)
    } else {
        copy(source, &part)
    };
    let landed = taken.and_then(|()| land(source, folder, &part, converted));
    if landed.is_err() {
        // What is half there must not stay; the first error is the one to tell.
        let _ = fs_err::remove_file(&part);
    }
    landed
}

fn copy(source: &Path, part: &Path) -> Result<()> {
    let mut magic = [0; 4];
    fs_err::File::open(source)?
        .read_exact(&mut magic)
        .context("the file is too short for a model")?;
    if &magic != b"lmgg" && &magic != b"GGUF" && !published(source)? {
        return Err(ModelFileError(format!(
            "neither ggml nor GGUF: `{}`\nhint: give whisper.cpp's `ggml-*.bin`, a `.gguf`, or the folder of a faster-whisper model",
            source.display()
        ))
        .into());
    }
    fs_err::copy(source, part)?;
    Ok(())
}

/// Whether a file is one of the manifest's, in any format.
fn published(source: &Path) -> Result<bool> {
    let length = fs_err::metadata(source)?.len();
    let alike = |model: &&Model| model.bytes == length;
    let Some(model) = Manifest::embedded().models().iter().find(alike) else {
        return Ok(false);
    };
    Ok(model.sha256 == files::sha256_of(source)?)
}

fn convert_folder(source: &Path, part: &Path) -> Result<()> {
    let read = |name: &str| {
        fs_err::read(source.join(name))
            .context("a CTranslate2 folder has `model.bin` and `tokenizer.json`")
    };
    convert(&read("model.bin")?, &read("tokenizer.json")?, part)
}

/// Converts a model and writes it, flushed, to `part`.
pub fn convert(model_bin: &[u8], tokenizer: &[u8], part: &Path) -> Result<()> {
    let mut out = BufWriter::new(fs_err::File::create(part)?);
    ggml::convert(model_bin, tokenizer, &mut out).context("the model cannot be converted")?;
    out.flush()?;
    Ok(out.get_ref().sync_all()?)
}

fn land(source: &Path, folder: &Path, part: &Path, converted: bool) -> Result<Imported> {
    let sha256 = files::sha256_of(part)?;
    let models = Manifest::embedded().models();
    let known = models.iter().find(|model| model.sha256 == sha256);
    let own_name = source.file_name().map_or_else(
        || "model".into(),
        |name| name.to_string_lossy().into_owned(),
    );
    let file_name = match known {
        Some(model) => model.file.clone(),
        None if converted => format!("ggml-{own_name}.bin"),
        None => own_name,
    };
    // A foreign file under a known name would be taken for the manifest's model.
    if let Some(other) = models
        .iter()
        .find(|model| known.is_none() && model.file == file_name)
    {
        return Err(wrong_hash(source, &other.sha256, &sha256).into());
    }
    // Flushed before the rename: after a power cut the name must not lead to an empty file.
    fs_err::File::open(part)?.sync_all()?;
    let path = folder.join(file_name);
    fs_err::rename(part, &path)?;
    remember(&path, &sha256);
    let name = known.map_or_else(|| path.display().to_string(), |model| model.name.clone());
    let published = known.is_some();
    Ok(Imported {
        file: ModelFile { name, path, sha256 },
        converted,
        published,
    })
}
