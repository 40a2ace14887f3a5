//! Sentences of a transcript as ranges of characters, so that a sentence's number stands for its
//! exact words.

use std::ops::Range;

use super::words::is_han;

/// A line break ends a sentence that is already this long; recognisers do not always write full
/// stops.
const LONG_WORDS: usize = 40;
const LONG_HAN: usize = 60;

/// Ranges of Unicode scalar values, in order, without the white space around them. Every other
/// character is in one range.
pub fn split(text: &str) -> Vec<Range<usize>> {
    let chars: Vec<char> = text.chars().collect();
    let mut ranges = Vec::new();
    let mut start = 0;
    for end in 1..=chars.len() {
        if end == chars.len() || ends_here(&chars, start, end) {
            push_trimmed(&chars, start..end, &mut ranges);
            start = end;
        }
    }
    ranges
}

/// Whether a sentence that began at `start` ends before `at`.
fn ends_here(chars: &[char], start: usize, at: usize) -> bool {
    let (last, next) = (chars[at - 1], chars[at]);
    match last {
        '。' | '！' | '？' | '!' | '?' => {
            !is_closing(next) && !matches!(next, '!' | '?' | '！' | '？')
        }
        // A dot within a word is a decimal point or part of an address.
        '.' => next.is_whitespace() && !is_abbreviation(chars, at - 1),
        '”' | '"' | '」' | '’' => {
            at >= 2
                && matches!(chars[at - 2], '。' | '！' | '？' | '.' | '!' | '?')
                && !is_closing(next)
        }
        '\n' => is_long(&chars[start..at]),
        _ => false,
    }
}

fn is_closing(c: char) -> bool {
    matches!(c, '”' | '"' | '」' | '’' | ')' | '）')
}

/// Whether the full stop at `dot` belongs to a title or an initial.
fn is_abbreviation(chars: &[char], dot: usize) -> bool {
    let word: String = chars[..dot]
        .iter()
        .rev()
        .take_while(|c| c.is_alphabetic())
        .collect();
    let word: String = word.chars().rev().collect();
    matches!(
        word.as_str(),
        "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "St" | "vs" | "al" | "approx" | "Fig" | "No"
    ) || (word.chars().count() == 1 && word.chars().all(char::is_uppercase))
}

fn is_long(chars: &[char]) -> bool {
    let han = chars.iter().filter(|c| is_han(**c)).count();
    let words = chars
        .split(|c| c.is_whitespace())
        .filter(|w| !w.is_empty())
        .count();
    han >= LONG_HAN || words >= LONG_WORDS
}

fn push_trimmed(chars: &[char], range: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let slice = &chars[range.clone()];
    let Some(first) = slice.iter().position(|c| !c.is_whitespace()) else {
        return;
    };
    let last = slice
        .iter()
        .rposition(|c| !c.is_whitespace())
        .unwrap_or(first);
    ranges.push(range.start + first..range.start + last + 1);
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
    }

    #[test]
    fn a_line_break_ends_only_what_is_already_long() {
        let line = "word ".repeat(45);
        assert_eq!(split(&format!("{line}\nnext line")).len(), 2);
        assert_eq!(split("short\nnext").len(), 1);
    }
}
