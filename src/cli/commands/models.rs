//! `taskgen models list|pull|path|rm|import`, and the same for a stage that needs a model.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    cli::{
        args::{Global, Models},
        project::user::path_in,
        ui::{
            exit::{self, NoModel, Usage},
            output::{Printer, bytes, table},
            progress,
        },
    },
    context::{Notice, Notify},
    models::{self, Kind, Known, Manifest, ModelFile, Places, Quantization, Removed},
};

/// Least time between two lines of progress.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Runs one of the commands.
pub fn models(global: &Global, command: Models, printer: &Printer) -> Result<u8> {
    let notify = progress::notify(global.quiet);
    match command {
        Models::List => {
            let known = models::list(&places(global).folder)?;
            printer.show(&known, |known| text(known, &places(global).folder))?;
        }
        Models::Pull { names, quantize } => {
            let mut files = Vec::new();
            let form = quantize.map_or_else(String::new, |form| format!("-{form}"));
            let names: Vec<String> = names.iter().map(|name| format!("{name}{form}")).collect();
            for name in &names {
                known(name)?;
            }
            for name in &names {
                files.push(ensure(global, name, &notify)?);
            }
            printer.show(&files, |files| {
                files
                    .iter()
                    .map(|f| format!("{}  {}", f.name, f.path.display()))
                    .collect::<Vec<_>>()
                    .join("\n")
            })?;
        }
        Models::Path { name } => {
            let model = Manifest::embedded()
                .find(&name)
                .map_err(|e| Usage(e.to_string()))?;
            let file = models::checked(&places(global).folder, model)?.ok_or_else(|| {
                NoModel(format!(
                    "not on this machine: `{name}`\nhint: `taskgen models pull {name}`"
                ))
            })?;
            printer.show(&file, |file| file.path.display().to_string())?;
        }
        Models::Rm { names } => {
            let removed = remove(global, &names)?;
            printer.show(&removed, |removed| removed_text(removed))?;
        }
        Models::Import { path } => {
            if !path.exists() {
                return Err(Usage(format!("no such file or folder: `{}`", path.display())).into());
            }
            let imported = models::import(&path, &places(global).folder)?;
            printer.show(&imported, |i| {
                let how = if i.converted {
                    "converted and imported"
                } else {
                    "imported"
                };
                let known = if i.published {
                    ", the publisher's own bytes"
                } else {
                    ""
                };
                format!(
                    "{how}: `{}`\nsha256 {}{known}\nuse it as `{}`",
                    i.file.path.display(),
                    i.file.sha256,
                    i.file.name
                )
            })?;
        }
    }
    Ok(exit::DONE)
}

/// Removes each; all names are checked before anything goes.
fn remove(global: &Global, names: &[String]) -> Result<Vec<Removed>> {
    let folder = places(global).folder;
    for name in names {
        known(name)?;
    }
    let each = names.iter().map(|name| {
        let (whole, form) =
            smaller(name).map_or((name.as_str(), None), |(whole, form)| (whole, Some(form)));
        let model = Manifest::embedded().find(whole);
        models::remove(model.map_err(|e| Usage(e.to_string()))?, form, &folder)
    });
    each.collect()
}

fn removed_text(removed: &[Removed]) -> String {
    let line = |of: &Removed| {
        if of.files.is_empty() {
            format!("{}: it was not here", of.name)
        } else {
            format!("{}: removed, {} are free", of.name, bytes(of.bytes))
        }
    };
    removed.iter().map(line).collect::<Vec<_>>().join(
        "
",
    )
}

fn text(known: &[Known], folder: &Path) -> String {
    let mut rows = table(&["name", "for", "languages", "size", "licence", "here"]);
    for model in known {
        let m = &model.model;
        rows.add_row(vec![
            m.name.clone(),
            format!("{:?}", m.kind).to_lowercase(),
            m.languages.clone(),
            bytes(m.bytes),
            m.licence.clone(),
            if model.path.is_some() { "yes" } else { "no" }.to_owned(),
        ]);
    }
    format!("{rows}\nmodels are kept in `{}`", folder.display())
}

