//! Loops: a recogniser that repeats a word or phrase without end. Hides how text is split into the
//! words that are compared.

use std::ops::Range;

/// Rounds of a repeated word that make a loop; fewer are speech ("no, no, no").
const WORD_ROUNDS: usize = 6;
/// Rounds of a repeated phrase that make a loop.
const PHRASE_ROUNDS: usize = 4;
/// Longest phrase that is looked for, in words or Han characters.
const MAX_PHRASE: usize = 40;

/// Cuts each loop of a text down to its first round: the ranges of bytes that stay, and the number
/// of loops.
pub fn cut_loops(text: &str, unspaced: bool) -> (Vec<Range<usize>>, usize) {
    let words = split_words(text, unspaced);
    let keys: Vec<String> = words.iter().map(|word| key(word)).collect();
    let mut kept = Vec::new();
    let mut loops = 0;
    let (mut at, mut byte) = (0, 0);
    while at < words.len() {
        let (length, rounds) = loop_at(&keys[at..]);
        kept.push(byte..byte + bytes_of(&words[at..at + length]));
        byte += bytes_of(&words[at..at + length * rounds]);
        at += length * rounds;
        loops += usize::from(rounds > 1);
    }
    (kept, loops)
}

/// Whether a text has a loop.
pub fn has_loop(text: &str, unspaced: bool) -> bool {
    cut_loops(text, unspaced).1 > 0
}

/// The length in words and the number of rounds of the loop that begins here; one word once if none
/// does.
fn loop_at(keys: &[String]) -> (usize, usize) {
    for length in 1..=MAX_PHRASE.min(keys.len() / 2) {
        let phrase = &keys[..length];
        // A row of punctuation marks is no loop.
        if phrase.iter().all(String::is_empty) {
            continue;
        }
        let rounds = keys
            .chunks_exact(length)
            .take_while(|chunk| *chunk == phrase)
            .count();
        let enough = if length == 1 {
            WORD_ROUNDS
        } else {
            PHRASE_ROUNDS
        };
        if rounds >= enough {
            return (length, rounds);
        }
    }
    (1, 1)
}

fn bytes_of(words: &[&str]) -> usize {
    words.iter().map(|word| word.len()).sum()
}

/// Words with the space before them, or characters in a language without spaces. Together they are
/// the text.
pub fn split_words(text: &str, unspaced: bool) -> Vec<&str> {
    if unspaced {
        return text
            .char_indices()
            .map(|(i, c)| &text[i..i + c.len_utf8()])
            .collect();
    }
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (i, c) in text.char_indices() {
        if c.is_whitespace() && in_word {
            words.push(&text[start..i]);
            start = i;
        }
        in_word = !c.is_whitespace();
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// The letters and digits of a word in lower case: what is compared.
pub fn key(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, unspaced: bool, expect: &str, loops: usize) {
        let (kept, found) = cut_loops(text, unspaced);
        let kept: String = kept.into_iter().map(|bytes| &text[bytes]).collect();
        assert_eq!((kept.as_str(), found), (expect, loops), "{text}");
    }

    #[test]
    fn loops_are_cut_and_emphasis_is_not() {
        let emphasis = "No, no, no, it is six six six.";
        check(emphasis, false, emphasis, 0);
        check(
            "And so I think, I think, I think, I think, I think.",
            false,
            "And so I think,",
            1,
        );
        check(
            "well well well well well well well done",
            false,
            "well done",
            1,
        );
        check("我们我们我们我们都知道", true, "我们都知道", 1);
        check("哈哈哈，好", true, "哈哈哈，好", 0);
        check("", true, "", 0);
    }
}
