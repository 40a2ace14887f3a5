//! Which tasks lie near each other, where the model for that is at hand; without it words alone are
//! compared, and that is said. Hides where the model and the vectors that are known come from.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    cli::{
        args::Global,
        commands::models,
        project::{Project, settings::AUTO},
        ui::{exit::Usage, output::Printer, progress},
    },
    embed,
    models::{Kind, Manifest, ModelFile},
    text::{duplicate_guard::agree, minhash},
};

/// In `similarity.model`: no model at all.
const NONE: &str = "none";
/// Fewer texts are encoded without a word about it.
const MANY: usize = 1000;

/// What vectors say about texts.
pub struct Near {
    vectors: Vec<Vec<f32>>,
    /// Copies, by their numbers: each is near the first of its group.
    pub groups: Vec<Vec<usize>>,
    /// What they rest on.
    pub by: By,
}

/// What vectors rest on.
#[derive(Clone, Serialize)]
pub struct By {
    /// The model's name.
    pub model: String,
    /// Its hash.
    pub sha256: String,
    /// From this cosine on texts are copies.
    pub cosine: f64,
}

impl Near {
    /// Cosine of two of the texts.
    pub fn cosine(&self, a: usize, b: usize) -> f64 {
        embed::cosine(&self.vectors[a], &self.vectors[b])
    }
}

/// Compares texts, best first, by their vectors; none without a model. Vectors are kept in the
/// project's `tasks/`.
pub fn near(
    global: &Global,
    project: &Project,
    texts: &[&str],
    printer: &Printer,
) -> Result<Option<Near>> {
    let Some(ModelFile { name, path, sha256 }) =
        model(global, &project.loaded.config.similarity.model, printer)?
    else {
        return Ok(None);
    };
    let progress = |done: usize, all: usize| {
        if all >= MANY && done.is_multiple_of(MANY) {
            printer.note(&format!("placing tasks by their meaning: {done} of {all}"));
        }
    };
    let vectors = embed::vectors(
        &path,
        &sha256,
        texts,
        &project.tasks().join("vectors.bin"),
        &progress,
    )?;
    let groups = minhash::near_by_vector(&vectors, embed::SAME, |a, b| agree(texts[a], texts[b]));
    Ok(Some(Near {
        vectors,
        groups,
        by: By {
            model: name,
            sha256,
            cosine: embed::SAME,
        },
    }))
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
                && !Path::new(name).is_file()
            {
                let hint = format!(
                    "hint: similarity.model = \"{}\", or \"{AUTO}\", or \"{NONE}\"",
                    embed::MODEL
                );
                return Err(Usage(format!(
                    "the model `{name}` does not say where texts lie\n{hint}"
                ))
                .into());
            }
            let file = models::ensure(global, name, &progress::notify(global.quiet));
            Ok(Some(file.context("similarity.model names it")?))
        }
    }
}
