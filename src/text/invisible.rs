//! Invisible control characters: readers do not see them, programs obey them.

/// Control characters but line breaks and tabs, and those that turn the direction of what follows
/// (Unicode UAX 9, sections 2.1 to 2.5).
pub fn works_unseen(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    }
}
