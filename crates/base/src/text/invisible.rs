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

/// JSON with such characters as escapes, which mean the same to whoever reads it. They stand only
/// inside its strings.
pub fn escaped_in_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if works_unseen(c) {
            // All of them have four hexadecimal digits.
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_json() {
        let text = "left \u{202e}right\u{2069}, \u{85}\u{7f}, 字\n";
        let json = serde_json::json!({ "text": text }).to_string();
        let escaped = escaped_in_json(&json);
        assert!(!escaped.contains(works_unseen) && escaped.contains("\\u202e"));
        let read: serde_json::Value = serde_json::from_str(&escaped).expect("JSON");
        assert_eq!(read["text"], text);
    }
}
