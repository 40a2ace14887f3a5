//! `taskgen models rm`: a model goes with what was made of it, and nothing else does.

use std::path::Path;

use crate::support::{Project, taskgen};

/// The names of the files in `folder`.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_model_goes_with_its_smaller_forms_and_nothing_else() {
    let project = Project::new("http://127.0.0.1:9/v1");
    let folder = project.path("models-here");
    std::fs::create_dir(&folder).unwrap();
    let files = [
        "ggml-base.bin",
        "ggml-base.bin.checked",
        "ggml-base.bin.lock",
        "ggml-base.bin.part",
        "ggml-base-q8_0-01234567.bin",
        "ggml-base-q8_0-01234567.bin.checked",
        "ggml-base-q5_1-01234567.bin",
        "ggml-tiny.en.bin",
        "mine.gguf",
    ];
    for file in files {
        std::fs::write(folder.join(file), "1234567890").unwrap();
    }
    let flag = ["--models-dir", folder.to_str().unwrap()];
    let rm = |names: &[&str]| project.told(&[&["models", "rm"], names, &flag].concat());
    insta::assert_snapshot!(rm(&["base-q8_0"]), @"
    $ taskgen models rm base-q8_0 --models-dir [project]/models-here
    exit 0
    --- out
    base-q8_0: removed, 20 B are free
    ");
    assert_eq!(names(&folder).len(), 7);
    // A wrong name stops it before anything goes.
    insta::assert_snapshot!(rm(&["base", "bass"]), @"
    $ taskgen models rm base bass --models-dir [project]/models-here
    exit 2
    --- err
    error: no such model: `bass`
    hint: did you mean `base`?
    ");
    assert_eq!(names(&folder).len(), 7);

    let fetched = std::fs::File::open(folder.join("ggml-base.bin.lock")).unwrap();
    fetched.lock().unwrap();
    insta::assert_snapshot!(rm(&["base"]), @"
    $ taskgen models rm base --models-dir [project]/models-here
    exit 3
    --- err
    error: another taskgen fetches this model: `base`
    hint: wait for it to end
    ");
    drop(fetched);
    insta::assert_snapshot!(rm(&["base", "tiny.en-q5_1"]), @"
    $ taskgen models rm base tiny.en-q5_1 --models-dir [project]/models-here
    exit 0
    --- out
    base: removed, 50 B are free
    tiny.en-q5_1: it was not here
    ");
    assert_eq!(names(&folder), ["ggml-tiny.en.bin", "mine.gguf"]);
}

#[test]
fn no_project_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let (code, out, said) = taskgen(folder.path(), &["models", "rm", "base", "--models-dir", at]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(out.trim(), "base: it was not here");
}
