//! Log-probabilities of repeated text. Once the model has invented something, it copies it with
//! great confidence: repeated words must count as no more likely than they were the first time.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use super::repetition::{key, split_words};
use crate::transcribe::phrase::{Phrase, mean_logprob};

/// A word of a window.
struct Word {
    /// The index of its phrase.
    phrase: usize,
    /// Its tokens, among those of the phrase.
    tokens: Range<usize>,
    key: String,
    /// The mean log-probability of its tokens, or that of the first time.
    logprob: f64,
}

/// Lowers the token log-probabilities of each word of a window that was said before beside the same
/// neighbour to those of the first time. It raises none.
pub fn cap_repeated(phrases: &mut [Phrase], unspaced: bool) {
    let mut words: Vec<Word> = phrases
        .iter()
        .enumerate()
        .flat_map(|(index, phrase)| words_of(index, phrase, unspaced))
        .collect();
    cap_pairs(&mut words);
    for word in words {
        let tokens = &mut phrases[word.phrase].token_logprobs[word.tokens];
        // Only lowered: a repetition never makes a word more likely.
        if word.logprob < mean_logprob(&*tokens) {
            for (_, logprob) in tokens {
                *logprob = word.logprob;
            }
        }
    }
}

/// Caps both words of each repeated pair of neighbours. Pairs, because single words such as "the"
/// are repeated in all speech.
fn cap_pairs(words: &mut [Word]) {
    let mut first_time: HashMap<(String, String), (f64, f64)> = HashMap::new();
    for i in 1..words.len() {
        let [left, right] = &mut words[i - 1..=i] else {
            continue;
        };
        match first_time.entry((left.key.clone(), right.key.clone())) {
            Entry::Vacant(entry) => {
                entry.insert((left.logprob, right.logprob));
            }
            Entry::Occupied(entry) => {
                let first = entry.get();
                // The minimum, because a word is capped by both of its pairs.
                left.logprob = left.logprob.min(first.0);
                right.logprob = right.logprob.min(first.1);
            }
        }
    }
}

/// The words of a phrase, without those that are mere punctuation.
fn words_of(index: usize, phrase: &Phrase, unspaced: bool) -> Vec<Word> {
    let mut byte = 0;
    let mut words = Vec::new();
    for word in split_words(&phrase.text, unspaced) {
        let from = tokens_before(phrase, byte);
        byte += word.len();
        let tokens = from..tokens_before(phrase, byte);
        let key = key(word);
        // Punctuation repeats in every text and is no sign of a copy.
        if !key.is_empty() && !tokens.is_empty() {
            words.push(Word {
                phrase: index,
                logprob: mean_logprob(&phrase.token_logprobs[tokens.clone()]),
                tokens,
                key,
            });
        }
    }
    words
}

/// The number of tokens that begin before this byte of the text.
fn tokens_before(phrase: &Phrase, byte: usize) -> usize {
    phrase
        .token_logprobs
        .partition_point(|(start, _)| *start < byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phrase with these log-probabilities of its tokens, by their bytes.
    fn phrase(text: &str, token_logprobs: Vec<(usize, f64)>) -> Phrase {
        Phrase {
            start: 0.0,
            end: 3.0,
            text: text.into(),
            token_starts: Vec::new(),
            token_logprobs,
            no_speech_prob: 0.0,
        }
    }

    /// A phrase in which each word (or character) is a token with this log-probability.
    fn even_phrase(text: &str, logprob: f64, unspaced: bool) -> Phrase {
        let mut byte = 0;
        let mut logprobs = Vec::new();
        for word in split_words(text, unspaced) {
            logprobs.push((byte, logprob));
            byte += word.len();
        }
        phrase(text, logprobs)
    }

    /// Ten times the mean log-probability of each phrase after capping.
    fn capped(said: &[(&str, f64)], unspaced: bool) -> Vec<i32> {
        let mut phrases: Vec<Phrase> = said
            .iter()
            .map(|&(text, logprob)| even_phrase(text, logprob, unspaced))
            .collect();
        cap_repeated(&mut phrases, unspaced);
        phrases
            .iter()
            .map(|phrase| (phrase.mean_logprob() * 10.0).round() as i32)
            .collect()
    }

    #[test]
    fn what_is_said_again_is_as_likely_as_the_first_time() {
        let sure = (
            " The survey shows less rain in the north than in the south.",
            -0.2,
        );
        let made_up = (" I'm not sure if I can do it.", -2.2);
        assert_eq!(
            capped(&[sure, made_up, (made_up.0, -0.1)], false),
            [-2, -22, -22]
        );
        assert_eq!(
            capped(&[made_up, (" But I'm not sure!", -0.1)], false),
            [-22, -17]
        );
        assert_eq!(capped(&[made_up, sure], false), [-22, -2]);
        let greeting = [
            (" I'm not sure.", -2.2),
            (" Good morning.", -0.3),
            (" Good morning, everyone.", -0.2),
        ];
        assert_eq!(capped(&greeting, false), [-22, -3, -3]);
        assert_eq!(
            capped(
                &[(" It rained here.", -0.2), (" It rained here.", -0.9)],
                false
            ),
            [-2, -9],
            "never likelier"
        );
        assert_eq!(
            capped(&[("我不知道", -2.0), ("但是我不知道。", -0.1)], true),
            [-20, -12]
        );
        assert_eq!(capped(&[("", 0.0)], false), [0]);
    }

    #[test]
    fn a_phrase_repeats_itself_too() {
        let text = " I can do it, I can do it.";
        let starts = [0, 2, 6, 9, 13, 15, 19, 22];
        let logprobs = starts
            .iter()
            .map(|start| (*start, if *start < 13 { -2.0 } else { -0.1 }))
            .collect();
        let mut phrases = [phrase(text, logprobs)];
        cap_repeated(&mut phrases, false);
        assert!(
            phrases[0]
                .token_logprobs
                .iter()
                .all(|(_, logprob)| *logprob < -1.9),
            "{phrases:?}"
        );
    }
}
