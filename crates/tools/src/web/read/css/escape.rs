//! Escapes of CSS: `\64 isplay` is `display`.

/// Digits of an escape by a number.
const DIGITS: usize = 6;

/// The text without its escapes.
pub fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    out.push_str(pieces.next().unwrap_or_default());
    let mut is_escaped = false;
    for piece in pieces {
        // A backslash that was escaped by the one before it.
        if piece.is_empty() && !is_escaped {
            is_escaped = true;
            continue;
        }
        if is_escaped {
            out.push('\\');
            out.push_str(piece);
            is_escaped = false;
            continue;
        }
        push_escaped(&mut out, piece);
    }
    out
}

/// Adds a piece that a backslash stands before.
fn push_escaped(out: &mut String, piece: &str) {
    let digits = piece
        .bytes()
        .take(DIGITS)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let (number, rest) = piece.split_at(digits);
    let Ok(code) = u32::from_str_radix(number, 16) else {
        out.push_str(piece);
        return;
    };
    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    out.push_str(rest.strip_prefix(char::is_whitespace).unwrap_or(rest));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved() {
        for (text, expect) in [
            ("display", "display"),
            (r"d\69splay", "display"),
            (r"d\69 splay", "display"),
            (r"\000064isplay", "display"),
            (r"md\:hidden", "md:hidden"),
            (r"a\\b", r"a\b"),
            (r"\110000 x", "\u{fffd}x"),
        ] {
            assert_eq!(unescaped(text), expect, "{text}");
        }
    }
}
