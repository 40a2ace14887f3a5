//! A Whisper model as whisper.cpp reads it: header, mel filters, vocabulary, named tensors. The
//! tensors come in the order of the publisher's files, byte for byte; matrices stay 16-bit, vectors
//! and positions become 32-bit.

use std::io::Write;

use anyhow::{Context as _, Result, ensure};
use half::f16;

use super::{
    ct2::{Array, Arrays},
    mel,
};

const MAGIC: i32 = 0x6767_6d6c;
/// Matrices are 16-bit floats.
const FILE_TYPE: i32 = 1;
/// All Whisper models have heads of this size.
const HEAD: usize = 64;
/// Plain tokens of the vocabulary; whisper.cpp makes the special ones itself.
const PLAIN_TOKENS: usize = 50_257;
const END_OF_TEXT: &str = "<|endoftext|>";

/// Writes the CTranslate2 model in `model_bin` with the vocabulary of `tokenizer` (a
/// `tokenizer.json`) to `out`.
pub fn convert(model_bin: &[u8], tokenizer: &[u8], out: &mut impl Write) -> Result<()> {
    let arrays = Arrays::parse(model_bin)?;
    let embedding = arrays.get("decoder/embeddings/weight")?.shape.to_vec();
    let (hear, say) = (
        positions(&arrays, "encoder")?,
        positions(&arrays, "decoder")?,
    );
    let bands = arrays
        .get("encoder/conv1/weight")?
        .shape
        .get(1)
        .copied()
        .unwrap_or_default();
    ensure!(
        matches!(bands, 80 | 128),
        "not a Whisper model: it has {bands} mel bands instead of 80 or 128"
    );
    ensure!(
        embedding.len() == 2 && embedding[1] == say[1],
        "the decoder's embeddings have an unexpected shape"
    );
    let (layers_heard, layers_said) = (arrays.layers("encoder"), arrays.layers("decoder"));
    ensure!(
        layers_heard > 0 && layers_said > 0,
        "the model has no layers"
    );
    let header = [
        embedding[0],
        hear[0],
        hear[1],
        hear[1] / HEAD,
        layers_heard,
        say[0],
        say[1],
        say[1] / HEAD,
        layers_said,
        bands,
    ];
    out.write_all(&MAGIC.to_le_bytes())?;
    for value in header {
        int(out, value)?;
    }
    out.write_all(&FILE_TYPE.to_le_bytes())?;
    int(out, bands)?;
    int(out, mel::BINS)?;
    for weight in mel::filters(bands) {
        out.write_all(&weight.to_le_bytes())?;
    }
    let tokens = vocabulary(tokenizer)?;
    int(out, tokens.len())?;
    for token in tokens {
        int(out, token.len())?;
        out.write_all(&token)?;
    }
    tensors(&arrays, out)
}

fn positions(arrays: &Arrays<'_>, half: &str) -> Result<[usize; 2]> {
    let shape = arrays
        .get(&format!("{half}/position_encodings/encodings"))?
        .shape;
    <[usize; 2]>::try_from(shape)
        .with_context(|| format!("the {half}'s positions have an unexpected shape"))
}

fn int(out: &mut impl Write, value: usize) -> Result<()> {
    Ok(out.write_all(&i32::try_from(value)?.to_le_bytes())?)
}

/// The plain tokens' bytes in order of their ids, the end of text last where English models have
/// it.
fn vocabulary(tokenizer: &[u8]) -> Result<Vec<Vec<u8>>> {
    #[derive(serde::Deserialize)]
    struct Tokenizer {
        model: Inner,
    }
    #[derive(serde::Deserialize)]
    struct Inner {
        vocab: std::collections::HashMap<String, usize>,
    }
    let parsed: Tokenizer =
        serde_json::from_slice(tokenizer).context("`tokenizer.json` has an unexpected shape")?;
    let mut plain: Vec<(usize, String)> = parsed
        .model
        .vocab
        .into_iter()
        .map(|(text, id)| (id, text))
        .filter(|(id, _)| *id < PLAIN_TOKENS)
        .collect();
    plain.sort_unstable();
    ensure!(
        plain.iter().enumerate().all(|(i, (id, _))| i == *id),
        "the vocabulary has a gap"
    );
    let mut tokens = plain
        .iter()
        .map(|(_, text)| {
            if text == END_OF_TEXT {
                Ok(text.clone().into_bytes())
            } else {
                bytes_of(text)
            }
        })
        .collect::<Result<Vec<_>>>()?;
    // Where the vocabulary lacks it, the end of text is an added token.
    if tokens.len() + 1 == PLAIN_TOKENS {
        tokens.push(END_OF_TEXT.as_bytes().to_vec());
    }
    ensure!(
        tokens.len() == PLAIN_TOKENS,
        "the vocabulary has {} plain tokens instead of {PLAIN_TOKENS}",
        tokens.len()
    );
    Ok(tokens)
}

