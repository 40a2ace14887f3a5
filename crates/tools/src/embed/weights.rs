//! The model's file: an `.npz` (a zip of NumPy arrays) that has the `sp.model` before it. Hides
//! names and shapes; all are checked here, so that no computation needs to check again.

use std::{
    collections::BTreeMap,
    io::{Read as _, Seek as _},
    path::Path,
};

use anyhow::{Context as _, Result, bail, ensure};
use zip::ZipArchive;

/// Numbers of a text's vector, of a token's and of a branch's.
pub const WIDTH: usize = 512;
pub const BRANCH: usize = 256;
/// A token's own numbers and those of the three branches.
pub const FEATURES: usize = WIDTH + 3 * BRANCH;
/// Width of the last layers.
pub const HIDDEN: usize = 320;
/// The table of tokens comes in so many parts; a token's number modulo this is its part.
pub const PARTS: usize = 17;
/// Neighbours that each branch looks at, itself included, and how many of them stand before it.
pub const ORDERS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

/// No array and no `sp.model` is larger.
const LARGEST: u64 = 16 << 20;

/// A matrix, row by row.
#[derive(Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

/// Factors and summands of a normalised layer.
#[derive(Debug)]
pub struct Norm {
    pub gain: Vec<f32>,
    pub shift: Vec<f32>,
}

/// A layer: a matrix and what is added.
#[derive(Debug)]
pub struct Layer {
    pub matrix: Matrix,
    pub bias: Vec<f32>,
}

/// All arrays.
#[derive(Debug)]
pub struct Weights {
    /// Of each part the rows of its tokens, a byte a number.
    pub table: Vec<Vec<u8>>,
    /// Of each part what a byte is worth, and what a zero is.
    pub scale: Vec<f32>,
    pub low: Vec<f32>,
    /// A token's numbers to those of all three branches beside each other, and their common norm.
    pub enter: Layer,
    pub entered: Norm,
    /// Of each branch its two layers.
    pub branches: Vec<[Layer; 2]>,
    pub featured: Norm,
    /// The mean token to the text's numbers.
    pub leave: Layer,
    /// The last layers: from what goes in, and past it.
    pub deep: [Matrix; 4],
    pub past: [Matrix; 2],
}

/// The bytes of the `sp.model` and the arrays.
pub fn read(path: &Path) -> Result<(Vec<u8>, Weights)> {
    let mut file = fs_err::File::open(path)?;
    let mut archive =
        ZipArchive::new(&mut file).context("not an encoder's file: there is no archive in it")?;
    // A zip may have anything before it: here it is the tokenizer's model, so that one file is
    // enough.
    let before = archive.offset();
    ensure!(
        (1..=LARGEST).contains(&before),
        "not an encoder's file: no `sp.model` stands before its archive"
    );
    let mut arrays = BTreeMap::new();
    for at in 0..archive.len() {
        let member = archive.by_index(at)?;
        let name = member.name()?.trim_end_matches(".npy").to_owned();
        let mut bytes = Vec::new();
        member.take(LARGEST).read_to_end(&mut bytes)?;
        arrays.insert(name, bytes);
    }
    drop(archive);
    file.rewind()?;
    let mut model = Vec::new();
    file.take(before).read_to_end(&mut model)?;
    Ok((model, weights(&Arrays(arrays))?))
}

fn weights(arrays: &Arrays) -> Result<Weights> {
    let table = (1..=PARTS)
        .map(|part| arrays.rows(&format!("q{part}")))
        .collect::<Result<Vec<_>>>()?;
    ensure!(
        table.iter().all(|part| part.len() == table[0].len()),
        "the parts of the table differ in length"
    );
    Ok(Weights {
        table,
        scale: arrays.numbers("scale", &[PARTS])?,
        low: arrays.numbers("lo", &[PARTS])?,
        enter: Layer {
            matrix: enter(arrays)?,
            bias: arrays.joined("proj_b")?,
        },
        entered: Norm {
            gain: arrays.joined("ln_g")?,
            shift: arrays.joined("ln_b")?,
        },
        branches: ORDERS
            .iter()
            .map(|(order, _)| arrays.branch(*order))
            .collect::<Result<_>>()?,
        featured: Norm {
            gain: arrays.numbers("ln_g", &[FEATURES])?,
            shift: arrays.numbers("ln_b", &[FEATURES])?,
        },
        leave: arrays.layer("cnn_W", "cnn_b", FEATURES, WIDTH)?,
        deep: [
            arrays.matrix("d0", WIDTH, HIDDEN)?,
            arrays.matrix("d1", HIDDEN, HIDDEN)?,
            arrays.matrix("d2", HIDDEN, WIDTH)?,
            arrays.matrix("d3", WIDTH, WIDTH)?,
        ],
        past: [
            arrays.matrix("p1", WIDTH, HIDDEN)?,
            arrays.matrix("p3", HIDDEN, WIDTH)?,
        ],
    })
}

/// The three branches' first matrices beside each other.
fn enter(arrays: &Arrays) -> Result<Matrix> {
    let parts: Vec<Matrix> = ORDERS
        .iter()
        .map(|(order, _)| arrays.matrix(&format!("proj{order}"), WIDTH, BRANCH))
        .collect::<Result<_>>()?;
    let mut values = Vec::new();
    for at in 0..WIDTH {
        for part in &parts {
            values.extend_from_slice(&part.values[at * BRANCH..(at + 1) * BRANCH]);
        }
    }
    Ok(Matrix {
        rows: WIDTH,
        columns: 3 * BRANCH,
        values,
    })
}

