//! Whisper models of faster-whisper become files that whisper.cpp loads. The weights are made up.

use std::path::PathBuf;

use taskgen::models::{self, Manifest};

use super::{folder, sha256};

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
