//! Fonts of a PDF: the text and the width of each code. Hides the two families of fonts and the
//! places where a PDF may define a code; without a definition a glyph has no text.

use std::collections::BTreeMap;

use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};

use super::{
    cmap::{self, ToUnicode},
    codes::{Codes, number},
    encoding,
    standard::Face,
    stream::decoded,
};

/// Codes whose widths are kept.
const MOST_WIDTHS: usize = 200_000;

/// A font.
#[derive(Debug)]
pub struct Font {
    /// The codes of a composite font.
    codes: Option<Codes>,
    map: ToUnicode,
    /// The texts of a simple font's codes without a map.
    simple: BTreeMap<u8, String>,
    /// By code in a simple font, by glyph in a composite one.
    widths: BTreeMap<u32, f64>,
    /// The width of codes that are not listed.
    usual_width: UsualWidth,
    /// Bytes that were unpacked to read it.
    pub unpacked: usize,
}

/// How wide the codes are that a font does not list.
#[derive(Debug)]
enum UsualWidth {
    /// All as wide, in units of the font's size.
    Equal(f64),
    /// As the standard font, which need not list any.
    Standard(Face),
}

/// One shown code.
#[derive(Debug, PartialEq)]
pub struct Char {
    /// What it means, where that is known.
    pub text: Option<String>,
    /// How far it moves on, in units of the font's size.
    pub width: f64,
    /// It is the one byte 32, to which word spacing applies.
    pub is_space: bool,
}

impl Font {
    /// Reads a font.
    pub fn new(dict: &Dict) -> Self {
        let name = |key: &str| {
            dict.get::<Name>(key)
                .map(|name| name.as_str().to_owned())
                .unwrap_or_default()
        };
        let source = dict
            .get::<Stream>("ToUnicode")
            .map(|stream| decoded(&stream))
            .unwrap_or_default();
        let (map, subtype) = (cmap::parse(&source), name("Subtype"));
        if subtype == "Type0" {
            let inner = dict
                .get::<Array>("DescendantFonts")
                .and_then(|fonts| fonts.iter::<Dict>().next());
            return Self::composite(dict, map, &inner.unwrap_or_default(), source.len());
        }
        let base_font = name("BaseFont");
        let (widths, missing) = simple_widths(dict, &subtype);
        let standard = || UsualWidth::Standard(Face::named(&base_font));
        let program = dict
            .get::<Dict>("FontDescriptor")
            .and_then(|descriptor| descriptor.get::<Stream>("FontFile"));
        let program = program.map(|stream| decoded(&stream)).unwrap_or_default();
        let simple = simple_texts(dict, &base_font, &program);
        let unpacked = source.len() + program.len();
        Self {
            codes: None,
            map,
            simple,
            widths,
            usual_width: missing.map_or_else(standard, UsualWidth::Equal),
            unpacked,
        }
    }

    fn composite(dict: &Dict, map: ToUnicode, inner: &Dict, unpacked: usize) -> Self {
        let usual_width = inner.get::<f64>("DW").unwrap_or(1_000.0) / 1_000.0;
        let widths = inner
            .get::<Array>("W")
            .map(|list| composite_widths(&list))
            .unwrap_or_default();
        let length = map.code_bytes.filter(|length| (1..=4).contains(length));
        let codes = Codes::new(dict, inner, length.unwrap_or(2));
        let unpacked = unpacked + codes.unpacked;
        Self {
            codes: Some(codes),
            map,
            simple: BTreeMap::new(),
            widths,
            usual_width: UsualWidth::Equal(usual_width),
            unpacked,
        }
    }

    /// The characters of a shown string.
    pub fn chars(&self, bytes: &[u8]) -> Vec<Char> {
        let mut rest = bytes;
        let mut chars = Vec::new();
        while !rest.is_empty() {
            let (length, char) = self.first(rest);
            chars.push(char);
            rest = &rest[length..];
        }
        chars
    }

    /// The character that `bytes` begin with, and how many of them it takes.
    fn first(&self, bytes: &[u8]) -> (usize, Char) {
        let (length, glyph) = match &self.codes {
            Some(codes) => codes.first(bytes),
            None => (1, u32::from(bytes[0])),
        };
        let code = &bytes[..length];
        let mapped = self.map.texts.get(&number(code));
        let text = mapped.filter(|text| !text.is_empty()).cloned();
        let text = text.or_else(|| match &self.codes {
            Some(codes) => codes.text(glyph),
            None => self.simple.get(&bytes[0]).cloned(),
        });
        let width = match (self.widths.get(&glyph), &self.usual_width) {
            (Some(width), _) | (None, UsualWidth::Equal(width)) => *width,
            (None, UsualWidth::Standard(face)) => face.width(text.as_deref().unwrap_or("n")),
        };
        let is_space = code == [32];
        (
            length,
            Char {
                text,
                width,
                is_space,
            },
        )
    }
}

