//! Addresses as written in reports: where they lead, and their faults. Hides schemes that are left
//! away, escapes, and what only looks like an address.

use super::{
    Diagnosis, bare, hosts,
    identifiers::{arxiv, begins, doi},
};
use crate::text::url;

/// Most bytes of an address; servers refuse longer ones.
const MOST_BYTES: usize = 2048;
/// Placeholders for an address that was never filled in.
const UNFILLED: &[&str] = &[
    "url",
    "link",
    "source",
    "href",
    "insert-url",
    "insert_url",
    "todo",
    "tbd",
    "链接",
    "网址",
];

/// An address as written and as it can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Address {
    pub raw: Option<String>,
    pub url: Option<String>,
    pub diagnosis: Vec<Diagnosis>,
}

/// What an address as written leads to.
pub(super) fn read(raw: &str) -> Address {
    let written = raw.trim();
    let raw = Some(written)
        .filter(|raw| !raw.is_empty() && raw.len() <= MOST_BYTES)
        .map(str::to_owned);
    let absolute = absolute(&unescaped(written));
    if let Some(fault) = fault(&absolute) {
        return Address {
            raw,
            url: None,
            diagnosis: vec![fault],
        };
    }
    let canonical = url::canonical(&absolute).filter(|url| url.len() <= MOST_BYTES);
    let mut diagnosis = match &canonical {
        Some(canonical) => hosts::faults(canonical),
        None => vec![Diagnosis::MalformedUrl],
    };
    let remarks = [
        (absolute.contains("..."), Diagnosis::TruncatedUrl),
        (
            canonical.is_some() && url::has_tracking(&absolute),
            Diagnosis::TrackingRemoved,
        ),
        (
            // `arxiv.org/abs/2401.xxxxx`: models write so where they do not know the number.
            absolute.contains("xxxx") || absolute.contains("XXXX"),
            Diagnosis::PlaceholderUrl,
        ),
    ];
    diagnosis.extend(
        remarks
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, remark)| remark),
    );
    diagnosis.sort_unstable();
    diagnosis.dedup();
    Address {
        raw,
        url: canonical,
        diagnosis,
    }
}

/// The fault of an address that shows before it is parsed.
fn fault(address: &str) -> Option<Diagnosis> {
    let unfilled = UNFILLED.contains(
        &address
            .to_ascii_lowercase()
            .trim_matches(['<', '>', '{', '}']),
    );
    let faults = [
        (
            address.is_empty() || address.starts_with('#'),
            Diagnosis::NoUrl,
        ),
        (unfilled, Diagnosis::PlaceholderUrl),
        (
            scheme(address).is_some_and(|scheme| !is_web(scheme)),
            Diagnosis::UnsupportedScheme,
        ),
        (address.len() > MOST_BYTES, Diagnosis::MalformedUrl),
        // Dots within may be a path, as between two commits that are compared; at the end they
        // never are.
        (
            address.contains('…') || address.ends_with("..."),
            Diagnosis::TruncatedUrl,
        ),
    ];
    faults
        .into_iter()
        .find(|(holds, _)| *holds)
        .map(|(_, fault)| fault)
}

/// The scheme where there is one; a host with a port has none.
pub(super) fn scheme(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    let named = scheme.len() < 20 && scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = scheme
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'));
    let port =
        rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit() || c.is_whitespace());
    (named && plain && !port).then_some(scheme)
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// The address without Markdown's escapes and HTML's.
fn unescaped(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    let mut chars = address.chars().peekable();
    while let Some(c) = chars.next() {
        let escape = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        out.extend(if escape { chars.next() } else { Some(c) });
    }
    out.replace("&amp;", "&")
}

/// The address with its scheme, where people leave it away.
fn absolute(address: &str) -> String {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some(id) = doi(address) {
        format!("https://doi.org/{}", &address[id..])
    } else if let Some(id) = arxiv(address) {
        format!("https://arxiv.org/abs/{}", &address[id])
    } else if address.starts_with("//") {
        format!("https:{address}")
    } else if begins(host, "www.") || (host.len() < address.len() && bare::is_domain(host)) {
        format!("https://{address}")
    } else {
        address.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use Diagnosis::{
        MalformedUrl, NoUrl, PlaceholderUrl, PrivateHost, TrackingRemoved, TruncatedUrl,
        UnsupportedScheme,
    };

    use super::*;

    fn check(raw: &str, url: &str, diagnosis: &[Diagnosis]) {
        let found = read(raw);
        assert_eq!(
            (
                found.url.as_deref().unwrap_or(""),
                found.diagnosis.as_slice()
            ),
            (url, diagnosis),
            "{raw}"
        );
    }

    #[test]
    fn addresses_are_made_whole() {
        check("https://a.org/x/", "https://a.org/x", &[]);
        check("www.a.org/x", "https://www.a.org/x", &[]);
        check("//a.org/x", "https://a.org/x", &[]);
        check("a.org/x", "https://a.org/x", &[]);
        check(
            r"https://a.org/x\_y?a=1&amp;b=2",
            "https://a.org/x_y?a=1&b=2",
            &[],
        );
        check("doi:10.1000/xyz(1)", "https://doi.org/10.1000/xyz(1)", &[]);
        check("DOI 10.1000/xyz", "https://doi.org/10.1000/xyz", &[]);
        check("doi.org/10.1000/xyz", "https://doi.org/10.1000/xyz", &[]);
        check(
            "arXiv:2301.00001v2",
            "https://arxiv.org/abs/2301.00001v2",
            &[],
        );
        check(
            "arXiv: math.GT/0309136",
            "https://arxiv.org/abs/math.GT/0309136",
            &[],
        );
        check(
            "https://a.org/x?utm_source=y",
            "https://a.org/x",
            &[TrackingRemoved],
        );
    }

    #[test]
    fn what_leads_nowhere_says_why() {
        check("", "", &[NoUrl]);
        check("#part", "", &[NoUrl]);
        check("URL", "", &[PlaceholderUrl]);
        check("./a.md", "", &[MalformedUrl]);
        check("https://", "", &[MalformedUrl]);
        check("https://a b/", "", &[MalformedUrl]);
        check(
            &format!("https://a.org/{}", "x".repeat(MOST_BYTES)),
            "",
            &[MalformedUrl],
        );
        for other in [
            "mailto:a@a.org",
            "javascript:alert(1)",
            "data:text/plain,x",
            "file:///etc/x",
            "ftp://a.org/x",
        ] {
            check(other, "", &[UnsupportedScheme]);
        }
        check("https://a.org/very/lo…", "", &[TruncatedUrl]);
        check("https://a.org/...", "", &[TruncatedUrl]);
        check(
            "https://a.org/compare/v1...v2",
            "https://a.org/compare/v1...v2",
            &[TruncatedUrl],
        );
        check(
            "https://doi.org/10.xxxx/1",
            "https://doi.org/10.xxxx/1",
            &[PlaceholderUrl],
        );
        check(
            "https://www.example.com/a",
            "https://www.example.com/a",
            &[PlaceholderUrl],
        );
        check(
            "http://10.0.0.1/x?fbclid=1",
            "http://10.0.0.1/x",
            &[TrackingRemoved, PrivateHost],
        );
    }
}
