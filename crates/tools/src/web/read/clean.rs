//! Cleaning of text: composed (NFC), without invisible characters and those that change the
//! direction, trimmed lines, at most one empty line in a row, and a largest length.

use unicode_normalization::UnicodeNormalization as _;

/// Characters after which a text is cut.
pub const LONGEST: usize = 2_000_000;

/// Cleans a text.
pub fn clean(text: &str) -> String {
    let seen: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter_map(shown)
        .collect();
    // After the invisible characters are gone: they would keep an accent from its letter.
    let composed: String = seen.nfc().collect();
    let mut out = String::with_capacity(composed.len());
    let mut blank = false;
    for line in composed.lines() {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let before = out.len();
        if !out.is_empty() {
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        let start = out.len();
        for word in words {
            if out.len() > start {
                out.push(' ');
            }
            out.push_str(word);
        }
        blank = out.len() == start;
        if blank {
            out.truncate(before);
        }
    }
    out
}

/// The first [`LONGEST`] characters, and whether there were more.
pub fn capped(mut text: String) -> (String, bool) {
    let end = text.char_indices().nth(LONGEST).map(|(at, _)| at);
    if let Some(end) = end {
        text.truncate(end);
    }
    (text, end.is_some())
}

/// The character as it is kept, if it is.
fn shown(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        _ if is_unseen(c) => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

/// Zero-width, bidirectional and other control characters, tags, variation selectors,
/// non-characters.
fn is_unseen(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(clean(text), expect, "{text:?}");
        assert_eq!(
            clean(expect),
            expect,
            "a tidy text stays as it is: {expect:?}"
        );
    }

    #[test]
    fn white_space() {
        check("  a \t b\u{a0}c\u{3000}d  \n", "a b c d");
        check("\n\na\r\n\r\n \n\n\nb\rc\u{2028}d\n\n", "a\n\nb\nc\nd");
        check("", "");
        check(" \n \n", "");
    }

    #[test]
    fn what_nobody_sees_is_gone() {
        check(
            "a\u{200b}b\u{202e}c\u{2066}d\u{feff}e\0f\u{7}g\u{ad}h",
            "abcdefgh",
        );
        check("x\u{e0041}\u{e0042}\u{fe0f}\u{e0100}y", "xy");
    }

    #[test]
    fn letters_are_composed() {
        check("e\u{301}te\u{301}", "été");
        check("e\u{200d}\u{301}", "é");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(capped("é".repeat(LONGEST)), ("é".repeat(LONGEST), false));
        let (text, cut) = capped("é".repeat(LONGEST + 1));
        assert_eq!((text.chars().count(), cut), (LONGEST, true));
    }
}