/// GPT-2 writes every byte as a printable character: those that are printable as themselves, the
/// others from U+0100 on.
fn bytes_of(token: &str) -> Result<Vec<u8>> {
    token
        .chars()
        .map(|c| byte_of(c).with_context(|| format!("not a token of this alphabet: `{token}`")))
        .collect()
}

fn byte_of(c: char) -> Option<u8> {
    let code = u32::from(c);
    let itself = |b: u8| matches!(b, 33..=126 | 161..=172 | 174..=255);
    match u8::try_from(code) {
        Ok(byte) if itself(byte) => Some(byte),
        Ok(_) => None,
        Err(_) => (0..=255u8)
            .filter(|b| !itself(*b))
            .nth(usize::try_from(code - 256).ok()?),
    }
}

fn tensors(arrays: &Arrays<'_>, out: &mut impl Write) -> Result<()> {
    let mut writer = Writer { arrays, out };
    writer.copy(
        "decoder.positional_embedding",
        "decoder/position_encodings/encodings",
    )?;
    writer.copy(
        "encoder.positional_embedding",
        "encoder/position_encodings/encodings",
    )?;
    writer.copy(
        "decoder.token_embedding.weight",
        "decoder/embeddings/weight",
    )?;
    for i in 0..arrays.layers("decoder") {
        let (to, from) = (format!("decoder.blocks.{i}"), format!("decoder/layer_{i}"));
        writer.shared_layer(&to, &from)?;
        writer.norm(
            &format!("{to}.cross_attn_ln"),
            &format!("{from}/attention/layer_norm"),
        )?;
        writer.cross_attention(&format!("{to}.cross_attn"), &format!("{from}/attention"))?;
    }
    writer.norm("decoder.ln", "decoder/layer_norm")?;
    for conv in ["conv1", "conv2"] {
        writer.linear(&format!("encoder.{conv}"), &format!("encoder/{conv}"))?;
    }
    for i in 0..arrays.layers("encoder") {
        writer.shared_layer(
            &format!("encoder.blocks.{i}"),
            &format!("encoder/layer_{i}"),
        )?;
    }
    writer.norm("encoder.ln_post", "encoder/layer_norm")
}

struct Writer<'a, W> {
    arrays: &'a Arrays<'a>,
    out: &'a mut W,
}

