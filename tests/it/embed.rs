//! The encoder with its real weights, beside what SentencePiece and the package that carries them
//! say; and how it comes.

use std::{path::PathBuf, time::Instant};

use serde::Deserialize;
use taskgen::{
    embed::{self, Encoder, WIDTH, cosine},
    models::{self, Kind, Manifest},
};

/// The model's file, where `TASKGEN_MODELS` has it, as after `make test`'s own pull.
pub fn model() -> models::ModelFile {
    let folder = std::env::var_os("TASKGEN_MODELS").map(PathBuf::from);
    let folder = folder.expect("set TASKGEN_MODELS to the folder of the models");
    let model = Manifest::embedded()
        .find(embed::MODEL)
        .expect("the manifest has it");
    let file = models::checked(&folder, model).expect("the file is the right one");
    file.unwrap_or_else(|| {
        panic!(
            "`{}` lacks the encoder: `taskgen models pull {}` fetches it",
            folder.display(),
            embed::MODEL
        )
    })
}

#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
    first: Vec<f64>,
    norm: f64,
    cosine_with_first: f64,
}

#[test]
fn real_tokens_and_vectors_are_those_of_the_packages() {
    let file = model();
    let begun = Instant::now();
    let encoder = Encoder::load(&file.path).expect("it loads");
    println!("loaded in {} ms", begun.elapsed().as_millis());
    let golden: Vec<Golden> =
        serde_json::from_str(include_str!("../data/embed/golden.json")).expect("JSON");
    let anchor = encoder.encode(&golden[0].text);
    let mut worst: f64 = 0.0;
    for of in &golden {
        assert_eq!(encoder.tokens(&of.text), of.ids, "{}", of.text);
        let vector = encoder.encode(&of.text);
        assert_eq!((vector.len(), of.ids.len() > 1), (WIDTH, true));
        let norm = cosine(&vector, &vector).sqrt();
        let first = vector
            .iter()
            .zip(&of.first)
            .map(|(x, y)| (f64::from(*x) - y).abs());
        let off = first.chain([
            (norm - of.norm).abs(),
            (cosine(&vector, &anchor) - of.cosine_with_first).abs(),
        ]);
        let off = off.fold(0.0, f64::max);
        assert!(off < 1e-5, "{}: {off}", of.text);
        worst = worst.max(off);
    }
    println!("{} texts, at most {worst:.1e} off", golden.len());
}

/// What lies near is what means the same, across languages, too; and nothing that a stranger writes
/// is a panic.
#[test]
fn real_vectors_take_any_text_and_repeat_themselves() {
    let file = model();
    let encoder = Encoder::load(&file.path).expect("it loads");
    let odd = [
        "\0",
        "\u{200d}\u{fe0f}",
        "💧🌊",
        "\u{202e}txet",
        &"水".repeat(1 << 20),
        &"a".repeat(1 << 20),
        "\u{10ffff}",
    ];
    for text in odd {
        let vector = encoder.encode(text);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
        assert_eq!(vector, encoder.encode(text));
        assert!(encoder.tokens(text).len() <= 512);
    }
    let golden: Vec<Golden> =
        serde_json::from_str(include_str!("../data/embed/golden.json")).expect("JSON");
    let texts: Vec<&str> = golden.iter().map(|of| of.text.as_str()).collect();
    let long: Vec<String> = (0..200).map(|n| format!("{n} {}", texts[n % 4])).collect();
    let begun = Instant::now();
    for text in &long {
        encoder.encode(text);
    }
    println!(
        "{:.1} ms a text on one thread",
        begun.elapsed().as_secs_f64() * 1e3 / 200.0
    );
}

/// Computed once, then read; what was spoilt is computed again.
#[test]
fn real_vectors_are_kept() {
    let file = model();
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("tasks/vectors.bin");
    let texts: Vec<String> = (0..300)
        .map(|n| format!("Task {n} about glaciers and rivers."))
        .collect();
    let texts: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .chain(["Task 0 about glaciers and rivers."])
        .collect();
    let all = |texts: &[&str]| {
        let computed = std::cell::Cell::new(0);
        let vectors = embed::vectors(&file.path, &file.sha256, texts, &cache, &|_, all| {
            computed.set(all);
        });
        (vectors.expect("vectors"), computed.get())
    };
    let (first, computed) = all(&texts[..100]);
    assert_eq!((first.len(), computed), (100, 100));
    let (second, computed) = all(&texts);
    assert_eq!((&second[..100], computed), (&first[..], 200));
    assert_eq!(second[0], second[300]);
    assert_eq!(all(&texts), (second.clone(), 0));
    let bytes = std::fs::read(&cache).expect("written");
    std::fs::write(&cache, &bytes[..bytes.len() - 5]).expect("writable");
    assert_eq!(all(&texts), (second.clone(), 1));
    std::fs::write(&cache, "something else").expect("writable");
    assert_eq!(all(&texts), (second.clone(), 300));
    std::fs::remove_file(&cache).expect("it may be deleted");
    let single: Vec<Vec<f32>> = {
        let encoder = Encoder::load(&file.path).expect("it loads");
        texts.iter().map(|text| encoder.encode(text)).collect()
    };
    assert_eq!(all(&texts), (single, 300));
}

#[test]
fn a_file_that_is_no_encoder_is_one_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("encoder.bin");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("q1.npy", zip::write::SimpleFileOptions::default())
        .expect("a member");
    let zip = zip.finish().expect("an archive").into_inner();
    for (content, said) in [
        (b"no archive".to_vec(), "there is no archive"),
        (zip.clone(), "no `sp.model` stands before"),
        ([b"sp.model".as_slice(), &zip].concat(), "in `q1`"),
    ] {
        std::fs::write(&path, content).expect("writable");
        let error = format!("{:#}", Encoder::load(&path).expect_err("it is none"));
        assert!(
            error.contains("the encoder cannot be loaded") && error.contains(said),
            "{error}"
        );
    }
    assert_eq!(
        Manifest::embedded()
            .find(embed::MODEL)
            .expect("it is there")
            .kind,
        Kind::Embed
    );
}
