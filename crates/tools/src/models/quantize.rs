//! Quantization of a Whisper model: its matrices in 8 or 5 bits, by ggml's own arithmetic,
//! everything else as it is. The same weights give the same bytes.

use std::io::{BufReader, BufWriter, Read, Write};

use anyhow::{Context as _, Result, ensure};
use half::f16;
use serde::Serialize;

use super::{
    ModelFile,
    files::{remember, unusable},
};
use crate::files;

/// The version of ggml's quantised forms, as its files state it.
const VERSION: i32 = 2000;
/// Numbers of the header: the magic, then the sizes, the kind of file last.
const HEADER: usize = 12;
/// No tensor of a model has more numbers, and no name more bytes.
const LARGEST: usize = 1 << 30;
/// Two-dimensional, but no matrices.
const KEPT: [&str; 4] = [
    "encoder.conv1.bias",
    "encoder.conv2.bias",
    "encoder.positional_embedding",
    "decoder.positional_embedding",
];

/// A smaller form of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantization {
    /// 8 bits: nothing is lost that can be measured.
    Q8_0,
    /// 5 bits: a little is lost, and less memory read for each word.
    Q5_1,
    /// 5 bits without an offset: a little smaller still, the form of the published large models.
    Q5_0,
}

impl Quantization {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Q8_0, Self::Q5_1, Self::Q5_0];

    /// As it is written in names: `base-q8_0`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Q8_0 => "q8_0",
            Self::Q5_1 => "q5_1",
            Self::Q5_0 => "q5_0",
        }
    }

    /// A name such as `base-q8_0` as the model's and the form.
    pub fn split(name: &str) -> Option<(&str, Self)> {
        let (model, form) = name.rsplit_once('-')?;
        Some((
            model,
            Self::ALL.into_iter().find(|known| known.name() == form)?,
        ))
    }

    /// ggml's numbers for a tensor and for a file.
    fn numbers(self) -> (u32, i32) {
        match self {
            Self::Q8_0 => (
                whisper_rs_sys::ggml_type_GGML_TYPE_Q8_0,
                whisper_rs_sys::ggml_ftype_GGML_FTYPE_MOSTLY_Q8_0,
            ),
            Self::Q5_1 => (
                whisper_rs_sys::ggml_type_GGML_TYPE_Q5_1,
                whisper_rs_sys::ggml_ftype_GGML_FTYPE_MOSTLY_Q5_1,
            ),
            Self::Q5_0 => (
                whisper_rs_sys::ggml_type_GGML_TYPE_Q5_0,
                whisper_rs_sys::ggml_ftype_GGML_FTYPE_MOSTLY_Q5_0,
            ),
        }
    }
}

/// The smaller form of `model`, in `folder`, made where it is not there. It is made again where the
/// weights are others.
pub fn quantized(
    model: &ModelFile,
    form: Quantization,
    folder: &std::path::Path,
) -> Result<ModelFile> {
    let name = format!("{}-{}", model.name, form.name());
    // The original's hash is in the name: a new model gets a new file.
    let path = folder.join(format!("ggml-{name}-{}.bin", &model.sha256[..8]));
    if !path.is_file() {
        // A process's own part: two that quantize at once do not mix their bytes.
        let part = path.with_extension(format!("part-{}", std::process::id()));
        let mut from = BufReader::new(fs_err::File::open(&model.path)?);
        let mut out = BufWriter::new(fs_err::File::create(&part).map_err(unusable)?);
        quantize(&mut from, form, &mut out)
            .with_context(|| format!("cannot be quantized: `{}`", model.path.display()))?;
        out.flush()?;
        out.get_ref().sync_all()?;
        fs_err::rename(&part, &path)?;
        remember(&path, &files::sha256_of(&path)?);
    }
    let sha256 = super::sha256_once(&path)?;
    Ok(ModelFile { name, path, sha256 })
}

/// Writes the model in `from`, of 16- or 32-bit floats in whisper.cpp's ggml form, in a smaller
/// form.
fn quantize(from: &mut impl Read, form: Quantization, out: &mut impl Write) -> Result<()> {
    let mut header = [0i32; HEADER];
    for value in &mut header {
        *value = int(from)?;
    }
    ensure!(
        header[0] == 0x6767_6d6c,
        "not a model in whisper.cpp's ggml form"
    );
    ensure!(
        matches!(header[11], 0 | 1),
        "its weights are quantized already"
    );
    header[11] = VERSION + form.numbers().1;
    header
        .iter()
        .try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    let bands = [copy_int(from, out)?, copy_int(from, out)?];
    copy(
        from,
        out,
        bands[0]
            .checked_mul(bands[1])
            .and_then(|n| n.checked_mul(4))
            .context("its filters are too large")?,
    )?;
    for _ in 0..copy_int(from, out)? {
        let length = copy_int(from, out)?;
        copy(from, out, length)?;
    }
    while tensor(from, form, out)? {}
    Ok(())
}