/// A model's checked file: a name of the manifest, fetched if it is missing, or the path of a
/// user's own file.
pub fn ensure(global: &Global, name: &str, notify: &Notify) -> Result<ModelFile> {
    let path = Path::new(name);
    if let Some((whole, form)) = smaller(name) {
        let file = ensure(global, whole, notify)?;
        return models::quantized(&file, form, &places(global).folder);
    }
    let model = match Manifest::embedded().find(name) {
        Ok(model) => model,
        Err(_) if path.is_file() => return own_file(path),
        Err(e) => return Err(Usage(e.to_string()).into()),
    };
    models::pull(model, &places(global), &download_progress(model, notify))
}

/// Reports the progress of a download, from time to time.
fn download_progress(model: &models::Model, notify: &Notify) -> impl Fn(&str, u64, u64) {
    let last = Mutex::new(None::<Instant>);
    move |what, done, total| {
        let mut last = last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // The first and the last line always come; those between only now and then.
        let is_due = last.is_none_or(|last| last.elapsed() >= LINE_EVERY);
        if !is_due && done != 0 && done != total {
            return;
        }
        *last = Some(Instant::now());
        notify(Notice::Say(&format!(
            "model {}: {what}, {} of {}",
            model.name,
            bytes(done),
            bytes(total)
        )));
    }
}

/// Checks the name of a model of the manifest, or of a quantized speech model.
fn known(name: &str) -> Result<()> {
    let model = Manifest::embedded().find(smaller(name).map_or(name, |(whole, _)| whole));
    let model = model.map_err(|e| Usage(e.to_string()))?;
    if smaller(name).is_some() && model.kind != Kind::Whisper {
        return Err(Usage(format!(
            "only speech models can be quantized, not `{}`",
            model.name
        ))
        .into());
    }
    Ok(())
}

/// A name such as `base-q8_0` as the model's and the smaller form; nothing where the manifest has
/// that very name.
fn smaller(name: &str) -> Option<(&str, Quantization)> {
    Quantization::split(name)
        .filter(|_| Manifest::embedded().find(name).is_err() && !Path::new(name).is_file())
}

/// A model's file, if it is on this machine.
pub fn here(global: &Global, name: &str) -> Result<Option<ModelFile>> {
    let path = Path::new(name);
    match Manifest::embedded().find(name) {
        Ok(model) => models::checked(&places(global).folder, model),
        Err(_) if path.is_file() => Ok(Some(own_file(path)?)),
        Err(e) => Err(Usage(e.to_string()).into()),
    }
}

/// A user's own file: its path is its name.
fn own_file(path: &Path) -> Result<ModelFile> {
    let sha256 = models::sha256_once(path)?;
    Ok(ModelFile {
        name: path.display().to_string(),
        path: path.to_owned(),
        sha256,
    })
}

/// The hash of a model of the manifest, or of a file.
pub fn pinned(name: &str) -> Option<String> {
    let path = Path::new(name);
    if path.is_file() {
        return models::sha256_once(path).ok();
    }
    Manifest::embedded()
        .find(name)
        .ok()
        .map(|model| model.sha256.clone())
}

/// Where models are kept, and where other programs keep theirs.
fn places(global: &Global) -> Places {
    let home = path_in("HOME").unwrap_or_default();
    let cache = path_in("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache"));
    let folder = global
        .models_dir
        .clone()
        .unwrap_or_else(|| cache.join("taskgen/models"));
    let hub = path_in("HF_HUB_CACHE")
        .or_else(|| path_in("HF_HOME").map(|folder| folder.join("hub")))
        .unwrap_or_else(|| cache.join("huggingface/hub"));
    let mut elsewhere = vec![
        cache.join("whisper.cpp"),
        cache.join("whisper"),
        home.join("whisper.cpp/models"),
    ];
    elsewhere.extend(snapshots(&hub));
    Places {
        elsewhere,
        offline: global.offline,
        ..Places::new(folder)
    }
}

/// `models--OWNER--NAME/snapshots/COMMIT` of the Hugging Face cache, which faster-whisper uses,
/// too.
fn snapshots(hub: &Path) -> Vec<PathBuf> {
    entries(hub)
        .iter()
        .flat_map(|model| entries(&model.join("snapshots")))
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default()
}
