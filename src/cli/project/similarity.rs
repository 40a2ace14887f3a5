//! The embedding of tasks, if the model is installed; without it words alone are compared, and a
//! note says so. Hides the sources of the model and of cached vectors.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::{
    cli::{
        args::Global,
        commands::models,
        project::{Project, settings::AUTO},
        ui::{exit::Usage, output::Printer, progress},
    },
    embed,
    models::{Kind, Manifest, ModelFile},
    similarity::{Encoding, Meaning},
};

/// In `similarity.model`: no model at all.
const NONE: &str = "none";
/// Fewest texts that are encoded with a note.
const MANY: usize = 1000;

/// Compares texts, best first, by their meaning; none without a model. Vectors are kept in the
/// project's `tasks/`.
pub fn meaning(
    global: &Global,
    project: &Project,
    texts: &[&str],
    printer: &Printer,
) -> Result<Option<Meaning>> {
    let name = &project.loaded.config.similarity.model;
    let Some(ModelFile { name, path, sha256 }) = model(global, name, printer)? else {
        return Ok(None);
    };
    let progress = |done: usize, all: usize| {
        if all >= MANY && done.is_multiple_of(MANY) {
            printer.note(&format!("embedding tasks: {done} of {all}"));
        }
    };
    let known = project.tasks().join("vectors.bin");
    let by = Encoding::new(name, sha256);
    Ok(Some(Meaning::of_texts(
        texts, &path, by, &known, &progress,
    )?))
}

/// The model's file. Only one that the configuration names is fetched.
fn model(global: &Global, name: &str, printer: &Printer) -> Result<Option<ModelFile>> {
    match name {
        NONE => Ok(None),
        AUTO => {
            let here = models::here(global, embed::MODEL)?;
            if here.is_none() {
                printer.note(&format!(
                    "only words were compared, not meanings\nhint: `taskgen models pull {}` fetches the model for that",
                    embed::MODEL
                ));
            }
            Ok(here)
        }
        name => {
            if let Ok(model) = Manifest::embedded().find(name)
                && model.kind != Kind::Embed
                // A file may be called like a model of the manifest.
                && !Path::new(name).is_file()
            {
                let hint = format!(
                    "hint: similarity.model = \"{}\", or \"{AUTO}\", or \"{NONE}\"",
                    embed::MODEL
                );
                return Err(Usage(format!("`{name}` is not an embedding model\n{hint}")).into());
            }
            let file = models::ensure(global, name, &progress::notify(global.quiet));
            Ok(Some(file.context("similarity.model names it")?))
        }
    }
}