/// The next tensor; `false` after the last.
fn tensor(from: &mut impl Read, form: Quantization, out: &mut impl Write) -> Result<bool> {
    let mut first = [0; 4];
    if from.read(&mut first[..1])? == 0 {
        return Ok(false);
    }
    from.read_exact(&mut first[1..])?;
    let (dimensions, name_length, kind) = (
        size(i32::from_le_bytes(first))?,
        size(int(from)?)?,
        int(from)?,
    );
    ensure!(
        (1..=4).contains(&dimensions) && matches!(kind, 0 | 1),
        "a tensor of an unknown kind"
    );
    let shape = (0..dimensions)
        .map(|_| size(int(from)?))
        .collect::<Result<Vec<usize>>>()?;
    let mut name = vec![0; name_length];
    from.read_exact(&mut name)?;
    let count = shape
        .iter()
        .try_fold(1usize, |n, d| n.checked_mul(*d))
        .filter(|n| *n <= LARGEST);
    let mut data = vec![0; count.context("a tensor is too large")? * if kind == 0 { 4 } else { 2 }];
    from.read_exact(&mut data)?;
    // Vectors and positions stay: they are small, and whisper.cpp reads them as floats.
    let is_matrix = dimensions == 2 && !KEPT.iter().any(|kept| kept.as_bytes() == name);
    let (kind, data) = if is_matrix {
        (
            form.numbers().0 as i32,
            packed(&floats(&data, kind), shape[0], form)?,
        )
    } else {
        (kind, data)
    };
    for value in [dimensions as i32, name_length as i32, kind]
        .into_iter()
        .chain(shape.iter().map(|d| *d as i32))
    {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(&name)?;
    out.write_all(&data)?;
    Ok(true)
}

fn floats(data: &[u8], kind: i32) -> Vec<f32> {
    match kind {
        0 => data
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
        _ => data
            .chunks_exact(2)
            .map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32())
            .collect(),
    }
}

/// Rows of `width` numbers in the smaller form.
#[expect(unsafe_code, reason = "ggml's quantisation has no safe wrapper")]
fn packed(numbers: &[f32], width: usize, form: Quantization) -> Result<Vec<u8>> {
    const BLOCK: usize = 32;
    ensure!(
        width > 0 && width.is_multiple_of(BLOCK),
        "a row of {width} numbers is not made of blocks of {BLOCK}"
    );
    let (kind, rows) = (form.numbers().0, numbers.len() / width);
    // SAFETY: it only computes a number from its arguments.
    let row = unsafe { whisper_rs_sys::ggml_row_size(kind, width as i64) };
    let mut out = vec![0u8; row * rows];
    // SAFETY: `numbers` holds `rows` times `width` floats and `out` has room for as many rows;
    // these forms need no matrix of importance.
    let written = unsafe {
        whisper_rs_sys::ggml_quantize_chunk(
            kind,
            numbers.as_ptr(),
            out.as_mut_ptr().cast(),
            0,
            rows as i64,
            width as i64,
            std::ptr::null(),
        )
    };
    ensure!(
        written == out.len(),
        "ggml wrote {written} bytes instead of {}",
        out.len()
    );
    Ok(out)
}

fn int(from: &mut impl Read) -> Result<i32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

fn size(value: i32) -> Result<usize> {
    usize::try_from(value)
        .ok()
        .filter(|n| *n <= LARGEST)
        .context("a size that no model has")
}

fn copy_int(from: &mut impl Read, out: &mut impl Write) -> Result<usize> {
    let value = int(from)?;
    out.write_all(&value.to_le_bytes())?;
    size(value)
}

fn copy(from: &mut impl Read, out: &mut impl Write, length: usize) -> Result<()> {
    let copied = std::io::copy(&mut from.take(length as u64), out)?;
    ensure!(copied == length as u64, "it ends too early");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_form() {
        assert_eq!(
            Quantization::split("base-q8_0"),
            Some(("base", Quantization::Q8_0))
        );
        assert_eq!(
            Quantization::split("large-v3-turbo-q5_1"),
            Some(("large-v3-turbo", Quantization::Q5_1))
        );
        assert_eq!(Quantization::split("large-v3"), None);
    }

    #[test]
    fn eight_bits_are_near_and_small() {
        let numbers: Vec<f32> = (0..128).map(|n| (n as f32 * 0.7).sin()).collect();
        let bytes = packed(&numbers, 64, Quantization::Q8_0).expect("whole blocks");
        // A block is its scale as a 16-bit float, then 32 numbers of 8 bits.
        assert_eq!(bytes.len(), 4 * 34);
        for (block, numbers) in bytes.chunks_exact(34).zip(numbers.chunks_exact(32)) {
            let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
            let near = |(byte, number): (&u8, &f32)| {
                (f32::from(*byte as i8) * scale - number).abs() <= scale
            };
            assert!(block[2..].iter().zip(numbers).all(near));
        }
        assert_eq!(
            packed(&numbers, 64, Quantization::Q5_1)
                .expect("whole blocks")
                .len(),
            4 * 24
        );
        assert!(packed(&numbers, 48, Quantization::Q8_0).is_err());
    }

    #[test]
    fn what_is_no_model_is_an_error() {
        for bytes in [
            &b""[..],
            b"lmgg",
            b"GGUF and more that is no model of Whisper's at all, whatever it is",
        ] {
            assert!(quantize(&mut &bytes[..], Quantization::Q8_0, &mut Vec::new()).is_err());
        }
    }
}
