//! The guard against false near-copies by vectors: a paraphrase and the same task about another
//! year or another place lie equally near. So two texts count as copies only if numbers, names and
//! key words agree.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::{
    normalize::normalize,
    words::{is_chinese, terms},
};

/// Numbers up to this one are not compared: "a pair of methods" and "two methods" are the same, and
/// so are three and some.
const SMALL: f64 = 10.0;
/// Key words that two texts of one language have in common at least.
const LEAST_TERMS: usize = 2;

/// Whether two texts with near vectors may be copies. Numbers above ten, in digits or in words, are
/// the same ones. If both texts are Chinese, or neither is, they share two key words, and not each
/// of them has a name that the other lacks.
pub fn agree(a: &str, b: &str) -> bool {
    numbers(a) == numbers(b)
        && (is_chinese(a) != is_chinese(b)
            || (terms(a)
                .intersection(&terms(b))
                .nth(LEAST_TERMS - 1)
                .is_some()
                && !(lacks(a, b) && lacks(b, a))))
}

/// The numbers above ten, as digits.
pub fn numbers(text: &str) -> BTreeSet<String> {
    let normal = normalize(text);
    let runs = normal
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|run| run.trim_matches('.'));
    runs.filter(|run| run.parse::<f64>().is_ok_and(|number| number > SMALL))
        .map(str::to_owned)
        .collect()
}

/// Whether `b` lacks a name of `a`.
fn lacks(a: &str, b: &str) -> bool {
    let there: BTreeSet<String> = b
        .unicode_words()
        .map(|word| bare(word).to_lowercase())
        .collect();
    names(a)
        .iter()
        .any(|name| !there.contains(&name.to_lowercase()))
}

/// Capitalised words that do not begin a sentence.
fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut begins = true;
    for part in text.split_word_bounds() {
        let mut letters = part.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let more = letters.any(char::is_uppercase);
        // Capitals inside a word (DNA, iPhone) name something even at a sentence's beginning.
        if more || capital && !begins && part.chars().count() > 1 {
            names.push(bare(part));
        }
        if part.chars().any(char::is_alphanumeric) {
            begins = false;
        } else if part.contains([
            '.', '?', '!', ':', ';', '(', '“', '"', '\n', '。', '？', '！', '：', '；', '（', '「',
        ]) {
            begins = true;
        }
    }
    names
}

/// A name without the ending of its possessor, and an acronym without that of its plural.
fn bare(word: &str) -> &str {
    let word = word
        .strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word);
    word.strip_suffix('s')
        .filter(|rest| rest.len() > 1 && rest.chars().all(char::is_uppercase))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expect: bool) {
        assert_eq!((agree(a, b), agree(b, a)), (expect, expect), "{a} / {b}");
    }

    #[test]
    fn numbers_are_the_same_ones() {
        check(
            "Compare fifteen glacier models since 2015.",
            "Since 2015, 15 models of glaciers: which is best?",
            true,
        );
        check(
            "Compare glacier models since 2015.",
            "Compare glacier models since 2005.",
            false,
        );
        check(
            "Compare two glacier models.",
            "Compare both glacier models.",
            true,
        );
        check("比较近二十年的冰川模型。", "比较20年来的冰川模型。", true);
        check(
            "比较2011至2022年的冰川模型。",
            "Compare glacier models of 2011–2022.",
            true,
        );
        check(
            "比较2011年以来的冰川模型。",
            "Compare glacier models since 2012.",
            false,
        );
        assert!(numbers("Part 3.5 of 10, and a half").is_empty());
        assert_eq!(
            numbers("52 %, 4,000 and the 19th")
                .into_iter()
                .collect::<Vec<_>>(),
            ["19", "4000", "52"]
        );
    }

    #[test]
    fn names_do_not_contradict() {
        check(
            "Survey the glaciers of Greenland for melting.",
            "Which glaciers of Patagonia are melting?",
            false,
        );
        check(
            "Survey the glaciers of Greenland for melting.",
            "Along Greenland's coast, which glaciers melt?",
            true,
        );
        check(
            "Survey melting glaciers.",
            "Which glaciers of Patagonia are melting?",
            true,
        );
        check(
            "Glaciers of the USA are melting.",
            "Are US glaciers melting? Glaciers!",
            false,
        );
        check(
            "Ask SMEs about shifts and glaciers.",
            "Ask about shifts and glaciers in an SME.",
            true,
        );
    }

    #[test]
    fn key_words_are_shared_within_a_language() {
        check(
            "Survey glaciers and melting.",
            "Write about tulip bulbs.",
            false,
        );
        check("比较冰川模型的误差。", "设计家谱数字化流程。", false);
        check("Survey glaciers and melting.", "调查冰川和融化。", true);
    }
}
