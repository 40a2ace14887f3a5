//! Addresses that the references of a wikitext cite.
//!
//! They are counted in the `<ref>` tags of the frozen wikitext and not in the links of the page:
//! the page's links hold a subject's own site, maps, library catalogues and whatever templates add
//! on the day of the request, while what stands in a reference of a revision never changes.

use std::collections::BTreeSet;

use crate::text::url::canonical;

/// Version of the count: raised with every change of what is counted.
pub const VERSION: &str = "1";

/// Names of template parameters with a copy of a page that is cited beside it.
const COPIES: &[&str] = &["archive-url", "archiveurl"];
/// Hosts that keep copies, with the address of the page at the end of theirs.
const ARCHIVES: &[&str] = &["web.archive.org/web/", "archive.org/web/"];

/// The distinct addresses, each in its one spelling. A page and its archived copy are one.
pub fn reference_addresses(wikitext: &str) -> BTreeSet<String> {
    let text = without_comments(wikitext);
    let mut found = BTreeSet::new();
    for reference in references(&text) {
        addresses(reference, &mut found);
    }
    found
}

fn without_comments(wikitext: &str) -> String {
    let mut kept = String::with_capacity(wikitext.len());
    let mut rest = wikitext;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        // As MediaWiki has it, a comment without an end is one to the end of the text.
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

/// What stands in the reference tags; one without an end ends where the next one begins.
fn references(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    while let Some(step) = text[at..].find('<') {
        let start = at + step;
        let rest = &text[start + 1..];
        at = start + 1;
        let closes = has_name(rest, "/ref");
        if !closes && !has_name(rest, "ref") {
            continue;
        }
        if let Some(open) = open.take() {
            found.push(&text[open..start]);
        }
        // Without an end of this tag there is none of a later one.
        let Some(length) = rest.find('>') else { break };
        at += length + 1;
        if !closes && !rest[..length].ends_with('/') {
            open = Some(at);
        }
    }
    found.extend(open.map(|open| &text[open..]));
    found
}

/// Whether a tag has this name: `<ref>` and `<ref name=a>`, but not `<references>`.
fn has_name(tag: &str, name: &str) -> bool {
    let is_named = tag
        .get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name));
    let next = is_named.then(|| tag.as_bytes().get(name.len())).flatten();
    next.is_some_and(|next| next.is_ascii_whitespace() || matches!(next, b'>' | b'/'))
}

fn addresses(reference: &str, found: &mut BTreeSet<String>) {
    let mut at = 0;
    while let Some(step) = reference[at..].find("://") {
        let colon = at + step;
        let end = reference[colon..]
            .find(|c: char| c.is_whitespace() || "|{}[]<>\"".contains(c))
            .map_or(reference.len(), |length| colon + length);
        at = end;
        let before = &reference.as_bytes()[..colon];
        let Some(scheme) = ["https", "http"].iter().find(|scheme| {
            let start = colon.checked_sub(scheme.len());
            start.is_some_and(|start| before[start..].eq_ignore_ascii_case(scheme.as_bytes()))
        }) else {
            continue;
        };
        let start = colon - scheme.len();
        if is_copy(&reference[..start]) {
            continue;
        }
        let address = reference[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
        found.extend(canonical(original(address)));
    }
}

/// Whether an address stands in a parameter for copies.
fn is_copy(before: &str) -> bool {
    let Some(name) = before.trim_end().strip_suffix('=') else {
        return false;
    };
    let name = name.trim_end();
    COPIES.iter().any(|copy| {
        let rest = name.strip_suffix(copy);
        rest.is_some_and(|rest| rest.trim_end().ends_with('|'))
    })
}

/// The page that an archive's address has a copy of, or the address itself.
fn original(address: &str) -> &str {
    let (_, path) = address.split_once("://").unwrap_or_default();
    if !ARCHIVES.iter().any(|archive| path.starts_with(archive)) {
        return address;
    }
    let inner = ["https://", "http://"]
        .iter()
        .filter_map(|scheme| path.find(scheme))
        .min();
    inner.map_or(address, |inner| &path[inner..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wikitext: &str, expect: &[&str]) {
        let found = reference_addresses(wikitext);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expect, "{wikitext}");
    }

    #[test]
    fn addresses_of_references_alone_count() {
        check(
            "Weir<ref>{{cite web |url = https://a.org/x?utm_source=y |title=X}}</ref> \
             [https://no.org link] {{official|https://no2.org}}\n\
             <ref name=\"b\">[http://B.org/y Y].</ref><ref name=b /> <REF group=n>https://c.org/z.</ref>\n\
             <references><ref name=d>https://d.org/</ref></references>",
            &[
                "http://b.org/y",
                "https://a.org/x",
                "https://c.org/z",
                "https://d.org/",
            ],
        );
    }

    #[test]
    fn a_page_counts_once() {
        check(
            "<ref>https://a.org/x</ref><ref>https://a.org/x#part</ref>\
             <ref>{{cite|url=https://a.org/x|archive-url=https://archive.example/123}}</ref>\
             <ref>https://web.archive.org/web/2024/https://a.org/x</ref>",
            &["https://a.org/x"],
        );
    }

    #[test]
    fn comments_and_what_is_no_reference_do_not_count() {
        check(
            "<!-- <ref>https://a.org</ref> --><reflist>https://b.org</reflist>\
             <ref>ftp://c.org s3://d shttp</ref><!-- <ref>https://e.org</ref>",
            &[],
        );
    }

    #[test]
    fn a_reference_without_an_end_ends_at_the_next() {
        check(
            "<ref>https://a.org/1 <ref>https://a.org/2</ref> https://no.org <ref>https://a.org/3 隼",
            &["https://a.org/1", "https://a.org/2", "https://a.org/3"],
        );
    }

    #[test]
    fn hostile_shapes_take_linear_time() {
        for piece in [
            "<ref ",
            "<ref>",
            "<!--",
            "<ref>://",
            "<ref>https://",
            "<ref>|archive-url=",
            "隼<",
        ] {
            let text = piece.repeat(1_000_000 / piece.len());
            let _ = reference_addresses(&text);
        }
        let long = format!("<ref>{}</ref>", "https://a.org/ = ".repeat(60_000));
        check(&long, &["https://a.org/"]);
    }
}
