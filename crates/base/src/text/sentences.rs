//! Sentences of a text as ranges of characters, so that a sentence's number stands for its exact
//! words. Where they end is `sentencex`'s to say: abbreviations, initials, quotes, lists.

use std::ops::Range;

use sentencex::get_sentence_boundaries;

use super::words::is_han;

/// The language whose abbreviations are known; marks at the ends of sentences are those of all
/// languages.
const LANGUAGE: &str = "en";
/// A line break ends a sentence that is already this long; recognisers do not always write full
/// stops.
const LONG_WORDS: usize = 40;
const LONG_HAN: usize = 60;

/// Bytes that are split at once: what looks for the ends of quotes takes quadratic time.
const WINDOW: usize = 10_000;

/// Ranges of Unicode scalar values, in order, without the white space around them. Every other
/// character is in one range.
pub fn split(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut rest, mut start) = (text, 0);
    while !rest.is_empty() {
        let window = &rest[..rest.floor_char_boundary(WINDOW)];
        let found = get_sentence_boundaries(LANGUAGE, window);
        let mut ends: Vec<usize> = found.iter().map(|sentence| sentence.end_byte).collect();
        // The last one may go on behind the window.
        if window.len() < rest.len() && ends.len() > 1 {
            ends.pop();
        }
        let mut sentence = 0;
        for end in ends {
            for part in long_lines(&window[sentence..end]) {
                start = push_trimmed(part, start, &mut ranges);
            }
            sentence = end;
        }
        if sentence == 0 {
            start = push_trimmed(window, start, &mut ranges);
            sentence = window.len();
        }
        rest = &rest[sentence..];
    }
    ranges
}

/// Adds the range of a part that begins at `start`, and says where the next one does.
fn push_trimmed(part: &str, start: usize, ranges: &mut Vec<Range<usize>>) -> usize {
    let end = start + part.chars().count();
    let before = part.chars().take_while(|c| c.is_whitespace()).count();
    let after = part.chars().rev().take_while(|c| c.is_whitespace()).count();
    if start + before < end {
        ranges.push(start + before..end - after);
    }
    end
}

/// The parts of a sentence that line breaks end because they are long.
fn long_lines(sentence: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut end) = (0, 0);
    let (mut han, mut words) = (0, 0);
    for line in sentence.split_inclusive('\n') {
        end += line.len();
        han += line.chars().filter(|c| is_han(*c)).count();
        words += line.split_whitespace().count();
        if han >= LONG_HAN || words >= LONG_WORDS {
            parts.push(&sentence[start..end]);
            (start, han, words) = (end, 0, 0);
        }
    }
    parts.push(&sentence[start..end]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let chars: Vec<char> = text.chars().collect();
        let found: Vec<String> = split(text)
            .into_iter()
            .map(|r| chars[r].iter().collect())
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn splits_where_people_would() {
        check(
            "Thank you. I want\nto start. 4.5 percent!",
            &["Thank you.", "I want\nto start.", "4.5 percent!"],
        );
        check(
            "Dr. Helen J. Marsh spoke. Why?",
            &["Dr. Helen J. Marsh spoke.", "Why?"],
        );
        check(
            "各位老师同学，下午好。今天我们请到王老师。",
            &["各位老师同学，下午好。", "今天我们请到王老师。"],
        );
        check("他说：“好。”然后走了。", &["他说：“好。”", "然后走了。"]);
        check("  \n ", &[]);
        check("", &[]);
    }

    #[test]
    fn abbreviations_and_initials_end_nothing() {
        for whole in [
            "The probes (cf. Fig. 3 and Sec. 4.2) were dry.",
            "It was e.g. 4.5 % vs. 3.2 %.",
            "The U.S. Geological Survey measured it.",
            "Marsh et al. (2019) and Ortiz, J. R. say so.",
        ] {
            check(whole, &[whole]);
        }
        check(
            "It rained in the U.S. He left... She wondered.",
            &["It rained in the U.S.", "He left...", "She wondered."],
        );
        check("A heading\n\nA paragraph", &["A heading", "A paragraph"]);
    }

    #[test]
    fn ranges_are_of_characters_and_hold_every_one() {
        let text = "Été “sec”. 土壤🌱干了。 \u{a0}Die Böden?! \n\n\t1. Ä b.\r\n2. ö\u{301} c. ";
        let chars: Vec<char> = text.chars().collect();
        let ranges = split(text);
        assert!(ranges.is_sorted_by(|a, b| a.end <= b.start));
        let held = |at: usize| ranges.iter().any(|range| range.contains(&at));
        assert!((0..chars.len()).all(|at| held(at) || chars[at].is_whitespace()));
        for range in &ranges {
            assert!(!chars[range.start].is_whitespace() && !chars[range.end - 1].is_whitespace());
        }
    }

    #[test]
    fn long_texts_are_split_as_short_ones() {
        let text = "Dr. Marsh measured it. 他说：“好。”然后走了。 ".repeat(2_000);
        assert_eq!(split(&text).len(), 3 * 2_000);
        let endless = "土".repeat(WINDOW);
        let length = |range: &Range<usize>| range.len();
        assert_eq!(split(&endless).iter().map(length).sum::<usize>(), WINDOW);
    }

    #[test]
    fn a_line_break_ends_only_what_is_already_long() {
        let line = "word ".repeat(45);
        assert_eq!(split(&format!("{line}\nnext line")).len(), 2);
        assert_eq!(split("short\nnext").len(), 1);
    }
}
