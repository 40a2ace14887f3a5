//! Detection of a body's format, by its first bytes where they are clear, else by its content type.

use super::ReadError;

/// Bytes that are looked at.
const HEAD: usize = 4_096;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML and XHTML.
    Html,
    /// PDF.
    Pdf,
    /// JSON.
    Json,
    /// XML of any other kind.
    Xml,
    /// Plain text, Markdown, CSV, source code.
    Text,
}

/// The format of a body with the `Content-Type` that the server sent.
pub fn detect(bytes: &[u8], content_type: Option<&str>) -> Result<Format, ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Empty);
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    if head[..head.len().min(1_024)]
        .windows(5)
        .any(|window| window == b"%PDF-")
    {
        return Ok(Format::Pdf);
    }
    let essence = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let said = by_name(&essence);
    // Labelled a PDF, but a page: what publishers send to those who may not have the PDF.
    if said == Some(Format::Pdf) {
        return if looks_like_html(head) {
            Ok(Format::Html)
        } else {
            Err(ReadError::BrokenPdf)
        };
    }
    let wide = head.starts_with(&[0xff, 0xfe])
        || head.starts_with(&[0xfe, 0xff])
        || says_utf16(content_type);
    if !wide && is_binary(head) {
        return Err(if is_vague(&essence) || said.is_some() {
            ReadError::NotText
        } else {
            unsupported(&essence)
        });
    }
    match said {
        Some(Format::Text | Format::Xml) if looks_like_html(head) => Ok(Format::Html),
        Some(format) => Ok(format),
        None if is_vague(&essence) => Ok(sniffed(head)),
        None => Err(unsupported(&essence)),
    }
}

fn unsupported(essence: &str) -> ReadError {
    ReadError::UnsupportedType(
        essence
            .chars()
            .filter(char::is_ascii_graphic)
            .take(80)
            .collect(),
    )
}

fn is_vague(essence: &str) -> bool {
    matches!(
        essence,
        "" | "application/octet-stream" | "binary/octet-stream" | "application/force-download"
    ) || !essence.contains('/')
}

fn by_name(essence: &str) -> Option<Format> {
    match essence {
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        "application/pdf" | "application/x-pdf" => Some(Format::Pdf),
        "application/json" | "text/json" | "application/x-ndjson" => Some(Format::Json),
        "application/xml" | "text/xml" => Some(Format::Xml),
        _ if essence.ends_with("+json") => Some(Format::Json),
        _ if essence.ends_with("+xml") && !essence.starts_with("image/") => Some(Format::Xml),
        _ if essence.starts_with("text/") => Some(Format::Text),
        "application/markdown" | "application/x-tex" | "application/yaml" | "application/toml" => {
            Some(Format::Text)
        }
        _ => None,
    }
}

fn sniffed(head: &[u8]) -> Format {
    let start = beginning(head);
    match () {
        () if looks_like_html(head) => Format::Html,
        () if start.starts_with("<?xml") => Format::Xml,
        () if start.starts_with(['{', '[']) => Format::Json,
        () if start.starts_with('<') && start.contains("</") => Format::Html,
        () => Format::Text,
    }
}

/// Whether a text begins as an HTML page does, declarations and comments before it aside.
fn looks_like_html(head: &[u8]) -> bool {
    let text = beginning(head);
    let mut rest = text.as_str();
    loop {
        let end = match () {
            () if rest.starts_with("<?xml") => "?>",
            () if rest.starts_with("<!--") => "-->",
            () => break,
        };
        let Some((_, after)) = rest.split_once(end) else {
            return false;
        };
        rest = after.trim_start();
    }
    let tag = |name: &str| {
        rest.strip_prefix(name)
            .is_some_and(|next| next.starts_with([' ', '>', '\n', '\r', '\t']))
    };
    ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|name| tag(name))
}

fn beginning(head: &[u8]) -> String {
    // UTF-16 is read as far as its ASCII goes.
    let plain: Vec<u8> = head.iter().copied().filter(|b| *b != 0).collect();
    String::from_utf8_lossy(&plain)
        .trim_start_matches(['\u{feff}', '\u{fffd}'])
        .trim_start()
        .to_ascii_lowercase()
}

fn says_utf16(content_type: Option<&str>) -> bool {
    content_type
        .is_some_and(|content_type| content_type.to_ascii_lowercase().contains("charset=utf-16"))
}

/// Whether bytes are no text in any encoding that keeps ASCII: too many control characters.
fn is_binary(head: &[u8]) -> bool {
    let control = head
        .iter()
        .filter(|b| **b < 9 || (14..32).contains(*b) && **b != 27)
        .count();
    control * 50 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], content_type: &str, expect: Result<Format, ReadError>) {
        let content_type = Some(content_type).filter(|t| !t.is_empty());
        assert_eq!(
            detect(bytes, content_type),
            expect,
            "{content_type:?} {:?}",
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn by_the_server_s_word() {
        check(b"x", "text/html; charset=utf-8", Ok(Format::Html));
        check(b"{}", "application/ld+json", Ok(Format::Json));
        check(b"<rss/>", "application/rss+xml", Ok(Format::Xml));
        check(b"# x", "text/markdown", Ok(Format::Text));
        check(
            b"PK",
            "application/zip",
            Err(ReadError::UnsupportedType("application/zip".into())),
        );
        check(
            b"<svg/>",
            "image/svg+xml",
            Err(ReadError::UnsupportedType("image/svg+xml".into())),
        );
    }

    #[test]
    fn by_the_first_bytes() {
        check(b"\n%PDF-1.4", "text/html", Ok(Format::Pdf));
        check(b"<!DOCTYPE html><p>", "application/pdf", Ok(Format::Html));
        check(b"junk", "application/pdf", Err(ReadError::BrokenPdf));
        check(
            b"<?xml version='1.0'?>\n<!-- x --><html xmlns='y'>",
            "application/xml",
            Ok(Format::Html),
        );
        check(b"\xef\xbb\xbf <HTML>", "", Ok(Format::Html));
        check(b"<?xml version='1.0'?><rss/>", "", Ok(Format::Xml));
        check(b"[1]", "application/octet-stream", Ok(Format::Json));
        check(b"<p>x</p>", "", Ok(Format::Html));
        check(b"plain", "nonsense", Ok(Format::Text));
        check(b"\xff\xfe<\0h\0t\0m\0l\0>\0", "", Ok(Format::Html));
    }

    #[test]
    fn what_is_no_text() {
        check(b"", "text/html", Err(ReadError::Empty));
        check(b" \n\t", "", Err(ReadError::Empty));
        check(
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
            "image/png",
            Err(ReadError::UnsupportedType("image/png".into())),
        );
        check(
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0",
            "text/html",
            Err(ReadError::NotText),
        );
        check(b"\x7fELF\x02\x01\x01\0\0\0\0", "", Err(ReadError::NotText));
        check(b"a\tb\r\n\x1b[0m", "text/plain", Ok(Format::Text));
    }
}
