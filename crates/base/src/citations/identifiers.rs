//! DOIs and arXiv numbers, which stand for addresses.

use std::ops::Range;

/// Where the DOI proper begins in a text that begins with `doi:10.` or `doi.org/10.`
pub(super) fn doi(text: &str) -> Option<usize> {
    let rest = text.get(3..).filter(|_| begins(text, "doi"))?;
    let id = rest
        .strip_prefix(".org/")
        .unwrap_or_else(|| rest.trim_start_matches([':', '：', ' ']));
    let registrant = id.strip_prefix("10.")?.split('/').next()?;
    let well_formed =
        (4..=9).contains(&registrant.len()) && registrant.bytes().all(|byte| byte.is_ascii_digit());
    (well_formed && id.len() > "10./".len() + registrant.len()).then(|| text.len() - id.len())
}

/// The arXiv number in a text that begins with `arXiv:` or `arxiv.org/abs/`.
pub(super) fn arxiv(text: &str) -> Option<Range<usize>> {
    let rest = text.get(5..).filter(|_| begins(text, "arxiv"))?;
    let paths = [".org/abs/", ".org/pdf/"];
    let id = paths.iter().find_map(|path| rest.strip_prefix(path));
    let id = id.unwrap_or_else(|| rest.trim_start_matches([':', '：', ' ']));
    let start = text.len() - id.len();
    Some(start..start + new_number(id).or_else(|| old_number(id))?)
}

/// `2301.00001v2`
fn new_number(id: &str) -> Option<usize> {
    let figures = |from: usize| {
        id[from..]
            .bytes()
            .take(9)
            .take_while(u8::is_ascii_digit)
            .count()
    };
    let dot = figures(0);
    // Four figures of year and month, a dot, four or five figures: the scheme since April 2007.
    if dot != 4 || !id[dot..].starts_with('.') {
        return None;
    }
    let end = 5 + figures(5);
    let version = if id[end..].starts_with('v') {
        figures(end + 1)
    } else {
        0
    };
    matches!(end, 9 | 10).then_some(end + if version > 0 { version + 1 } else { 0 })
}

/// `math.GT/0309136`
fn old_number(id: &str) -> Option<usize> {
    let slash = id.bytes().take(20).position(|byte| byte == b'/')?;
    let archive = &id.as_bytes()[..slash];
    let named = slash > 1
        && archive
            .iter()
            .all(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.'));
    let figures = id[slash + 1..]
        .bytes()
        .take(8)
        .take_while(u8::is_ascii_digit)
        .count();
    (named && figures == 7).then_some(slash + 8)
}

/// Whether a text begins with an ASCII word in any case.
pub(super) fn begins(text: &str, word: &str) -> bool {
    text.as_bytes()
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois_begin_with_a_registrant() {
        let check = |text: &str, id: Option<&str>| {
            assert_eq!(doi(text).map(|start| &text[start..]), id, "{text}");
        };
        check("doi:10.1000/x", Some("10.1000/x"));
        check("DOI: 10.123456789/x", Some("10.123456789/x"));
        check("doi.org/10.1000/x(1)", Some("10.1000/x(1)"));
        for none in [
            "10.1000/x",
            "doi:10.1/x",
            "doi:10.1000/",
            "doi:10.1000",
            "doi",
            "do号",
            "",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn arxiv_numbers_are_old_or_new() {
        let check = |text: &str, id: Option<&str>| {
            assert_eq!(arxiv(text).map(|id| &text[id]), id, "{text}");
        };
        check("arXiv:2301.00001.", Some("2301.00001"));
        check("arXiv:0704.0001v12 x", Some("0704.0001v12"));
        check("arxiv.org/pdf/2301.00001v", Some("2301.00001"));
        check("ARXIV hep-th/9901001", Some("hep-th/9901001"));
        check("arXiv：math.GT/0309136v1", Some("math.GT/0309136"));
        for none in [
            "arXiv:23.1",
            "arXiv:2301.1",
            "arXiv:2301.000011",
            "arXiv:x/1",
            "arXiv",
            "arXi号",
        ] {
            check(none, None);
        }
    }
}
