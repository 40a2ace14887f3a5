//! A text as it is read: what JSON, HTML and addresses write in other ways is undone, and tags are
//! left out, whose insides are read on their own. Hides how these are written.

/// Bytes of a tag; `<` before more than this is a mark like others.
const LONGEST_TAG: usize = 300;

/// The insides of the tags of a text.
pub(super) fn insides(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('<').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        rest.get(..tag_end(rest)?)
    })
}

/// Where the tag ends whose inside a text begins with.
fn tag_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let begins = bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!'));
    let mut near = bytes.iter().take(LONGEST_TAG);
    let end = near.position(|byte| matches!(byte, b'>' | b'<'))?;
    (begins && bytes[end] == b'>').then_some(end)
}

/// The characters of a text, those that JSON, HTML and addresses write in other ways undone, tags
/// left out.
pub(super) struct Plain<'t> {
    rest: &'t str,
}

impl Iterator for Plain<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        match c {
            '\\' => Some(self.escaped()),
            '&' => Some(self.entity()),
            '<' => Some(self.tag()),
            '%' => Some(self.percent()),
            c => Some(c),
        }
    }
}

impl<'t> Plain<'t> {
    /// The characters of `text`.
    pub(super) fn of(text: &'t str) -> Self {
        Self { rest: text }
    }

    /// What stands for a backslash and what follows. JSON within JSON has several backslashes.
    fn escaped(&mut self) -> char {
        self.rest = self.rest.trim_start_matches('\\');
        let bytes = self.rest.as_bytes();
        match bytes.first() {
            Some(b'n' | b'r' | b't') => {
                self.rest = &self.rest[1..];
                ' '
            }
            Some(b'u') => self.unicode().unwrap_or('\\'),
            _ => '\\',
        }
    }

    /// The character of `uXXXX`, or of two of them.
    fn unicode(&mut self) -> Option<char> {
        let (first, rest) = four_digits(&self.rest[1..])?;
        if let Some(c) = char::from_u32(first) {
            self.rest = rest;
            return Some(c);
        }
        let (second, rest) = four_digits(rest.trim_start_matches('\\').strip_prefix('u')?)?;
        let (high, low) = (first.checked_sub(0xd800)?, second.checked_sub(0xdc00)?);
        if high >= 0x400 || low >= 0x400 {
            return None;
        }
        self.rest = rest;
        char::from_u32(0x1_0000 + (high << 10) + low)
    }

    /// The character of an entity, or the mark itself.
    fn entity(&mut self) -> char {
        let head = self.rest.as_bytes();
        let Some(end) = head.iter().take(10).position(|byte| *byte == b';') else {
            return '&';
        };
        let Some(c) = self.rest.get(..end).and_then(named) else {
            return '&';
        };
        self.rest = &self.rest[end + 1..];
        c
    }

    /// A blank instead of a tag, or the mark itself.
    fn tag(&mut self) -> char {
        let Some(end) = tag_end(self.rest) else {
            return '<';
        };
        self.rest = &self.rest[end + 1..];
        ' '
    }

    /// The character of `%XX` as addresses have it, of several where it takes more bytes, or the
    /// mark itself.
    fn percent(&mut self) -> char {
        let first = two_digits(self.rest);
        let Some(size) = first.and_then(size_of_character) else {
            return '%';
        };
        let (mut bytes, mut rest) = ([0; 4], self.rest);
        for (at, byte) in bytes.iter_mut().take(size).enumerate() {
            if at > 0 {
                let Some(next) = rest.strip_prefix('%') else {
                    return '%';
                };
                rest = next;
            }
            let Some(value) = two_digits(rest) else {
                return '%';
            };
            (*byte, rest) = (value, &rest[2..]);
        }
        let decoded = std::str::from_utf8(&bytes[..size]).ok();
        let Some(c) = decoded.and_then(|text| text.chars().next()) else {
            return '%';
        };
        self.rest = rest;
        c
    }
}

/// How many bytes a character takes that begins with this one.
fn size_of_character(first: u8) -> Option<usize> {
    match first {
        0x20..0x80 | b'\n' | b'\r' | b'\t' => Some(1),
        0xc2..0xe0 => Some(2),
        0xe0..0xf0 => Some(3),
        0xf0..0xf5 => Some(4),
        _ => None,
    }
}

/// The number that two hexadecimal digits write.
fn two_digits(text: &str) -> Option<u8> {
    let digits = text.get(..2)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u8::from_str_radix(digits, 16).ok()
}

/// The number that four hexadecimal digits write, and what follows them.
fn four_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}

/// The character that an entity names.
fn named(entity: &str) -> Option<char> {
    let number = match entity.strip_prefix('#') {
        Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok()?,
        Some(decimal) => decimal.parse().ok()?,
        None => {
            return match entity {
                "quot" => Some('"'),
                "apos" => Some('\''),
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "nbsp" => Some(' '),
                _ => None,
            };
        }
    };
    char::from_u32(number)
}
