//! The file `model.bin` of a Whisper model in CTranslate2 form: a list of named, typed arrays, then
//! aliases. Everything is checked against the file's length before it is believed; 32-bit arrays
//! are rounded to 16 bits.

use std::{borrow::Cow, collections::BTreeMap};

use anyhow::{Context as _, Result, bail, ensure};
use half::f16;

/// The only layout that is known.
const VERSION: u32 = 6;
const SPEC: &str = "WhisperSpec";

/// An array of the file.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its dimensions, slowest first.
    pub shape: &'a [usize],
    /// Its elements, 16-bit floats, little-endian.
    pub bytes: &'a [u8],
}

/// The arrays of floating-point numbers of a file by name.
#[derive(Debug)]
pub struct Arrays<'a> {
    arrays: BTreeMap<String, (Vec<usize>, Cow<'a, [u8]>)>,
}

impl<'a> Arrays<'a> {
    /// Reads the bytes of a `model.bin`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader { bytes };
        let version = reader.u32().context("the file is too short")?;
        ensure!(
            version == VERSION,
            "unknown version of the CTranslate2 format: `{version}`, known is {VERSION}"
        );
        let spec = reader.string()?;
        ensure!(spec == SPEC, "not a Whisper model: `{spec}`");
        reader.u32()?;
        let count = reader.u32()?;
        let mut arrays = BTreeMap::new();
        for _ in 0..count {
            let (name, shape, kind, data) = reader.array()?;
            match kind {
                FLOAT16 => drop(arrays.insert(name, (shape, Cow::Borrowed(data)))),
                // The publisher's ggml files hold 16-bit matrices, and ours must be the same bytes.
                FLOAT32 => drop(arrays.insert(name, (shape, Cow::Owned(rounded(data))))),
                _ if name.ends_with("/weight") => {
                    bail!(
                        "quantised weights cannot be converted: `{name}`; use the model's float16 or float32 form"
                    )
                }
                _ => {}
            }
        }
        Ok(Self { arrays })
    }

    /// The array called `name`.
    pub fn get(&self, name: &str) -> Result<Array<'_>> {
        let (shape, bytes) = self
            .arrays
            .get(name)
            .with_context(|| format!("the model lacks `{name}`"))?;
        Ok(Array { shape, bytes })
    }

    /// How many layers `encoder` or `decoder` has.
    pub fn layers(&self, half: &str) -> usize {
        (0..1000usize)
            .take_while(|i| {
                self.arrays
                    .contains_key(&format!("{half}/layer_{i}/layer_norm/gamma"))
                    || self
                        .arrays
                        .contains_key(&format!("{half}/layer_{i}/ffn/linear_0/weight"))
            })
            .count()
    }
}

const FLOAT32: u8 = 0;
const FLOAT16: u8 = 4;

