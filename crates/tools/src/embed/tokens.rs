//! SentencePiece tokens: a text as the ids of its pieces, as the unigram model cuts it (Kudo and
//! Richardson 2018): folded by the model's own table, then cut in the most probable way. Hides the
//! file's layout, the table's trie and the lattice.

use std::ops::Range;

use anyhow::{Context as _, Result, ensure};

/// Bytes of a text that are read; far more than the tokens that the encoder takes.
const MOST_BYTES: usize = 16 << 10;
/// The id of unknown pieces, of the beginning and of the end.
const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;
/// Penalty of an unknown character, in log-probability below the least probable piece.
const PENALTY: f32 = 10.0;
/// The kind of a piece that may stand in a text; the others are signs of the model's own, which no
/// text can write.
const NORMAL: u64 = 1;
/// Stands for a space.
const SPACE: &str = "\u{2581}";

/// The tokenizer of a model.
#[derive(Debug)]
pub struct Tokens {
    /// Sorted by their bytes.
    pieces: Vec<Piece>,
    /// The score of an unknown character.
    unknown: f32,
    /// How many numbers there are.
    count: usize,
    fold: Fold,
}

#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    id: u32,
    score: f32,
}

impl Tokens {
    /// Reads the bytes of an `sp.model`.
    pub fn parse(model: &[u8]) -> Result<Self> {
        let (mut pieces, mut count, mut fold) = (Vec::new(), 0, Fold::default());
        for (number, value) in fields(model)? {
            match (number, value) {
                (1, Value::Bytes(bytes)) => {
                    // Ids count all pieces, also those that no text can have.
                    pieces.extend(piece(bytes, count as u32)?);
                    count += 1;
                }
                (3, Value::Bytes(bytes)) => fold = Fold::parse(bytes)?,
                _ => {}
            }
        }
        ensure!(!pieces.is_empty(), "the model has no pieces");
        let least = pieces
            .iter()
            .map(|piece| piece.score)
            .fold(f32::INFINITY, f32::min);
        pieces.sort_by(|x, y| x.bytes.cmp(&y.bytes));
        Ok(Self {
            pieces,
            unknown: least - PENALTY,
            count,
            fold,
        })
    }

    /// How many numbers there are: each is below it.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of a text's pieces between those of beginning and end; `most` at most, and at
    /// least these two. Of characters in a row that the model does not know there is one number.
    pub fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let folded = self
            .fold
            .apply(&text[..text.floor_char_boundary(MOST_BYTES)]);
        let mut ids = vec![BEGIN];
        for id in self.cut(&folded) {
            if id != UNKNOWN || ids.last() != Some(&UNKNOWN) {
                ids.push(id);
            }
        }
        ids.truncate(most.saturating_sub(1).max(1));
        ids.push(END);
        ids
    }

    /// The most probable pieces of a folded text (Viterbi).
    fn cut(&self, text: &str) -> Vec<u32> {
        let mut steps = vec![
            Step {
                score: f32::NEG_INFINITY,
                from: 0,
                id: UNKNOWN
            };
            text.len() + 1
        ];
        steps[0].score = 0.0;
        for (start, first) in text.char_indices() {
            let (reached, single) = (steps[start].score, start + first.len_utf8());
            let mut known = false;
            let mut these = 0..self.pieces.len();
            for (depth, byte) in text.as_bytes()[start..].iter().enumerate() {
                these = self.narrow(these, depth, *byte);
                let Some(piece) = self.pieces[these.clone()].first() else {
                    break;
                };
                let end = start + depth + 1;
                if piece.bytes.len() == depth + 1 {
                    // Where a piece covers the one character, the unknown one is never the better
                    // way.
                    known |= end == single;
                    steps[end].offer(reached + piece.score, start, piece.id);
                }
            }
            if !known {
                steps[single].offer(reached + self.unknown, start, UNKNOWN);
            }
        }
        let mut ids = Vec::new();
        let mut at = text.len();
        while at > 0 {
            ids.push(steps[at].id);
            at = steps[at].from;
        }
        ids.reverse();
        ids
    }

    /// The pieces of the range, which agree in `depth` bytes, that have `byte` next.
    fn narrow(&self, these: Range<usize>, depth: usize, byte: u8) -> Range<usize> {
        let slice = &self.pieces[these.clone()];
        let from = slice.partition_point(|piece| piece.bytes.get(depth) < Some(&byte));
        let length = slice[from..].partition_point(|piece| piece.bytes.get(depth) == Some(&byte));
        these.start + from..these.start + from + length
    }
}

/// The best segmentation up to a place in the text.
#[derive(Clone, Copy)]
struct Step {
    score: f32,
    from: usize,
    id: u32,
}

