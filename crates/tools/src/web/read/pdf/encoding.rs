//! Encodings of fonts without a map of their own: the encodings that PDF knows by name, and glyph
//! names. ISO 32000-1, annex D, and the rules of the Adobe Glyph List's specification.

use encoding_rs::{Encoding, MACINTOSH, UTF_16BE, WINDOWS_1252};

/// The text of a code in one of PDF's one-byte encodings; unknown names mean the standard one.
pub fn text(encoding: &str, code: u8) -> Option<String> {
    match encoding {
        "WinAnsiEncoding" => Some(one_byte(WINDOWS_1252, code)),
        "MacRomanEncoding" => Some(one_byte(MACINTOSH, code)),
        "Symbol" => symbol(code).map(String::from),
        _ => standard(code).map(str::to_owned),
    }
}

fn one_byte(encoding: &'static Encoding, code: u8) -> String {
    encoding.decode_without_bom_handling(&[code]).0.into_owned()
}

fn standard(code: u8) -> Option<&'static str> {
    const ASCII: &str = " !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~";
    match code {
        32..=126 => {
            let (at, c) = ASCII.char_indices().nth(usize::from(code) - 32)?;
            ASCII.get(at..at + c.len_utf8())
        }
        _ => STANDARD_HIGH
            .iter()
            .find(|(high, _)| *high == code)
            .map(|(_, text)| *text),
    }
}

const STANDARD_HIGH: &[(u8, &str)] = &[
    (161, "¡"),
    (162, "¢"),
    (163, "£"),
    (164, "⁄"),
    (165, "¥"),
    (166, "ƒ"),
    (167, "§"),
    (168, "¤"),
    (169, "'"),
    (170, "“"),
    (171, "«"),
    (172, "‹"),
    (173, "›"),
    (174, "fi"),
    (175, "fl"),
    (177, "–"),
    (178, "†"),
    (179, "‡"),
    (180, "·"),
    (182, "¶"),
    (183, "•"),
    (184, "‚"),
    (185, "„"),
    (186, "”"),
    (187, "»"),
    (188, "…"),
    (189, "‰"),
    (191, "¿"),
    (208, "—"),
    (225, "Æ"),
    (227, "ª"),
    (232, "Ł"),
    (233, "Ø"),
    (234, "Œ"),
    (235, "º"),
    (241, "æ"),
    (245, "ı"),
    (248, "ł"),
    (249, "ø"),
    (250, "œ"),
    (251, "ß"),
];

/// The Greek letters of the font Symbol, and what it shares with ASCII.
fn symbol(code: u8) -> Option<char> {
    const UPPER: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const LOWER: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    match code {
        b'A'..=b'Z' => UPPER.chars().nth(usize::from(code - b'A')),
        b'a'..=b'z' => LOWER.chars().nth(usize::from(code - b'a')),
        0xa3 => Some('≤'),
        0xb1 => Some('±'),
        0xb3 => Some('≥'),
        0xb4 => Some('×'),
        0xb7 => Some('•'),
        0xbb => Some('≈'),
        32..=64 | 91..=96 | 123..=126 => Some(char::from(code)),
        _ => None,
    }
}

/// The text of a glyph's name: `eacute`, `uni571F`, `f_i`, `one.alt`.
pub fn glyph(name: &str) -> Option<String> {
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    let parts: Option<Vec<String>> = base.split('_').map(part).collect();
    parts.map(|parts| parts.concat())
}

fn part(name: &str) -> Option<String> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(c.to_string());
    }
    let mut known = GLYPHS.split(' ');
    while let (Some(key), Some(text)) = (known.next(), known.next()) {
        if key == name {
            return Some(text.to_owned());
        }
    }
    match name {
        "space" | "nbspace" => Some(" ".to_owned()),
        _ => numbered(name).or_else(|| accented(name)),
    }
}

fn numbered(name: &str) -> Option<String> {
    let point = |hex: &str| char::from_u32(u32::from_str_radix(hex, 16).ok()?).map(String::from);
    let digits = |rest: &str| rest.chars().all(|c| c.is_ascii_hexdigit());
    match name
        .strip_prefix("uni")
        .or_else(|| name.strip_prefix('u'))?
    {
        rest if (4..=6).contains(&rest.len()) && digits(rest) => point(rest),
        _ => None,
    }
}

/// A letter with the name of an accent behind it, composed later.
fn accented(name: &str) -> Option<String> {
    let split = name.char_indices().nth(1)?.0;
    let (letter, accent) = name.split_at(split);
    let mark = ACCENTS.iter().find(|(known, _)| *known == accent)?.1;
    letter
        .chars()
        .all(|c| c.is_ascii_alphabetic())
        .then(|| format!("{letter}{mark}"))
}

