//! The `ToUnicode` map of a font, from its codes to text (ISO 32000-1, 9.10.3). Hides its PostScript;
//! what is malformed is passed over.

use std::collections::BTreeMap;

/// Entries of one map that are kept.
const MOST: usize = 200_000;

/// Text by code, and how many bytes a code has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ToUnicode {
    /// The text of a code.
    pub texts: BTreeMap<u32, String>,
    /// Bytes of a code, where the map says it.
    pub code_bytes: Option<usize>,
}

/// Reads a map.
pub fn parse(source: &[u8]) -> ToUnicode {
    let mut map = ToUnicode::default();
    let mut held: Vec<Token> = Vec::new();
    for token in tokens(source) {
        match token {
            Token::Word(word) => {
                match word {
                    b"endbfchar" => add_chars(&mut map, &held),
                    b"endbfrange" => add_ranges(&mut map, &held),
                    b"endcodespacerange" => {
                        map.code_bytes = held.iter().find_map(Token::bytes).map(<[u8]>::len);
                    }
                    _ => {}
                }
                held.clear();
            }
            other if held.len() < 2 * MOST => held.push(other),
            _ => {}
        }
    }
    map
}

#[derive(Debug)]
enum Token<'a> {
    Bytes(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl Token<'_> {
    fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self {
            Some(bytes)
        } else {
            None
        }
    }
}

fn tokens(source: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut rest = source;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let (&first, after) = rest.split_first()?;
        let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'[' | b']');
        let (token, length) = match first {
            b'<' if after.first() != Some(&b'<') => {
                let end = after.iter().position(|b| *b == b'>').unwrap_or(after.len());
                (Token::Bytes(hex(&after[..end])), end + 2)
            }
            b'[' => (Token::Open, 1),
            b']' => (Token::Close, 1),
            _ => {
                let end = after
                    .iter()
                    .position(is_end)
                    .map_or(rest.len(), |end| end + 1);
                (Token::Word(&rest[..end]), end)
            }
        };
        rest = rest.get(length..).unwrap_or_default();
        Some(token)
    })
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let values: Vec<u8> = digits
        .iter()
        .filter_map(|b| char::from(*b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    values
        .chunks(2)
        .map(|pair| pair[0] * 16 + pair.get(1).copied().unwrap_or(0))
        .collect()
}

fn add_chars(map: &mut ToUnicode, held: &[Token]) {
    for pair in held.chunks_exact(2) {
        if let (Some(code), Some(text)) = (pair[0].bytes().and_then(number), pair[1].bytes()) {
            add(map, code, utf16(text));
        }
    }
}

fn add_ranges(map: &mut ToUnicode, held: &[Token]) {
    let mut held = held.iter();
    while let (Some(first), Some(last), Some(target)) = (held.next(), held.next(), held.next()) {
        let Some((first, last)) = first
            .bytes()
            .and_then(number)
            .zip(last.bytes().and_then(number))
        else {
            return;
        };
        match target {
            Token::Bytes(start) => add_range(map, first, last, start),
            Token::Open => {
                let items = held
                    .by_ref()
                    .take_while(|token| !matches!(token, Token::Close));
                for (code, text) in (first..).zip(items.filter_map(Token::bytes)) {
                    add(map, code, utf16(text));
                }
            }
            Token::Close | Token::Word(_) => return,
        }
    }
}

/// Codes `first` to `last` mean the text `start` with its last unit counted up.
fn add_range(map: &mut ToUnicode, first: u32, last: u32, start: &[u8]) {
    let Some((unit, before)) = utf16_units(start)
        .split_last()
        .map(|(unit, before)| (*unit, before.to_vec()))
    else {
        return;
    };
    for (step, code) in (first..=last.min(first.saturating_add(0xffff))).enumerate() {
        let units: Vec<u16> = before
            .iter()
            .copied()
            .chain([unit.wrapping_add(step as u16)])
            .collect();
        add(map, code, String::from_utf16_lossy(&units));
        if map.texts.len() >= MOST {
            return;
        }
    }
}

fn add(map: &mut ToUnicode, code: u32, text: String) {
    if map.texts.len() < MOST {
        map.texts.insert(code, text);
    }
}

fn number(bytes: &[u8]) -> Option<u32> {
    (1..=4)
        .contains(&bytes.len())
        .then(|| bytes.iter().fold(0, |n, b| n << 8 | u32::from(*b)))
}

fn utf16_units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [one] => vec![u16::from(*one)],
        _ => bytes
            .chunks_exact(2)
            .take(64)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect(),
    }
}

/// Big-endian UTF-16, at most 64 units of it.
pub fn utf16(bytes: &[u8]) -> String {
    String::from_utf16_lossy(&utf16_units(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &[(u32, &str)]) {
        let texts: Vec<(u32, String)> = parse(source.as_bytes()).texts.into_iter().collect();
        let expect: Vec<(u32, String)> = expect
            .iter()
            .map(|(code, text)| (*code, (*text).to_owned()))
            .collect();
        assert_eq!(texts, expect, "{source}");
    }

    #[test]
    fn characters_and_ranges() {
        check(
            "2 beginbfchar <01> <0041> <0002><00660069> endbfchar",
            &[(1, "A"), (2, "fi")],
        );
        check(
            "1 beginbfrange <10> <12> <571F> endbfrange",
            &[(16, "土"), (17, "圠"), (18, "圡")],
        );
        check(
            "1 beginbfrange <10> <12> [<0061> <D83D DE00>] endbfrange",
            &[(16, "a"), (17, "😀")],
        );
        assert_eq!(
            parse(b"1 begincodespacerange <0000> <FFFF> endcodespacerange").code_bytes,
            Some(2)
        );
    }

    #[test]
    fn malformed_maps_are_read_as_far_as_they_go() {
        check("beginbfchar <01> <0041> <02 endbfchar", &[]);
        check("beginbfchar <01> <0041> <02> endbfchar", &[(1, "A")]);
        check("beginbfrange <01> ] <0041> endbfrange", &[]);
        check("beginbfrange <02> <01> <0041> endbfrange", &[]);
        check("<<< >>> [[ ]] ( << /a", &[]);
        let huge = parse(b"beginbfrange <00000000> <ffffffff> <0000> endbfrange");
        assert_eq!(huge.texts.len(), 65_536);
    }
}