impl Step {
    fn offer(&mut self, score: f32, from: usize, id: u32) {
        if score > self.score {
            *self = Self { score, from, id };
        }
    }
}

/// A piece that may stand in a text.
fn piece(bytes: &[u8], id: u32) -> Result<Option<Piece>> {
    let mut piece = Piece {
        bytes: Vec::new(),
        id,
        score: 0.0,
    };
    let mut kind = NORMAL;
    for (number, value) in fields(bytes)? {
        match (number, value) {
            (1, Value::Bytes(text)) => piece.bytes = text.to_vec(),
            (2, Value::Bytes(score)) => {
                piece.score = f32::from_le_bytes(score.try_into().context("a score")?);
            }
            (3, Value::Number(number)) => kind = number,
            _ => {}
        }
    }
    Ok((kind == NORMAL && !piece.bytes.is_empty() && piece.score.is_finite()).then_some(piece))
}

/// The table of character replacements, as a double array (darts-clone) and the texts that it
/// points to.
#[derive(Debug, Default)]
struct Fold {
    units: Vec<u32>,
    texts: Vec<u8>,
}

impl Fold {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let table = fields(bytes)?.into_iter().find_map(|field| match field {
            (2, Value::Bytes(table)) => Some(table),
            _ => None,
        });
        let Some(table) = table.filter(|table| !table.is_empty()) else {
            return Ok(Self::default());
        };
        let (length, rest) = table
            .split_first_chunk::<4>()
            .context("the table of characters ends too early")?;
        let length = u32::from_le_bytes(*length) as usize;
        let (units, texts) = rest
            .split_at_checked(length)
            .context("the table of characters ends too early")?;
        let (units, _) = units.as_chunks::<4>();
        Ok(Self {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            texts: texts.to_vec(),
        })
    }

    /// The folded text: one sign before each word, none twice and none at the end.
    fn apply(&self, text: &str) -> String {
        // SentencePiece puts a space before the first word, so that it is the same piece as in the
        // middle.
        let mut out = SPACE.as_bytes().to_vec();
        let (mut at, mut after_space) = (0, true);
        while at < text.len() {
            let (new, length) = self.longest(text, at);
            at += length;
            for byte in new {
                if *byte != b' ' {
                    out.push(*byte);
                } else if !after_space {
                    out.extend(SPACE.as_bytes());
                }
                after_space = *byte == b' ';
            }
        }
        while out.ends_with(SPACE.as_bytes()) {
            out.truncate(out.len() - SPACE.len());
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The replacement of the longest entry that the text has at `at`, and the entry's length; else
    /// the character itself.
    fn longest<'a>(&'a self, text: &'a str, at: usize) -> (&'a [u8], usize) {
        let mut found = None;
        let mut node = self.units.first().map_or(0, |root| offset(*root));
        for (before, byte) in text.as_bytes()[at..].iter().enumerate() {
            node ^= usize::from(*byte);
            let Some(unit) = self
                .units
                .get(node)
                .filter(|unit| **unit & 0x8000_00ff == u32::from(*byte))
            else {
                break;
            };
            node ^= offset(*unit);
            if let (true, Some(leaf)) = (unit & 0x100 != 0, self.units.get(node)) {
                found = Some((before + 1, (leaf & 0x7fff_ffff) as usize));
            }
        }
        let new = found.and_then(|(length, start)| {
            let rest = self.texts.get(start..)?;
            // An entry may end inside a character only in a broken file.
            text.is_char_boundary(at + length)
                .then(|| (rest.split(|byte| *byte == 0).next().unwrap_or(rest), length))
        });
        new.unwrap_or_else(|| {
            let length = text[at..].chars().next().map_or(1, char::len_utf8);
            (&text.as_bytes()[at..at + length], length)
        })
    }
}

/// How far a unit's children lie from it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}

