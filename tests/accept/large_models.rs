//! Whisper models of the real shape of large-v3 and large-v3-turbo, with random weights: written in
//! CTranslate2 form, converted, hashed, quantised, loaded, and one window decoded on the CPU. The
//! real ones cannot be had on every machine, and nothing may fail on the first that has them.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use half::f16;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use taskgen::{
    models::{self, Manifest, ModelFile, Quantization},
    transcribe::{Decoder, Engine, Sample},
};

/// Channels of the large models.
const WIDTH: usize = 1280;
const BANDS: usize = 128;
const TOKENS: usize = 51_866;
const LAYERS_OF_ENCODER: usize = 32;
/// Plain tokens of multilingual models.
const PLAIN_TOKENS: usize = 50_257;
/// Random numbers that are drawn again and again.
const TABLE: usize = 1 << 16;

/// Writes one array after the other to a file that begins with their number.
struct Arrays<'a> {
    out: Option<&'a mut BufWriter<File>>,
    count: u32,
    table: &'a [u8],
    at: usize,
}

impl Arrays<'_> {
    fn array(&mut self, name: &str, shape: &[usize]) {
        self.count += 1;
        let Some(out) = &mut self.out else { return };
        let length = 2 * shape.iter().product::<usize>();
        let mut head = string(name);
        head.push(shape.len() as u8);
        for dimension in shape {
            head.extend((*dimension as u32).to_le_bytes());
        }
        head.push(4);
        head.extend((length as u32).to_le_bytes());
        out.write_all(&head).expect("room on the disk");
        if name.ends_with("gamma") || name.ends_with("beta") || name.ends_with("bias") {
            let value = f16::from_f32(f32::from(u8::from(name.ends_with("gamma"))));
            out.write_all(&value.to_le_bytes().repeat(length / 2))
                .expect("room on the disk");
            return;
        }
        let mut left = length;
        while left > 0 {
            let part = left.min(self.table.len() - self.at);
            out.write_all(&self.table[self.at..self.at + part])
                .expect("room on the disk");
            // Another place of the table each time, so that no two rows are alike.
            self.at = (self.at + part + 2 * 7919) % self.table.len();
            left -= part;
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

    fn layer(&mut self, name: &str, is_decoder: bool) {
        self.norm(&format!("{name}/self_attention/layer_norm"));
        self.linear(&format!("{name}/self_attention/linear_0"), 3 * WIDTH, WIDTH);
        self.linear(&format!("{name}/self_attention/linear_1"), WIDTH, WIDTH);
        if is_decoder {
            self.norm(&format!("{name}/attention/layer_norm"));
            self.linear(&format!("{name}/attention/linear_0"), WIDTH, WIDTH);
            self.linear(&format!("{name}/attention/linear_1"), 2 * WIDTH, WIDTH);
            self.linear(&format!("{name}/attention/linear_2"), WIDTH, WIDTH);
        }
        self.norm(&format!("{name}/ffn/layer_norm"));
        self.linear(&format!("{name}/ffn/linear_0"), 4 * WIDTH, WIDTH);
        self.linear(&format!("{name}/ffn/linear_1"), WIDTH, 4 * WIDTH);
    }

    fn model(&mut self, layers_of_decoder: usize) {
        self.array("encoder/position_encodings/encodings", &[1500, WIDTH]);
        self.linear_of_three("encoder/conv1", BANDS);
        self.linear_of_three("encoder/conv2", WIDTH);
        for layer in 0..LAYERS_OF_ENCODER {
            self.layer(&format!("encoder/layer_{layer}"), false);
        }
        for layer in 0..layers_of_decoder {
            self.layer(&format!("decoder/layer_{layer}"), true);
        }
        self.norm("encoder/layer_norm");
        self.norm("decoder/layer_norm");
        self.array("decoder/position_encodings/encodings", &[448, WIDTH]);
        self.array("decoder/embeddings/weight", &[TOKENS, WIDTH]);
    }

    fn linear_of_three(&mut self, name: &str, columns: usize) {
        self.array(&format!("{name}/weight"), &[WIDTH, columns, 3]);
        self.array(&format!("{name}/bias"), &[WIDTH]);
    }
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u16 + 1).to_le_bytes().to_vec();
    bytes.extend(text.bytes());
    bytes.push(0);
    bytes
}

/// Sums of four draws, near enough to a bell, small as trained weights are.
fn table(seed: u64) -> Vec<u8> {
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    (0..TABLE)
        .flat_map(|_| {
            let sum: f32 = (0..4).map(|_| draw.random_range(-0.02..0.02_f32)).sum();
            f16::from_f32(sum).to_le_bytes()
        })
        .collect()
}