fn rounded(data: &[u8]) -> Vec<u8> {
    let (numbers, _) = data.as_chunks::<4>();
    numbers
        .iter()
        .flat_map(|number| f16::from_f32(f32::from_le_bytes(*number)).to_le_bytes())
        .collect()
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        ensure!(n <= self.bytes.len(), "the file ends too early");
        let (taken, rest) = self.bytes.split_at(n);
        self.bytes = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Result<u32> {
        let four: [u8; 4] = self.take(4)?.try_into()?;
        Ok(u32::from_le_bytes(four))
    }

    /// Length with the closing zero byte, then the text.
    fn string(&mut self) -> Result<String> {
        let two: [u8; 2] = self.take(2)?.try_into()?;
        let bytes = self.take(usize::from(u16::from_le_bytes(two)))?;
        let text = bytes.strip_suffix(&[0]).context("a name does not end")?;
        Ok(std::str::from_utf8(text)
            .context("a name is not UTF-8")?
            .to_owned())
    }

    fn array(&mut self) -> Result<(String, Vec<usize>, u8, &'a [u8])> {
        let name = self.string()?;
        let rank = self.u8()?;
        let shape = (0..rank)
            .map(|_| Ok(self.u32()? as usize))
            .collect::<Result<Vec<_>>>()?;
        let kind = self.u8()?;
        let length = self.u32()? as usize;
        let data = self.take(length).with_context(|| format!("in `{name}`"))?;
        if let Some(size) = [(FLOAT32, 4), (FLOAT16, 2)]
            .into_iter()
            .find_map(|(k, size)| (k == kind).then_some(size))
        {
            // A hostile shape may overflow the product.
            let elements = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
            ensure!(
                elements.and_then(|n| n.checked_mul(size)) == Some(length),
                "`{name}` is not as long as its shape says"
            );
        }
        Ok((name, shape, kind, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Vec<u8> {
        let mut bytes = (text.len() as u16 + 1).to_le_bytes().to_vec();
        bytes.extend(text.bytes());
        bytes.push(0);
        bytes
    }

    fn file() -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.extend(string(SPEC));
        bytes.extend(3u32.to_le_bytes());
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(string("encoder/conv1/weight"));
        bytes.push(2);
        bytes.extend([1, 0, 0, 0, 1, 0, 0, 0, FLOAT32, 4, 0, 0, 0]);
        bytes.extend(1.5f32.to_le_bytes());
        bytes.extend(string("encoder/conv1/bias"));
        bytes.push(1);
        bytes.extend(2u32.to_le_bytes());
        bytes.push(FLOAT16);
        bytes.extend(4u32.to_le_bytes());
        bytes.extend([0, 60, 0, 64]);
        bytes
    }

    #[test]
    fn reads_what_was_written() {
        let file = file();
        let arrays = Arrays::parse(&file).expect("the file is whole");
        let bias = arrays.get("encoder/conv1/bias").expect("it is there");
        assert_eq!(
            (bias.shape, bias.bytes),
            (&[2usize][..], &[0u8, 60, 0, 64][..])
        );
        let weight = arrays.get("encoder/conv1/weight").expect("it is there");
        assert_eq!(
            (weight.shape, weight.bytes),
            (&[1usize, 1][..], &f16::from_f32(1.5).to_le_bytes()[..])
        );
        assert!(arrays.get("encoder/conv2/bias").is_err());
    }

    #[test]
    fn cut_anywhere_it_is_an_error_and_no_panic() {
        let file = file();
        for end in 0..file.len() {
            assert!(Arrays::parse(&file[..end]).is_err(), "cut at {end}");
        }
    }

    /// What is still read after a byte was changed fits together, and of each group of bytes it is
    /// known how many changes are refused.
    #[test]
    fn a_changed_byte_is_refused_or_changes_a_number_or_a_name() {
        let file = file();
        let mut refused = Vec::new();
        for at in 0..file.len() {
            for value in [0, 1, 127, 255].into_iter().filter(|v| *v != file[at]) {
                let mut changed = file.clone();
                changed[at] = value;
                let Ok(arrays) = Arrays::parse(&changed) else {
                    refused.push(at);
                    continue;
                };
                for (name, (shape, bytes)) in &arrays.arrays {
                    let elements: usize = shape.iter().product();
                    assert_eq!(bytes.len(), 2 * elements, "{at} {value} {name}");
                }
            }
        }
        // The version, the length and the letters of the format's name, and its end.
        let head = 4 + 2 + SPEC.len() + 1;
        let of_head = refused.iter().filter(|at| **at < head).count();
        let changes = file[..head]
            .iter()
            .map(|byte| 4 - usize::from([0, 1, 127, 255].contains(byte)))
            .sum::<usize>();
        assert_eq!(of_head, changes, "all of them");
        // The number that nobody reads, and the numbers in the arrays, may be anything.
        for free in [head..head + 4, file.len() - 4..file.len()] {
            assert!(!refused.iter().any(|at| free.contains(at)), "{free:?}");
        }
    }
}