/// The widths of a simple font and of its other codes, where it lists any.
fn simple_widths(dict: &Dict, subtype: &str) -> (BTreeMap<u32, f64>, Option<f64>) {
    let drawn = || {
        dict.get::<Array>("FontMatrix")
            .and_then(|matrix| matrix.iter::<f64>().next())
    };
    let scale = if subtype == "Type3" {
        drawn().unwrap_or(0.001).abs()
    } else {
        0.001
    };
    let first = dict.get::<i32>("FirstChar").unwrap_or(0).max(0) as u32;
    let listed = dict
        .get::<Array>("Widths")
        .map(|list| list.iter::<f64>().take(256).collect::<Vec<_>>())
        .unwrap_or_default();
    let missing = dict
        .get::<Dict>("FontDescriptor")
        .and_then(|descriptor| descriptor.get::<f64>("MissingWidth"));
    let usual = if listed.is_empty() {
        None
    } else {
        Some(missing.unwrap_or(0.0) * scale)
    };
    (
        (first..)
            .zip(listed.into_iter().map(|width| width * scale))
            .collect(),
        usual,
    )
}

/// The widths of a composite font: `code [w …]` or `first last w`.
fn composite_widths(entries: &Array) -> BTreeMap<u32, f64> {
    let mut widths = BTreeMap::new();
    let mut items = entries.iter::<Object>();
    let number = |object: Option<Object>| {
        object
            .and_then(Object::into_number)
            .map(|number: Number| number.as_f64())
    };
    while let Some(first) = number(items.next()) {
        let first = first.max(0.0) as u32;
        match items.next() {
            Some(Object::Array(own)) => {
                widths.extend(
                    (first..)
                        .zip(own.iter::<f64>().map(|w| w / 1_000.0))
                        // Codes have two bytes; a hostile list may be longer.
                        .take(65_536),
                );
            }
            Some(Object::Number(last)) => {
                let Some(width) = number(items.next()) else {
                    break;
                };
                let last = (last.as_f64().max(0.0) as u32).min(first.saturating_add(65_535));
                widths.extend((first..=last).map(|code| (code, width / 1_000.0)));
            }
            _ => break,
        }
        if widths.len() > MOST_WIDTHS {
            break;
        }
    }
    widths
}

/// What a simple font's codes mean by its encoding, the differences from it, and the names in its
/// own program.
fn simple_texts(dict: &Dict, base_font: &str, program: &[u8]) -> BTreeMap<u8, String> {
    let encoding = dict.get::<Object>("Encoding");
    let (named, differences) = match encoding {
        Some(Object::Name(name)) => (Some(name.as_str().to_owned()), None),
        Some(Object::Dict(dict)) => (
            dict.get::<Name>("BaseEncoding")
                .map(|name| name.as_str().to_owned()),
            dict.get::<Array>("Differences"),
        ),
        _ => (None, None),
    };
    let own = if base_font.ends_with("Symbol") {
        "Symbol"
    } else {
        "StandardEncoding"
    };
    let base = named.as_deref().unwrap_or(own);
    let mut texts: BTreeMap<u8, String> = (0..=255)
        .filter_map(|code| Some((code, encoding::text(base, code)?)))
        .collect();
    // A named encoding overrides the font's own (ISO 32000-1, 9.6.6).
    if named.is_none() {
        texts.extend(built_in(program));
    }
    texts.extend(differences.map(|list| different(&list)).unwrap_or_default());
    texts
}

/// `code /name /name … code /name …`
fn different(list: &Array) -> BTreeMap<u8, String> {
    let mut texts = BTreeMap::new();
    let mut code = 0u32;
    for item in list.iter::<Object>().take(1_024) {
        match item {
            Object::Number(number) => code = number.as_f64().clamp(0.0, 65_535.0) as u32,
            Object::Name(name) => {
                if let (Ok(code), Some(text)) = (u8::try_from(code), encoding::glyph(name.as_str()))
                {
                    texts.insert(code, text);
                }
                code += 1;
            }
            _ => {}
        }
    }
    texts
}

/// The encoding in the readable part of a Type 1 font's program: `dup 12 /fi put`.
fn built_in(program: &[u8]) -> BTreeMap<u8, String> {
    let readable = String::from_utf8_lossy(&program[..program.len().min(20_000)]);
    let readable = readable.split("eexec").next().unwrap_or_default();
    let entry = |entry: &str| {
        let mut words = entry.split_whitespace();
        let code = words.next()?.parse::<u8>().ok()?;
        Some((code, encoding::glyph(words.next()?.strip_prefix('/')?)?))
    };
    readable.split("dup ").skip(1).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_in_a_font_s_own_program() {
        let program = b"/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\ndup 12 /fi put dup 65 /A put\ndup 999 /B put \
            readonly def currentfile eexec dup 66 /B put \x80\xff";
        let texts: Vec<(u8, String)> = built_in(program).into_iter().collect();
        assert_eq!(texts, [(12, "fi".to_owned()), (65, "A".to_owned())]);
    }
}