/// The text of a string outside the pages, such as the document's title.
pub fn document_text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => WINDOWS_1252
            .decode_without_bom_handling(bytes)
            .0
            .into_owned(),
    }
}

const ACCENTS: &[(&str, char)] = &[
    ("acute", '\u{301}'),
    ("breve", '\u{306}'),
    ("caron", '\u{30c}'),
    ("cedilla", '\u{327}'),
    ("circumflex", '\u{302}'),
    ("commaaccent", '\u{326}'),
    ("dieresis", '\u{308}'),
    ("dotaccent", '\u{307}'),
    ("grave", '\u{300}'),
    ("hungarumlaut", '\u{30b}'),
    ("macron", '\u{304}'),
    ("ogonek", '\u{328}'),
    ("ring", '\u{30a}'),
    ("tilde", '\u{303}'),
];

/// Names and texts by turns, apart from the space.
const GLYPHS: &str = "\
    exclam ! quotedbl \" numbersign # dollar $ percent % ampersand & quotesingle ' quoteright ’ quoteleft ‘ \
    parenleft ( parenright ) asterisk * plus + comma , hyphen - sfthyphen - minus − period . slash / zero 0 one 1 \
    two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > \
    question ? at @ bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave ` braceleft { bar | \
    braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥ brokenbar ¦ section § dieresis ¨ \
    copyright © ordfeminine ª guillemotleft « logicalnot ¬ registered ® macron ¯ degree ° plusminus ± \
    twosuperior ² threesuperior ³ acute ´ mu µ paragraph ¶ periodcentered · middot · cedilla ¸ onesuperior ¹ \
    ordmasculine º guillemotright » onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ AE Æ ae æ Eth Ð eth ð \
    Oslash Ø oslash ø Thorn Þ thorn þ germandbls ß OE Œ oe œ Lslash Ł lslash ł Dcroat Đ dcroat đ dotlessi ı \
    dotlessj ȷ florin ƒ circumflex ˆ caron ˇ tilde ˜ ring ˚ endash – emdash — quotesinglbase ‚ quotedblleft “ \
    quotedblright ” quotedblbase „ dagger † daggerdbl ‡ bullet • ellipsis … perthousand ‰ guilsinglleft ‹ \
    guilsinglright › fraction ⁄ Euro € trademark ™ ff ff fi fi fl fl ffi ffi ffl ffl arrowleft ← arrowright → \
    arrowup ↑ arrowdown ↓ arrowdblright ⇒ partialdiff ∂ Delta Δ product ∏ summation ∑ radical √ infinity ∞ \
    integral ∫ approxequal ≈ notequal ≠ lessequal ≤ greaterequal ≥ multiply × divide ÷ element ∈ proportional ∝ \
    similar ∼ equivalence ≡ gradient ∇ prime ′ angbracketleft ⟨ angbracketright ⟩ asteriskmath ∗ dotmath ⋅ Alpha Α \
    Beta Β Gamma Γ Epsilon Ε Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω alpha α beta β \
    gamma γ delta δ epsilon ε epsilon1 ϵ zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π \
    rho ρ sigma σ tau τ upsilon υ phi φ phi1 ϕ chi χ psi ψ omega ω visiblespace ␣";

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn named_encodings() {
        let all = |encoding: &str, codes: &[u8]| {
            codes
                .iter()
                .filter_map(|code| text(encoding, *code))
                .collect::<String>()
        };
        assert_eq!(all("WinAnsiEncoding", b"a'\x93\xe9\x80"), "a'“é€");
        assert_eq!(all("MacRomanEncoding", b"a\x8e\xd0"), "aé–");
        assert_eq!(all("StandardEncoding", b"a'`\xae\xd0\x80"), "a’‘fi—");
        assert_eq!(all("Symbol", b"aW\xb3 1"), "αΩ≥ 1");
    }

    #[test]
    fn glyphs_by_name() {
        let shown = |name: &str| glyph(name).map(|text| text.nfc().collect::<String>());
        for (name, expect) in [
            ("A", "A"),
            ("eacute", "é"),
            ("Scaron", "Š"),
            ("germandbls", "ß"),
            ("ffi", "ffi"),
            ("f_f_l", "ffl"),
            ("one.oldstyle", "1"),
            ("uni571F", "土"),
            ("u1F600", "😀"),
            ("quoteright", "’"),
        ] {
            assert_eq!(shown(name).as_deref(), Some(expect), "{name}");
        }
        for name in [".notdef", "g12", "cid_7x", "", "uniD800"] {
            assert_eq!(shown(name), None, "{name}");
        }
    }

    #[test]
    fn titles_of_documents() {
        assert_eq!(document_text(b"\xfe\xff\x57\x1f"), "土");
        assert_eq!(document_text("\u{feff}土".as_bytes()), "土");
        assert_eq!(document_text(b"caf\xe9"), "café");
    }
}
