//! How likely the model finds what it says again. Once it has made something up, it copies that
//! with great confidence: what is said again is no likelier than it was the first time.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use super::whisper::{Phrase, logprob};
use crate::transcribe::hallucination::{key, tokens};

/// A word of a window.
struct Word {
    phrase: usize,
    /// Its tokens, among those of the phrase.
    tokens: Range<usize>,
    key: String,
    /// Their mean log-probability, or that of the first time.
    logprob: f64,
}

/// In a window's `phrases`, gives the tokens of each word that was said before beside the same
/// neighbour the log-probability of the first time, where they are lower.
pub fn temper(phrases: &mut [Phrase], unspaced: bool) {
    let mut words: Vec<Word> = phrases
        .iter()
        .enumerate()
        .flat_map(|(place, phrase)| words_of(place, phrase, unspaced))
        .collect();
    let mut first: HashMap<(String, String), (f64, f64)> = HashMap::new();
    for i in 1..words.len() {
        let [left, right] = &mut words[i - 1..=i] else {
            continue;
        };
        match first.entry((left.key.clone(), right.key.clone())) {
            Entry::Vacant(new) => {
                new.insert((left.logprob, right.logprob));
            }
            Entry::Occupied(old) => {
                (left.logprob, right.logprob) = (
                    left.logprob.min(old.get().0),
                    right.logprob.min(old.get().1),
                );
            }
        }
    }
    for word in words {
        let tokens = &mut phrases[word.phrase].logprobs[word.tokens];
        if word.logprob < logprob(&*tokens) {
            for (_, logprob) in tokens {
                *logprob = word.logprob;
            }
        }
    }
}

/// The words of a phrase, without those that are mere punctuation.
fn words_of(place: usize, phrase: &Phrase, unspaced: bool) -> Vec<Word> {
    let mut byte = 0;
    let mut words = Vec::new();
    for token in tokens(&phrase.text, unspaced) {
        let from = phrase.logprobs.partition_point(|(start, _)| *start < byte);
        byte += token.len();
        let tokens = from..phrase.logprobs.partition_point(|(start, _)| *start < byte);
        let key = key(token);
        if !key.is_empty() && !tokens.is_empty() {
            let logprob = logprob(&phrase.logprobs[tokens.clone()]);
            words.push(Word {
                phrase: place,
                tokens,
                key,
                logprob,
            });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phrases of which each word (or character) is a token, tempered: ten times the mean
    /// log-probability of each.
    fn tempered(said: &[(&str, f64)], unspaced: bool) -> Vec<i32> {
        let phrase = |&(text, logprobs): &(&str, f64)| {
            let starts = tokens(text, unspaced).into_iter().scan(0, |byte, token| {
                *byte += token.len();
                Some(*byte - token.len())
            });
            let logprobs = starts.map(|start| (start, logprobs)).collect();
            Phrase {
                start: 0.0,
                end: 3.0,
                text: text.into(),
                marks: Vec::new(),
                logprobs,
                no_speech: 0.0,
            }
        };
        let mut phrases: Vec<Phrase> = said.iter().map(phrase).collect();
        temper(&mut phrases, unspaced);
        phrases
            .iter()
            .map(|phrase| (phrase.logprob() * 10.0).round() as i32)
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
            tempered(&[sure, made_up, (made_up.0, -0.1)], false),
            [-2, -22, -22]
        );
        assert_eq!(
            tempered(&[made_up, (" But I'm not sure!", -0.1)], false),
            [-22, -17]
        );
        assert_eq!(tempered(&[made_up, sure], false), [-22, -2]);
        let greeting = [
            (" I'm not sure.", -2.2),
            (" Good morning.", -0.3),
            (" Good morning, everyone.", -0.2),
        ];
        assert_eq!(tempered(&greeting, false), [-22, -3, -3]);
        assert_eq!(
            tempered(
                &[(" It rained here.", -0.2), (" It rained here.", -0.9)],
                false
            ),
            [-2, -9],
            "never likelier"
        );
        assert_eq!(
            tempered(&[("我不知道", -2.0), ("但是我不知道。", -0.1)], true),
            [-20, -12]
        );
        assert_eq!(tempered(&[("", 0.0)], false), [0]);
    }

    #[test]
    fn a_phrase_repeats_itself_too() {
        let text = " I can do it, I can do it.";
        let starts = [0, 2, 6, 9, 13, 15, 19, 22];
        let logprobs = starts
            .iter()
            .map(|start| (*start, if *start < 13 { -2.0 } else { -0.1 }))
            .collect();
        let phrase = Phrase {
            start: 0.0,
            end: 3.0,
            text: text.into(),
            marks: Vec::new(),
            logprobs,
            no_speech: 0.0,
        };
        let mut phrases = [phrase];
        temper(&mut phrases, false);
        assert!(
            phrases[0]
                .logprobs
                .iter()
                .all(|(_, logprobs)| *logprobs < -1.9),
            "{phrases:?}"
        );
    }
}
