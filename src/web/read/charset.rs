//! Character encodings of pages. The order of precedence is a byte order mark, the server's header,
//! the page's own declaration, valid UTF-8, Chinese, Western European; a declaration that the bytes
//! contradict is passed over.

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};

/// Bytes in which a page must declare its encoding.
const DECLARED_WITHIN: usize = 1_024;
/// Replaced characters in a thousand that a damaged page of the right encoding may have.
const DAMAGE: usize = 10;

/// Decodes a body with the `Content-Type` that the server sent.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    let header = content_type
        .and_then(charset_parameter)
        .and_then(|label| Encoding::for_label(label.as_bytes()));
    let declared = declared(&bytes[..bytes.len().min(DECLARED_WITHIN)]);
    let labelled: Vec<&'static Encoding> = header.into_iter().chain(declared).collect();
    let fitting = labelled
        .iter()
        .map(|encoding| decode_as(encoding, bytes))
        .find(|text| !is_damaged(text));
    fitting.unwrap_or_else(|| decode_as(guess(bytes, &labelled), bytes))
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn is_damaged(text: &str) -> bool {
    let replaced = text
        .chars()
        .filter(|c| *c == char::REPLACEMENT_CHARACTER)
        .count();
    replaced * 1_000 > text.chars().count() * DAMAGE
}

/// Without a label that fits: UTF-8 if it is valid, Chinese if it reads so, else the first label,
/// else Western European, which any bytes are.
fn guess(bytes: &[u8], labelled: &[&'static Encoding]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let chinese = GB18030.decode_without_bom_handling_and_without_replacement(bytes);
    if chinese.is_some_and(|text| reads_chinese(&text)) {
        return GB18030;
    }
    labelled.first().copied().unwrap_or(WINDOWS_1252)
}

/// Whether most of what is not ASCII is common Han characters or the punctuation between them.
fn reads_chinese(text: &str) -> bool {
    let foreign = text.chars().filter(|c| !c.is_ascii()).count();
    let is_common = |c: &char| matches!(c, '\u{4e00}'..='\u{9fa5}' | '\u{3000}'..='\u{301f}' | '\u{ff01}'..='\u{ff5e}');
    let common = text.chars().filter(is_common).count();
    common * 10 >= foreign * 9 && common > 0
}

/// The value of `charset` in a content type.
fn charset_parameter(content_type: &str) -> Option<&str> {
    let lower = content_type.to_ascii_lowercase();
    let at = lower.find("charset")? + "charset".len();
    let value = content_type[at..].trim_start().strip_prefix('=')?;
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let end =
        value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | ',' | '>' | '/'));
    Some(&value[..end.unwrap_or(value.len())])
}

/// What the page declares in a `meta` element or as XML.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(head);
    let lower = head.to_ascii_lowercase();
    let xml = lower
        .trim_start()
        .starts_with("<?xml")
        .then(|| lower.split("?>").next())
        .flatten();
    let xml = xml.and_then(|xml| {
        Some(
            xml.split_once("encoding")?
                .1
                .trim_start()
                .strip_prefix('=')?
                .trim_start(),
        )
    });
    let xml = xml.and_then(|value| value.get(1..)?.split(['"', '\'']).next());
    let meta = || {
        lower
            .split("<meta")
            .skip(1)
            .filter_map(|rest| rest.split('>').next())
            .find_map(charset_parameter)
    };
    let encoding = Encoding::for_label(xml.or_else(meta)?.as_bytes())?;
    // The declaration was read as ASCII, so the page is not in UTF-16, whatever it says.
    Some(if encoding.is_ascii_compatible() {
        encoding
    } else {
        UTF_8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, SHIFT_JIS};

    fn check(bytes: &[u8], content_type: Option<&str>, expect: &str) {
        assert_eq!(decode(bytes, content_type), expect, "{content_type:?}");
    }

    fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn by_the_header() {
        let html = "<meta charset=utf-8><p>土壤水分传感器";
        check(
            &encoded(GB18030, html),
            Some("text/html; charset=GB2312"),
            html,
        );
        check(
            &encoded(BIG5, "土壤水分感測器"),
            Some("text/html;charset=\"big5\""),
            "土壤水分感測器",
        );
        check(
            &encoded(SHIFT_JIS, "土壌水分センサー"),
            Some("text/html; Charset = Shift_JIS; x=y"),
            "土壌水分センサー",
        );
        check(b"caf\xe9", Some("text/plain; charset=iso-8859-1"), "café");
        check(b"a\0\xe9\0", Some("text/plain; charset=utf-16le"), "aé");
    }

    #[test]
    fn by_the_page() {
        for (encoding, text) in [
            (BIG5, "感測器"),
            (SHIFT_JIS, "センサー"),
            (GB18030, "传感器"),
        ] {
            let html = format!("<html><head><meta charset=\"{}\">{text}", encoding.name());
            check(&encoded(encoding, &html), Some("text/html"), &html);
            let html = format!(
                "<meta content='text/html; charset={}' http-equiv=content-type>{text}",
                encoding.name()
            );
            check(&encoded(encoding, &html), None, &html);
        }
        let xml = "<?xml version='1.0' encoding='big5'?><p>感測器</p>";
        check(&encoded(BIG5, xml), Some("application/xhtml+xml"), xml);
        let late = format!("{}<meta charset=big5>é", " ".repeat(DECLARED_WITHIN));
        check(late.as_bytes(), None, &late);
    }

    #[test]
    fn by_the_byte_order_mark_before_all() {
        let utf16: Vec<u8> = "\u{feff}é土"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        check(&utf16, Some("text/html; charset=big5"), "é土");
        check(
            "\u{feff}é".as_bytes(),
            Some("text/html; charset=windows-1252"),
            "é",
        );
    }

    #[test]
    fn the_header_wins_over_the_page() {
        check(
            b"<meta charset=gb18030>caf\xe9 ",
            Some("text/html; charset=windows-1252"),
            "<meta charset=gb18030>café ",
        );
    }

    #[test]
    fn wrong_labels_are_passed_over() {
        let html = "<meta charset=gb18030>土壤水分传感器";
        check(
            &encoded(GB18030, html),
            Some("text/html; charset=utf-8"),
            html,
        );
        check("é土".as_bytes(), Some("text/html; charset=unicorn"), "é土");
        check("é土".as_bytes(), Some("text/html; charset="), "é土");
        check(
            "<meta charset=utf-16>é".as_bytes(),
            None,
            "<meta charset=utf-16>é",
        );
    }

    #[test]
    fn without_a_label() {
        check("naïve 土".as_bytes(), None, "naïve 土");
        check(b"na\xefve \x93quoted\x94", None, "naïve “quoted”");
        check(
            &encoded(GB18030, "土壤水分, 0.2，传感器。"),
            None,
            "土壤水分, 0.2，传感器。",
        );
        check(b"", None, "");
    }

    #[test]
    fn a_little_damage_does_not_change_the_encoding() {
        let mut bytes = "é".repeat(500).into_bytes();
        bytes[10] = 0xff;
        assert!(decode(&bytes, Some("text/html; charset=utf-8")).ends_with("éé"));
    }
}