/// The archive's members by name, in NumPy's format.
struct Arrays(BTreeMap<String, Vec<u8>>);

impl Arrays {
    /// The content of an array of this type; its shape is compared by `fits`.
    fn content(&self, name: &str, kind: &str, fits: impl Fn(&[usize]) -> bool) -> Result<&[u8]> {
        let bytes = self
            .0
            .get(name)
            .with_context(|| format!("the encoder lacks `{name}`"))?;
        let (found, shape, content) = npy(bytes).with_context(|| format!("in `{name}`"))?;
        if found != kind || !fits(&shape) {
            bail!("`{name}` is another array than the encoder needs: `{found}`, {shape:?}");
        }
        Ok(content)
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let (numbers, _) = self
            .content(name, "<f4", |found| found == shape)?
            .as_chunks::<4>();
        let numbers: Vec<f32> = numbers
            .iter()
            .map(|number| f32::from_le_bytes(*number))
            .collect();
        ensure!(
            numbers.len() == shape.iter().product::<usize>(),
            "`{name}` is not as long as its shape says"
        );
        ensure!(
            numbers.iter().all(|number| number.is_finite()),
            "`{name}` holds what is not a number"
        );
        Ok(numbers)
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix> {
        Ok(Matrix {
            rows,
            columns,
            values: self.numbers(name, &[rows, columns])?,
        })
    }

    fn layer(&self, matrix: &str, bias: &str, rows: usize, columns: usize) -> Result<Layer> {
        Ok(Layer {
            matrix: self.matrix(matrix, rows, columns)?,
            bias: self.numbers(bias, &[columns])?,
        })
    }

    /// The two layers of the branch of an order.
    fn branch(&self, order: usize) -> Result<[Layer; 2]> {
        let layer = |n: usize| {
            self.layer(
                &format!("w{n}_{order}"),
                &format!("b{n}_{order}"),
                order * BRANCH,
                BRANCH,
            )
        };
        Ok([layer(1)?, layer(2)?])
    }

    /// The numbers of all branches, one after the other.
    fn joined(&self, name: &str) -> Result<Vec<f32>> {
        let parts = ORDERS
            .iter()
            .map(|(order, _)| self.numbers(&format!("{name}{order}"), &[BRANCH]));
        Ok(parts.collect::<Result<Vec<_>>>()?.concat())
    }

    /// A part of the table.
    fn rows(&self, name: &str) -> Result<Vec<u8>> {
        let content = self.content(
            name,
            "|u1",
            |shape| matches!(shape, [rows, WIDTH] if *rows > 0),
        )?;
        ensure!(
            !content.is_empty() && content.len().is_multiple_of(WIDTH),
            "`{name}` does not end with a row"
        );
        Ok(content.to_vec())
    }
}

/// Type, shape and content of an array in NumPy's format, version 1.
fn npy(bytes: &[u8]) -> Result<(&str, Vec<usize>, &[u8])> {
    let (start, rest) = bytes
        .split_first_chunk::<10>()
        .context("the array ends too early")?;
    ensure!(start.starts_with(b"\x93NUMPY\x01"), "not an array of NumPy");
    let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
    let (header, content) = rest
        .split_at_checked(length)
        .context("the array ends too early")?;
    let header = std::str::from_utf8(header).context("the array's header is not a text")?;
    ensure!(
        !header.contains("'fortran_order': True"),
        "the array is stored column by column"
    );
    let kind = between(header, "'descr': '", '\'').context("the array has no type")?;
    let shape = between(header, "'shape': (", ')').context("the array has no shape")?;
    let shape = shape
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok((kind, shape, content))
}

fn between<'a>(text: &'a str, from: &str, to: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    let (found, _) = rest.split_once(to)?;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(kind: &str, shape: &str, content: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [
            b"\x93NUMPY\x01\0".as_slice(),
            &length,
            header.as_bytes(),
            content,
        ]
        .concat()
    }

    #[test]
    fn arrays_are_what_they_say() {
        let ones: Vec<u8> = [1f32, 2.0, 3.0, 4.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let nan = f32::NAN.to_le_bytes();
        let arrays = Arrays(BTreeMap::from([
            ("m".into(), array("<f4", "2, 2", &ones)),
            ("v".into(), array("<f4", "4,", &ones)),
            ("short".into(), array("<f4", "4,", &ones[..15])),
            ("nan".into(), array("<f4", "1,", &nan)),
            ("bytes".into(), array("|u1", "1, 512", &[7; 512])),
        ]));
        assert_eq!(
            arrays.matrix("m", 2, 2).expect("a matrix").values,
            [1.0, 2.0, 3.0, 4.0]
        );
        assert_eq!(
            arrays.numbers("v", &[4]).expect("numbers"),
            [1.0, 2.0, 3.0, 4.0]
        );
        assert_eq!(arrays.rows("bytes").expect("a row"), [7; 512]);
        for (name, shape) in [
            ("m", vec![4]),
            ("v", vec![5]),
            ("short", vec![4]),
            ("nan", vec![1]),
            ("none", vec![1]),
        ] {
            assert!(arrays.numbers(name, &shape).is_err(), "{name}");
        }
        assert!(arrays.rows("v").is_err() && arrays.numbers("bytes", &[1, 512]).is_err());
    }

    #[test]
    fn a_broken_array_is_an_error() {
        let whole = array("<f4", "1,", &[0; 4]);
        for end in 0..whole.len() - 4 {
            assert!(npy(&whole[..end]).is_err(), "cut at {end}");
        }
        assert!(npy(&array("<f4", "x", &[])).is_err());
    }
}