impl<W: Write> Writer<'_, W> {
    /// What encoder and decoder layers have in common.
    fn shared_layer(&mut self, to: &str, from: &str) -> Result<()> {
        self.norm(&format!("{to}.mlp_ln"), &format!("{from}/ffn/layer_norm"))?;
        self.linear(&format!("{to}.mlp.0"), &format!("{from}/ffn/linear_0"))?;
        self.linear(&format!("{to}.mlp.2"), &format!("{from}/ffn/linear_1"))?;
        self.norm(
            &format!("{to}.attn_ln"),
            &format!("{from}/self_attention/layer_norm"),
        )?;
        self.self_attention(&format!("{to}.attn"), &format!("{from}/self_attention"))
    }

    /// Query, key and value are stacked in one matrix; keys have no bias.
    fn self_attention(&mut self, to: &str, from: &str) -> Result<()> {
        let linear = format!("{from}/linear_0");
        self.rows(&format!("{to}.query"), &linear, 0, 3)?;
        self.key(to, &linear, 1, 3)?;
        self.rows(&format!("{to}.value"), &linear, 2, 3)?;
        self.linear(&format!("{to}.out"), &format!("{from}/linear_1"))
    }

    /// The query stands alone; key and value are stacked.
    fn cross_attention(&mut self, to: &str, from: &str) -> Result<()> {
        let linear = format!("{from}/linear_1");
        self.linear(&format!("{to}.query"), &format!("{from}/linear_0"))?;
        self.key(to, &linear, 0, 2)?;
        self.rows(&format!("{to}.value"), &linear, 1, 2)?;
        self.linear(&format!("{to}.out"), &format!("{from}/linear_2"))
    }

    fn key(&mut self, to: &str, from: &str, part: usize, parts: usize) -> Result<()> {
        let arrays = self.arrays;
        let (shape, bytes) = slice(arrays.get(&format!("{from}/weight"))?, part, parts)?;
        let (_, bias) = slice(arrays.get(&format!("{from}/bias"))?, part, parts)?;
        ensure!(
            bias.chunks_exact(2)
                .all(|b| f16::from_le_bytes([b[0], b[1]]) == f16::ZERO),
            "a key has a bias: `{from}`"
        );
        self.tensor(&format!("{to}.key.weight"), &shape, bytes)
    }

    fn rows(&mut self, to: &str, from: &str, part: usize, parts: usize) -> Result<()> {
        let arrays = self.arrays;
        for kind in ["weight", "bias"] {
            let (shape, bytes) = slice(arrays.get(&format!("{from}/{kind}"))?, part, parts)?;
            self.tensor(&format!("{to}.{kind}"), &shape, bytes)?;
        }
        Ok(())
    }

    fn linear(&mut self, to: &str, from: &str) -> Result<()> {
        self.copy(&format!("{to}.weight"), &format!("{from}/weight"))?;
        self.copy(&format!("{to}.bias"), &format!("{from}/bias"))
    }

    fn norm(&mut self, to: &str, from: &str) -> Result<()> {
        self.copy(&format!("{to}.weight"), &format!("{from}/gamma"))?;
        self.copy(&format!("{to}.bias"), &format!("{from}/beta"))
    }

    fn copy(&mut self, to: &str, from: &str) -> Result<()> {
        let array = self.arrays.get(from)?;
        self.tensor(to, array.shape, array.bytes)
    }

    fn tensor(&mut self, name: &str, shape: &[usize], bytes: &[u8]) -> Result<()> {
        // whisper.cpp adds the biases of the convolutions to columns.
        let column = matches!(name, "encoder.conv1.bias" | "encoder.conv2.bias");
        let single = shape.len() < 2 || name.ends_with("positional_embedding");
        let shape: Vec<usize> = if column {
            vec![shape.iter().product(), 1]
        } else {
            shape.to_vec()
        };
        int(self.out, shape.len())?;
        int(self.out, name.len())?;
        int(self.out, usize::from(!single))?;
        for dimension in shape.iter().rev() {
            int(self.out, *dimension)?;
        }
        self.out.write_all(name.as_bytes())?;
        if !single {
            return Ok(self.out.write_all(bytes)?);
        }
        for two in bytes.chunks_exact(2) {
            self.out
                .write_all(&f16::from_le_bytes([two[0], two[1]]).to_f32().to_le_bytes())?;
        }
        Ok(())
    }
}

/// Part `part` of `parts` equal stacks of rows.
fn slice(array: Array<'_>, part: usize, parts: usize) -> Result<(Vec<usize>, &[u8])> {
    let rows = array.shape.first().copied().unwrap_or(0);
    ensure!(
        rows > 0 && rows % parts == 0,
        "a stack of {rows} rows cannot be split into {parts}"
    );
    let mut shape = array.shape.to_vec();
    shape[0] = rows / parts;
    let length = array.bytes.len() / parts;
    Ok((shape, &array.bytes[part * length..(part + 1) * length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_their_bytes() {
        assert_eq!(bytes_of("Ġthe").expect("a token"), b" the");
        assert_eq!(bytes_of("ä½ł").expect("a token"), "你".as_bytes());
        assert!(bytes_of("你").is_err());
        let all: std::collections::BTreeSet<u8> = (33..=323)
            .filter_map(char::from_u32)
            .filter_map(byte_of)
            .collect();
        assert_eq!(all.len(), 256);
    }
}