fn write_model(path: &Path, seed: u64, layers_of_decoder: usize) {
    let table = table(seed);
    let mut counted = Arrays {
        out: None,
        count: 0,
        table: &table,
        at: 0,
    };
    counted.model(layers_of_decoder);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).expect("a file"));
    let mut head = 6u32.to_le_bytes().to_vec();
    head.extend(string("WhisperSpec"));
    head.extend(3u32.to_le_bytes());
    head.extend(counted.count.to_le_bytes());
    out.write_all(&head).expect("room on the disk");
    Arrays {
        out: Some(&mut out),
        ..counted
    }
    .model(layers_of_decoder);
    out.flush().expect("room on the disk");
}

/// The place of the space, as in the published vocabularies.
const SPACE: usize = 220;

/// A `tokenizer.json` with made-up tokens of the real number.
fn tokenizer() -> String {
    let letter = |i: usize| char::from(33 + (i % 94) as u8);
    let mut vocab = serde_json::Map::new();
    for i in 0..PLAIN_TOKENS - 1 {
        // Whisper.cpp looks the space up, and ends the process where there is none.
        let token = if i == SPACE {
            "Ġ".to_owned()
        } else {
            [letter(i), letter(i / 94), letter(i / 94 / 94)]
                .iter()
                .collect()
        };
        vocab.insert(token, i.into());
    }
    vocab.insert("<|endoftext|>".to_owned(), (PLAIN_TOKENS - 1).into());
    serde_json::json!({ "model": { "vocab": vocab } }).to_string()
}

/// A converted model, with the bytes by which it is smaller than the published one, which has
/// longer tokens.
fn converted(folder: &Path, name: &str, layers_of_decoder: usize) -> (ModelFile, u64) {
    let source = folder.join(format!("random-{name}"));
    fs::create_dir_all(&source).expect("a folder");
    let begun = Instant::now();
    let model_bin = source.join("model.bin");
    write_model(&model_bin, 1, layers_of_decoder);
    fs::write(source.join("tokenizer.json"), tokenizer()).expect("room on the disk");
    println!(
        "{name}: {} MB of random weights written in {:.1} s",
        size(&model_bin) / 1_000_000,
        begun.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    let imported = models::import(&source, &folder.join("models")).expect("it can be converted");
    assert!(imported.converted && !imported.published);
    println!(
        "{name}: converted and hashed in {:.1} s, {} bytes, sha256 {}",
        begun.elapsed().as_secs_f64(),
        size(&imported.file.path),
        imported.file.sha256
    );
    fs::remove_dir_all(&source).expect("the folder is ours");
    let published = Manifest::embedded()
        .find(name)
        .expect("a known model")
        .bytes;
    let shorter = published - size(&imported.file.path);
    // An imported model goes by its path; a quantised one is named after what it was.
    let file = ModelFile {
        name: format!("random-{name}"),
        ..imported.file
    };
    (file, shorter)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).expect("the file is there").len()
}

/// Loads the model and decodes one window with it, on the CPU.
fn decodes(file: &ModelFile) {
    let model = file.clone();
    let resolver = move |_: &str| Ok(model.clone());
    let decoder = Decoder {
        program: PathBuf::from(env!("CARGO_BIN_EXE_taskgen")),
    };
    let engine = Engine::new(Box::new(resolver), decoder, 1);
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/seminars/markets.webm");
    let sample = Sample::english(&engine, &recording).expect("a recording");
    let begun = Instant::now();
    let loaded = engine.model(&file.name).expect("whisper.cpp loads it");
    assert!(loaded.is_multilingual());
    let loading = begun.elapsed().as_secs_f64();
    let took = sample
        .first_window(&engine, &file.name)
        .expect("a window is decoded");
    println!(
        "{}: loaded in {loading:.1} s; a window of {:.1} s decoded in {:.1} s, {:.2} × real time",
        file.name,
        sample.first_seconds(),
        took.as_secs_f64(),
        sample.first_seconds() / took.as_secs_f64()
    );
}

#[test]
fn large_models_of_the_real_shape_are_converted_and_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (turbo, shorter) = converted(folder.path(), "large-v3-turbo", 4);
    decodes(&turbo);
    let begun = Instant::now();
    let small = models::quantized(&turbo, Quantization::Q5_0, &folder.path().join("models"))
        .expect("it can be quantised");
    let bytes = size(&small.path);
    println!(
        "{}: quantised in {:.1} s, {bytes} bytes",
        small.name,
        begun.elapsed().as_secs_f64()
    );
    let published = Manifest::embedded().find("large-v3-turbo-q5_0");
    assert_eq!(
        published.expect("a known model").bytes - bytes,
        shorter,
        "as long as the published one, but for the tokens"
    );
    decodes(&small);
    fs::remove_file(&turbo.path).expect("the file is ours");
    fs::remove_file(&small.path).expect("the file is ours");
    let (large, shorter_large) = converted(folder.path(), "large-v3", 32);
    assert_eq!(
        shorter_large, shorter,
        "both are shorter than the published ones by the same tokens"
    );
    decodes(&large);
}
