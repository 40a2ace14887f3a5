//! Search for a passage in a text, exactly or without regard to case and white space. Hides the
//! folding.

use std::ops::Range;

/// The place of `passage` in `text` in bytes, if it is there: as it is, or else with runs of white
/// space, case and the form of quotation marks and dashes overlooked. An empty passage is nowhere.
pub fn find(text: &str, passage: &str) -> Option<Range<usize>> {
    let passage = passage.trim();
    if passage.is_empty() {
        return None;
    }
    if let Some(at) = text.find(passage) {
        return Some(at..at + passage.len());
    }
    let (haystack, places) = fold(text);
    let (needle, _) = fold(passage);
    let at = haystack.find(needle.trim())?;
    let end = at + needle.trim().len();
    // The folded text is longer or shorter: each of its bytes knows where it comes from.
    Some(places[at].start..places[end - 1].end)
}

/// The folded text, and for each of its bytes the place in the original.
fn fold(text: &str) -> (String, Vec<Range<usize>>) {
    let mut folded = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let place = at..at + c.len_utf8();
        if c.is_whitespace() {
            if !folded.ends_with(' ') {
                folded.push(' ');
                places.push(place);
            }
            continue;
        }
        let plain = match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            other => other,
        };
        for lower in plain.to_lowercase() {
            folded.push(lower);
            places.resize(folded.len(), place.clone());
        }
    }
    (folded, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_whatever_its_case_and_spaces() {
        let found =
            |text: &str, passage: &str| find(text, passage).map(|place| text[place].to_owned());
        let text = "Über  die\nBerge: \u{201c}23 mm\u{201d} \u{2013} 河流每年移动。";
        assert_eq!(found(text, "Berge").as_deref(), Some("Berge"));
        assert_eq!(
            found(text, " über die berge: \"23 MM\" - 河流").as_deref(),
            Some("Über  die\nBerge: \u{201c}23 mm\u{201d} \u{2013} 河流")
        );
        assert_eq!(found(text, "Täler"), None);
        assert_eq!(found(text, "  "), None);
        assert_eq!(found("", "a"), None);
        assert_eq!(found("ends with İ", "İ").as_deref(), Some("İ"));
    }
}
