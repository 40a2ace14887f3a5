//! Character encodings of pages. The order of precedence is a byte order mark, UTF-8 where the bytes
//! are that, the server's header, the page's own declaration, and what the bytes look like; a
//! declaration that they contradict is passed over.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use url::{Host, Url};

/// Bytes in which a page must declare its encoding.
const DECLARED_WITHIN: usize = 1_024;
/// One replaced character in so many that are not ASCII is more than a damaged page has.
const DAMAGE: usize = 20;

/// Decodes a body with the `Content-Type` that the server sent; `url` is where it was fetched from.
pub fn decode(bytes: &[u8], content_type: Option<&str>, url: &str) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    let utf8 = decode_as(UTF_8, bytes);
    if is_meant(&utf8) {
        return utf8;
    }
    let header = content_type
        .and_then(charset_parameter)
        .and_then(|label| Encoding::for_label(label.as_bytes()));
    let declared = declared(&bytes[..bytes.len().min(DECLARED_WITHIN)]);
    header
        .into_iter()
        .chain(declared)
        .map(|encoding| decode_as(encoding, bytes))
        .find(|text| !is_damaged(text))
        .unwrap_or_else(|| decode_as(guess(bytes, url), bytes))
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// Whether most of what is not ASCII had a meaning in UTF-8. That is no chance, and so it goes before
/// labels: nearly any bytes are text in one of the older encodings.
fn is_meant(utf8: &str) -> bool {
    let (foreign, replaced) = counts(utf8);
    2 * replaced < foreign
}

fn is_damaged(text: &str) -> bool {
    let (foreign, replaced) = counts(text);
    replaced * DAMAGE > foreign
}

/// The characters that are not ASCII, and those of them that stand for bytes without a meaning.
fn counts(text: &str) -> (usize, usize) {
    let is_replaced = |c: &char| *c == char::REPLACEMENT_CHARACTER;
    let foreign = text.chars().filter(|c| !c.is_ascii());
    (foreign.clone().count(), foreign.filter(is_replaced).count())
}

/// The encoding that bytes look like, as a browser decides it without a label.
fn guess(bytes: &[u8], url: &str) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(
        top_level(url).as_deref().map(str::as_bytes),
        Utf8Detection::Allow,
    )
}

/// The last part of a host's name, which tells encodings of a region apart.
fn top_level(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let Host::Domain(name) = url.host()? else {
        return None;
    };
    let last = name.trim_end_matches('.').rsplit('.').next()?;
    Some(last.to_owned()).filter(|last| last.is_ascii())
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
    use encoding_rs::{
        BIG5, EUC_JP, EUC_KR, GB18030, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252,
    };

    const URL: &str = "https://example.org/";

    fn check(bytes: &[u8], content_type: Option<&str>, expect: &str) {
        assert_eq!(decode(bytes, content_type, URL), expect, "{content_type:?}");
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
        let french = "Le capteur d’humidité a été étalonné à l’été, après la sécheresse.";
        check(&encoded(WINDOWS_1252, french), None, french);
        check(
            &encoded(GB18030, "土壤水分, 0.2，传感器。"),
            None,
            "土壤水分, 0.2，传感器。",
        );
        check(b"", None, "");
    }

    #[test]
    fn without_a_label_by_what_the_bytes_look_like() {
        for (encoding, text) in [
            (
                BIG5,
                "土壤水分感測器在兩年中每小時測量一次，並且與烘乾的樣品比較。",
            ),
            (
                SHIFT_JIS,
                "土壌水分センサーは二年間にわたり毎時測定されました。",
            ),
            (
                EUC_JP,
                "土壌水分センサーは二年間にわたり毎時測定されました。",
            ),
            (EUC_KR, "토양 수분 센서는 이 년 동안 매시간 측정되었습니다."),
            (
                GB18030,
                "土壤水分传感器在两年中每小时测量一次，并与烘干的样品比较。",
            ),
            (
                WINDOWS_1251,
                "Влажность почвы измеряли каждый час в течение двух лет.",
            ),
            (
                KOI8_R,
                "Влажность почвы измеряли каждый час в течение двух лет.",
            ),
        ] {
            check(&encoded(encoding, text), None, text);
            let wrong = Some("text/html; charset=utf-8");
            check(&encoded(encoding, text), wrong, text);
        }
        check(b"\x1b$BEZ>m\x1b(B", None, "土壌");
    }

    #[test]
    fn utf8_goes_before_a_label_of_several_bytes_a_character() {
        let text = "<meta charset=gbk>土壤水分传感器";
        check(text.as_bytes(), Some("text/html; charset=big5"), text);
        check(text.as_bytes(), Some("text/html; charset=euc-kr"), text);
        check(
            b"\x1b$BEZ>m\x1b(B",
            Some("text/html; charset=iso-2022-jp"),
            "土壌",
        );
    }

    #[test]
    fn the_region_of_a_host_decides_in_doubt() {
        let bytes = encoded(WINDOWS_1251, "Почва");
        assert_eq!(decode(&bytes, None, "https://a.example.ru/x"), "Почва");
        assert_eq!(decode(b"caf\xe9", None, "http://10.0.0.1/x"), "café");
        assert_eq!(
            decode(b"caf\xe9", None, "https://a.xn--p1ai./"),
            decode(b"caf\xe9", None, "https://a.xn--p1ai/")
        );
    }

    #[test]
    fn a_little_damage_does_not_change_the_encoding() {
        let mut bytes = "é".repeat(500).into_bytes();
        bytes[10] = 0xff;
        assert!(decode(&bytes, Some("text/html; charset=utf-8"), URL).ends_with("éé"));
    }
}
