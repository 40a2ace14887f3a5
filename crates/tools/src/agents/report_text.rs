//! The text of a report, normalised, from a program, a model or a file: the same report is the same
//! text.

/// The most bytes of a report.
pub const MOST_BYTES: usize = 5_000_000;

/// The text of a report: UTF-8 without a byte order mark at its start, lines ended by `\n` alone,
/// no NUL, not over [`MOST_BYTES`]; else what is wrong with the bytes.
pub fn from_bytes(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("over {} MB", MOST_BYTES / 1_000_000));
    }
    if is_utf16(bytes) {
        return Err("UTF-16, not UTF-8".to_owned());
    }
    let text = str::from_utf8(bytes)
        .map_err(|e| format!("not UTF-8 from byte {}", e.valid_up_to() + 1))?;
    if let Some(at) = text.find('\0') {
        return Err(format!("a NUL at byte {}", at + 1));
    }
    Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

/// Whether the bytes begin as a file in UTF-16 does.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(bytes: &[u8]) -> String {
        from_bytes(bytes).expect_err("no text")
    }

    #[test]
    fn a_text_is_the_same_however_it_was_saved() {
        assert_eq!(
            from_bytes("# Über\n\n报告\n".as_bytes()),
            from_bytes("\u{feff}# Über\r\n\r\n报告\r\n".as_bytes())
        );
        assert_eq!(from_bytes(b""), Ok(String::new()));
    }

    #[test]
    fn what_is_no_text_says_where() {
        assert_eq!(problem(b"ab\xffcd"), "not UTF-8 from byte 3");
        assert_eq!(problem(b"\xff\xfea\0"), "UTF-16, not UTF-8");
        assert_eq!(problem(b"a\0b"), "a NUL at byte 2");
        assert_eq!(problem(&vec![b'a'; MOST_BYTES + 1]), "over 5 MB");
        assert!(from_bytes(&vec![b'a'; MOST_BYTES]).is_ok());
    }
}
