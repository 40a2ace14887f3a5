//! JSON strings: escapes and their surrogates.

/// Bytes of a pair of surrogates.
const LONGEST_ESCAPE: usize = 12;

/// Reads the string with its opening quote at `at`: its value and the place after the closing
/// quote, or the place of what is wrong.
pub fn read(text: &str, at: usize) -> Result<(String, usize), (usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut value = String::new();
    let mut from = at + 1;
    let mut at = from;
    loop {
        match bytes.get(at) {
            None => return Err((at, "a text without an end")),
            Some(b'"') => {
                value.push_str(&text[from..at]);
                return Ok((value, at + 1));
            }
            Some(b'\\') => {
                value.push_str(&text[from..at]);
                let (character, end) = escape(bytes, at)?;
                value.push(character);
                at = end;
                from = end;
            }
            Some(byte) if *byte < 0x20 => return Err((at, "a line or a control inside a text")),
            Some(_) => at += 1,
        }
    }
}

fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), (usize, &'static str)> {
    let simple = match bytes.get(at + 1) {
        Some(b'u') => return unicode(bytes, at),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        None => return Err((at + 1, "a text without an end")),
        Some(_) => return Err((at, "an unknown escape")),
    };
    Ok((simple, at + 2))
}

fn unicode(bytes: &[u8], at: usize) -> Result<(char, usize), (usize, &'static str)> {
    if !bytes[at..]
        .iter()
        .take(LONGEST_ESCAPE)
        .any(|byte| *byte == b'"')
        && bytes.len() < at + LONGEST_ESCAPE
    {
        return Err((bytes.len(), "a text without an end"));
    }
    let first = unit(bytes, at).ok_or((at, "an escape without its four hexadecimal digits"))?;
    let pair = match first {
        0xd800..=0xdbff if bytes.get(at + 6..at + 8) == Some(b"\\u") => unit(bytes, at + 6),
        _ => None,
    };
    let (code, end) = match pair {
        Some(second @ 0xdc00..=0xdfff) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            (code, at + LONGEST_ESCAPE)
        }
        _ => (first, at + 6),
    };
    let character = char::from_u32(code).ok_or((at, "half a surrogate pair"))?;
    Ok((character, end))
}

/// The four digits after `\u`.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at + 2..at + 6)?;
    let mut unit = 0;
    for digit in digits {
        unit = unit * 16 + char::from(*digit).to_digit(16)?;
    }
    Some(unit)
}

/// Whether a text escapes a character that Python escapes in ASCII alone: one outside of it, or
/// the last of it.
pub fn escapes_more_than_ascii(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        if bytes.get(at + 1) == Some(&b'u') && unit(bytes, at).is_some_and(|unit| unit >= 0x7f) {
            return true;
        }
        at += 2;
    }
    false
}
