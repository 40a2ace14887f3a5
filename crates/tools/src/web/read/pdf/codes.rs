//! The codes of a composite font: how many bytes each has, the glyph (CID) that it stands for, and
//! what the glyphs of Adobe's collections for Chinese, Japanese and Korean mean (ISO 32000-1,
//! 9.7.5). Hides the predefined maps, which are `hayro-cmap`'s.

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_syntax::object::{Dict, Object};

use super::stream::decoded;

/// Most bytes of a code.
const LONGEST: usize = 4;

/// The codes of a font.
#[derive(Debug)]
pub struct Codes {
    glyphs: CMap,
    /// What glyphs mean, where their collection is known.
    meanings: Option<CMap>,
    /// Bytes of a code that stands for no glyph.
    usual_length: usize,
    /// Bytes of the maps that were read.
    pub unpacked: usize,
}

impl Codes {
    /// Reads the codes of the font `dict` with its descendant `inner`. `usual_length` is that of
    /// codes whose map is not known.
    pub fn new(dict: &Dict, inner: &Dict, usual_length: usize) -> Self {
        let (glyphs, unpacked) = match dict.get::<Object>("Encoding") {
            Some(Object::Name(name)) => named(name.as_str(), inner),
            Some(Object::Stream(stream)) => {
                let source = decoded(&stream);
                (CMap::parse(&source, load_embedded), source.len())
            }
            _ => (None, 0),
        };
        let usual_length = if glyphs.is_some() { 2 } else { usual_length };
        let glyphs = glyphs.unwrap_or_else(CMap::identity_h);
        let own = || Some(glyphs.metadata().character_collection.clone()?.family);
        let meaning = family(inner)
            .or_else(own)
            .and_then(|family| family.ucs2_cmap());
        let source = meaning.and_then(load_embedded).unwrap_or_default();
        Self {
            meanings: CMap::parse(source, load_embedded).filter(|_| !source.is_empty()),
            glyphs,
            usual_length,
            unpacked: unpacked + source.len(),
        }
    }

    /// The length of the code that `bytes` begin with, and its glyph.
    pub fn first(&self, bytes: &[u8]) -> (usize, u32) {
        let most = bytes.len().min(LONGEST);
        (1..=most)
            .find_map(|length| {
                let glyph = self
                    .glyphs
                    .lookup_cid_code(number(&bytes[..length]), length as u8)?;
                Some((length, glyph))
            })
            .unwrap_or_else(|| {
                // In mixed codes the first half of the bytes stands alone.
                let is_short = bytes[0] < 0x80 && self.glyphs.lookup_cid_code(0x20, 1).is_some();
                let length = if is_short {
                    1
                } else {
                    self.usual_length.min(bytes.len())
                };
                (length, number(&bytes[..length]))
            })
    }

    /// What a glyph means.
    pub fn text(&self, glyph: u32) -> Option<String> {
        match self.meanings.as_ref()?.lookup_bf_string(glyph)? {
            BfString::Char(c) => Some(c.to_string()),
            BfString::String(text) => Some(text),
        }
    }
}

/// A number written in bytes, the highest first.
pub fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |n, byte| n << 8 | u32::from(*byte))
}

/// A map that every viewer has, and its bytes.
fn named(name: &str, inner: &Dict) -> (Option<CMap>, usize) {
    // Younger maps from Unicode are those of the collection with a few more characters.
    let by_unicode = || {
        let is_utf16 = name.contains("UTF16") || name.contains("UCS2");
        family(inner).filter(|_| is_utf16)?.unicode_cmap()
    };
    let source = load_embedded(CMapName::from_bytes(name.as_bytes()))
        .or_else(|| load_embedded(by_unicode()?))
        .unwrap_or_default();
    let map = match name {
        "Identity-H" | "Identity-V" => Some(CMap::identity_h()),
        _ => CMap::parse(source, load_embedded).filter(|_| !source.is_empty()),
    };
    (map, source.len())
}

/// The collection of a descendant font's glyphs, if it is one of Adobe's.
fn family(inner: &Dict) -> Option<CidFamily> {
    let info = inner.get::<Dict>("CIDSystemInfo")?;
    let text = |key: &str| match info.get::<Object>(key) {
        Some(Object::String(text)) => text.as_bytes().to_vec(),
        Some(Object::Name(name)) => name.as_str().as_bytes().to_vec(),
        _ => Vec::new(),
    };
    let family = CidFamily::from_registry_ordering(&text("Registry"), &text("Ordering"));
    family.ucs2_cmap().is_some().then_some(family)
}