/// A field of a protobuf message: numbers as such, everything else as its bytes.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let length = match key & 7 {
            0 => {
                fields.push((key >> 3, Value::Number(varint(&mut bytes)?)));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)?)?,
            5 => 4,
            kind => anyhow::bail!("not a SentencePiece model: field of kind `{kind}`"),
        };
        let (value, rest) = bytes
            .split_at_checked(length)
            .context("the SentencePiece model ends too early")?;
        fields.push((key >> 3, Value::Bytes(value)));
        bytes = rest;
    }
    Ok(fields)
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes
            .split_first()
            .context("the SentencePiece model ends too early")?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    anyhow::bail!("not a SentencePiece model: a number without end")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn message(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2];
        let mut length = bytes.len();
        while length > 0x7f {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend(bytes);
        out
    }

    /// A table as a trie: each node has 256 places of its own.
    fn table(entries: &[(&str, &str)]) -> Vec<u8> {
        let (mut units, mut texts) = (vec![0u32; 512], Vec::new());
        units[0] = 256 << 10;
        for (from, to) in entries {
            let mut base = 256;
            let mut last = 0;
            for byte in from.bytes() {
                last = base ^ usize::from(byte);
                if units[last] == 0 {
                    let next = units.len();
                    units[last] = (((next ^ last) as u32) << 10) | u32::from(byte);
                    units.resize(next + 256, 0);
                }
                base = last ^ offset(units[last]);
            }
            units[last] |= 0x100;
            units[base] = texts.len() as u32 | 0x8000_0000;
            texts.extend(to.bytes().chain([0]));
        }
        let mut out = (4 * units.len() as u32).to_le_bytes().to_vec();
        out.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        out.extend(texts);
        out
    }

    /// A model with three signs of its own, some pieces, and a table that knows wide letters,
    /// spaces and a ligature.
    pub fn tiny() -> Vec<u8> {
        let pieces: [(&str, f32, u8); 12] = [
            ("<unk>", 0.0, 2),
            ("<s>", 0.0, 3),
            ("</s>", 0.0, 3),
            ("▁", -3.0, 1),
            ("a", -4.0, 1),
            ("b", -4.0, 1),
            ("ab", -5.0, 1),
            ("▁ab", -5.5, 1),
            ("abab", -9.0, 1),
            ("fi", -6.0, 1),
            ("水", -4.0, 1),
            ("水稻", -6.0, 1),
        ];
        let mut model = Vec::new();
        for (text, score, kind) in pieces {
            let score: Vec<u8> = [2 << 3 | 5]
                .into_iter()
                .chain(score.to_le_bytes())
                .collect();
            model.extend(message(
                1,
                &[message(1, text.as_bytes()), score, vec![3 << 3, kind]].concat(),
            ));
        }
        let table = table(&[
            ("Ａ", "a"),
            ("ﬁ", "fi"),
            ("\u{3000}", " "),
            ("\t", " "),
            ("a\u{301}", "b"),
            ("\u{200b}", ""),
        ]);
        model.extend(message(3, &message(2, &table)));
        model
    }

    fn check(text: &str, expect: &[u32]) {
        let tokens = Tokens::parse(&tiny()).expect("the model is whole");
        let ids = tokens.ids(text, 100);
        assert_eq!((ids[0], ids[ids.len() - 1]), (BEGIN, END), "{text}");
        assert_eq!(&ids[1..ids.len() - 1], expect, "{text}");
    }

    #[test]
    fn the_most_probable_cut_wins() {
        check("ab", &[7]);
        check("b", &[3, 5]);
        // abab (-9) beats ab + ab (-10); behind a space the whole word costs -5.5 - 5.
        check("abab", &[7, 6]);
        check("babab", &[3, 5, 8]);
        check("水稻水", &[3, 11, 10]);
    }

    #[test]
    fn texts_are_folded_first() {
        check("  Ａb\u{3000}\t ab ", &[7, 7]);
        check("ﬁ", &[3, 9]);
        check("a\u{301}", &[3, 5]);
        check("\u{200b}", &[]);
        check("", &[]);
        check(" \t ", &[]);
    }

    #[test]
    fn what_is_unknown_is_one_token_in_a_row() {
        check("ab稻稻xyz水", &[7, UNKNOWN, 10]);
        check("x", &[3, UNKNOWN]);
    }

    /// A stranger's text cannot write the model's own signs.
    #[test]
    fn signs_of_the_model_are_plain_text() {
        check("</s>", &[3, UNKNOWN]);
        check("<s>ab", &[3, UNKNOWN, 6]);
    }

    #[test]
    fn long_texts_are_cut() {
        let tokens = Tokens::parse(&tiny()).expect("the model is whole");
        let long = "ab ".repeat(1 << 20);
        assert_eq!(tokens.ids(&long, 5), [BEGIN, 7, 7, 7, END]);
        assert_eq!(
            tokens.ids(&"水".repeat(100_000), usize::MAX).len(),
            3 + MOST_BYTES / 3
        );
        assert_eq!(tokens.ids("ab", 0), [BEGIN, END]);
    }

    #[test]
    fn cut_or_changed_anywhere_the_file_is_an_error_or_harmless() {
        let model = tiny();
        for at in 0..model.len() {
            let _ = Tokens::parse(&model[..at]);
        }
        for at in (0..model.len()).step_by(7) {
            for value in [0, 1, 127, 255] {
                let mut changed = model.clone();
                changed[at] = value;
                if let Ok(tokens) = Tokens::parse(&changed) {
                    assert!(
                        tokens
                            .ids("Ａb ﬁ 水稻 a\u{301}\u{200b}", 50)
                            .iter()
                            .all(|id| (*id as usize) < tokens.count())
                    );
                }
            }
        }
    }
}
